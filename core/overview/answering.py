"""Answers a question about all documents from the reports of communities, quote by quote."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.answering.candidate import Candidate
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.overview.choosing import Chosen, choose_points
from core.overview.headline import headline
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.routing.corpuswide import BROAD, corpus_wide
from core.store.store import Store
from core.types import Answer, CitedCommunity, Evidence, Hit, Retrieval, Route, Sentence, Stage, Trace

NONE = "This workspace has no reports of its communities yet."


@dataclass(frozen=True, slots=True)
class Overviewed:
    """What was chosen from the reports of one level, with the line that begins the answer."""

    line: str
    level: int
    chosen: Chosen
    retrieval: Retrieval  # the passages that carry it, in the order of the answer


class Overview:
    """Over the snapshot of a corpus."""

    def __init__(self, store: Store, corpus: Corpus) -> None:
        self._store = store
        self._vectors = corpus.passage_vectors
        self._rows = {id: row for row, id in enumerate(corpus.passage_ids)}

    def answer(
        self,
        question: ParsedQuestion,
        vector: Callable[[], NDArray[np.float32]],
        way: Route,
        candidates: Callable[[Sequence[Hit]], tuple[list[Candidate], Stage]],
        write: Callable[..., Answer] | None,
        context: TaskContext,
    ) -> Answer | None:
        """None for a question about something in particular, unless `way` is forced.

        `candidates` reads the passages of hits; `write` is a language model that answers from them, None
        for quotes. Raises BadInput where the way is forced and there are no reports; what `write` raises.
        """
        begin = time.perf_counter()
        wide = corpus_wide(question.text, question, vector())
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
        if write is None:
            return _quoted(question.text, found, way, stages, read)
        retrieval = replace(found.retrieval, stages=stages)
        written = write(question, vector(), retrieval, way, read, context)
        return replace(written, communities=_cited(found))

    def look(self, question: ParsedQuestion, vector: NDArray[np.float32], broad: bool) -> Overviewed | None:
        """Read the reports of the top level, or for a specific question of the one below; None without any."""
        begin = time.perf_counter()
        levels = self._store.communities.levels()
        level = levels if broad else max(1, levels - 1)
        reports = self._store.reports.of_level(level) if levels else []
        if not reports:
            return None
        sizes = {row.key: row.entities for row in self._store.contents.communities(level)}
        mapped = time.perf_counter()
        chosen = choose_points(reports, sizes, vector, self._of, broad)
        line = headline(question, chosen.reports, reports, sizes, broad)
        told = f"{len(chosen.points)} statements of {len(chosen.reports)} communities"
        stages = (
            Stage("map", mapped - begin, f"{len(reports)} reports of level {level}"),
            Stage("reduce", time.perf_counter() - mapped, told),
        )
        return Overviewed(line, level, chosen, Retrieval(_hits(chosen), stages))

    def _of(self, passages: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages, (n, d); zero for one that the snapshot does not hold."""
        found = np.zeros((len(passages), self._vectors.shape[1]), dtype=np.float32)
        for at, id in enumerate(passages):
            if id in self._rows:
                found[at] = self._vectors[self._rows[id]]
        return found


def _cited(found: Overviewed) -> tuple[CitedCommunity, ...]:
    return tuple(
        CitedCommunity(report.community_id, found.level, report.title) for report in found.chosen.reports
    )


def _quoted(
    question: str,
    found: Overviewed,
    route: Route,
    stages: Sequence[Stage],
    candidates: Sequence[Candidate],
) -> Answer:
    """The answer in quotes: every sentence stands in its passage word for word."""
    points = found.chosen.points
    citations = tuple(point.statement.citations[0] for point in points)
    first = {citation.passage_id: citation for citation in reversed(citations)}
    passages = {candidate.passage.id: candidate for candidate in candidates}
    evidence = tuple(
        _evidence(passages[hit.passage_id], hit, first[hit.passage_id].start)
        for hit in found.retrieval.hits
        if hit.passage_id in passages
    )
    return Answer(
        text=found.line,
        sentences=tuple(citation.quote for citation in citations),
        citations=citations,
        evidence=evidence,
        trace=Trace(
            question, route, tuple(stages), (), {}, found.retrieval.hits, sum(s.seconds for s in stages)
        ),
        confidence=1.0,
        communities=_cited(found),
    )


def _hits(chosen: Chosen) -> tuple[Hit, ...]:
    """Each passage once, at the place of its first statement, with its nearness to the question."""
    scores: Mapping[str, float] = {
        point.statement.citations[0].passage_id: point.score for point in reversed(chosen.points)
    }
    order = dict.fromkeys(point.statement.citations[0].passage_id for point in chosen.points)
    return tuple(Hit(id, scores[id], rank) for rank, id in enumerate(order, 1))


def _evidence(candidate: Candidate, hit: Hit, start: int) -> Evidence:
    passage = candidate.passage
    inside: list[Sentence] = [s for s in passage.sentences if passage.start + s.start == start]
    return Evidence(hit, passage, candidate.document, inside[0] if inside else None)
