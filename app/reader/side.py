"""What stands beside or in place of the text: the pages as they look, or the cells of sheets."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from app.reader.document import OpenDocument
from app.reader.page_bar import PageBar
from app.reader.page_view import PageView
from app.reader.sheet_view import SheetView
from app.reader.text import Mark
from app.session.session import Session


class LookSide(QStackedWidget):
    """Its signals are those of the views in it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pages, self.sheet = PageView(session), SheetView()
        self.bar = PageBar(self.pages)
        self.addWidget(self.pages)
        self.addWidget(self.sheet)
        self._opened: OpenDocument | None = None

    @property
    def view(self) -> PageView | SheetView:
        """What is seen of the document."""
        return self.pages if self.currentWidget() is self.pages else self.sheet

    def show_document(self, opened: OpenDocument) -> None:
        """Show it as it looks; one that is shown already stays where it is."""
        before, self._opened = self._opened, opened
        if before is opened:
            return
        if before is not None and before.document == opened.document and opened.look == "page":
            self.pages.renew(opened)
        else:
            self.setCurrentWidget(self.pages if opened.look == "page" else self.sheet)
            self.view.show_document(opened)

    def clear(self) -> None:
        """No document any more."""
        self._opened = None
        self.pages.clear()

    def end(self) -> None:
        """As `clear`, and the process that draws pages ends."""
        self.clear()
        self.pages.shelf.end()

    def set_marks(self, marks: tuple[Mark, ...], entity_id: str) -> None:
        """Places that stand out, and an entity that does wherever it is named."""
        self.view.set_marks(marks, entity_id)
