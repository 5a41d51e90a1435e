"""The chain of facts that leads to a passage, a numbered line a fact; a press opens the sentence that tells it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.answers.wording import step_words
from app.look import theme
from app.look.painting import paint_text, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import RowButton
from core.text.escape_controls import escape_controls
from core.types import PathStep

SIDE = 16  # pixels of a number's circle


class StepButton(RowButton):
    """`2  Calder Reach Trading  owned by  Oriel Nominees`: the predicate is set apart."""

    def __init__(self, number: int, step: PathStep) -> None:
        super().__init__()
        self.number, self.step = number, step
        self.words = escape_controls(step_words(step))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.follow(self, self.updateGeometry)
        self.setAccessibleName(tr("Fact {number}: {fact}", number=number, fact=self.words))
        set_tip(self, tr("{fact}\nPress to open the sentence that tells it.", fact=self.words))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(SIDE) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, side = smooth(self), float(theme.px(SIDE))
        circle = QRectF(2, (self.height() - side) / 2, side, side)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().color("accent"))
        painter.drawEllipse(circle)
        centre = Qt.AlignmentFlag.AlignCenter
        paint_text(painter, circle, str(self.number), "on_accent", theme.SMALL, QFont.Weight.DemiBold, centre)
        left, room = circle.right() + theme.WITHIN, self.width() - theme.GRID
        parts = ((self.step.subject, "text"), (self.step.predicate, "accent"), (self.step.object, "text"))
        for words, role in parts:
            if left < room:
                box = QRectF(left, 0, room - left, self.height())
                left += paint_text(painter, box, " ".join(escape_controls(words).split()), role, theme.SMALL)
                left += theme.GRID + 2
