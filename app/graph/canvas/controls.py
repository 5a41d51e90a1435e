"""What lies upon the canvas: counts, buttons, the legends of communities and heat, the overview map."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QLinearGradient, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QToolButton, QWidget

from app.graph.canvas.arrays import GraphArrays, Key
from app.graph.canvas.camera import Camera
from app.graph.canvas.emphasis import Emphasis
from app.graph.canvas.view import CanvasView
from app.look import theme as look
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.accessible import Role, Spoken, speak
from app.widgets.buttons import Act, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import row
from app.widgets.legend import GraphLegend

_STEPS = 32  # of the scale of colours
_MAP_MARGIN = 8
_EDGE = 12  # pixels between the controls and the canvas's border
_GAP = 4  # between two of them
_MAP_FROM = 600  # pixels of the canvas; on a narrower one map and legend would hide half of the graph
LOW = 300  # pixels of height: below, the scale of the heat has the place of the legend, and a card that of the buttons
_REFRESH_MS = 400  # counts and legend follow a growing graph at this pace
Counted = Callable[[int], str]  # a number with its noun: "3 links"


class HeatBar(QWidget):
    """A colour bar from `low` to `high` on a logarithmic scale, with three numbers and a title."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, str, str] = ("", "", "")  # at the ends and in the middle
        self.title = tr("Relevance")
        speak(self, Spoken(Role.Graphic))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        look.notifier().changed.connect(self.updateGeometry)
        look.notifier().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(look.px(216), look.px(34) + 30)

    def set_range(self, low: float, high: float, title: str = tr("Relevance")) -> None:
        """Set the values at both ends, low <= high, both above 0."""
        self._words = (_number(low), _number(math.sqrt(low * high)), _number(high))
        self.title = title
        words = tr(
            "{title}: from {low} (cold, small) to {high} (hot, large), logarithmic scale",
            title=title, low=_number(low), high=_number(high),
        )  # fmt: skip
        self._describe(words)

    def set_words(self, low: str, middle: str, high: str, title: str) -> None:
        """Set what is written at the ends and in the middle."""
        self._words, self.title = (low, middle, high), title
        self._describe(
            tr("{title}: from {low} over {middle} to {high}", title=title, low=low, middle=middle, high=high)
        )

    def _describe(self, words: str) -> None:
        set_tip(self, words)
        self.setAccessibleName(words)
        self.update()

    def numbers(self) -> tuple[str, str, str]:
        """Return what is written at the beginning, the middle and the end."""
        return self._words

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = look.current()
        painter = smooth(self)
        rounded(painter, self.rect(), "border", "surface")
        inner = QRectF(self.rect()).adjusted(12, 8, -12, -8)
        paint_text(painter, inner, self.title, "muted", look.SMALL, place=Qt.AlignmentFlag.AlignTop)
        bar = QRectF(inner.left(), inner.top() + look.px(18), inner.width(), 10)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(17):
            gradient.setColorAt(step / 16, theme.heat_color(step / 16))
        painter.setPen(QPen(QColor(theme.strong_border), 1))
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        row = QRectF(inner.left(), bar.bottom() + 3, inner.width(), look.px(16))
        places = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for number, place in zip(self.numbers(), places, strict=True):
            place |= Qt.AlignmentFlag.AlignTop
            paint_text(painter, row, number, size=look.SMALL, place=place)
        painter.end()


def _number(value: float) -> str:
    """Return two significant digits; small numbers without exponents."""
    if value <= 0:
        return "0"
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{value:.{min(digits, 6)}f}"


class MiniMap(QWidget):
    """An overview of the nodes. `moved(x, y)` tells the data point that the person wants to see."""

    moved = Signal(float, float)

    def __init__(self, arrays: GraphArrays, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arrays = arrays
        self._picture: QImage | None = None
        self._camera = Camera(0, 0, 1, 1, 1)
        self._map = Camera(0, 0, 1, 1, 1)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.Graphic))
        self.setAccessibleName(tr("Overview map"))
        self.setToolTip(tr("The whole graph. Click or drag to go there."))
        self.setCursor(Qt.CursorShape.CrossCursor)
        look.notifier().changed.connect(self.refresh)

    def sizeHint(self) -> QSize:
        return QSize(176, 124)

    def refresh(self, *_: object) -> None:
        """Redraw after positions or colours changed."""
        self._picture = None
        self.update()

    def set_camera(self, camera: Camera) -> None:
        """Mark another part as the one in view."""
        self._camera = camera
        self.update()

    def _draw(self) -> QImage:
        """Return the nodes as dots of 2 x 2 device-independent pixels, set straight into an image."""
        theme, arrays = look.current(), self._arrays
        left, bottom, right, top = arrays.bounds()
        width, height = self.width() - 2 * _MAP_MARGIN, self.height() - 2 * _MAP_MARGIN
        scale = min(width / max(right - left, 1e-6), height / max(top - bottom, 1e-6))
        middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
        self._map = Camera(
            middle_x - self.width() / 2 / scale,
            middle_y + self.height() / 2 / scale,
            scale,
            self.width(),
            self.height(),
        )
        image = QImage(self.width(), self.height(), QImage.Format.Format_RGB32)
        image.fill(QColor(theme.surface))
        count = len(theme.communities)
        steps = np.linspace(0, 255, _STEPS).astype(int)
        scale_colors = [QColor(*rgb).rgb() for rgb in theme.heat_table()[steps].tolist()]
        colors = [*(QColor(value).rgb() for value in (*theme.communities, theme.neutral)), *scale_colors]
        which = np.where(arrays.category < 0, count, arrays.category % count)
        levels = np.nan_to_num(arrays.level) * (_STEPS - 1)
        which = np.where(np.isnan(arrays.level), which, count + 1 + levels.astype(np.int32))
        dots = self._map.to_screen(arrays.xy).astype(np.int32)
        x, y = dots[:, 0], dots[:, 1]
        inside = (x >= 0) & (y >= 0) & (x < self.width() - 1) & (y < self.height() - 1)
        pixels = np.frombuffer(image.bits(), np.uint32).reshape(self.height(), image.bytesPerLine() // 4)
        shade = np.array(colors, np.uint32)[which[inside]]
        x, y = dots[inside].T
        for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
            pixels[y + dy, x + dx] = shade
        self._draw_groups(image, colors, which)
        return image

    def _draw_groups(self, image: QImage, colors: list[int], which: NDArray[np.int32]) -> None:
        """Draw nodes that stand for many as discs."""
        arrays, painter = self._arrays, QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        rows = np.flatnonzero(arrays.radius > 0)
        for at, (x, y) in zip(rows.tolist(), self._map.to_screen(arrays.xy[rows]).tolist(), strict=True):
            painter.setBrush(QColor(colors[int(which[at])]))
            radius = max(float(arrays.radius[at]) * self._map.scale, 1.5)
            painter.drawEllipse(QPointF(x, y), radius, radius)
        painter.end()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = look.current(), QPainter(self)
        if self._picture is None:
            self._picture = self._draw()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(frame, look.RADIUS, look.RADIUS)
        inner = self.rect().adjusted(4, 4, -4, -4)
        painter.drawImage(inner, self._picture, inner)
        view = self._view_rect().intersected(QRectF(inner))
        soft = QColor(theme.accent)
        soft.setAlpha(0 if view.contains(QRectF(inner).adjusted(12, 12, -12, -12)) else 28)
        painter.setBrush(soft)
        painter.setPen(QPen(QColor(theme.accent), 1.25))
        painter.drawRoundedRect(view, 3, 3)
        painter.end()

    def _view_rect(self) -> QRectF:
        """Return the part in view, in the map's pixels."""
        camera = self._camera
        right, bottom = camera.to_data(camera.width, camera.height)
        corners = np.array([[camera.left, camera.top], [right, bottom]], np.float32)
        (x0, y0), (x1, y1) = self._map.to_screen(corners).tolist()
        return QRectF(QPointF(x0, y0), QPointF(x1, y1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            place = event.position()
            self.moved.emit(*self._map.to_data(place.x(), place.y()))


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
        """Set what nodes, edges and what nodes stand for are called; `tip` says what is counted."""
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
        # Closed communities count all that they hold.
        communities = tr("Communities") if self.counts else tr("Communities, entities drawn")
        self.legend.set_heading(self.key.title or communities)
        listed = self._communities()
        self.legend.show_communities(listed if self.key.scale is None else [])
        self.map.refresh()
        self.arrange()

    def _communities(self) -> list[tuple[int, str, int]]:
        """Return (community, label, count) of every community with at least two nodes, largest first."""
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

    def words(self, row: int, emphasis: Emphasis, summary: str = "") -> str:
        """Return a node's degree, community and heat in one line; `summary` replaces the first two."""
        arrays = self._arrays
        heat = emphasis.value_of(arrays.ids[row])
        title, value = self.heat.title, f"{heat or 0:.2g}"
        if summary and heat is not None:
            return tr(
                "{summary}\n{title} {value}, the sum of what it holds",
                summary=summary,
                title=title,
                value=value,
            )
        if summary:
            return summary
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
        """Set what the colours mean; the heat's scale takes precedence over another number's."""
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
        """Return whether the map shows where there is room: on a narrow canvas only on request."""
        wide = self._canvas.width() >= look.px(_MAP_FROM) and self.map.y() > self._bar.geometry().bottom()
        return wide if self._map_choice is None else self._map_choice

    def _show_map(self) -> None:
        self._map_button.setChecked(self._map_wanted and self._map_room)
        self._map_button.setEnabled(self._map_room)
        self.map.setVisible(self._map_wanted and self._map_room and len(self._arrays) > 1)

    def legends(self) -> Legends:
        """Return what the legends say now."""
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
        """Return the parts of the canvas that labels keep clear of."""
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
