"""A probability as a thin bar; the words beside it say the same."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from app.look import theme
from app.look.painting import rounded, smooth


class ProbabilityBar(QProgressBar):
    """From 0 at the left to 100 per cent at the right."""

    WIDE, HIGH = 96, 6

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, 100)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_probability(self, probability: float) -> None:
        self.setValue(round(min(max(probability, 0.0), 1.0) * 100))

    def sizeHint(self) -> QSize:
        return QSize(self.WIDE, self.HIGH)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, painter = theme.current(), smooth(self)
        bar_rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        rounded(painter, self.rect(), "strong_border", "surface", self.HIGH / 2)
        if self.value() > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color("accent"))
            bar_rect.setWidth(max(bar_rect.width() * self.value() / 100, self.HIGH))
            painter.drawRoundedRect(bar_rect, self.HIGH / 2, self.HIGH / 2)
