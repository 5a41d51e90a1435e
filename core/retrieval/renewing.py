"""What a snapshot is made of, brought from an earlier state of the workspace to the present one by reading only what
changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges
from core.retrieval.snapshot import Extracted
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


def renewed(old: Extracted, anew: Anew) -> Extracted:
    """What `read_extracted` would read now, to the last row, `old` being what it read when the changes began."""
    gone = set(anew.entities.keys.tolist())
    entities = [row for row in old.entities if row.key not in gone]
    named = set(anew.aliases.keys.tolist())
    aliases = [row for row in old.aliases if row[1] not in named]
    mentions, passages = anew.mentions.rows, anew.mentions.keys
    occurrences = _joined(old.occurrences, old.occurrences[:, 1], passages, mentions.occurrences)
    places = _joined(old.places, old.places[:, 0], passages, mentions.places)
    return Extracted(
        entities=tuple(sorted([*entities, *anew.entities.rows], key=lambda row: row.key)),
        aliases=tuple(sorted([*aliases, *anew.aliases.rows])),
        occurrences=occurrences[np.lexsort((occurrences[:, 1], occurrences[:, 0]))],
        places=places[np.argsort(places[:, 0], kind="stable")],  # of a passage all are old, or all are new
        facts=_renewed_facts(old.facts, anew.facts),
        synonyms=_renewed_edges(old.synonyms, anew.synonyms),
    )


def renewed_owners(
    old: tuple[tuple[int, str, int], ...], anew: Part[tuple[tuple[int, str, int], ...]]
) -> tuple[tuple[int, str, int], ...]:
    """Likewise of the passages' keys, ids and documents."""
    gone = set(anew.keys.tolist())
    return tuple(sorted([*(row for row in old if row[0] not in gone), *anew.rows]))


def renewed_encoded(old: Encoded, anew: Part[Encoded]) -> Encoded:
    """Likewise of sentences and vectors."""
    rows, keys = anew.rows, anew.keys
    starts = _joined(old.starts, old.starts[:, 0], keys, rows.starts)
    passages = _joined(old.passages, old.passages, keys, rows.passages)
    vectors = _joined(old.vectors, old.passages, keys, rows.vectors)
    sentences = _joined(old.sentences, old.sentences, keys, rows.sentences)
    own = _joined(old.sentence_vectors, old.sentences, keys, rows.sentence_vectors)
    by_passage, by_sentence = np.argsort(passages, kind="stable"), np.argsort(sentences, kind="stable")
    return Encoded(
        starts[np.argsort(starts[:, 0], kind="stable")],
        passages[by_passage],
        vectors[by_passage],
        sentences[by_sentence],
        own[by_sentence],
    )


def _renewed_facts(old: FactColumns, anew: Part[FactColumns]) -> FactColumns:
    rows, gone = anew.rows, anew.keys
    keys = _joined(old.keys, old.keys, gone, rows.keys)
    order = np.argsort(keys)
    return FactColumns(
        keys[order],
        _joined(old.subjects, old.keys, gone, rows.subjects)[order],
        _joined(old.objects, old.keys, gone, rows.objects)[order],
        _joined(old.strengths, old.keys, gone, rows.strengths)[order],
    )


def _renewed_edges(old: Edges, anew: Part[Edges]) -> Edges:
    stays = ~np.isin(old.ends, anew.keys).any(axis=1)
    pairs = np.concatenate([old.ends[stays], anew.rows.ends])
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return Edges(pairs[order], np.concatenate([old.weights[stays], anew.rows.weights])[order])


def _joined(old: NDArray[T], owners: Keys, gone: Keys, added: NDArray[T]) -> NDArray[T]:  # type: ignore[type-var]
    """Rows whose owner stays, then those that came."""
    return np.concatenate([old[~np.isin(owners, gone)], added])
