"""Names that may be one entity, each pair with its reason; decided by single keys, as facts are in the queue."""

from __future__ import annotations

from operator import attrgetter

from PySide6.QtCore import QItemSelectionModel, QRect, Qt, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStackedWidget, QWidget

from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr, trn
from app.widgets.copying import CopyKeys, Rows, make_copyable
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from app.widgets.notices import EmptyState
from app.widgets.row_list import RowDelegate
from app.widgets.table import RECORD_ROLE, AnyIndex, Column, RecordTable, chosen_cells
from core.text.escape_controls import escape_controls
from core.types import NameMerge

MOST = 100
Pair = tuple[str, str]


def pair_of(merge: NameMerge) -> Pair:
    return merge.one_id, merge.other_id


class _PairRow(RowDelegate):
    HEIGHT = 50

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        super().draw_chosen(painter, box)
        painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), theme.current().color("accent"))

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        merge: NameMerge = index.data(RECORD_ROLE)
        painter.setPen(theme.current().color("border"))
        painter.drawLine(box.left() + 12, box.bottom(), box.right(), box.bottom())
        inside = box.adjusted(12, theme.px(5), -12, -theme.px(5))
        upper, lower = QRect(inside), QRect(inside)
        upper.setHeight(inside.height() // 2)
        lower.setTop(upper.bottom())
        paint_text(painter, upper, _names(merge), weight=QFont.Weight.DemiBold)
        paint_text(painter, lower, escape_controls(merge.reason), "muted", theme.SMALL)


def _names(merge: NameMerge) -> str:
    return escape_controls(tr("{one}  =  {other}?", one=merge.one, other=merge.other))


_COLUMNS = (
    Column(tr("Names"), _names),
    Column(tr("One name"), attrgetter("one")),
    Column(tr("Other name"), attrgetter("other")),
    Column(tr("Reason"), attrgetter("reason")),
)


class _Pairs(RecordTable):
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role == Qt.ItemDataRole.AccessibleTextRole:
            merge: NameMerge = super().data(index, RECORD_ROLE)
            return escape_controls(
                tr("{one} and {other}: {reason}", one=merge.one, other=merge.other, reason=merge.reason)
            )
        return super().data(index, role)


class _List(CopyKeys, QListView):
    pass


class Suggestions(QWidget):
    """Signal: moved() when another pair is the current one."""

    moved = Signal()

    def __init__(self, below_count: QWidget) -> None:
        super().__init__()
        self._merges: list[NameMerge] = []
        self._taken: set[Pair] = set()  # decided on here, whatever is read before that is written
        self._skipped: list[Pair] = []
        self.model, self.list = _Pairs(_COLUMNS, self), _List()
        self.head = PlainLabel(kind="small", wrap=True)
        self.head.setContentsMargins(12, 6, 12, 6)
        self.empty = EmptyState(
            "users-three",
            tr("No names are left that may be one entity"),
            tr("Select an entity in the graph to rename it, to merge or to split it."),
        )
        self.stack, listed = QStackedWidget(), QWidget()
        column(self.head, below_count, (self.list, 1), spacing=0, on=listed)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(listed)
        column(self.stack, on=self)
        view = self.list
        view.setModel(self.model)
        view.setItemDelegate(_PairRow(view))
        view.setUniformItemSizes(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setStyleSheet("QListView { border: none; border-radius: 0; }")
        view.setAccessibleName(tr("Names that may be one entity"))
        make_copyable(
            view, lambda: Rows(tuple(c.title for c in _COLUMNS[1:]), chosen_cells(view, _COLUMNS[1:]))
        )
        theme.follow(view, view.doItemsLayout)
        view.selectionModel().currentChanged.connect(self.moved)

    def current(self) -> NameMerge | None:
        index = self.list.currentIndex()
        return self._merges[index.row()] if index.isValid() else None

    def show_merges(self, merges: list[NameMerge]) -> None:
        """In place of all others; those that were skipped come last."""
        now, at = self.current(), self.list.currentIndex().row()
        left = [merge for merge in merges if pair_of(merge) not in self._taken]
        left.sort(
            key=lambda merge: (
                self._skipped.index(pair_of(merge)) + 1 if pair_of(merge) in self._skipped else 0
            )
        )
        if left != self._merges:
            self._fill(left)
        places = [
            place for place, merge in enumerate(left) if now is not None and pair_of(merge) == pair_of(now)
        ]
        self._go(places[0] if places else max(at, 0))

    def _fill(self, merges: list[NameMerge]) -> None:
        self._merges = merges
        self.model.set_records(tuple(merges))
        self.stack.setCurrentIndex(1 if merges else 0)
        count = len(merges)
        self.head.setText(
            trn("{count} pair of names may be one entity", "{count} pairs of names may be one entity", count)
        )

    def _go(self, at: int) -> None:
        index = self.model.index(max(0, min(at, len(self._merges) - 1)), 0)
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if not index.isValid():
            self.moved.emit()

    def step(self, by: int) -> None:
        self._go(self.list.currentIndex().row() + by)

    def take(self) -> NameMerge | None:
        """Return the current pair, which is decided on; the next one is there."""
        merge, at = self.current(), self.list.currentIndex().row()
        if merge is not None:
            self._taken.add(pair_of(merge))
            self._fill([one for one in self._merges if one is not merge])
            self._go(at)
        return merge

    def put_back(self, pair: Pair) -> None:
        """What is read from now on is right about this pair."""
        self._taken.discard(pair)

    def skip(self) -> None:
        """The next one; this one comes again behind the others."""
        merge, at = self.current(), self.list.currentIndex().row()
        if merge is not None:
            self._skipped.append(pair_of(merge))
            self._fill([*(one for one in self._merges if one is not merge), merge])
            self._go(at)

    def clear(self) -> None:
        self._taken.clear()
        self._skipped.clear()
        self._fill([])
        self._go(0)
