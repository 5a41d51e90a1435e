"""What stands above the text: title, where the file lies, its pages, and what one can do with it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from core.types import Document
from core.visible import visible


class ReaderHeader(QWidget):
    """Signals: page_wanted(+1 or -1), find_wanted(), open_wanted()."""

    page_wanted = Signal(int)
    find_wanted = Signal()
    open_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ElidedLabel(end=True)
        self.title.setProperty("kind", "heading")
        self.path = ElidedLabel()
        self.path.setProperty("kind", "small")
        self.about = PlainLabel(kind="small")
        self.page = PlainLabel(kind="muted")
        self.page.setAccessibleName(tr("Page"))
        self.before = self._button("caret-left", tr("Page before"))
        self.after = self._button("caret-right", tr("Next page"))
        self.find_button = self._button("magnifying-glass", tr("Find in this document"))
        self.external = self._button("arrow-square-out", tr("Open the file with the program meant for it"))
        self.before.clicked.connect(lambda: self.page_wanted.emit(-1))
        self.after.clicked.connect(lambda: self.page_wanted.emit(1))
        self.find_button.clicked.connect(self.find_wanted)
        self.external.clicked.connect(self.open_wanted)
        self._lay_out()

    def _lay_out(self) -> None:
        first, second, whole = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        first.setSpacing(theme.GRID)
        first.addWidget(self.title, 1)
        for widget in (self.before, self.page, self.after, self.find_button, self.external):
            first.addWidget(widget)
        second.setSpacing(theme.WITHIN)
        second.addWidget(self.path)
        second.addWidget(self.about)
        second.addStretch(1)
        self.path.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        whole.setContentsMargins(theme.GROUPS, theme.WITHIN, theme.WITHIN, theme.WITHIN)
        whole.setSpacing(0)
        whole.addLayout(first)
        whole.addLayout(second)

    def _button(self, icon: str, words: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(theme.icon(icon, "muted"))
        set_tip(button, words)
        button.setAccessibleName(words)
        return button

    def show_document(self, document: Document) -> None:
        """Title, path, date and author as the document states them."""
        self.title.setText(document.title or document.path)
        self.path.setText(visible(document.path))
        parts = [part for part in (document.date and document.date[:10], document.author) if part]
        self.about.setText("".join(f"·  {part}  " for part in parts).rstrip())
        set_tip(self.about, tr("Date and author, as the document states them") if parts else "")
        self.show_page(None, document.pages)

    def show_page(self, number: int | None, of: int) -> None:
        """`number` None or `of` 0: the format has no pages, and nothing is shown of them."""
        shown = bool(number and of)
        for widget in (self.before, self.page, self.after):
            widget.setVisible(shown)
        if number and of:
            self.page.setText(tr("page {number} of {count}", number=str(number), count=str(of)))
            self.before.setEnabled(number > 1)
            self.after.setEnabled(number < of)
