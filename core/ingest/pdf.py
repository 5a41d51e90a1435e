"""Reads PDF with pdfium: text, pages, a box for each word; pages that are pictures through OCR."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as api

from core.errors import DocumentError
from core.ingest.cleaning import one_line
from core.ingest.flow import heading_of
from core.ingest.layout import paged_text
from core.ingest.ocr import Recogniser
from core.ingest.pdf_columns import in_columns, without_line_numbers
from core.ingest.pdf_forms import COMMENT, overlay_of, with_fields, xfa_values
from core.ingest.pdf_headings import Bookmark, marked_pages
from core.ingest.pdf_tables import Grid, placed_tables, rules_of, with_tables
from core.ingest.pdf_words import blank, corners_of, in_page_coordinates, words_of
from core.ingest.reading import Reading
from core.ingest.word_boxes import WordsOfPage, boxes_of
from core.text.translation import tr
from core.types import Block, BlockKind, Notice, NoticeKind, Region

logging.getLogger("pypdfium2").setLevel(
    logging.ERROR
)  # it advises to build pdfium anew for forms that are XFA
DPI = 300
MOST_PIXELS = 30_000_000  # of a page's picture; larger pages are read at fewer dots per inch
FEW = 3  # visible characters; a page with fewer has no text
STAMP = 100  # visible characters; a scan may have fewer from what was put upon it
SCAN_SHARE = 0.8  # of a page's area, from which on a picture is a scan of it
PICTURE_SHARE = 0.1  # of a page's area, from which on a picture may be the page itself
MANY_PATHS = 50  # drawn shapes, from which on they may be letters
MOST_BOOKMARKS = 10_000
MOST_OCR = 200  # pages of one document that are read by OCR
PDF_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:([-+])(\d\d)'?(\d\d)?'?|(Z))?")
DAMAGED = DocumentError(
    tr("The PDF is damaged or incomplete."),
    tr("Open it in its own program; if that works, save it again, else get a new copy."),
)
LOCKED = DocumentError(
    tr("The PDF is protected by a password."), tr("Save a copy without the password and index again.")
)
NEEDS_OCR = DocumentError(
    tr("The PDF holds only pictures of pages; it needs OCR."),
    tr("Install Tesseract (on Debian: apt-get install tesseract-ocr) and index again."),
)
WORDLESS = DocumentError(
    tr("The PDF holds only pictures of pages, and OCR found no words in them."),
    tr("Scan it again, more sharply or in black and white."),
)


@dataclass(slots=True)
class _Pages:
    """What was found on the pages so far."""

    texts: list[WordsOfPage] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)  # numbers of pages that OCR read
    unread: list[int] = field(default_factory=list)  # pictures that nothing read
    guessed: list[int] = field(default_factory=list)  # pages whose columns were put in order
    notes: dict[int, list[str]] = field(default_factory=dict)  # annotations by page
    unread_notes: int = 0
    fields: int = 0  # of its form that hold something
    dynamic: bool = False  # whether a program in the file may draw the form (XFA)
    attachments: int = 0
    damaged: int = 0
    labels: dict[int, str] = field(default_factory=dict)  # by page, where it is not the number
    grids: list[Grid] = field(default_factory=list)
    line_numbers: float | None = None  # where those in the margin end


def read_pdf(data: bytes, recogniser: Recogniser | None = None) -> Reading:
    """Text with pages and a box for each word; pictures of pages are read where there is a `recogniser`.

    Raises DocumentError when it is locked or damaged, or holds only pictures that nothing could read.
    """
    try:
        with pdfium.PdfDocument(data) as document:
            stated = document.get_metadata_dict()
            outline = list(_outline(document))
            pages = _Pages(attachments=document.count_attachments())
            kind = document.get_formtype()
            if kind != api.FORMTYPE_NONE:
                document.init_forms()
            pages.labels = _labels(document)
            pages.dynamic = kind in {api.FORMTYPE_XFA_FULL, api.FORMTYPE_XFA_FOREGROUND}
            form = document.formenv.raw if document.formenv is not None else None
            for index in range(len(document)):
                _read_page(document, index, pages, recogniser, form)
            if pages.dynamic and not pages.fields:
                pages.notes.setdefault(1, []).extend(
                    f"{name}: {value}" if name else value for name, value in xfa_values(document)
                )
            if pages.damaged and pages.damaged == len(document):
                raise DAMAGED
    except pdfium.PdfiumError as error:
        if "assword" in str(error) or "ecurity" in str(error):
            raise _copy_error(LOCKED) from error
        raise _copy_error(DAMAGED) from error
    marked = marked_pages(pages.texts, outline, frozenset(pages.recognised))
    text, placed, blocks = paged_text(marked, pages.notes)
    headings = [block for block in blocks if block.kind is BlockKind.HEADING]
    notes = [b for b in blocks if b.kind is BlockKind.NOTE and text.startswith(COMMENT, b.start)]
    if not text and pages.unread:
        raise NEEDS_OCR if recogniser is None else WORDLESS
    if not text and pages.recognised:
        raise WORDLESS
    boxes = boxes_of(text, placed, pages.texts)
    tables = placed_tables(pages.grids, text, boxes)
    return Reading(
        text=text,
        pages=placed,
        title=str(stated.get("Title") or ""),
        heading=heading_of(text) or next((one_line(text[b.start : b.end]) for b in headings), ""),
        date=_date(stated.get("CreationDate") or "") or _date(stated.get("ModDate") or ""),
        author=str(stated.get("Author") or ""),
        boxes=boxes,
        regions=(
            *(Region(b.start, b.end, f"Comment {n}") for n, b in enumerate(notes, 1)),
            *(
                Region(page.start, page.end, f"Page {label}")
                for page in placed
                if (label := pages.labels.get(page.number)) and page.start < page.end
            ),
        ),
        blocks=(*blocks, *(Block(BlockKind.TABLE, table.start, table.end) for table in tables)),
        tables=tuple(tables),
        metadata=tuple(_notes(pages)),
        notices=tuple(_notices(pages)),
    )


def _copy_error(error: DocumentError) -> DocumentError:
    """One that may be given a cause: those above are shared by all files."""
    return DocumentError(error.message, error.remedy)


def _outline(document: Any) -> Iterator[Bookmark]:
    """The first entries of a PDF's own outline; none where it is damaged."""
    try:
        for mark in islice(document.get_toc(), MOST_BOOKMARKS):
            place = mark.get_dest()
            index = None if place is None else place.get_index()
            if index is not None:
                yield Bookmark(mark.level + 1, mark.get_title(), index + 1)
    except (pdfium.PdfiumError, UnicodeDecodeError):
        return


def _labels(document: Any) -> dict[int, str]:
    """What programs call the pages: "iii", "A-1"; where they call them by their numbers, nothing."""
    if not document.get_page_label(0):
        return {}
    labels = {index + 1: one_line(document.get_page_label(index)) for index in range(len(document))}
    return {number: label for number, label in labels.items() if label not in {"", str(number)}}


def _notes(pages: _Pages) -> Iterator[tuple[str, str]]:
    """Which pages are pictures: `ocr` those that were read, `needs_ocr` those that were not."""
    for name, numbers in (("ocr", pages.recognised), ("needs_ocr", pages.unread)):
        if numbers:
            yield name, _ranges(numbers)


def _notices(pages: _Pages) -> Iterator[Notice]:
    if pages.unread:
        yield Notice(NoticeKind.PICTURE, len(pages.unread), _ranges(pages.unread))
    if pages.unread_notes:
        yield Notice(NoticeKind.ANNOTATION, pages.unread_notes)
    if pages.dynamic and not pages.fields:
        yield Notice(NoticeKind.FORM, 1, "XFA")
    if pages.attachments:
        yield Notice(NoticeKind.OTHER, pages.attachments, tr("attached files"))
    if pages.guessed:
        yield Notice(NoticeKind.ORDER, len(pages.guessed), _ranges(pages.guessed))


def _ranges(numbers: Sequence[int]) -> str:
    """[1, 2, 3, 7] -> "1-3, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(str(number) for number in run) for run in runs)


def _read_page(
    document: Any, index: int, pages: _Pages, recogniser: Recogniser | None, form: Any | None
) -> None:
    """Add one page; a damaged one is blank."""
    number = index + 1
    try:
        page = document[index]
    except pdfium.PdfiumError:
        pages.damaged += 1
        pages.texts.append(blank(number))
        return
    try:
        found = words_of(page, number)
        if len(found.text) < 1000 and _needs_ocr(page, sum(not c.isspace() for c in found.text)):
            ocr_page = None
            if recogniser is not None and len(pages.recognised) < MOST_OCR:
                ocr_page = _recognise(page, number, recogniser)
            (pages.unread if ocr_page is None else pages.recognised).append(number)
            found = found if ocr_page is None else _with_stamp(found, ocr_page)
        overlay = overlay_of(page, form)
        pages.unread_notes += overlay.unread_notes
        pages.fields += len(overlay.fields)
        if overlay.notes:
            pages.notes[number] = overlay.notes
        rules = in_page_coordinates(page, rules_of(page))
        found, pages.line_numbers = without_line_numbers(found, pages.line_numbers)
        read = in_columns(found, rules)
        if read.guessed:
            pages.guessed.append(number)
        found, grids = with_tables(read.page, rules, read.words)
        found = with_fields(page, found, overlay)
        pages.grids += grids
        pages.texts.append(found)
    except pdfium.PdfiumError:
        pages.damaged += 1
        pages.texts.append(blank(number))
    finally:
        page.close()


def _needs_ocr(page: Any, visible: int) -> bool:
    """Whether a picture may hold the page's words, by how many visible characters it has beside it."""
    if visible < FEW:
        return _is_picture(page)
    if visible >= STAMP:
        return False
    width, height = page.get_size()
    pictures = (
        item.get_bounds()
        for item in islice(page.get_objects(filter=[api.FPDF_PAGEOBJ_IMAGE], max_depth=4), 100)
    )
    return any(
        (right - left) * (top - bottom) >= SCAN_SHARE * width * height
        for left, bottom, right, top in pictures
    )


def _with_stamp(found: WordsOfPage, on_page: WordsOfPage) -> WordsOfPage:
    """What OCR read of a page, after the words that were put upon it, which it read as well."""
    import numpy as np

    if not found.spans:
        return on_page
    middles = (on_page.corners[:, :2] + on_page.corners[:, 2:]) / 2
    left, top, right, bottom = found.corners.T[:, None, :]
    over = (
        (middles[:, :1] > left)
        & (middles[:, :1] < right)
        & (middles[:, 1:] > top)
        & (middles[:, 1:] < bottom)
    )
    rest = on_page.without(over.any(axis=1))
    text = f"{found.text.rstrip()}\n\n"
    spans = [*found.spans, *((start + len(text), end + len(text)) for start, end in rest.spans)]
    return WordsOfPage(found.number, text + rest.text, spans, np.concatenate((found.corners, rest.corners)))


def _is_picture(page: Any) -> bool:
    """Whether a picture, or drawn letters, may hold the page's words."""
    width, height = page.get_size()
    paths = 0
    kinds = [api.FPDF_PAGEOBJ_IMAGE, api.FPDF_PAGEOBJ_PATH]
    for item in islice(page.get_objects(filter=kinds, max_depth=4), 2000):
        if item.type == api.FPDF_PAGEOBJ_PATH:
            paths += 1
            if paths >= MANY_PATHS:
                return True
            continue
        left, bottom, right, top = item.get_bounds()
        if (right - left) * (top - bottom) >= PICTURE_SHARE * width * height:
            return True
    return False


def _recognise(page: Any, number: int, recogniser: Recogniser) -> WordsOfPage | None:
    """The page by OCR; boxes in points."""
    width, height = page.get_size()
    scale = min(DPI / 72, (MOST_PIXELS / max(1.0, width * height)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    pixels = bitmap.to_numpy().reshape(bitmap.height, bitmap.width)
    picture = b"P5\n%d %d\n255\n" % (bitmap.width, bitmap.height) + pixels.tobytes()
    bitmap.close()
    found = recogniser.read(picture, max(70, round(72 * scale)))
    if found is None:
        return None
    return WordsOfPage(number, found.text, found.spans, corners_of(found.corners) / scale)


def _date(stated: str) -> str:
    """ "D:20210504100000+02'00'" -> "2021-05-04T10:00:00+02:00"; other forms as they are."""
    match = PDF_DATE.fullmatch(stated.strip())
    if match is None:
        return stated
    year, month, day, hour, minute, second, sign, hours, minutes, zulu = match.groups()
    moment = f"{year}-{month or '01'}-{day or '01'}"
    if hour:
        moment += f"T{hour}:{minute}:{second or '00'}"
        moment += "Z" if zulu else f"{sign}{hours}:{minutes or '00'}" if sign else ""
    return moment
