"""What lies upon the canvas: counts, buttons, community legend, heat legend, overview map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, QRect, QSize, QTimer, Signal
from PySide6.QtWidgets import QFrame, QToolButton, QWidget

from app.graph.canvas.arrays import GraphArrays
from app.graph.canvas.emphasis import Emphasis
from app.graph.canvas.heat_bar import HeatBar
from app.graph.canvas.mini_map import MiniMap
from app.graph.canvas.tint import Key
from app.graph.canvas.view import CanvasView
from app.look import theme as look
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.buttons import Act, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import row
from app.widgets.legend import GraphLegend

_EDGE = 12  # pixels between the controls and the canvas's border
_GAP = 4  # between two of them
_MAP_FROM = 600  # pixels of the canvas; on a narrower one map and legend would hide half of the graph
LOW = 300  # pixels of height: below, the scale of the heat has the place of the legend, and a card that of the buttons
_REFRESH_MS = 400  # counts and legend follow a growing graph at this pace

Counted = Callable[[int], str]  # a number with its noun: "3 links"


def _nodes(count: int) -> str:
    return trn("{count} node", "{count} nodes", count)


def _edges(count: int) -> str:
    return trn("{count} edge", "{count} edges", count)


@dataclass(frozen=True, slots=True)
class Legends:
    """What is said of colours and numbers."""

    counts: str
    heading: str
    rows: tuple[tuple[int, str, int], ...]  # community, label, count
    more: str  # of those that are not listed
    heat: tuple[str, str, str, str] | None  # title, and the numbers at its beginning, middle and end


class GraphControls(QObject):
    """Lays out and feeds the small parts around the view."""

    fit_wanted = Signal()

    def __init__(self, canvas: QWidget, arrays: GraphArrays, view: CanvasView) -> None:
        super().__init__(canvas)
        self._canvas, self._arrays, self._view = canvas, arrays, view
        self.units: tuple[Counted, Counted] = (_nodes, _edges)
        self.counts = ""  # said in place of the numbers of nodes and edges
        self.community_labels: dict[int, str] = {}
        self.key = Key()
        self._hot = False
        self._names: dict[int, str] = {}
        self._map_choice: bool | None = None  # of the person; None: by the width of the canvas
        self._map_room = True  # whether nothing else lies in its place
        self._laid: list[QWidget] = []  # what lies below the counts
        self._counts = PlainLabel(kind="chip", parent=canvas)
        self.legend = GraphLegend(_nodes, canvas)
        self.heat = HeatBar(canvas)
        self.heat.hide()
        self.map = MiniMap(arrays, canvas)
        self._bar = self._buttons(canvas)
        for part in (self._counts, self.legend, self.heat, self.map, self._bar):
            part.raise_()  # once: what is put upon the graph later, a card, stays above
        self._due = QTimer(self, interval=_REFRESH_MS, singleShot=True)
        self._due.timeout.connect(self._came_due)
        self._late = False
        look.notifier().changed.connect(self.arrange)

    def _buttons(self, canvas: QWidget) -> QFrame:
        bar = QFrame(canvas)
        bar.setProperty("kind", "card")
        self._map_button = _button("map-trifold", tr("Show or hide the overview map (M)"), self.toggle_map)
        self._map_button.setCheckable(True)
        row(
            _button("magnifying-glass-minus", tr("Zoom out (-)"), lambda: self._view.zoom(1 / 1.35)),
            _button("magnifying-glass-plus", tr("Zoom in (+)"), lambda: self._view.zoom(1.35)),
            _button("corners-out", tr("Show the whole graph (F or 0)"), self.fit_wanted.emit),
            self._map_button,
            spacing=2,
            margins=3,
            on=bar,
        )
        return bar

    # ------------------------------------------------------------ content

    def set_units(self, nodes: Counted, edges: Counted, tip: str, members: Counted | None) -> None:
        """What nodes, edges and what nodes stand for are called; `tip` says what is counted."""
        self.units = (nodes, edges)
        if members is not None:
            self.legend.set_unit(members)
        set_tip(self._counts, tip)
        self.refresh()

    def refresh(self, growing: bool = False) -> None:
        """Nodes, colours or names changed; a growing graph is followed at a calm pace."""
        if growing and self._due.isActive():
            self._late = True
        else:
            self._refresh()
            self._due.start()

    def _came_due(self) -> None:
        if self._late:
            self._late = False
            self._refresh()
            self._due.start()

    def _refresh(self) -> None:
        arrays = self._arrays
        nodes, edges = self.units[0](len(arrays)), self.units[1](arrays.edge_count)
        self._counts.setText(self.counts or tr("{nodes}, {edges}", nodes=nodes, edges=edges))
        self._counts.setVisible(bool(len(arrays)))
        self._bar.setVisible(bool(len(arrays)))
        # Closed communities count all that they hold; else there are more entities than those with facts.
        communities = tr("Communities") if self.counts else tr("Communities, entities drawn")
        self.legend.set_heading(self.key.title or communities)
        listed = self._communities()
        self.legend.show_communities(listed if self.key.scale is None else [])
        self.map.refresh()
        self.arrange()

    def _communities(self) -> list[tuple[int, str, int]]:
        """(community, label, count) of every community with at least two nodes, largest first."""
        arrays = self._arrays
        inside = np.flatnonzero(arrays.category >= 0)
        if not len(inside):
            self._names = {}
            return []
        order = inside[np.lexsort((-arrays.degree[inside], arrays.category[inside]))]
        numbers, first, at = np.unique(arrays.category[order], return_index=True, return_inverse=True)
        counts = np.bincount(at, arrays.members[order]).astype(np.int64)
        leaders = order[first]
        labels = self.key.categories if self.key.title else self.community_labels
        self._names = {
            number: labels.get(number) or arrays.names[leader]
            for number, leader in zip(numbers.tolist(), leaders.tolist(), strict=True)
        }
        ranked = sorted(
            zip(numbers.tolist(), counts.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0])
        )
        return [(number, self._names[number], count) for number, count in ranked if count > 1]

    def words(self, row: int, emphasis: Emphasis, said: str = "") -> str:
        """A node's degree, community and heat in one line; `said` stands in place of degree and community."""
        arrays = self._arrays
        heat = emphasis.value_of(arrays.ids[row])
        title, value = self.heat.title, f"{heat or 0:.2g}"
        if said and heat is not None:
            return tr(
                "{said}\n{title} {value}, the sum of what it holds", said=said, title=title, value=value
            )
        if said:
            return said
        degree, community = int(arrays.degree[row]), int(arrays.category[row])
        parts = [self.units[1](degree)]
        if community in self._names:
            parts.append(self._names[community])
        if heat is not None:
            parts.append(tr("{title} {value}", title=title, value=value))
        return "  ·  ".join(parts)

    def show_heat(self, ends: tuple[float, float] | None, title: str) -> None:
        """Show the heat legend for values between these ends, or hide it."""
        self._hot = ends is not None
        if ends is not None:
            self.heat.set_range(*ends, title)
        self._show_scale()

    def set_key(self, key: Key) -> None:
        """What the colours mean; the scale of the heat comes before that of another number."""
        self.key = key
        self._show_scale()

    def _show_scale(self) -> None:
        if not self._hot and self.key.scale is not None:
            self.heat.set_words(*self.key.scale, self.key.title)
        self.heat.setVisible(self._hot or self.key.scale is not None)
        self.arrange()

    # ------------------------------------------------------------ place

    def toggle_map(self) -> None:
        """Show the overview map, or hide it; the person's choice stays."""
        if self._map_room:
            self._map_choice = not self._map_wanted
            self._show_map()

    def set_map_room(self, room: bool) -> None:
        """Whether the map's place is free; where it is not, the map comes back later as the person left it."""
        self._map_room = room
        self.arrange()

    @property
    def _map_wanted(self) -> bool:
        """Whether the map is to be seen where there is room: on a narrow canvas only where it was asked for."""
        wide = self._canvas.width() >= look.px(_MAP_FROM) and self.map.y() > self._bar.geometry().bottom()
        return wide if self._map_choice is None else self._map_choice

    def _show_map(self) -> None:
        self._map_button.setChecked(self._map_wanted and self._map_room)
        self._map_button.setEnabled(self._map_room)
        self.map.setVisible(self._map_wanted and self._map_room and len(self._arrays) > 1)

    def legends(self) -> Legends:
        """What they say now."""
        heading, rows, more = self.legend.listing()
        heated = self.heat.isVisibleTo(self._canvas)
        listed = self.legend.isVisibleTo(self._canvas)
        heat = (self.heat.title, *self.heat.numbers()) if heated else None
        return Legends(
            self._counts.text(), heading, tuple(rows) if listed else (), more if listed else "", heat
        )

    def lay(self, widget: QWidget) -> None:
        """Let a part of others lie below the counts while it is to be seen; `arrange` puts it there."""
        widget.setParent(self._canvas)
        widget.hide()
        self._laid.append(widget)

    def covered(self) -> list[QRect]:
        """The parts of the canvas that labels keep clear of."""
        parts = (self._counts, self.legend, self.heat, self.map, self._bar, *self._laid)
        return [part.geometry() for part in parts if part.isVisibleTo(self._canvas)]

    def arrange(self, _: object = None) -> None:
        """Put everything in its corner."""
        width, height = self._canvas.width(), self._canvas.height()
        low, heated = height < look.px(LOW), self.heat.isVisibleTo(self._canvas)
        self.legend.fit_into(int(height * 0.4))
        for part in (self._counts, self.legend, self.heat, self.map, self._bar):
            part.resize(part.sizeHint().expandedTo(QSize(part.minimumWidth(), 0)))
        self._counts.move(_EDGE, _EDGE)
        self._bar.move(width - self._bar.width() - _EDGE, _EDGE)
        self.legend.move(_EDGE, height - self.legend.height() - _EDGE)
        self.map.move(width - self.map.width() - _EDGE, height - self.map.height() - _EDGE)
        if low and not self._map_room:
            self._bar.move(_EDGE, self._counts.geometry().bottom() + _GAP)
        room = width - self.legend.width() - self.map.width() - 4 * _EDGE
        top = self._counts.geometry().bottom()
        if low and not self._map_room:
            top = self._bar.geometry().bottom()
        elif self._counts.geometry().right() + _EDGE > self._bar.x():  # large letters: below the buttons
            self._counts.move(_EDGE, self._bar.geometry().bottom() + _GAP)
            top = self._counts.geometry().bottom()
        for laid in self._laid:
            if not laid.isHidden():
                laid.resize(laid.sizeHint().boundedTo(QSize(width - 2 * _EDGE, height - top - 2 * _GAP)))
                laid.move(_EDGE, top + _GAP)
                top = laid.geometry().bottom()
        if low and heated:
            self.heat.move(_EDGE, height - self.heat.height() - _EDGE)
        elif room >= self.heat.width():
            left = 2 * _EDGE + self.legend.width() + (room - self.heat.width()) // 2
            self.heat.move(left, height - self.heat.height() - _EDGE)
        else:  # a narrow canvas: below the counts
            fits_left = self.heat.width() + 2 * _EDGE <= self._bar.x()
            self.heat.move(_EDGE, (top if fits_left else max(top, self._bar.geometry().bottom())) + _GAP)
            top = self.heat.geometry().bottom() if heated else top
        self.legend.setVisible(self.legend.listed and self.legend.y() > top and not (low and heated))
        self._show_map()


def _button(icon: str, words: str, action: Act) -> QToolButton:
    button = tool_button(icon, words, action, role="text")
    look.follow(button, lambda: button.setIconSize(QSize(look.px(18), look.px(18))))
    return button
