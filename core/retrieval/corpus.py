"""What the retrievers read: one snapshot of a workspace, in arrays, made when its revision changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.index.texts import Ids
from core.index.vector_table import VectorTable


@dataclass(frozen=True, slots=True)
class Corpus:
    """Rows of the passage arrays correspond, as do those of the sentence and of the entity arrays.

    Passages are in the order of `graph.passage_keys`, entities in that of `graph.entity_keys`,
    sentences by passage and place.
    """

    passage_ids: Ids
    passage_vectors: VectorTable
    sentence_vectors: VectorTable
    sentence_passages: NDArray[np.int64]  # (n_sentences,) row of its passage
    sentence_starts: NDArray[np.int64]  # (n_passages + 1,) first sentence row of each passage
    entity_ids: Ids
    entity_names: Sequence[str]
    entity_labels: Sequence[str]  # as spaCy names them; WORK, NOUN, OTHER besides
    entity_rows: Mapping[
        str, tuple[int, ...]
    ]  # normalised name -> rows of all that have it, most mentioned first
    entity_passages: NDArray[np.int64]  # (n_entities,) passages that mention it
    named_starts: NDArray[np.int64]  # (n_sentences + 1,) CSR offsets into `named_entities`
    named_entities: NDArray[np.int64]  # entity rows of each sentence
    graph: KnowledgeGraph


def sentence_entities(
    mentions: NDArray[np.int64], sentences: NDArray[np.int64], sentence_passages: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """CSR lists of the entities that each sentence names, without repetition.

    `mentions` (m, 3): passage row, entity row, start. `sentences` (s, 2): passage row, start,
    sorted. A mention outside every sentence belongs to the nearest one before it, or the first.
    """
    width = int(max(mentions[:, 2].max(initial=0), sentences[:, 1].max(initial=0))) + 1
    places = sentences[:, 0] * width + sentences[:, 1]
    at = np.searchsorted(places, mentions[:, 0] * width + mentions[:, 2], side="right") - 1
    first = np.searchsorted(sentence_passages, mentions[:, 0])
    at = np.maximum(at, first)
    inside = at < len(sentences)
    inside[inside] &= sentence_passages[at[inside]] == mentions[inside, 0]
    # One number for each pair: they are sorted far sooner than rows.
    count = int(mentions[:, 1].max(initial=0)) + 1
    pairs = np.sort(at[inside] * count + mentions[inside, 1])
    own, entities = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], count)
    return np.searchsorted(own, np.arange(len(sentences) + 1)).astype(np.int64), entities
