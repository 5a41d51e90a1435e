"""The rows of a community's report: plain text that can be pressed, with a date, a bar or a citation's number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.answers.text_objects import MARK_HEIGHT, mark_width, paint_mark
from app.look import theme
from app.look.painting import paint_share, paint_text, rounded, smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.buttons import PaintedButton, push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, drop, row

LINE = 26  # height of a row of one line
MOST = 6  # rows before the rest is asked for
_SIDE, _ABOVE, _RAIL, _BAR = 8, 4, 18, 48
_WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)


@dataclass(frozen=True, slots=True)
class RowWords:
    """What a row says. `number`: of its citation, 0: none; `share`: 0 to 1 as a bar, below 0: none."""

    text: str
    date: str = ""  # stands above the text, with a point on the time line
    kind: str = ""  # quiet, behind the text
    right: str = ""
    number: int = 0
    share: float = -1.0
    tip: str = ""  # what a press does


class ReportRow(PaintedButton):
    """One row; as high as its text needs where it wraps, else shortened."""

    def __init__(self, words: RowWords, wraps: bool) -> None:
        super().__init__()
        self.words, self._wraps = words, wraps
        self.first = self.last = False  # of a time line
        name_parts = (words.date, words.text, words.kind, words.right)
        self.setAccessibleName(tr("; ").join(filter(None, name_parts)))
        self.setAccessibleDescription(words.tip)
        upright = QSizePolicy.Policy.Preferred if wraps else QSizePolicy.Policy.Fixed
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, upright)
        policy.setHeightForWidth(wraps)
        self.setSizePolicy(policy)

    # ------------------------------------------------------------ room

    def _text_box(self, width: int) -> QRect:
        """Return where the text may stand, of no given height."""
        words = self.words
        left = _SIDE + (_RAIL if words.date else 0)
        top = _ABOVE + (QFontMetrics(theme.font(theme.SMALL)).height() if words.date else 0)
        return QRect(left, top, max(width - left - _SIDE - self._taken_right(), 40), 4000)

    def _taken_right(self) -> int:
        words = self.words
        if words.number:
            return mark_width(words.number) + 6
        if words.right:
            return QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(words.right) + 8
        return _BAR + 8 if words.share >= 0 else 0

    def _text_height(self, width: int) -> int:
        box = self._text_box(width)
        return QFontMetrics(theme.font()).boundingRect(box, _WRAP, self.words.text).height()

    def hasHeightForWidth(self) -> bool:
        return self._wraps

    def heightForWidth(self, width: int) -> int:
        if not self._wraps:
            return theme.px(LINE)
        return max(theme.px(LINE), self._text_box(width).top() + self._text_height(width) + _ABOVE + 1)

    def sizeHint(self) -> QSize:
        return QSize(160, self.heightForWidth(self.width() if self.width() > 60 else 240))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, theme.px(LINE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = QFontMetrics(theme.font()).horizontalAdvance(self.words.text)
        cut = not self._wraps and wide > self._text_box(self.width()).width()
        lines = [self.words.text] if cut else []
        self.setToolTip(tooltip("\n".join([*lines, self.words.tip]).strip()))

    # ------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, words = smooth(self), self.words
        if self.underMouse() or self.hasFocus() or self.isDown():
            rounded(painter, self.rect(), "accent" if self.hasFocus() else "", "accent_soft", 4)
        if words.date:
            self._paint_rail(painter)
        box = self._text_box(self.width())
        if self._wraps:
            painter.setFont(theme.font())
            painter.setPen(theme.current().color("text"))
            painter.drawText(box, _WRAP, words.text)
        else:
            box.setTop(0)
            box.setHeight(self.height())
            left = paint_text(painter, box, words.text) + 8
            kind = box.adjusted(left, 1, 0, 1)
            if QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(words.kind) <= kind.width():
                paint_text(painter, kind, words.kind, "muted", theme.SMALL)
        self._paint_right(painter)

    def _paint_right(self, painter: QPainter) -> None:
        words, right = self.words, self.width() - _SIDE
        if words.number:
            wide, top = mark_width(words.number), self._text_box(self.width()).top() + 1
            mark = QRectF(right - wide, top, wide, theme.px(MARK_HEIGHT))
            paint_mark(painter, mark, words.number, self.underMouse())
        elif words.right:
            room = self.rect().adjusted(0, 0, -_SIDE, 0)
            paint_text(painter, room, words.right, "muted", theme.SMALL, place=Qt.AlignmentFlag.AlignRight)
        elif words.share >= 0:
            paint_share(painter, QRectF(right - _BAR, self.height() / 2 - 2, _BAR, 4), words.share, 3.0)

    def _paint_rail(self, painter: QPainter) -> None:
        """Paint the date, and its point on a line that joins the rows."""
        now, high = theme.current(), QFontMetrics(theme.font(theme.SMALL)).height()
        x, middle = _SIDE + 4.0, _ABOVE + high / 2
        painter.setPen(QPen(now.color("strong_border"), 1))
        begin = middle if self.first else 0.0
        end = middle if self.last else float(self.height())
        painter.drawLine(QPointF(x, begin), QPointF(x, end))
        painter.setPen(QPen(now.color("accent"), 1.5))
        painter.setBrush(now.color("surface"))
        painter.drawEllipse(QPointF(x, middle), 3.5, 3.5)
        box = QRect(_SIDE + _RAIL, _ABOVE, self.width() - _SIDE - _RAIL, high)
        paint_text(painter, box, self.words.date, "muted", theme.SMALL, QFont.Weight.DemiBold)


class Section(QWidget):
    """A heading and its rows; those behind the first few come when they are asked for (then: `grown`)."""

    grown = Signal()

    def __init__(self, title: str, wraps: bool = False, timeline: bool = False) -> None:
        super().__init__()
        self._title, self._wraps, self._timeline = title, wraps, timeline
        self.rows: list[ReportRow] = []
        self._waiting: list[tuple[RowWords, Callable[[], object]]] = []
        self._heading = PlainLabel(title, "section")
        self._heading.setContentsMargins(_SIDE, 0, 0, 4)
        self.more = push_button("", self.show_all, kind="link")
        self._column = column(spacing=0)
        below = row(self.more, STRETCH, margins=(_SIDE + 1, 4, 0, 0))
        column(self._heading, self._column, below, spacing=0, on=self)
        self.hide()

    def set_rows(self, rows: list[tuple[RowWords, Callable[[], object]]]) -> None:
        """Set what each says and what a press on it does; a section without rows is not seen."""
        self.empty()
        few = MOST if len(rows) > MOST + 1 else len(rows)  # a button for one row saves nothing
        for words, act in rows[:few]:
            self._add(words, act)
        self._waiting = rows[few:]
        counted = tr("{title} ({count})", title=self._title, count=len(rows))
        self._heading.setText(counted if len(rows) > MOST else self._title)
        self.more.setText(tr("Show {count} more", count=len(self._waiting)))
        self.more.setVisible(bool(self._waiting))
        self._end_rail()
        self.setVisible(bool(rows))

    def show_all(self) -> None:
        """Add the rows that wait; the keyboard goes to the first of them."""
        first = len(self.rows)
        had, waiting = self.more.hasFocus(), self._waiting
        self._waiting = []
        for words, act in waiting:
            self._add(words, act)
        self._end_rail()
        for added in self.rows[first:]:
            added.show()
        self.grown.emit()
        if had and first < len(self.rows):
            self.rows[first].setFocus(Qt.FocusReason.TabFocusReason)
        self.more.hide()

    def empty(self) -> None:
        """Take all rows away."""
        drop(self._column, self.rows)
        self._waiting = []
        self.hide()

    def _add(self, words: RowWords, act: Callable[[], object]) -> None:
        report_row = ReportRow(words, self._wraps)
        report_row.clicked.connect(lambda: act())
        self._column.addWidget(report_row)
        self.rows.append(report_row)

    def focus_order(self) -> list[QWidget]:
        """Return what Tab goes through, in order."""
        return [*self.rows, self.more] if self.rows else []

    def _end_rail(self) -> None:
        if not self._timeline:
            return
        for at, dated in enumerate(self.rows):
            dated.first, dated.last = at == 0, at == len(self.rows) - 1 and not self._waiting
            dated.update()
