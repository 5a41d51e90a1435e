"""A line to type in, and a list of matches below it to choose from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMoveEvent, QPainter
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QWidget

from app.look import theme
from app.look.painting import paint_text, rounded
from app.look.translation import tr
from app.widgets.layout import column
from app.widgets.row_list import RowDelegate
from app.widgets.table import AnyIndex
from core.text.escape_controls import escape_controls

WAIT_MS = 120  # after the last key, before the workspace is searched
ROLE = Qt.ItemDataRole.UserRole
ICONS = {
    "entity": "share-network",
    "document": "file-text",
    "community": "circles-three",
    "fact": "arrows-left-right",
    "passage": "quotes",
    "ask": "chat-circle-dots",
    "command": "keyboard",
}


class Match(Protocol):
    """A line of the list. `kind` is one of ICONS."""

    @property
    def kind(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def detail(self) -> str: ...


class MatchRow(RowDelegate):
    """An icon, a title, a quieter detail, and at the end of the line what it is in a word."""

    HEIGHT = 34

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        rounded(painter, box.adjusted(4, 1, -4, -1), fill="accent_soft")

    def draw(self, painter: QPainter, box: QRect, index: AnyIndex) -> None:
        match: Match = index.data(ROLE)
        icon = QRect(box.left() + 14, box.center().y() - 8, 18, 18)
        theme.icon(ICONS.get(match.kind, "circle"), "muted").paint(painter, icon)
        text = box.adjusted(44, 0, -16, 0)
        if match.kind in ICONS and match.kind not in ("ask", "command"):
            face = QFontMetrics(theme.font(theme.SMALL))
            kind = QRect(text)
            kind.setLeft(text.right() - max(face.horizontalAdvance(name) for name in ICONS))
            paint_text(painter, kind, match.kind, "muted", theme.SMALL)
            text.setRight(kind.left() - 16)
        title = QRect(text)
        title.setWidth(int(text.width() * 0.62))
        text.setLeft(text.left() + paint_text(painter, title, escape_controls(match.title)) + 16)
        paint_text(painter, text, escape_controls(match.detail), "muted", place=Qt.AlignmentFlag.AlignRight)


class MatchList(QListWidget):
    """ROLE gives the Match of a line. The keyboard stays where it is typed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(MatchRow(self))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def add(self, match: Match, spoken: str) -> None:
        item = QListWidgetItem(self)
        item.setData(ROLE, match)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)


class ResultBox(QLineEdit):
    """Signals: wanted(str) when matches should be looked up (answer with `show_results`); chosen(Match);
    cancelled() at Esc with nothing open.
    """

    wanted = Signal(str)
    chosen = Signal(object)
    cancelled = Signal()
    _moves: ClassVar[dict[int, int]] = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setClearButtonEnabled(True)
        self.setMaxLength(4000)
        self.addAction(theme.icon("magnifying-glass", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        theme.follow(self, lambda: self.setMinimumHeight(theme.px(32)))
        self._timer = QTimer(self, interval=WAIT_MS, singleShot=True)
        self._timer.timeout.connect(lambda: self.wanted.emit(self.text().strip()))
        self.textEdited.connect(self._edited)
        self.list = MatchList(tr("Matches"))
        self.list.setMouseTracking(True)
        self.list.itemEntered.connect(self.list.setCurrentItem)
        self.list.itemClicked.connect(self._take)
        self._popup: QFrame | None = None
        self._listed = ""  # the text whose matches are in the list
        self._entered = ""  # the text for which Enter was pressed before its matches came

    def show_results(self, text: str, results: Sequence[Match]) -> None:
        """Show the matches of `text`; ignored when the person has typed on since."""
        if text != self.text().strip() or not text or not self.hasFocus():
            return
        rows = self.rows_of(text, results)
        self._listed = text
        self.list.clear()
        if not rows:
            self.close_results()
            return
        for row in rows:
            self.list.add(row, escape_controls(f"{row.kind}: {row.title}"))
        self.list.setCurrentRow(0)
        if self._entered == text:
            self._take(self.list.item(0))
        else:
            self._place(len(rows))

    def rows_of(self, text: str, results: Sequence[Match]) -> Sequence[Match]:
        """Return what is listed of the matches of a text."""
        return results

    def close_results(self) -> None:
        if self._popup is not None:
            self._popup.hide()
        self._timer.stop()
        self._entered = ""

    @property
    def open(self) -> bool:
        return self._popup is not None and self._popup.isVisible()

    def _place(self, rows: int) -> None:
        popup = self._popup or self._make_popup()
        corner = self.mapTo(self.window(), QPoint(0, self.height() + 4))
        size = QSize(max(self.width(), theme.px(420)), min(rows, 12) * theme.px(34) + 14)
        corner.setX(max(0, min(corner.x(), self.window().width() - size.width() - 8)))
        popup.setGeometry(QRect(corner, size))
        popup.show()
        popup.raise_()

    def moveEvent(self, event: QMoveEvent) -> None:  # noqa: N802 - Qt's name
        super().moveEvent(event)
        if self.open:  # what stands beside it came or went
            self._place(self.list.count())

    def _make_popup(self) -> QFrame:
        # A child of the window, not a window of its own: the keyboard stays in the box.
        popup = QFrame(self.window())
        popup.setProperty("kind", "card")
        column(self.list, margins=(1, 4), on=popup)
        self._popup = popup
        return popup

    def _edited(self, text: str) -> None:
        self._entered = ""
        if text.strip():
            self._timer.start()
        else:
            self.close_results()

    def _take(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.close_results()
            self.take(item.data(ROLE))

    def take(self, match: Match) -> None:
        """The person chose this one."""
        self.finish(lambda: self.chosen.emit(match))

    def finish(self, then: Callable[[], None]) -> None:
        self.clear()
        self.clearFocus()
        then()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key = event.key()
        if key in self._moves and self.open:
            count = self.list.count()
            self.list.setCurrentRow((self.list.currentRow() + self._moves[key]) % max(count, 1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(self.text().strip())
        elif key == Qt.Key.Key_Escape:
            if self.open:
                self.close_results()
            else:
                self.clear()
                self.clearFocus()
                self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def _enter(self, text: str) -> None:
        if self.open and not self.fits(text):
            self._timer.stop()
            self._entered = text  # goes to the first of its own matches, once they are here
            self.wanted.emit(text)
        elif self.open:
            self._take(self.list.currentItem())
        elif text:
            self.wanted.emit(text)

    def fits(self, text: str) -> bool:
        """Return whether the open list is of this text, or the person went down in it all the same."""
        return self.open and bool(text) and (self._listed == text or self.list.currentRow() > 0)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        self.close_results()
        super().focusOutEvent(event)
