"""Why this number: what a probability means here, and how well such numbers held, as a reliability diagram."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QDialog, QSizePolicy, QToolTip, QWidget

from app.answers.wording import percent, probability_tip, probability_words
from app.look import theme
from app.look.counting import listed
from app.look.painting import paint_text
from app.look.plain_text import tooltip
from app.look.translation import tr, trn
from app.widgets.accessible import Role, Spoken, speak
from app.widgets.labels import PlainLabel
from app.widgets.layout import fill_dialog, row
from core.types import Bin, Reliability

EXPLAINED = tr(
    "Each point is the answers of one range of probabilities. Where numbers hold, points lie on the dashed line; "
    "below it fewer answers were right than was said. The dotted line is the answer shown."
)
LEFT, BELOW, EDGE = 44, 40, 20  # pixels around the square
NEAR = 8  # pixels from a point at which its figures are told
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


class CalibrationDialog(QDialog):
    """Not modal, so that the answer stays in view."""

    def __init__(self, probability: float, found: Reliability, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Why this number?"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.diagram = ReliabilityDiagram()
        self.diagram.show_reliability(found, probability)
        self.legend = PlainLabel(legend_words(found), "muted", wrap=True)
        fill_dialog(
            self,
            PlainLabel(probability_words(probability), "heading"),
            PlainLabel(probability_tip(probability), wrap=True),
            row(self.diagram),
            self.legend,
            PlainLabel(EXPLAINED, "small", wrap=True),
            spacing=theme.WITHIN + theme.GRID,
        )


def legend_words(found: Reliability) -> str:
    """Return what the signs stand for, or what to do where there are none."""
    model = tr("\u25cf The model that ships, on questions that it did not learn from")
    judged = trn(
        "\u25a1 Your verdicts in this workspace: {count} answer",
        "\u25a1 Your verdicts in this workspace: {count} answers",
        found.answers,
    )
    if not found.model:
        model = tr("\u25cf No figures came with the model.")
    if not found.judged:
        judged = tr(
            "\u25a1 Press Right or Wrong below answers, and you see here how numbers hold for your documents."
        )
    return f"{model}\n{judged}"


class ReliabilityDiagram(QWidget):
    """Circles for the model that ships, squares for answers judged here, a line where the answer shown lies."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._found, self._answer = Reliability(), -1.0
        speak(self, Spoken(Role.Chart))

    def show_reliability(self, found: Reliability, answer: float) -> None:
        """Replace what is shown; `answer` is the probability of the answer, below 0 for none."""
        self._found, self._answer = found, answer
        series = ((tr("The model that ships"), found.model), (tr("Your verdicts"), found.judged))
        words = [
            tr("{series}: {figures}.", series=name, figures=listed(map(bin_words, bins)))
            for name, bins in series
            if bins
        ]
        self.setAccessibleName(tr("Reliability diagram"))
        self.setAccessibleDescription(" ".join(words) or tr("No figures yet."))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(360), theme.px(320))

    def square(self) -> QRectF:
        """Return where probabilities 0 to 1 lie, left to right, and shares 0 to 1, from below."""
        return QRectF(self.rect()).adjusted(theme.px(LEFT), theme.px(EDGE), -theme.px(EDGE), -theme.px(BELOW))

    def point_of(self, probability: float, right: float) -> QPointF:
        square = self.square()
        return QPointF(
            square.left() + probability * square.width(), square.bottom() - right * square.height()
        )

    def tip_at(self, position: QPointF) -> str:
        """Return what stands near a point of the widget; "" for nothing."""
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
            at, side = self.point_of(tick, 0), self.point_of(0, tick)
            box = QRectF(at.x() - theme.px(30), at.y() + 4, theme.px(60), theme.px(14))
            painter.drawText(box, centre, percent(tick))
            box = QRectF(0, side.y() - theme.px(8), theme.px(LEFT) - 6, theme.px(16))
            paint_text(painter, box, percent(tick), "muted", theme.SMALL, place=Qt.AlignmentFlag.AlignRight)
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
