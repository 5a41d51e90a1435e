"""Which pages of PDF documents a pack shows, with what is marked on them."""

from __future__ import annotations

import hashlib
import multiprocessing
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.errors import DocumentError
from core.ingest.media import PDF
from core.ingest.source_files import open_source
from core.progress import TaskContext
from core.store.store import Store
from core.types import Boxes, Document
from core.workspace.pack.contents import Contents, PackedPassage
from core.workspace.pack.page_drawing import Box, MarkedBox, serve

MOST_PAGES = 16  # of a pack
LARGEST = 200_000_000  # bytes of a file that is opened
SECONDS = 60  # for the pages of one document


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
    store: Store, folder: Path | None, contents: Contents, context: TaskContext
) -> list[PageImage]:
    """Pages that hold a mark, as long as their file is there and as it was when it was read. Raises Cancelled."""
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
        with closing(_drawn(data, document, pages, context)) as drawn:
            for (page, marked), png in zip(pages.items(), drawn, strict=False):
                context.report("pages", len(found), len(wanted))
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
    data: bytes, document: Document, pages: Mapping[int, Sequence[MarkedBox]], context: TaskContext
) -> Generator[bytes, None, None]:
    """A PNG for each page, b"" for one that cannot be drawn; fewer where the document ends its process."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    process = spawning.Process(target=serve, args=(theirs,), name="clew pages", daemon=True)
    process.start()
    theirs.close()
    left = len(pages)
    try:
        part = document.path[len(document.file) + 1 :]
        ours.send((data, document.file.rpartition("/")[2], part, dict(pages)))
        ends = time.monotonic() + SECONDS
        while left and time.monotonic() < ends:
            context.check()
            if ours.poll(0.1):
                yield ours.recv_bytes(LARGEST)
                left -= 1
    except (EOFError, OSError):
        return  # it crashed: the pack goes without its pictures
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
