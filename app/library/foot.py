"""Below the list of documents: how many there are, and those that the person took out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.look.plain_text import button_words, tooltip
from app.look.translation import tr
from app.widgets.buttons import push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import row

MOST = 30  # lines of the menu


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
        """Why nothing can be let in again now; "" when it can."""
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
