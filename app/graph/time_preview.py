"""A range of dates on the drawn graph while a hand moves it: large graphs are shaped when it rests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from app.graph.canvas.emphasis import TimePreview
from app.graph.drawing import Drawing
from app.session.session import Session

if TYPE_CHECKING:
    from app.graph.live_scene import LiveScene
    from app.graph.shaping import GraphShaping
    from core.types import InTime, Timeline

_TASK = "dates"  # not shown


class TimePreviewer(QObject):
    """Draws only what lies in the dates of the scope until the graph itself is shaped by them.

    The newest range is worked out as soon as the one before is: while the hand moves, something is always shown.
    """

    def __init__(self, session: Session, live: LiveScene, shaping: GraphShaping) -> None:
        super().__init__(live)
        self._session, self._live, self._shaping = session, live, shaping
        self._tasks = session.tasks.owned_by(self)
        session.time.changed.connect(self._renew)
        live.redrawn.connect(self._renew)

    def _renew(self, *_: object) -> None:
        current, drawing = self._session.time.current, self._live.now.drawing
        if current is None or self._shaping.dated:
            self._tasks.drop(_TASK)
            self._live.change(preview=None)
            return
        if self._tasks.busy(_TASK):
            return

        def land(preview: TimePreview) -> None:
            if drawing is self._live.now.drawing:
                self._live.change(preview=preview)
            if current is not self._session.time.current or drawing is not self._live.now.drawing:
                self._renew()

        self._tasks.start(_TASK, lambda _: preview_of(drawing, current), land)


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A timeline on the nodes of one drawing."""

    rows: NDArray[np.int32]  # (e,) the node in which each entity stands, -1: none
    facts: NDArray[np.intp]  # (k,) rows of the facts between two nodes
    links: NDArray[np.int32]  # (k, 2) these nodes


def preview_of(drawing: Drawing, dated: InTime) -> TimePreview:
    """Return the nodes of the entities and the links of the facts of these dates."""
    placed = _placed(drawing, dated.timeline)
    there = np.zeros(len(drawing.ids) + 1, np.bool_)
    there[placed.rows[dated.entities]] = True  # those in no node at the end, which is cut off
    return TimePreview(there[:-1], placed.links[dated.facts[placed.facts]])


# One: a range is moved many times over one drawing.
@lru_cache(maxsize=1)
def _placed(drawing: Drawing, timeline: Timeline) -> _Placed:
    rows = rows_of(drawing, timeline.entity_ids)
    links = rows[timeline.ends]
    facts = np.flatnonzero((links >= 0).all(axis=1) & (links[:, 0] != links[:, 1]))
    return _Placed(rows, facts, links[facts])


def rows_of(drawing: Drawing, entities: Sequence[str]) -> NDArray[np.int32]:
    """The node in which each entity stands, (e,); -1 for none."""
    graph, count = drawing.plan.whole, len(entities)
    if drawing.node_of is not None and graph is not None:
        at = np.fromiter(map(graph.row_of.get, entities, repeat(-1)), np.int32, count)
        return np.where(at >= 0, drawing.node_of[at], -1).astype(np.int32)
    nodes = dict(zip(drawing.ids, range(len(drawing.ids)), strict=True))
    return np.fromiter(map(nodes.get, entities, repeat(-1)), np.int32, count)
