"""The events around the place that a construction is told to."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView

from app.construction.words import ICONS, event_words, why_words
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.copying import CopyKeys, Rows, make_copyable
from app.widgets.row_list import RowDelegate
from app.widgets.table import ROOT, AnyIndex
from core.text.escape_controls import escape_controls
from core.types import Construction, Event

WINDOW = 400  # rows: a list of hundreds of thousands would be laid out anew at each step
_EDGE = 60  # rows from an end of the window at which it moves on
_ICON = 16
EVENT_ROLE = Qt.ItemDataRole.UserRole + 1


class EventRows(QAbstractListModel):
    """A window of the events; EVENT_ROLE gives the number of one."""

    def __init__(self, parent: QListView) -> None:
        super().__init__(parent)
        self.events: Construction | None = None
        self.first = self._count = 0

    def show(self, events: Construction | None, at: int) -> None:
        """The events around number `at`."""
        total = len(events) if events is not None else 0
        first = min(max(at - WINDOW // 2, 0), max(total - WINDOW, 0))
        self.beginResetModel()
        self.events, self.first, self._count = events, first, min(WINDOW, total)
        self.endResetModel()

    def row_of(self, at: int) -> int:
        """Row of an event, moving the window where it lies too near to an end of it."""
        row, total = at - self.first, len(self.events) if self.events is not None else 0
        low = row < _EDGE and self.first > 0
        if low or (row >= self._count - _EDGE and self.first + self._count < total):
            self.show(self.events, at)
        return at - self.first

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else self._count

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self.events is None or not index.isValid():
            return None
        at = self.first + index.row()
        if role == EVENT_ROLE:
            return at
        if role == Qt.ItemDataRole.DisplayRole:
            return escape_controls(event_words(self.events, at))
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words, why = event_words(self.events, at), why_words(self.events, at)
            text = tr("{event} ({why})", event=words, why=why) if why else words
            return tooltip(text) if role == Qt.ItemDataRole.ToolTipRole else escape_controls(text)
        return None


class _EventDelegate(RowDelegate):
    """An icon and what came; a passage in heavier letters, since it begins something. What is yet to come is muted."""

    HEIGHT = 24

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        model = index.model()
        assert isinstance(model, EventRows) and model.events is not None
        at = model.first + index.row()
        view = self.parent()
        come = not isinstance(view, EventList) or at < view.upto
        kind = Event(int(model.events.kinds[at]))
        begins = kind in (Event.PASSAGE, Event.ACT)
        left, icon = box.left() + theme.WITHIN + (0 if begins else theme.GROUPS), theme.px(_ICON)
        theme.icon(ICONS[kind], "accent" if come else "muted").paint(
            painter, left, box.center().y() - icon // 2, icon, icon
        )
        left += icon + theme.WITHIN
        weight = QFont.Weight.DemiBold if begins else QFont.Weight.Normal
        line = QRect(left, box.top(), box.right() - left - theme.GRID, box.height())
        wide = paint_text(
            painter,
            line,
            escape_controls(event_words(model.events, at)),
            "text" if come else "muted",
            weight=weight,
        )
        if (why := why_words(model.events, at)) and line.width() - wide > theme.px(60):
            rest = line.adjusted(wide + theme.GROUPS, 0, 0, 0)
            paint_text(painter, rest, escape_controls(why), "muted", theme.SMALL)


class EventList(CopyKeys, QListView):
    """`reached(int)`: the person went to an event; `chosen(int)`: by a click or Enter, to see it everywhere."""

    reached = Signal(int)
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.upto = 0
        self._telling = True
        self.rows = EventRows(self)
        self.setObjectName("eventList")
        self.setAccessibleName(tr("What came, in order"))
        self.setModel(self.rows)
        self.setItemDelegate(_EventDelegate(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._on_chosen)
        make_copyable(self, self._as_rows)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(300), theme.px(160))

    def show_events(self, events: Construction | None) -> None:
        """All that came, at its end."""
        self.upto = len(events) if events is not None else 0
        self.rows.show(events, self.upto)
        self.go(self.upto)

    def go(self, upto: int) -> None:
        """Stand on the last event that has come; nobody is told."""
        self.upto = upto
        row = self.rows.row_of(max(upto - 1, 0))
        self._telling = False
        self.setCurrentIndex(self.rows.index(row, 0))
        self._telling = True
        self.scrollTo(self.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)
        self.viewport().update()

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        if self._telling and current.isValid():
            self.reached.emit(current.data(EVENT_ROLE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_chosen(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _on_chosen(self, index: AnyIndex) -> None:
        self.chosen.emit(index.data(EVENT_ROLE))

    def _as_rows(self) -> Rows:
        events = self.rows.events
        if events is None:
            return Rows((), ())
        numbers = sorted(index.data(EVENT_ROLE) for index in self.selectedIndexes())
        return Rows((), tuple((event_words(events, at), why_words(events, at)) for at in numbers))
