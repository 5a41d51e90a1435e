"""A decision on many facts: first how many and which, then the deed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.translation import tr, trn
from app.review.sheet import Sheet
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


class BulkQuestion(Sheet):
    """Signal: agreed(Bulk, why)."""

    agreed = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bulk = Bulk("", (), ())
        self.question = PlainLabel(kind="heading", wrap=True)
        self.which = PlainLabel(kind="small", wrap=True)
        self.why = line_edit(tr("Why? (kept with the decision)"), tr("Why you decide so"))
        self.decide = self.agree = push_button("", self._agree, kind="primary")
        self.leave = push_button(tr("Leave them"), self.give_up)
        foot = column(
            self.why,
            row(self.decide, self.leave, STRETCH),
            margins=(theme.GROUPS, theme.GRID, theme.GROUPS, theme.WITHIN),
        )
        column((PanelScroll(self.question, self.which, STRETCH), 1), foot, spacing=0, on=self)

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
        lines = list(bulk.words[:FIRST])
        if count > len(lines):
            more = count - len(lines)
            lines.append(trn("and {count} more", "and {count} more", more))
        self.which.setText("\n".join(lines))
        self.why.clear()
        if keyboard:
            self.decide.setFocus(Qt.FocusReason.OtherFocusReason)

    def _agree(self) -> None:
        if self.active:
            why = self.why.text().strip()
            self.give_up()
            self.agreed.emit(self._bulk, why)
