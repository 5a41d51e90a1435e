"""A decision on many facts: first how many and which, then the deed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.translation import tr, trn
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row

FIRST = 10  # facts that are named


@dataclass(frozen=True, slots=True)
class Bulk:
    """What is to be decided on: ids of the facts, the first of them in words."""

    outcome: str  # "approved" or "rejected"
    ids: tuple[str, ...]
    words: Sequence[str]


class BulkQuestion(QWidget):
    """Asks, in place of the card. Enter decides, Esc does not.

    Signals: agreed(Bulk, why); closed() when it asks no more.
    """

    agreed = Signal(object, str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bulk: Bulk | None = None
        self.question = PlainLabel(kind="heading", wrap=True)
        self.which = PlainLabel(kind="small", wrap=True)
        self.why = line_edit(tr("Why? (kept with the decision)"), tr("Why you decide so"))
        self.decide = push_button("", self._agree, kind="primary")
        self.leave = push_button(tr("Leave them"), self.give_up)
        foot = column(
            self.why,
            row(self.decide, self.leave, STRETCH),
            margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN),
        )
        column((PanelScroll(self.question, self.which, STRETCH), 1), foot, spacing=0, on=self)

    def ask(self, bulk: Bulk) -> None:
        self._bulk = bulk
        count = len(bulk.ids)
        if bulk.outcome == "approved":
            self.question.setText(trn("Approve {count} fact?", "Approve {count} facts?", count))
            self.decide.setText(tr("Approve"))
        else:
            self.question.setText(trn("Reject {count} fact?", "Reject {count} facts?", count))
            self.decide.setText(tr("Reject"))
        lines = list(bulk.words[:FIRST])
        if count > len(lines):
            more = count - len(lines)
            lines.append(trn("and {count} more", "and {count} more", more))
        self.which.setText("\n".join(lines))
        self.why.clear()
        self.decide.setFocus(Qt.FocusReason.OtherFocusReason)

    def give_up(self) -> None:
        if self._bulk is not None:
            self._bulk = None
            self.closed.emit()

    def _agree(self) -> None:
        if (bulk := self._bulk) is not None:
            why = self.why.text().strip()
            self.give_up()
            self.agreed.emit(bulk, why)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.give_up()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.leave.hasFocus():
                self.give_up()
            else:
                self._agree()
        else:
            super().keyPressEvent(event)
