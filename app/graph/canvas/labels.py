"""Names beside nodes: chosen by importance, never one upon another, legible over lines."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPixmap

from app.graph.canvas.arrays import Floats, Rows
from app.look import theme as look

MOST = 80  # labels on screen
WIDEST, CROWDED = 190, 130  # pixels, longer names are elided; among many large discs
_CANDIDATES = 180
_CELL = 4  # pixels of the occupancy grid
_MOST_COVERED = 40  # cells of other discs that an important label may hide
_KEPT = 600  # rendered labels
_LARGE = 20.0  # pixels of radius


@dataclass(frozen=True, slots=True)
class Label:
    """A placed label: its node and the offset of its upper left corner from the node's centre, pixels."""

    row: int
    dx: float
    dy: float
    strong: bool


def place_labels(
    screen: Floats,
    radii: Floats,
    sizes: Floats,
    forced: int,
    strong: int,
    width: int,
    height: int,
    covered: Sequence[QRect] = (),
) -> list[tuple[int, float, float]]:
    """Greedy placement in the given order: (index, dx, dy) of the labels that found room.

    `screen` (n, 2) are node centres in order of importance, `radii` (n,) theirs, `sizes` (k, 2) the
    width and height of the first k labels, k <= n, all in pixels. Labels cover neither each other nor
    the discs of the first `strong` nodes nor `covered`; the first `strong` may cover other discs when
    there is no better place, and the first `forced` are placed in any case. The eight places around
    a point of Christensen, Marks and Shieber 1995, section 2.
    """
    labels = np.zeros((height // _CELL + 2, width // _CELL + 2), np.bool_)
    discs = labels.copy()
    for part in covered:
        _mark(labels, part.left() - 4, part.top() - 4, part.right() + 4, part.bottom() + 4)
    for index, ((x, y), radius) in enumerate(zip(screen.tolist(), radii.tolist(), strict=True)):
        half = radius * 0.7
        _mark(labels if index < strong else discs, x - half, y - half, x + half, y + half)
    placed: list[tuple[int, float, float]] = []
    count = len(sizes)
    rows = zip(screen[:count].tolist(), radii[:count].tolist(), sizes.tolist(), strict=True)
    for index, ((x, y), radius, (w, h)) in enumerate(rows):
        spots = _spots(radius, w, h)
        best, least = -1, _MOST_COVERED if index < strong else 2
        for at, (dx, dy) in enumerate(spots):
            cells = _cells(x + dx, y + dy, w, h, width, height)
            if cells is None or labels[cells].any():
                continue
            hidden = int(discs[cells].sum())
            if hidden < least:
                best, least = at, hidden
            if hidden == 0:
                break
        if best < 0 and index >= forced:
            continue
        dx, dy = spots[max(best, 0)]
        _mark(labels, x + dx - 2, y + dy, x + dx + w + 2, y + dy + h)
        placed.append((index, dx, dy))
        if len(placed) >= MOST:
            break
    return placed


def _spots(radius: float, w: float, h: float) -> tuple[tuple[float, float], ...]:
    """Upper left corners of the eight places of a label around its node, the best ones first."""
    gap, slant = radius + 2, radius * 0.7 + 1
    right, left = (gap + 2, -h / 2), (-gap - 2 - w, -h / 2)
    below, above = (-w / 2, gap), (-w / 2, -gap - h)
    # The name of a large disc belongs below it, as wide as the disc itself.
    sides = (below, right, left, above) if radius > _LARGE else (right, below, left, above)
    return (
        *sides,
        (slant, slant),
        (slant, -slant - h),
        (-slant - w, slant),
        (-slant - w, -slant - h),
    )


def _cells(x: float, y: float, w: float, h: float, width: int, height: int) -> tuple[slice, slice] | None:
    """Grid cells of a box, or None when it leaves the view."""
    if x < 2 or y < 2 or x + w > width - 2 or y + h > height - 2:
        return None
    return slice(int(y) // _CELL, int(y + h) // _CELL + 1), slice(int(x) // _CELL, int(x + w) // _CELL + 1)


def _mark(taken: NDArray[np.bool_], x0: float, y0: float, x1: float, y1: float) -> None:
    top, left = max(int(y0) // _CELL, 0), max(int(x0) // _CELL, 0)
    taken[top : max(int(y1) // _CELL + 1, 0), left : max(int(x1) // _CELL + 1, 0)] = True


class LabelLayer:
    """Keeps the placed labels and their rendered pictures."""

    def __init__(self) -> None:
        self.labels: list[Label] = []
        self._pictures: OrderedDict[tuple[str, bool, bool], QPixmap] = OrderedDict()
        self._widths: dict[tuple[str, bool], float] = {}
        self._dpr, self._widest = 1.0, WIDEST
        self._set_fonts()

    def _set_fonts(self) -> None:
        self._fonts = (look.font(look.SMALL), look.font(look.SMALL + 1, QFont.Weight.DemiBold))
        self._metrics = tuple(QFontMetricsF(font) for font in self._fonts)

    def restyle(self) -> None:
        """Fonts or colours changed."""
        self._set_fonts()
        self._pictures.clear()
        self._widths.clear()

    def place(
        self,
        names: list[str],
        rows: Rows,
        forced: int,
        strong: int,
        screen: Floats,
        radii: Floats,
        size: tuple[int, int],
        covered: Sequence[QRect] = (),
        widest: int = WIDEST,
    ) -> None:
        """Choose labels for `rows`, the most important first; `screen` and `radii` belong to them.

        The first `forced` always get one; the first `strong` are set in the larger, bolder face.
        """
        if widest != self._widest:
            self._widest = widest
            self._widths.clear()
            self._pictures.clear()
        rows = rows[:_CANDIDATES]
        boxes = np.zeros((len(rows), 2), np.float32)
        for index, row in enumerate(rows.tolist()):
            boxes[index] = self._box(names[row], index < strong)
        spots = place_labels(screen, radii, boxes, forced, strong, *size, covered)
        self.labels = [Label(int(rows[index]), dx, dy, index < strong) for index, dx, dy in spots]

    def _box(self, name: str, strong: bool) -> tuple[float, float]:
        key = (name, strong)
        metrics = self._metrics[strong]
        if key not in self._widths:
            self._widths[key] = min(metrics.horizontalAdvance(name), self._widest)
        return self._widths[key], metrics.height() - 1

    def shown(self, name: str, strong: bool) -> tuple[str, float]:
        """What a label says, and its base line below its upper edge."""
        metrics = self._metrics[strong]
        return metrics.elidedText(name, Qt.TextElideMode.ElideRight, self._widest), metrics.ascent()

    def boxes(self, names: list[str], screen: Floats) -> list[QRectF]:
        """Where labels stand, in pixels; `screen` (n, 2) are their nodes' places."""
        found = []
        for label in self.labels:
            if label.row < len(screen):
                x, y = screen[label.row].tolist()
                found.append(QRectF(x + label.dx, y + label.dy, *self._box(names[label.row], label.strong)))
        return found

    def paint(self, painter: QPainter, names: list[str], screen: Floats, vivid: set[int], dpr: float) -> None:
        """Stamp the labels at their nodes' places, shape (n, 2); `vivid` rows are in the accent colour."""
        if dpr != self._dpr:
            self._dpr = dpr
            self._pictures.clear()
        for label in self.labels:
            if label.row < len(screen):
                x, y = screen[label.row].tolist()
                picture = self._picture(names[label.row], label.strong, label.row in vivid)
                spot = QPointF(round(x + label.dx) - 3, round(y + label.dy) - 3)
                painter.drawPixmap(spot, picture)

    def _picture(self, name: str, strong: bool, vivid: bool) -> QPixmap:
        key = (name, strong, vivid)
        picture = self._pictures.get(key)
        if picture is None:
            picture = self._render(name, strong, vivid)
            self._pictures[key] = picture
            if len(self._pictures) > _KEPT:
                self._pictures.popitem(last=False)
        return picture

    def _render(self, name: str, strong: bool, vivid: bool) -> QPixmap:
        theme, metrics = look.current(), self._metrics[strong]
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, self._widest)
        width = math.ceil(metrics.horizontalAdvance(text)) + 6
        height = math.ceil(metrics.height()) + 6
        picture = QPixmap(int(width * self._dpr), int(height * self._dpr))
        picture.setDevicePixelRatio(self._dpr)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setFont(self._fonts[strong])
        base = QPointF(3, 3 + metrics.ascent())
        # The halo is the text itself in the canvas colour, set around: far cheaper than stroked outlines.
        painter.setPen(QColor(theme.canvas))
        for angle in range(12):
            turn = angle * math.pi / 6
            painter.drawText(base + QPointF(2 * math.cos(turn), 2 * math.sin(turn)), text)
        painter.setPen(QColor(theme.accent if vivid else theme.text))
        painter.drawText(base, text)
        painter.end()
        return picture
