"""Quality against cost: a point for each composition, a line along those that nothing beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from app.widgets.plot import Plot
from core.text.escape_controls import escape_controls

_REACH = 14  # pixels around a point that are the point's
_SIZE, _FRONT_SIZE = 8, 12


@dataclass(frozen=True, slots=True)
class Point:
    """`cost` above 0. `front`: nothing else finds as much for less. `words` tell of it in a tooltip."""

    name: str
    cost: float
    quality: float
    front: bool
    words: str


class _Costs(pg.AxisItem):  # type: ignore[misc]
    """Written out, where pyqtgraph writes some as powers and some as numbers."""

    def logTickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [f"{10**value:,.10g}" if value == round(value) else "" for value in values]


class _Shares(pg.AxisItem):  # type: ignore[misc]
    """As they are, where pyqtgraph would write thousandths."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [f"{value:.2f}" if spacing >= 0.01 else f"{value:.3f}" for value in values]


class ParetoPlot(Plot):
    """Cost on a logarithmic axis. Points of the front are diamonds, others circles. Left and Right go from point to
    point. Signal: chosen(name)."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(_Costs("bottom"), _Shares("left"), parent)
        self.setObjectName("labPlot")
        self.points: tuple[Point, ...] = ()
        self._chosen = self._cost_title = self._quality_title = ""
        self.bottom.setLogMode(True)
        self._line = pg.PlotCurveItem(antialias=True)
        self._dots = pg.ScatterPlotItem(pxMode=True)
        self._label = pg.TextItem(anchor=(0.5, 1.25))
        self._label.setZValue(10)
        for item in (self._line, self._dots):
            self.box.addItem(item)
        self.box.addItem(self._label, ignoreBounds=True)
        speak(self, Spoken(Role.List, self._parts, self._place))
        self.setAccessibleName(tr("Quality against cost"))
        theme.follow(self, self._dress)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), self.minimumHeight())

    def show_points(self, points: Sequence[Point], cost: str, quality: str) -> None:
        """Replace what is shown; `cost` and `quality` are the titles of the axes."""
        self.points = tuple(sorted(points, key=lambda point: (point.cost, point.quality)))
        self._cost_title, self._quality_title = cost, quality
        self._dress()

    def choose(self, name: str) -> None:
        """Show one as chosen, without telling it."""
        self._chosen = name
        self._paint()

    # ------------------------------------------------------------ painting

    def _dress(self) -> None:
        self.dress_axes()
        for axis, title in ((self.bottom, self._cost_title), (self.left, self._quality_title)):
            axis.enableAutoSIPrefix(False)
            axis.label.setFont(theme.font(theme.SMALL))
            axis.setLabel(escape_controls(title))
            axis.setGrid(30)
        self._paint()

    def _paint(self) -> None:
        now = theme.current()
        front = [point for point in self.points if point.front]
        pen = QPen(now.color("accent"), 1.5)
        pen.setCosmetic(True)
        costs = [math.log10(point.cost) for point in front]
        self._line.setData(costs, [point.quality for point in front], pen=pen)
        spots = []
        for point in self.points:
            here = point.name == self._chosen
            role = "accent" if point.front else "strong_border"
            spots.append(
                {
                    "pos": (math.log10(point.cost), point.quality),
                    "size": theme.px(_FRONT_SIZE if point.front else _SIZE) + (4 if here else 0),
                    "symbol": "d" if point.front else "o",
                    "brush": pg.mkBrush(now.color(role) if point.front or here else now.color("surface")),
                    "pen": pg.mkPen(now.color("text" if here else role), width=2 if here else 1.5),
                }
            )
        self._dots.setData(spots)
        chosen = next((point for point in self.points if point.name == self._chosen), None)
        self._label.setVisible(chosen is not None)
        if chosen is not None:
            self._label.setFont(theme.font(theme.SMALL))
            self._label.setText(escape_controls(chosen.name), color=now.color("text"))
            self._label.setPos(math.log10(chosen.cost), chosen.quality)
        self._fit()

    def _fit(self) -> None:
        """All points, with room for half of a mark and a name above."""
        if not self.points:
            return
        costs = [math.log10(point.cost) for point in self.points]
        qualities = [point.quality for point in self.points]
        wide, high = max(max(costs) - min(costs), 0.3), max(max(qualities) - min(qualities), 0.05)
        self.box.setRange(
            xRange=(min(costs) - wide * 0.08, max(costs) + wide * 0.08),
            yRange=(min(qualities) - high * 0.1, max(qualities) + high * 0.18),
            padding=0,
        )

    # ------------------------------------------------------------ hands

    def on_screen(self, point: Point) -> QPointF:
        """Where a point is, in the widget's pixels."""
        scene = self.box.mapViewToScene(QPointF(math.log10(point.cost), point.quality))
        return QPointF(self.mapFromScene(scene))

    def _under(self, at: QPointF) -> Point | None:
        near = [(((self.on_screen(point) - at).manhattanLength()), point) for point in self.points]
        best = min(near, key=lambda item: item[0], default=None)
        return best[1] if best is not None and best[0] <= theme.px(_REACH) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = self._under(event.position())
        set_tip(self, f"{point.name}\n{point.words}" if point is not None else "")
        self.setCursor(Qt.CursorShape.PointingHandCursor if point is not None else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if (point := self._under(event.position())) is not None:
            self._choose_point(point)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        move = moves.get(Qt.Key(event.key()))
        if move is None or not self.points:
            event.ignore()
            return
        self._choose_point(self.points[min(max(self._place() + move, 0), len(self.points) - 1)])

    def _choose_point(self, point: Point) -> None:
        self.choose(point.name)
        announce_focus(self, self._place())
        self.chosen.emit(point.name)

    def _place(self) -> int:
        names = [point.name for point in self.points]
        return names.index(self._chosen) if self._chosen in names else -1

    def _parts(self) -> list[Part]:
        parts = []
        for point in self.points:
            at = self.on_screen(point).toPoint()
            box = (
                self.rect().adjusted(0, 0, 1 - self.width() + _SIZE, 1 - self.height() + _SIZE).translated(at)
            )
            parts.append(Part(point.name, point.words, box, point.name == self._chosen))
        return parts
