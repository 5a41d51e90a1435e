"""A picture as SVG: real vectors, words as text. Names come from documents and are escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from app.graph.picture.shapes import Area, Box, Discs, Lines, Picture, Shape, Words
from core.text.escape_controls import escape_controls

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML, even as escapes
_SPACE = "http://www.w3.org/2000/svg"
_AT_ONCE = 2_000  # lines or circles that are put together without a look at whether it is given up


def svg(picture: Picture, check: Callable[[], None] = lambda: None) -> str:
    """The text of the file; `check` may raise."""
    wide, high = str(picture.width), str(picture.height)
    families = ", ".join([*(f"'{_plain(name)}'" for name in picture.family), "sans-serif"])
    parts = [_tag("rect", width=wide, height=high, fill=picture.ground)]
    for shape in picture.shapes:
        check()
        for part in _written(shape):
            check()
            parts.append(part)
    box = f"0 0 {wide} {high}"
    inside = "\n".join(["", *parts, ""])
    return (
        _tag("svg", inside, xmlns=_SPACE, width=wide, height=high, viewBox=box, font_family=families) + "\n"
    )


def _tag(name: str, inside: str = "", **attributes: str) -> str:
    """An element; an attribute without a value is left out, and `stroke_width` is written stroke-width."""
    attrs = "".join(
        f' {key.replace("_", "-")}="{escape(value)}"' for key, value in attributes.items() if value
    )
    return f"<{name}{attrs}>{inside}</{name}>" if inside else f"<{name}{attrs}/>"


def _written(shape: Shape) -> Iterator[str]:
    if isinstance(shape, Lines):
        yield from _lines(shape)
    elif isinstance(shape, Discs):
        yield from _discs(shape)
    elif isinstance(shape, Area):
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.corners.tolist())
        outline = _stroke(shape.outline, shape.width)
        yield _tag("polygon", points=corners, fill=shape.fill, **outline, opacity=_opacity(shape.opacity))
    elif isinstance(shape, Box):
        place = {
            "x": shape.left,
            "y": shape.top,
            "width": shape.width,
            "height": shape.height,
            "rx": shape.round,
        }
        look = {"fill": shape.fill, **_stroke(shape.outline, 1.0), "opacity": _opacity(shape.opacity)}
        yield _tag("rect", **{key: f"{value:.1f}" for key, value in place.items()}, **look)
    else:
        yield _words(shape)


def _lines(shape: Lines) -> Iterator[str]:
    dots = f"{shape.width:.1f} {3 * shape.width:.1f}" if shape.dotted else ""
    look = {
        **_stroke(shape.colour, shape.width),
        "stroke_dasharray": dots,
        "opacity": _opacity(shape.opacity),
    }
    for first in range(0, len(shape.ends), _AT_ONCE):
        some = shape.ends[first : first + _AT_ONCE].T.tolist()
        ways = "".join(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" for x0, y0, x1, y1 in zip(*some, strict=True))
        yield _tag("path", d=ways, fill="none", **look)


def _discs(shape: Discs) -> Iterator[str]:
    fills = shape.fills or ["none"] * len(shape.radii)
    look = {**_stroke(shape.outline, shape.width), "opacity": _opacity(shape.opacity)}
    for first in range(0, len(fills), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        columns = (*shape.centres[part].T.tolist(), shape.radii[part].tolist(), fills[part])
        circles = [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}"/>'  # not shown
            for x, y, radius, fill in zip(*columns, strict=True)
        ]
        yield _tag("g", "".join(circles), **look)


def _words(shape: Words) -> str:
    text = escape(_plain(shape.text), quote=False)
    place = {
        "x": f"{shape.x:.1f}",
        "y": f"{shape.y:.1f}",
        "font_size": f"{shape.size:g}",
        "font_weight": "600" if shape.bold else "",
        "text_anchor": shape.anchor if shape.anchor != "start" else "",
    }
    below = ""
    if shape.halo:  # a text of its own: not every program knows paint-order
        look = {
            "fill": shape.halo,
            **_stroke(shape.halo, 4.0),
            "stroke_linejoin": "round",
            "aria_hidden": "true",
        }
        below = _tag("text", text, **place, **look)
    return below + _tag("text", text, **place, fill=shape.colour)


def _stroke(colour: str, width: float) -> dict[str, str]:
    return {"stroke": colour, "stroke_width": f"{width:.2f}"} if colour else {}


def _opacity(share: float) -> str:
    return f"{share:.2f}" if share < 1.0 else ""


def _plain(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", escape_controls(text))
