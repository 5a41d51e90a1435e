"""Every command of the window in one list: type a part of its words, press Enter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QListWidgetItem, QWidget

from app.look import theme
from app.look.translation import tr
from app.session.commands import Commands, native
from app.widgets.fields import line_edit
from app.widgets.layout import column
from app.widgets.result_box import ROLE, MatchList

_SIZE = QSize(560, 420)
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """As a match in a list: `detail` are its keys, or why it cannot be done now."""

    id: str
    title: str
    detail: str
    kind: str = "command"


def find_commands(commands: Commands, text: str) -> list[FoundCommand]:
    """Return commands that contain each typed word, those with a word beginning so first; all for no text."""
    typed = text.casefold().split()
    ranked = []
    for order, command in enumerate(commands):
        title = commands.full_name(command.id)
        name = title.casefold()
        if all(word in name for word in typed):
            begun = sum(any(part.startswith(word) for part in name.split()) for word in typed)
            detail = command.why_not() or native(command.keys)
            ranked.append((-begun, order, FoundCommand(command.id, title, detail)))
    return [found for *_, found in sorted(ranked, key=lambda each: each[:2])]


class Palette(QDialog):
    """Over the window; it closes when a command runs, or by Esc."""

    def __init__(self, window: QWidget, commands: Commands) -> None:
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._commands = commands
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("All commands"))
        self.box = line_edit(tr("Type a part of a command"), tr("Command"))
        self.box.setMinimumHeight(theme.px(32))
        self.list = MatchList(tr("Commands"))
        column(self.box, self.list, spacing=6, margins=theme.WITHIN, on=self)
        size = QSize(theme.px(_SIZE.width()), theme.px(_SIZE.height())).boundedTo(
            window.size() - QSize(0, 56)
        )
        self.resize(size)
        self.move(window.mapToGlobal(QPoint((window.width() - size.width()) // 2, 56)))
        self.box.textChanged.connect(self._fill)
        self.list.itemClicked.connect(self._take)
        self._fill("")
        self.box.setFocus(Qt.FocusReason.PopupFocusReason)

    def listed_commands(self) -> Iterator[FoundCommand]:
        """Return the listed commands, from the top."""
        return (self.list.item(row).data(ROLE) for row in range(self.list.count()))

    def _fill(self, text: str) -> None:
        self.list.clear()
        for found in find_commands(self._commands, text):
            self.list.add(found, f"{found.title}  {found.detail}")
        self.list.setCurrentRow(0)

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            id = item.data(ROLE).id
            self.close()  # first: what it does may want the keyboard
            self._commands.run(id)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = event.key()
        if key in _STEPS and self.list.count():
            row = self.list.currentRow() + _STEPS[Qt.Key(key)]
            self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take(self.list.currentItem())
        else:
            super().keyPressEvent(event)
