"""Unit vectors by row: exactly, or quantised in an inverted file of which a question reads some lists.

`Quantised` holds 8 bits a number and, for what is ranked by it, 16 for rescoring (Jégou, Douze, Schmid 2011, IVFADC,
with scalar codes). Vectors are turned to their principal axes first: a quarter of the numbers, which tells most, is
compared in all lists that are read, the rest for the best of them. Codes lie list by list, so that a mapped file is
read where a question looks and nowhere else. What comes later is held beside it, exactly, until all is built anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.index.array_file import FileRows

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]

EXACT_UP_TO = 20_000  # vectors; below, one matrix product is as quick and never wrong
PROBED = 200  # times the root of the number of vectors: how many a question is compared with
HEAD = 4  # one of so many numbers is compared first
_COMPARED = 1_000  # vectors compared whole, or
_WIDER = 8  # times as many as are wanted, whichever is more
_RESCORED = 2  # times as many as wanted are looked at again where there are finer codes
_DECODED = 5 * EXACT_UP_TO  # rows of a part of a table that are compared exactly
_AT_ONCE = 1 << 14  # rows decoded at a time
_WIDE = 200  # rows that are found, at least: who asks again for fewer is told from these
_ASKED = 4  # vectors whose nearest are remembered: a question's routes and rounds ask for the same


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest `rows`, (k,), with their `cosines`, (k,), best first; `low` is about the least cosine of all."""

    rows: Rows
    cosines: Floats
    low: float

    def first(self, k: int) -> Near:
        return Near(self.rows[:k], self.cosines[:k], self.low)


class VectorTable(Protocol):
    """n unit vectors of d numbers, by row."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Rows | slice) -> Floats:
        """These vectors, (m, d)."""
        ...

    def of(self, rows: Rows, vector: Floats) -> Floats:
        """Cosines of a unit vector, (d,), with these rows, (m,)."""
        ...

    def along_axes(self, rows: Rows) -> Floats:
        """These vectors, (m, d), along axes of the table's own, which is quicker for very many: sums and cosines among
        them are those of the vectors."""
        ...

    def turned_back(self, along: Floats) -> Floats:
        """Vectors, (m, d), of what `along_axes` gave, or sums of that."""
        ...

    def nearest(self, vector: Floats, k: int) -> Near:
        """The min(k, n) nearest to a unit vector, (d,); of equal ones the first rows."""
        ...

    def cosines(self, vector: Floats) -> Floats:
        """Of a unit vector, (d,), with all, (n,): for who looks behind a ranking, since it reads everything."""
        ...

    def changed(self, sources: Rows, added: Floats) -> VectorTable:
        """The rows `sources`, (n,), no row twice, with the next of `added`, (m, d), wherever one is -1."""
        ...

    def cut(self, rows: Rows) -> VectorTable:
        """The table of these rows, ascending, of which a search finds the nearest however few they are."""
        ...


class Exact:
    """In memory as they are."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors

    def __len__(self) -> int:
        return len(self.vectors)

    def __getitem__(self, rows: Rows | slice) -> Floats:
        return self.vectors[rows]

    def of(self, rows: Rows, vector: Floats) -> Floats:
        found: Floats = self.vectors[rows] @ vector
        return found

    def along_axes(self, rows: Rows) -> Floats:
        return self.vectors[rows]

    def turned_back(self, along: Floats) -> Floats:
        return along

    def nearest(self, vector: Floats, k: int) -> Near:
        cosines = self.cosines(vector)
        return best(np.arange(len(cosines)), cosines, k, float(cosines.min(initial=1.0)))

    def cosines(self, vector: Floats) -> Floats:
        if not len(self.vectors):
            return np.zeros(0, np.float32)
        found: Floats = self.vectors @ vector
        return found

    def changed(self, sources: Rows, added: Floats) -> Exact:
        vectors = np.empty((len(sources), self.vectors.shape[1]), np.float32)
        vectors[sources >= 0] = self.vectors[sources[sources >= 0]]
        vectors[sources < 0] = added
        return Exact(vectors)

    def cut(self, rows: Rows) -> Exact:
        return Exact(self.vectors[rows])


@dataclass(frozen=True, slots=True)
class Codes:
    """The part of a `Quantised` that is written once. List l has the positions from starts[l] to starts[l + 1]."""

    centroids: Floats  # (lists, d) unit
    starts: Rows  # (lists + 1,)
    turned: Floats  # (d, d): a vector times it is what is coded
    heads: NDArray[np.int8]  # (p, d // HEAD)
    tails: NDArray[np.int8] | FileRows  # (p, the rest)
    scales: Floats  # (p,): a code times it is the number
    fine: NDArray[np.float16] | FileRows  # (p, d) for rescoring, or (0, d)
    sample: Floats  # (s, d) some of the vectors, which tell how far away the rest is

    def __len__(self) -> int:
        return len(self.scales)

    def cosines(self, at: NDArray[np.int32] | slice, vector: Floats) -> Floats:
        """Of a unit vector, (d,), with those at these positions, (m,): the vector is turned, not they."""
        if len(self.fine):
            return self.fine[at].astype(np.float32) @ vector
        turned, width = vector @ self.turned, self.heads.shape[1]
        near = self.heads[at].astype(np.float32) @ turned[:width]
        near += self.tails[at].astype(np.float32) @ turned[width:]
        return np.multiply(near, self.scales[at], dtype=np.float32)

    def decoded(self, at: NDArray[np.int32] | slice) -> Floats:
        """The vectors at these positions, (m, d), as near as they are coded."""
        if len(self.fine):
            return self.fine[at].astype(np.float32)
        return np.asarray(self.along_axes(at) @ self.turned.T, dtype=np.float32)

    def along_axes(self, at: NDArray[np.int32] | slice) -> Floats:
        """The same along the columns of `turned`."""
        scales = self.scales[at][:, None]
        coords = np.empty((len(scales), self.turned.shape[1]), np.float32)
        width = self.heads.shape[1]
        np.multiply(self.heads[at], scales, out=coords[:, :width])
        np.multiply(self.tails[at], scales, out=coords[:, width:])
        return coords


@dataclass(frozen=True, slots=True)
class Quantised:
    """Row i lies at position `places[i]`, from len(codes) on in `added`; `rows[p]` is -1 for what is gone."""

    codes: Codes
    places: NDArray[np.int32]  # (n,)
    rows: NDArray[np.int32]  # (p + added,)
    added: Floats  # (added, d)
    _asked: dict[tuple[bytes, int], Near] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, rows: Rows | slice) -> Floats:
        return self._at(self.places[rows])

    def of(self, rows: Rows, vector: Floats) -> Floats:
        places, base = self.places[rows], len(self.codes)
        found = np.empty(len(places), np.float32)
        old = places < base
        found[old] = self.codes.cosines(places[old], vector)
        found[~old] = self.added[places[~old] - base] @ vector
        return found

    def along_axes(self, rows: Rows) -> Floats:
        if len(self.added):
            return np.asarray(self[rows] @ self.codes.turned, dtype=np.float32)
        return self.codes.along_axes(self.places[rows])

    def turned_back(self, along: Floats) -> Floats:
        return np.asarray(along @ self.codes.turned.T, dtype=np.float32)

    def nearest(self, vector: Floats, k: int) -> Near:
        key = vector.tobytes(), max(k, _WIDE)
        found = self._asked.get(key)
        if found is None:
            found = self._asked[key] = self._nearest(vector, key[1])
            for oldest in list(self._asked)[:-_ASKED]:
                self._asked.pop(oldest, None)
        return found.first(k)

    def _nearest(self, vector: Floats, k: int) -> Near:
        positions, cosines = self._probed(vector, k)
        rows = self.rows[positions]
        if len(self.added):
            own = self.rows[len(self.codes) :]
            alive = np.flatnonzero(own >= 0)
            rows = np.concatenate([rows, own[alive]])
            cosines = np.concatenate([cosines, self.added[alive] @ vector])
        low = float(min((self.codes.sample @ vector).min(initial=1.0), cosines.min(initial=1.0)))
        return best(rows.astype(np.int64), cosines, k, low)

    def cosines(self, vector: Floats) -> Floats:
        every = np.empty(len(self.rows), np.float32)
        for first in range(0, len(self.codes), _AT_ONCE):
            part = slice(first, min(first + _AT_ONCE, len(self.codes)))
            every[part] = self.codes.cosines(part, vector)
        every[len(self.codes) :] = self.added @ vector if len(self.added) else 0.0
        return every[self.places]

    @property
    def share_changed(self) -> float:
        """How much of what was coded is gone or came since, of the rows there are now: from some tenths on to be made
        anew."""
        here = len(self) - len(self.added)
        return (len(self.codes) - here + len(self.added)) / max(1, len(self))

    def changed(self, sources: Rows, added: Floats) -> Quantised:
        extra = added.reshape(-1, self.added.shape[1]).astype(np.float32)
        places, base = np.where(sources >= 0, self.places[sources], -1).astype(np.int32), len(self.codes)
        # Of what was added earlier only what still stands is held.
        later = np.flatnonzero(places >= base)
        alive = places[later] - base
        places[later] = np.arange(base, base + len(later), dtype=np.int32)
        places[sources < 0] = np.arange(base + len(later), base + len(later) + len(extra), dtype=np.int32)
        rows = np.full(base + len(later) + len(extra), -1, np.int32)
        rows[places] = np.arange(len(places), dtype=np.int32)
        joined = np.concatenate([self.added[alive], extra]) if len(later) else extra
        return replace(self, places=places, rows=rows, added=joined)

    def cut(self, rows: Rows) -> VectorTable:
        # The lists that are read may hold few of few rows.
        if len(rows) <= _DECODED:
            return Exact(self[rows])
        return self.changed(rows, self.added[:0])

    def _probed(self, vector: Floats, k: int) -> tuple[Rows, Floats]:
        """Positions of the nearest in the nearest lists, more than k, and their cosines; none of what is gone."""
        codes, turned = self.codes, vector @ self.codes.turned
        width = codes.heads.shape[1]
        order = np.argsort(-(codes.centroids @ vector), kind="stable")
        sizes = np.diff(codes.starts)
        enough = int(np.searchsorted(np.cumsum(sizes[order]), PROBED * math.sqrt(len(codes)))) + 1
        lists = np.sort(order[:enough])
        if not len(lists):
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        # Lists that lie side by side are read as one.
        runs = np.split(lists, np.flatnonzero(np.diff(lists) > 1) + 1)
        spans = [(int(codes.starts[run[0]]), int(codes.starts[run[-1] + 1])) for run in runs]
        positions = np.concatenate([np.arange(first, end) for first, end in spans])
        near = np.concatenate([codes.heads[a:b].astype(np.float32) @ turned[:width] for a, b in spans])
        near *= np.concatenate([codes.scales[a:b] for a, b in spans])
        near[np.concatenate([self.rows[a:b] for a, b in spans]) < 0] = -2.0
        wide = np.sort(_largest(near, max(_COMPARED, _WIDER * k)))
        positions, near = positions[wide], near[wide]
        alive = near > -2.0
        positions, near = positions[alive], near[alive]
        near += (codes.tails[positions].astype(np.float32) @ turned[width:]) * codes.scales[positions]
        if len(codes.fine):
            few = np.sort(_largest(near, _RESCORED * k))
            positions = positions[few]
            near = codes.fine[positions].astype(np.float32) @ vector
        return positions, near

    def _at(self, places: NDArray[np.int32]) -> Floats:
        base = len(self.codes)
        if not len(self.added) or int(places.max(initial=0)) < base:
            return self.codes.decoded(places)
        found = np.empty((len(places), self.added.shape[1]), np.float32)
        old = places < base
        found[old] = self.codes.decoded(places[old])
        found[~old] = self.added[places[~old] - base]
        return found


def best(rows: Rows, cosines: Floats, k: int, low: float) -> Near:
    """The k best of these rows, by cosine and then by row."""
    k = max(0, min(k, len(rows)))
    if 0 < k < len(rows):
        # All ties at the border come along, so that the row decides between them.
        candidates = np.flatnonzero(cosines >= np.partition(cosines, -k)[-k])
        rows, cosines = rows[candidates], cosines[candidates]
    order = np.lexsort((rows, -cosines))[:k]
    return Near(rows[order], cosines[order].astype(np.float32), low)


def blocks(table: VectorTable) -> Iterator[tuple[slice, Floats]]:
    """All vectors, some at a time."""
    for first in range(0, len(table), _AT_ONCE):
        part = slice(first, min(first + _AT_ONCE, len(table)))
        yield part, table[part]


def _largest(values: Floats, k: int) -> Rows:
    """Places of the k largest, in no order."""
    if k >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, -k)[-k:] if k > 0 else np.zeros(0, np.int64)
