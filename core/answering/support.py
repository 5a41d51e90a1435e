"""How well the evidence carries an answer, in named parts, and what is missing when it does not."""

from __future__ import annotations

from dataclasses import dataclass

from core.answering.chain import Found
from core.answering.reading import Reading
from core.answering.words import clues
from core.extraction.question import ParsedQuestion
from core.extraction.question_words import NATIONS, PEOPLE, labels_of


@dataclass(frozen=True, slots=True)
class Support:
    """Each part and the score lie in 0..1; `answer` and `names` are None where nothing asks for them."""

    score: float
    similarity: float  # of the nearest sentence to the question
    names: float | None  # how surely the passages speak of the question's names, the rarest counted twice
    answer: float | None  # how clearly the kind of answer that is asked for is told


_SIMILARITY, _NAMES, _ANSWER = 0.3, 0.5, 0.2
_LEAST, _FULL = 0.2, 0.8  # cosines that count as nothing and as all
_PLAIN = frozenset(("DATE", "CARDINAL", "MONEY", "PERCENT", "TIME"))
_TOLD = 0.1
_UNSAID = 0.5
_CLEAR = 0.3  # pull of a clue that is as good as told
# What evidence about something else reaches; measured with the gold passages taken away.
_FLOOR = 0.385


def support(
    reading: Reading, question: ParsedQuestion, found: Found | None, decided: bool = False
) -> Support:
    """Support of an answer whose short form is `found`. Parts that the question lacks do not count.

    `decided`: the answer follows from values that were found for each name, so no doubt is cast on it.
    """
    cosine = max((line.cosine for line in reading.lines), default=0.0)
    similarity = min(max((cosine - _LEAST) / (_FULL - _LEAST), 0.0), 1.0)
    parts = [(similarity, _SIMILARITY)]
    names = _names(reading, question)
    if names is not None:
        parts.append((names, _NAMES))
    answer = None
    if question.answer_labels and not (decided and found is None):
        answer = _told(found, decided)
        parts.append((answer, _ANSWER))
    doubt = 1.0 if decided else _doubt(reading, question, found)
    raw = sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts)
    return Support(doubt * max(0.0, (raw - _FLOOR) / (1.0 - _FLOOR)), similarity, names, answer)


def _told(found: Found | None, decided: bool) -> float:
    if found is None:
        return 0.0
    clear = 1.0 if decided else 0.5 + 0.5 * min(found.clue / _CLEAR, 1.0)
    return min(found.score, 1.0) * clear


def _doubt(reading: Reading, question: ParsedQuestion, found: Found | None) -> float:
    """Factor below 1: what is asked is not told, or patterns that would surely see its kind see none."""
    factor = 1.0
    if unsaid(reading, question) and (found is None or found.clue < _TOLD):
        factor = _UNSAID
    labels = question.answer_labels
    if labels == NATIONS or (labels and labels[0] in _PLAIN):
        if found is None:
            factor *= 0.4
        elif found.clue < _TOLD:
            factor *= 0.7
    return factor


def unsaid(reading: Reading, question: ParsedQuestion) -> bool:
    """Whether no sentence on the question's names holds any of its words, or a word for the same.

    The words of a question in several steps lie with other names too, so there any sentence counts.
    """
    asked = _key_words(question)
    if not asked:
        return False
    wanted = frozenset().union(*(clues(lemma) for lemma in asked))
    topics = [reading.about(name.key) for name in question.names] if not question.steps else []
    return not any(
        wanted & line.stems and (not topics or max(topic[i] for topic in topics) >= 0.4)
        for i, line in enumerate(reading.lines)
    )


def _key_words(question: ParsedQuestion) -> frozenset[str]:
    """The words that say what is asked: the role or the thing where no kind of thing covers it, else all.

    "Which sentence did the court give" is not answered by what else was given.
    """
    if question.focus in question.content:
        labels = labels_of(question.focus)
        if not labels or labels == PEOPLE:
            return frozenset((question.focus,))
    return question.content


def _names(reading: Reading, question: ParsedQuestion) -> float | None:
    values = [held(reading, name.key) for name in question.names]
    return (sum(values) / len(values) + min(values)) / 2 if values else None


def held(reading: Reading, key: str) -> float:
    """How surely any passage speaks of the name, 0..1."""
    return max(reading.about(key), default=0.0)


_KINDS = {
    "DATE": "a date",
    "PERSON": "a person",
    "GPE": "a place",
    "LOC": "a place",
    "FAC": "a place",
    "ORG": "an organisation",
    "CARDINAL": "a number",
    "MONEY": "an amount",
    "TIME": "a time",
    "PERCENT": "a share",
    "WORK": "a title",
    "LANGUAGE": "a language",
    "EVENT": "an event",
}


def missing(reading: Reading, question: ParsedQuestion, found: Found | None) -> str:
    """What the passages lack and what to try, in words for people."""
    if not reading.lines:
        return "No passage was found. Index a folder first, or ask with other words."
    absent = [n.text for n in question.names if held(reading, n.key) < 0.5]
    if absent:
        listed = " or ".join(f"“{name}”" for name in absent[:3])
        # Others may: only those that the route ranked first were read.
        return (
            f"No passage that was found mentions {listed}. Check the spelling, or ask about that name alone."
        )
    if question.names and unsaid(reading, question):
        named = question.names[0].text
        asked = "” or “".join(sorted(question.content)[:3])
        return f"The passages found on “{named}” do not speak of “{asked}”. Try another word for it."
    if question.choices:
        both = " and ".join(f"“{name.text}”" for name in question.choices)
        return (
            f"The passages found do not tell enough of both {both} to compare them. Ask for each by itself."
        )
    kind = _KINDS.get(question.answer_labels[0]) if question.answer_labels else None
    if kind and (found is None or found.clue < 0.2):
        return (
            f"The passages found do not give {kind}. "
            "Ask for one step at a time, or choose the graph route to follow more links."
        )
    return (
        "The passages found do not answer this clearly. "
        "Name the person, thing or document that you mean, or choose another route."
    )
