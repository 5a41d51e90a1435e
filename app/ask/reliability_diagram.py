"""A reliability diagram: how many answers of a stated probability were right. On the diagonal numbers hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.answers.wording import percent
from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.accessible import Role, Spoken, speak
from core.types import Bin, Reliability

LEFT, BELOW, EDGE = 44, 40, 20  # pixels around the square
NEAR = 8  # pixels from a point at which its figures are told
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class ReliabilityDiagram(QWidget):
    """Circles for the model that ships, squares for answers judged here, a line where the answer shown lies."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._found, self._answer = Reliability(), -1.0
        speak(self, Spoken(Role.Chart))
        theme.notifier().changed.connect(self.update)

    def show_reliability(self, found: Reliability, answer: float) -> None:
        """Replace what is shown; `answer` is the probability of the answer, below 0 for none."""
        self._found, self._answer = found, answer
        series = ((tr("The model that ships"), found.model), (tr("Your verdicts"), found.judged))
        words = [
            tr("{series}: {figures}.", series=name, figures=", ".join(map(bin_words, bins)))
            for name, bins in series
            if bins
        ]
        self.setAccessibleName(tr("Reliability diagram"))
        self.setAccessibleDescription(" ".join(words) or tr("No figures yet."))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(360), theme.px(320))

    def square(self) -> QRectF:
        """Where probabilities 0 to 1 lie, left to right, and shares 0 to 1, from below."""
        return QRectF(self.rect()).adjusted(theme.px(LEFT), theme.px(EDGE), -theme.px(EDGE), -theme.px(BELOW))

    def point_of(self, probability: float, right: float) -> QPointF:
        square = self.square()
        return QPointF(
            square.left() + probability * square.width(), square.bottom() - right * square.height()
        )

    def tip_at(self, position: QPointF) -> str:
        """What stands near a point of the widget; "" for nothing."""
        for name, bins in (
            (tr("The model that ships"), self._found.model),
            (tr("Your verdicts"), self._found.judged),
        ):
            for one in bins:
                if (self.point_of(_middle(one), one.right) - position).manhattanLength() <= NEAR:
                    return tr("{series}: {figures}", series=name, figures=bin_words(one))
        return ""

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tooltip(self.tip_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(theme.SMALL))
        self._paint_axes(painter)
        self._paint_series(painter, self._found.model, "accent", round_=True)
        self._paint_series(painter, self._found.judged, "warn", round_=False)
        painter.end()

    def _paint_axes(self, painter: QPainter) -> None:
        colors, square = theme.current(), self.square()
        painter.setPen(QPen(colors.color("border"), 1))
        for tick in TICKS:
            painter.drawLine(self.point_of(tick, 0), self.point_of(tick, 1))
            painter.drawLine(self.point_of(0, tick), self.point_of(1, tick))
        painter.setPen(QPen(colors.color("strong_border"), 1, Qt.PenStyle.DashLine))
        painter.drawLine(self.point_of(0, 0), self.point_of(1, 1))
        if self._answer >= 0:
            painter.setPen(QPen(colors.color("text"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(self.point_of(self._answer, 0), self.point_of(self._answer, 1))
        painter.setPen(colors.color("muted"))
        centre = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        for tick in TICKS:
            words = percent(tick)
            at = self.point_of(tick, 0)
            painter.drawText(
                QRectF(at.x() - theme.px(30), at.y() + 4, theme.px(60), theme.px(14)), centre, words
            )
            side = self.point_of(0, tick)
            flags = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(
                QRectF(0, side.y() - theme.px(8), theme.px(LEFT) - 6, theme.px(16)), flags, words
            )
        below = QRectF(square.left(), square.bottom() + theme.px(20), square.width(), theme.px(16))
        painter.drawText(below, centre, tr("stated probability"))
        above = QRectF(square.left() + 6, square.top() + 2, theme.px(120), theme.px(16))
        painter.drawText(above, 0, tr("\u2191 were right"))

    def _paint_series(self, painter: QPainter, bins: Sequence[Bin], role: str, round_: bool) -> None:
        colors = theme.current()
        points = [self.point_of(_middle(one), one.right) for one in bins]
        painter.setPen(QPen(colors.color(role), 1.5))
        for before, after in pairwise(points):
            painter.drawLine(before, after)
        painter.setBrush(colors.color(role) if round_ else colors.color("surface"))
        for point in points:
            box = QRectF(point.x() - 4, point.y() - 4, 8, 8)
            if round_:
                painter.drawEllipse(box)
            else:
                painter.drawRect(box)


def bin_words(one: Bin) -> str:
    """`of answers at 70 % to 80 %, 75 % were right (12 % of all)`."""
    return tr(
        "of answers at {low} to {high}, {right} were right ({share} of all)",
        low=percent(one.low),
        high=percent(one.high),
        right=percent(one.right),
        share=percent(one.share),
    )


def _middle(one: Bin) -> float:
    return (one.low + one.high) / 2
