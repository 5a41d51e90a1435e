"""A picture as SVG: real vectors, words as text. Names come from documents and are escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from app.graph.picture.shapes import Area, Box, Discs, Lines, Picture, Shape, Words
from core.visible import visible

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML, even as escapes
_AT_ONCE = 2_000  # lines or circles that are put together without a look at whether it is given up


def svg(picture: Picture, check: Callable[[], None] = lambda: None) -> str:
    """The text of the file; `check` may raise."""
    size = f"{picture.width} {picture.height}"
    families = ", ".join([*(f"'{_attribute(name)}'" for name in picture.family), "sans-serif"])
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{picture.width}" height="{picture.height}"'
        f' viewBox="0 0 {size}" font-family="{families}">',
        f'<rect width="{picture.width}" height="{picture.height}" fill="{picture.ground}"/>',
    ]
    for shape in picture.shapes:
        check()
        for part in _written(shape):
            check()
            parts.append(part)
    return "\n".join([*parts, "</svg>\n"])


def _written(shape: Shape) -> Iterator[str]:
    if isinstance(shape, Lines):
        yield from _lines(shape)
    elif isinstance(shape, Discs):
        yield from _discs(shape)
    elif isinstance(shape, Area):
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.corners.tolist())
        yield (
            f'<polygon points="{corners}" fill="{shape.fill}"'
            f"{_stroke(shape.outline, shape.width)}{_opacity(shape.opacity)}/>"
        )
    elif isinstance(shape, Box):
        yield (
            f'<rect x="{shape.left:.1f}" y="{shape.top:.1f}" width="{shape.width:.1f}" height="{shape.height:.1f}"'
            f' rx="{shape.round:.1f}" fill="{shape.fill}"{_stroke(shape.outline, 1.0)}{_opacity(shape.opacity)}/>'
        )
    else:
        yield _words(shape)


def _lines(shape: Lines) -> Iterator[str]:
    dots = f' stroke-dasharray="{shape.width:.1f} {3 * shape.width:.1f}"' if shape.dotted else ""
    look = f'{_stroke(shape.colour, shape.width)}{dots}{_opacity(shape.opacity)} fill="none"'
    for first in range(0, len(shape.ends), _AT_ONCE):
        some = shape.ends[first : first + _AT_ONCE].T.tolist()
        ways = "".join(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" for x0, y0, x1, y1 in zip(*some, strict=True))
        yield f'<path d="{ways}"{look}/>'


def _discs(shape: Discs) -> Iterator[str]:
    fills = shape.fills or ["none"] * len(shape.radii)
    look = f"{_stroke(shape.outline, shape.width)}{_opacity(shape.opacity)}"
    for first in range(0, len(fills), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        columns = (*shape.centres[part].T.tolist(), shape.radii[part].tolist(), fills[part])
        circles = [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}"/>'
            for x, y, radius, fill in zip(*columns, strict=True)
        ]
        yield f"<g{look}>" + "".join(circles) + "</g>"


def _words(shape: Words) -> str:
    weight = ' font-weight="600"' if shape.bold else ""
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    place = f'x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}"{weight}{anchor}'
    text = escape(_plain(shape.text), quote=False)
    below = ""
    if shape.halo:  # a text of its own: not every program knows paint-order
        look = f'fill="{shape.halo}"{_stroke(shape.halo, 4.0)} stroke-linejoin="round" aria-hidden="true"'
        below = f"<text {place} {look}>{text}</text>"
    return f'{below}<text {place} fill="{shape.colour}">{text}</text>'


def _stroke(colour: str, width: float) -> str:
    return f' stroke="{colour}" stroke-width="{width:.2f}"' if colour else ""


def _opacity(share: float) -> str:
    return f' opacity="{share:.2f}"' if share < 1.0 else ""


def _plain(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", visible(text))


def _attribute(text: str) -> str:
    return escape(_plain(text).replace("'", ""))
