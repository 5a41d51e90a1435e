"""Draws pages of a PDF, marked as with a highlighter, in a process of its own: nobody vouches for the file.

This module is what that process loads, so it imports little.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DPI = 110
MOST_PIXELS = 4_000_000  # of a page
LARGEST_MB = 200  # that a part of a file may have
MEMORY_MB = 1_000
CITED, NEAREST = (255, 226, 90), (205, 222, 250)  # what a marked word is multiplied with

Box = tuple[float, float, float, float]  # left, top, right, bottom in points from the page's top left corner


@dataclass(frozen=True, slots=True)
class MarkedBox:
    box: Box
    cited: bool  # else what came nearest


def serve(connection: Connection) -> None:
    """Receive (content of a file, its name, that of a part in it, marked boxes by page); send a PNG for each page."""
    from core.ingest.process_limits import bound_memory
    from core.ingest.sources import part_of

    data, name, part, pages = connection.recv()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    bound_memory(MEMORY_MB)
    for png in _rendered(part_of(data, name, part, LARGEST_MB), pages):
        connection.send_bytes(png)


def _rendered(data: bytes, pages: Mapping[int, Sequence[MarkedBox]]) -> Iterator[bytes]:
    import pypdfium2 as pdfium

    with pdfium.PdfDocument(data) as document:
        for number, marked in pages.items():
            try:
                page = document[number - 1]
                width, height = page.get_size()
                scale = min(DPI / 72, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
                pixels = page.render(scale=scale, rev_byteorder=True).to_numpy()[:, :, :3].copy()
            except (pdfium.PdfiumError, IndexError):
                yield b""
                continue
            for each in marked:
                _mark(pixels, each, scale)
            yield as_png(pixels)


def _mark(pixels: NDArray[np.uint8], marked: MarkedBox, scale: float) -> None:
    """As with a highlighter: what is black stays black."""
    import numpy as np

    left, top, right, bottom = (max(0, round(side * scale)) for side in marked.box)
    place = pixels[max(0, top - 1) : bottom + 1, max(0, left - 1) : right + 1]
    colour = np.array(CITED if marked.cited else NEAREST, dtype=np.uint16)
    place[:] = (place * colour // 255).astype(np.uint8)


def as_png(pixels: NDArray[np.uint8]) -> bytes:
    """Red, green and blue, (height, width, 3), as PNG without a date or any other remark."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + pixels[row].tobytes() for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
