"""The box in which a question is typed, and the examples offered below it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.look import theme
from app.look.painting import rounded, smooth
from app.look.translation import tr
from app.widgets.buttons import PaintedButton
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop

MOST_LINES = 3
HISTORY = 100


class QuestionBox(QPlainTextEdit):
    """Enter asks, Shift+Enter starts a line, Up and Down at its edges walk through what was asked.

    Signal: asked(question), stripped and never empty.
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Question"))
        self.setPlaceholderText(tr("Ask your documents\u2026"))
        self.setToolTip(
            tr("Enter asks, Shift+Enter starts a new line, Up and Down bring back earlier questions")
        )
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(0)
        self._history: list[str] = []
        self._at = 0  # place in the history; its length: the question being written
        self._draft = ""
        self.textChanged.connect(self._fit)
        theme.notifier().changed.connect(self._fit)
        self._fit()

    @property
    def question(self) -> str:
        """Return what is written, without white space around it."""
        return self.toPlainText().strip()

    def set_question(self, text: str) -> None:
        """Write a question in, the caret behind it."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def remember(self, question: str) -> None:
        """Put a question at the end of the history."""
        self._history = [*(past for past in self._history if past != question), question][-HISTORY:]
        self._at, self._draft = len(self._history), ""

    def submit(self) -> None:
        """Ask what is written; nothing is asked of an empty box."""
        if self.question:
            self.asked.emit(self.question)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shift:
            self.submit()
        elif event.key() == Qt.Key.Key_Up and not shift and self._on_edge(QTextCursor.MoveOperation.Up):
            self._walk(-1)
        elif event.key() == Qt.Key.Key_Down and not shift and self._on_edge(QTextCursor.MoveOperation.Down):
            self._walk(1)
        else:
            super().keyPressEvent(event)

    def _on_edge(self, way: QTextCursor.MoveOperation) -> bool:
        """Return whether the caret cannot move a line further that way."""
        return not self.textCursor().movePosition(way)

    def _walk(self, step: int) -> None:
        wanted = self._at + step
        if not 0 <= wanted <= len(self._history):
            return
        if self._at == len(self._history):
            self._draft = self.toPlainText()
        self._at = wanted
        self.set_question(self._draft if wanted == len(self._history) else self._history[wanted])

    def _fit(self, _: object = None) -> None:
        lines = max(1, sum(self._lines()))
        spacing = self.fontMetrics().lineSpacing()
        # 14 of padding and 2 of border, above and below together, as in the style sheet.
        self.setFixedHeight(min(lines, MOST_LINES) * spacing + 16)
        fits = lines <= MOST_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        self.setVerticalScrollBarPolicy(policy)

    def _lines(self) -> list[int]:
        block, counts = self.document().begin(), []
        while block.isValid():
            counts.append(max(block.layout().lineCount(), 1))
            block = block.next()
        return counts

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


KIND_WORDS = {
    "single-hop": tr("one document answers it"),
    "multi-hop": tr("joins several documents"),
    "unanswerable": tr("not in the documents: Clew should say so"),
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

    def __init__(self, example: Example, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.example = example
        self.setAccessibleName(example.question)
        words = KIND_WORDS.get(example.kind)
        kind = PlainLabel(words, "small") if words else None
        column(PlainLabel(example.question, wrap=True), kind, spacing=2, margins=(12, theme.WITHIN), on=self)
        self.pass_the_mouse()

    def paintEvent(self, event: QPaintEvent) -> None:
        lit = self.underMouse() or self.isDown()
        outline = "accent" if self.hasFocus() else "strong_border" if lit else "border"
        rounded(smooth(self), self.rect(), outline, "accent_soft" if lit else "surface")
