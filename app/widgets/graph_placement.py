"""Where new nodes go while the graph grows: next to their neighbours, in the free direction. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.widgets.graph_arrays import Floats

_GOLDEN = 2.399963229728653  # golden angle, radians
_ANGLES = np.linspace(0.0, 2 * np.pi, 8, endpoint=False)
_CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1).astype(np.float32)


def place(placed: Floats, fresh: int, edges: NDArray[np.int32], spacing: float) -> Floats:
    """Positions for `fresh` new nodes, shape (fresh, 2), beside `placed`, shape (n, 2), which stay.

    `edges` holds pairs of rows where row n is the first new node; `spacing` is the wanted distance.
    A node takes the emptiest of eight places around the centre of its placed neighbours; a node
    without any goes to the rim, on a spiral. Order matters: earlier new nodes may carry later ones.
    """
    base = len(placed)
    xy = np.concatenate([placed, np.zeros((fresh, 2), np.float32)])
    done = np.zeros(base + fresh, np.bool_)
    done[:base] = True
    partners: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        if a >= base:
            partners.setdefault(a, []).append(b)
        if b >= base:
            partners.setdefault(b, []).append(a)
    centre = placed.mean(axis=0) if base else np.zeros(2, np.float32)
    waiting = list(range(base, base + fresh))
    while waiting:
        ready = [row for row in waiting if any(done[other] for other in partners.get(row, ()))]
        if not ready:
            ready = waiting[:1]
            xy[ready[0]] = _rim(centre, ready[0], spacing)
        else:
            for row in ready:
                near = [other for other in partners[row] if done[other]]
                xy[row] = _beside(xy, done, near, row, spacing)
                done[row] = True
        done[ready] = True
        taken = set(ready)
        waiting = [row for row in waiting if row not in taken]
    return xy[base:]


def _rim(centre: Floats, row: int, spacing: float) -> Floats:
    """A place on the sunflower spiral that holds `row` nodes at this spacing."""
    radius = spacing * 1.1 * np.sqrt(row)
    return centre + np.float32(radius) * np.array([np.cos(row * _GOLDEN), np.sin(row * _GOLDEN)], np.float32)


def _beside(xy: Floats, done: NDArray[np.bool_], near: list[int], row: int, spacing: float) -> Floats:
    """The emptiest of places around the middle of `near`."""
    middle = xy[near].mean(axis=0)
    angle = row * _GOLDEN  # turned a little for every node, so that no grid shows
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]], np.float32)
    rings = np.concatenate([_CIRCLE, _CIRCLE * np.float32(1.9)]) @ turn
    places = middle + rings * np.float32(spacing)
    around = xy[done & (np.abs(xy - middle).max(axis=1) < 3.2 * spacing)]
    if not len(around):
        return places[0]
    gaps = np.square(places[:, None, :] - around[None]).sum(axis=2).min(axis=1)
    # Being near the neighbours counts as well as being free.
    reach = np.concatenate([np.ones(8), np.full(8, 0.55)])
    return places[int(np.argmax(np.minimum(gaps, spacing**2) * reach))]
