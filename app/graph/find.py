"""Find in the graph: entities by name, also within closed communities, and communities by title."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit

from app.look import theme
from app.look.translation import tr
from app.widgets.labels import PlainLabel

WAIT_MS = 150  # after the last key


class GraphFind(QObject):
    """A field and the number of matches. `lit` carries the ids that match; `wanted` the one to go to."""

    lit = Signal(list)
    wanted = Signal(str)

    def __init__(self, find: Callable[[str], list[str]], parent: QObject) -> None:
        super().__init__(parent)
        self._search = find
        self.field, self.found = QLineEdit(), PlainLabel()
        self._matches: list[str] = []
        self._at = -1
        self.field.setAccessibleName(tr("Find in the graph"))
        self.field.setClearButtonEnabled(True)
        theme.follow(self.field, lambda: self.field.setMaximumWidth(theme.px(240)))
        self.field.setMinimumWidth(120)
        self.found.setProperty("kind", "small")
        self.found.setMinimumWidth(40)
        self._timer = QTimer(self, interval=WAIT_MS, singleShot=True)
        self._timer.timeout.connect(self._find)
        self.field.textChanged.connect(lambda _: self._timer.start())
        self.field.returnPressed.connect(self._next)

    def focus(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _find(self) -> None:
        text = self.field.text().strip()
        self._matches, self._at = (self._search(text) if text else []), -1
        self.lit.emit(self._matches)
        self.found.setText(tr("{count} found", count=str(len(self._matches))) if text else "")

    def _next(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._find()
        if self._matches:
            self._at = (self._at + 1) % len(self._matches)
            of = str(len(self._matches))
            self.found.setText(tr("{number} of {count}", number=str(self._at + 1), count=of))
            self.wanted.emit(self._matches[self._at])
