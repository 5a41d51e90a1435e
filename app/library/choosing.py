"""Choosing what a file does not say of a document, or says wrong: its encoding, its date; nothing modal."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import block, push_button
from app.widgets.fields import ChoiceBox, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, line, row
from core.text.escape_controls import escape_controls
from core.types import Document

ENCODING, DATE = "encoding", "date"


class ChoiceBar(QFrame):
    """Asks for one value below the list of documents. Enter chooses it, Esc leaves all as it is.

    Signals: opened() when it asks, closed() when it does no more, chosen() when the choice holds.
    """

    opened = Signal()
    closed = Signal()
    chosen = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.documents: tuple[Document, ...] = ()  # that it asks about
        self._name = ENCODING
        self.question = PlainLabel(wrap=True)
        self.encodings = ChoiceBox(tr("Encoding"), 12)
        self.encodings.setEditable(True)
        self.encodings.setLineEdit(line_edit(tr("Encoding, such as cp850"), tr("Encoding")))
        self.encodings.activated.connect(self._show_name)
        self.encodings.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
        self.encodings.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.date = line_edit(tr("A day, 2021-05-04; a month, 2021-05; a year"), tr("Date"))
        self.apply = push_button(tr("Choose"), self._apply, kind="primary")
        self.leave = push_button(tr("As the file says"), self._leave)
        self.cancel = push_button(tr("Cancel"), self.close_bar)
        buttons = row(self.apply, self.leave, self.cancel, STRETCH)
        inside = column(
            *(self.question, self.encodings, self.date, buttons),
            spacing=theme.GRID,
            margins=(12, theme.WITHIN),
        )
        column(line(), inside, spacing=0, on=self)
        session.workspace_closed.connect(self.close_bar)
        session.blocked_changed.connect(self.show_blocked)
        self.hide()

    def ask_encoding(self, documents: Sequence[Document]) -> None:
        """Offer encodings with what they make of the first line that is not plain ASCII."""
        workspace = self._session.workspace
        if workspace is not None and self._ask(ENCODING, documents):
            id = documents[0].id
            self._tasks.start("encodings", lambda _: workspace.documents.encodings(id), self._offer)

    def ask_date(self, documents: Sequence[Document]) -> None:
        if self._ask(DATE, documents):
            self.date.setText((documents[0].date or "")[:10])
            self.date.selectAll()

    def close_bar(self) -> None:
        """Ask no more."""
        self.documents = ()
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def show_blocked(self) -> None:
        """Enable the buttons, or say in their tooltips why not."""
        for button in (self.apply, self.leave):
            block(button, self._session.blocked)

    def _ask(self, name: str, documents: Sequence[Document]) -> bool:
        self._name, self.documents = name, tuple(documents)
        if not documents:
            return False
        count, title = len(documents), documents[0].title or documents[0].path
        self.question.setText(
            trn("Encoding of “{name}”", "Encoding of {count} documents", count, name=title)
            if name == ENCODING
            else trn("Date of “{name}”", "Date of {count} documents", count, name=title)
        )
        self.encodings.setVisible(name == ENCODING)
        self.date.setVisible(name == DATE)
        self.encodings.clear()
        self.show_blocked()
        self.show()
        (self.encodings if name == ENCODING else self.date).setFocus(Qt.FocusReason.OtherFocusReason)
        self.opened.emit()
        return True

    def _offer(self, readings: Sequence[tuple[str, str]]) -> None:
        typed = self.encodings.currentText()
        for name, text in readings:
            self.encodings.addItem(escape_controls(f"{name}    {text}".rstrip()), name)
        if typed:
            self.encodings.setEditText(typed)
        self._show_name()

    def _show_name(self) -> None:
        """Scroll to the encoding's name, before the text that it gives."""
        if (edit := self.encodings.lineEdit()) is not None:
            edit.home(False)

    def _apply(self) -> None:
        if self._name == DATE:
            value = self.date.text().strip()
        else:
            text, at = self.encodings.currentText().strip(), self.encodings.currentIndex()
            offered = at >= 0 and self.encodings.itemText(at).strip() == text
            value = str(self.encodings.itemData(at)) if offered else text
        if value:
            self._choose(value)

    def _leave(self) -> None:
        self._choose("")

    def _choose(self, value: str) -> None:
        documents, name = self.documents, self._name
        operations.choose(self._session, documents, name, value, self._on_chosen)

    def _on_chosen(self) -> None:
        self.close_bar()
        self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.apply.isEnabled():
            focused = next((b for b in (self.leave, self.cancel) if b.hasFocus()), self.apply)
            focused.click()
        else:
            super().keyPressEvent(event)
