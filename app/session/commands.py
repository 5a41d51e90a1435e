"""Every act of the window in one registry: its words, its keys, and why it cannot be done now.

Menus, shortcuts, tooltips, the list of keys and the palette are made of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget
from shiboken6 import isValid

from app.look import theme
from app.look.plain_text import set_tip, tooltip
from app.look.translation import tr

# Parts of the window with keys of their own, by the place in the ids of their commands.
_PARTS = {"library": tr("Library"), "reader": tr("Reader"), "review": tr("Review"), "log": tr("Review log"),
          "pins": tr("Pins"), "entities": tr("Entities"), "miss": tr("Missed"), "compare": tr("Side by side"),
          "lab": tr("Lab")}  # fmt: skip


def _never() -> str:
    return ""


def native(keys: str) -> str:
    """Return keys as this system writes them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


@dataclass(frozen=True, slots=True)
class Command:
    """`id` is "place.act". `words` say the same everywhere, with an & before the letter of menus; `keys` are as
    QKeySequence reads them, and not `bound` where what has the keyboard takes them by itself.

    `why_not` says why it cannot be done now, "" where it can; `checked` is given for what is on or off; `tip` says more
    than the words do.
    """

    id: str
    words: str
    run: Callable[[], object]
    keys: str = ""
    icon: str = ""
    why_not: Callable[[], str] = _never
    checked: Callable[[], bool] | None = None
    tip: str = ""
    bound: bool = True

    @property
    def name(self) -> str:
        return re.sub("&(.)", r"\1", self.words)


class Commands(QObject):
    """All commands by id. Signals: changed() when some came or went; refused(str): why one was not run."""

    changed = Signal()
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window: QWidget | None = None
        # By id: whose it is, and what it does there. Two of where two panels of a kind are open.
        self._registry: dict[str, list[tuple[QWidget, Command]]] = {}
        self._scoped: set[str] = set()
        self._actions: dict[str, QAction] = {}
        self._shortcuts: dict[tuple[str, QWidget], QShortcut] = {}

    def __iter__(self) -> Iterator[Command]:
        return iter([entries[0][1] for entries in self._registry.values()])

    def __contains__(self, id: str) -> bool:
        return id in self._registry

    def __getitem__(self, id: str) -> Command:
        """Return the command with this id; of two, the focused panel's, else the older one."""
        entries, widget = self._registry[id], QApplication.focusWidget()
        near = (one for owner, one in entries if widget and (owner is widget or owner.isAncestorOf(widget)))
        return entries[0][1] if len(entries) == 1 else next(near, entries[0][1])

    def scope(self, id: str) -> QWidget | None:
        """Return the widget that must be focused for the command's keys; None for the whole window."""
        return self._registry[id][0][0] if id in self._scoped else None

    def full_name(self, id: str) -> str:
        """Return the name for lists of all commands, with the part of the window that it belongs to."""
        name, part = self[id].name.rstrip("."), self.part(id)
        return tr("{part}: {command}", part=part, command=name) if part else name

    def part(self, id: str) -> str:
        """Return the part of the window whose keys it has; "" for the whole window."""
        return _PARTS[id.partition(".")[0]] if id in self._scoped else ""

    def action(self, id: str) -> QAction:
        """Return the action for menus and buttons; it dies with its owner."""
        return self._actions[id]

    def tip(self, id: str, words: str = "") -> str:
        """Return the tooltip of a button that runs it: words, then keys."""
        command = self[id]
        return "  ".join(filter(None, (words or command.tip or command.name.rstrip("."), self.keys(id))))

    def keys(self, id: str) -> str:
        """Return its keys as this system writes them; "" for an unknown command."""
        return native(self[id].keys) if id in self else ""

    def describe(self, widget: QWidget, id: str, words: str = "") -> None:
        """Give a button that runs the command its tooltip."""
        set_tip(widget, self.tip(id, words))

    def press(self, button: QAbstractButton, id: str, words: str = "") -> None:
        """Have a button run the command, and say so in its tooltip."""
        self.describe(button, id, words)
        button.clicked.connect(lambda: self.run(id))

    def bind(self, window: QWidget) -> None:
        """Have the keys work in this window from now on."""
        self._window = window
        self._bind_keys()

    def add(self, owner: QWidget, *commands: Command, scoped: bool = False) -> None:
        """Until `owner` dies; `scoped`: their keys count while the keyboard is in it.

        Raises ValueError for an id that an owner of another kind has, or keys that are taken in the same scope.
        """
        for command in commands:
            entries = self._registry.get(command.id, [])
            if any(type(other) is not type(owner) or other is owner for other, _ in entries):
                raise ValueError(f"two commands are called {command.id}")
            taken = self._with_keys(command.keys, owner if scoped else None)
            if taken and taken != command.id:
                raise ValueError(f"{command.keys} of {command.id} are those of {taken}")
            self._registry[command.id] = [*entries, (owner, command)]
            if scoped:
                self._scoped.add(command.id)
            if not entries:
                self._actions[command.id] = self._action(owner, command)
        ids = [command.id for command in commands]
        owner.destroyed.connect(lambda: self._forget(ids, owner))
        self._bind_keys()
        self.changed.emit()

    def remove(self, id: str) -> None:
        """Remove a command before its owner dies."""
        self._forget([id], self._registry[id][0][0])

    def run(self, id: str) -> None:
        """Run the command, or say why it cannot run now."""
        command = self[id]
        if reason := command.why_not():
            self.refused.emit(reason)
        else:
            command.run()
        if id in self:  # it may have closed what it belongs to
            self._show(id)

    def explain_in(self, menu: QMenu, ids: Collection[str]) -> None:
        """Disable commands that cannot run, with the reason, while a menu is open; their keys say why."""
        menu.aboutToShow.connect(partial(self.explain, ids, True))
        menu.aboutToHide.connect(partial(self.explain, ids, False))

    def explain(self, ids: Collection[str], menu_open: bool) -> None:
        for id in filter(self.__contains__, ids):  # it may have closed what it belongs to
            self._actions[id].setEnabled(not (menu_open and self[id].why_not()))
            self._show(id)

    def _action(self, owner: QWidget, command: Command) -> QAction:
        # The keys are words only: which command they mean depends on where the keyboard is.
        keys = f"\t{native(command.keys)}" if command.keys else ""
        action = QAction(f"{command.words}{keys}", owner)
        if command.icon:
            action.setIcon(theme.icon(command.icon))
        if command.checked is not None:
            action.setCheckable(True)
            action.setChecked(command.checked())
        action.triggered.connect(lambda: self.run(command.id))
        return action

    def _show(self, id: str) -> None:
        command, action = self[id], self._actions[id]
        action.setToolTip(tooltip(command.why_not() or self.tip(id)))
        if command.checked is not None:
            action.setChecked(command.checked())

    def _with_keys(self, keys: str, scope: QWidget | None) -> str:
        """Return the id of the command with these keys in a scope; "" for none."""
        wanted = QKeySequence(keys)
        same = (one.id for one in self if one.bound and QKeySequence(one.keys) == wanted)
        return next((id for id in same if scope in self._scopes(id)), "") if keys else ""

    def _scopes(self, id: str) -> list[QWidget | None]:
        return [owner for owner, _ in self._registry[id]] if id in self._scoped else [None]

    def _bind_keys(self) -> None:
        """One shortcut for each key of the window, whatever parts of it know the key, too: two would be ambiguous to
        Qt, and do nothing. A key that only parts know is theirs alone."""
        if self._window is None:
            return
        own = {one.keys for one in self if one.keys and one.bound and one.id not in self._scoped}
        wanted = {(keys, self._window) for keys in own}
        wanted |= {
            (one.keys, owner)
            for id in self._scoped
            for owner, one in self._registry[id]
            if one.bound and one.keys not in {*own, ""}
        }
        for keys, widget in wanted - self._shortcuts.keys():
            shortcut = QShortcut(QKeySequence(keys), widget)
            if widget is not self._window:
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda keys=keys: self._pressed(keys))
            self._shortcuts[keys, widget] = shortcut
        for key in self._shortcuts.keys() - wanted:
            shortcut = self._shortcuts.pop(key)
            if isValid(shortcut):  # it may have died with its widget
                shortcut.deleteLater()

    def _pressed(self, keys: str) -> None:
        """Run the command of the widget with the keyboard first, then of what is around it."""
        widget = QApplication.focusWidget()
        while widget is not None:
            if id := self._with_keys(keys, widget):
                self.run(id)
                return
            widget = widget.parentWidget()
        if id := self._with_keys(keys, None):
            self.run(id)

    def _forget(self, ids: list[str], gone: QWidget) -> None:
        if not isValid(self):  # the window ends, and this went before its panels
            return
        for id in ids:
            left = [(owner, one) for owner, one in self._registry.pop(id, []) if owner is not gone]
            action = self._actions.pop(id, None)
            if left:
                self._registry[id] = left
                is_reusable = action is not None and isValid(action) and action.parent() is left[0][0]
                self._actions[id] = action if is_reusable and action is not None else self._action(*left[0])
            else:
                self._scoped.discard(id)
        self._bind_keys()
        self.changed.emit()
