"""Answers a question about all documents from the reports of communities, quote by quote."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.answering.candidate import Candidate
from core.answering.control import instead
from core.answering.validators import GROUNDING
from core.errors import BadInput, ModelFault, ModelUnavailable
from core.extraction.question import ParsedQuestion
from core.overview.choosing import MOST, Chosen, Point, choose_points
from core.overview.chronology import MOST as DATES
from core.overview.chronology import asks_for_times, dated_points
from core.overview.headline import headline
from core.overview.named import Kind, Named, asked_kind, most_named, named_points
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.routing.corpuswide import BROAD, corpus_wide
from core.store.store import Store
from core.types import (
    Answer,
    Citation,
    CitedCommunity,
    CommunityReport,
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

STRICTLY = "the same again, with nothing but what stands in the passages"
NONE = "This workspace has no reports of its communities yet."


@dataclass(frozen=True, slots=True)
class Overviewed:
    """What was chosen from the reports of one level, with the line that begins the answer."""

    line: str
    level: int
    chosen: Chosen
    retrieval: Retrieval  # the passages that carry it, in the order of the answer
    named: tuple[tuple[Named, Point], ...] = ()  # where names were asked for, each with what tells of it


@dataclass(frozen=True, slots=True)
class Author:
    """A language model that answers from passages. `write` is its generator's `answer`.

    `grounding` is the least share of its sentences that the passages must carry, 0 to 1.
    """

    name: str
    write: Callable[..., Answer]
    grounding: float


class Overview:
    """Over the snapshot of a corpus."""

    def __init__(self, store: Store, corpus: Corpus) -> None:
        self._store = store
        self._vectors = corpus.passage_vectors
        self._rows = {id: row for row, id in enumerate(corpus.passage_ids)}
        self._sizes: dict[int, Mapping[int, int]] = {}

    def answer(
        self,
        question: ParsedQuestion,
        vector: Callable[[], NDArray[np.float32]],
        minilm: Callable[[], NDArray[np.float32]],
        way: Route,
        candidates: Callable[[Sequence[Hit]], tuple[list[Candidate], Stage]],
        author: Author | None,
        context: TaskContext,
    ) -> Answer | None:
        """None for a question about something in particular, unless `way` is forced.

        `vector` is the question's by the encoder of the corpus, `minilm` by the one that the shipped model reads.
        `candidates` reads the passages of hits; `author` answers from them, None for quotes. Where they do not
        carry what it wrote quotes stand in its place. Raises BadInput where the way is forced and there are no
        reports; what the author raises.
        """
        begin = time.perf_counter()
        wide = corpus_wide(question, minilm())
        if not (wide.recognised or way.forced):
            return None
        found = self.look(question, vector(), wide.breadth == BROAD or not wide.recognised)
        if found is None:
            if way.forced:
                raise BadInput(NONE, "Index the folder again: they are written at the end.")
            return None
        reason = wide.reason if wide.recognised else f"chosen by hand; the question {wide.reason}"
        spent = time.perf_counter() - begin - sum(stage.seconds for stage in found.retrieval.stages)
        read, reading = candidates(found.retrieval.hits)
        context.check()
        stages = (Stage("scope", spent, reason), *found.retrieval.stages, reading)
        if author is None:
            return _quoted(question.text, found, way, stages, read)
        retrieval = replace(found.retrieval, stages=stages)
        write = partial(author.write, question, vector(), retrieval, way, read, context)
        written = _written(write, question.text, author)
        if written.trace.rounds and written.trace.rounds[-1].failure:
            return instead(written, _quoted(question.text, found, way, (), read), author.name)
        return replace(written, citations=_of_communities(written, found), communities=_cited(found))

    def look(self, question: ParsedQuestion, vector: NDArray[np.float32], broad: bool) -> Overviewed | None:
        """Read reports of the top level, or for a specific question of the one below; None without any."""
        begin = time.perf_counter()
        levels = self._store.communities.levels()
        kind = asked_kind(question)
        if kind is not None and (found := self._names(kind, max(1, levels - 1))):
            return found
        level = levels if broad else max(1, levels - 1)
        told = self._store.reports.communities(level) if levels else []
        if not told:
            return None
        sizes = self._sizes_of(level)
        if broad:
            order = sorted(told, key=lambda community: (-sizes.get(community, 0), community))
        else:
            order = self._nearest_first(level, told, vector)
        mapped = time.perf_counter()
        chosen: Chosen | None = None
        if asks_for_times(question):
            by_size = sorted(told, key=lambda community: (-sizes.get(community, 0), community))
            chosen = self._enough(by_size, partial(dated_points, sizes=sizes), _all_dated)
        if chosen is None or not chosen.points:
            choose = partial(choose_points, sizes=sizes, question=vector, vectors=self._of, broad=broad)
            chosen = self._enough(order, choose, _all_told)
        span = partial(self._store.reports.span, level)
        line = headline(question, chosen.reports, len(told), span, broad, chosen.in_order)
        words = f"{len(chosen.points)} statements of {len(chosen.reports)} communities"
        stages = (
            Stage("map", mapped - begin, f"{len(told)} reports of level {level}"),
            Stage("reduce", time.perf_counter() - mapped, words),
        )
        return Overviewed(line, level, chosen, Retrieval(_hits(chosen.points), stages))

    def _names(self, kind: Kind, level: int) -> Overviewed | None:
        """The names of a kind that lead the communities of a level, a sentence for each; None without any."""
        begin = time.perf_counter()
        named = most_named(self._store, kind, level, self._sizes_of(level))
        mapped = time.perf_counter()
        told = named_points(self._store, named)
        if not told:
            return None
        points = list(dict.fromkeys(point for _, point in told))
        reports = self._store.reports.some(dict.fromkeys(point.community_id for point in points))
        chosen = Chosen(tuple(points), tuple(reports), len(reports), in_order=True)
        stages = (
            Stage("map", mapped - begin, f"names that lead communities of level {level}"),
            Stage("reduce", time.perf_counter() - mapped, f"{len(points)} sentences of {len(told)} names"),
        )
        line = f"{kind.begin}: {', '.join(one.name for one, _ in told)}."
        found = Retrieval(_hits(points), stages)
        return Overviewed(line, level, chosen, found, tuple(told))

    def _enough(
        self,
        order: Sequence[int],
        choose: Callable[[Sequence[CommunityReport]], Chosen],
        enough: Callable[[Sequence[CommunityReport], Chosen], bool],
    ) -> Chosen:
        """What is chosen from the reports of `order`: read from its beginning, until those that come later
        would change nothing."""
        count = 2 * MOST
        while True:
            reports = self._store.reports.some(order[:count])
            chosen = choose(reports)
            if count >= len(order) or enough(reports, chosen):
                return replace(chosen, asked=len(order))
            count *= 4

    def _nearest_first(self, level: int, told: Sequence[int], vector: NDArray[np.float32]) -> list[int]:
        """Communities by the passage nearest to the question that a statement of their reports quotes."""
        quoted = [pair for pair in self._store.reports.quoted_first(level) if pair[1] in self._rows]
        near = dict.fromkeys(told, -1.0)
        passages = sorted({passage for _, passage in quoted}, key=self._rows.__getitem__)
        cosines = dict(zip(passages, (self._of(passages) @ vector).tolist(), strict=True))
        for community, passage in quoted:
            near[community] = max(near.get(community, -1.0), cosines[passage])
        return sorted(told, key=lambda community: (-near[community], community))

    def _sizes_of(self, level: int) -> Mapping[int, int]:
        """Entities by community; read once, for a snapshot outlives no other hierarchy."""
        if level not in self._sizes:
            self._sizes[level] = {row.key: row.entities for row in self._store.contents.communities(level)}
        return self._sizes[level]

    def _of(self, passages: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages, (n, d); zero for one that the snapshot does not hold."""
        rows = np.array([self._rows.get(id, -1) for id in passages], dtype=np.int64)
        found = np.zeros((len(passages), self._vectors.shape[1]), dtype=np.float32)
        found[rows >= 0] = self._vectors[rows[rows >= 0]]
        return found


def _all_told(read: Sequence[CommunityReport], _: Chosen) -> bool:
    """Whether no report after these is told of: so many have something to say."""
    return sum(bool(report.statements) for report in read) >= MOST


def _all_dated(_: Sequence[CommunityReport], chosen: Chosen) -> bool:
    """Whether no report after these gives a date: each date is another one's."""
    return len(chosen.reports) >= DATES


def _cited(found: Overviewed) -> tuple[CitedCommunity, ...]:
    return tuple(
        CitedCommunity(report.community_id, found.level, report.title) for report in found.chosen.reports
    )


def _written(write: Callable[..., Answer], question: str, author: Author) -> Answer:
    """What the author writes, with its rounds; once more, strictly, where the passages do not carry it.

    The last round has a failure where they do not carry that either. Raises what the author does the first time.
    """
    written, done = _round(write, question, author, 1)
    rounds = [done]
    if done.failure:
        rounds = [replace(done, rewrite=STRICTLY)]
        # Where the server fails now there is nothing but what was not carried: quotes, too.
        with contextlib.suppress(ModelFault, ModelUnavailable):
            written, done = _round(partial(write, strict=True), question, author, 2)
            rounds.append(done)
    return replace(written, trace=replace(written.trace, rounds=tuple(rounds)))


def _round(write: Callable[..., Answer], question: str, author: Author, number: int) -> tuple[Answer, Round]:
    begin = time.perf_counter()
    written = write()
    check = _grounded(written, author)
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


def _grounded(written: Answer, author: Author) -> Validation:
    """Whether the passages carry enough of what was written. A2RAG eq. 3."""
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in written.claims)
    count = len(written.claims)
    share = carried / count if count else 0.0
    words = f"{carried} of {count} sentences are carried by the passages"
    return Validation(GROUNDING, bool(carried) and share >= author.grounding, share, words)


def _of_communities(written: Answer, found: Overviewed) -> tuple[Citation, ...]:
    """The citations, each with the community whose report brought its passage; the same place's first."""
    homes: dict[str, int] = {}
    places: dict[tuple[str, int], int] = {}
    for point in found.chosen.points:
        place = point.statement.citations[0]
        homes.setdefault(place.passage_id, point.community_id)
        places.setdefault((place.passage_id, place.start), point.community_id)
    return tuple(
        replace(c, community=places.get((c.passage_id, c.start), homes.get(c.passage_id)))
        for c in written.citations
    )


def _by_community(chosen: Chosen) -> list[Point]:
    """The points with those of one community together, the communities in their order; or as they were chosen."""
    if chosen.in_order:
        return list(chosen.points)
    order = {report.community_id: at for at, report in enumerate(chosen.reports)}
    return sorted(chosen.points, key=lambda point: order[point.community_id])


def _quoted(
    question: str,
    found: Overviewed,
    route: Route,
    stages: Sequence[Stage],
    candidates: Sequence[Candidate],
) -> Answer:
    """The answer in quotes, community by community: every sentence stands in its passage word for word."""
    points = _by_community(found.chosen)
    hits = _hits(points)
    apart = found.chosen.in_order  # those of one community do not stand together
    citations = tuple(
        replace(point.statement.citations[0], community=None if apart else point.community_id)
        for point in points
    )
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
        sentences=tuple(citation.quote for citation in citations),
        citations=citations,
        evidence=evidence,
        trace=Trace(question, route, tuple(stages), (), heat, hits, sum(s.seconds for s in stages)),
        confidence=1.0,
        communities=_cited(found),
    )


def _hits(points: Sequence[Point]) -> tuple[Hit, ...]:
    """Each passage once, at the place of its first statement, with its nearness to the question."""
    scores: Mapping[str, float] = {
        point.statement.citations[0].passage_id: point.score for point in reversed(points)
    }
    order = dict.fromkeys(point.statement.citations[0].passage_id for point in points)
    return tuple(Hit(id, scores[id], rank) for rank, id in enumerate(order, 1))


def _whys(found: Overviewed) -> dict[str, Why]:
    """Why a passage is shown, where names were asked for: those of which a sentence of it tells."""
    told: dict[str, list[Named]] = {}
    for one, point in found.named:
        told.setdefault(point.statement.citations[0].passage_id, []).append(one)
    return {
        passage: Why(
            f"tells of {' and '.join(one.name for one in named)}",
            entity_ids=tuple(one.id for one in named),
        )
        for passage, named in told.items()
    }


def _evidence(candidate: Candidate, hit: Hit, start: int, why: Why | None) -> Evidence:
    passage = candidate.passage
    inside: list[Sentence] = [s for s in passage.sentences if passage.start + s.start == start]
    return Evidence(hit, passage, candidate.document, inside[0] if inside else None, why)
