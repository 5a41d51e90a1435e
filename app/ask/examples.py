"""What the ask panel offers before anything was asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.look.painting import rounded, smooth
from app.look.plain_text import button_words
from app.look.translation import tr
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop
from app.widgets.row_button import PaintedButton

KIND_WORDS = {
    "single-hop": tr("one document answers it"),
    "multi-hop": tr("joins several documents"),
    "unanswerable": tr("not in the documents: Clew should say so"),
}
WRAPPED = int(Qt.TextFlag.TextWordWrap)
# In which order kinds are offered: an easy one, then what only a graph can do.
TURNS = ("single-hop", "multi-hop", "multi-hop", "single-hop", "multi-hop", "unanswerable")


@dataclass(frozen=True, slots=True)
class Example:
    """A question that can be asked, and what is special about it."""

    question: str
    kind: str = ""


def read_examples(file: Path, most: int) -> list[Example]:
    """Questions of a file of JSON lines, kinds mixed as in TURNS. What cannot be read gives none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    waiting: dict[str, list[Example]] = {}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("question"), str):
            kind = str(row.get("kind", ""))
            waiting.setdefault(kind, []).append(Example(row["question"], kind))
    chosen = [waiting[kind].pop(0) for kind in TURNS if waiting.get(kind)]
    rest = [example for examples in waiting.values() for example in examples]
    return [*chosen, *rest][:most]


class Examples(QWidget):
    """A heading and one button a question. Signal: chosen(question)."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = PlainLabel(kind="heading", wrap=True)
        self.line = PlainLabel(kind="muted", wrap=True)
        self._column = column(self.heading, self.line, theme.GRID, margins=(0, theme.WITHIN, 0, 0), on=self)
        self.buttons: list[ExampleButton] = []

    def show_examples(self, examples: list[Example]) -> None:
        """Offer questions, or say what can be asked when there are none."""
        drop(self._column, self.buttons)
        self.buttons = [ExampleButton(example, self) for example in examples]
        for button in self.buttons:
            button.clicked.connect(lambda _, button=button: self.chosen.emit(button.example.question))
            self._column.addWidget(button)
        self.heading.setText(tr("Try one of these") if examples else tr("Ask your documents"))
        self.line.setText(
            tr("Clew shows the way it took and the sentences that carry the answer.")
            if examples
            else tr(
                "Who, when, where, how much: also where the answer lies in several documents. "
                "Clew shows the way it took and the sentences that carry the answer."
            )
        )


class ExampleButton(PaintedButton):
    """A question in a card, wrapped, with a small line on what it needs."""

    PAD = 12

    def __init__(self, example: Example, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.example = example
        self.setText(button_words(example.question))
        self.setAccessibleName(example.question)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _text_height(self, width: int) -> int:
        room = QRect(0, 0, width - 2 * self.PAD, 4000)
        return QFontMetrics(theme.font()).boundingRect(room, WRAPPED, self.example.question).height()

    def heightForWidth(self, width: int) -> int:
        small = QFontMetrics(theme.font(theme.SMALL)).height() if self.example.kind in KIND_WORDS else 0
        return self._text_height(width) + small + 2 * theme.WITHIN + (2 if small else 0)

    def hasHeightForWidth(self) -> bool:
        return True

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(max(self.width(), 240)))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, theme.px(40))

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, painter = theme.current(), smooth(self)
        lit = self.underMouse() or self.isDown()
        outline = "accent" if self.hasFocus() else "strong_border" if lit else "border"
        rounded(painter, self.rect(), outline, "accent_soft" if lit else "surface")
        height = self._text_height(self.width())
        inner = QRectF(self.PAD, theme.WITHIN, self.width() - 2 * self.PAD, height)
        painter.setFont(theme.font())
        painter.setPen(colors.color("text"))
        painter.drawText(inner, WRAPPED, self.example.question)
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(colors.color("muted"))
        below = QRectF(self.PAD, inner.bottom() + 2, inner.width(), theme.px(20))
        painter.drawText(below, 0, KIND_WORDS.get(self.example.kind, ""))
