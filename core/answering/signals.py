"""What each part of the Triple-Check looks at, so that no two look at the same: vectors, words, the kind of answer.

A2RAG III-B, eq. 2 to 4. One network behind all three would let its mistakes agree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from core.answering.candidates import Candidate
from core.extraction.question import ParsedQuestion, QuestionType
from core.models.reader import PassageRead
from core.models.reader_examples import Kind
from core.text.dates import find_dates
from core.text.stems import fold, words
from core.text.support import content_stems, numbers
from core.types import Answer
from core.types.kinds import VALUES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ASKING = content_stems("who whom whose what when where which why how many much")
_TIMES = frozenset(("DATE", "TIME"))
_AMOUNTS = VALUES - _TIMES
_TIME = re.compile(
    r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)|\d{1,2}:\d{2}|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand|dozen|none"
    r"|no)\b",
    re.IGNORECASE,
)
_POLAR = frozenset((Kind.YES.value, Kind.NO.value))


def nearness(vector: NDArray[np.float32], candidates: Sequence[Candidate]) -> list[float]:
    """Cosine of a question, a unit vector (d,), with the nearest sentence of each passage; 0 without vectors."""
    return [float((each.vectors @ vector).max(initial=0.0)) for each in candidates]


@dataclass(frozen=True, slots=True)
class Aligned:
    """How much of a question stands where its answer is quoted: the share of its words, 0 to 1, those weighing most
    that few of the passages hold, and the words that do not, as the question writes them."""

    share: float
    lacking: tuple[str, ...]


def aligned(question: str, answer: Answer, candidates: Sequence[Candidate]) -> Aligned:
    """Of the sentence that holds most; its title counts, and words that the answer itself says are not looked for."""
    asked = (content_stems(question) | numbers(question)) - _ASKING
    wanted = asked - {word.stem for word in words(answer.text)}
    stemmed = [_stems(f"{each.passage.title} {each.passage.text}") for each in candidates]
    weights = {
        word: math.log((len(stemmed) + 1) / (sum(word in each for each in stemmed) + 0.5)) for word in wanted
    }
    total = sum(weights.values())
    quotes = [_stems(f"{citation.title} {citation.quote}") for citation in answer.citations]
    best = max(quotes, key=lambda quote: sum(weights[word] for word in wanted & quote), default=frozenset())
    share = sum(weights[word] for word in wanted & best) / total if total else float(bool(quotes))
    lacking = (question[word.start : word.end] for word in words(question) if word.stem in wanted - best)
    return Aligned(share, tuple(dict.fromkeys(lacking)))


class Fit(Enum):
    """Whether an answer is of the kind that is asked for."""

    FITS = "fits"
    OPEN = "open"  # the question or the words do not say
    OTHER = "other"


def fit_of(question: ParsedQuestion, text: str, candidates: Sequence[Candidate]) -> Fit:
    """By the labels that the question's grammar expects and those of the names in the answer's words."""
    polar = text.casefold() in _POLAR
    if question.choices and not polar:
        return Fit.OPEN
    if question.type is QuestionType.YES_NO or polar:
        return Fit.FITS if polar == (question.type is QuestionType.YES_NO) else Fit.OTHER
    expected = frozenset(question.answer_labels)
    if not expected:
        return Fit.OPEN
    if (
        expected & _TIMES
        and (_TIME.search(text) or find_dates(text))
        or expected & _AMOUNTS
        and _AMOUNT.search(text)
    ):
        return Fit.FITS
    found = _labels(text, candidates)
    if expected & found:
        return Fit.FITS
    nameless = not any(letter.isupper() for letter in text)
    values = bool(found) and found <= VALUES
    return Fit.OTHER if expected <= VALUES or values or nameless else Fit.OPEN


def _labels(text: str, candidates: Sequence[Candidate]) -> frozenset[str]:
    folded = fold(text)
    return frozenset(
        mention.label
        for candidate in candidates
        for mention in candidate.mentions
        if len(mention.text) > 1 and fold(mention.text) in folded
    )


def told(answer: Answer, candidates: Sequence[Candidate], reads: Sequence[PassageRead]) -> float:
    """Probability that a quoted passage tells the words marked in it, against its other words and against "not here";
    where none are marked its likeliest ones. 0 where no passage that was read is quoted."""
    by_id = {each.passage.id: (each, read) for each, read in zip(candidates, reads, strict=True)}
    found = [0.0]
    for citation in answer.citations:
        if citation.passage_id not in by_id:
            continue
        candidate, read = by_id[citation.passage_id]
        spans = read.spans[:1]
        if citation.marked is not None:
            start, end = (citation.start - candidate.passage.start + at for at in citation.marked)
            spans = tuple(span for span in read.spans if span.start < end and start < span.end)
        found += [span.probability for span in spans]
    return max(found)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(text)) | numbers(text)
