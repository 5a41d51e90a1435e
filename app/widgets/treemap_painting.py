"""How the areas of a treemap look: tints of their colour, names that fit, rings for chosen and focused."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.look import theme as look
from app.look.colors import mixed
from app.widgets.treemap_layout import HEADER, Tile

LABEL_WIDTH, LABEL_HEIGHT = 38, 18  # smaller areas are named by their tooltip only
LINES = 4  # of a name
STUMP = 4  # letters of a name that is cut
_FRAME, _FILL, _LIT = 0.78, 0.2, 0.36  # share of the colour over the surface


@lru_cache(maxsize=512)
def tint(colour: str, surface: str, share: float) -> str:
    """A colour over a surface, as `#rrggbb`."""
    return mixed(colour, surface, share).name()


@lru_cache(maxsize=512)
def ink(fill: str, preferred: str) -> str:
    """The colour of text upon a fill: the theme's where it has 4.5:1, else black or white (one has)."""
    if look.contrast(fill, preferred) >= 4.5:
        return preferred
    return max(("#000000", "#ffffff"), key=lambda one: look.contrast(fill, one))


def fill_of(tile: Tile, lit: bool = False) -> str:
    """What a tile is filled with."""
    theme = look.current()
    colour = theme.community_mark(tile.item.colour)[0].name()
    share = _FRAME if tile.header else _LIT if lit else _FILL
    return tint(colour, theme.surface, share)


def box_of(tile: Tile) -> QRect:
    """The pixels of a tile: whole ones, with a gap to its neighbours where there is room for one."""
    rect = tile.rect
    sides = (rect.left(), rect.top(), rect.right(), rect.bottom())
    left, top, right, bottom = (round(side) for side in sides)
    gap = 2 if tile.depth == 1 else 1
    across = gap if right - left > 3 * gap else 0
    down = gap if bottom - top > 3 * gap else 0
    return QRect(left, top, max(right - left - across, 1), max(bottom - top - down, 1))


def paint_tile(painter: QPainter, tile: Tile, lit: bool = False) -> None:
    """Fill, edge and name of one tile."""
    theme, box = look.current(), box_of(tile)
    fill = fill_of(tile, lit)
    colour, ring = theme.community_mark(tile.item.colour)
    round_ = 4 if min(box.width(), box.height()) >= 20 else 0
    if round_ == 0:  # most of thousands: plain rectangles are drawn ten times faster
        painter.fillRect(box, colour)
        if min(box.width(), box.height()) > 2:
            painter.fillRect(box.adjusted(1, 1, -1, -1), QColor(fill))
        return
    painter.setPen(QPen(colour, 1))
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), round_, round_)
    painter.setPen(QColor(ink(fill, theme.text)))
    if tile.header:
        _header(painter, tile, box, ring)
    elif box.width() >= look.px(LABEL_WIDTH) and box.height() >= look.px(LABEL_HEIGHT):
        _name(painter, tile, box, ring and tile.depth == 1)


def _header(painter: QPainter, tile: Tile, box: QRect, ring: bool) -> None:
    strip = QRectF(box.left() + 6, box.top(), box.width() - 12, look.px(HEADER))
    if ring:
        _second_mark(painter, strip)
        strip.setLeft(strip.left() + 14)
    face = look.font(look.SMALL, QFont.Weight.DemiBold)
    painter.setFont(face)
    metrics = QFontMetricsF(face)
    size = f"{tile.item.weight:,.0f}"
    wide = metrics.horizontalAdvance(size)
    if strip.width() > wide + 60:
        painter.drawText(strip, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), size)
        strip.setRight(strip.right() - wide - 6)
    words = shortened(tile.item.label, metrics, strip.width())
    painter.drawText(strip, int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), words)


def _second_mark(painter: QPainter, strip: QRectF) -> None:
    """The ring of a community whose colour another one has too."""
    pen = painter.pen()
    painter.setPen(QPen(pen.color(), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(strip.left() + 4, strip.center().y()), 4, 4)
    painter.setPen(pen)


def _name(painter: QPainter, tile: Tile, box: QRect, ring: bool) -> None:
    face = look.font(look.SMALL)
    metrics = QFontMetricsF(face)
    room = QRectF(box).adjusted(7, 5, -6, -4)
    if room.height() < metrics.height():
        room = QRectF(box).adjusted(7, 0, -6, 0)
    if ring and room.width() > 60:
        _second_mark(painter, QRectF(room.left(), room.top(), room.width(), metrics.height()))
        room.setLeft(room.left() + 14)
    painter.setFont(face)
    height = metrics.lineSpacing()
    fits = max(int((room.height() + 2) // height), 1)
    lines = wrapped(tile.item.label, metrics, room.width(), min(fits, LINES))
    size = f"{tile.item.weight:,.0f}"
    if len(lines) < fits and metrics.horizontalAdvance(size) <= room.width():
        lines.append(size)
    top = room.top() if fits > 1 else room.center().y() - metrics.height() / 2
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
    for row, line in enumerate(lines):
        painter.drawText(QRectF(room.left(), top + row * height, room.width(), metrics.height()), flags, line)


def wrapped(text: str, metrics: QFontMetricsF, width: float, most: int) -> list[str]:
    """A text in at most so many lines of a width; what is left over is shortened at its end."""
    words, lines = text.split(), [""]
    if any(metrics.horizontalAdvance(word) > width for word in words[:2]):
        most = 1  # a column of stumps tells nobody anything
    for at, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if metrics.horizontalAdvance(longer) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] = " ".join([lines[-1], *words[at:]])
            break
    return [elided for line in lines if (elided := shortened(line, metrics, width))]


def shortened(text: str, metrics: QFontMetricsF, width: float) -> str:
    """A text cut to a width in pixels; nothing where less than `STUMP` letters are left: these say nothing."""
    elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    return elided if elided == text or len(elided.rstrip("\u2026")) >= STUMP else ""


def paint_rings(painter: QPainter, tile: Tile, chosen: bool, focused: bool, hovered: bool) -> None:
    """Outlines of a tile's states, told apart by their breadth and place, not by their colour alone."""
    theme, rect = look.current(), QRectF(box_of(tile))
    if min(rect.width(), rect.height()) < 8:  # a ring must be seen around the smallest
        grow = (8 - min(rect.width(), rect.height())) / 2
        rect.adjust(-grow, -grow, grow, grow)
    painter.setBrush(Qt.BrushStyle.NoBrush)

    def ring(inset: float, width: float, role: str) -> None:
        painter.setPen(QPen(theme.color(role), width))
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 3, 3)

    if hovered and not chosen:
        ring(0.5, 1, "text")
    if chosen:
        ring(2.0, 4, "accent")
    if focused:  # outside the other, so that both are seen
        ring(1.0, 2, "text")
