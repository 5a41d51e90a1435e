"""The legend of the heat: the colour scale with numbers."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme as look
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.accessible import Role, Spoken, speak


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
        """Values at both ends, low <= high, both above 0."""
        self._words = (_number(low), _number(math.sqrt(low * high)), _number(high))
        self.title = title
        words = tr(
            "{title}: from {low} (cold, small) to {high} (hot, large), logarithmic scale",
            title=title, low=_number(low), high=_number(high),
        )  # fmt: skip
        self._tell(words)

    def set_words(self, low: str, middle: str, high: str, title: str) -> None:
        """What is written at the ends and in the middle."""
        self._words, self.title = (low, middle, high), title
        self._tell(
            tr("{title}: from {low} over {middle} to {high}", title=title, low=low, middle=middle, high=high)
        )

    def _tell(self, words: str) -> None:
        set_tip(self, words)
        self.setAccessibleName(words)
        self.update()

    def numbers(self) -> tuple[str, str, str]:
        """What stands at its beginning, middle and end."""
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
    """Two significant digits; small numbers without exponents."""
    if value <= 0:
        return "0"
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{value:.{min(digits, 6)}f}"
