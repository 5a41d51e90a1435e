"""Composes the answer of an overview: in quotes, or as a language model writes it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.answering.candidates import Candidate, as_evidence
from core.answering.generate import ModelGenerator, PromptContext, Writing, with_claims
from core.answering.integration.pieces import Part, Piece, Section
from core.answering.overview.named import Named, Point
from core.answering.prompts import theme_prompt
from core.answering.validators import GROUNDING
from core.errors import BadReply, ModelFault, ModelUnavailable, PromptTooLong
from core.progress import TaskContext
from core.protocols import OnText
from core.text.translation import both, mark, tr, trn
from core.types import (
    Answer,
    Citation,
    CitedCommunity,
    Claim,
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
_WRITTEN, _FEWEST = 5, 2  # themes that a model is asked of, and claims that make an answer


@dataclass(frozen=True, slots=True)
class Overviewed:
    """How the answer begins, its sentences, and the communities below whose titles they stand.

    `lead` is a sentence without its stop, or, where things are `listed`, the part before its colon. `share` is that
    of what was looked at which the answer tells of, 0 to 1. `material` are the sentences that a language model reads of
    each point, where these are themes.
    """

    lead: str
    listed: tuple[str, ...]
    points: tuple[Point, ...]
    communities: tuple[CitedCommunity, ...]
    share: float
    stages: tuple[Stage, ...]
    named: tuple[tuple[Named, Point], ...] = ()  # where names were asked for, each with what tells of it
    material: tuple[tuple[Citation, ...], ...] = ()
    is_broad: bool = False  # whether the question is about everything, and no kind of thing

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


def write_themes(
    quotes: Answer,
    found: Overviewed,
    candidates: Sequence[Candidate],
    generator: ModelGenerator,
    grounding: float,
    context: TaskContext,
    on_text: OnText | None,
) -> Answer:
    """Return what a model says of each of the first themes, held against the sentences that it read of it.

    Map: a call for each theme over its own sentences; reduce: the claims that these carry, theme by theme. A round
    with a failure says that too few are carried, of `grounding` the least share, 0 to 1; `quotes` is the answer in
    quotes. Raises what the model's server does before there is any claim.
    """
    begin, question = time.perf_counter(), quotes.trace.question
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    writings: list[Writing] = []
    for point, sentences in zip(found.points[:_WRITTEN], found.material, strict=False):
        readable = [each for each in sentences if each.passage_id in by_id]
        prompt_context = _theme_context("" if found.is_broad else question, point, readable, by_id)
        try:
            writing = generator.write(question, prompt_context, context, _append_text(writings, on_text))
        except (BadReply, PromptTooLong):
            continue  # of this theme alone
        except (ModelFault, ModelUnavailable):
            if not writings:
                raise
            break  # of the themes behind it nothing is written
        cited = [replace(place, community=point.citation.community) for place in writing.citations]
        writings.append(replace(writing, citations=tuple(cited)))
    claims: list[Claim] = []
    citations: list[Citation] = []
    for writing in writings:
        if not writing.is_silent:
            carried = [claim for claim in writing.claims if claim.verdict is Verdict.SUPPORTED]
            claims += [
                replace(claim, citations=tuple(at + len(citations) for at in claim.citations))
                for claim in carried
            ]
            citations += writing.citations
    every = [claim for writing in writings if not writing.is_silent for claim in writing.claims]
    check = _grounded(every, grounding)
    text = " ".join(claim.text for claim in claims)
    round_ = Round(
        1,
        question,
        quotes.trace.route.name,
        text,
        (check,),
        "" if check.passed and len(claims) >= min(_FEWEST, len(writings)) else check.name,
        seconds=time.perf_counter() - begin,
        claims=tuple(every),
    )
    stage = Stage(
        mark("answer"),
        round_.seconds,
        trn("{count} theme in words of the model", "{count} themes in words of the model", len(writings)),
    )
    trace = replace(quotes.trace, stages=(*quotes.trace.stages, stage), rounds=(round_,))
    mean = sum(writing.confidence for writing in writings) / max(1, len(writings))
    answer = replace(
        quotes.withdrawn(),
        text=text,
        abstained=False,
        trace=trace,
        confidence=mean,
        communities=quotes.communities,
        evidence=(*quotes.evidence, *_cited_evidence(quotes, citations, by_id)),
        dropped=sum(writing.dropped for writing in writings),
    )
    return with_claims(answer, claims, citations)


def _cited_evidence(
    quotes: Answer, citations: Sequence[Citation], by_id: Mapping[str, Candidate]
) -> list[Evidence]:
    """Return the passages that are cited and carry none of the quotes."""
    known = {evidence.hit.passage_id for evidence in quotes.evidence}
    cited = dict.fromkeys(citation.passage_id for citation in citations)
    return [as_evidence(by_id[passage], None) for passage in cited if passage not in known]


def _theme_context(
    question: str, point: Point, sentences: Sequence[Citation], by_id: Mapping[str, Candidate]
) -> PromptContext:
    """Return the sentences of one theme as a model reads them."""
    parts, places, candidates = [], [], list[Candidate]()
    by_words = {" ".join(each.quote.split()): each for each in (*sentences, point.citation)}
    for citation in by_words.values():
        candidate = by_id[citation.passage_id]
        start = citation.start - candidate.passage.start
        end = start + citation.end - citation.start
        title = candidate.passage.title
        piece = Piece(citation.passage_id, title, start, end, citation.quote, Section.PASSAGE, 0)
        parts.append(Part(citation.quote, piece))
        if candidate not in candidates:
            candidates.append(candidate)
        places.append((candidates.index(candidate), Sentence(start, end)))
    pages = {candidate.passage.id: candidate.passage.page for candidate in candidates}
    return PromptContext(theme_prompt(question, parts, pages), candidates, tuple(places), "sentence")


def _append_text(writings: Sequence[Writing], on_text: OnText | None) -> OnText | None:
    """Return what receives the words of the next call: behind those of the calls before, also where it begins again."""
    if on_text is None:
        return None
    before = "".join(f"{writing.reply.text.strip()} " for writing in writings)

    def receive(piece: str) -> None:
        on_text(piece)
        if not piece and before:
            on_text(before)

    on_text("")
    if before:
        on_text(before)
    return receive


def _grounded(claims: Sequence[Claim], grounding: float) -> Validation:
    """Whether the passages carry enough of what was written. A2RAG eq. 3."""
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    count = len(claims)
    share = carried / count if count else 0.0
    words = trn(
        "{carried} of {count} sentence is carried by the passages",
        "{carried} of {count} sentences are carried by the passages",
        count,
        carried=carried,
    )
    return Validation(GROUNDING, bool(carried) and share >= grounding, share, words)


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
