"""Which share of the questions each route took, a stacked bar for each day or week."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.counting import axis_words
from app.look.painting import rounded
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.monitor.words import bucket_words, day_words, way_name
from app.widgets.accessible import Part, Role, Spoken, speak, tell_focus
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row
from app.widgets.plot import Plot
from core.types import AskedTogether

_WIDE = 0.72  # of a bar, where the next one begins at 1
_LABELS = 7  # days that are named below the bars
_SOLID, _PATTERNS = Qt.BrushStyle.SolidPattern, (
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.Dense5Pattern,
    Qt.BrushStyle.HorPattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.CrossPattern,
    Qt.BrushStyle.VerPattern,
    Qt.BrushStyle.DiagCrossPattern,
)  # fmt: skip
# Each keeps its colour and pattern, whichever others are shown.
_ROUTES = (
    "graph",
    "fusion",
    "dense",
    "lexical",
    "hybrid",
    "agentic",
    "hierarchical",
    "global",
    "table",
    "none",
)


def paint_route(painter: QPainter, box: QRectF, route: str) -> None:
    """A filled box in the route's colour and pattern."""
    now = theme.current()
    at = _ROUTES.index(route) if route in _ROUTES else len(_ROUTES)
    color = QColor(now.neutral if route == "none" else now.communities[at % len(now.communities)])
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRect(box)
    if at:
        painter.setBrush(QBrush(now.upon(color), _PATTERNS[(at - 1) % len(_PATTERNS)]))
        painter.setOpacity(0.55)
        painter.drawRect(box)
        painter.setOpacity(1.0)


class _Bars(pg.GraphicsObject):  # type: ignore[misc]
    """Painted in pixels: a pattern in the plot's own units would be as wide as a bar."""

    def __init__(self) -> None:
        super().__init__()
        self.buckets: tuple[AskedTogether, ...] = ()
        self.chosen = -1

    def boundingRect(self) -> QRectF:
        return QRectF(-0.5, 0.0, max(len(self.buckets), 1), 1.0)

    def paint(self, painter: QPainter, *_: object) -> None:
        through = painter.transform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for at, bucket in enumerate(self.buckets):
            below = 0.0
            for route in sorted(dict(bucket.routes), key=_place):
                share = bucket.share(route)
                box = QRectF(at - _WIDE / 2, below, _WIDE, share)
                paint_route(painter, QRectF(through.mapRect(box)), route)
                below += share
            if at == self.chosen:
                outline = through.mapRect(QRectF(at - _WIDE / 2, 0.0, _WIDE, 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(theme.current().color("text"), 2))
                painter.drawRect(outline)
        painter.restore()


class _Days(pg.AxisItem):  # type: ignore[misc]
    """Names the days on which some of the bars begin."""

    def show_days(self, buckets: Sequence[AskedTogether]) -> None:
        step = -(-len(buckets) // _LABELS) or 1
        named = [
            (at, axis_words(date.fromisoformat(buckets[at].begin), "D"))
            for at in range(0, len(buckets), step)
        ]
        self.setTicks([named])


class _Shares(pg.AxisItem):  # type: ignore[misc]
    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [f"{value * 100:.0f} %" for value in values]


class RoutesPlot(Plot):
    """Left and Right go from bar to bar. Signal: chosen(place)."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._days = _Days("bottom")
        super().__init__(self._days, _Shares("left"), parent)
        self.setObjectName("routesPlot")
        self._bars = _Bars()
        self.box.addItem(self._bars)
        speak(self, Spoken(Role.List, self._parts, lambda: self._bars.chosen))
        self.setAccessibleName(tr("Share of each route over time"))
        theme.follow(self, self._dress)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(280), theme.px(180))

    @property
    def buckets(self) -> tuple[AskedTogether, ...]:
        return self._bars.buckets

    def show_buckets(self, buckets: tuple[AskedTogether, ...]) -> None:
        """The oldest at the left."""
        self._bars.prepareGeometryChange()
        self._bars.buckets, self._bars.chosen = buckets, -1
        self.box.setRange(xRange=(-0.5, max(len(buckets), 6) - 0.5), yRange=(0, 1), padding=0.02)
        self._days.show_days(buckets)
        self._bars.update()

    def choose(self, at: int) -> None:
        """Show one as chosen, without telling it; -1 for none."""
        self._bars.chosen = at
        self._bars.update()

    def _dress(self) -> None:
        self.dress_axes()
        self.setFixedHeight(theme.px(180))
        self._bars.update()

    def _box(self, at: int) -> QRect:
        """Of a bar, in this widget's pixels."""
        one, two = (
            QPointF(self.box.mapViewToDevice(QPointF(x, y)))
            for x, y in ((at - _WIDE / 2, 1), (at + _WIDE / 2, 0))
        )
        return QRectF(one, two).toRect()

    def _under(self, spot: QPointF) -> int:
        x = self.box.mapDeviceToView(spot).x()
        at = round(x)
        return at if 0 <= at < len(self.buckets) else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._under(event.position())
        set_tip(self, bucket_words(self.buckets[at]) if at >= 0 else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if (at := self._under(event.position())) >= 0:
            self._tell(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if move is None or not self.buckets:
            event.ignore()
            return
        self._tell(min(max(self._bars.chosen + move, 0), len(self.buckets) - 1))

    def _tell(self, at: int) -> None:
        self.choose(at)
        tell_focus(self, at)
        self.chosen.emit(at)

    def _parts(self) -> list[Part]:
        return [
            Part(day_words(bucket.begin), bucket_words(bucket), self._box(at), at == self._bars.chosen)
            for at, bucket in enumerate(self.buckets)
        ]


class _Swatch(QWidget):
    def __init__(self, route: str) -> None:
        super().__init__()
        self._route = route
        theme.square(self, 14)

    def paintEvent(self, event: object) -> None:
        painter = QPainter(self)
        paint_route(painter, QRectF(self.rect().adjusted(1, 1, -1, -1)), self._route)
        rounded(painter, self.rect(), "strong_border", radius=2)


class RoutesLegend(QWidget):
    """Colour, pattern, name and share of each route, the most taken first."""

    def __init__(self) -> None:
        super().__init__()
        self._column = column(STRETCH, spacing=theme.GRID, on=self)

    def show_routes(self, found: AskedTogether) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for route, _ in found.routes:
            line = QWidget()
            share = f"{found.share(route) * 100:.0f} %"
            row(
                _Swatch(route),
                (ElidedLabel(way_name(route), "small", end=True), 1),
                PlainLabel(share, "small"),
                on=line,
            )
            self._column.addWidget(line)
        self._column.addStretch(1)


def _place(route: str) -> int:
    return _ROUTES.index(route) if route in _ROUTES else len(_ROUTES)
