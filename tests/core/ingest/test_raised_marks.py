"""Raised marks of notes, powers and ordinals are told from the words that they stand at, in every format."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from docx import Document
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas

from core.ingest.equations import raised
from core.ingest.markdown import read_markdown
from core.ingest.markup import read_html
from core.ingest.opendocument import read_text
from core.ingest.pdf import read_pdf
from core.ingest.reading import Reading
from core.ingest.rich_text import read_rtf
from core.ingest.slides import read_slides
from core.ingest.word import read_word
from core.ingest.workbooks import read_xlsx
from tests.core.ingest.test_pdf_layout import drawn
from tests.data_makers.round_trip_files import odf


@pytest.mark.parametrize(("before", "mark", "after", "written"), [
    ("for 60", "7", " crowns", "60[7]"),
    ("Brandt", "b", ".", "Brandt[b]"),
    ("a field of 12 m", "2", "", "m²"),
    ("5 × 10", "-3", "", "10⁻³"),
    ("the 3", "rd", "", "3rd"),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["rule", "pdf", "html", "docx", "pptx", "odt", "rtf", "xlsx"])
def test_raised_marks_are_marks(kind: str, before: str, mark: str, after: str, written: str) -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(60, 700)
        for piece, size, rise in ((before, 12, 0), (mark, 7, 5), (after, 12, 0)):
            text.setFont("Helvetica", size)
            text.setRise(rise)
            text.textOut(piece)
        canvas.drawText(text)

    if kind == "rule":
        found = before + raised(before, mark, after)
    elif kind == "pdf":
        found = read_pdf(drawn(draw)).text if "×" not in before else before + raised(before, mark)
    elif kind == "html":
        found = read_html(f"<p>{before}<sup>{mark}</sup>{after}</p>").text
    else:
        found = RAISED[kind](before, mark, after).text
    assert written in found


def _docx(before: str, mark: str, after: str) -> Reading:
    document = Document()
    paragraph = document.add_paragraph(before)
    paragraph.add_run(mark).font.superscript = True
    paragraph.add_run(after)
    data = BytesIO()
    document.save(data)
    return read_word(data.getvalue())


def _pptx(before: str, mark: str, after: str) -> Reading:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, 90_000, 90_000).text_frame.paragraphs[0]
    for text in (before, mark, after):
        run = paragraph.add_run()
        run.text = text
        if text is mark:
            run.font._element.set("baseline", "30000")
    data = BytesIO()
    presentation.save(data)
    return read_slides(data.getvalue())


def _odt(before: str, mark: str, after: str) -> Reading:
    style = (
        '<style:style style:name="T7"><style:text-properties style:text-position="super 58%"/></style:style>'
    )
    words = f'{before}<text:span text:style-name="T7">{mark}</text:span>{after}'
    return read_text(odf("text", f"{style}<office:text><text:p>{words}</text:p></office:text>"))


def _rtf(before: str, mark: str, after: str) -> Reading:
    coded = "".join(c if c.isascii() else f"\\u{ord(c)}?" for c in before)
    return read_rtf(f"{{\\rtf1\\ansi {coded}{{\\super {mark}}}{after}\\par}}".encode())


def _xlsx(before: str, mark: str, after: str) -> Reading:
    book = Workbook()
    raised_font = InlineFont(vertAlign="superscript")
    book.active["A1"] = CellRichText(f"{before}", TextBlock(raised_font, mark), after or ".")
    data = BytesIO()
    book.save(data)
    return read_xlsx(data.getvalue())


RAISED: dict[str, Callable[[str, str, str], Reading]] = {
    "docx": _docx, "pptx": _pptx, "odt": _odt, "rtf": _rtf, "xlsx": _xlsx,
}  # fmt: skip


@pytest.mark.parametrize(("source", "text"), [
    ("Karl<sup>3</sup> had 55<sup>4</sup> men.", "Karl[3] had 55[4] men."),
    ("It has 30 m<sup>2</sup> on the 2<sup>nd</sup> floor.", "It has 30 m² on the 2nd floor."),
    ("A <sup>mark that never ends 55", "A mark that never ends 55"),
    ("H<sub>2</sub>O and 10<SUP>6</SUP> jars", "H2O and 10⁶ jars"),
])  # fmt: skip
def test_raised_marks_of_markdown(source: str, text: str) -> None:
    assert read_markdown(source + "\n").text == text
