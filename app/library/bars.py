"""Above the list of documents: the filter, and what failed. Below it: how many there are, and those taken out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QMenu, QPushButton, QWidget

from app.look import theme
from app.look.plain_text import button_words, tooltip
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import block, push_button, tool_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, Part, column, line, row
from core.types import Document

MOST = 30  # lines of the menu


class LibraryHead(QWidget):
    """Signals: changed() when another part of the documents is wanted; retry_wanted() for all that failed."""

    changed = Signal()
    retry_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter = line_edit(tr("Filter documents"), clear=True)
        self.filter.setToolTip(
            tr("Words, or author:lund  type:pdf  title:  path:  after:2021-05  before:2021-07")
        )
        self.filter.addAction(theme.icon("funnel", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        tip = tr("Only what could not be read, with the reasons")
        self.failed = tool_button("warning", tip, text=tr("Failed"), role="warn", checkable=True)
        self.words = PlainLabel(kind="small")
        self.retry = push_button(tr("Try all again"), self.retry_wanted, icon="arrow-counter-clockwise")
        self.strip = QWidget()
        row((self.words, 1), self.retry, on=self.strip)
        above = row((self.filter, 1), self.failed, spacing=theme.GRID)
        column(above, self.strip, margins=(12, theme.GRID, 12, theme.WITHIN), on=self)
        self.filter.textChanged.connect(self.changed)
        self.failed.toggled.connect(self._on_toggled)
        self.set_failed(0, 0)

    def set_failed(self, documents: int, passages: int) -> None:
        """Documents that could not be read, wholly or in part, and the passages that failed inside."""
        self.failed.setText(tr("Failed ({count})", count=documents))
        self.failed.setAccessibleName(tr("Only the {count} that failed", count=documents))
        self.failed.setVisible(documents > 0 or self.failed.isChecked())
        words = trn("{count} document", "{count} documents", documents) if documents else tr("Nothing failed")
        if documents and passages:
            inside = trn("{count} passage", "{count} passages", passages)
            words = tr("{documents}, {passages}", documents=words, passages=inside)
        self.words.setText(words)
        self.retry.setVisible(documents > 0)
        self.strip.setVisible(self.failed.isChecked())

    def set_blocked(self, reason: str) -> None:
        """Set why nothing can be tried again now; "" when it can."""
        block(self.retry, reason, tr("Read again all that failed"))

    def clear(self) -> None:
        """All documents."""
        self.filter.clear()
        self.failed.setChecked(False)

    def _on_toggled(self, only_failed: bool) -> None:
        self.strip.setVisible(only_failed)
        self.changed.emit()


class LibraryFoot(QWidget):
    """`restore_wanted` carries the paths that are to be let in again."""

    restore_wanted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paths: list[str] = []
        self._blocked = ""
        self.count = PlainLabel(kind="small")
        tip = tr("Documents that you removed: later runs pass them by. Press to let them in again")
        self.taken_out = push_button("", self._open_menu, kind="quiet", tip=tip)
        row((self.count, 1), self.taken_out, margins=(12, 4, 4, 4), on=self)
        self.set_taken_out([])

    def set_taken_out(self, paths: Sequence[str]) -> None:
        """Paths of the documents that were removed by hand."""
        self._paths = list(paths)
        self.taken_out.setText(tr("{count} taken out", count=len(self._paths)))
        self.taken_out.setVisible(bool(self._paths))

    @property
    def any_taken_out(self) -> bool:
        return bool(self._paths)

    def set_blocked(self, reason: str) -> None:
        """Set why nothing can be let in again now; "" when it can."""
        self._blocked = reason

    def menu(self) -> QMenu:
        """One line a document, and one for all."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for path in self._paths[:MOST]:
            action = menu.addAction(button_words(tr("Let in again: {path}", path=path)))
            action.triggered.connect(partial(self._restore, [path]))
        menu.addSeparator()
        all_again = menu.addAction(tr("Let all in again"))
        all_again.triggered.connect(partial(self._restore, self._paths))
        for action in menu.actions():
            action.setEnabled(not self._blocked)
            action.setToolTip(tooltip(self._blocked))
        return menu

    def _restore(self, paths: list[str], _: bool = False) -> None:
        self.restore_wanted.emit(paths)

    def _open_menu(self) -> None:
        self.menu().popup(self.taken_out.mapToGlobal(self.taken_out.rect().topLeft()))


class DocumentBar(QFrame):
    """Asks about documents below their list. Enter presses the button that has the keyboard, else the first; Esc asks
    no more.

    Signals: opened() when it asks, closed() when it does no more.
    """

    opened = Signal()
    closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._buttons: tuple[QPushButton, ...] = ()
        self.documents: tuple[Document, ...] = ()  # that it asks about
        self.question = PlainLabel(wrap=True)

    def lay_out(self, above: Sequence[Part], buttons: Sequence[QPushButton], *below: Part) -> None:
        """Put parts and buttons below the question, and hide it all until something is asked.

        The first button answers, the last one asks no more.
        """
        self._buttons = tuple(buttons)
        parts = (self.question, *above, row(*buttons, STRETCH), *below)
        inside = column(*parts, spacing=theme.GRID, margins=(12, theme.WITHIN))
        column(line(), inside, spacing=0, on=self)
        self._session.workspace_closed.connect(self.close_bar)
        self._session.blocked_changed.connect(self.show_blocked)
        self.hide()

    def close_bar(self) -> None:
        """Ask no more. What is on its way goes on."""
        self.documents = ()
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_blocked(self) -> None:
        """Enable the buttons that answer, or say in their tooltips why not."""
        for button in self._buttons[:-1]:
            block(button, self._session.blocked)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._buttons[0].isEnabled():
            next((b for b in self._buttons if b.hasFocus()), self._buttons[0]).click()
        else:
            super().keyPressEvent(event)
