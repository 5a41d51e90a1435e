"""What the ask panel offers before anything was asked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.painting import rounded, smooth
from app.look.translation import tr
from app.widgets.buttons import PaintedButton
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop

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
