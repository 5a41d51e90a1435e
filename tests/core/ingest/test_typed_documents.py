"""Every reader that knows what a part of a document is says so, at the right place."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from core.ingest.layout import paged_text
from core.ingest.loaders import DocumentLoader
from core.ingest.pdf_headings import Bookmark, marked_pages
from core.ingest.plain_text import read_plain
from core.ingest.slides import read_slides
from core.ingest.word_boxes import WordsOfPage
from core.types import BlockKind, LoadedDocument
from tests.data_makers import office_files, round_trip_files

BODY = "The crew of nine was paid in salt, and the owner in coin."


def headings(text: str) -> list[tuple[int, str]]:
    reading = read_plain(text)
    return [(b.level, reading.text[b.start : b.end]) for b in reading.blocks if b.kind is BlockKind.HEADING]


def kinds(document: LoadedDocument) -> list[tuple[BlockKind, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_plain_text_has_the_headings_that_surely_are_some() -> None:
    text = f"The voyage\n==========\n\n{BODY}\n\nWages\n-----\n{BODY}\n\n"
    text += f"CHAPTER XII\n\n{BODY}\n\n3.2.1 The salt\n\n{BODY}"
    assert headings(text) == [(1, "The voyage"), (2, "Wages"), (2, "CHAPTER XII"), (3, "3.2.1 The salt")]
    assert headings(f"BOOK ONE: 1805\n\nKapitel 3 – Der Markt\n\n{BODY}") == [
        (1, "BOOK ONE: 1805"),
        (2, "Kapitel 3 – Der Markt"),
    ]
    assert "===" not in read_plain(text).text


def test_what_only_resembles_a_heading_is_none() -> None:
    for text in (
        f"Chapter 4 tells of the salt that the crew of nine carried.\n\n{BODY}",
        "CHAPTER I\nCHAPTER II\nCHAPTER III",  # a list of contents
        f"1.2 litres of oil were lost.\n\n{BODY}",
        f"{BODY}\n----\n{BODY}",
        "12.5.2021\n\nDear Ida,",
        f"Ida\n\n{BODY}",
    ):
        assert headings(text) == []


def load(folder: Path, name: str, data: bytes) -> LoadedDocument:
    (folder / name).write_bytes(data)
    return DocumentLoader().load(folder / name)


def test_word_says_which_level_a_heading_has(tmp_path: Path) -> None:
    found = kinds(load(tmp_path, "a.docx", round_trip_files.docx("The salt")))
    assert found == [
        (BlockKind.HEADING, "The salt"),
        (BlockKind.TABLE, "The salt; 7."),
        (BlockKind.NOTE, "[1] The salt"),
    ]
    assert load(tmp_path, "a.odt", round_trip_files.odt("x y")).blocks[0].level == 1
    assert load(tmp_path, "a.rtf", round_trip_files.rtf("x y")).blocks[0].level == 1


def test_a_book_keeps_its_quotations_captions_and_notes(tmp_path: Path) -> None:
    page = (
        f"<h2>The salt</h2><blockquote><p>{BODY}</p></blockquote><figure><figcaption>A ship</figcaption></figure>"
        "<aside epub:type='footnote'><p>In May.</p></aside>"
    )
    members = office_files.zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="in/c.opf"/></rootfiles></container>',
            "in/c.opf": '<package><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The book</dc:title>'
            '<dc:creator>Ida</dc:creator></metadata><manifest><item id="a" href="b%20c.xhtml"/></manifest>'
            '<spine><itemref idref="a"/><itemref idref="gone"/></spine></package>',
            "in/b c.xhtml": f"<html><head><title>x</title></head><body>{page}</body></html>",
        }
    )
    document = load(tmp_path, "a.epub", members)
    assert kinds(document) == [
        (BlockKind.HEADING, "The salt"),
        (BlockKind.QUOTATION, BODY),
        (BlockKind.CAPTION, "A ship"),
        (BlockKind.NOTE, "In May."),
    ]
    assert (document.title, document.author) == ("The book", "Ida")
    assert load(tmp_path, "b.epub", round_trip_files.epub("body")).text.startswith("body")


def test_slides_have_titles_and_notes() -> None:
    reading = read_slides(office_files.make_pptx([(escape("A & B"), "text", "said"), ("", "alone", "")]))
    found = [(b.kind, b.level, reading.text[b.start : b.end]) for b in reading.blocks]
    assert found == [(BlockKind.HEADING, 2, "A & B"), (BlockKind.NOTE, 0, "Notes: said")]
    assert [reading.text[page.start : page.end] for page in reading.pages] == [
        "A & B\n\ntext\n\nNotes: said",
        "alone",
    ]


def page_of(number: int, *lines: tuple[str, int] | tuple[str, int, int]) -> WordsOfPage:
    """A page of one line under the other, each with its height in points and its weight. A tab is wide."""
    text, spans, corners, weights = "", [], [], []
    for at, (line, height, *weight) in enumerate(lines):
        left = 0
        for word in line.split("\t"):
            spans.append((len(text), len(text) + len(word)))
            corners.append((left, 20 * at, left + 9, 20 * at + height))
            weights += weight or [400]
            left += 99
            text += f"{word} "
        text += "\r\n"
    boxes = np.array(corners, dtype=np.float32).reshape(-1, 4)
    return WordsOfPage(number, text, spans, boxes, np.array(weights, dtype=np.int32))


def pdf_headings(
    pages: list[WordsOfPage], outline: list[Bookmark], scanned: set[int]
) -> list[tuple[int, str]]:
    text, placed, blocks = paged_text(marked_pages(pages, outline, scanned))
    assert "\ue001" not in text and placed[-1].end == len(text)
    return [(block.level, text[block.start : block.end]) for block in blocks]


def test_a_pdf_has_headings_by_its_outline_or_by_the_size_of_letters() -> None:
    pages = [
        page_of(
            1, ("The voyage", 20), (BODY, 10), ("Wages of", 14), ("the crew", 14), (BODY, 10), (BODY, 10)
        ),
        page_of(
            2, ("2", 10), ("2.1 The salt", 14), (BODY, 10), (BODY + "\ue003", 10), ("Of May", 10), (BODY, 10)
        ),
    ]
    by_size = [(1, "The voyage"), (2, "Wages of the crew"), (2, "2.1 The salt")]
    assert pdf_headings(pages, [], set()) == by_size
    outline = [
        Bookmark(1, "Voyage, the", 1),
        Bookmark(1, "The voyage", 1),
        Bookmark(2, "The salt", 2),
        Bookmark(3, "Of May", 2),
    ]
    assert pdf_headings(pages, outline, set()) == [(1, "The voyage"), (2, "2.1 The salt"), (3, "Of May")]
    assert pdf_headings(pages, outline[:1], set()) == by_size
    assert pdf_headings(pages, [], {1, 2}) == []
    assert pdf_headings([page_of(1, ("Big", 30), ("Larger", 20), ("Small", 10))], [], set()) == []


def test_a_bold_line_of_a_pdf_is_a_heading_and_a_bold_row_sentence_or_label_is_none() -> None:
    rows = [("Schedule of wages", 10, 700), (BODY, 10), ("Ship\tWage", 10, 700), (BODY, 10), (BODY, 10)]
    rows += [
        ("Nobody was paid.", 10, 700),
        ("and no salt", 10, 700),
        ("Owner:", 10, 700),
        (BODY, 10),
        (BODY, 10),
    ]
    assert pdf_headings([page_of(1, ("The voyage", 20), *rows)], [], set()) == [
        (1, "The voyage"),
        (2, "Schedule of wages"),
    ]
    assert pdf_headings([page_of(1, *[(line, 10, 700) for line, *_ in rows])], [], set()) == []


def test_heads_and_feet_of_several_lines_are_left_out() -> None:
    pages = [
        (number, f"Harbour office\nConfidential\n{words} {BODY}\nFile 12\nPage {number} of 4")
        for number, words in enumerate(("First", "Then", "Later", "Last"), 1)
    ]
    text, placed, _ = paged_text(pages)
    # What all pages share stands on the first one, so that it is found.
    assert [text[page.start : page.end] for page in placed] == [
        f"Harbour office\nConfidential\n\nFirst {BODY}\n\nFile 12",
        *(f"{words} {BODY}" for words in ("Then", "Later", "Last")),
    ]
