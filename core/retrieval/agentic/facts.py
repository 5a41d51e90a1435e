"""Facts as the agentic retriever walks them: edges by entity, and what each says, read when it is needed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.store.facts import FactColumns, FactText

Rows = NDArray[np.int64]
Tell = Callable[[Sequence[int]], Mapping[int, FactText]]
Stems = Callable[[str], frozenset[str]]

_REMEMBERED = 20_000  # facts whose words are kept


@dataclass(frozen=True, slots=True)
class FactEdges:
    """Every fact twice, once from each end, sorted by that end and then by falling strength.

    Entity rows are those of the `Corpus`. This is the graph with inverse edges of A2RAG III-C.2.
    """

    starts: Rows  # (n_entities + 1,) CSR offsets
    others: Rows  # (m,) entity row at the other end
    keys: Rows  # (m,) fact keys of the store

    def of(self, entity: int, most: int) -> slice:
        """Where an entity's facts stand, the strongest `most` of them."""
        first = int(self.starts[entity])
        return slice(first, min(int(self.starts[entity + 1]), first + most))

    def degree(self, entity: int) -> int:
        return int(self.starts[entity + 1] - self.starts[entity])


def fact_edges(graph: KnowledgeGraph, columns: FactColumns) -> FactEdges:
    """The facts whose two ends are entities of the graph; one from an entity to itself leads nowhere."""
    held = np.isin(columns.subjects, graph.entity_keys) & np.isin(columns.objects, graph.entity_keys)
    held &= columns.subjects != columns.objects
    subjects = np.searchsorted(graph.entity_keys, columns.subjects[held])
    objects = np.searchsorted(graph.entity_keys, columns.objects[held])
    ends, others = np.concatenate([subjects, objects]), np.concatenate([objects, subjects])
    keys, strengths = np.tile(columns.keys[held], 2), np.tile(columns.strengths[held], 2)
    order = np.lexsort((keys, -strengths, ends))
    starts = np.searchsorted(ends[order], np.arange(graph.n_entities + 1))
    return FactEdges(starts.astype(np.int64), others[order].astype(np.int64), keys[order].astype(np.int64))


@dataclass(frozen=True, slots=True)
class FactWords:
    """What a fact says: in words, as stems, and the passages that say so (ids, surest first)."""

    key: int
    words: str  # "Otto Kask born in Tartu"
    stems: frozenset[str]  # of the predicate and what it says of the subject
    clause: frozenset[str]  # stems of the clauses it was read from, which may tell other facts, too
    predicate: str
    passages: tuple[str, ...]


class FactReader:
    """Reads facts on demand and remembers them. Safe from several threads."""

    def __init__(self, tell: Tell, stems: Stems) -> None:
        self._tell = tell
        self._stems = stems
        self._known: OrderedDict[int, FactWords] = OrderedDict()
        self._lock = Lock()

    def read(self, keys: Sequence[int]) -> dict[int, FactWords]:
        """The facts by key, in the order asked; those that are gone are left out."""
        with self._lock:
            missing = [key for key in dict.fromkeys(keys) if key not in self._known]
            for key, fact in self._tell(missing).items() if missing else ():
                self._known[key] = _worded(fact, self._stems)
            found = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found


def _worded(fact: FactText, stems: Stems) -> FactWords:
    clause: frozenset[str] = frozenset().union(*(stems(words) for _, words in fact.clauses))
    return FactWords(
        key=fact.key,
        words=" ".join(f"{fact.subject} {fact.predicate} {fact.object}".split()),
        stems=stems(f"{fact.predicate} {fact.object}"),
        clause=clause,
        predicate=fact.predicate,
        passages=tuple(dict.fromkeys(passage for passage, _ in fact.clauses)),
    )
