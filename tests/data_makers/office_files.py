"""PDF, Word, Excel and PowerPoint files, written by hand so that no writing library is needed."""

from __future__ import annotations

import io
import zipfile

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{title}</dc:title>'
    '<dc:creator>Ida Holm</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">2021-05-04T00:00:00Z'
    "</dcterms:created></cp:coreProperties>"
)


def zipped(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def content_types(main: str, kind: str) -> str:
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/>'
        "</Types>"
    )


def root_links(main: str) -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{LINKS}/officeDocument" Target="{main}"/>'
        '<Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/'
        'core-properties" Target="docProps/core.xml"/></Relationships>'
    )


def make_pdf(pages: list[list[str]], title: str = "", date: str = "D:20210504100000Z") -> bytes:
    """A PDF with one line of Helvetica text under the other; a page without lines is blank."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for index, lines in enumerate(pages):
        shown = b" T* ".join(
            b"("
            + line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
            + b") Tj"
            for line in lines
        )
        stream = b"BT /F1 11 Tf 14 TL 60 780 Td " + shown + b" ET"
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            + f"/Contents {5 + 2 * index} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects.append(f"<< /Title ({title}) /Author (Ida Holm) /CreationDate ({date}) >>".encode("cp1252"))
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        size,
        size - 1,
        len(body),
    )
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def make_docx(body: str, title: str = "Loan contract") -> bytes:
    """`body` is WordprocessingML."""
    return zipped(
        {
            "[Content_Types].xml": content_types("word/document.xml", "wordprocessingml.document"),
            "_rels/.rels": root_links("word/document.xml"),
            "docProps/core.xml": CORE.format(title=title),
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        }
    )


def make_xlsx(sheets: dict[str, list[list[str | int]]]) -> bytes:
    listed, links, parts = "", "", {}
    for number, (name, rows) in enumerate(sheets.items(), 1):
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        links += (
            f'<Relationship Id="r{number}" Type="{LINKS}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        )
        xml = ""
        for row, cells in enumerate(rows, 1):
            xml += f'<row r="{row}">'
            for column, cell in enumerate(cells):
                place = f"{chr(65 + column)}{row}"
                xml += (
                    f'<c r="{place}"><v>{cell}</v></c>'
                    if isinstance(cell, int)
                    else f'<c r="{place}" t="inlineStr"><is><t>{cell}</t></is></c>'
                )
            xml += "</row>"
        parts[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{SHEET}"><sheetData>{xml}</sheetData></worksheet>'
        )
    return zipped(
        {
            "[Content_Types].xml": content_types("xl/workbook.xml", "spreadsheetml.sheet"),
            "_rels/.rels": root_links("xl/workbook.xml"),
            "docProps/core.xml": CORE.format(title=""),
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{LINKS}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
            **parts,
        }
    )


def make_pptx(slides: list[tuple[str, str, str]]) -> bytes:
    """Slides as (title, text, speaker's notes); the parts are numbered against the order of showing."""
    parts: dict[str, str] = {}
    listed, links = "", ""
    count = len(slides)
    for index, (title, text, notes) in enumerate(slides):
        part = count - index
        listed += f'<p:sldId id="{256 + index}" r:id="r{index}"/>'
        links += f'<Relationship Id="r{index}" Type="{LINKS}/slide" Target="slides/slide{part}.xml"/>'
        parts[f"ppt/slides/slide{part}.xml"] = slide_xml("sld", [("title", title), ("body", text)])
        if notes:
            parts[f"ppt/notesSlides/notes{part}.xml"] = slide_xml("notes", [("sldNum", "7"), ("body", notes)])
            parts[f"ppt/slides/_rels/slide{part}.xml.rels"] = (
                f'<Relationships xmlns="{PACKAGE}"><Relationship Id="n" Type="{LINKS}/notesSlide" '
                f'Target="../notesSlides/notes{part}.xml"/></Relationships>'
            )
    return zipped(
        {
            "[Content_Types].xml": content_types("ppt/presentation.xml", "presentationml.presentation"),
            "_rels/.rels": root_links("ppt/presentation.xml"),
            "docProps/core.xml": CORE.format(title="PowerPoint Presentation"),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{LINKS}"><p:sldIdLst>{listed}'
            "</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
            **parts,
        }
    )


def slide_xml(root: str, shapes: list[tuple[str, str]]) -> str:
    xml = ""
    for kind, text in shapes:
        paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
        xml += (
            f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
            f"<p:txBody>{paragraphs}</p:txBody></p:sp>"
        )
    return f'<p:{root} xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:cSld><p:spTree>{xml}</p:spTree></p:cSld></p:{root}>'
