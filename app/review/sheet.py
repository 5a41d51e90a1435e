"""What stands in place of the card until a person agrees to it or leaves it, such as a decision on many facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QPushButton, QWidget

from app.look import theme
from app.look.translation import tr, trn
from app.widgets.buttons import push_button
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from core.text.escape_controls import escape_controls

_MODIFIED = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


class Sheet(QWidget):
    """Enter presses the button with the keyboard, else `agree`; Esc leaves. Signal: closed() when it asks no more."""

    closed = Signal()
    agree: QPushButton

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.active = False

    def give_up(self) -> None:
        if self.active:
            self.active = False
            self.closed.emit()

    def event(self, event: QEvent) -> bool:
        """Letters are for the sheet, whatever they mean in the list beside it."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            letter = bool(event.text()) and event.text().isprintable()
            event.setAccepted(letter and not event.modifiers() & _MODIFIED)
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            now = self.focusWidget()
            (now if isinstance(now, QPushButton) and now.hasFocus() else self.agree).click()
        else:
            super().keyPressEvent(event)


FIRST = 500  # facts that are named


@dataclass(frozen=True, slots=True)
class Bulk:
    """What is to be decided on: ids of the facts, the first of them in words."""

    outcome: str  # "approved" or "rejected"
    ids: tuple[str, ...]
    words: Sequence[str]


class _List(CopyKeys, QListView):
    pass


class BulkQuestion(Sheet):
    """Signal: agreed(Bulk, why)."""

    agreed = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bulk = Bulk("", (), ())
        self.question = PlainLabel(kind="heading", wrap=True)
        self.which, self._names, self.more = (
            _List(),
            QStringListModel(self),
            PlainLabel(kind="small", wrap=True),
        )
        self._dress()
        self.why = line_edit(tr("Why?"), tr("Why you decide so"))
        self.decide = self.agree = push_button("", self._agree, kind="primary")
        self.leave = push_button(tr("Cancel"), self.give_up)
        foot = row((self.why, 1), self.decide, self.leave)
        margins = (theme.GROUPS, theme.WITHIN)
        column(self.question, (self.which, 1), self.more, foot, spacing=theme.GRID, margins=margins, on=self)

    def _dress(self) -> None:
        self.which.setModel(self._names)
        self.which.setWordWrap(True)
        self.which.setResizeMode(QListView.ResizeMode.Adjust)
        self.which.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.which.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.which.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.which.setAccessibleName(tr("Facts that are decided on"))
        make_copyable(
            self.which, lambda: Rows((), tuple((self._bulk.words[at],) for at in chosen_rows(self.which)))
        )

    def ask(self, bulk: Bulk, keyboard: bool) -> None:
        """Taking the keyboard, or leaving it to who types elsewhere."""
        self._bulk, self.active = bulk, True
        count = len(bulk.ids)
        if bulk.outcome == "approved":
            self.question.setText(trn("Approve {count} fact?", "Approve {count} facts?", count))
            self.decide.setText(tr("Approve"))
        else:
            self.question.setText(trn("Reject {count} fact?", "Reject {count} facts?", count))
            self.decide.setText(tr("Reject"))
        more = count - len(bulk.words)
        self._names.setStringList([escape_controls(words) for words in bulk.words])
        self.which.scrollToTop()
        self.more.setText(trn("and {count} more", "and {count} more", more))
        self.more.setVisible(more > 0)
        self.why.clear()
        if keyboard:
            self.decide.setFocus(Qt.FocusReason.OtherFocusReason)

    def _agree(self) -> None:
        if self.active:
            why = self.why.text().strip()
            self.give_up()
            self.agreed.emit(self._bulk, why)
