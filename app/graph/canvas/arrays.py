"""The drawn graph as arrays that grow: what is where, who touches whom, and what colours and sizes mean. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Rows = NDArray[np.intp]
T = TypeVar("T", bound=np.generic)
FACT, TIE = -1, -2  # kinds of edges beside rows of EDGE_KINDS: of facts, and of what only stands together


def _with_room(array: NDArray[T], needed: int) -> NDArray[T]:
    """Return the array itself, or a copy with room for at least `needed` rows (amortised doubling)."""
    if needed <= len(array):
        return array
    larger = np.zeros((max(needed, 2 * len(array), 256), *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


class GraphArrays:
    """n nodes and m edges. Rows of `ids`, `names` and of all node arrays correspond.

    The array properties are views of the live rows: write into them, never keep them across a growth.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove all nodes and edges."""
        self.ids: list[str] = []
        self.names: list[str] = []
        self.row: dict[str, int] = {}
        self.edge_count = 0
        self._xy = np.zeros((0, 2), np.float32)
        self._community = np.zeros(0, np.int32)
        self._category = np.zeros(0, np.int32)
        self._level = self._size = np.zeros(0, np.float32)
        self._degree = np.zeros(0, np.int32)
        self._radius = np.zeros(0, np.float32)
        self._members = np.zeros(0, np.int32)
        self._edges = np.zeros((0, 2), np.int32)
        self._facts = np.zeros(0, np.int32)
        self._kinds = np.zeros(0, np.int8)
        self._strengths = np.zeros(0, np.float32)
        self.grouped = False
        self.frame: Floats = np.zeros((0, 2), np.float32)
        self._folded: list[str] = []
        self._adjacency: tuple[int, int, Ints, Ints] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def xy(self) -> Floats:
        """Return positions in data units, shape (n, 2)."""
        return self._xy[: len(self)]

    @property
    def community(self) -> Ints:
        """Return community numbers, shape (n,); negative for none."""
        return self._community[: len(self)]

    @property
    def category(self) -> Ints:
        """Return the colour numbers of nodes, shape (n,); negative for none. By default the communities."""
        return self._category[: len(self)]

    @property
    def level(self) -> Floats:
        """Return where nodes lie on the scale of colours, 0..1, shape (n,); NaN: coloured by category."""
        return self._level[: len(self)]

    @property
    def size(self) -> Floats:
        """Return how large nodes are, 0..1, shape (n,); NaN: by their degree."""
        return self._size[: len(self)]

    @property
    def degree(self) -> Ints:
        """Return degrees, shape (n,)."""
        return self._degree[: len(self)]

    @property
    def radius(self) -> Floats:
        """Return the radii of nodes that stand for many, in data units, shape (n,); 0 for single nodes."""
        return self._radius[: len(self)]

    @property
    def members(self) -> Ints:
        """Return how many each node stands for, shape (n,); 1 for single nodes."""
        return self._members[: len(self)]

    @property
    def edges(self) -> Ints:
        """Return pairs of rows, shape (m, 2)."""
        return self._edges[: self.edge_count]

    @property
    def facts(self) -> Ints:
        """Return how many edges each edge stands for, shape (m,)."""
        return self._facts[: self.edge_count]

    @property
    def kinds(self) -> NDArray[np.int8]:
        """Return rows of EDGE_KINDS for derived edges, FACT and TIE for others, shape (m,)."""
        return self._kinds[: self.edge_count]

    @property
    def strengths(self) -> Floats:
        """Return how strong edges are, shape (m,): 1 for a fact that one sure sentence states; at least the number of
        edges that each stands for."""
        return np.maximum(self._strengths[: self.edge_count], self.facts)

    def append_nodes(
        self, ids: Sequence[str], names: Sequence[str], community: ArrayLike, degree: ArrayLike, xy: ArrayLike
    ) -> None:
        """Add nodes whose ids are all new."""
        first, needed = len(self.ids), len(self.ids) + len(ids)
        self._xy, self._community = _with_room(self._xy, needed), _with_room(self._community, needed)
        self._degree, self._category = _with_room(self._degree, needed), _with_room(self._category, needed)
        self._level, self._size = _with_room(self._level, needed), _with_room(self._size, needed)
        fresh = slice(first, needed)
        self._xy[fresh], self._community[fresh], self._degree[fresh] = xy, community, degree
        self._category[fresh] = self._community[fresh]
        self._level[fresh] = self._size[fresh] = np.nan
        self._radius, self._members = _with_room(self._radius, needed), _with_room(self._members, needed)
        self._radius[fresh], self._members[fresh] = 0.0, 1
        self.row.update(zip(ids, range(first, needed), strict=True))
        self.ids.extend(ids)
        self.names.extend(names)

    def append_edges(
        self,
        pairs: ArrayLike,
        count_degrees: bool,
        kinds: NDArray[np.int8] | None = None,
        strengths: Floats | None = None,
    ) -> None:
        """Add edges, shape (k, 2), as rows; `count_degrees` lets them raise the degrees of their ends.

        `kinds`, shape (k,): of edges that follow from others, FACT, TIE; None for facts. `strengths` (k,); None: all 1.
        """
        fresh = np.asarray(pairs, np.int32).reshape(-1, 2)
        needed = self.edge_count + len(fresh)
        self._edges = _with_room(self._edges, needed)
        self._edges[self.edge_count : needed] = fresh
        self._facts = _with_room(self._facts, needed)
        self._facts[self.edge_count : needed] = 1
        self._kinds = _with_room(self._kinds, needed)
        self._kinds[self.edge_count : needed] = FACT if kinds is None else kinds
        self._strengths = _with_room(self._strengths, needed)
        self._strengths[self.edge_count : needed] = 1.0 if strengths is None else strengths
        self.edge_count = needed
        if count_degrees and len(fresh):
            np.add.at(self._degree, fresh.ravel(), 1)

    def set_groups(self, radii: ArrayLike, members: ArrayLike, facts: ArrayLike, frame: Floats) -> None:
        """Set which nodes and edges stand for many: radii and members (n,), facts (m,).

        `frame`: corners of a box that belongs to the bounds, shape (2, 2).
        """
        self.radius[:], self.members[:], self.facts[:] = radii, members, facts
        self.frame = frame
        self.grouped = bool((self.radius > 0).any())

    def set_tint(
        self, categories: ArrayLike | None, levels: ArrayLike | None, sizes: ArrayLike | None
    ) -> None:
        """Set what colours and sizes show, (n,) each; None: the default."""
        if levels is not None:
            self.level[:], self.category[:] = levels, -1
        elif categories is not None:
            self.category[:] = categories
        if sizes is not None:
            self.size[:] = sizes

    def _lists(self) -> tuple[Ints, Ints]:
        """Incident edges of node i: `order[start[i]:start[i + 1]]`, start of shape (n + 1,)."""
        key = (len(self), self.edge_count)
        if self._adjacency is None or self._adjacency[:2] != key:
            ends = self.edges.T.ravel()
            by_end = np.argsort(ends.astype(np.uint16), kind="stable")
            if len(self) > 1 << 16:  # of 16 bits it sorts by radix, five times as fast
                by_end = by_end[np.argsort((ends >> 16).astype(np.uint16)[by_end], kind="stable")]
            order: Ints = by_end.astype(np.int32)
            start = np.zeros(len(self) + 1, np.int32)
            np.cumsum(np.bincount(ends, minlength=len(self)), out=start[1:])
            self._adjacency = (*key, order % max(self.edge_count, 1), start)
        return self._adjacency[2], self._adjacency[3]

    def incident(self, row: int) -> Ints:
        """Return the numbers of the edges at a node."""
        order, start = self._lists()
        return order[start[row] : start[row + 1]]

    def neighbours(self, row: int) -> Ints:
        """Return the rows of the nodes next to a node, sorted, without itself."""
        ends = np.unique(self.edges[self.incident(row)])
        others: Ints = ends[ends != row]
        return others

    def edges_within(self, mask: NDArray[np.bool_]) -> Rows:
        """Return the numbers of the edges with both ends in the mask, shape (n,)."""
        return np.flatnonzero(mask[self.edges[:, 0]] & mask[self.edges[:, 1]])

    def rows_of(self, ids: Sequence[str]) -> Rows:
        """Return the rows of known ids; others are left out."""
        found = (self.row.get(id) for id in ids)
        return np.array([row for row in found if row is not None], dtype=np.intp)

    def find(self, text: str, limit: int = 50) -> list[str]:
        """Return ids whose name begins with the text, then those that contain it; best connected first."""
        self._folded.extend(name.casefold() for name in self.names[len(self._folded) :])
        return [self.ids[row] for row in match_names(self._folded, self.degree, text, limit)]

    def recolour(self, communities: Mapping[str, int] | ArrayLike) -> None:
        """Set communities, by id or as an array of shape (n,)."""
        if isinstance(communities, Mapping):
            for id, number in communities.items():
                if (row := self.row.get(id)) is not None:
                    self._community[row] = self._category[row] = number
        else:
            self.community[:] = self.category[:] = np.asarray(communities, np.int32)

    def bounds(self) -> tuple[float, float, float, float]:
        """Return left, bottom, right, top of the nodes, in data units; a unit square when there are none."""
        xy = np.concatenate([self.xy, self.frame])
        if not len(xy):
            return -1.0, -1.0, 1.0, 1.0
        x, y = xy[:, 0], xy[:, 1]
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def match_names(names: Sequence[str], degree: Ints, text: str, limit: int = 50) -> list[int]:
    """Return rows of casefolded names: exact, at the start, at a word, within; then by degree."""
    needle = text.strip().casefold()
    if not needle:
        return []

    def rank(row: int) -> tuple[int, int, str]:
        name = names[row]
        place = 0 if name == needle else 1 if name.startswith(needle) else 2 if f" {needle}" in name else 3
        return place, -int(degree[row]), name

    return sorted((row for row, name in enumerate(names) if needle in name), key=rank)[:limit]


@dataclass(frozen=True, slots=True, eq=False)
class Tint:
    """Of n nodes, (n,) each; None: as ever, colours by community and sizes by links."""

    categories: Ints | None = None  # numbers of colours, -1: none
    levels: Floats | None = None  # 0..1 on the scale of colours instead, NaN: none
    sizes: Floats | None = None  # 0..1

    def of_nodes(self, node_of: Ints, count: int) -> Tint:
        """Of nodes that stand for many: the commonest category, the means of levels and sizes. `node_of` (n,)."""
        if self.categories is None and self.levels is None and self.sizes is None:
            return self
        return Tint(
            _commonest(self.categories, node_of, count) if self.categories is not None else None,
            _means(self.levels, node_of, count) if self.levels is not None else None,
            _means(self.sizes, node_of, count) if self.sizes is not None else None,
        )

    def of_rows(self, rows: Ints) -> Tint:
        """Return the tint of these rows; -1: of none."""

        def some(values: Floats | None) -> Floats | None:
            if values is None:
                return None
            return np.where(rows >= 0, values[rows], np.float32(np.nan)).astype(np.float32)

        own = self.categories
        named = np.where(rows >= 0, own[rows], -1).astype(np.int32) if own is not None and len(own) else None
        return Tint(named, some(self.levels), some(self.sizes))


@dataclass(frozen=True, slots=True)
class Key:
    """What the colours mean: named `categories`, or a scale whose ends and middle are written out."""

    title: str = ""  # "" for communities
    categories: Mapping[int, str] = field(default_factory=dict)
    scale: tuple[str, str, str] | None = None


def _commonest(values: Ints, node_of: Ints, count: int) -> Ints:
    width = int(values.max(initial=-1)) + 2
    pairs, times = np.unique(node_of.astype(np.int64) * width + values + 1, return_counts=True)
    found = np.full(count, -1, np.int32)
    order = np.argsort(times, kind="stable")  # the commonest is written last
    found[pairs[order] // width] = pairs[order] % width - 1
    return found


def _means(values: Floats, node_of: Ints, count: int) -> Floats:
    known = ~np.isnan(values)
    sums = np.bincount(node_of[known], values[known], minlength=count)
    number = np.bincount(node_of[known], minlength=count)
    means = np.divide(sums, number, out=np.full(count, np.nan), where=number > 0)
    found: Floats = means.astype(np.float32)
    return found
