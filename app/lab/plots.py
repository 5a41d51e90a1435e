"""How runs and trainings are drawn: quality against cost, and the steps of a training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from core.text.escape_controls import escape_controls


class Plot(pg.GraphicsView):  # type: ignore[misc]
    """Neither zoomed nor moved. Not pyqtgraph's PlotItem: that comes with menus of its own, in English."""

    def __init__(self, bottom: pg.AxisItem, left: pg.AxisItem, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.bottom, self.left = bottom, left
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False)
        layout = pg.GraphicsLayout()
        for item, row, column in ((left, 0, 0), (self.box, 0, 1), (bottom, 1, 1)):
            layout.addItem(item, row, column)
        self.setCentralItem(layout)
        for axis in (bottom, left):
            axis.linkToView(self.box)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def dress_axes(self) -> None:
        """As the theme is now."""
        now = theme.current()
        for axis in (self.bottom, self.left):
            axis.setPen(pg.mkPen(now.color("border")))
            axis.setTextPen(pg.mkPen(now.color("muted")))
            axis.setTickFont(theme.font(theme.SMALL))
            axis.setStyle(tickTextOffset=4)
        self.setBackground(now.color("window"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls


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
        """Return where a point is, in the widget's pixels."""
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


# A line is known by its dashes as well as by its colour.
DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
_WIDTH = 2.0
_LEAST_HIGH = 0.1  # half of what is seen where all is the same
_SAMPLE = 28  # pixels of a line beside its name


def line_pen(at: int) -> QPen:
    """That of the line at this place, as the theme is now."""
    pen = QPen(theme.current().community_mark(at)[0], _WIDTH, DASHES[at % len(DASHES)])
    pen.setCosmetic(True)
    return pen


class _Steps(pg.AxisItem):  # type: ignore[misc]
    """Whole steps only."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [f"{value:,.0f}" if value == round(value) else "" for value in values]


class _Values(pg.AxisItem):  # type: ignore[misc]
    """As they are, where pyqtgraph would write thousandths."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [f"{value:.2f}" if spacing < 0.1 else f"{value:.1f}" for value in values]


class TrainingPlot(Plot):
    """Left, Right, Home and End go from step to step, and so does a press. Signal: pointed(step, from 0)."""

    pointed = Signal(int)

    def __init__(self, title: str, name: str, titled: bool = True, parent: QWidget | None = None) -> None:
        """`titled`: whether the axis below says that it counts steps."""
        super().__init__(_Steps("bottom"), _Values("left"), parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._title, self._titled = title, titled
        self.rows: tuple[Mapping[str, float], ...] = ()
        self.step = -1
        self._lines: list[pg.PlotCurveItem] = []
        self._cursor = pg.InfiniteLine(angle=90, movable=False)
        self.box.addItem(self._cursor, ignoreBounds=True)
        speak(self, Spoken(Role.List, self._parts, lambda: self.step))
        theme.follow(self, self._dress)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(220), self.minimumHeight())

    def show_rows(self, rows: Sequence[Mapping[str, float]]) -> None:
        """A row a step, each with the same names; where it stood it stays, so that a line grows in sight."""
        self.rows = tuple(rows)
        self.step = min(self.step, len(rows) - 1)
        names = list(rows[0]) if rows else []
        while len(self._lines) < len(names):
            line = pg.PlotCurveItem(antialias=True)
            self._lines.append(line)
            self.box.addItem(line)
        steps = np.arange(1, len(rows) + 1)
        for line, name in zip(self._lines, names, strict=False):
            line.setData(steps, np.array([row[name] for row in rows]))
        for line in self._lines[len(names) :]:
            line.setData([], [])
        self._dress()

    def point(self, step: int) -> None:
        """Mark a step, -1 for none, without telling it."""
        self.step = step
        self._cursor.setVisible(step >= 0)
        self._cursor.setPos(step + 1)

    def _dress(self) -> None:
        self.dress_axes()
        for axis, words in ((self.bottom, tr("Step")), (self.left, self._title)):
            axis.enableAutoSIPrefix(False)
            axis.label.setFont(theme.font(theme.SMALL))
            axis.setLabel(words)
            axis.setGrid(30)
            axis.setStyle(maxTickLevel=0)
        self.bottom.showLabel(self._titled)
        for at, line in enumerate(self._lines):
            line.setPen(line_pen(at))
        self._cursor.setPen(pg.mkPen(theme.current().color("strong_border")))
        self.point(self.step)
        if self.rows:
            values = [value for row in self.rows for value in row.values()]
            middle = (max(values) + min(values)) / 2
            half = max(max(values) - middle, _LEAST_HIGH) * 1.16
            steps = (1, max(2, len(self.rows)))
            self.box.setRange(xRange=steps, yRange=(middle - half, middle + half), padding=0.02)

    # ------------------------------------------------------------ hands

    def on_screen(self, step: int) -> QPointF:
        """Return where a step stands, in the widget's pixels, half way up."""
        low, high = self.box.viewRange()[1]
        scene = self.box.mapViewToScene(QPointF(step + 1, (low + high) / 2))
        return QPointF(self.mapFromScene(scene))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        place = self.box.mapSceneToView(self.mapToScene(event.position().toPoint()))
        self._go(round(place.x()) - 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.rows) - 1
        to = {
            Qt.Key.Key_Left: self.step - 1, Qt.Key.Key_Right: self.step + 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))  # fmt: skip
        if to is None or not self.rows:
            event.ignore()
            return
        self._go(to)

    def _go(self, step: int) -> None:
        if self.rows:
            self.point(min(max(step, 0), len(self.rows) - 1))
            announce_focus(self, self.step)
            self.pointed.emit(self.step)

    def _parts(self) -> list[Part]:
        return [
            Part(tr("Step {number}", number=at + 1), values_words(row), chosen=at == self.step)
            for at, row in enumerate(self.rows)
        ]


class LineLegend(QWidget):
    """The name of each line behind a piece of it."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = tuple(names)
        theme.follow(self, self._fit)

    def _fit(self) -> None:
        self.setFixedHeight(theme.px(18))
        self.setMinimumWidth(theme.px(110) * len(self._names))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = 0.0
        for at, name in enumerate(self._names):
            painter.setPen(line_pen(at))
            middle = self.height() / 2
            painter.drawLine(QPointF(left, middle), QPointF(left + theme.px(_SAMPLE), middle))
            box = self.rect().adjusted(round(left) + theme.px(_SAMPLE) + theme.GRID, 0, 0, 0)
            left = box.left() + paint_text(painter, box, name, "muted", theme.SMALL) + theme.GROUPS


def values_words(row: Mapping[str, float]) -> str:
    """`relevance .912, faithfulness .583`, by the names that people read."""
    return tr(", ").join(
        tr("{name} {value}", name=reward_words(name), value=f"{value:.3f}") for name, value in row.items()
    )


REWARD_WORDS = {
    "relevance": tr("relevance"),
    "faithfulness": tr("faithfulness"),
    "conciseness": tr("conciseness"),
}


def reward_words(name: str) -> str:
    """Return a reward as people call it; others keep their letters."""
    return REWARD_WORDS.get(name, name)
