"""What the ask panel offers before anything was asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from app.look import theme
from app.look.plain_text import button_words
from app.widgets.plain_label import PlainLabel

KIND_WORDS = {
    "single-hop": "one document answers it",
    "multi-hop": "joins several documents",
    "unanswerable": "not in the documents: Clew should say so",
}
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
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, theme.WITHIN, 0, 0)
        self._column.setSpacing(theme.WITHIN)
        self.heading = _label("", "heading")
        self.line = _label("", "muted")
        self._column.addWidget(self.heading)
        self._column.addWidget(self.line)
        self._column.addSpacing(theme.GRID)
        self.buttons: list[ExampleButton] = []

    def show_examples(self, examples: list[Example]) -> None:
        """Offer questions, or say what can be asked when there are none."""
        for button in self.buttons:
            self._column.removeWidget(button)
            button.deleteLater()
        self.buttons = [ExampleButton(example, self) for example in examples]
        for button in self.buttons:
            button.clicked.connect(lambda _, button=button: self.chosen.emit(button.example.question))
            self._column.addWidget(button)
        self.heading.setText("Try one of these" if examples else "Ask your documents")
        self.line.setText(
            "Clew shows the way it took and the sentences that carry the answer."
            if examples
            else "Who, when, where, how much: also where the answer lies in several documents. "
            "Clew shows the way it took and the sentences that carry the answer."
        )


class ExampleButton(QAbstractButton):
    """A question in a card, wrapped, with a small line on what it needs."""

    PAD = 12

    def __init__(self, example: Example, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.example = example
        self.setText(button_words(example.question))
        self.setAccessibleName(example.question)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _text_height(self, width: int) -> int:
        inner = width - 2 * self.PAD
        flags = int(Qt.TextFlag.TextWordWrap)
        return (
            QFontMetrics(theme.font()).boundingRect(0, 0, inner, 4000, flags, self.example.question).height()
        )

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
        colors, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self.underMouse() or self.isDown()
        painter.setPen(colors.color("accent" if self.hasFocus() else "strong_border" if lit else "border"))
        painter.setBrush(colors.color("accent_soft" if lit else "surface"))
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme.RADIUS, theme.RADIUS
        )
        height = self._text_height(self.width())
        inner = QRectF(self.PAD, theme.WITHIN, self.width() - 2 * self.PAD, height)
        painter.setFont(theme.font())
        painter.setPen(colors.color("text"))
        painter.drawText(inner, int(Qt.TextFlag.TextWordWrap), self.example.question)
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(colors.color("muted"))
        below = QRectF(self.PAD, inner.bottom() + 2, inner.width(), theme.px(20))
        painter.drawText(below, 0, KIND_WORDS.get(self.example.kind, ""))
        painter.end()


def _label(words: str, kind: str) -> PlainLabel:
    return PlainLabel(words, kind, wrap=True)
