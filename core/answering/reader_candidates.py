"""Passages that were found, with all that an answer is made from."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from core.answering.candidate import Candidate
from core.store.store import Store
from core.text.translation import mark, trn
from core.types import Hit, Stage
from core.types.stages import MOST, Packed, Packing


def read_candidates(store: Store, hits: Sequence[Hit]) -> tuple[list[Candidate], Stage]:
    """Each hit with its passage, document, vectors, mentions and pages, and the stage that read them."""
    begin = time.perf_counter()
    stored = [store.passages.get(hit.passage_id) for hit in hits]
    vectors = store.embeddings.get("sentence", [item.key for item in stored])
    dimension = store.embeddings.dimension
    candidates = [
        Candidate(
            hit=hit,
            passage=item.passage,
            document=item.path,
            vectors=vectors.get(item.key, np.zeros((len(item.passage.sentences), dimension), np.float32)),
            mentions=tuple(store.entities.mentions_of_passage(item.key)),
            pages=tuple(store.documents.pages(item.passage.document_id)),
        )
        for hit, item in zip(hits, stored, strict=True)
    ]
    spent, count = time.perf_counter() - begin, len(candidates)
    packed = tuple(Packed(c.passage.id, c.hit.rank, len(c.passage.text)) for c in candidates[:MOST])
    packing = Packing("reader", packed, count, count)
    return candidates, Stage(mark("read"), spent, trn("{count} passage", "{count} passages", count), packing)
