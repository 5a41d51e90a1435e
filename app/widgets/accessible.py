"""What a screen reader is told of painted widgets: a role that fits, a value, and the parts inside.

Qt asks here only while something listens. PySide has no value interface, so values are told as text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QColor,
    QTextDocumentFragment,
    QWindow,
)
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QLineEdit, QWidget
from shiboken6 import isValid

from app.look.translation import tr

Role = QAccessible.Role
_NONE = -1
_LIVING: list[_Painted] = []  # Python's side of each interface, until Qt has deleted the other


@dataclass(frozen=True, slots=True)
class Part:
    """One thing inside a painted widget, by its name, and its place in the widget's pixels."""

    name: str
    words: str = ""
    rect: QRect = field(default_factory=QRect)
    chosen: bool = False


@dataclass(slots=True, eq=False)
class Spoken:
    """`parts` are read whenever they are asked for, `current` is the place among them of the one that has the keyboard,
    -1 for none.
    """

    role: QAccessible.Role
    parts: Callable[[], Sequence[Part]] = tuple
    current: Callable[[], int] = lambda: _NONE
    part_role: QAccessible.Role = Role.ListItem
    value: Callable[[], str] = str


def announce_focus(widget: QWidget, part: int) -> None:
    """The keyboard has moved to a part."""
    if QAccessible.isActive() and part >= 0:
        event = QAccessibleEvent(widget, QAccessible.Event.Focus)
        event.setChild(part)
        QAccessible.updateAccessibility(event)


def announce(widget: QWidget, words: str) -> None:
    """Say what is told by no control, e.g. where the caret of the keyboard stands in a text."""
    if QAccessible.isActive() and words:
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))


def speak(widget: QWidget, spoken: Spoken) -> None:
    """Before the widget gets its name: Qt makes an interface of its own for that.

    Not by a factory: Qt asks factories for widgets that are being deleted, which PySide does not survive.
    """
    for dead in [
        one for one in _LIVING if not isValid(one)
    ]:  # Qt deletes it with the widget, but not its parts
        _LIVING.remove(dead)
        for part in dead.interfaces:
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(part))
    _LIVING.append(_Painted(widget, spoken))
    QAccessible.registerAccessibleInterface(_LIVING[-1])


def name_buttons(root: QWidget) -> None:
    """The buttons inside fields, which Qt leaves without a name."""
    for field_ in root.findChildren(QLineEdit):
        for button in field_.findChildren(QAbstractButton):
            button.setAccessibleName(button.toolTip() or tr("Clear"))


def plain_words(text: str) -> str:
    """Return what a tooltip says, without its mark-up."""
    return QTextDocumentFragment.fromHtml(text).toPlainText() if text.startswith("<qt>") else text


# Qt answers null where nothing is, which the stubs of PySide know nothing of.


class _Painted(QAccessibleWidget):
    def __init__(self, widget: QWidget, spoken: Spoken) -> None:
        super().__init__(widget, spoken.role)
        self._widget, self._spoken = widget, spoken
        self.interfaces: list[_PartOf] = []

    def parts(self) -> Sequence[Part]:
        return self._spoken.parts() if isValid(self._widget) else ()

    def current(self) -> int:
        return self._spoken.current()

    def part_role(self) -> QAccessible.Role:
        return self._spoken.part_role

    def on_screen(self, rect: QRect) -> QRect:
        return QRect(self._widget.mapToGlobal(rect.topLeft()), rect.size())

    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Value:
            return self._spoken.value()
        return plain_words(super().text(kind))

    def childCount(self) -> int:  # noqa: N802 - Qt's names, here and below
        return len(self.parts()) or super().childCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        count = len(self.parts())
        if not count:
            return super().child(index)
        while len(self.interfaces) < count:
            self.interfaces.append(_PartOf(self, len(self.interfaces)))
            QAccessible.registerAccessibleInterface(self.interfaces[-1])
        return self.interfaces[index] if 0 <= index < count else None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        point = self._widget.mapFromGlobal(QPoint(x, y))
        found = [at for at, part in enumerate(self.parts()) if part.rect.contains(point)]
        return self.child(found[-1]) if found else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802
        return child.place if isinstance(child, _PartOf) else super().indexOfChild(child)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # noqa: N802
        at = self.current() if self._widget.hasFocus() else _NONE
        return self.child(at) if at >= 0 else super().focusChild()


class _PartOf(QAccessibleInterface):
    """The part at a place, whichever it is now."""

    def __init__(self, owner: _Painted, place: int) -> None:
        super().__init__()
        self._owner, self.place = owner, place

    def _part(self) -> Part:
        parts = self._owner.parts()
        return parts[self.place] if self.place < len(parts) else Part("")

    def isValid(self) -> bool:  # noqa: N802
        return isValid(self._owner) and self.place < len(self._owner.parts())

    def object(self) -> QObject | None:  # type: ignore[override]
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]
        return self._owner.window()

    def parent(self) -> QAccessibleInterface:
        return self._owner

    def childCount(self) -> int:  # noqa: N802
        return 0

    def child(self, index: int) -> None:  # type: ignore[override]
        return None

    def childAt(self, x: int, y: int) -> None:  # type: ignore[override]  # noqa: N802
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: N802
        return _NONE

    def focusChild(self) -> None:  # type: ignore[override]  # noqa: N802
        return None

    def text(self, kind: QAccessible.Text) -> str:
        part = self._part()
        texts = {QAccessible.Text.Name: part.name, QAccessible.Text.Description: part.words}
        return texts.get(kind, "")

    def setText(self, kind: QAccessible.Text, text: str) -> None:  # noqa: N802
        pass  # nobody writes into a part

    def role(self) -> QAccessible.Role:
        return self._owner.part_role()

    def rect(self) -> QRect:
        return self._owner.on_screen(self._part().rect)

    def state(self) -> QAccessible.State:
        state, chosen = QAccessible.State(), self._part().chosen
        state.focusable = state.selectable = True
        state.focused = self._owner.state().focused and self._owner.current() == self.place
        state.selected = chosen
        if self.role() == Role.RadioButton:
            state.checkable, state.checked = True, chosen
        return state

    def foregroundColor(self) -> QColor:  # noqa: N802
        return self._owner.foregroundColor()

    def backgroundColor(self) -> QColor:  # noqa: N802
        return self._owner.backgroundColor()
