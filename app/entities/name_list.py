"""All names of the workspace as a table: sorted, filtered, picked for the graph, copied and exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import Any, cast

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QTableView, QWidget
from superqt.utils import qdebounced

from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.changes import Following
from app.session.scope import about_action
from app.session.selection import MOST_CHOSEN
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.buttons import tool_button
from app.widgets.copying import CopyKeys, Rows, make_copyable
from app.widgets.fields import ChoiceBox, choose_file, line_edit
from app.widgets.layout import column
from app.widgets.notices import EmptyState
from app.widgets.table import AnyIndex, Column, RecordTable, chosen_cells, dress_table, fit_columns
from core.progress import TaskContext
from core.types import Changed, NameRow, Scope
from core.workspace import NAME_COLUMNS, Workspace, arrange_names

_WORDS = {
    "": "", "open": tr("waiting"), "partly": tr("partly approved"), "approved": tr("approved"),
    "disputed": tr("disputed"), "drawn": tr("on the map"), "alone": tr("stands alone"),
    "none": tr("not on the map"),
}  # fmt: skip
PLACES = ("", "drawn", "alone", "none")  # as `arrange_names` takes them


def _count(title: str, name: str, width: int, needs: int, tip: str) -> Column:
    return Column(title, lambda row: f"{getattr(row, name):,}", None, True, tip, width, needs=needs)


def _words(title: str, name: str, width: int, needs: int, tip: str) -> Column:
    words = _WORDS if name in ("review", "on_map") else {}
    return Column(title, lambda row: words.get(getattr(row, name), getattr(row, name)), None, False, tip, width,
        needs=needs)  # fmt: skip


# By NAME_COLUMNS.
_COLUMNS = (
    Column(tr("Name"), attrgetter("name"), tip=tr("As most places write it")),
    _words(tr("Kind"), "kind", 132, 406, tr("What kind of thing it is")),
    _count(tr("Mentions"), "mentions", 88, 274, tr("Places in the texts that name it; titles are not counted")),
    _count(tr("Documents"), "documents", 100, 692, tr("Documents that name it, or that are called so")),
    _count(tr("Facts"), "facts", 70, 472, tr("Facts that count, of which it is an end")),
    _count(tr("Ties"), "ties", 66, 754, tr("Names with which it stands together more often than by chance")),
    _words(tr("First date"), "first", 100, 850,
        tr("The earliest date of its facts or, where it has none, of the passages that name it")),
    _words(tr("Last date"), "last", 100, 946,
        tr("The latest date of its facts or, where it has none, of the passages that name it")),
    _words(tr("Review"), "review", 134, 1080, tr("What people decided on its facts")),
    _words(tr("Map"), "on_map", 124, 596,
        tr("The map draws names of things that a fact or a tie joins to another. One that nothing joins stands alone; "
            "dates, amounts, headings and words that name no thing are never drawn")),
)  # fmt: skip
_REST, _PAUSE, _LONG_PAUSE = 120, 1000, 10_000  # milliseconds
_MANY = 20_000  # names; more are read less often
_DISPLAY = Qt.ItemDataRole.DisplayRole
_Read = tuple[list[NameRow], list[str]]


class NameModel(RecordTable):
    """Rows in the order in which they come. Signal: order_wanted() when a person wants another one."""

    order_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(_COLUMNS)
        self.by, self.descending = "mentions", True
        self.place_of: dict[str, int] = {}  # row of each entity
        self._heading = tr("Name")

    def set_rows(self, rows: Sequence[NameRow], place_of: dict[str, int], total: int) -> None:
        """Show these of so many names."""
        count, self.place_of = f"{len(rows):,}", place_of
        part = tr("Name ({count} of {total})", count=count, total=f"{total:,}")
        self._heading = part if len(rows) < total else tr("Name ({count})", count=count)
        self.set_records(tuple(rows))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _DISPLAY) -> Any:
        is_count = section == 0 and role == _DISPLAY and orientation == Qt.Orientation.Horizontal
        return self._heading if is_count else super().headerData(section, orientation, role)

    def id(self, row: int) -> str:
        return str(self._records[row].id)

    def ids(self, selection: QItemSelection) -> list[str]:
        """Return the entities of the selected rows, from the top, one more than can be chosen at most."""
        parts = sorted(cast("Iterable[QItemSelectionRange]", selection), key=QItemSelectionRange.top)
        places = chain.from_iterable(range(part.top(), part.bottom() + 1) for part in parts)
        return [self._records[at].id for at in islice(places, MOST_CHOSEN + 1)]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.by, self.descending = NAME_COLUMNS[column], order == Qt.SortOrder.DescendingOrder
        self.order_wanted.emit()


class _View(CopyKeys, QTableView):
    """`adds`: whether what is picked now adds to what was picked before."""

    adds = False

    def selectionCommand(
        self, index: AnyIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        found = super().selectionCommand(index, event)
        self.adds = not found & QItemSelectionModel.SelectionFlag.Clear
        return found

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme.px(26))
        fit_columns(self, _COLUMNS)


class NameList(QWidget):
    """The table and its filters. What is picked is chosen everywhere; Enter or a double click selects an entity."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._in_sight, self._stale = False, True
        self._filling = False  # whether the selection follows what is chosen elsewhere
        self._displayed: tuple[str, ...] = ()  # ids that are selected here, also those that are filtered out
        self._rows: list[NameRow] = []  # all that were read
        self.model, self.view = NameModel(), _View()
        self.filter = line_edit(tr("Filter names"), clear=True)
        self.kind, self.place = ChoiceBox(tr("Kind of the names"), 2), ChoiceBox(tr("On the map or not"), 2)
        tip = tr("Write all names to a file for spreadsheets, without private documents")
        self.export = tool_button("floppy-disk", tip, self.choose_export, role="text")
        self.export.setAccessibleName(tr("Export the names"))
        self.empty = EmptyState(
            "users-three", tr("No names yet"), tr("Open a folder, and they are listed here.")
        )
        self.tools, self.entrance = (self.filter, self.kind, self.place, self.export), self.view
        self.stack = QStackedWidget()
        self._lay_out()
        self._arrange_soon = qdebounced(self._arrange, _REST, parent=self)
        self._following = Following(
            self, session, self._read, self._show, concerns=_concerns, pause=_PAUSE, lane=Lane.GRAPH
        )
        self._connect()

    def _lay_out(self) -> None:
        _offer(self.place, tr("Anywhere"), PLACES[1:])
        for part in (self.filter, self.kind, self.place):
            part.setMinimumWidth(36)  # the panel may be narrow
        view = self.view
        view.setModel(self.model)
        dress_table(view)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setStyleSheet(
            "QAbstractItemView { border: none; border-radius: 0; } QAbstractItemView::item { padding: 0 12px 0 5px; }"
            " QHeaderView::section { padding: 4px 16px 4px 8px; }"  # where the sign of the order stands
        )
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName(tr("Names"))
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        make_copyable(view, self._picked_rows)
        view.horizontalHeader().setSortIndicator(
            NAME_COLUMNS.index(self.model.by), Qt.SortOrder.DescendingOrder
        )
        view.setSortingEnabled(True)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(view)
        column(self.stack, on=self)
        theme.follow(view, view.fit)

    def _connect(self) -> None:
        session, view = self._session, self.view
        self.model.order_wanted.connect(self._arrange)
        self.filter.textChanged.connect(self._arrange_soon)
        self.filter.returnPressed.connect(view.setFocus)
        for box in (self.kind, self.place):
            box.activated.connect(self._arrange)
        view.activated.connect(self._open)
        view.selectionModel().selectionChanged.connect(self._on_picked)
        view.customContextMenuRequested.connect(self._open_menu)
        session.chosen.changed.connect(self._mirror)
        session.selection.changed.connect(self._mirror)
        session.workspace_closed.connect(self._clear)

    # ------------------------------------------------------------ content

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._in_sight = True
        if self._stale:
            self._following.again()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._in_sight = False

    def _read(self, workspace: Workspace, _: Changed, context: TaskContext) -> _Read | None:
        """Return the names and their kinds, the commonest first; None while nobody looks."""
        if not self._in_sight:
            return None
        rows = workspace.names.table(context)
        return rows, [kind for kind, _ in Counter(row.kind for row in rows).most_common()]

    def _show(self, read: _Read | None) -> None:
        self._stale = read is None
        if read is not None:
            self._rows, kinds = read
            self._following.set_pause(_PAUSE if len(self._rows) < _MANY else _LONG_PAUSE)
            _offer(self.kind, tr("All kinds"), kinds)
            self._arrange()
        elif self._in_sight:  # since it came in front meanwhile
            self._following.again()

    def _arrange(self) -> None:
        """List what matches in the order that is wanted; which rows these are is worked out on another thread."""
        rows, model, view = self._rows, self.model, self.view
        text, kind, place = self.filter.text(), self.kind.currentData(), self.place.currentData()
        by, descending = model.by, model.descending

        def work(_: TaskContext) -> tuple[list[NameRow], dict[str, int]]:
            found = arrange_names(rows, text, kind, place, by, descending)
            return found, {each.id: at for at, each in enumerate(found)}

        def done(found: tuple[list[NameRow], dict[str, int]]) -> None:
            bar, current = view.verticalScrollBar(), view.currentIndex()
            place, id = bar.value(), model.id(current.row()) if current.isValid() else ""
            self._filling = True
            model.set_rows(*found, len(rows))
            if (row := model.place_of.get(id, -1)) >= 0:
                at = model.index(row, 0)
                view.selectionModel().setCurrentIndex(at, QItemSelectionModel.SelectionFlag.NoUpdate)
            bar.setValue(place)
            self._filling = False
            self._mirror()
            self.stack.setCurrentWidget(view if rows else self.empty)

        self._tasks.start("order", work, done)

    def show_place(self, place: str) -> None:
        """List the names of one of PLACES, of whatever kind."""
        self.filter.clear()
        self.kind.setCurrentIndex(0)
        self.place.setCurrentIndex(PLACES.index(place))
        self._arrange()

    def _clear(self) -> None:
        self._rows, self._stale = [], True
        self.show_place("")

    # ------------------------------------------------------------ picking

    def _open(self, index: AnyIndex) -> None:
        operations.select_entity(self._session, self.model.ids(QItemSelection(index, index))[0])

    def _on_picked(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if self._filling:
            return
        added = self.model.ids(selected if self.view.adds else self.view.selectionModel().selection())
        gone = set(self.model.ids(deselected) if self.view.adds else self._displayed)
        wanted = dict.fromkeys((*(id for id in self._displayed if id not in gone), *added))
        if len(wanted) > MOST_CHOSEN:
            words = tr("Only the first {count} are chosen.", count=MOST_CHOSEN)
            self._session.notify(words, "warning")
        chosen = [*wanted][:MOST_CHOSEN]
        if tuple(chosen) == self._session.chosen.current:
            self._mirror()  # what was picked beyond is not
        self._session.chosen.set(chosen)

    def _mirror(self, _: object = None) -> None:
        """Select the rows of what is chosen or, where nothing is, of the selected entity."""
        now, model, selection = self._session.selection.current, self.model, self.view.selectionModel()
        before = self._displayed
        self._displayed = self._session.chosen.current or (
            (now.id,) if now is not None and now.kind == "entity" else ()
        )
        places = np.array(
            sorted(model.place_of[id] for id in self._displayed if id in model.place_of), np.int64
        )
        wanted = QItemSelection()
        for part in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else ():
            wanted.select(model.index(int(part[0]), 0), model.index(int(part[-1]), len(_COLUMNS) - 1))
        self._filling = True
        selection.select(wanted, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._filling = False
        if len(places) and self._displayed != before and not self.view.hasFocus():
            index = model.index(int(places[0]), 0)
            selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.view.scrollTo(index)

    # ------------------------------------------------------------ menu and room

    def _picked_rows(self) -> Rows:
        """Return the picked rows; where nothing is picked all of a short table: a long one is exported, not copied."""
        is_short = self.view.selectionModel().hasSelection() or self.model.rowCount() <= MOST_CHOSEN
        return Rows(
            tuple(each.title for each in _COLUMNS), chosen_cells(self.view, _COLUMNS) if is_short else ()
        )

    def choose_export(self) -> None:
        """Ask for a file, and write all names to it."""
        kinds, export = tr("Table of names (*.csv)"), partial(operations.export, self._session)
        choose_file(self, tr("Export the names"), kinds, export, "csv")

    def menu(self) -> QMenu:
        """Return what can be done with the picked names, and the orders of the table."""
        menu, commands = QMenu(self), self._session.commands
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._displayed:
            about_action(self._session, menu, Scope(entities=self._displayed))
        for id in ("table.text", "table.markdown", "table.csv"):
            if id in commands:
                menu.addAction(commands.action(id))
        menu.addSeparator()
        for at, each in enumerate(_COLUMNS):
            order = Qt.SortOrder.DescendingOrder if each.number else Qt.SortOrder.AscendingOrder
            sort = partial(self.view.sortByColumn, at, order)
            action = menu.addAction(tr("Sort by {column}", column=each.title))
            action.triggered.connect(lambda _, sort=sort: sort())
        return menu

    def _open_menu(self, at: QPoint) -> None:
        self.menu().popup(self.view.viewport().mapToGlobal(at))


def _concerns(changed: Changed) -> bool:
    return bool(changed.names or changed.entities or changed.facts)


def _offer(box: ChoiceBox, every: str, choices: Iterable[str]) -> None:
    """Offer choices by their keys, or all of them, "", at first; the one that is made stays where it is offered."""
    now = box.currentData()
    if [box.itemData(at) for at in range(box.count())] == ["", *(choices := list(choices))]:
        return
    box.clear()
    box.addItem(every, "")
    for key in choices:
        words = _WORDS.get(key, key)
        box.addItem(words[:1].upper() + words[1:], key)
    box.setCurrentIndex(max(box.findData(now), 0))
