"""The reader's training data for one epoch: questions with their texts, with texts that do not answer, and claims."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from core.models.reader_examples import Example, Kind
from core.types import Verdict

_NEAR = 8  # nearest texts to a question, from which unanswering ones are drawn
_DISTRACTORS = (0, 0, 1, 1, 2)  # numbers of such texts for a question, drawn at random
_HURRIED = 0.15  # share of the questions without their mark
_HEADED = 0.35  # share of the texts with a heading
_LONGEST_HEADING = 9  # words
_EXCHANGED = 0.08
_CLAIM = 0.2
_ELSEWHERE = 0.25  # share of the claims against a similar text that does not support them
_AT_ONCE = 512
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?\n]+")
_RUN = re.compile(r"[^\s.,;:!?()\"“”]+")


@dataclass(frozen=True, slots=True)
class Item:
    """A pair to learn from; heads whose label is None do not learn from it."""

    asked: str  # a question, or a claim if `support` is set
    title: str
    text: str
    spans: tuple[tuple[int, int], ...] = ()
    kind: Kind | None = None
    relevance: bool | None = None
    support: Verdict | None = None
    headings: tuple[tuple[int, int], ...] = ()  # places in the text
    group: int = -1  # texts of the same group belong to one question, and compete; -1 for none


class Mixture:
    """Examples of several sources, at most `most` of each in an epoch, different ones in each epoch."""

    def __init__(self, examples: Sequence[Example], most: int) -> None:
        self._sources: dict[str, list[Example]] = {}
        for example in examples:
            self._sources.setdefault(example.source, []).append(example)
        self._most = most
        self._near = {
            source: _nearest([example.question for example in found], found)
            for source, found in self._sources.items()
        }

    def counts(self) -> dict[str, int]:
        return {source: len(found) for source, found in self._sources.items()}

    def epoch(self, seed: int) -> list[list[Item]]:
        """Return the groups that are read together, in random order; the same for the same seed."""
        chance = random.Random(seed)
        items: list[list[Item]] = []
        for source, found in self._sources.items():
            for row in chance.sample(range(len(found)), min(self._most, len(found))):
                items.append(list(self._texts(source, row, chance, len(items))))
                items.extend([item] for item in self._changed(source, row, chance))
        chance.shuffle(items)
        return items

    def _texts(self, source: str, row: int, chance: random.Random, group: int) -> Iterator[Item]:
        """Return a question with its own text, and with similar ones that do not answer it."""
        example = self._sources[source][row]
        has_answer = example.kind is not Kind.NONE
        asked = example.question
        if chance.random() < _HURRIED:
            asked = asked.rstrip("? ") or asked
        own = Item(
            asked, example.title, example.text, example.spans, example.kind, has_answer or None, group=group
        )
        others = self._others(source, row, chance, chance.choice(_DISTRACTORS))
        negatives = (Item(asked, each.title, each.text, (), Kind.NONE, False, group=group) for each in others)
        for item in (own, *negatives):
            yield headed(item, chance) if chance.random() < _HEADED else item

    def _changed(self, source: str, row: int, chance: random.Random) -> Iterator[Item]:
        """Return the question with another's name or number, and a claim made from it."""
        example = self._sources[source][row]
        has_answer = example.kind is not Kind.NONE
        if has_answer and chance.random() < _EXCHANGED:
            donor = self._sources[source][chance.randrange(len(self._sources[source]))]
            question = exchanged(example.question, donor.question, chance)
            if question:
                yield Item(question, example.title, example.text, (), Kind.NONE)
        if chance.random() < _CLAIM and (claimed := claim(example, chance)):
            words, verdict = claimed
            elsewhere = self._others(source, row, chance, 1) if chance.random() < _ELSEWHERE else []
            for other in elsewhere:
                yield Item(words, other.title, other.text, support=Verdict.ABSENT)
            if not elsewhere:
                yield Item(words, example.title, example.text, support=verdict)

    def _others(self, source: str, row: int, chance: random.Random, most: int) -> list[Example]:
        """Return examples whose texts are similar to the question and do not contain its answer."""
        example, found = self._sources[source][row], self._sources[source]
        answers = [answer.casefold() for answer in example.answers]
        fit = [
            found[at]
            for at in self._near[source][row]
            if found[at].text != example.text
            and not any(answer in found[at].text.casefold() for answer in answers)
        ]
        return chance.sample(fit, min(most, len(fit)))


def headed(item: Item, chance: random.Random) -> Item:
    """Put a heading made of words of the text above it; half of the time of those near the answer, as headings name
    their content. If the heading contains the answer, it is a right place too.
    """
    lines = [line.span() for line in _SENTENCE.finditer(item.text)]
    near = [(a, b) for a, b in lines if any(a <= start < b for start, _ in item.spans)]
    if not lines:
        return item
    runs = list(_RUN.finditer(item.text, *chance.choice(near if near and chance.random() < 0.5 else lines)))
    if not runs:
        return item
    length = min(len(runs), chance.randint(2, _LONGEST_HEADING))
    first = chance.randrange(len(runs) - length + 1)
    start, end = runs[first].start(), runs[first + length - 1].end()
    words = item.text[start].upper() + item.text[start + 1 : end]
    in_heading = [(a - start, b - start) for a, b in item.spans if start <= a and b <= end]
    below = [(a + len(words) + 1, b + len(words) + 1) for a, b in item.spans]
    headings = ((0, len(words)),)
    return replace(item, text=f"{words}\n{item.text}", spans=(*in_heading, *below), headings=headings)


def _nearest(questions: Sequence[str], examples: Sequence[Example]) -> list[list[int]]:
    """Return for each question the rows of the texts that share most of its rare words, by tf-idf; each text once."""
    first: dict[str, int] = {}
    for row, example in enumerate(examples):
        first.setdefault(example.text, row)
    texts = list(first)
    words = {word: place for place, word in enumerate(dict.fromkeys(w for q in questions for w in _words(q)))}
    tfidf = _counted(texts, words)
    rarity = np.log(len(texts) / np.maximum(1, np.bincount(tfidf.indices, minlength=len(words))))
    tfidf = tfidf.multiply(rarity).tocsr()
    lengths = np.sqrt(np.asarray(tfidf.multiply(tfidf).sum(1)).ravel()) + 1.0
    tfidf = sparse.diags(1 / lengths) @ tfidf
    asked = _counted(questions, words)
    rows = np.array(list(first.values()))
    found: list[list[int]] = []
    for begin in range(0, len(questions), _AT_ONCE):
        scores = (asked[begin : begin + _AT_ONCE] @ tfidf.T).toarray()
        best = np.argsort(-scores, axis=1, kind="stable")[:, :_NEAR]
        found.extend(rows[each].tolist() for each in best)
    return found


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _counted(texts: Sequence[str], words: dict[str, int]) -> sparse.csr_matrix:
    """Return how often each of the words occurs in each text, dampened; shape (texts, words)."""
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for text in texts:
        counted = Counter(words[word] for word in _words(text) if word in words)
        columns.extend(counted)
        values.extend(np.log1p(list(counted.values())).tolist())
        ends.append(len(columns))
    return sparse.csr_matrix((values, columns, ends), shape=(len(texts), len(words)))


_AUXILIARY = r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n't)?"
_BE = re.compile(r"(?:who|what|which|where|when) (is|are|was|were) (.+?)\??$", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"(?:who|(?:what|which|how many)(?: [\w'-]+)??) (?!{_AUXILIARY}\b)(.+?)\??$", re.IGNORECASE
)
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’-]+(?: (?:of|the|de|van|von|and|&) [A-ZÀ-Þ][\w'’-]+| [A-ZÀ-Þ][\w'’-]+)*")
_NUMBER = re.compile(r"(?<!\w)[$€£]? ?\d[\d.,:/]*\d(?: ?%)?|(?<!\w)\d(?!\w)")
_CLAIM_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“‘(])|\n+")
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
    sentences = [part for part in _CLAIM_SENTENCE.split(example.text) if _FEWEST <= len(part) <= _MOST]
    if not sentences:
        return None
    chosen = chance.choice(sentences)
    if chance.random() < 0.5:
        return chosen.split(": ", 1)[-1], Verdict.SUPPORTED
    wrong = exchanged(chosen, example.text, chance)
    return (wrong, Verdict.CONTRADICTED) if wrong else None
