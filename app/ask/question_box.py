"""Where a question is written: one to three lines, with the questions asked before."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

from app.look import theme
from app.look.translation import tr

MOST_LINES = 3
HISTORY = 100


class QuestionBox(QPlainTextEdit):
    """Enter asks, Shift+Enter starts a line, Up and Down at its edges walk through what was asked.

    Signal: asked(question), stripped and never empty.
    """

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("questionBox")
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
        """What is written, without white space around it."""
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
        """Whether the caret cannot move a line further that way."""
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
