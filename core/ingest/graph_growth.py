"""The graph as it grows during one run, kept only to show it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.types import Growth

_GROWTH = 4 / 3
_FIRST = 60  # entities before communities are worth computing
_LAST = 50_000  # entities: more are not shown while they come, and Leiden takes minutes on ten times as many


class GraphGrowth:
    """Collects nodes and edges; `take` hands over what is new since the last time."""

    def __init__(self) -> None:
        self.passages = 0
        self._rows: dict[str, int] = {}
        self._edges: dict[tuple[int, int], float] = {}
        self._new_nodes: list[tuple[str, str, str]] = []
        self._new_edges: list[tuple[str, str]] = []
        self._settled = 0

    def add(self, nodes: list[tuple[str, str, str]], edges: list[tuple[str, str]]) -> None:
        for node in nodes:
            if node[0] not in self._rows:
                self._rows[node[0]] = len(self._rows)
                self._new_nodes.append(node)
        for left, right in edges:
            pair = (self._rows[left], self._rows[right])
            if pair not in self._edges:
                self._new_edges.append((left, right))
            self._edges[pair] = self._edges.get(pair, 0.0) + 1.0

    def grown_enough(self) -> bool:
        return self.shown and len(self._rows) >= max(_FIRST, self._settled * _GROWTH)

    @property
    def shown(self) -> bool:
        """Whether it is small enough for communities while it grows."""
        return len(self._rows) <= _LAST

    def arrays(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64]]:
        """Ids, edges (m, 2) and weights (m,) of all that was collected."""
        self._settled = len(self._rows)
        ends = np.array(list(self._edges), dtype=np.int64).reshape(-1, 2)
        return list(self._rows), ends, np.array(list(self._edges.values()))

    def take(self, communities: dict[str, int]) -> Growth:
        growth = Growth(
            nodes=tuple(self._new_nodes),
            edges=tuple(self._new_edges),
            documents=0,
            passages=self.passages,
            entities=len(self._rows),
            facts=len(self._edges),
            communities=communities,
        )
        self._new_nodes, self._new_edges = [], []
        return growth
