"""What is seen of the graph as a picture, from the ground to the legends: pixels or SVG by one painter. Any thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPaintDevice,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)

from app.graph.canvas.arrays import Floats
from app.graph.canvas.controls import Legends
from app.graph.canvas.discs import FAINT
from app.graph.canvas.edges import HERE
from app.graph.canvas.lines import LINES, Content, LineBuffer, segments_of
from app.graph.canvas.snapshot import Snapshot
from app.look.colors import mixed
from app.look.translation import tr
from core.text.escape_controls import escape_controls

SCALE = 2  # pixels of the image for one of the view
_RIM = 1.25  # pixels between a node and what lies below it
_NUMBERED = 9.0  # pixels of radius, from which on a disc says how many it stands for
_ROW, _EDGE, _WIDE = 22, 12, 208  # pixels of the legends
_AT_ONCE = 200  # lines drawn in one call, in which no other thread may run Python
_NOT_XML = re.compile("[\ufffe\uffff]")  # what `escape_controls` leaves that no XML file may hold


def image_of(view: Snapshot, legends: Legends, check: Callable[[], None] = lambda: None) -> QImage:
    """Return the picture at twice the size of the view; `check` may raise."""
    camera = view.camera
    image = QImage(camera.width * SCALE, camera.height * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(SCALE)
    # As on the canvas, where edges are too many to be drawn by Qt.
    crowd = view.content if view.content is not None and view.content.upto > HERE else None
    edges = _edge_pixels(view, crowd, image) if crowd is not None else None
    _draw(image, view, legends, edges, check)
    return image


def svg_of(view: Snapshot, legends: Legends, check: Callable[[], None] = lambda: None) -> bytes:
    """Return the picture as SVG: vectors, with words as text; `check` may raise."""
    from PySide6.QtSvg import QSvgGenerator  # only who writes one needs it

    size, buffer = QSize(view.camera.width, view.camera.height), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setTitle(tr("Graph"))
    generator.setResolution(96)  # of CSS: a pixel of the view is one of a browser
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setOutputDevice(buffer)
    _draw(generator, view, legends, None, check)
    return bytes(buffer.data().data())


def _edge_pixels(view: Snapshot, content: Content, image: QImage) -> QImage:
    upon = QImage(image.size(), image.format())
    upon.setDevicePixelRatio(image.devicePixelRatio())
    upon.fill(0)
    content.fill(upon, view.camera, 1, None, lambda: False, pair=False)
    return upon


def _draw(
    device: QPaintDevice, view: Snapshot, legends: Legends, edges: QImage | None, check: Callable[[], None]
) -> None:
    """Draw everything; `edges`: as pixels, in place of lines."""
    painter = QPainter(device)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw = Sketch(painter, view.family, check)
        draw.box(0, 0, view.camera.width, view.camera.height, view.theme.canvas)
        _outlines(draw, view)
        if edges is None:
            _edges(draw, view)
        else:
            painter.setOpacity(view.rest)
            painter.drawImage(0, 0, edges)
        for part in (_derived, _nodes, _rings, _captions, _names, _edge_words, _path_signs):
            part(draw, view)
        _legends(draw, view, legends)
    finally:
        painter.end()  # also where it is given up: a device must not die before its painter


class Sketch:
    """Shapes in pixels of the view; `check` is called before each and may raise. Colours are "#rrggbb", "" for none."""

    def __init__(self, painter: QPainter, family: tuple[str, ...], check: Callable[[], None]) -> None:
        self._painter, self._family, self._check = painter, family, check
        self._buffer = LineBuffer()

    def _begin(self, opacity: float, outline: str, width: float, fill: str) -> QPainter:
        self._check()
        painter = self._painter
        painter.setOpacity(opacity)
        painter.setPen(QPen(QColor(outline), width) if outline else QPen(Qt.PenStyle.NoPen))
        painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
        return painter

    def lines(
        self, ends: Floats, colour: str, width: float, opacity: float = 1.0, dotted: bool = False
    ) -> None:
        """Lines of one look; `ends` (k, 4): x1, y1, x2, y2."""
        painter = self._begin(opacity, colour, width, "")
        if dotted:
            pen = painter.pen()
            pen.setStyle(Qt.PenStyle.DotLine)
            painter.setPen(pen)
        for first in range(0, len(ends), _AT_ONCE):
            self._check()
            self._buffer.draw(painter, ends[first : first + _AT_ONCE])

    def discs(
        self,
        centres: Floats,
        radii: Floats,
        fills: Sequence[str] = (),
        opacity: float = 1.0,
        outline: str = "",
        width: float = 0.0,
    ) -> None:
        """Circles around centres (k, 2); the later ones lie upon the earlier ones. Without `fills` they are rings."""
        painter = self._begin(opacity, outline, width, "")
        # Columns: a list for each disc would have the collector at work on the window's thread.
        columns = (*centres.T.tolist(), radii.tolist(), fills or [""] * len(radii))
        for x, y, radius, fill in zip(*columns, strict=True):
            if fill:
                painter.setBrush(QColor(fill))
            painter.drawEllipse(QPointF(x, y), radius, radius)

    def area(self, corners: Floats, fill: str, outline: str, width: float, opacity: float = 1.0) -> None:
        """A closed polygon with corners (k, 2)."""
        painter = self._begin(opacity, outline, width, fill)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners.tolist()]))

    def box(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        fill: str,
        outline: str = "",
        round: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        painter = self._begin(opacity, outline, 1.0, fill)
        painter.drawRoundedRect(QRectF(left, top, width, height), round, round)

    def words(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: str,
        bold: bool = False,
        anchor: str = "start",
        halo: str = "",
    ) -> None:
        """One line on the base line y; x is where it begins, stands in the "middle" or "end"s, by `anchor`.

        `halo`: around the letters.
        """
        painter = self._begin(1.0, colour, 1.0, "")
        face = QFont(list(self._family))
        face.setPixelSize(round(size))
        face.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        text = _NOT_XML.sub("\ufffd", escape_controls(text))
        if anchor != "start":
            wide = QFontMetricsF(face).horizontalAdvance(text)
            x -= wide / 2 if anchor == "middle" else wide
        if halo:
            letters = QPainterPath()
            letters.addText(QPointF(x, y), face, text)
            pen = QPen(QColor(halo), 4.0)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.strokePath(letters, pen)
        painter.setFont(face)
        painter.drawText(QPointF(x, y), text)


def _outlines(draw: Sketch, view: Snapshot) -> None:
    theme = view.theme
    for each in view.outlines:
        colour = theme.community_mark(each.community)[0].name()
        fill = mixed(colour, theme.canvas, FAINT[min(each.depth, 2)]).name()
        corners = view.camera.to_screen(each.corners)
        draw.area(corners, fill, mixed(colour, theme.canvas, 0.45).name(), 1.0, max(view.rest, 0.5))


def _edges(draw: Sketch, view: Snapshot) -> None:
    theme = view.theme
    if view.links is not None:
        colour = mixed(theme.muted, theme.canvas, 0.45).name()
        draw.lines(segments_of(view.screen, view.links), colour, 1.0, view.rest)
    elif view.content is not None:
        for colour, width, opacity, lines in view.content.segments_by_style(view.camera):
            draw.lines(lines, colour, width, opacity * view.rest)


def _derived(draw: Sketch, view: Snapshot) -> None:
    """Draw derived edges; only dots tell kinds apart here, and arrows."""
    found, colour = view.derived, mixed(view.theme.text, view.theme.canvas, 0.62).name()
    for kind, line in enumerate(LINES):
        plain = line == Qt.PenStyle.SolidLine
        draw.lines(found.lines[found.kinds == kind], colour, 1.4, view.rest, dotted=not plain)
    for corners in found.heads():
        draw.area(corners, colour, colour, 0.0, view.rest)


def _nodes(draw: Sketch, view: Snapshot) -> None:
    """Draw those behind, then the edges that stand out, then the nodes in front."""
    theme, inside = view.theme, view.camera.inside(view.screen, view.radii)
    if view.visible is not None:
        inside &= view.visible
    if view.front is None:
        _discs(draw, view, inside, 1.0)
        return
    _discs(draw, view, inside & ~view.front, view.rest)
    draw.lines(segments_of(view.screen, view.quiet), mixed(theme.muted, theme.canvas, 0.45).name(), 1.0)
    draw.lines(segments_of(view.screen, view.lit), mixed(theme.accent, theme.canvas, 0.75).name(), 1.4)
    if len(view.path) > 1:
        pairs = np.array([view.path[:-1], view.path[1:]], np.int32).T
        draw.lines(segments_of(view.screen, pairs), theme.canvas, 6.0)
        draw.lines(segments_of(view.screen, pairs), theme.accent, 3.0)
    _discs(draw, view, inside & view.front, 1.0)


def _discs(draw: Sketch, view: Snapshot, mask: NDArray[np.bool_], opacity: float) -> None:
    """Large ones upon small ones, those that stand for many below all, a few circles each from the outside."""
    rows = np.flatnonzero(mask)
    if not len(rows):
        return
    rows = rows[np.lexsort((view.radii[rows], -view.radii[rows] * view.grouped[rows]))]
    canvas, radii, styles = QColor(view.theme.canvas).rgba(), view.radii[rows], view.styles[rows]
    outline, fill = view.fills[styles].T
    ringed, many = view.ringed[styles], view.grouped[rows]
    line = np.where(many, np.clip(radii * 0.045, 1.2, 2.5), np.where(outline != fill, 1.0, 0.0))
    gap = np.where(many, np.clip(radii * 0.06, 1.6, 4.0), 0.0)
    inner = np.maximum(radii - line - gap, 0.5)
    everyone = np.ones(len(rows), np.bool_)
    ground = np.full(len(rows), canvas, np.uint32)
    parts = (  # who has it, how large, in which colour
        (everyone, radii + np.minimum(_RIM, radii * 0.35), ground),
        (everyone, radii, np.where(many & (outline == fill), fill, outline)),
        (many, radii - line, ground),
        (many | (outline != fill), inner, fill),
        (ringed, inner * np.where(many, 0.72, 0.68), ground),
        (ringed & ~many, inner * 0.36, fill),
    )
    at = np.concatenate([np.flatnonzero(who) for who, _, _ in parts])
    sizes = np.concatenate([size[who] for who, size, _ in parts])
    colours = np.concatenate([colour[who] for who, _, colour in parts])
    order = np.argsort(at, kind="stable")
    hex_codes = {argb: f"#{argb & 0xFFFFFF:06x}" for argb in np.unique(colours).tolist()}
    fills = [hex_codes[argb] for argb in colours[order].tolist()]
    draw.discs(view.screen[rows[at[order]]], sizes[order].astype(np.float32), fills, opacity)
    numbered = rows[many & (radii >= _NUMBERED)]
    for row in numbered.tolist():
        x, y = view.screen[row].tolist()
        radius, style = float(view.radii[row]), int(view.styles[row])
        size = min(max(radius * 0.55, 8.0), 18.0)
        ground_colour = QColor(canvas) if view.ringed[style] else QColor.fromRgba(int(view.fills[style, 1]))
        upon = view.theme.upon(ground_colour).name()
        draw.words(x, y + 0.35 * size, f"{int(view.members[row]):,}", size, upon, True, "middle")


def _rings(draw: Sketch, view: Snapshot) -> None:
    theme = view.theme
    for rows, more, width in (
        (view.chosen, 2.5, 1.75),
        (np.array(view.path, np.intp), 2.0, 2.0),
        (np.array([view.selected] if view.selected >= 0 else [], np.intp), 3.0, 2.5),
    ):
        if len(rows):
            ring = (view.screen[rows], view.radii[rows] + np.float32(more))
            draw.discs(*ring, outline=theme.canvas, width=width + 2.25)
            draw.discs(*ring, outline=theme.accent, width=width)


def _captions(draw: Sketch, view: Snapshot) -> None:
    for box, text in view.captions:
        place = (float(box.left()), float(box.top()), float(box.width()), float(box.height()))
        draw.box(*place, view.theme.canvas, view.theme.border, 4.0)
        size, (left, top, wide, high) = view.sizes[0], place
        draw.words(
            left + wide / 2, top + high / 2 + 0.35 * size, text, size, view.theme.muted, anchor="middle"
        )


def _names(draw: Sketch, view: Snapshot) -> None:
    theme = view.theme
    for each in view.names:
        colour = theme.accent if each.vivid else theme.text
        size = view.sizes[int(each.strong)]
        draw.words(each.x, each.y, each.text, size, colour, each.strong, halo=theme.canvas)


def _edge_words(draw: Sketch, view: Snapshot) -> None:
    for each in view.words:
        _head(draw, view, each.subject, each.object, 1.0, 0.7)
    for each in view.words:
        _sign(draw, view, each.box, each.words, view.theme.accent)


def _path_signs(draw: Sketch, view: Snapshot) -> None:
    theme = view.theme
    for fact, one, other in (
        zip(view.way.facts, view.path[:-1], view.path[1:], strict=False) if view.signs else ()
    ):
        _head(draw, view, *((one, other) if fact.forward else (other, one)), 3.0, 1.0)
    for sign in view.signs:
        box, high, size = sign.box, sign.box.height(), view.sizes[0]
        if sign.tied is not None:
            begin, end = sign.tied
            draw.lines(
                np.array([[begin.x(), begin.y(), end.x(), end.y()]], np.float32),
                theme.accent,
                1.5,
                dotted=True,
            )
        draw.box(box.left(), box.top(), box.width(), high, theme.surface, theme.accent, high / 2)
        base = box.center().y() + 0.35 * size
        if sign.number:
            draw.box(box.left(), box.top(), high, high, theme.accent, "", high / 2)
            draw.words(box.left() + high / 2, base, sign.number, size, theme.on_accent, True, "middle")
        draw.words(box.left() + (high if sign.number else 0) + 6, base, sign.words, size, theme.text, True)


def _sign(draw: Sketch, view: Snapshot, box: QRectF, words: str, colour: str) -> None:
    size = view.sizes[0]
    draw.box(box.left(), box.top(), box.width(), box.height(), view.theme.canvas, "", 4.0, 0.88)
    draw.words(box.center().x(), box.center().y() + 0.35 * size, words, size, colour, anchor="middle")


def _head(draw: Sketch, view: Snapshot, begin: int, end: int, gap: float, size: float) -> None:
    """Draw an arrow before the rim of the node at the end."""
    tip, tail = view.screen[end].astype(np.float64), view.screen[begin].astype(np.float64)
    way = tip - tail
    length, away = float(np.hypot(*way)), float(view.radii[end]) + gap
    if length < away + 11.0 * size:
        return
    along = way / length
    across = np.array([-along[1], along[0]]) * 5.0 * size
    back = tip - along * (away + 11.0 * size)
    corners = np.array([tip - along * away, back + across, back - across], np.float32)
    draw.area(corners, view.theme.accent, view.theme.canvas, 1.0)


def _legends(draw: Sketch, view: Snapshot, legends: Legends) -> None:
    """Draw the legends as on the canvas: counts above, communities left, the heat at the bottom."""
    theme, size = view.theme, view.sizes[0]
    draw.words(_EDGE + 8, _EDGE + 8 + size, legends.counts, size, theme.muted, halo=theme.canvas)
    if legends.rows:
        lines = len(legends.rows) + 1 + bool(legends.more)
        high = lines * _ROW + 12
        top = view.camera.height - _EDGE - high
        draw.box(_EDGE, top, _WIDE, high, theme.surface, theme.border, 6.0)
        base = top + 6 + 0.5 * _ROW + 0.35 * size
        draw.words(_EDGE + 11, base, legends.heading, size, theme.muted, True)
        for community, label, count in legends.rows:
            base += _ROW
            _mark(draw, view, _EDGE + 16, base - 0.35 * size, community)
            draw.words(_EDGE + 28, base, _cut(label, size, f"{count:,}"), size, theme.text)
            draw.words(_EDGE + _WIDE - 12, base, f"{count:,}", size, theme.muted, anchor="end")
        if legends.more:
            draw.words(_EDGE + 11, base + _ROW, legends.more, size, theme.muted)
    if legends.heat is not None:
        _heat(draw, view, *legends.heat)


def _heat(draw: Sketch, view: Snapshot, title: str, low: str, middle: str, high: str) -> None:
    theme, size, wide = view.theme, view.sizes[0], 216.0
    left, top = (view.camera.width - wide) / 2, view.camera.height - _EDGE - 64.0
    draw.box(left, top, wide, 64.0, theme.surface, theme.border, 6.0)
    draw.words(left + 12, top + 8 + size, title, size, theme.muted)
    steps, long = 48, wide - 24
    for step in range(steps):
        colour = theme.heat_color((step + 0.5) / steps).name()
        done = long * step / steps
        draw.box(left + 12 + done, top + 28, long - done, 10.0, colour)  # to the end: no seam between two
    base = top + 42 + size
    for x, anchor, number in ((12.0, "start", low), (wide / 2, "middle", middle), (wide - 12.0, "end", high)):
        draw.words(left + x, base, number, size, theme.text, anchor=anchor)


def _mark(draw: Sketch, view: Snapshot, x: float, y: float, community: int) -> None:
    colour, ringed = view.theme.community_mark(community)
    sizes, fills = [5.0], [colour.name()]
    if ringed:
        sizes, fills = [5.0, 3.4, 1.8], [colour.name(), view.theme.surface, colour.name()]
    centres: Floats = np.tile(np.array([[x, y]], np.float32), (len(sizes), 1))
    draw.discs(centres, np.array(sizes, np.float32), fills)


def _cut(label: str, size: int, count: str) -> str:
    """Return as many letters as there is room for beside the number."""
    most = int((_WIDE - 48 - 0.62 * size * len(count)) / (0.56 * size))
    return label if len(label) <= most else f"{label[: most - 1].rstrip()}…"
