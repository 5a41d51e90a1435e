"""The time line of an answer: one line a stage, its bar where it lies in the whole time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.answers.wording import duration
from app.explain.details import counted_words
from app.look import theme
from app.look.painting import paint_share, paint_text
from app.look.translation import tr
from app.widgets.row_list import RowDelegate, RowList
from app.widgets.table import RECORD_ROLE, AnyIndex, Column
from core.types import Stage

ROW = 40  # height of a stage, pixels
BAR, LEAST_BAR = 6, 24  # its height, and the width below which it is left out
NARROW = 340  # pixels below which names have most of the line
SIGN = 12  # of a row that can be opened
TIME = 64  # room for the seconds

# The names that the engine gives its stages, in words. Others are shown as they are.
STAGE_WORDS = {
    "loading models": tr("Load the models"),
    "preparing": tr("Look for tables and themes"),
    "gate": tr("Look for a document near it"),
    "route": tr("Choose the route"),
    "encode": tr("Encode the question"),
    "dense": tr("Nearest in meaning"),
    "lexical": tr("Nearest in words"),
    "seeds": tr("Find the seeds"),
    "graph": tr("Walk over the graph"),
    "join": tr("Join words, meaning and graph"),
    "hybrid": tr("Add nearness and paths"),
    "align": tr("Align names and relations"),
    "local": tr("Look around the seeds"),
    "bridge": tr("Look between and beyond them"),
    "global": tr("Walk over the whole graph"),
    "scope": tr("Keep to the scope"),
    "breadth": tr("Are all documents meant"),
    "map": tr("Read the reports"),
    "reduce": tr("Choose statements"),
    "beam": tr("Walk down the communities"),
    "passages": tr("Passages of entities"),
    "second stage": tr("Choose the best anew"),
    "facts": tr("Choose the nearest facts"),
    "reader": tr("Ask the reading model"),
    "read": tr("Read the passages"),
    "integrate": tr("Distil what was found"),
    "answer": tr("Choose the sentences"),
    "explain": tr("Say why each was found"),
    "checks": tr("Check the answer"),
    "next question": tr("Find what to ask next"),
    "round": tr("Ask again"),
}


def stage_words(name: str) -> str:
    """Return a stage as people read it; an unknown name keeps its letters."""
    return STAGE_WORDS.get(name, name[:1].upper() + name[1:])


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage and where it lies: `begin` and `share` are parts of the whole time, 0..1."""

    stage: Stage
    words: str
    begin: float
    share: float
    counted: str = ""  # "12 of 40 taken"
    open: bool = False


def stage_rows(stages: tuple[Stage, ...], seconds: float, open_at: int = -1) -> tuple[StageRow, ...]:
    """Stages one after the other, that of `open_at` laid open; time that none of them names is left at the end."""
    total = max(seconds, sum(stage.seconds for stage in stages), 1e-9)
    rows, passed = [], 0.0
    for at, stage in enumerate(stages):
        words, counted = stage_words(stage.name), counted_words(stage.data)
        share = stage.seconds / total
        rows.append(StageRow(stage, words, passed / total, share, counted, at == open_at))
        passed += stage.seconds
    return tuple(rows)


class StageDelegate(RowDelegate):
    """A sign of whether it is open, name and time in the first line, the bar between them; detail and count below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row: StageRow = index.data(RECORD_ROLE)
        inside = self._list.inside_height() if row.open else 0
        return QSize(120, self.head_height(row) + inside)

    @staticmethod
    def head_height(row: StageRow) -> int:
        """Of the row itself, without what is laid open in it."""
        return theme.px(ROW if row.stage.detail or row.counted else ROW - 16)

    @property
    def _list(self) -> StageList:
        stage_list = self.parent()
        assert isinstance(stage_list, StageList)
        return stage_list

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        high = theme.px(ROW)  # what is laid open below keeps its own ground
        super().draw_chosen(painter, QRect(box.left(), box.top(), box.width(), min(high, box.height())))

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        row: StageRow = index.data(RECORD_ROLE)
        side = theme.px(SIGN)
        area = QRectF(box).adjusted(theme.GRID + side + theme.GRID, 0, -theme.WITHIN, 0)
        first = QRectF(area.left(), area.top() + 4, area.width(), theme.px(20))
        name = QRectF(first)
        # In a narrow list the bar gives way to the name.
        name.setWidth(min(self._names_wide(index), area.width() * (0.45 if area.width() > NARROW else 0.72)))
        paint_text(painter, name, row.words)
        paint_text(painter, first, duration(row.stage.seconds), place=Qt.AlignmentFlag.AlignRight)
        left = name.right() + theme.GROUPS
        track = QRectF(left, first.center().y() - BAR / 2, area.right() - theme.px(TIME) - left, BAR)
        if track.width() >= LEAST_BAR:
            paint_share(painter, track, row.share, 2, row.begin)
        sign = QRect(box.left() + theme.GRID, round(first.center().y() - side / 2), side, side)
        theme.icon("caret-down" if row.open else "caret-right", "muted").paint(painter, sign)
        below = QRectF(area.left(), first.bottom() - 2, area.width(), theme.px(16))
        right = Qt.AlignmentFlag.AlignRight
        taken = paint_text(painter, below, row.counted, "muted", theme.SMALL, place=right)
        below.setWidth(below.width() - (taken + theme.GROUPS if taken else 0))
        paint_text(painter, below, " ".join(row.stage.detail.split()), "muted", theme.SMALL)

    def _names_wide(self, index: AnyIndex) -> float:
        metrics, model = QFontMetrics(theme.font()), index.model()
        names = (model.index(at, 0).data(RECORD_ROLE).words for at in range(model.rowCount()))
        return max(metrics.horizontalAdvance(name) for name in names) + 1.0  # its fractions


class StageList(RowList):
    """Fill it by `show_stages`. Signals: opened(row of a stage) by click, Enter or Right; closed() by the same or Left;
    entered(): Right or Enter on the stage that is open already."""

    opened = Signal(int)
    closed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        columns = (
            Column("", lambda row: row.words),
            Column("", lambda row: duration(row.stage.seconds)),
            Column("", lambda row: tr("; ").join(filter(None, (row.stage.detail, row.counted)))),
        )
        name = tr("Stages of the answer")
        super().__init__("stageList", name, columns, StageDelegate, _describe_row, below=theme.WITHIN)
        self._stages: tuple[Stage, ...] = ()
        self._inside: QWidget | None = None
        self._seconds, self.open_at = 0.0, -1
        self.clicked.connect(self._press)

    def show_stages(self, stages: tuple[Stage, ...], seconds: float) -> None:
        """Show all of them, closed."""
        self._stages, self._seconds, self.open_at = stages, seconds, -1
        self.set_records(stage_rows(stages, seconds))

    def mark_open(self, at: int) -> None:
        """Show which stage is open, -1 for none."""
        self.open_at = at
        if self._stages:
            self.records.renew(stage_rows(self._stages, self._seconds, at))
        if at >= 0:
            self.setCurrentIndex(self.model().index(at, 0))

    def hold(self, inside: QWidget | None) -> None:
        """Lay this open in the row that is open, None for nowhere."""
        if self._inside is not None and self._inside is not inside:
            self._inside.removeEventFilter(self)
        if inside is not None and self._inside is not inside:
            inside.setParent(self.viewport())  # which hides it
            inside.installEventFilter(self)
            inside.show()
        self._inside = inside
        self.make_room()

    def inside_height(self) -> int:
        """Of what is held, as tall as its width asks for."""
        if self._inside is None:
            return 0
        layout, wide = self._inside.layout(), self.viewport().width() - self._indent() - theme.WITHIN
        assert layout is not None
        asked = (
            layout.totalHeightForWidth(wide)
            if layout.hasHeightForWidth()
            else layout.totalSizeHint().height()
        )
        return asked + theme.GROUPS

    def make_room(self) -> None:
        """The open row as tall as what it holds, which stands below its head."""
        self._fit()
        self.doItemsLayout()
        if self._inside is None or self.open_at < 0:
            return
        index = self.model().index(self.open_at, 0)
        box, left = self.visualRect(index), self._indent()
        top = box.top() + StageDelegate.head_height(index.data(RECORD_ROLE)) + theme.GRID
        high = self.inside_height() - theme.GROUPS
        self._inside.setGeometry(left, top, self.viewport().width() - left - theme.WITHIN, high)

    def _indent(self) -> int:
        return 2 * theme.GRID + theme.px(SIGN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._inside and event.type() == QEvent.Type.LayoutRequest:
            self.make_room()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._inside is not None:
            self.make_room()

    def _press(self, index: QModelIndex) -> None:
        self.turn(index.row())

    def turn(self, at: int) -> None:
        """Open a stage, or close the one that is open."""
        if at == self.open_at:
            self.closed.emit()
        elif at >= 0:
            self.opened.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at, key = self.currentIndex().row(), event.key()
        into = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Right)
        if into and at >= 0:
            (self.entered.emit if at == self.open_at else partial(self.opened.emit, at))()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Escape) and self.open_at >= 0:
            self.closed.emit()
        else:
            super().keyPressEvent(event)
            if self.open_at >= 0 and self.currentIndex().row() != at:
                self.opened.emit(self.currentIndex().row())  # what is laid open follows the arrows


def _describe_row(row: StageRow) -> str:
    words = tr(
        "{stage} ({name}): {time}, {share} of the whole",
        stage=row.words,
        name=row.stage.name,
        time=duration(row.stage.seconds),
        share=f"{row.share:.0%}",
    )
    state = tr("open") if row.open else tr("closed; Enter opens it")
    return "\n".join(filter(None, (words, row.stage.detail, row.counted, state)))
