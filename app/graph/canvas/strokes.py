"""Lines and discs set into arrays of pixels, compiled by numba on first use; nothing here runs at import.

They hold no interpreter lock: while another thread draws, the window's thread goes on. Qt's painter holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
# What these count in are numbers of a fixed width, whose kinds numba decides.
Cover = Callable[..., None]
Mix = Callable[..., Any]
# pixels, columns, xy, pairs, styles, looks of styles, left, top, scale, step
Lines = Callable[..., None]
# image, xy, order, radii, styles, colours, ringed, canvas, rim, left, top, scale
Discs = Callable[..., None]

_LINES = "uint16[::1],int64,float32[:,::1],int32[:,::1],uint8[::1],int32[:,::1],float32,float32,float32,int64"
_DISCS = (
    "uint32[:,::1],float32[:,::1],int64[::1],float32[::1],int32[::1],uint32[:,::1],boolean[::1],int64,"
    "float32,float32,float32,float32"
)


@cache
def kernels() -> tuple[Lines, Discs]:
    """Return the compiled loops; some two seconds the first time."""
    import numba

    def compiled(loop: Callable[..., None], signature: str) -> Callable[..., None]:
        kernel: Callable[..., None] = numba.njit(f"void({signature})", nogil=True, error_model="numpy")(loop)
        return kernel

    inline = numba.njit(inline="always")
    return compiled(_line_loop(inline(_cover)), _LINES), compiled(_disc_loop(inline(_mixed)), _DISCS)


def ready() -> bool:
    """Return whether `kernels` answers at once."""
    return bool(kernels.cache_info().currsize)


def _cover(pixels: Array, at: int, mark: int, share: int) -> None:
    """Let a line of style `mark` cover a `share` of 256 of a pixel; the later style shows where it covers half."""
    pixel = np.int32(pixels[at])
    covered = pixel & 255
    over = mark if share > 127 or covered == 0 else pixel & 0xFF00
    pixels[at] = over | (covered + (((255 - covered) * share) >> 8))


def _mixed(below: Any, above: Any, share: float) -> Any:
    """Premultiplied colours, two channels at a time."""
    part = np.int64(share * np.float32(256.0))
    low = 0x00FF00FF
    pairs = (((below & low) * (256 - part) + (above & low) * part) >> 8) & low
    return pairs | ((((below >> 8) & low) * (256 - part) + ((above >> 8) & low) * part) & (low << 8))


def _line_loop(cover: Cover) -> Lines:
    """Every `step`-th pair into `pixels` of so many `columns`: style in the high byte, cover in the low one, which is
    several times faster than four channels. `looks` of styles, (k, 2): width in pixels, and of 256 how far one covers.

    Antialiased across the longer axis (Wu 1991). Lines keep to the pixels whose neighbours are within, too.
    """

    def lines(
        pixels: Array,
        columns: int,
        xy: Array,
        pairs: Array,
        styles: Array,
        looks: Array,
        left: float,
        top: float,
        scale: float,
        step: int,
    ) -> None:
        rows = len(pixels) // columns
        half, zero, small, one = np.float32(0.5), np.float32(0.0), np.float32(1e-6), np.float32(65536.0)
        for edge in range(0, len(pairs), step):
            a, b = pairs[edge, 0], pairs[edge, 1]
            x0, y0 = (xy[a, 0] - left) * scale - half, (top - xy[a, 1]) * scale - half
            x1, y1 = (xy[b, 0] - left) * scale - half, (top - xy[b, 1]) * scale - half
            if max(x0, x1) < 0 or max(y0, y1) < 0 or min(x0, x1) > columns - 1 or min(y0, y1) > rows - 1:
                continue
            if abs(x1 - x0) >= abs(y1 - y0):
                along, across, forward, aside = columns, rows, 1, columns
            else:
                x0, y0, x1, y1 = y0, x0, y1, x1
                along, across, forward, aside = rows, columns, columns, 1
            if x1 < x0:
                x0, y0, x1, y1 = x1, y1, x0, y0
            wide, strength = looks[styles[edge], 0], looks[styles[edge], 1]
            slope = (y1 - y0) / max(x1 - x0, small)
            y0 -= half * (wide - 1)
            most = across - 1 - wide
            begin, stop = max(x0, zero), min(x1, np.float32(along - 1))
            if slope > small:
                begin, stop = max(begin, x0 - y0 / slope), min(stop, x0 + (most - y0) / slope)
            elif slope < -small:
                begin, stop = max(begin, x0 + (most - y0) / slope), min(stop, x0 - y0 / slope)
            elif y0 < 0 or y0 > most:
                continue
            column, last = int(np.ceil(begin)), int(stop)
            if last < column:
                continue
            y: Any = np.int64(max((y0 + (column - x0) * slope) * one, zero))
            down, mark = np.int64(slope * one), np.int32(styles[edge]) << 8
            place = column * forward
            for _ in range(last - column + 1):
                at, share = place + (y >> 16) * aside, (y >> 8) & 255
                cover(pixels, at, mark, ((256 - share) * strength) >> 8)
                for row in range(1, wide):
                    cover(pixels, at + row * aside, mark, strength)
                cover(pixels, at + wide * aside, mark, (share * strength) >> 8)
                place += forward
                y = max(y + down, 0)

    return lines


def _disc_loop(mixed: Mix) -> Discs:
    """Nodes, in this `order`, blended over premultiplied pixels (height, width); `radii` in pixels.

    `colours` of each style: outline and filling. `canvas` is the colour of the rim and of a ring's gap.
    """

    def discs(
        image: Array,
        xy: Array,
        order: Array,
        radii: Array,
        styles: Array,
        colours: Array,
        ringed: Array,
        canvas: int,
        rim: float,
        left: float,
        top: float,
        scale: float,
    ) -> None:
        height, width = image.shape
        half, zero, one = np.float32(0.5), np.float32(0.0), np.float32(1.0)
        for node in order:
            radius, style = radii[node], styles[node]
            x, y = (xy[node, 0] - left) * scale - half, (top - xy[node, 1]) * scale - half
            outer = radius + min(rim, radius * np.float32(0.35))
            reach = outer + half
            if not (x > -reach and y > -reach and x < width + reach and y < height + reach):
                continue
            outline, filling = np.int64(colours[style, 0]), np.int64(colours[style, 1])
            plain = outline == filling
            inner = radius if plain else radius - min(rim, radius * np.float32(0.3))
            gap, core = (
                (np.float32(0.68) * radius, np.float32(0.36) * radius) if ringed[style] else (-one, -one)
            )
            for row in range(max(int(np.ceil(y - reach)), 0), min(int(y + reach), height - 1) + 1):
                for column in range(max(int(np.ceil(x - reach)), 0), min(int(x + reach), width - 1) + 1):
                    way = np.sqrt((column - x) * (column - x) + (row - y) * (row - y)) - half
                    if way >= outer:
                        continue
                    fill = max(min(inner - way, one), zero)
                    if way < gap:
                        fill -= min(gap - way, one) - max(min(core - way, one), zero)
                    own = canvas
                    if not plain:
                        own = mixed(own, outline, max(min(radius - way, one), zero))
                    own = mixed(own, filling, max(fill, zero))
                    image[row, column] = mixed(np.int64(image[row, column]), own, min(outer - way, one))

    return discs
