"""Keeps entities in step with the names: only those that share a block with a changed name are compared again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from core.extraction.entity_resolution import decide
from core.extraction.name_blocks import blocks, looked_into, needs_company
from core.extraction.name_clusters import PERSON_RULE, Edge, cluster_names
from core.extraction.names import EMAIL, PERSON, NamedEntity, words_of
from core.extraction.short_forms import Context, Merge
from core.extraction.titles import untitled
from core.graph.synonymy import UNLINKED
from core.progress import TaskContext
from core.store.names import NameRow, Resolution
from core.store.store import Store
from core.text.translation import tr
from core.types.kinds import SENSE

_CERTAIN = 2.0  # above every rule's score
_AT_ONCE = 500  # names a transaction
_USED = 0.05  # of the mentions of the most frequent name: least that a full name needs to stand for all


class Resolver:
    """Decides which names are one entity. What people said overrules every rule."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._contexts: dict[int, Context] = {}
        self._names: dict[int, NameRow] = {}
        self._known: dict[int, set[int]] = {}  # merges of changed names as they were

    def resolve(self, touched: NDArray[np.int64], context: TaskContext) -> None:
        """Bring merges and heads of the touched names, and of all they hang together with, in step."""
        changed = [int(key) for key in touched]
        around = self._around(changed)
        self._known = {key: self._store.resolution.partners(key) for key in changed}
        present = [row for key in changed if (row := self._name(key)) is not None]
        named = {row.key: _name(row) for row in present if row.label not in UNLINKED}
        for first in range(0, len(present), _AT_ONCE):
            part = present[first : first + _AT_ONCE]
            self._store.resolution.set_blocks(
                {row.key: blocks(named[row.key]) if row.key in named else () for row in part}
            )
        edges: dict[tuple[int, int], Edge] = {}
        for number, name in enumerate(named.values()):
            context.report("entities", number, len(named))
            for edge in self._merges(name):
                edges[edge[:2]] = edge
        self._store.resolution.set_merges(changed, edges.values())
        self._settle_heads(around | self._around(changed))

    def _around(self, keys: Iterable[int]) -> set[int]:
        """These names with the heads, followers and partners of each."""
        found: set[int] = set()
        for key in keys:
            row = self._name(key)
            if row is not None:
                found |= {key, row.head} | self._store.resolution.followers(row.head)
                found |= self._store.resolution.partners(key)
        return found

    def _merges(self, name: NamedEntity) -> Iterable[Edge]:
        others = self._partners(name)
        decisions = self._store.resolution.decided(name.normal)
        for normal, verdict in decisions.items():
            key = self._store.resolution.key_of(normal)
            if key is not None and verdict == "same":
                yield (min(name.key, key), max(name.key, key), PERSON_RULE, tr("somebody said so"), _CERTAIN)
        for key in sorted(others):
            row = self._name(key)
            if row is None or row.label in UNLINKED or row.normal in decisions:
                continue
            near = partial(self._cosine, name.key, key)
            found = decide(name, _name(row), self._context(name.key), self._context(key), near)
            if found is not None:
                yield _edge(name.key, key, found)

    def _partners(self, name: NamedEntity) -> set[int]:
        """Names that `name` may be one with. A name that shares no document is not looked at for long."""
        alike: set[int] = set()
        near: set[int] = set()
        for block in looked_into(name):
            (near if needs_company(block) else alike).update(self._store.resolution.members(block))
        # A short form finds its long one; the other way, only what was found before is looked at again.
        alike |= self._store.resolution.bracketed_before(name.key) | self._known.get(name.key, set())
        near -= alike | {name.key}
        if near:
            alike |= self._store.resolution.sharing(near, self._context(name.key).documents)
        return alike - {name.key}

    def _settle_heads(self, keys: set[int]) -> None:
        waiting, heads = set(keys), {}
        while waiting:
            component = self._component(waiting.pop())
            waiting -= component
            for cluster in self._clusters(sorted(component)):
                rows = [row for key in cluster if (row := self._name(key)) is not None]
                head = _head(rows)
                heads.update({row.key: head.key for row in rows})
        self._store.resolution.set_heads(heads)

    def _component(self, start: int) -> set[int]:
        found, waiting = {start}, [start]
        while waiting:
            for other in self._store.resolution.partners(waiting.pop()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return found

    def _clusters(self, component: Sequence[int]) -> list[set[int]]:
        rows = {key: row for key in component if (row := self._name(key)) is not None}
        names = {key: _name(row) for key, row in rows.items()}
        if len(names) < 2:
            return [{key} for key in names]
        mentions = {key: row.mentions for key, row in rows.items()}
        return cluster_names(
            names, mentions, self._store.resolution.merges_among(component), self._apart(names)
        )

    def _apart(self, names: dict[int, NamedEntity]) -> set[tuple[int, int]]:
        """Pairs of which somebody said that they are two."""
        keys = {name.normal: key for key, name in names.items()}
        found = set()
        for key, name in names.items():
            for normal, verdict in self._store.resolution.decided(name.normal).items():
                if verdict == "different" and normal in keys:
                    found.add((min(key, keys[normal]), max(key, keys[normal])))
        return found

    def _name(self, key: int) -> NameRow | None:
        if key not in self._names:
            self._names.update(self._store.resolution.names([key]))
        return self._names.get(key)

    def _cosine(self, one: int, other: int) -> float:
        """Of the names' vectors, -1 where one has none."""
        vectors = self._store.embeddings.get("entity", [one, other])
        return float(vectors[one].ravel() @ vectors[other].ravel()) if len(vectors) == 2 else -1.0

    def _context(self, key: int) -> Context:
        if key not in self._contexts:
            self._contexts[key] = _Context(self._store.resolution, key)
        return self._contexts[key]


class _Context:
    """Where a name stands, read when it is asked for: nearly always the words decide."""

    def __init__(self, resolution: Resolution, key: int) -> None:
        self._resolution = resolution
        self._key = key

    @cached_property
    def documents(self) -> Set[int]:
        return self._resolution.documents(self._key)

    @cached_property
    def passages(self) -> Set[int]:
        return self._resolution.passages(self._key)

    @cached_property
    def defines(self) -> Set[int]:
        return self._resolution.bracketed_behind(self._key)


def _head(rows: Sequence[NameRow]) -> NameRow:
    """An entity goes by what somebody called it, else by its most frequent full name, not by a surname, initials, an
    address or a name written surname first where it has one.

    One that is hardly ever used is none: "Little Katrine" of a hundred Katrines.
    """
    fewest = max(row.mentions for row in rows) * _USED
    people = any(_name(row).kind == PERSON for row in rows)

    def order(row: NameRow) -> tuple[int, bool, bool, int, str]:
        words = untitled(words_of(row.normal))
        full = not people or (sum(len(word) > 1 for word in words) > 1 and not _name(row).inverted)
        return (
            -row.decided,
            SENSE in row.normal,
            not full or row.label == EMAIL or row.mentions < fewest,
            -row.mentions,
            row.normal,
        )

    return min(rows, key=order)


def _name(row: NameRow) -> NamedEntity:
    return NamedEntity(row.key, row.normal, row.label)


def _edge(one: int, other: int, merge: Merge) -> Edge:
    return min(one, other), max(one, other), merge.rule, merge.reason, merge.score
