"""What colours and sizes tell of the nodes, and the key to it. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from app.graph.canvas.arrays import Floats, Ints


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
        """Of these rows; -1: of nobody."""

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
