"""Composes the answer of an overview: in quotes, or as a language model writes it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.answering.candidates import Candidate
from core.answering.overview.named import Named, Point
from core.answering.validators import GROUNDING
from core.errors import ModelFault, ModelUnavailable
from core.text.translation import both, tr, trn
from core.types import (
    Answer,
    Citation,
    CitedCommunity,
    Evidence,
    Hit,
    Retrieval,
    Round,
    Route,
    Sentence,
    Stage,
    Trace,
    Validation,
    Verdict,
    Why,
)

SUREST = 0.99  # no share of the passages makes an answer certain
STRICTLY = tr("the same again, with nothing but what stands in the passages")


@dataclass(frozen=True, slots=True)
class Overviewed:
    """How the answer begins, its sentences, and the communities below whose titles they stand.

    `lead` is a sentence without its stop, or, where things are `listed`, the part before its colon. `share` is that
    of what was looked at which the answer tells of, 0 to 1.
    """

    lead: str
    listed: tuple[str, ...]
    points: tuple[Point, ...]
    communities: tuple[CitedCommunity, ...]
    share: float
    stages: tuple[Stage, ...]
    named: tuple[tuple[Named, Point], ...] = ()  # where names were asked for, each with what tells of it
    is_nearby: bool = False  # of the passages near to a question alone, which may ask for one thing of them

    @property
    def line(self) -> str:
        """Return the sentence that begins the answer."""
        if not self.listed:
            return tr("{lead}.", lead=self.lead)
        return tr("{lead}: {things}.", lead=self.lead, things=tr("; ").join(self.listed))

    @property
    def retrieval(self) -> Retrieval:
        """The passages that carry it, in the order of the answer."""
        return Retrieval(_hits(self.points), self.stages)


def written(write: Callable[..., Answer], question: str, grounding: float) -> Answer:
    """Return what a model writes, with its rounds; once more, strictly, where the passages do not carry it.

    `write` is its generator's `answer`; `grounding` the least share of its sentences that the passages must carry, 0
    to 1. The last round has a failure where they do not carry that either. Raises what `write` does the first time.
    """
    answer, done = _round(write, question, grounding, 1)
    rounds = [done]
    if done.failure:
        rounds = [replace(done, rewrite=STRICTLY)]
        # Where the server fails now there is nothing but what was not carried: quotes, too.
        with contextlib.suppress(ModelFault, ModelUnavailable):
            answer, done = _round(partial(write, strict=True), question, grounding, 2)
            rounds.append(done)
    return replace(answer, trace=replace(answer.trace, rounds=tuple(rounds)))


def _round(
    write: Callable[..., Answer], question: str, grounding: float, number: int
) -> tuple[Answer, Round]:
    begin = time.perf_counter()
    written = write()
    check = _grounded(written, grounding)
    failed = "" if check.passed or written.abstained else check.name
    done = Round(
        number,
        question,
        written.trace.route.name,
        "" if written.abstained else written.text,
        (check,),
        failed,
        seconds=time.perf_counter() - begin,
        claims=written.claims,
    )
    return written, done


def _grounded(written: Answer, grounding: float) -> Validation:
    """Whether the passages carry enough of what was written. A2RAG eq. 3."""
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in written.claims)
    count = len(written.claims)
    share = carried / count if count else 0.0
    words = trn(
        "{carried} of {count} sentence is carried by the passages",
        "{carried} of {count} sentences are carried by the passages",
        count,
        carried=carried,
    )
    return Validation(GROUNDING, bool(carried) and share >= grounding, share, words)


def with_communities(citations: Sequence[Citation], found: Overviewed) -> tuple[Citation, ...]:
    """Return the citations, each with the community whose passage it is; the same place's first."""
    places: dict[tuple[str, int | None], int | None] = {}
    for point in found.points:
        place = point.citation
        places.setdefault((place.passage_id, None), place.community)
        places.setdefault((place.passage_id, place.start), place.community)
    return tuple(
        replace(c, community=places.get((c.passage_id, c.start), places.get((c.passage_id, None))))
        for c in citations
    )


def quoted(
    question: str,
    found: Overviewed,
    route: Route,
    stages: Sequence[Stage],
    candidates: Sequence[Candidate],
) -> Answer:
    """Return the answer in quotes: every sentence stands in its passage word for word."""
    hits = _hits(found.points)
    citations = tuple(point.citation for point in found.points)
    first = {citation.passage_id: citation for citation in reversed(citations)}
    passages = {candidate.passage.id: candidate for candidate in candidates}
    whys = _whys(found)
    most = max((one.count for one, _ in found.named), default=1)
    heat = {one.id: one.count / max(1, most) for one, _ in found.named}
    evidence = tuple(
        _evidence(passages[hit.passage_id], hit, first[hit.passage_id].start, whys.get(hit.passage_id))
        for hit in hits
        if hit.passage_id in passages
    )
    return Answer(
        text=found.line,
        lead=found.lead,
        listed=found.listed,
        sentences=tuple(citation.quote for citation in citations),
        citations=citations,
        evidence=evidence,
        trace=Trace(question, route, tuple(stages), (), heat, hits, sum(s.seconds for s in stages)),
        confidence=min(found.share, SUREST),
        guess=found.is_nearby and not route.forced,
        communities=found.communities,
    )


def _hits(points: Sequence[Point]) -> tuple[Hit, ...]:
    """Each passage once, at the place of its first sentence."""
    scores: Mapping[str, float] = {point.citation.passage_id: point.score for point in reversed(points)}
    order = dict.fromkeys(point.citation.passage_id for point in points)
    return tuple(Hit(id, scores[id], rank) for rank, id in enumerate(order, 1))


def _whys(found: Overviewed) -> dict[str, Why]:
    """Why a passage is shown, where names were asked for: those of which a sentence of it tells."""
    by_passage: dict[str, list[Named]] = {}
    for one, point in found.named:
        by_passage.setdefault(point.citation.passage_id, []).append(one)
    return {
        passage: Why(
            tr("tells of {names}", names=both([one.name for one in named])),
            entity_ids=tuple(one.id for one in named),
        )
        for passage, named in by_passage.items()
    }


def _evidence(candidate: Candidate, hit: Hit, start: int, why: Why | None) -> Evidence:
    passage = candidate.passage
    inside: list[Sentence] = [s for s in passage.sentences if passage.start + s.start == start]
    return Evidence(hit, passage, candidate.document, inside[0] if inside else None, why)
