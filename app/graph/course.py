"""Where the course of a construction stands on what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.moment import Moment
from app.graph.drawing import Drawing
from app.session.overlay import Course, Present

_NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A course on the nodes of one drawing."""

    came: NDArray[np.int32]  # (n,) row in the course of the first entity of each node
    order: NDArray[np.int32]  # (k,) row in the course of each link between two nodes, ascending
    links: NDArray[np.int32]  # (k, 2) rows of nodes


def moment_of(drawing: Drawing, present: Present) -> Moment:
    """What of a drawing is there; what the course does not know is not."""
    placed = _placed(drawing, present.course)
    before, upto = placed.order.searchsorted((present.links_before, present.links)).tolist()
    newest = (placed.came >= present.entities_before) & (placed.came < present.entities)
    return Moment(
        placed.came < present.entities, np.flatnonzero(newest), placed.links[:upto], int(upto - before)
    )


# One: what is drawn changes seldom while a course is followed, and at each step this is asked.
@lru_cache(maxsize=1)
def _placed(drawing: Drawing, course: Course) -> _Placed:
    rows = rows_of(drawing, course.ids)
    came = np.full(len(drawing.ids), _NEVER, np.int32)
    known = np.flatnonzero(rows >= 0)
    np.minimum.at(came, rows[known], known)
    links = rows[course.links]
    order = np.flatnonzero((links >= 0).all(axis=1) & (links[:, 0] != links[:, 1]))
    return _Placed(came, order.astype(np.int32), links[order])


def rows_of(drawing: Drawing, entities: Sequence[str]) -> NDArray[np.int32]:
    """The node in which each entity stands, (e,); -1 for none."""
    graph, count = drawing.plan.whole, len(entities)
    if drawing.node_of is not None and graph is not None:
        at = np.fromiter(map(graph.row_of.get, entities, repeat(-1)), np.int32, count)
        return np.where(at >= 0, drawing.node_of[at], -1).astype(np.int32)
    nodes = dict(zip(drawing.ids, range(len(drawing.ids)), strict=True))
    return np.fromiter(map(nodes.get, entities, repeat(-1)), np.int32, count)
