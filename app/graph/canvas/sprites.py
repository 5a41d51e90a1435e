"""Discs for nodes, drawn once for every style and size and then stamped by the thousand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.graph.canvas.arrays import Floats, Ints
from app.look.theme import Theme

HEAT_LEVELS = 32
_SIZES = 78
_RATIO, _SMALLEST = 1.065, 1.2  # radii of the size steps: 1.2 px to 153 px
LARGEST = 150.0  # pixels of radius
_WIDTH = 1024


class NodeSprites:
    """An atlas of discs. A style is a community mark, the neutral grey or a heat level.

    Each style has a second form, for nodes that stand for many: a thin ring around the disc, and room for
    a number within.
    """

    def __init__(self, theme: Theme, dpr: float) -> None:
        self.theme, self.dpr = theme, dpr
        self._colors = len(theme.communities)
        self.neutral = 2 * self._colors
        self.first_heat = self.neutral + 1
        self.first_group = self.first_heat + HEAT_LEVELS
        # Per (style, size): left, top, side in device pixels; side 0: not drawn yet.
        self._slots = np.zeros((2 * self.first_group * _SIZES, 3), np.float64)
        self._x, self._y, self._shelf = 0, 0, 0
        self.pixmap = _blank(_WIDTH, 256)

    def community_styles(self, community: Ints) -> Ints:
        """Style of each community number; shape (n,)."""
        styles = community % (2 * self._colors)
        return np.where(community < 0, self.neutral, styles).astype(np.int32)

    def heat_styles(self, heat: Floats) -> Ints:
        """Style of each heat in 0..1; shape (n,)."""
        level = np.clip(heat * HEAT_LEVELS, 0, HEAT_LEVELS - 1).astype(np.int32)
        return level + np.int32(self.first_heat)

    def places(self, styles: Ints, radii: Floats) -> NDArray[np.float64]:
        """Atlas rectangles, shape (n, 3): left, top, side, in device pixels. Draws what is missing."""
        steps = np.log(np.maximum(radii, _SMALLEST) / _SMALLEST) / np.log(_RATIO)
        keys = styles * _SIZES + np.minimum(np.rint(steps), _SIZES - 1).astype(np.int32)
        missing = keys[self._slots[keys, 2] == 0]
        for key in np.unique(missing).tolist():
            self._draw(key)
        slots: NDArray[np.float64] = self._slots[keys]
        return slots

    def _draw(self, key: int) -> None:
        style, step = divmod(key, _SIZES)
        radius = _SMALLEST * _RATIO**step * self.dpr
        side = int(np.ceil(2 * radius + 3 * self.dpr)) + 2
        if self._x + side > _WIDTH:
            self._x, self._y, self._shelf = 0, self._y + self._shelf, 0
        self._shelf = max(self._shelf, side)
        if self._y + side > self.pixmap.height():
            taller = _blank(_WIDTH, max(2 * self.pixmap.height(), self._y + side))
            painter = QPainter(taller)
            painter.drawPixmap(0, 0, self.pixmap)
            painter.end()
            self.pixmap = taller
        painter = QPainter(self.pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        centre = QPointF(self._x + side / 2, self._y + side / 2)
        self._disc(painter, centre, radius, style)
        painter.end()
        self._slots[key] = self._x, self._y, side
        self._x += side

    def table(self) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
        """Of each style of a single node: outline and filling, (k, 2), and whether it wears a ring, (k,)."""
        looks = [self._look(style) for style in range(self.first_group)]
        border = QColor(self.theme.strong_border).rgba()
        colours = [
            (border if style >= self.first_heat else color.rgba(), color.rgba())
            for style, (color, _) in enumerate(looks)
        ]
        return np.array(colours, np.uint32), np.array([ring for _, ring in looks], np.bool_)

    def ground(self, style: int) -> QColor:
        """What lies in the middle of a node that stands for many."""
        color, ring = self._look(style)
        return QColor(self.theme.canvas) if ring else color

    def _disc(self, painter: QPainter, centre: QPointF, radius: float, style: int) -> None:
        if style >= self.first_group:
            self._group(painter, centre, radius, style - self.first_group)
            return
        color, ring = self._look(style)
        rim = min(1.25 * self.dpr, radius * 0.35)
        # A rim in the canvas colour parts a node from edges and from its neighbours.
        painter.setBrush(QColor(self.theme.canvas))
        painter.drawEllipse(centre, radius + rim, radius + rim)
        if style >= self.first_heat:
            # The cold end comes near the canvas: an outline keeps every hot node at 3:1.
            painter.setBrush(QColor(self.theme.strong_border))
            painter.drawEllipse(centre, radius, radius)
            radius -= min(self.dpr, radius * 0.3)
        painter.setBrush(color)
        painter.drawEllipse(centre, radius, radius)
        if ring:
            painter.setBrush(QColor(self.theme.canvas))
            painter.drawEllipse(centre, radius * 0.68, radius * 0.68)
            painter.setBrush(color)
            painter.drawEllipse(centre, radius * 0.36, radius * 0.36)

    def _group(self, painter: QPainter, centre: QPointF, radius: float, style: int) -> None:
        """From the outside: a rim in the canvas colour, a thin ring, a gap, the disc."""
        color, ring = self._look(style)
        canvas, line = QColor(self.theme.canvas), min(max(1.2 * self.dpr, radius * 0.045), 2.5 * self.dpr)
        gap = min(max(1.6 * self.dpr, radius * 0.06), 4.0 * self.dpr)
        rim, inner = 1.25 * self.dpr, radius - line - gap
        line_color = QColor(self.theme.strong_border) if style >= self.first_heat else color
        parts = [(radius + rim, canvas), (radius, line_color), (radius - line, canvas), (inner, color)]
        if style >= self.first_heat:
            parts[3:] = [(inner, line_color), (inner - min(self.dpr, inner * 0.3), color)]
        if ring:
            parts.append((inner * 0.72, canvas))
        for size, brush in parts:
            painter.setBrush(brush)
            painter.drawEllipse(centre, max(size, 0.5), max(size, 0.5))

    def _look(self, style: int) -> tuple[QColor, bool]:
        if style >= self.first_heat:
            return self.theme.heat_color((style - self.first_heat) / (HEAT_LEVELS - 1)), False
        return self.theme.community_mark(style if style < self.neutral else -1)


def _blank(width: int, height: int) -> QPixmap:
    pixmap = QPixmap(width, height)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap
