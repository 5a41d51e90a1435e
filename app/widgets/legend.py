"""Which colour is which community: a card of buttons, the largest first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.look import theme as look
from app.look.painting import paint_text, rounded
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import PaintedButton
from app.widgets.labels import PlainLabel
from app.widgets.layout import column

MOST = 8
_WIDTH, _ROW_HEIGHT = 208, 22


def paint_mark(painter: QPainter, centre: QPointF, radius: float, community: int) -> None:
    """Paint a community's disc, with the ring where the palette repeats."""
    theme = look.current()
    color, ring = theme.community_mark(community)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawEllipse(centre, radius, radius)
    if ring:
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(centre, radius * 0.68, radius * 0.68)
        painter.setBrush(color)
        painter.drawEllipse(centre, radius * 0.36, radius * 0.36)


class _Row(PaintedButton):
    """Mark, name and count of one community."""

    def __init__(self) -> None:
        super().__init__()
        self.community, self._label, self._count = -1, "", 0
        self._state: tuple[object, ...] | None = None
        self._picture = QPixmap()
        self.setCheckable(True)

    def show_community(self, community: int, label: str, count: int, unit: Callable[[int], str]) -> None:
        """Stand for this community from now on."""
        self.community, self._label, self._count = community, label, count
        self._state = None
        size = unit(count)
        self.setAccessibleName(tr("Community {name}, {size}", name=label, size=size))
        set_tip(self, tr("{name}: {size}. Click to light it up.", name=label, size=size))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(look.px(_WIDTH - 8), look.px(_ROW_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Stamp the row; it lies over the graph and is painted again with every frame of it."""
        widget_state = (self.isChecked(), self.underMouse(), self.hasFocus(), self.devicePixelRatioF())
        state = (look.current().name, look.px(100), *widget_state)
        if state != self._state:
            self._state = state
            self._picture = QPixmap(self.size() * self.devicePixelRatioF())
            self._picture.setDevicePixelRatio(self.devicePixelRatioF())
            self._picture.fill(Qt.GlobalColor.transparent)
            self._paint(QPainter(self._picture))
        QPainter(self).drawPixmap(0, 0, self._picture)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._state = None

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked() or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.current().color("accent_soft" if self.isChecked() else "raised"))
            painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        if self.hasFocus():
            rounded(painter, self.rect(), "accent", radius=4)
        paint_mark(painter, QPointF(12, self.height() / 2), 5, self.community)
        room = self.rect().adjusted(24, 0, -8, 0)
        count = f"{self._count:,}"
        wide = paint_text(painter, room, count, "muted", look.SMALL, place=Qt.AlignmentFlag.AlignRight)
        room.setWidth(room.width() - wide - 8)
        paint_text(painter, room, self._label, size=look.SMALL)
        painter.end()


class GraphLegend(QFrame):
    """Community colours. Clicking a row lights that community; clicking again lets it go."""

    chosen = Signal(int)  # community, or -1 for none

    def __init__(self, unit: Callable[[int], str], parent: QWidget | None = None) -> None:
        """`unit`: how the numbers are said."""
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.setAccessibleName(tr("Communities"))
        self._rows: list[_Row] = []
        self._unit = unit
        self.heading = PlainLabel(tr("Communities"), "section")
        self.heading.setContentsMargins(7, 0, 0, 2)
        self._more = PlainLabel(kind="small")
        self._more.setContentsMargins(7, 2, 0, 0)
        for _ in range(MOST):
            row = _Row()
            row.clicked.connect(lambda checked, row=row: self._clicked(row, checked))
            self._rows.append(row)
        self._layout = column(self.heading, *self._rows, self._more, spacing=0, margins=(4, 6), on=self)
        self._all: list[tuple[int, str, int]] = []
        self._chosen, self._limit = -1, MOST
        look.follow(self, self._resize)

    def _resize(self) -> None:
        self.setFixedWidth(look.px(_WIDTH))
        self._fill()

    def set_unit(self, counted: Callable[[int], str]) -> None:
        """Set how the numbers are said."""
        self._unit = counted
        self._fill()

    def set_heading(self, words: str) -> None:
        """Set what is listed, and what its numbers count."""
        self.heading.setText(words)

    def show_communities(self, rows: list[tuple[int, str, int]]) -> None:
        """Show rows of (community, label, count), in the order in which they are listed."""
        if rows != self._all:
            self._all = rows
            self._fill()

    def fit_into(self, height: int) -> None:
        """List only as many as fit into a height in pixels, at least two."""
        limit = min(MOST, max(2, (height - look.px(48)) // look.px(_ROW_HEIGHT)))
        if limit != self._limit:
            self._limit = limit
            self._fill()

    def _fill(self) -> None:
        # The rows stay the same widgets, so that neither focus nor a click is lost while the graph grows.
        listed = self._all[: self._limit]
        for place, row in enumerate(self._rows):
            if place < len(listed):
                row.show_community(*listed[place], self._unit)
            row.setVisible(place < len(listed))
            row.setChecked(place < len(listed) and row.community == self._chosen)
        rest = self._all[self._limit :]
        self._more.setVisible(bool(rest))
        inside = sum(row[2] for row in rest)
        self._more.setText(tr("and {count} more ({inside})", count=len(rest), inside=inside))
        set_tip(self._more, tr("In the communities that are not listed: {size}", size=self._unit(inside)))
        self.setVisible(self.listed)
        self._layout.activate()
        self.adjustSize()

    @property
    def listed(self) -> bool:
        """Return whether there is any community."""
        return bool(self._all)

    def listing(self) -> tuple[str, list[tuple[int, str, int]], str]:
        """Return what it says: heading, the rows that are listed, and what is said of the others."""
        return (
            self.heading.text(),
            self._all[: self._limit],
            "" if self._more.isHidden() else self._more.text(),
        )

    def current(self) -> int:
        """Return the lit community, or -1."""
        return self._chosen

    def clear(self) -> None:
        """Light none."""
        self._chosen = -1
        for row in self._rows:
            row.setChecked(False)

    def _clicked(self, chosen: _Row, checked: bool) -> None:
        self._chosen = chosen.community if checked else -1
        for row in self._rows:
            row.setChecked(row is chosen and checked)
        self.chosen.emit(self._chosen)
