"""What of the drawn graph is told in a range of dates, while a hand moves it: large graphs are shaped when it rests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from app.graph.canvas.moment import Moment
from app.graph.course import rows_of
from app.graph.drawing import Drawing
from app.session.session import Session

if TYPE_CHECKING:
    from app.graph.live_scene import LiveScene
    from app.graph.shaping import GraphShaping
    from core.types import InTime, Timeline

_TASK = "told"  # not shown


class ToldScene(QObject):
    """Draws only what is told in the dates of the scope until the graph itself is shaped by them.

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
            self._live.change(told=None)
            return
        if self._tasks.busy(_TASK):
            return

        def land(moment: Moment) -> None:
            if drawing is self._live.now.drawing:
                self._live.change(told=moment)
            if current is not self._session.time.current or drawing is not self._live.now.drawing:
                self._renew()

        self._tasks.start(_TASK, lambda _: told_of(drawing, current), land)


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """A timeline on the nodes of one drawing."""

    rows: NDArray[np.int32]  # (e,) the node in which each entity stands, -1: none
    facts: NDArray[np.intp]  # (k,) rows of the facts between two nodes
    links: NDArray[np.int32]  # (k, 2) these nodes


def told_of(drawing: Drawing, told: InTime) -> Moment:
    """The nodes in which entities stand that are told of then, and the facts told then."""
    placed = _placed(drawing, told.timeline)
    there = np.zeros(len(drawing.ids) + 1, np.bool_)
    there[placed.rows[told.entities]] = True  # those in no node at the end, which is cut off
    return Moment(there[:-1], np.zeros(0, np.intp), placed.links[told.facts[placed.facts]], 0)


# One: a range is moved many times over one drawing.
@lru_cache(maxsize=1)
def _placed(drawing: Drawing, timeline: Timeline) -> _Placed:
    rows = rows_of(drawing, timeline.entity_ids)
    links = rows[timeline.ends]
    facts = np.flatnonzero((links >= 0).all(axis=1) & (links[:, 0] != links[:, 1]))
    return _Placed(rows, facts, links[facts])
