"""How well the evidence carries an answer, in named parts, and what is missing when it does not."""

from __future__ import annotations

from dataclasses import dataclass

from core.answering.chain import Found
from core.answering.reading import Reading
from core.answering.selection import content_stems
from core.extraction.question import ParsedQuestion, QuestionType


@dataclass(frozen=True, slots=True)
class Support:
    """Each part and the score lie in 0..1."""

    score: float
    similarity: float  # of the best chosen sentence to the question
    names: float  # share of the question's names that the passages hold
    words: float  # share of the question's content words that the chosen sentences hold
    answer: float  # how clearly the kind of answer that is asked for is told; 0 when it is not there


_SIMILARITY, _NAMES, _WORDS, _ANSWER = 0.25, 0.35, 0.15, 0.25
_LEAST, _FULL = 0.15, 0.65  # cosines that count as nothing and as all


def support(
    reading: Reading, question: ParsedQuestion, chosen: tuple[int, ...], found: Found | None
) -> Support:
    """Support of the chosen lines. A question without a typed answer is judged by the other parts."""
    cosine = max((reading.lines[i].cosine for i in chosen), default=0.0)
    similarity = min(max((cosine - _LEAST) / (_FULL - _LEAST), 0.0), 1.0)
    names = 1.0
    if question.names:
        names = sum(held(reading, n.key) for n in question.names) / len(question.names)
    asked = content_stems(question)
    stems = frozenset().union(*(reading.lines[i].stems for i in chosen)) if chosen else frozenset()
    words = len(asked & stems) / len(asked) if asked else 1.0
    parts = [(similarity, _SIMILARITY), (names, _NAMES), (words, _WORDS)]
    answer = 0.0
    if question.answer_labels or question.type is QuestionType.YES_NO:
        answer = min(found.score, 1.0) if found else 0.0
        parts.append((answer, _ANSWER))
    score = sum(value * weight for value, weight in parts) / sum(weight for _, weight in parts)
    return Support(score, similarity, names, words, answer)


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
        return f"No passage mentions {listed}. Check the spelling, or try a shorter form of the name."
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
