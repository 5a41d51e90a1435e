"""What the lines mean while edges are drawn that follow from others: a sample of each, its name and number."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap, QPolygonF
from PySide6.QtWidgets import QFrame

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.lines import derived_colour, line_pen
from app.graph.live_scene import LiveScene
from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr
from core.types import EDGE_KINDS, EDGES_CALLED

_ROW, _SAMPLE, _GAP = 22, 40, 8  # pixels at 100 %


class EdgeLegend(QFrame):
    """Lies upon the canvas, below its counts, while there is such an edge."""

    def __init__(self, canvas: GraphCanvas, live: LiveScene) -> None:
        super().__init__(canvas)
        self._canvas, self._live = canvas, live
        self.rows: Sequence[tuple[int, str]] = ()  # row of EDGE_KINDS, and what is said of it
        self.setProperty("kind", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        canvas.lay(self)
        live.redrawn.connect(self.refresh)

    def refresh(self) -> None:
        drawn = self._live.now.drawing.kinds
        kinds = [] if drawn is None else drawn.tolist()
        rows = [
            (number, tr("{kind} {count}", kind=tr(EDGES_CALLED[kind]), count=count))
            for number, kind in enumerate(EDGE_KINDS)
            if (count := kinds.count(number))
        ]
        if rows != self.rows:
            self.rows = rows
            self.setAccessibleName(tr("Links: {kinds}", kinds=", ".join(words for _, words in rows)))
            self.setVisible(bool(rows))
            self.updateGeometry()
            self._canvas.arrange()
            self.update()

    def sizeHint(self) -> QSize:
        widest = max((self.fontMetrics().horizontalAdvance(words) for _, words in self.rows), default=0)
        wide = widest + theme.px(_SAMPLE) + 4 * theme.px(_GAP)
        return QSize(wide, len(self.rows) * theme.px(_ROW) + theme.px(_GAP))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        high, gap = theme.px(_ROW), theme.px(_GAP)
        for at, (kind, words) in enumerate(self.rows):
            middle, begin, end = gap / 2 + (at + 0.5) * high, float(gap), float(gap + theme.px(_SAMPLE))
            paint_line(painter, kind, QPointF(begin, middle), end - begin)
            box = QRectF(end + gap, middle - high / 2, self.width() - end - gap, high)
            paint_text(painter, box, words, "text", theme.SMALL)
        painter.end()


def paint_line(painter: QPainter, kind: int, begin: QPointF, length: float) -> None:
    """A sample of a kind, a row of EDGE_KINDS, from left to right."""
    end, y = begin.x() + length, begin.y()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(line_pen(kind))
    painter.drawLine(begin, QPointF(end - 6, y))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(derived_colour())
    painter.drawPolygon(QPolygonF([QPointF(end, y), QPointF(end - 8, y - 3.5), QPointF(end - 8, y + 3.5)]))


def line_icon(kind: int) -> QIcon:
    wide, high = theme.px(28), theme.px(12)
    picture = QPixmap(2 * wide, 2 * high)
    picture.setDevicePixelRatio(2.0)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_line(painter, kind, QPointF(1.0, high / 2), wide - 2.0)
    painter.end()
    return QIcon(picture)
