"""Plain text with marked places. Offsets are Python code points; Qt counts UTF-16 units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from app import theme as look
from app.widgets.marked_label import cited_format

Kind = Literal["citation", "entity", "found"]


class MarkedText(QPlainTextEdit):
    """A read-only view that shows text as it is, never as HTML, with coloured and underlined ranges."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(look.GROUPS)
        self.setAccessibleName("Text")
        self._text = ""
        self._wide: NDArray[np.int64] = np.zeros(0, np.int64)
        self._marks: dict[Kind, list[tuple[int, int]]] = {}
        look.notifier().changed.connect(self._show_marks)

    def set_text(self, text: str) -> None:
        """Show another text without marks."""
        # Qt splits lines at these as well; one code point each, so that offsets stay right.
        self._text = text.replace("\r\n", " \n").replace("\r", "\n").replace("\0", "\ufffd")
        self._wide = np.array([at for at, sign in enumerate(self._text) if sign > "\uffff"], np.int64)
        self._marks = {}
        self.setPlainText(self._text)
        self._show_marks()

    def text(self) -> str:
        """What is shown."""
        return self._text

    def mark(self, ranges: Sequence[tuple[int, int]], kind: Kind) -> None:
        """Mark half-open ranges of code points, in place of those marked before with this kind.

        `citation` is strong (filled), `entity` a soft underline, `found` a search hit.
        """
        self._marks[kind] = [(start, end) for start, end in ranges if end > start]
        self._show_marks()

    def marked(self, kind: Kind) -> list[str]:
        """The marked pieces of text, read back from the view."""
        pieces = []
        for start, end in self._marks.get(kind, []):
            pieces.append(self._cursor(start, end).selectedText().replace("\u2029", "\n"))
        return pieces

    def scroll_to(self, start: int) -> None:
        """Bring a code point into view, a third below the top, without changing the selection."""
        cursor = self._cursor(start, start)
        self.setTextCursor(cursor)
        self.centerCursor()

    def to_utf16(self, at: int) -> int:
        """Qt's position of a code point; beyond the end counts as the end."""
        at = min(max(at, 0), len(self._text))
        return at + int(np.searchsorted(self._wide, at, side="left"))

    def from_utf16(self, position: int) -> int:
        """The code point at a position of Qt's."""
        # The k-th wide sign starts at its code point plus the k wide signs before it.
        starts = self._wide + np.arange(len(self._wide))
        return position - int(np.searchsorted(starts, position, side="left"))

    def selected_range(self) -> tuple[int, int]:
        """The selection in code points; empty where there is none."""
        cursor = self.textCursor()
        return self.from_utf16(cursor.selectionStart()), self.from_utf16(cursor.selectionEnd())

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.to_utf16(start))
        cursor.setPosition(self.to_utf16(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _show_marks(self, *_: object) -> None:
        selections = []
        for kind in ("entity", "citation", "found"):
            shape = _shape(kind)
            for start, end in self._marks.get(kind, []):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self._cursor(start, end)
                selection.format = shape
                selections.append(selection)
        self.setExtraSelections(selections)


def _shape(kind: Kind) -> QTextCharFormat:
    theme, shape = look.current(), QTextCharFormat()
    if kind == "citation":
        return cited_format()
    if kind == "found":
        shape.setBackground(QColor(theme.accent_soft))
        shape.setForeground(QColor(theme.text))
    else:
        shape.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        shape.setUnderlineColor(QColor(theme.accent))
    return shape
