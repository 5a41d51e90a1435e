"""What a reader hands to the loader, before titles are chosen."""

from __future__ import annotations

from dataclasses import dataclass

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.ocr import installed
from core.text.translation import tr
from core.types import Block, Boxes, DocumentTable, Notice, Page, Region

READER = "12"  # raised when a reader gives other text for the same file
NO_TEXT = DocumentError(
    tr("The file holds no text."), tr("If it holds pictures of text, run it through an OCR program.")
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Cleaned text of a file and what the file says of itself; empty where it says nothing."""

    text: str
    pages: tuple[Page, ...] = ()
    title: str = ""  # as its metadata has it, sensible or not
    heading: str = ""  # its first heading
    date: str = ""  # in whatever form the file has it
    author: str = ""
    regions: tuple[Region, ...] = ()
    boxes: Boxes | None = None
    blocks: tuple[Block, ...] = ()
    tables: tuple[DocumentTable, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    notices: tuple[Notice, ...] = ()


def reader_version(config: ReadingConfig) -> str:
    """Changes when the same file may be read differently: with the readers, and with OCR at hand."""
    return f"{READER} ocr {config.ocr_language}" if installed() else READER


def is_panic(error: BaseException) -> bool:
    """Whether an extension written in Rust stumbled over a bug of its own; that is no Exception."""
    return type(error).__name__ == "PanicException"
