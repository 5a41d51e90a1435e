"""The passages that mention an entity, each with its sentence, to choose those in which somebody else is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QRect,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from app.entities.wording import MentionRow
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import tooltip
from app.look.translation import tr, trn
from app.widgets.buttons import push_button
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row
from app.widgets.row_list import RowDelegate, paint_marked
from app.widgets.table import RECORD_ROLE, AnyIndex
from core.text.escape_controls import escape_controls

ROLE, CHECK = Qt.ItemDataRole, Qt.ItemDataRole.CheckStateRole
_ROOT = QModelIndex()


class _Mentions(QAbstractListModel):
    """Signal: ticked() when other ones are chosen."""

    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[MentionRow] = ()
        self.chosen: set[str] = set()

    def show_rows(self, rows: Sequence[MentionRow]) -> None:
        self.beginResetModel()
        self.rows, self.chosen = rows, set()
        self.endResetModel()

    def tick(self, ids: set[str], on: bool) -> None:
        self.chosen = self.chosen | ids if on else self.chosen - ids
        self.dataChanged.emit(self.index(0), self.index(len(self.rows) - 1), [CHECK])
        self.ticked.emit()

    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    def data(self, index: AnyIndex, role: int = ROLE.DisplayRole) -> Any:
        if not index.isValid():
            return None
        mention = self.rows[index.row()]
        if role in (ROLE.DisplayRole, ROLE.AccessibleTextRole):
            return escape_controls(tr("{place}: {sentence}", place=mention.place, sentence=mention.sentence))
        if role == CHECK:
            return Qt.CheckState.Checked if mention.passage_id in self.chosen else Qt.CheckState.Unchecked
        if role == RECORD_ROLE:
            return mention
        if role == ROLE.ToolTipRole:
            return tooltip(f"{mention.place}\n{mention.sentence}")
        return None


class _MentionRow(RowDelegate):
    HEIGHT = 46

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        mention: MentionRow = index.data(RECORD_ROLE)
        ticked, side = index.data(CHECK) == Qt.CheckState.Checked, theme.px(16)
        spot = QRect(box.left() + theme.WITHIN, box.center().y() - side // 2, side, side)
        theme.icon("check-square" if ticked else "square", "accent" if ticked else "muted").paint(
            painter, spot
        )
        inside = box.adjusted(side + 2 * theme.WITHIN, theme.px(3), -theme.WITHIN, -theme.px(3))
        upper, lower = QRect(inside), QRect(inside)
        upper.setHeight(int(inside.height() * 0.42))
        lower.setTop(upper.bottom())
        paint_text(painter, upper, escape_controls(mention.place), "muted", theme.SMALL)
        paint_marked(painter, lower, mention.sentence, mention.marks)


class _List(CopyKeys, QListView):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:  # all that are selected, not the current one alone
            self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class MentionPicker(QWidget):
    """Space chooses, a click does, too. Signal: changed() when other ones are chosen."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model, self.proxy, self.list = _Mentions(), QSortFilterProxyModel(self), _List()
        self.filter = line_edit(tr("Filter the passages"), clear=True)
        self.count = PlainLabel(kind="small")
        self.all = push_button(tr("All"), lambda: self._tick(range(self.proxy.rowCount()), True), kind="link")
        self.none = push_button(
            tr("None"), lambda: self._tick(range(self.proxy.rowCount()), False), kind="link"
        )
        self.all.setAccessibleName(tr("Choose all passages that are listed"))
        self.none.setAccessibleName(tr("Choose none of the passages that are listed"))
        self.proxy.setSourceModel(self.model)
        self.proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        view = self.list
        view.setModel(self.proxy)
        view.setItemDelegate(_MentionRow(view))
        view.setUniformItemSizes(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setAccessibleName(tr("Passages that mention it"))
        theme.follow(view, lambda: view.setMinimumHeight(theme.px(100)))
        make_copyable(view, self._rows)
        self.filter.textChanged.connect(self.proxy.setFilterFixedString)
        view.clicked.connect(self._turn)
        view.activated.connect(self._turn_chosen)
        self.model.ticked.connect(self._say)
        self.model.ticked.connect(self.changed)
        head = row((self.filter, 1), self.all, self.none)
        column(head, (view, 1), row(self.count, STRETCH), spacing=theme.GRID, on=self)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Return ids of the passages, in their order."""
        return tuple(row.passage_id for row in self.model.rows if row.passage_id in self.model.chosen)

    def show_mentions(self, rows: Sequence[MentionRow]) -> None:
        self.filter.clear()
        self.model.show_rows(rows)
        index = self.proxy.index(0, 0)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._say()

    def _say(self) -> None:
        count, chosen = len(self.model.rows), len(self.model.chosen)
        self.count.setText(
            trn(
                "{chosen} of {count} passage chosen",
                "{chosen} of {count} passages chosen",
                count,
                chosen=chosen,
            )
        )

    def _mention(self, row: int) -> MentionRow:
        mention: MentionRow = self.proxy.index(row, 0).data(RECORD_ROLE)
        return mention

    def _tick(self, rows: Sequence[int], on: bool) -> None:
        self.model.tick({self._mention(row).passage_id for row in rows}, on)

    def _turn(self, index: QModelIndex) -> None:
        self._tick([index.row()], index.data(CHECK) != Qt.CheckState.Checked)

    def _turn_chosen(self) -> None:
        rows = [index.row() for index in self.list.selectedIndexes()]
        self._tick(rows, any(self._mention(row).passage_id not in self.model.chosen for row in rows))

    def _rows(self) -> Rows:
        found = [self._mention(row) for row in chosen_rows(self.list)]
        return Rows((tr("Passage"), tr("Sentence")), tuple((one.place, one.sentence) for one in found))
