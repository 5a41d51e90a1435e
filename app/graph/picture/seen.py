"""What is seen of the graph as shapes, from the ground to the legends. Any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from app.graph.canvas.arrays import Floats
from app.graph.canvas.content import segments_of
from app.graph.canvas.controls import Legends
from app.graph.canvas.derived import LINES
from app.graph.canvas.edges import HERE
from app.graph.canvas.snapshot import Snapshot
from app.graph.picture.shapes import Area, Box, Discs, Lines, Picture, Shape, Words
from app.look.colors import mixed

_RIM = 1.25  # pixels between a node and what lies below it
_NUMBERED = 9.0  # pixels of radius, from which on a disc says how many it stands for
_ROW, _EDGE, _WIDE = 22, 12, 208  # pixels of the legends
_OUTLINED = (0.05, 0.09, 0.13)  # how much of its colour fills an open community, by how deep it lies


def picture(seen: Snapshot, legends: Legends, edges: bool = True) -> Picture:
    """All of it; without `edges` for who draws them as pixels."""
    shapes = [
        *_outlines(seen),
        *(_edges(seen) if edges else ()),
        *_derived(seen),
        *_nodes(seen),
        *_rings(seen),
        *_captions(seen),
        *_names(seen),
        *_edge_words(seen),
        *_path_signs(seen),
        *_legends(seen, legends),
    ]
    camera = seen.camera
    return Picture(camera.width, camera.height, seen.theme.canvas, seen.family, tuple(shapes))


def edge_painter(seen: Snapshot) -> Callable[[QImage], None] | None:
    """Draws the edges as the canvas does, where these are too many to be drawn by Qt; None: they are shapes."""
    content = seen.content
    if content is None or content.upto <= HERE:
        return None

    def paint(image: QImage) -> None:
        upon = QImage(image.size(), QImage.Format.Format_ARGB32_Premultiplied)
        upon.setDevicePixelRatio(image.devicePixelRatio())
        upon.fill(0)
        content.fill(upon, seen.camera, 1, None, lambda: False, pair=False)
        painter = QPainter(image)
        painter.setOpacity(seen.rest)
        painter.drawImage(0, 0, upon)
        painter.end()

    return paint


def _outlines(seen: Snapshot) -> Iterator[Shape]:
    theme = seen.theme
    for each in seen.outlines:
        colour = theme.community_mark(each.community)[0].name()
        fill = mixed(colour, theme.canvas, _OUTLINED[min(each.depth, 2)]).name()
        corners = seen.camera.to_screen(each.corners)
        yield Area(corners, fill, mixed(colour, theme.canvas, 0.45).name(), 1.0, max(seen.rest, 0.5))


def _edges(seen: Snapshot) -> Iterator[Shape]:
    theme = seen.theme
    if seen.links is not None:
        colour = mixed(theme.muted, theme.canvas, 0.45).name()
        yield Lines(segments_of(seen.screen, seen.links), colour, 1.0, seen.rest)
    elif seen.content is not None:
        for colour, width, opacity, lines in seen.content.drawn(seen.camera):
            yield Lines(lines, colour, width, opacity * seen.rest)


def _derived(seen: Snapshot) -> Iterator[Shape]:
    """Edges that follow from others; only dots tell kinds apart here, and arrows."""
    found, colour = seen.derived, mixed(seen.theme.text, seen.theme.canvas, 0.62).name()
    for kind, line in enumerate(LINES):
        plain = line == Qt.PenStyle.SolidLine
        yield Lines(found.lines[found.kinds == kind], colour, 1.4, seen.rest, dotted=not plain)
    for corners in found.heads():
        yield Area(corners, colour, colour, 0.0, seen.rest)


def _nodes(seen: Snapshot) -> Iterator[Shape]:
    """Those behind, then the edges that stand out, then the nodes in front."""
    theme, camera = seen.theme, seen.camera
    x, y = seen.screen[:, 0], seen.screen[:, 1]
    reach = seen.radii
    inside = (x > -reach) & (y > -reach) & (x < camera.width + reach) & (y < camera.height + reach)
    if seen.there is not None:
        inside &= seen.there
    if seen.front is None:
        yield from _discs(seen, inside, 1.0)
        return
    yield from _discs(seen, inside & ~seen.front, seen.rest)
    yield Lines(segments_of(seen.screen, seen.quiet), mixed(theme.muted, theme.canvas, 0.45).name(), 1.0)
    yield Lines(segments_of(seen.screen, seen.lit), mixed(theme.accent, theme.canvas, 0.75).name(), 1.4)
    if len(seen.path) > 1:
        pairs = np.array([seen.path[:-1], seen.path[1:]], np.int32).T
        yield Lines(segments_of(seen.screen, pairs), theme.canvas, 6.0)
        yield Lines(segments_of(seen.screen, pairs), theme.accent, 3.0)
    yield from _discs(seen, inside & seen.front, 1.0)


def _discs(seen: Snapshot, mask: NDArray[np.bool_], opacity: float) -> Iterator[Shape]:
    """Large ones upon small ones, those that stand for many below all, a few circles each from the outside."""
    rows = np.flatnonzero(mask)
    if not len(rows):
        return
    rows = rows[np.lexsort((seen.radii[rows], -seen.radii[rows] * seen.grouped[rows]))]
    canvas, radii, styles = QColor(seen.theme.canvas).rgba(), seen.radii[rows], seen.styles[rows]
    outline, fill = seen.fills[styles].T
    ringed, many = seen.ringed[styles], seen.grouped[rows]
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
    yield Discs(seen.screen[rows[at[order]]], sizes[order].astype(np.float32), fills, opacity)
    numbered = rows[many & (radii >= _NUMBERED)]
    for row in numbered.tolist():
        x, y = seen.screen[row].tolist()
        radius, style = float(seen.radii[row]), int(seen.styles[row])
        size = min(max(radius * 0.55, 8.0), 18.0)
        ground_colour = QColor(canvas) if seen.ringed[style] else QColor.fromRgba(int(seen.fills[style, 1]))
        upon = seen.theme.upon(ground_colour).name()
        yield Words(x, y + 0.35 * size, f"{int(seen.members[row]):,}", size, upon, True, "middle")


def _rings(seen: Snapshot) -> Iterator[Shape]:
    theme = seen.theme
    for rows, more, width in (
        (seen.chosen, 2.5, 1.75),
        (np.array(seen.path, np.intp), 2.0, 2.0),
        (np.array([seen.selected] if seen.selected >= 0 else [], np.intp), 3.0, 2.5),
    ):
        if len(rows):
            ring = (seen.screen[rows], seen.radii[rows] + np.float32(more), ())
            yield Discs(*ring, outline=theme.canvas, width=width + 2.25)
            yield Discs(*ring, outline=theme.accent, width=width)


def _captions(seen: Snapshot) -> Iterator[Shape]:
    for box, text in seen.captions:
        place = (float(box.left()), float(box.top()), float(box.width()), float(box.height()))
        yield Box(*place, seen.theme.canvas, seen.theme.border, 4.0)
        size, (left, top, wide, high) = seen.sizes[0], place
        yield Words(
            left + wide / 2, top + high / 2 + 0.35 * size, text, size, seen.theme.muted, anchor="middle"
        )


def _names(seen: Snapshot) -> Iterator[Shape]:
    theme = seen.theme
    for each in seen.names:
        colour = theme.accent if each.vivid else theme.text
        size = seen.sizes[int(each.strong)]
        yield Words(each.x, each.y, each.text, size, colour, each.strong, halo=theme.canvas)


def _edge_words(seen: Snapshot) -> Iterator[Shape]:
    for each in seen.words:
        yield from _head(seen, each.subject, each.object, 1.0, 0.7)
    for each in seen.words:
        yield from _sign(seen, each.box, each.words, seen.theme.accent)


def _path_signs(seen: Snapshot) -> Iterator[Shape]:
    theme = seen.theme
    for fact, one, other in (
        zip(seen.way.facts, seen.path[:-1], seen.path[1:], strict=False) if seen.signs else ()
    ):
        yield from _head(seen, *((one, other) if fact.forward else (other, one)), 3.0, 1.0)
    for sign in seen.signs:
        box, high, size = sign.box, sign.box.height(), seen.sizes[0]
        if sign.tied is not None:
            begin, end = sign.tied
            yield Lines(
                np.array([[begin.x(), begin.y(), end.x(), end.y()]], np.float32),
                theme.accent,
                1.5,
                dotted=True,
            )
        yield Box(box.left(), box.top(), box.width(), high, theme.surface, theme.accent, high / 2)
        base = box.center().y() + 0.35 * size
        if sign.number:
            yield Box(box.left(), box.top(), high, high, theme.accent, "", high / 2)
            yield Words(box.left() + high / 2, base, sign.number, size, theme.on_accent, True, "middle")
        yield Words(box.left() + (high if sign.number else 0) + 6, base, sign.words, size, theme.text, True)


def _sign(seen: Snapshot, box: QRectF, words: str, colour: str) -> Iterator[Shape]:
    size = seen.sizes[0]
    yield Box(box.left(), box.top(), box.width(), box.height(), seen.theme.canvas, "", 4.0, 0.88)
    yield Words(box.center().x(), box.center().y() + 0.35 * size, words, size, colour, anchor="middle")


def _head(seen: Snapshot, begin: int, end: int, gap: float, size: float) -> Iterator[Shape]:
    """An arrow before the rim of the node at the end."""
    tip, tail = seen.screen[end].astype(np.float64), seen.screen[begin].astype(np.float64)
    way = tip - tail
    length, away = float(np.hypot(*way)), float(seen.radii[end]) + gap
    if length < away + 11.0 * size:
        return
    along = way / length
    across = np.array([-along[1], along[0]]) * 5.0 * size
    back = tip - along * (away + 11.0 * size)
    corners = np.array([tip - along * away, back + across, back - across], np.float32)
    yield Area(corners, seen.theme.accent, seen.theme.canvas, 1.0)


def _legends(seen: Snapshot, legends: Legends) -> Iterator[Shape]:
    """As they lie upon the canvas: counts above, communities below them at the left, the heat at the bottom."""
    theme, size = seen.theme, seen.sizes[0]
    yield Words(_EDGE + 8, _EDGE + 8 + size, legends.counts, size, theme.muted, halo=theme.canvas)
    if legends.rows:
        lines = len(legends.rows) + 1 + bool(legends.more)
        high = lines * _ROW + 12
        top = seen.camera.height - _EDGE - high
        yield Box(_EDGE, top, _WIDE, high, theme.surface, theme.border, 6.0)
        base = top + 6 + 0.5 * _ROW + 0.35 * size
        yield Words(_EDGE + 11, base, legends.heading, size, theme.muted, True)
        for community, label, count in legends.rows:
            base += _ROW
            yield from _mark(seen, _EDGE + 16, base - 0.35 * size, community)
            yield Words(_EDGE + 28, base, _cut(label, size, f"{count:,}"), size, theme.text)
            yield Words(_EDGE + _WIDE - 12, base, f"{count:,}", size, theme.muted, anchor="end")
        if legends.more:
            yield Words(_EDGE + 11, base + _ROW, legends.more, size, theme.muted)
    if legends.heat is not None:
        yield from _heat(seen, *legends.heat)


def _heat(seen: Snapshot, title: str, low: str, middle: str, high: str) -> Iterator[Shape]:
    theme, size, wide = seen.theme, seen.sizes[0], 216.0
    left, top = (seen.camera.width - wide) / 2, seen.camera.height - _EDGE - 64.0
    yield Box(left, top, wide, 64.0, theme.surface, theme.border, 6.0)
    yield Words(left + 12, top + 8 + size, title, size, theme.muted)
    steps, long = 48, wide - 24
    for step in range(steps):
        colour = theme.heat_color((step + 0.5) / steps).name()
        yield Box(left + 12 + long * step / steps, top + 28, long / steps + 0.3, 10.0, colour)
    base = top + 42 + size
    for x, anchor, number in ((12.0, "start", low), (wide / 2, "middle", middle), (wide - 12.0, "end", high)):
        yield Words(left + x, base, number, size, theme.text, anchor=anchor)


def _mark(seen: Snapshot, x: float, y: float, community: int) -> Iterator[Shape]:
    colour, ringed = seen.theme.community_mark(community)
    sizes, fills = [5.0], [colour.name()]
    if ringed:
        sizes, fills = [5.0, 3.4, 1.8], [colour.name(), seen.theme.surface, colour.name()]
    centres: Floats = np.tile(np.array([[x, y]], np.float32), (len(sizes), 1))
    yield Discs(centres, np.array(sizes, np.float32), fills)


def _cut(label: str, size: int, count: str) -> str:
    """As many letters as there is room for beside the number."""
    most = int((_WIDE - 48 - 0.62 * size * len(count)) / (0.56 * size))
    return label if len(label) <= most else f"{label[: most - 1].rstrip()}…"
