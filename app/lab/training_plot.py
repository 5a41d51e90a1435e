"""A training step by step: a line for each reward, or for each weight, with a step that the keyboard moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from app.widgets.plot import Plot

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
        """Where a step stands, in the widget's pixels, half way up."""
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
    """A reward as people call it; others keep their letters."""
    return REWARD_WORDS.get(name, name)
