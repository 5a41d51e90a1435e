"""Every reader that knows what a part of a document is says so, at the right place."""

from __future__ import annotations

from html import escape
from pathlib import Path

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from core.ingest.loaders import DocumentLoader
from core.ingest.pdf import read_pdf
from core.ingest.plain_text import read_plain
from core.ingest.slides import read_slides
from core.types import BlockKind, LoadedDocument
from tests.core.ingest.test_pdf_layout import drawn
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


Line = tuple[str, str, int]  # words, font, size


def page_headings(lines: list[Line], outline: dict[str, int]) -> list[tuple[int, str]]:
    """Level and words of the headings of a page of these lines, whose bookmarks are `outline` with their levels."""

    def draw(canvas: Canvas) -> None:
        for title, level in outline.items():
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level)
        y = 800
        for words, font, size in lines:
            canvas.setFont(font, size)
            canvas.drawString(60, y := y - 2 * size, words)

    reading = read_pdf(drawn(draw))
    return [(b.level, reading.text[b.start : b.end]) for b in reading.blocks if b.kind is BlockKind.HEADING]


def test_headings_of_a_pdf_are_those_of_its_outline_or_stand_out() -> None:
    plain, bold = "Vera", "VeraBd"  # they come with reportlab
    for font in (plain, bold):
        pdfmetrics.registerFont(TTFont(font, f"{font}.ttf"))
    body: Line = (BODY, plain, 10)
    lines: list[Line] = [
        ("The voyage", plain, 20), body, ("Wages of the crew", plain, 14), body, body,
        ("2.1 The salt", plain, 14), body, ("Of May", plain, 10), body,
    ]  # fmt: skip
    by_size = [(1, "The voyage"), (2, "Wages of the crew"), (2, "2.1 The salt")]
    assert page_headings(lines, {}) == by_size
    outline = {"Voyage, the": 0, "The voyage": 0, "The salt": 1, "Of May": 2}
    assert page_headings(lines, outline) == [(1, "The voyage"), (2, "2.1 The salt"), (3, "Of May")]
    assert page_headings(lines, {"Voyage, the": 0}) == by_size
    weights: list[Line] = [("The voyage", plain, 20), ("Schedule of wages", bold, 10), body, body]
    weights += [("Nobody was paid.", bold, 10), ("and no salt", bold, 10), ("Owner:", bold, 10), *[body] * 4]
    assert page_headings(weights, {}) == [(1, "The voyage"), (2, "Schedule of wages")]
    assert page_headings([("Big", plain, 30), ("Larger", plain, 20), ("Small", plain, 10)], {}) == []
