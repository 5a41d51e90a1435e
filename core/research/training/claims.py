"""Claims generated from questions and answers, true and false: training data of the support head."""

from __future__ import annotations

import random
import re

from core.models.reader_examples import Example, Kind
from core.types import Verdict

_AUXILIARY = r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n't)?"
_BE = re.compile(r"(?:who|what|which|where|when) (is|are|was|were) (.+?)\??$", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"(?:who|(?:what|which|how many)(?: [\w'-]+)??) (?!{_AUXILIARY}\b)(.+?)\??$", re.IGNORECASE
)
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+(?: (?:of|the|de|van|von|and|&) [A-ZÀ-Þ][\w'’-]+| [A-ZÀ-Þ][\w'’-]+)*")
_NUMBER = re.compile(r"(?<!\w)[$€£]? ?\d[\d.,:/]*\d(?: ?%)?|(?<!\w)\d(?!\w)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“‘(])|\n+")
_FEWEST, _MOST = 30, 300  # characters of a sentence that is a claim


def declared(question: str, answer: str, chance: random.Random) -> str:
    """Combine question and answer to a statement if their order allows it, else put one after the other."""
    found = _BE.match(question)
    if found and chance.random() < 0.8:
        return f"{found[2]} {found[1]} {answer}."
    subject = _SUBJECT.match(question)
    if subject and chance.random() < 0.8:
        return f"{answer} {subject[1]}."
    return f"{question.rstrip('?')}? {answer}"


def claim(example: Example, chance: random.Random) -> tuple[str, Verdict] | None:
    """Return a claim about the example's own text with its verdict; None if it has no answer to build one from."""
    if not example.spans or example.kind not in (Kind.SPAN, Kind.SENTENCES):
        return None
    start, end = chance.choice(example.spans)
    answer = example.text[start:end]
    way = chance.random()
    if way < 0.4:
        return declared(example.question, answer, chance), Verdict.SUPPORTED
    if way < 0.7:
        wrong = alike(example.text, example.spans, example.question, chance)
        return (declared(example.question, wrong, chance), Verdict.CONTRADICTED) if wrong else None
    return _sentence(example, chance)


def alike(text: str, spans: tuple[tuple[int, int], ...], question: str, chance: random.Random) -> str:
    """Return another name or number of the text, of the answer's type; "" if there is none."""
    answers = [text[start:end].casefold() for start, end in spans]
    pattern = _NUMBER if any(_NUMBER.search(answer) for answer in answers) else _NAME
    found = {match.group().strip() for match in pattern.finditer(text)}
    asked = question.casefold()
    fit = [
        words
        for words in sorted(found)
        if words.casefold() not in asked
        and not any(words.casefold() in answer or answer in words.casefold() for answer in answers)
    ]
    return chance.choice(fit) if fit else ""


def exchanged(text: str, other: str, chance: random.Random) -> str:
    """Replace one name or number of `text` by another from `other`; "" if that is impossible."""
    for pattern in chance.sample((_NAME, _NUMBER), 2):
        own = [found for found in pattern.finditer(text) if found.start() > 0]
        new = sorted(
            {found.group().strip() for found in pattern.finditer(other)} - {f.group().strip() for f in own}
        )
        new = [words for words in new if words.casefold() not in text.casefold()]
        if own and new:
            found = chance.choice(own)
            return text[: found.start()] + chance.choice(new) + text[found.end() :]
    return ""


def _sentence(example: Example, chance: random.Random) -> tuple[str, Verdict] | None:
    """Return a sentence of the text, as it is or with something in it exchanged."""
    sentences = [part for part in _SENTENCE.split(example.text) if _FEWEST <= len(part) <= _MOST]
    if not sentences:
        return None
    chosen = chance.choice(sentences)
    if chance.random() < 0.5:
        return chosen.split(": ", 1)[-1], Verdict.SUPPORTED
    wrong = exchanged(chosen, example.text, chance)
    return (wrong, Verdict.CONTRADICTED) if wrong else None
