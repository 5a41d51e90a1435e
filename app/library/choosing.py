"""Choosing what a file does not say of a document, or says wrong: its encoding, its date; nothing modal."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.library.bars import DocumentBar
from app.look.translation import tr, trn
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.fields import ChoiceBox, line_edit
from core.text.escape_controls import escape_controls
from core.types import Document

ENCODING, DATE = "encoding", "date"


class ChoiceBar(DocumentBar):
    """Asks for one value. Enter chooses it, Esc leaves all as it is. Signal: chosen() when the choice holds."""

    chosen = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._name = ENCODING
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
        self.lay_out((self.encodings, self.date), (self.apply, self.leave, self.cancel))

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
