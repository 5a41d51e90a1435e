"""A retriever whose best candidates are chosen again by a second stage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from core.progress import TaskContext
from core.protocols import Retriever, SecondStage, Signals, TellingStage
from core.text.translation import mark, tr
from core.types import Hit, Retrieval, Stage
from core.types.stages import MOST, Reordered, SecondStageOrder


def followed(chosen: Sequence[Hit], below: Sequence[Hit]) -> tuple[Hit, ...]:
    """What was chosen anew, then those that were not looked at; scores never rise."""
    least = chosen[-1].score if chosen else 1.0
    return (*chosen, *(replace(hit, score=min(hit.score, least)) for hit in below))


class RerankedRetriever:
    """The first stage finds widely, the second puts the few that are read in order."""

    def __init__(self, first: Retriever, second: SecondStage, pool: int) -> None:
        """`pool` candidates are chosen from; what lies below keeps the order of the first stage."""
        self._first = first
        self._second = second
        self._pool = pool

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        found = self._first.retrieve(question, max(k, self._pool), context)
        begin = time.perf_counter()
        pool, below = found.hits[: self._pool], found.hits[self._pool :]
        chosen, signals = self._reordered(question, pool, context)
        hits = followed(chosen, below)[: max(0, k)]
        moved = sum(
            hit.rank != before.rank or hit.passage_id != before.passage_id
            for hit, before in zip(hits, found.hits, strict=False)
        )
        spent = time.perf_counter() - begin
        detail = tr(
            "chose from {pool}, {moved} of {places} places changed",
            pool=len(pool),
            moved=moved,
            places=len(hits),
        )
        order = _as_order(pool, chosen, signals, moved)
        stage = Stage(mark("second stage"), spent, detail, order)
        return replace(found, hits=hits, stages=(*found.stages, stage))

    def _reordered(
        self, question: str, pool: tuple[Hit, ...], context: TaskContext
    ) -> tuple[tuple[Hit, ...], Signals]:
        """The pool anew, with what decided where the second stage tells it."""
        if isinstance(self._second, TellingStage):
            return self._second.reorder_telling(question, pool, len(pool), context)
        return self._second.reorder(question, pool, len(pool), context), Signals()


def _as_order(
    pool: tuple[Hit, ...], chosen: tuple[Hit, ...], signals: Signals, moved: int
) -> SecondStageOrder:
    before = {hit.passage_id: hit for hit in pool}
    passages = (
        Reordered(
            hit.passage_id,
            before[hit.passage_id].rank,
            hit.rank,
            before[hit.passage_id].score,
            hit.score,
            signals.values.get(hit.passage_id, ()),
        )
        for hit in chosen[:MOST]
    )
    return SecondStageOrder(signals.names, tuple(passages), moved, len(pool))
