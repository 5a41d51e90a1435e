"""The log of decisions: who, when, what and why; each can be undone and done again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QPushButton,
    QStackedWidget,
    QTableView,
    QWidget,
)

from app.look import theme
from app.look.translation import tr, trn
from app.review.queue_model import ROLE, Index
from app.review.wording import act_subject, verb_words
from app.session.changes import Following
from app.session.commands import Command
from app.session.session import Session
from app.widgets.buttons import fold_button, push_button
from app.widgets.copying import CopyKeys, Rows, make_copyable
from app.widgets.layout import STRETCH, column, row
from app.widgets.notices import EmptyState
from app.widgets.table import RECORD_ROLE, Column, RecordTable, TraceTable, chosen_cells
from core.progress import TaskContext
from core.types import Changed, ReviewAct

if TYPE_CHECKING:
    from core.workspace import Workspace

PAGE = 100  # acts read at a time
ROW = 28
TITLES = (tr("When"), tr("Who"), tr("What"), tr("On what"), tr("Why"), tr("State"))
WHEN, WHO, WHAT, SUBJECT, WHY, STATE = range(len(TITLES))
WIDTHS = {WHEN: 136, WHO: 90, WHAT: 130, WHY: 140, STATE: 72}


@dataclass(frozen=True, slots=True)
class Line:
    """An act, and what it decided on in words."""

    act: ReviewAct
    subject: str

    @property
    def cells(self) -> tuple[str, ...]:
        timestamp, act = datetime.fromisoformat(self.act.created).astimezone(), self.act
        state = tr("undone") if act.undone else "" if act.about else tr("holds")
        return (f"{timestamp:%Y-%m-%d %H:%M}", act.person, verb_words(act), self.subject, act.why, state)


def _cell(at: int, line: Line) -> str:
    return line.cells[at]


COLUMNS = tuple(
    Column(title, partial(_cell, at), width=WIDTHS.get(at, 0), needs=480 if at == WHY else 0)
    for at, title in enumerate(TITLES)
)


class LogModel(RecordTable):
    """The newest first. Signal: wanted(how many are there)."""

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__(COLUMNS)
        self._ended = True

    def show_acts(self, acts: Sequence[ReviewAct], ended: bool) -> None:
        self._ended = ended
        self.set_records(tuple(Line(act, act_subject(act)) for act in acts))

    def canFetchMore(self, parent: Index) -> bool:
        return not (parent.isValid() or self._ended)

    def fetchMore(self, parent: Index) -> None:
        self._ended = True  # until they are there
        self.wanted.emit(self.rowCount() + PAGE)

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        if role == ROLE.FontRole and index.isValid() and index.data(RECORD_ROLE).act.undone:
            face = QFont(theme.font())
            face.setStrikeOut(index.column() != STATE)
            return face
        return super().data(index, role)


@dataclass(frozen=True, slots=True)
class _Read:
    acts: list[ReviewAct]
    ended: bool
    lost: list[Line]  # decisions that no longer apply


class _Table(CopyKeys, QTableView):
    pass


class LogView(QWidget):
    """Signal: turned() when one was undone or done again."""

    turned = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._limit = PAGE
        self.model, self.table = LogModel(), _Table()
        self.lost = TraceTable(RecordTable(COLUMNS[:STATE], self), "lostDecisions")
        self.lost.setAccessibleName(tr("Decisions that no longer apply"))
        self.fold = fold_button("", self.lost)
        self.empty = EmptyState(
            "clock-counter-clockwise",
            tr("Nothing decided yet"),
            tr("Each decision is listed here with who made it, when and why, and can be undone."),
        )
        self.stack = QStackedWidget()
        self._dress()
        session.commands.add(self, *self._commands(), scoped=True)
        self._lay_out()
        self._following = Following(self, session, self._read, self._show, concerns=self._concerns, pause=250)
        self.model.wanted.connect(self._read_more)
        session.workspace_closed.connect(self._clear)
        theme.follow(self, self._fit)

    def _dress(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setStyleSheet("QAbstractItemView { border: none; border-radius: 0; }")
        table.verticalHeader().hide()
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setSectionResizeMode(SUBJECT, QHeaderView.ResizeMode.Stretch)
        table.setAccessibleName(tr("Log of decisions"))
        make_copyable(table, self._rows)

    def _lay_out(self) -> None:
        page, commands = QWidget(), self._session.commands
        self.buttons: list[QPushButton] = []
        for id in ("log.undo", "log.redo"):
            words = tr("{command}  {keys}", command=commands[id].name, keys=commands.keys(id))
            self.buttons.append(push_button(words))
            commands.press(self.buttons[-1], id)
        foot = row(*self.buttons, STRETCH, margins=(12, theme.GRID))
        below = column(self.fold, self.lost, margins=(8, 0, 12, 0))
        column((self.table, 1), below, foot, spacing=0, on=page)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(page)
        column(self.stack, on=self)

    def _fit(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(theme.px(ROW))
        for section, width in WIDTHS.items():
            self.table.horizontalHeader().resizeSection(section, theme.px(width))

    # ------------------------------------------------------------ content

    def _concerns(self, changed: Changed) -> bool:
        return self.isVisible() and bool(changed.facts or changed.names)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._following.again()

    def _read(self, workspace: Workspace, _: Changed, __: TaskContext) -> _Read:
        acts = workspace.review.log(self._limit)
        lost = [Line(act, words) for act, words in workspace.review.without_subject()]
        return _Read(acts, len(acts) < self._limit, lost)

    def _read_more(self, count: int) -> None:
        self._limit = count
        self._following.again()

    def _show(self, read: _Read) -> None:
        at = self.table.currentIndex().row()
        self.model.show_acts(read.acts, read.ended)
        if read.acts:
            self.table.selectRow(min(max(at, 0), len(read.acts) - 1))
        self.lost.set_records(tuple(read.lost))
        count = len(read.lost)
        words = trn("{count} decision no longer applies", "{count} decisions no longer apply", count)
        self.fold.setText(words)
        self.fold.setVisible(bool(count))
        self.lost.setVisible(bool(count) and self.fold.isChecked())
        self.stack.setCurrentIndex(1 if read.acts else 0)

    def _clear(self) -> None:
        self._limit = PAGE
        self._show(_Read([], True, []))

    # ------------------------------------------------------------ turning

    def chosen(self) -> ReviewAct | None:
        index = self.table.currentIndex()
        return index.data(RECORD_ROLE).act if index.isValid() else None

    def turn(self, undo: bool) -> None:
        """Undo the chosen decision, or do it again."""
        act = self.chosen()
        if act is None:
            return
        self._session.decisions.turn(undo, act.id, self._on_turned, lambda _: self._following.again(), self)

    def _on_turned(self, _: object) -> None:
        self._following.again()
        self.turned.emit()

    def _rows(self) -> Rows:
        return Rows(TITLES, chosen_cells(self.table, COLUMNS))

    def _why_not(self, undo: bool) -> str:
        act = self.chosen()
        if act is None or act.about:
            return tr("Choose a decision in the log.")
        if act.undone == undo:
            return tr("This decision is undone already.") if undo else tr("This decision holds.")
        return self._session.blocked

    def _commands(self) -> tuple[Command, ...]:
        turn, why_not = self.turn, self._why_not
        return (
            Command("log.undo", tr("Undo this decision"), partial(turn, True), "U",
                    "arrow-counter-clockwise", partial(why_not, True)),
            Command("log.redo", tr("Do this decision again"), partial(turn, False), "Shift+U",
                    "arrow-clockwise", partial(why_not, False)),
        )  # fmt: skip
