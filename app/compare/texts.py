"""An answer beside another: words that the other does not say are marked, by a line as well as by colour."""

from __future__ import annotations

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from app.answers.wording import NOT_TOLD, duration, percent, route_name
from app.look import theme
from app.look.translation import tr, trn
from core.text.escape_controls import escape_controls
from core.types import Answer

_LINES = 3


class DiffText(QPlainTextEdit):
    """Read only; `struck` through what the other side does not say, else underlined."""

    def __init__(self, name: str, struck: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent, readOnly=True)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self._struck = struck
        self._spans: tuple[tuple[int, int], ...] = ()
        theme.follow(self, self._fit)

    def show_answer(self, answer: Answer, spans: tuple[tuple[int, int], ...]) -> None:
        self._spans = () if answer.abstained else spans
        self.setPlainText(NOT_TOLD if answer.abstained else escape_controls(answer.text, keep="\n\t"))
        self._fit()

    def marked(self) -> list[str]:
        """What is marked, for who cannot see it."""
        text = self.toPlainText()
        return [text[start:end] for start, end in self._spans]

    def _fit(self) -> None:
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + 2 * theme.WITHIN)
        marks = []
        for start, end in self._spans:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(_units(self.toPlainText(), start))
            cursor.setPosition(_units(self.toPlainText(), end), QTextCursor.MoveMode.KeepAnchor)
            how = QTextCharFormat()
            how.setBackground(theme.current().color("mark"))
            how.setForeground(theme.current().color("on_mark"))
            how.setFontStrikeOut(self._struck)
            how.setFontUnderline(not self._struck)
            mark.cursor, mark.format = cursor, how
            marks.append(mark)
        self.setExtraSelections(marks)


def _units(text: str, place: int) -> int:
    """Qt counts UTF-16."""
    return len(text[:place].encode("utf-16-le")) // 2


def figures(answer: Answer) -> str:
    """Route, probability, passages, stages and time in one line."""
    trace = answer.trace
    stages = trn("{count} stage", "{count} stages", len(trace.stages))
    share = percent(answer.confidence)
    parts = (route_name(trace.route.name), share, stages, duration(trace.seconds))
    return "  \u00b7  ".join(parts)


def heat_words(more_a: list[str], more_b: list[str]) -> str:
    """Which names are hotter on which side."""
    if not more_a and not more_b:
        return tr("The heat is the same on both sides.")
    none = tr("nothing")
    one, other = (tr(", ").join(names) or none for names in (more_a, more_b))
    return tr("Hotter in A: {one}. Hotter in B: {other}.", one=one, other=other)
