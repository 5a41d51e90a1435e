"""Passages that were found, with all that an answer is made from; and what no passage holds."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import numpy as np

from core.answering.candidate import Candidate
from core.extraction.question import ParsedQuestion
from core.index.lexical import quoted
from core.store.inside import Inside
from core.store.store import Store
from core.translation import either, mark, tr, trn
from core.types import Hit, Stage
from core.types.stages import MOST, Packed, Packing

_NUMBER = re.compile(r"\d[\d.,]*\d")


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
    given = tuple(Packed(c.passage.id, c.hit.rank, len(c.passage.text)) for c in candidates[:MOST])
    packing = Packing("reader", given, count, count)
    return candidates, Stage(mark("read"), spent, trn("{count} passage", "{count} passages", count), packing)


def holding(store: Store, words: Sequence[str], inside: Inside | None = None) -> list[int]:
    """How many passages hold each of the words."""
    return store.passages.holding([quoted(word) for word in words], inside)


def absent_words(store: Store, question: ParsedQuestion, inside: Inside | None = None) -> str:
    """The names and numbers of a question that no document holds, in words; "" where each is held.

    `inside`: that no passage in scope holds.
    """
    names = [name.text for name in question.names if len(name.text) > 2]
    names += [found for found in _NUMBER.findall(question.text) if not any(found in name for name in names)]
    held = holding(store, names, inside) if names else []
    absent = [f"“{name}”" for name, passages in zip(names, held, strict=True) if not passages]
    if not absent:
        return ""
    if inside is not None:
        return tr("Nothing in the scope holds {names}.", names=either(absent[:3]))
    return tr("No document holds {names}: check how it is written.", names=either(absent[:3]))
