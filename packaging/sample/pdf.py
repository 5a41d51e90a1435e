"""Sample PDFs: letters, contracts, reports and invoices with a real text layer (reportlab)."""

from __future__ import annotations

import calendar
import os
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle
from source import Block, Source

FONTS = {  # look -> body and bold face; all of them are built into every reader
    "letter": ("Times-Roman", "Times-Bold"),
    "contract": ("Times-Roman", "Times-Bold"),
    "report": ("Helvetica", "Helvetica-Bold"),
    "invoice": ("Helvetica", "Helvetica-Bold"),
}
INK = {
    "letter": colors.HexColor("#27364a"),
    "contract": colors.black,
    "report": colors.HexColor("#1f4e5f"),
    "invoice": colors.HexColor("#7a3b12"),
}
EDGE = 30 * mm  # from the paper's edge to the text
WIDTH = A4[0] - 2 * EDGE
PADDING = 6  # points that a frame keeps free by itself


class NumberedTemplate(SimpleDocTemplate):
    """Draws the page number after the page's text, so that readers also meet it last."""

    def afterPage(self) -> None:  # the name that reportlab calls
        self.canv.setFillColor(colors.grey)
        self.canv.setFont("Helvetica", 8)
        self.canv.drawRightString(A4[0] - EDGE, 14 * mm, str(self.canv.getPageNumber()))


def _styles(look: str) -> dict[str, ParagraphStyle]:
    face, bold = FONTS[look]
    body = ParagraphStyle("body", fontName=face, fontSize=12, leading=17.5, spaceAfter=9)
    if look == "contract":
        body.alignment = TA_JUSTIFY
    title = ParagraphStyle(
        "title", fontName=bold, fontSize=17, leading=22, spaceAfter=14, textColor=INK[look]
    )
    if look == "contract":
        title.alignment = TA_CENTER
    return {
        "paragraph": body,
        "title": title,
        "heading": ParagraphStyle(
            "heading", fontName=bold, fontSize=13, leading=17, spaceBefore=10, spaceAfter=6
        ),
        "lines": ParagraphStyle("lines", parent=body, alignment=0, spaceAfter=9),
        "bullets": ParagraphStyle("bullets", parent=body, leftIndent=12, bulletIndent=2, spaceAfter=3),
        "cell": ParagraphStyle("cell", fontName=face, fontSize=10.5, leading=14),
        "head": ParagraphStyle("head", fontName=bold, fontSize=10.5, leading=14),
    }


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _table(block: Block, styles: dict[str, ParagraphStyle], look: str) -> Table:
    rows = [
        [Paragraph(_escape(cell), styles["head" if number == 0 else "cell"]) for cell in row]
        for number, row in enumerate(block.rows)
    ]
    columns = len(rows[0])
    table = Table(rows, colWidths=[WIDTH / columns] * columns, hAlign="LEFT", spaceAfter=9)
    rules = [
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, INK[look]),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, colors.grey),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 2),
    ]
    table.setStyle(TableStyle(rules))
    return table


def _flow(source: Source) -> list[object]:
    styles = _styles(source.look)
    story: list[object] = []
    for block in source.blocks:
        if block.kind == "break":
            story.append(PageBreak())
        elif block.kind == "table":
            story += [_table(block, styles, source.look), Spacer(1, 4)]
        elif block.kind == "bullets":
            story += [Paragraph(_escape(line), styles["bullets"], bulletText="•") for line in block.lines]
        else:
            text = "<br/>".join(_escape(line) for line in block.lines)
            story.append(Paragraph(text, styles[block.kind]))
    return story


def write_pdf(source: Source, path: Path) -> None:
    """Write an A4 PDF; title, author and date go into its metadata. Same source, same bytes."""
    # reportlab takes the dates of the file from here; noon UTC is the same day nearly everywhere.
    os.environ["SOURCE_DATE_EPOCH"] = str(calendar.timegm(source.date.timetuple()) + 12 * 3600)
    face, bold = FONTS[source.look]

    def head(canvas: Canvas, _: SimpleDocTemplate) -> None:
        canvas.setFillColor(INK[source.look])
        canvas.setFont(bold, 13)
        canvas.drawString(EDGE, A4[1] - 20 * mm, source.letterhead[0])
        canvas.setFont(face, 8.5)
        canvas.drawString(EDGE, A4[1] - 25 * mm, " | ".join(source.letterhead[1:]))
        canvas.setStrokeColor(INK[source.look])
        canvas.line(EDGE, A4[1] - 28 * mm, A4[0] - EDGE, A4[1] - 28 * mm)

    template = NumberedTemplate(
        str(path),
        pagesize=A4,
        invariant=1,
        title=source.title,
        author=source.author,
        subject="Clew sample: an invented case",
        creator="Clew sample",
        leftMargin=EDGE - PADDING,
        rightMargin=EDGE - PADDING,
        topMargin=36 * mm,
        bottomMargin=22 * mm,
    )
    template.build(_flow(source), onFirstPage=head)
