"""Inside the process that draws pages of PDF documents: one document at a time, a page or a part of it at a time.

Loads little, so that it is there soon.
"""

from __future__ import annotations

import os
import signal
from collections import OrderedDict
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from core.errors import DocumentError
from core.ingest.process_limits import bound_memory, end_after, end_with
from core.text.translation import tr
from core.types import PagePicture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GRACE_SECONDS = 3  # for which its parent waits no longer: then this process ends itself
CACHED_PAGES = 4  # that stay parsed, since parts of a page are drawn one after the other
MOST_PIXELS = 24_000_000  # of one picture
DAMAGED = DocumentError(
    tr("The file cannot be drawn: it is damaged or incomplete."),
    tr("Its text is as it was read. Open the file in its own program."),
)
UNDRAWN = DocumentError(
    tr("This page cannot be drawn: it is damaged."), tr("Its text is as far as it could be read.")
)

Clip = tuple[int, int, int, int]  # left, top, right, bottom in pixels of the whole page at its scale


@dataclass(frozen=True, slots=True)
class Open:
    """A document to draw from now on; `part` is "" or the name of what lies in the file."""

    data: bytes
    file: str
    part: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Draw:
    """A page, from 1, at so many pixels a point; `clip` None: all of it."""

    number: int
    scale: float
    clip: Clip | None
    seconds: int


def serve(connection: Connection, max_file_mb: int, max_memory_mb: int, parent: int) -> None:
    """Answer each Open with sizes of pages, each Draw with a PagePicture, or with the DocumentError that is met."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        os.setsid()
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)  # pdfium tells there what it thinks of a file
    end_with(parent)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401  before memory is bounded
    import pypdfium2  # noqa: F401

    bound_memory(max_memory_mb)
    drawer: _Drawer | None = None
    reply: object
    while True:
        try:
            asked = connection.recv()
        except (EOFError, OSError):
            return
        end_after(asked.seconds + GRACE_SECONDS)
        try:
            if isinstance(asked, Open):
                if drawer is not None:
                    drawer.close()
                    drawer = None  # also where the next one cannot be opened
                drawer = _Drawer(_content(asked, max_file_mb))
                reply = drawer.sizes()
            elif drawer is not None:
                reply = drawer.draw(asked)
            else:
                reply = DAMAGED
        except DocumentError as error:
            reply = error
        end_after(0)
        connection.send(reply)


def _content(asked: Open, max_file_mb: int) -> bytes:
    if not asked.part:
        return asked.data
    from core.ingest.sources import part_of

    return part_of(asked.data, asked.file, asked.part, max_file_mb)


class _Drawer:
    """One open document."""

    def __init__(self, data: bytes) -> None:
        """Raises DocumentError for what is damaged or locked."""
        import pypdfium2 as pdfium

        self._pages: OrderedDict[int, Any] = OrderedDict()
        try:
            self._document: Any = pdfium.PdfDocument(data)
            self._document.init_forms()  # what was filled in is part of what is seen
        except pdfium.PdfiumError as error:
            raise DocumentError(DAMAGED.message, DAMAGED.remedy) from error

    def close(self) -> None:
        for page in self._pages.values():
            page.close()
        self._document.close()

    def sizes(self) -> NDArray[np.float32]:
        """Width and height of each page as it is shown, in points; 0 for one that cannot be read."""
        import numpy as np
        import pypdfium2 as pdfium

        found = np.zeros((len(self._document), 2), dtype=np.float32)
        for index in range(len(found)):
            try:
                found[index] = self._document.get_page_size(index)
            except pdfium.PdfiumError:
                continue
        sane = np.isfinite(found).all(axis=1, keepdims=True) & (found >= 1).all(axis=1, keepdims=True)
        return np.where(sane, found, 0).astype(np.float32)

    def draw(self, asked: Draw) -> PagePicture:
        """Raises DocumentError for a page that is damaged or not there."""
        import pypdfium2 as pdfium
        import pypdfium2.raw as api

        try:
            page = self._page(asked.number - 1)
            width, height = (max(1, round(side * asked.scale)) for side in page.get_size())
            left, top, right, bottom = _within(asked.clip, width, height)
            wide, high = right - left, bottom - top
            bitmap = pdfium.PdfBitmap.new_native(wide, high, api.FPDFBitmap_BGRx)
            try:
                bitmap.fill_rect((255, 255, 255, 255), 0, 0, wide, high)
                place = (-left, -top, width, height, 0, api.FPDF_ANNOT)
                api.FPDF_RenderPageBitmap(bitmap, page, *place)
                if self._document.formenv:
                    api.FPDF_FFLDraw(self._document.formenv, bitmap, page, *place)
                return PagePicture(
                    asked.number,
                    asked.scale,
                    (left, top, right, bottom),
                    (width, height),
                    bytes(bitmap.buffer),
                )
            finally:
                bitmap.close()
        except (pdfium.PdfiumError, IndexError, OverflowError, ValueError) as error:
            raise DocumentError(UNDRAWN.message, UNDRAWN.remedy) from error

    def _page(self, index: int) -> Any:
        if index not in self._pages:
            self._pages[index] = self._document[index]
            while len(self._pages) > CACHED_PAGES:
                self._pages.popitem(last=False)[1].close()
        self._pages.move_to_end(index)
        return self._pages[index]


def _within(clip: Clip | None, width: int, height: int) -> Clip:
    """The part of a page that is drawn: inside of it, and of at most MOST_PIXELS."""
    left, top, right, bottom = clip or (0, 0, width, height)
    left, top = min(max(left, 0), width - 1), min(max(top, 0), height - 1)
    right, bottom = min(max(right, left + 1), width), min(max(bottom, top + 1), height)
    right = min(right, left + MOST_PIXELS)
    return left, top, right, min(bottom, top + max(1, MOST_PIXELS // (right - left)))
