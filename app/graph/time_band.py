"""The band under the graph: a range of dates for all that is seen, previewed on the graph while a hand moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QSize, Qt, Signal
from PySide6.QtWidgets import QWidget

from app.graph.canvas.emphasis import TimePreview
from app.graph.drawing import Drawing
from app.graph.time_view import Range, TimeView, as_dates, count_words
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.layout import column, row
from app.widgets.notices import HoverCard
from core.types import InTime, Scope, Timeline

if TYPE_CHECKING:
    from app.graph.scene import LiveScene
    from app.graph.shapes import GraphShaping
    from core.types import InTime, Timeline


_TASK = "dates"  # not shown
_HIGH, _WORDS = 56, 240  # pixels at 100 %
_LEAST = 240  # of a graph with its bar, from which on there is room for it


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
    """Return the node in which each entity stands, (e,); -1 for none."""
    graph, count = drawing.plan.full_graph, len(entities)
    if drawing.node_of is not None and graph is not None:
        at = np.fromiter(map(graph.row_of.get, entities, repeat(-1)), np.int32, count)
        return np.where(at >= 0, drawing.node_of[at], -1).astype(np.int32)
    nodes = dict(zip(drawing.ids, range(len(drawing.ids)), strict=True))
    return np.fromiter(map(nodes.get, entities, repeat(-1)), np.int32, count)


class TimeBand(QWidget):
    """Hidden where nothing is dated, or where the person does not want it. `wanted_changed` when that is another."""

    wanted_changed = Signal(bool)

    def __init__(self, session: Session, host: QWidget) -> None:
        super().__init__(host)
        self._session, self._host = session, host
        self.wanted = self._room = True
        self.view = TimeView()
        self.card = HoverCard(host)
        self.caption, self.counts = ElidedLabel(end=True), ElidedLabel(kind="small", end=True)
        self.clear = tool_button("x", tr("Show all times"), act=self._show_all, side=22)
        words = column(self.caption, self.counts, spacing=0)
        self.side = QWidget()
        row((words, 1), self.clear, spacing=4, margins=(10, 2, 6, 2), on=self.side)
        row((self.view, 1), self.side, spacing=0, margins=(8, 0, 0, 0), on=self)
        theme.follow(self, self._fit)
        self.view.chosen.connect(self._on_chosen)
        self.view.pointed.connect(self._on_pointed)
        session.time.read.connect(self._on_read)
        session.time.changed.connect(self._on_changed)
        session.scope.changed.connect(self._on_scope)
        self._on_read(session.time.timeline)
        self._on_scope(session.scope.current)
        session.time.begin()

    def _fit(self) -> None:
        self.setMaximumHeight(theme.px(_HIGH))
        self.updateGeometry()
        self.side.setFixedWidth(theme.px(_WORDS))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # it is the first to give way

    def set_room(self, height: int) -> None:
        """Set how high the graph is with it, pixels: on a low one it is not seen."""
        if (room := height >= theme.px(_LEAST)) != self._room:
            self._room = room
            self._show_if_wanted()

    @property
    def dated(self) -> bool:
        """Return whether there is anything to show."""
        timeline = self._session.time.timeline
        return timeline is not None and timeline.span is not None

    def set_wanted(self, wanted: bool) -> None:
        """As the person chose; tells nobody. What is chosen holds on: whoever hides the band sees it in the scope."""
        self.wanted = wanted
        self._show_if_wanted()

    def toggle(self) -> None:
        self.set_wanted(not self.wanted)
        self.wanted_changed.emit(self.wanted)
        if self.wanted and self.dated:
            self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def why_not(self) -> str:
        return "" if self.dated else tr("Nothing in this workspace has a date.")

    def _show_if_wanted(self) -> None:
        self.setVisible(self.wanted and self.dated and self._room)
        if self.isHidden():
            self.card.hide()

    # ------------------------------------------------------------ from elsewhere

    def _on_read(self, timeline: Timeline | None) -> None:
        self.view.show_timeline(timeline)
        self._show_if_wanted()
        self._say(self._session.time.current)

    def _on_scope(self, scope: Scope) -> None:
        if not scope.dated:
            self.view.show_range(None)
            self._say(None)

    def _on_changed(self, found: InTime | None) -> None:
        scope = self._session.scope.current
        # While the hand moves, what was worked out is of a moment ago.
        if found is not None and (found.since, found.until) == (scope.since, scope.until):
            self.view.show_range(self._in_view(found.days))
        self._say(found)

    def _in_view(self, days: Range) -> Range:
        """Return the range that was asked for; an open end is that of the axis."""
        axis = self.view.full_axis
        return max(days[0], int(axis.first)), min(days[1], int(axis.last))

    # ------------------------------------------------------------ what is said and done

    def _say(self, found: InTime | None) -> None:
        timeline, chosen = self._session.time.timeline, self.view.range
        self.clear.setVisible(chosen is not None)
        self.caption.setText(self.view.words())
        if timeline is None or timeline.span is None:
            return
        out = trn("{count} fact without a date", "{count} facts without a date", timeline.undated_facts)
        if chosen is None:
            facts = count_words(timeline, *timeline.span)
            words, tip = facts, tr("{facts}; {out}. Drag to keep to a range.", facts=facts, out=out)
        else:
            inside = trn("{count} fact", "{count} facts", int(found.facts.sum()) if found is not None else 0)
            words = inside
            if timeline.undated_facts:
                words = tr(
                    "{facts}; {count} undated left out", facts=inside, count=str(timeline.undated_facts)
                )
            tip = tr(
                "{facts} are told in these dates. A fact is of the date that its sentence says, else of that of its"
                " passage or document. {out}, left out.",
                facts=inside,
                out=out,
            )
        self.counts.setText(words)
        set_tip(self.counts, tip)

    def _show_all(self) -> None:
        # Not the view's own method: a widget that a signal leads to is given another interface for screen readers.
        self.view.clear()

    def _on_chosen(self, chosen: Range | None) -> None:
        since, until = as_dates(*chosen) if chosen is not None else ("", "")
        self._session.scope.change(since=since, until=until)

    def _on_pointed(self, dates: str, counts: str, place: QPointF) -> None:
        if not dates:
            self.card.hide()
            return
        self.card.show_at(QPointF(self.view.mapTo(self._host, place.toPoint())), dates, counts)
