"""Boxes of PDF: what lies in a word's box spells that word, on pages of every form; scans are read or named."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
import pytest
from numpy.typing import NDArray

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.ingest.ocr import Recogniser
from core.ingest.pdf import read_pdf
from core.ingest.reading import Reading
from core.ingest.reading_process import ReadingProcess
from core.types import Boxes, NoticeKind

Make = Callable[..., bytes]
SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
WITH_OCR = pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")
LINES = [
    "Findings",
    "The harbour office of Vestmar opened an investigation in the spring of that year, and the investi-",
    "gation was led by a well-known auditor from the north. She asked for every paper that the clerks of",
    "the office had kept. A well-",
    "known smuggler refused. This para-",
    "graph ends here.",
]


def boxes_of(reading: Reading) -> Boxes:
    assert reading.boxes is not None
    spans, corners = reading.boxes.spans, reading.boxes.corners
    assert spans.dtype == np.int32 and corners.dtype == np.float32 and len(spans) == len(corners)
    assert (np.diff(spans[:, 0]) > 0).all() and (spans[:, 0] < spans[:, 1]).all()
    assert (spans[1:, 0] >= spans[:-1, 1]).all()
    assert (corners[:, 0] < corners[:, 2]).all() and (corners[:, 1] < corners[:, 3]).all()
    return reading.boxes


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def spelled(page: pdfium.PdfPage, corners: NDArray[np.float32]) -> str:
    """What pdfium finds within a box of an unturned, uncropped page."""
    height = page.get_height()
    left, top, right, bottom = (float(side) for side in corners)
    # Boxes are as high as the font, so those of neighbouring lines touch: look at the middle.
    third = (bottom - top) / 3
    textpage = page.get_textpage()
    return letters(
        textpage.get_text_bounded(left - 0.2, height - bottom + third, right + 0.2, height - top - third)
    )


@pytest.mark.parametrize("path", sorted(SAMPLE.rglob("*.pdf"))[:3], ids=lambda path: path.stem)
def test_what_lies_in_a_box_spells_its_word(path: Path) -> None:
    reading = read_pdf(path.read_bytes())
    boxes = boxes_of(reading)
    document = pdfium.PdfDocument(path)
    placed = 0
    for (start, end, number), corners in zip(boxes.spans.tolist(), boxes.corners, strict=True):
        word = letters(reading.text[start:end])
        assert letters(spelled(document[number - 1], corners)) == word
        page = reading.pages[number - 1]
        assert page.start <= start < end <= page.end
        placed += len(word)
    assert placed == len(letters(reading.text))  # no word is without its box


def test_a_hyphenated_word_has_two_boxes(pdf: Make) -> None:
    reading = read_pdf(pdf([LINES]))
    boxes = boxes_of(reading)
    for word, halves in {
        "investigation was": ["investi", "gation", "was"],
        "well-known smuggler": ["well", "known", "smuggler"],
        "paragraph": ["para", "graph"],
        "well-known auditor": ["well-known", "auditor"],
    }.items():
        at = reading.text.index(word)
        inside = (boxes.spans[:, 0] >= at) & (boxes.spans[:, 1] <= at + len(word))
        assert [reading.text[start:end] for start, end, _ in boxes.spans[inside]] == halves
    first, second = boxes.corners[np.searchsorted(boxes.spans[:, 0], reading.text.index("paragraph")) :][:2]
    assert first[1] < second[1] and first[0] > second[0]  # the second half stands on the next line


@pytest.mark.parametrize(("turn", "crop"), [(0, ""), (90, "/CropBox [40 600 500 800]"), (180, ""), (270, "")])
def test_turned_and_cropped_pages(pdf: Make, turn: int, crop: str) -> None:
    """Ink of the page as it is shown lies in the boxes and nowhere else."""
    box = b"/MediaBox [0 0 595 842]"
    data = pdf([LINES]).replace(box, f"/MediaBox [-20 -10 595 842] {crop} /Rotate {turn}".encode())
    reading = read_pdf(data)
    boxes = boxes_of(reading)
    page = pdfium.PdfDocument(data)[0]
    scale = 3
    ink = page.render(scale=scale, grayscale=True).to_numpy().squeeze() < 128
    outside = ink.copy()
    assert len(boxes.corners) > 30
    width, height = page.get_size()
    for left, top, right, bottom in boxes.corners.tolist():
        rows = slice(max(0, int(top * scale) - 1), max(0, int(bottom * scale) + 2))
        columns = slice(max(0, int(left * scale) - 1), max(0, int(right * scale) + 2))
        if left >= 0 and top >= 0 and right <= width and bottom <= height:
            assert ink[rows, columns].any()
        outside[rows, columns] = False
    assert (
        outside.sum() <= 0.01 * ink.sum() + (4 * scale * scale) * 3
    )  # three hyphens at line ends have no box


# ---------------------------------------------------------------- scans


def scanned(data: bytes, keep: tuple[int, ...] = ()) -> bytes:
    """The document as pictures of its pages; pages in `keep` (from 0) stay text."""
    made = pdfium.PdfDocument.new()
    source = pdfium.PdfDocument(data)
    for index in range(len(source)):
        if index in keep:
            made.import_pages(source, [index])
            continue
        width, height = source[index].get_size()
        page = made.new_page(width, height)
        picture = pdfium.PdfImage.new(made)
        picture.set_bitmap(source[index].render(scale=200 / 72, grayscale=True))
        picture.set_matrix(pdfium.PdfMatrix().scale(width, height))
        page.insert_obj(picture)
        page.gen_content()
    buffer = BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def test_a_scan_without_ocr_says_what_it_needs(pdf: Make) -> None:
    with pytest.raises(DocumentError, match="needs OCR") as caught:
        read_pdf(scanned(pdf([LINES])))
    assert "Tesseract" in caught.value.remedy


def test_a_mixed_document_without_ocr_names_the_pages(pdf: Make) -> None:
    reading = read_pdf(scanned(pdf([LINES, ["Second."], ["Third."], ["Fourth page."]]), keep=(1,)))
    assert reading.text == "Second." and reading.metadata == (("needs_ocr", "1, 3-4"),)
    assert [page.number for page in reading.pages] == [1, 2, 3, 4]


def stamped(data: bytes, words: str) -> bytes:
    """The document with words that were put upon each of its pages later."""
    document = pdfium.PdfDocument(data)
    font = pdfium_c.FPDFText_LoadStandardFont(document.raw, b"Helvetica")
    for page in document:
        text = pdfium_c.FPDFPageObj_CreateTextObj(document.raw, font, 9)
        coded = (words + "\0").encode("utf-16-le")
        pdfium_c.FPDFText_SetText(text, ctypes.cast(coded, ctypes.POINTER(ctypes.c_ushort)))
        pdfium_c.FPDFPageObj_Transform(text, 1, 0, 0, 1, 60, 20)
        pdfium_c.FPDFPage_InsertObject(page.raw, text)
        page.gen_content()
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_a_scan_with_a_stamp_is_a_scan(pdf: Make) -> None:
    reading = read_pdf(stamped(scanned(pdf([LINES])), "Copy 4471"))
    assert reading.text == "Copy 4471" and reading.metadata == (("needs_ocr", "1"),)
    assert [(notice.kind, notice.count) for notice in reading.notices] == [(NoticeKind.PICTURE, 1)]
    reading = read_pdf(stamped(pdf([LINES]), "Copy 4471"))
    assert not reading.notices and not reading.metadata


@WITH_OCR
def test_a_scan_is_read(pdf: Make) -> None:
    beats: list[int] = []
    data = scanned(pdf([LINES, ["A second page of words."]]), keep=(1,))
    reading = read_pdf(data, Recogniser(ReadingConfig(), lambda: beats.append(1)))
    assert reading.text == read_pdf(pdf([LINES, ["A second page of words."]])).text
    assert reading.metadata == (("ocr", "1"),) and beats == [1]
    boxes = boxes_of(reading)
    own = boxes_of(read_pdf(pdf([LINES, ["A second page of words."]])))
    by_start = {int(span[0]): corners for span, corners in zip(own.spans, own.corners, strict=True)}
    near = [
        np.abs(corners - by_start[int(span[0])]).max() < 6  # its hyphen is within the box of a word
        for span, corners in zip(boxes.spans, boxes.corners, strict=True)
        if int(span[0]) in by_start
    ]
    assert len(near) > 0.9 * len(own.spans) and all(near)


@WITH_OCR
def test_a_page_beyond_its_time_is_not_read(pdf: Make) -> None:
    with pytest.raises(DocumentError, match="pictures of pages"):
        read_pdf(scanned(pdf([LINES])), Recogniser(ReadingConfig(max_seconds=0)))


@WITH_OCR
def test_a_language_that_is_not_there(pdf: Make) -> None:
    with pytest.raises(DocumentError, match="language 'xyz'") as caught:
        read_pdf(scanned(pdf([LINES])), Recogniser(ReadingConfig(ocr_language="xyz")))
    assert "xyz.traineddata" in caught.value.raw  # what Tesseract said
    with pytest.raises(DocumentError, match="language"):
        read_pdf(scanned(pdf([LINES])), Recogniser(ReadingConfig(ocr_language="--help")))


@pytest.mark.long
@WITH_OCR
def test_a_scan_is_read_in_the_reading_process(pdf: Make, tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(scanned(pdf([["A page of words that were scanned."], ["And another page."]])))
    with ReadingProcess() as process:
        document = process.parts(path)[0].document
        assert document is not None and document.boxes is not None
        assert document.text == "A page of words that were scanned.\n\nAnd another page."
        assert document.metadata == (("ocr", "1-2"),)
        assert process.version == DocumentLoader().version
