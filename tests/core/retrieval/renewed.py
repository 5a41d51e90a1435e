"""The slow way to bring what was read up to date, which the quick one is held against: rows that are gone are left out,
those that came are put in, and all are sorted."""

from __future__ import annotations

from dataclasses import astuple
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges
from core.retrieval.changed_rows import Anew, Encoded, Part
from core.retrieval.snapshot import EntityColumns, Extracted
from core.store.changes import Keys
from core.store.facts import FactColumns

T = TypeVar("T")


def renewed(old: Extracted, anew: Anew) -> Extracted:
    """What `read_extracted` would read now, to the last row, `old` being what it read when the changes began."""
    gone = set(anew.entities.keys.tolist())
    entities = [row for row in old.entities if row.key not in gone]
    rows = sorted([*entities, *anew.entities.rows], key=lambda row: row.key)
    named = set(anew.aliases.keys.tolist())
    aliases = [row for row in old.aliases if row[1] not in named]
    mentions, passages = anew.mentions.rows, anew.mentions.keys
    occurrences = _joined(old.occurrences, old.occurrences[:, 1], passages, mentions.occurrences)
    places = _joined(old.places, old.places[:, 0], passages, mentions.places)
    return Extracted(
        entities=EntityColumns.of([[astuple(row) for row in rows]] if rows else []),
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
