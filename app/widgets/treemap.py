"""A treemap that is walked through: areas inside areas, by mouse and by keyboard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.look import theme as look
from app.look.motion import MOTION_MS, Glide
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from app.widgets.treemap_tiles import Tile, TreemapItem, nearest, paint_rings, paint_tile, tiles

LEAST_CHANGE = 0.01  # share by which a weight must change for its area to be laid out anew
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Treemap(QWidget):
    """The items below one of them, two levels deep.

    Arrows move the focus, Space selects, Enter goes down, Backspace up, Home to the top; a click selects,
    a double click goes down. Signals: chosen(id); opened(id) when it went down; rose(id, or None for the
    top) when it went up.
    """

    chosen = Signal(int)
    opened = Signal(int)
    rose = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[int, TreemapItem] = {}
        self._below: dict[int | None, list[TreemapItem]] = {}
        self._tiles: list[Tile] = []
        self._places: dict[int | None, int] = {}  # id -> tile
        self._place: int | None = None
        self._selected: int | None = None
        self._before: int | None = None  # what was selected before the last click
        self._cursor: int | None = None  # id of the item that the keyboard is on
        self._pointed = -1  # tile under the mouse
        self._picture: QPixmap | None = None
        self._old: tuple[QPixmap, QRectF, bool] | None = (
            None  # what is left: picture, area, whether it was opened
        )
        self._share = 1.0
        self._glide = Glide(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 80)
        speak(self, Spoken(Role.List, self._parts, lambda: self._at(self._cursor)))
        self._say()
        look.notifier().changed.connect(self._lay_out)

    def sizeHint(self) -> QSize:
        return QSize(260, 180)

    # ------------------------------------------------------------ content

    @property
    def place(self) -> int | None:
        """Return the item whose inside is shown; None: the top."""
        return self._place

    @property
    def tiles(self) -> Sequence[Tile]:
        """Return what is drawn: each tile is followed by those inside it."""
        return self._tiles

    @property
    def focused(self) -> int | None:
        """Return the item that the keyboard is on."""
        return self._cursor

    def set_items(self, items: Sequence[TreemapItem]) -> None:
        """Show other items; place and focus stay where they were, if they are still there."""
        self._items = {item.id: item for item in items}
        below: dict[int | None, list[TreemapItem]] = defaultdict(list)
        for item in items:
            below[item.parent].append(item)
        for children in below.values():
            children.sort(key=lambda item: -item.weight)  # stable: equals keep their order
        self._below = dict(below)
        if self._place not in self._below:
            self._place = None
        self._lay_out()

    def renew(self, items: Sequence[TreemapItem]) -> None:
        """Show these items, which are there already, as they are now; areas that hardly change stay as they are."""
        now = {item.id: item for item in items}
        drawn = [item for item in items if item.id in self._places]
        grown = any(abs(item.weight / self._items[item.id].weight - 1) > LEAST_CHANGE for item in drawn)
        self._items |= now
        for parent in {item.parent for item in items}:
            children = [now.get(item.id, item) for item in self._below[parent]]
            self._below[parent] = sorted(children, key=lambda item: -item.weight)
        if grown:
            self._lay_out()
        elif drawn:
            for item in drawn:
                at = self._places[item.id]
                self._tiles[at] = replace(self._tiles[at], item=item)
            self._repaint()

    def set_place(self, place: int | None) -> None:
        """Show the inside of an item; one that holds nothing is shown within its parent."""
        while place is not None and place not in self._below:
            known = self._items.get(place)
            place = known.parent if known is not None else None
        if place != self._place:
            self._move_to(place)

    def select(self, item: int | None) -> None:
        """Mark an item as chosen, and put the keyboard on it where it is drawn."""
        self._selected = item
        if item is not None and self._at(item) >= 0:
            self._cursor = item
            self._say()
        self.update()

    def reveal(self, item: int) -> None:
        """Go where an item is seen; stay where it is already."""
        known = self._items.get(item)
        if known is not None and self._at(item) < 0:
            self.set_place(known.parent)

    def rect_of(self, item: int) -> QRectF:
        """Return the area of an item that is drawn; empty for others."""
        at = self._at(item)
        return QRectF(self._tiles[at].rect) if at >= 0 else QRectF()

    def _at(self, item: int | None) -> int:
        return self._places.get(item, -1)

    def _lay_out(self, _: object = None) -> None:
        self._tiles = tiles(self._below, self._place, QRectF(self.rect()))
        self._places = {tile.item.id: at for at, tile in enumerate(self._tiles)}
        if self._at(self._cursor) < 0:
            self._cursor = self._tiles[0].item.id if self._tiles else None
        self._pointed = -1
        self._say()
        self._repaint()

    def _repaint(self) -> None:
        self._picture = None
        self.update()

    # ------------------------------------------------------------ going down and up

    def go_down(self, item: int) -> None:
        """Into an item; one that holds nothing is selected instead."""
        if item not in self._below:
            self.chosen.emit(item)
            return
        self._move_to(item)
        self.opened.emit(item)

    def go_up(self, top: bool = False) -> None:
        """To what holds the place that is shown, or at once to the top."""
        if self._place is None:
            return
        left = self._items[self._place]
        self._move_to(None if top else left.parent)
        self.rose.emit(self._place)

    def _move_to(self, place: int | None) -> None:
        """Show another place; the area that is gone into grows, the one that is left shrinks."""
        old, before = self._picture, self._place
        area = self.rect_of(place) if place is not None else QRectF()
        self._place = place
        self._cursor = None
        self._lay_out()
        entered = not area.isEmpty()
        if not entered and before is not None:
            area = self.rect_of(before)
            self._cursor = before if self._at(before) >= 0 else self._cursor
            self._say()
        if self._at(self._selected) >= 0 and entered:
            self._cursor = self._selected
            self._say()
        if old is None or area.isEmpty() or not self.isVisible():
            return
        self._old = (old, area, entered)
        self._glide.run(self._step, MOTION_MS)

    def _step(self, share: float) -> None:
        self._share = share
        if share >= 1.0:
            self._old = None
        self.update()

    # ------------------------------------------------------------ what is heard

    def _say(self) -> None:
        """Name and description of what the keyboard is on."""
        at = self._at(self._cursor)
        if at < 0:
            self.setAccessibleName(tr("Treemap"))
            self.setAccessibleDescription(tr("Nothing to show"))
            return
        tile = self._tiles[at]
        same = [other for other in self._tiles if other.depth == tile.depth]
        number = next(row for row, other in enumerate(same, 1) if other is tile)
        words = [
            tile.item.detail or f"{tile.item.weight:,.0f}",
            tr("{number} of {count}", number=number, count=len(same)),
        ]
        if tile.holds:
            words.append(tr("Enter shows the {count} inside", count=tile.holds))
        if tile.item.id == self._selected:
            words.append(tr("selected"))
        self.setAccessibleName(tile.item.label)
        self.setAccessibleDescription(tr("; ").join(words))

    def _parts(self) -> Sequence[Part]:
        return [
            Part(tile.item.label, tile.item.detail, tile.rect.toRect(), tile.item.id == self._selected)
            for tile in self._tiles
        ]

    # ------------------------------------------------------------ mouse and keys

    def tile_at(self, point: QPointF) -> int:
        """Return the innermost tile at a point, by its place in `tiles`; -1: none."""
        found = -1
        for at, tile in enumerate(self._tiles):
            if tile.rect.contains(point):
                found = at
        return found

    def _point_at(self, at: int) -> None:
        if at != self._pointed:
            self._pointed = at
            self.setCursor(Qt.CursorShape.PointingHandCursor if at >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.tile_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.tile_at(event.position())
        if at >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self._put_cursor(at)
            self._before = self._selected
            self.chosen.emit(self._tiles[at].item.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Into the area under the mouse; where it holds nothing, into the one around it."""
        at = self.tile_at(event.position())
        if at < 0 or event.button() != Qt.MouseButton.LeftButton:
            return
        item = self._tiles[at].item
        if item.id == self._before != self._selected:
            self.chosen.emit(item.id)  # the first of the two clicks let it go
        if item.id in self._below:
            self.go_down(item.id)
        elif item.parent is not None and item.parent != self._place:
            self.go_down(item.parent)

    def _put_cursor(self, at: int) -> None:
        self._cursor = self._tiles[at].item.id
        self._say()
        announce_focus(self, at)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, at = event.key(), self._at(self._cursor)
        if key in _ARROWS and at >= 0:
            self._put_cursor(nearest(self._tiles, at, *_ARROWS[Qt.Key(key)]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor is not None:
            self.go_down(self._cursor)
        elif key == Qt.Key.Key_Space and self._cursor is not None:
            self.chosen.emit(self._cursor)
        elif key == Qt.Key.Key_Backspace:
            self.go_up()
        elif key == Qt.Key.Key_Home:
            self.go_up(top=True)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._say()
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = self.tile_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tooltip(self.tip(at)), self)
            return True
        return super().event(event)

    def tip(self, at: int) -> str:
        """Return what the tooltip of a tile says; "" for none."""
        if at < 0:
            return ""
        item = self._tiles[at].item
        lines = [item.label, item.detail or f"{item.weight:,.0f}"]
        if self._tiles[at].holds:
            lines.append(tr("Double click to go in"))
        return "\n".join(lines)

    # ------------------------------------------------------------ painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._glide.finish()
        self._lay_out()

    def _drawn(self) -> QPixmap:
        """Return all tiles without their states; drawn once for each layout and theme."""
        ratio = self.devicePixelRatioF()
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            picture = QPixmap(self.size() * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(look.current().color("canvas"))
            painter = QPainter(picture)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for tile in self._tiles:
                paint_tile(painter, tile)
            painter.end()
            self._picture = picture
        return self._picture

    def paintEvent(self, event: QPaintEvent) -> None:
        picture, painter = self._drawn(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._old is not None:
            self._paint_move(painter, picture)
            painter.end()
            return
        painter.drawPixmap(0, 0, picture)
        selected, cursor = self._at(self._selected), self._at(self._cursor)
        for at in dict.fromkeys((self._pointed, selected)):
            if at >= 0 and not self._tiles[at].header:
                paint_tile(painter, self._tiles[at], lit=True)
        for at in dict.fromkeys((self._pointed, selected, cursor)):
            if at >= 0:
                focused = at == cursor and self.hasFocus()
                paint_rings(painter, self._tiles[at], at == selected, focused, at == self._pointed)
        painter.end()

    def _paint_move(self, painter: QPainter, picture: QPixmap) -> None:
        if self._old is None:
            return
        old, area, entered = self._old
        below, above = (old, picture) if entered else (picture, old)
        share = self._share if entered else 1.0 - self._share
        full_rect = QRectF(self.rect())
        left = area.left() * (1 - share)
        top = area.top() * (1 - share)
        width = area.width() + (full_rect.width() - area.width()) * share
        height = area.height() + (full_rect.height() - area.height()) * share
        painter.drawPixmap(0, 0, below)
        painter.setOpacity(min(1.0, 0.2 + share))
        painter.drawPixmap(QRectF(left, top, width, height), above, QRectF(above.rect()))
