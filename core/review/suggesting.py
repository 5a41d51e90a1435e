"""Pairs of names that may be one entity: what rules nearly merged, and what is near in meaning."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile

from core.extraction.entity_resolution import conflict
from core.extraction.name_parts import Name
from core.store.name_changes import PossibleMerge
from core.store.store import Store
from core.types import NameMerge

CANDIDATES = 0.95  # cosine of two names above which they are put to a model. Deep GraphRAG 2.1.1
_INDISTINCT = 1 - 1e-6  # cosine from which on an encoder reads the same: it knows none of what differs


def suggestions(store: Store, limit: int) -> list[NameMerge]:
    """Those of entities that are two now, without those that somebody decided on, the surest first.

    Rules come before vectors: "North" and "South" lie near each other. One pair of each two entities.
    """
    pairs = chain(store.name_changes.nearly_merged(), filter(_agree, store.name_changes.near_in_meaning()))
    return [pair.merge for pair, _ in zip(_open(store, pairs), range(limit), strict=False)]


def candidates(store: Store) -> Iterator[PossibleMerge]:
    """Of these the pairs whose names are nearly the same in meaning, the nearest first; each name among its nearest
    neighbours alone."""
    near = takewhile(lambda pair: pair.merge.score > CANDIDATES, store.name_changes.near_in_meaning())
    return _open(store, filter(_agree, near))


def _open(store: Store, pairs: Iterator[PossibleMerge]) -> Iterator[PossibleMerge]:
    """The first pair of each two entities of which nobody said that they are two, by whatever names."""
    excluded = store.name_changes.kept_apart()
    for pair in pairs:
        if pair.entities not in excluded:
            excluded.add(pair.entities)
            yield pair


def _agree(pair: PossibleMerge) -> bool:
    """Whether nothing in the names themselves says that they are two. Homonyms are told apart by their documents."""
    one, other = Name(0, *pair.one), Name(1, *pair.other)
    if one.sense or other.sense or pair.merge.score >= _INDISTINCT:
        return False
    return one.kind == other.kind and _numbered(one) == _numbered(other) and not conflict(one, other)


def _numbered(name: Name) -> frozenset[str]:
    """Words with a digit: of dates, editions, parts and models."""
    return frozenset(word for word in name.words if any(letter.isdigit() for letter in word))
