"""The second stage: the best candidates of the first are put in a new order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.config import RetrievalConfig
from core.models.cross_encoder import pair_logits
from core.progress import TaskContext
from core.retrieval.query import Query, SecondStage, Signals
from core.retrieval.selection.model import SUFFIX, SelectionModel, load_model
from core.retrieval.selection.selector import Selector
from core.retrieval.selection.wording import Texts
from core.retrieval.view import SnapshotView
from core.text.translation import mark, tr
from core.types import Hit, Retrieval, Stage
from core.types.stages import MOST, Reordered, SecondStageOrder


class CrossEncoderStage:
    """Implement `SecondStage` with a cross-encoder of the person's own, loaded at the first question by one thread."""

    def __init__(self, folder: Path, texts: Texts) -> None:
        """`texts(ids)` gives (title, text) of passages in order."""
        self._folder = folder.expanduser()
        self._texts = texts

    def reorder(
        self, query: Query, hits: Sequence[Hit], k: int, context: TaskContext
    ) -> tuple[tuple[Hit, ...], Signals]:
        """Return the k best of `hits`; scores are the model's in 0..1. Raise ModelUnavailable, Cancelled."""
        if not hits or k <= 0:
            return (), Signals()
        context.check()
        texts = self._texts([hit.passage_id for hit in hits])
        pairs = [(query.text, f"{title}\n{text}") for title, text in texts]
        logits = pair_logits(self._folder, pairs, context)
        # Logits decide, not the scores: these are all 1 for a model that is sure of many.
        order = np.argsort(-logits, kind="stable")[:k].tolist()
        scores = 0.5 * (1.0 + np.tanh(0.5 * logits))
        ranked = (
            replace(hits[at], score=float(scores[at]), rank=rank) for rank, at in enumerate(order, start=1)
        )
        return tuple(ranked), Signals()


def second_stage(
    view: SnapshotView, config: RetrievalConfig, model: SelectionModel | None
) -> SecondStage | None:
    """Return the configured second stage, else that of the trained `model`; None where there is none.

    Raise ModelUnavailable for a file that is no model.
    """
    if config.reranker.endswith(SUFFIX):
        model = load_model(Path(config.reranker).expanduser())
    elif config.reranker:
        return CrossEncoderStage(Path(config.reranker), view.texts)
    return None if model is None else Selector(view.corpus, view.wording, model)


def rerank(
    query: Query, found: Retrieval, second: SecondStage, pool: int, k: int, context: TaskContext
) -> Retrieval:
    """Return the k best passages, of which the best `pool` were reordered by the second stage.

    What lies below the pool keeps the order of the first stage.
    """
    begin = time.perf_counter()
    candidates, below = found.hits[:pool], found.hits[pool:]
    chosen, signals = second.reorder(query, candidates, len(candidates), context)
    hits = append_below(chosen, below)[: max(0, k)]
    moved = sum(
        hit.rank != before.rank or hit.passage_id != before.passage_id
        for hit, before in zip(hits, found.hits, strict=False)
    )
    detail = tr(
        "chose from {pool}, {moved} of {places} places changed",
        pool=len(candidates),
        moved=moved,
        places=len(hits),
    )
    order = _as_order(candidates, chosen, signals, moved)
    stage = Stage(mark("second stage"), time.perf_counter() - begin, detail, order)
    return replace(found, hits=hits, stages=(*found.stages, stage))


def append_below(chosen: Sequence[Hit], below: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the reordered hits, then those below the pool; scores never rise."""
    least = chosen[-1].score if chosen else 1.0
    return (*chosen, *(replace(hit, score=min(hit.score, least)) for hit in below))


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
