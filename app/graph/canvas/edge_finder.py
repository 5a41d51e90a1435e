"""Which edge is under the pointer. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.arrays import Floats, GraphArrays, Rows

CROWD = 12  # of edges at one place, among which none can be meant
_ROUNDED = 1e-5  # of a coordinate, by which a line of 32 bits may be off


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Of each edge the line that it lies on, (m,) each, and its ends; numpy is many times faster along columns.

    A place is across * x + down * y - off away from the line.
    """

    across: Floats
    down: Floats
    off: Floats
    ends: Floats  # (m, 4): x, y of one end, x, y of the other


class EdgeFinder:
    """Finds edges near a place: first those whose lines pass by it, few, and of these the ones that reach so far.

    The lines of all edges are kept until `forget`.
    """

    def __init__(self, arrays: GraphArrays) -> None:
        self._arrays = arrays
        self._kept: tuple[tuple[int, int], _Columns] | None = None

    def forget(self) -> None:
        """Nodes have moved, or there are other edges."""
        self._kept = None

    def near(self, x: float, y: float, reach: float, there: NDArray[np.bool_] | None = None) -> Rows:
        """Numbers of the edges at most `reach` from a place, the nearest first; all in data units.

        `there`: nodes (n,) without which an edge is not seen.
        """
        lines = self._columns()
        away = lines.across * np.float32(x)
        away += lines.down * np.float32(y)
        away -= lines.off
        rows = np.flatnonzero(np.abs(away, out=away) <= 1.1 * reach + _ROUNDED * max(abs(x), abs(y)))
        if there is not None:
            rows = rows[there[self._arrays.edges[rows]].all(axis=1)]
        gaps = distances(lines.ends[rows], x, y)
        order = np.argsort(gaps, kind="stable")
        return rows[order[: int((gaps <= reach).sum())]]

    def _columns(self) -> _Columns:
        arrays = self._arrays
        key = (len(arrays), arrays.edge_count)
        if self._kept is None or self._kept[0] != key:
            ends = arrays.xy[arrays.edges.ravel()].reshape(-1, 4)
            x0, y0, x1, y1 = (np.ascontiguousarray(column) for column in ends.T)
            across, down = y0 - y1, x1 - x0
            length = np.maximum(np.hypot(across, down), np.float32(1e-12))
            across /= length
            down /= length
            self._kept = (key, _Columns(across, down, across * x0 + down * y0, ends))
        return self._kept[1]


def distances(ends: Floats, x: float, y: float) -> NDArray[np.float64]:
    """From a place to lines with these ends, (k, 4); (k,)."""
    begin, end = ends[:, :2].astype(np.float64), ends[:, 2:].astype(np.float64)
    along, away = end - begin, np.array([x, y]) - begin
    length = (along**2).sum(axis=1)
    share = np.clip((away * along).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    gaps: NDArray[np.float64] = np.hypot(*(away - along * share[:, None]).T)
    return gaps
