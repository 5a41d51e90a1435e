"""What is expected of a pinned question: its answer and its passages, changed where they are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.look import theme
from app.look.translation import tr
from app.session.commands import Command
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row
from app.widgets.table import RECORD_ROLE, Column, RecordTable, TraceTable
from core.progress import TaskContext
from core.types import JudgedPlace, Pin, PinPassage

if TYPE_CHECKING:
    from core.workspace import Workspace


class ExpectedSection(QWidget):
    """The answer and the passages of one pinned question. What is changed is kept; `session.pinned` tells it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._pin: Pin | None = None
        self.answer = line_edit("", tr("Expected answer"))
        self.save_button = push_button(tr("Save"), self.save)
        self._records = passages_table(self)
        self.passages = TraceTable(self._records, "pinPassages")
        self.passages.setAccessibleName(tr("Passages of the pinned question"))
        self.turn_button, self.add_button = push_button(), push_button(tr("Expect the selected passage"))
        self.note = PlainLabel(kind="small", wrap=True)
        self._lay_out()
        self.answer.textChanged.connect(self._show_buttons)
        self.answer.returnPressed.connect(self.save)
        self.passages.chosen.connect(self._open)
        self.passages.selectionModel().selectionChanged.connect(self._show_buttons)
        session.selection.changed.connect(self._show_buttons)
        session.blocked_changed.connect(self._show_buttons)
        session.commands.add(self.passages, *self._commands(), scoped=True)
        session.commands.press(self.turn_button, "pins.expect")
        session.commands.press(self.add_button, "pins.add")
        self.show_pin(None)

    def _lay_out(self) -> None:
        field = row(PlainLabel(tr("Answer"), "muted"), (self.answer, 1), self.save_button)
        acts = row(self.turn_button, self.add_button, STRETCH)
        parts = (PlainLabel(tr("Expected"), "caps"), field, self.passages, self.note, acts)
        column(*parts, spacing=theme.GRID, margins=(0, theme.GROUPS, 0, 0), on=self)

    def _commands(self) -> tuple[Command, ...]:
        def none() -> str:
            return self._shut() or (
                "" if self.chosen() else tr("Select a passage of the pinned question first.")
            )

        def nowhere() -> str:
            place = self._session.selection.current
            known = place is not None and place.kind in ("passage", "citation")
            return self._shut() or (
                "" if known else tr("Select a passage first, in the answer, the evidence or the reader.")
            )

        return (
            Command("pins.expect", tr("Expect it, or not"), self.turn, "Space", why_not=none),  # not shown
            Command("pins.add", tr("Expect the selected passage"), self.add, why_not=nowhere),  # not shown
        )

    def _shut(self) -> str:
        return self._session.shut or (tr("It is being kept.") if self._tasks.busy("keep") else "")

    # ------------------------------------------------------------ showing

    def show_pin(self, pin: Pin | None) -> None:
        """Show a pin; an answer that is typed but not saved stays while the question is the same."""
        same = pin is not None and self._pin is not None and pin.id == self._pin.id
        typed = same and self.answer.text() != self._pin.right_answer  # type: ignore[union-attr]
        self._pin = pin
        self.setVisible(pin is not None)
        if pin is None:
            return
        if not typed:
            self.answer.setText(" ".join(pin.right_answer.split()))
            self.answer.setCursorPosition(0)
        self.answer.setPlaceholderText(
            tr("Not known: only the passages count")
            if pin.places
            else tr("The documents do not tell: no answer is right")
        )
        self._show_buttons()
        workspace = self._session.workspace
        if workspace is not None:
            self._tasks.start(
                "passages", lambda _: workspace.pins.passages(pin), partial(self._show_passages, same)
            )

    def _show_passages(self, same: bool, found: Sequence[PinPassage]) -> None:
        rows = tuple(found)
        if same and len(rows) == self._records.rowCount():
            self._records.renew(rows)
        else:
            self.passages.set_records(rows)
        gone = [each for each in rows if not each.passage_id]
        self.note.setText(
            tr(
                "What stands in no document any more cannot be found: take it out, or bring its document back."
            )
            if gone
            else tr("There are no passages yet: run the pins, or expect one that you select elsewhere.")
        )
        self.note.setVisible(bool(gone) or not rows)
        self.passages.setVisible(bool(rows))
        self._show_buttons()

    def chosen(self) -> list[PinPassage]:
        rows = sorted({index.row() for index in self.passages.selectedIndexes()})
        return [self.passages.model().index(at, 0).data(RECORD_ROLE) for at in rows]

    def _show_buttons(self, *_: object) -> None:
        if self._pin is None:
            return
        typed = self.answer.text().strip() != " ".join(self._pin.right_answer.split())
        self.answer.setReadOnly(bool(self._session.shut))
        self.save_button.setEnabled(typed and not self._shut())
        chosen, commands = self.chosen(), self._session.commands
        expected = bool(chosen) and all(each.expected for each in chosen)
        self.turn_button.setText(tr("No longer expect it") if expected else tr("Expect this passage"))
        for button, id in ((self.turn_button, "pins.expect"), (self.add_button, "pins.add")):
            reason = commands[id].why_not()
            button.setEnabled(not reason)
            commands.describe(button, id, reason or button.text())

    def _open(self, chosen: PinPassage) -> None:
        if chosen.passage_id:
            place = chosen.place
            self._session.selection.select(Selected("citation", chosen.passage_id, place.start, place.end))

    # ------------------------------------------------------------ changing

    def save(self) -> None:
        """Expect the answer that was typed; nothing: it is not known, or, without passages, not told."""
        if self._pin is not None and self.save_button.isEnabled():
            self._keep(replace(self._pin, right_answer=self.answer.text().strip()))

    def turn(self) -> None:
        """Expect the selected passages, or no longer where all of them are."""
        pin, chosen = self._pin, self.chosen()
        if pin is None or not chosen:
            return
        places = _turned(self._collect_records(), chosen)
        self._keep(replace(pin, places=places))

    def _collect_records(self) -> list[PinPassage]:
        model = self.passages.model()
        return [model.index(at, 0).data(RECORD_ROLE) for at in range(model.rowCount())]

    def add(self) -> None:
        """Expect the passage, or the words of one, that are selected in the window."""
        pin, place = self._pin, self._session.selection.current
        if pin is None or place is None:
            return
        self._keep(pin, place)

    def _keep(self, pin: Pin, place: Selected | None = None) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return
        self._tasks.start(
            "keep",
            partial(_save_pin, workspace, pin, place),
            lambda _: self._session.pinned.emit(),
            ended=self._show_buttons,
        )
        self._show_buttons()


def _save_pin(workspace: Workspace, pin: Pin, place: Selected | None, _: TaskContext) -> None:
    if place is not None:
        added = workspace.pins.place_of(place.id, place.start, place.end)
        pin = replace(pin, places=(*pin.places, added))
    workspace.pins.put([pin])


def _turned(passages: Sequence[PinPassage], chosen: Sequence[PinPassage]) -> tuple[JudgedPlace, ...]:
    """Return what is expected then, in the order shown."""
    expect = not all(each.expected for each in chosen)
    return tuple(each.place for each in passages if (expect if each in chosen else each.expected))


def passages_table(parent: QObject | None = None) -> RecordTable:
    return RecordTable(
        (
            Column(tr("Expected"), lambda each: tr("\u2713 expected") if each.expected else "", width=110),
            Column(
                tr("Last answer"),
                _found,
                width=130,
                needs=520,
                tip=tr("Whether it was cited, or among the first five passages, when it was asked last"),
            ),
            Column(tr("Document"), _document, needs=420, share=0.7),
            Column(tr("Passage"), _quote, share=2.0),
        ),
        parent,
    )


def _found(each: PinPassage) -> str:
    if not each.passage_id:
        return tr("\u26a0 gone")
    return {True: tr("found"), False: tr("not found"), None: ""}[each.found]


def _document(each: PinPassage) -> str:
    name = each.title or each.place.document
    return tr("{document}, page {page}", document=name, page=each.page) if each.page else name


def _quote(each: PinPassage) -> str:
    return " ".join(each.place.quote.split()) or tr("Its document was taken out")
