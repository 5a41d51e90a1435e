"""What the reader saw in each passage, and why its words are not the answer: for the trace."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.candidates import Candidate
from core.answering.comprehension import Understood
from core.answering.joint import repeats
from core.models.reader import UNREAD, PassageRead
from core.models.reader_examples import KINDS, Kind
from core.text.translation import tr
from core.types.stages import MOST, AnswerCandidate, PassageReading, Reading

_LONGEST = 300  # characters of a span that are kept


def as_reading(question: str, found: Understood, candidates: Sequence[Candidate]) -> Reading:
    """`found` in the `candidates`, row by row."""
    best, sure = found.answers[0] if found.answers else (None, 0.0)
    holding = {place.passage for place in best.places} if best is not None else set()
    likeliest: dict[int, float] = {}
    for proposal, probability in found.answers:
        for place in proposal.places:
            likeliest[place.passage] = max(probability, likeliest.get(place.passage, 0.0))
    passages = []
    for row, (candidate, read) in enumerate(zip(candidates[:MOST], found.reads, strict=False)):
        text = candidate.passage.text
        why = "" if row in holding else _why_not(question, text, read, likeliest.get(row), sure)
        passages.append(_read(candidate, read, why))
    answers = tuple(
        AnswerCandidate(
            _short(proposal.text),
            proposal.kind.value,
            probability,
            tuple(dict.fromkeys(candidates[place.passage].passage.id for place in proposal.places)),
        )
        for proposal, probability in found.answers[:MOST]
    )
    return Reading(tuple(passages), answers, len(holding), len(candidates))


def _read(candidate: Candidate, read: PassageRead, why: str) -> PassageReading:
    kind = int(read.kinds.argmax())
    span = read.spans[0] if read.spans else None
    return PassageReading(
        candidate.passage.id,
        _short(candidate.passage.text[span.start : span.end]) if span else "",
        span.margin if span else 0.0,
        span.probability if span else 0.0,
        KINDS[kind].value,
        float(read.kinds[kind]),
        read.relevance,
        why,
    )


def _why_not(question: str, text: str, read: PassageRead, likeliest: float | None, sure: float) -> str:
    """Why the words of a passage are not the answer."""
    if read is UNREAD:
        return tr("not read: a passage above it tells")
    if not read.spans:
        return tr("no words of it may answer")
    span = read.spans[0]
    if repeats(question, text[span.start : span.end]):
        return tr("only repeats the question")
    if read.kind(Kind.NONE) > 0.5 and span.margin <= 0:
        return tr("does not tell it, says the reader")
    if likeliest is None:
        return tr("asks in its turn, or the question wants yes or no")
    return tr("another answer is likelier: {best} against {own}", best=f"{sure:.0%}", own=f"{likeliest:.0%}")


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
