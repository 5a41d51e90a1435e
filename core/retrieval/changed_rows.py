"""The rows that a snapshot is made of, of what changed since an earlier one and of nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges
from core.store.changes import ChangedKeys, Keys
from core.store.entities import EntityRow
from core.store.facts import FactColumns
from core.store.store import Store

T = TypeVar("T")
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Mentions:
    occurrences: Rows  # (n, 3): entity key, passage key, count; sorted
    places: Rows  # (n, 3): passage key, entity key, start; by passage and name
    sentences: Rows  # (n, 2): passage key, start of a sentence; by passage and place


@dataclass(frozen=True, slots=True)
class Encoded:
    """Sentences and vectors of passages; whoever is not encoded yet has sentences alone."""

    starts: Rows  # (n, 2): passage key, start; by passage and place
    passages: Keys  # (m,) ascending
    vectors: NDArray[np.float32]  # (m, d)
    sentences: Keys  # (s,) passage of each vector of a sentence, ascending
    sentence_vectors: NDArray[np.float32]  # (s, d)


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """Rows that stand in place of all that `keys`, (n,) and ascending, had before; of those that are gone, none."""

    keys: Keys
    rows: T


@dataclass(frozen=True, slots=True)
class Anew:
    """All that changed, as it stands now. `Extracted` tells the order of the rows.

    Whoever is read anew as an entity is as a name, and a passage with other vectors as one that mentions others, too.
    """

    entities: Part[tuple[EntityRow, ...]]
    aliases: Part[tuple[tuple[str, int], ...]]  # keys of their entities
    synonyms: Part[Edges]  # keys of entities: every edge at an end of which one stands
    mentions: Part[Mentions]  # keys of passages
    facts: Part[FactColumns]
    passages: Part[tuple[tuple[int, str, int], ...]]  # key, id, key of the document
    encoded: Part[Encoded]  # keys of passages


def read_anew(store: Store, changed: ChangedKeys, synonymy: bool = True) -> Anew:
    """Read, all of one moment, what stands under the keys that changed; without synonyms where they are not wanted."""
    with store.database.at_one_moment():
        named = np.union1d(changed.entities, changed.names)
        heads = list(store.entities.heads(changed.synonyms.tolist()).values())
        near = np.union1d(named, np.array(heads, dtype=np.int64))
        own = np.union1d(changed.passages, changed.vectors)
        mentioning = np.union1d(changed.mentions, store.entities.passages_naming(changed.heads))
        mentioning = np.union1d(mentioning, own)
        facts = np.union1d(changed.facts, store.facts.of_names(changed.heads))
        return Anew(
            entities=Part(named, tuple(store.entities.rows(named))),
            aliases=Part(named, tuple(store.entities.aliases(named))),
            synonyms=Part(near, Edges(*store.synonyms.edges(near if synonymy else ()))),
            mentions=Part(
                mentioning,
                Mentions(
                    store.entities.occurrences(mentioning),
                    store.entities.places(mentioning),
                    store.passages.sentence_starts(mentioning),
                ),
            ),
            facts=Part(facts, store.facts.columns(facts)),
            passages=Part(own, tuple(store.passages.owners(own))),
            encoded=Part(own, read_encoded(store, own)),
        )


def read_encoded(store: Store, passages: Keys | None = None) -> Encoded:
    """Of all passages, or of these."""
    return Encoded(
        store.passages.sentence_starts(passages),
        *store.embeddings.all("passage", passages),
        *store.embeddings.all("sentence", passages),
    )
