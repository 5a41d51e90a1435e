"""Pages of PDF documents as pictures with the cited words marked, drawn in a process of its own."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import struct
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import DocumentError
from core.ingest.media import PDF
from core.ingest.source_files import open_source
from core.pack.contents import Contents, PackedPassage
from core.store.store import Store
from core.types import Boxes, Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DPI = 110
MOST_PIXELS = 4_000_000  # of a page
MOST_PAGES = 16  # of a pack
LARGEST = 200_000_000  # bytes of a file that is opened
SECONDS = 60  # for the pages of one document
MEMORY_MB = 1_000
CITED, NEAREST = (255, 226, 90), (205, 222, 250)  # what a marked word is multiplied with

Box = tuple[float, float, float, float]  # left, top, right, bottom in points from the page's top left corner


@dataclass(frozen=True, slots=True)
class MarkedBox:
    box: Box
    cited: bool  # else what came nearest


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page of a document as a picture in the pack."""

    file: str
    document_id: str
    passage_id: str  # of which it was drawn first
    page: int  # from 1
    boxes: tuple[MarkedBox, ...]
    png: bytes


def page_images(
    store: Store, folder: Path | None, contents: Contents, check: Callable[[], None]
) -> list[PageImage]:
    """Pages that hold a mark, as long as their file is there and as it was when it was read."""
    wanted: dict[tuple[str, int], list[MarkedBox]] = {}
    first: dict[tuple[str, int], str] = {}
    for each in sorted(contents.passages, key=_cited, reverse=True):
        boxes = store.documents.boxes(each.passage.document_id)
        for page, marked in _marked(each, boxes).items() if boxes is not None else ():
            place = (each.passage.document_id, page)
            if place in wanted or len(wanted) < MOST_PAGES:
                wanted.setdefault(place, []).extend(marked)
                first.setdefault(place, each.passage.id)
    found: list[PageImage] = []
    for document in contents.documents:
        pages = {page: wanted[id, page] for id, page in sorted(wanted) if id == document.id}
        data = _content(document, folder) if pages and document.media_type == PDF else None
        if data is None:
            continue
        for (page, marked), png in zip(pages.items(), _drawn(data, document, pages, check), strict=False):
            if png:
                file = f"pages/{len(found) + 1:02d}.png"
                passage = first[document.id, page]
                found.append(PageImage(file, document.id, passage, page, tuple(marked), png))
    return found


def _cited(each: PackedPassage) -> bool:
    return any(mark.citation for mark in each.marks)


def _marked(each: PackedPassage, boxes: Boxes) -> dict[int, list[MarkedBox]]:
    """Boxes of the marked words by page, those of one line joined."""
    found: dict[int, list[MarkedBox]] = {}
    for mark in each.marks:
        start, end = each.passage.start + mark.start, each.passage.start + mark.end
        rows = ((boxes.spans[:, 0] < end) & (boxes.spans[:, 1] > start)).nonzero()[0]
        for row in rows:
            left, top, right, bottom = (float(side) for side in boxes.corners[row])
            line = found.setdefault(int(boxes.spans[row, 2]), [])
            last = line[-1] if line else None
            if (
                last is not None
                and last.cited == bool(mark.citation)
                and _same_line(last.box, (left, top, right, bottom))
            ):
                before = last.box
                line[-1] = MarkedBox(
                    (before[0], min(before[1], top), right, max(before[3], bottom)), last.cited
                )
            else:
                line.append(MarkedBox((left, top, right, bottom), bool(mark.citation)))
    return found


def _same_line(one: Box, next_: Box) -> bool:
    height = min(one[3] - one[1], next_[3] - next_[1])
    return min(one[3], next_[3]) - max(one[1], next_[1]) > height / 2 and 0 <= next_[0] - one[2] < 2 * height


def _content(document: Document, folder: Path | None) -> bytes | None:
    """The document's file; None where it is gone or another one by now."""
    if folder is None or not document.file:
        return None
    try:
        with open_source(folder / document.file, folder) as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError, DocumentError):
        return None
    return data if hashlib.sha256(data).hexdigest() == document.sha256 else None


# ---------------------------------------------------------------- in a process of its own


def _drawn(
    data: bytes, document: Document, pages: Mapping[int, Sequence[MarkedBox]], check: Callable[[], None]
) -> list[bytes]:
    """A PNG for each page, b"" for one that cannot be drawn; fewer where the document ends its process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), name="clew pages", daemon=True)
    process.start()
    theirs.close()
    found: list[bytes] = []
    try:
        part = document.path[len(document.file) + 1 :]
        ours.send((data, document.file.rpartition("/")[2], part, dict(pages)))
        ends = time.monotonic() + SECONDS
        while len(found) < len(pages) and time.monotonic() < ends:
            check()
            if ours.poll(0.1):
                found.append(ours.recv_bytes(LARGEST))
    except (EOFError, OSError):
        return found  # it crashed: the pack goes without its pictures
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    return found


def _serve(connection: Connection) -> None:
    from core.ingest.reading_worker import bound_memory

    data, name, part, pages = connection.recv()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    bound_memory(MEMORY_MB)
    for png in _rendered(_part(data, name, part), pages):
        connection.send_bytes(png)


def _part(data: bytes, name: str, part: str) -> bytes:
    """The content of a part of a file, such as what is attached to a message; "" is the file itself."""
    from core.ingest.reading import Reading
    from core.ingest.sources import Walk

    read: list[bytes] = []

    def keep(file: str, kind: str, content: bytes) -> tuple[str, Reading]:
        read.append(content)
        return kind, Reading("")

    for source in Walk(keep, LARGEST // 1_000_000).sources(name, data):
        if source.name == part:
            source.read()
            break
    return read[-1] if read else b""


def _rendered(data: bytes, pages: Mapping[int, Sequence[MarkedBox]]) -> Any:
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
