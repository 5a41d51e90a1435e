"""What can be done with the open document, and the bar that finds words in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.translation import tr
from app.reader.document import MOST_MATCHES
from app.session.commands import Command
from app.session.session import Session
from app.widgets.buttons import tool_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import row

if TYPE_CHECKING:
    from app.reader.panel import ReaderPanel


def reader_commands(panel: ReaderPanel, session: Session) -> tuple[Command, ...]:
    def closed() -> str:
        return "" if panel.opened is not None else tr("No document is open.")

    def unmarked() -> str:
        nothing = tr("Mark the words in the document that say it.")
        return closed() or ("" if panel.marked_words()[1].strip() else nothing) or session.blocked

    def unmissed() -> str:
        nothing = tr("Mark the words in the document that should have been found.")
        unasked = "" if session.answer is not None else tr("Ask a question first.")
        return closed() or unasked or ("" if panel.marked_words()[1].strip() else nothing)

    step, turn = panel.step_match, panel.turn_page
    return (
        Command("reader.find", tr("Find in the document"), panel.find_bar.open_bar, "Ctrl+F", why_not=closed),
        Command("reader.next", tr("Next match in the document"), lambda: step(1), "F3", why_not=closed),
        Command(
            "reader.last",
            tr("Match before in the document"),
            lambda: step(-1),
            "Shift+F3",
            why_not=closed,
        ),
        Command("reader.before", tr("Page before"), lambda: turn(-1), "Ctrl+PgUp", why_not=closed),
        Command("reader.after", tr("Next page"), lambda: turn(1), "Ctrl+PgDown", why_not=closed),
        Command(
            "reader.citation-after",
            tr("Next citation of the answer"),
            partial(panel.citations.step, 1),
            "F4",
            why_not=panel.citations.why_not,
        ),
        Command(
            "reader.citation-before",
            tr("Citation before in the answer"),
            partial(panel.citations.step, -1),
            "Shift+F4",
            why_not=panel.citations.why_not,
        ),
        Command("reader.look", tr("Text or document as it looks"), panel.turn_look, "F6", why_not=closed),
        Command(
            "reader.quotes",
            tr("Show or fold quoted words"),
            panel.text.turn_quotations,
            "F7",
            why_not=closed,
        ),
        Command("reader.state", tr("New fact from the marked words..."), panel.state, why_not=unmarked),
        Command(
            "reader.missed", tr("These words should have been found"), panel.report_missed, why_not=unmissed
        ),
    )


PAUSE_MS = 150  # typing pause before the search starts


class FindBar(QWidget):
    """A field, where one stands among the places found, and the way to the next and the one before.

    Signals: wanted(text) after a pause in typing; step(+1 or -1); closed().
    """

    wanted = Signal(str)
    step = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = line_edit(tr("Find in this document"), clear=True)
        self.count = PlainLabel(kind="small")
        theme.follow(self.count, lambda: self.count.setMinimumWidth(theme.px(76)))
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        words = tr("The one before (Shift+Enter)")
        self.before = tool_button("caret-up", words, lambda: self.step.emit(-1))
        self.after = tool_button("caret-down", tr("The next one (Enter)"), lambda: self.step.emit(1))
        close = tool_button("x", tr("Close (Esc)"), self.close_bar)
        close.setAccessibleName(tr("Close the find bar"))
        margins = (theme.GROUPS, 0, theme.WITHIN, theme.WITHIN)
        parts = (self.field, self.count, self.before, self.after, close)
        row(*parts, spacing=theme.GRID, margins=margins, on=self)
        self._pause = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(lambda: self.wanted.emit(self.field.text()))
        self.field.textChanged.connect(lambda _: self._pause.start())
        self.show_place(0, 0)

    def open_bar(self) -> None:
        """Show the bar with its words selected, ready to be typed over."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_bar(self) -> None:
        self._pause.stop()
        self.hide()
        self.closed.emit()

    def show_place(self, at: int, of: int) -> None:
        """`at` counts from 1; 0 of 0 means that nothing was found."""
        if not self.field.text().strip():
            words = ""
        elif of == 0:
            words = tr("Not found")
        elif of >= MOST_MATCHES:
            words = tr("{number} of {count}+", number=at, count=of)
        else:
            words = tr("{number} of {count}", number=at, count=of)
        self.count.setText(words)
        for button in (self.before, self.after):
            button.setEnabled(of > 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.step.emit(-1 if back else 1)
        else:
            super().keyPressEvent(event)
