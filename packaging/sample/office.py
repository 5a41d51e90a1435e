"""Sample DOCX, XLSX and PPTX files (python-docx, openpyxl, python-pptx)."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt, RGBColor
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from pptx import Presentation
from pptx.util import Inches
from pptx.util import Pt as SlidePt
from source import Block, Source

DEEP = "1F4E5F"


def _stamp(properties: object, source: Source) -> None:
    moment = datetime(source.date.year, source.date.month, source.date.day, 12)
    for name, value in (
        ("title", source.title),
        ("author", source.author),
        ("last_modified_by", source.author),
        ("created", moment),
        ("modified", moment),
    ):
        setattr(properties, name, value)


def _word_table(document: object, block: Block) -> None:
    rows = block.rows
    table = document.add_table(rows=0, cols=len(rows[0]), style="Light Grid Accent 1")
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_paragraph()


def write_docx(source: Source, path: Path) -> None:
    """Write a letter or minutes in Word's format."""
    document = Document()
    document.styles["Normal"].font.name = "Georgia"
    document.styles["Normal"].font.size = Pt(11)
    _stamp(document.core_properties, source)
    for number, line in enumerate(source.letterhead):
        paragraph = document.add_paragraph()
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        paragraph.paragraph_format.space_after = Pt(0)
        run = paragraph.add_run(line)
        run.bold = number == 0
        run.font.color.rgb = RGBColor.from_string(DEEP)
    for block in source.blocks:
        if block.kind == "table":
            _word_table(document, block)
        elif block.kind in ("title", "heading"):
            document.add_heading(block.lines[0], level=1 if block.kind == "title" else 2)
        elif block.kind == "bullets":
            for line in block.lines:
                document.add_paragraph(line, style="List Bullet")
        else:
            document.add_paragraph("\n".join(block.lines))
    document.save(str(path))


def _value(text: str) -> str | int | float | date:
    for parse in (int, float, date.fromisoformat):
        try:
            return parse(text)
        except ValueError:
            continue
    return text


def write_xlsx(source: Source, path: Path) -> None:
    """Write a workbook; every `# ` of the source is a sheet. Numbers and dates become real ones."""
    book = Workbook()
    book.remove(book.active)
    _stamp(book.properties, source)
    book.properties.creator = source.author
    for name, blocks in source.parts("title"):
        sheet = book.create_sheet(name[:31])
        rows = blocks[0].rows
        for row in rows:
            sheet.append([_value(cell) for cell in row])
        for cell in sheet[1]:
            cell.font = Font(bold=True, color="FFFFFF")
            cell.fill = PatternFill("solid", fgColor=DEEP)
        for column in sheet.columns:
            width = max(len(str(cell.value)) for cell in column)
            sheet.column_dimensions[column[0].column_letter].width = min(width + 2, 60)
            for cell in column[1:]:
                if isinstance(cell.value, date):
                    cell.number_format = "yyyy-mm-dd"
                elif isinstance(cell.value, float):
                    cell.number_format = "#,##0.00"
        sheet.freeze_panes = "A2"
    book.save(path)


def _slide_table(slide: object, block: Block) -> None:
    rows = block.rows
    shape = slide.shapes.add_table(
        len(rows), len(rows[0]), Inches(0.7), Inches(1.7), Inches(11.9), Inches(0.5 * len(rows))
    )
    for line, row in enumerate(rows):
        for column, text in enumerate(row):
            shape.table.cell(line, column).text = text


def write_pptx(source: Source, path: Path) -> None:
    """Write a presentation; every `# ` of the source is a slide, `! ` lines are its notes."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    _stamp(deck.core_properties, source)
    for number, (title, blocks) in enumerate(source.parts("title")):
        has_table = any(block.kind == "table" for block in blocks)
        slide = deck.slides.add_slide(deck.slide_layouts[5 if has_table else 1])
        slide.shapes.title.left, slide.shapes.title.top = Inches(0.7), Inches(0.4)
        slide.shapes.title.width, slide.shapes.title.height = Inches(11.9), Inches(1.1)
        slide.shapes.title.text = title
        slide.shapes.title.text_frame.paragraphs[0].font.size = SlidePt(40 if number == 0 else 32)
        for block in blocks:
            if block.kind == "table":
                _slide_table(slide, block)
            elif block.kind == "notes":
                slide.notes_slide.notes_text_frame.text = " ".join(block.lines)
            else:
                body = slide.placeholders[1]
                body.left, body.top = Inches(0.7), Inches(1.7)
                body.width, body.height = Inches(11.9), Inches(5)
                body.text = "\n".join(block.lines)
    deck.save(str(path))
