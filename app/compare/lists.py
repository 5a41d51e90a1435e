"""Two rankings side by side, each passage joined by a line to itself in the other."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFont, QKeyEvent, QMouseEvent, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, speak, tell_focus
from core.text.escape_controls import escape_controls
from core.types import RankedTwice

_ROW = 26
_GAP = 110  # pixels between the columns at 100 %: room for the lines


class RankLines(QWidget):
    """The mouse or Up and Down light a passage on both sides. Signals: chosen(RankedTwice), pointed(the
    same, or None)."""

    chosen = Signal(object)
    pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rankLines")
        self._rows: tuple[RankedTwice, ...] = ()
        self._lit = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.List, self._parts, lambda: self._lit))
        self.setAccessibleName(tr("Passages of both sides"))
        theme.follow(self, self._fit)

    def show_rows(self, rows: tuple[RankedTwice, ...]) -> None:
        self._rows, self._lit = rows, -1
        self._fit()

    @property
    def lit(self) -> RankedTwice | None:
        return self._rows[self._lit] if 0 <= self._lit < len(self._rows) else None

    def _fit(self) -> None:
        deepest = max((rank or 0 for row in self._rows for rank in (row.rank_a, row.rank_b)), default=0)
        self.setFixedHeight(deepest * theme.px(_ROW) + theme.GRID)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(560), self.height())

    def place(self, at: int, left: bool) -> QRect:
        """Where a passage stands on a side; empty where it does not."""
        row = self._rows[at]
        rank = row.rank_a if left else row.rank_b
        if rank is None:
            return QRect()
        wide, high = (self.width() - theme.px(_GAP)) // 2, theme.px(_ROW)
        return QRect(0 if left else self.width() - wide, (rank - 1) * high, wide, high - 2)

    def _parts(self) -> list[Part]:
        return [
            Part(
                row.title or row.document,
                moved_words(row),
                self.place(at, row.rank_a is not None),
                at == self._lit,
            )
            for at, row in enumerate(self._rows)
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, now = smooth(self), theme.current()
        for at, row in enumerate(self._rows):
            left, right = self.place(at, True), self.place(at, False)
            lit = at == self._lit
            if not left.isEmpty() and not right.isEmpty():
                start, end = (
                    QPointF(left.right() + 4, left.center().y()),
                    QPointF(right.left() - 4, right.center().y()),
                )
                path, half = QPainterPath(start), (end.x() - start.x()) / 2
                path.cubicTo(start + QPointF(half, 0), end - QPointF(half, 0), end)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(now.color("accent" if lit else "strong_border"), 2.5 if lit else 1.2))
                painter.drawPath(path)
            for box, rank, other in ((left, row.rank_a, row.rank_b), (right, row.rank_b, row.rank_a)):
                if box.isEmpty():
                    continue
                rounded(painter, box, "accent" if lit else "border", "accent_soft" if lit else "surface")
                number = QRect(box.left() + theme.WITHIN, box.top(), theme.px(26), box.height())
                paint_text(painter, number, str(rank), "muted", theme.SMALL)
                name = QRect(
                    number.right(), box.top(), box.right() - number.right() - theme.px(52), box.height()
                )
                weight = QFont.Weight.DemiBold if lit else QFont.Weight.Normal
                paint_text(painter, name, escape_controls(row.title or row.document), weight=weight)
                side = QRect(box.right() - theme.px(50), box.top(), theme.px(44), box.height())
                moved = tr("only") if other is None else ""
                paint_text(painter, side, moved, "warn", theme.SMALL, place=Qt.AlignmentFlag.AlignRight)

    def _light(self, at: int) -> None:
        if at != self._lit:
            self._lit = at
            row = self.lit
            set_tip(self, f"{moved_words(row)}\n{' '.join(row.text.split())[:300]}" if row else "")
            self.pointed.emit(row)
            self.update()

    def _at(self, event: QMouseEvent) -> int:
        point = event.position().toPoint()
        places = ((at, side) for at in range(len(self._rows)) for side in (True, False))
        return next((at for at, side in places if self.place(at, side).contains(point)), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._light(self._at(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._light(self._at(event))
        if (row := self.lit) is not None:
            self.chosen.emit(row)

    def leaveEvent(self, event: QEnterEvent) -> None:  # type: ignore[override]
        if not self.hasFocus():
            self._light(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and self._rows:
            self._light(max(0, min(self._lit + step, len(self._rows) - 1)))
            tell_focus(self, self._lit)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.lit is not None:
            self.chosen.emit(self.lit)
        else:
            super().keyPressEvent(event)


def moved_words(row: RankedTwice) -> str:
    """Where a passage stands on both sides."""
    if row.rank_b is None:
        return tr("{document}: {rank} in A, not in B", document=row.document, rank=row.rank_a)
    if row.rank_a is None:
        return tr("{document}: {rank} in B, not in A", document=row.document, rank=row.rank_b)
    return tr("{document}: {a} in A, {b} in B", document=row.document, a=row.rank_a, b=row.rank_b)
