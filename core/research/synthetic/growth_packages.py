"""Office, OpenDocument, EPUB, RTF and PDF files whose parts may take more than linear time to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.research.synthetic.malicious_files import OFFICE, PACKAGE, WORD, docx, pdf, stream, zipped

Make = Callable[[int], bytes]  # by about how many characters of content

SCHEMAS = "http://schemas.openxmlformats.org/"
SPREADSHEET = f"{SCHEMAS}spreadsheetml/2006/main"
SLIDES = f"{SCHEMAS}presentationml/2006/main"
DRAWING = f"{SCHEMAS}drawingml/2006/main"
OPEN = "urn:oasis:names:tc:opendocument:xmlns:"


def repeat(unit: str, before: str = "", after: str = "") -> Make:
    """Repeat `unit`; `{n}` in it counts up."""
    counted = "{n}" in unit

    def make(size: int) -> bytes:
        times = max(1, size // len(unit))
        if not counted:
            return (before + unit * times + after).encode()
        return (before + "".join(unit.replace("{n}", str(n)) for n in range(times)) + after).encode()

    return make


def nest(opening: str, closing: str, before: str = "", within: str = "words") -> Make:
    def make(size: int) -> bytes:
        times = max(1, size // (len(opening) + len(closing)))
        return (before + opening * times + within + closing * times).encode()

    return make


# ---------------------------------------------------------------- office


def _word(content: str) -> bytes:
    return docx(f'<w:document xmlns:w="{WORD}"><w:body>{content}</w:body></w:document>'.encode())


def _word_of(unit: str, before: str = "", after: str = "") -> Make:
    return lambda size: _word(repeat(unit, before, after)(size).decode())


def _word_tables(size: int) -> bytes:
    """Return tables nested as deep as the reader goes, repeated."""
    depth = 20
    table = "<w:tbl><w:tr><w:tc>" * depth + "<w:p/>" + "<w:p/></w:tc></w:tr></w:tbl>" * depth
    return _word(table * max(1, size // len(table)))


def _parts_of_word(content: str, **more: str) -> bytes:
    """Return a document with other parts of a kind: styles, numbering, footnotes."""
    name = f'xmlns:w="{WORD}"'
    return docx(
        f"<w:document {name}><w:body>{content}</w:body></w:document>".encode(),
        {
            "word/_rels/document.xml.rels": (
                f'<Relationships xmlns="{PACKAGE}relationships">'
                + "".join(
                    f'<Relationship Id="{kind}" Type="{OFFICE}/{kind}" Target="{kind}.xml"/>' for kind in more
                )
                + "</Relationships>"
            ).encode(),
            **{
                f"word/{kind}.xml": f"<w:{kind} {name}>{inner}</w:{kind}>".encode()
                for kind, inner in more.items()
            },
        },
    )


def _with_notes(size: int, kind: str) -> bytes:
    """Return a paragraph for each footnote or comment."""
    times = range(2, 2 + size // 200)
    reference = f"{kind}Reference"
    content = "".join(
        f'<w:p><w:r><w:t>Gull {n}</w:t></w:r><w:r><w:{reference} w:id="{n}"/></w:r></w:p>' for n in times
    )
    notes = "".join(
        f'<w:{kind} w:id="{n}" w:author="Ida {n}"><w:p><w:r><w:t>Sold {n}</w:t></w:r></w:p></w:{kind}>'
        for n in times
    )
    return _parts_of_word(content, **{f"{kind}s": notes})


def _numbered_word(size: int) -> bytes:
    paragraph = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="{n}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        "<w:r><w:t>Gull</w:t></w:r></w:p>"
    )
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%{n + 1}."/></w:lvl>'
        for n in range(9)
    )
    return _parts_of_word(
        "".join(paragraph.replace("{n}", str(n % 9)) for n in range(size // len(paragraph))),
        numbering=f'<w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>',
    )


def _workbook(rows: str, after: str = "") -> bytes:
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml."
    return zipped(
        {
            "[Content_Types].xml": (
                f'<Types xmlns="{PACKAGE}content-types"><Default Extension="rels" '
                f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                f'<Override PartName="/xl/workbook.xml" ContentType="{types}sheet.main+xml"/>'
                f'<Override PartName="/xl/s.xml" ContentType="{types}worksheet+xml"/></Types>'
            ).encode(),
            "_rels/.rels": _relations("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": (
                f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{OFFICE}"><sheets>'
                f'<sheet name="Ships" sheetId="1" r:id="r0"/></sheets></workbook>'
            ).encode(),
            "xl/_rels/workbook.xml.rels": _relations("worksheet", "s.xml"),
            "xl/s.xml": (
                f'<worksheet xmlns="{SPREADSHEET}"><sheetData>{rows}</sheetData>{after}</worksheet>'
            ).encode(),
        },
        1,
    )


def _relations(kind: str, *targets: str) -> bytes:
    listed = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for n, target in enumerate(targets)
    )
    return f'<Relationships xmlns="{PACKAGE}relationships">{listed}</Relationships>'.encode()


def _cell(place: str, value: str | int, formula: str = "") -> str:
    if isinstance(value, int):
        return f'<c r="{place}">{f"<f>{formula}</f>" if formula else ""}<v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


def _row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def _merged(size: int) -> bytes:
    times = size // 100
    rows = "".join(_row(n, _cell(f"A{n}", f"Port {n}"), _cell(f"C{n}", n)) for n in range(1, times))
    ranges = "".join(f'<mergeCell ref="A{n}:B{n}"/>' for n in range(1, times))
    return _workbook(rows, f"<mergeCells>{ranges}</mergeCells>")


def _small_tables(size: int) -> bytes:
    rows = []
    for n in range(1, size // 250):
        at = 4 * n
        rows += [
            _row(at, _cell(f"A{at}", f"Ship {n}"), _cell(f"B{at}", "Tons")),
            _row(at + 1, _cell(f"A{at + 1}", "Gull"), _cell(f"B{at + 1}", n)),
            _row(at + 2, _cell(f"A{at + 2}", "Tern"), _cell(f"B{at + 2}", n + 1)),
        ]
    return _workbook("".join(rows))


def _formulas(size: int) -> bytes:
    times = size // 60
    rows = (_row(n, _cell(f"A{n}", n), _cell(f"B{n}", n, f"SUM(A1:A{n})")) for n in range(1, times))
    return _workbook("".join(rows))


def _wide_sheet(size: int) -> bytes:
    """Return rows in a staircase, with one cell each, further and further out."""
    rows = (_row(n, _cell(f"{_letters(n % 16_000)}{n}", n)) for n in range(1, size // 45))
    return _workbook("".join(rows))


def _letters(column: int) -> str:
    letters = ""
    while column >= 0:
        letters, column = chr(65 + column % 26) + letters, column // 26 - 1
    return letters


def _slide(shapes: str, times: int = 1) -> bytes:
    listed = '<p:sldId r:id="r0"/>'
    names = f'xmlns:p="{SLIDES}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE}"'
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "_rels/.rels": _relations("officeDocument", "ppt/presentation.xml"),
            "ppt/presentation.xml": (
                f"<p:presentation {names}><p:sldIdLst>{listed * times}</p:sldIdLst></p:presentation>"
            ).encode(),
            "ppt/_rels/presentation.xml.rels": _relations("slide", "slides/a.xml"),
            "ppt/slides/a.xml": (
                f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"
            ).encode(),
        },
        1,
    )


def _shapes(size: int) -> bytes:
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="{n}" name="b"/><p:nvPr/></p:nvSpPr>'
        '<p:txBody><a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'
        "<a:r><a:t>Ship {n}</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    return _slide(repeat(shape)(size).decode())


def _open_text(content: str) -> bytes:
    spaces = " ".join(f'xmlns:{name}="{OPEN}{name}:1.0"' for name in ("office", "text", "table"))
    return zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.text",
            "content.xml": (
                f"<office:document-content {spaces}><office:body><office:text>{content}</office:text>"
                f"</office:body></office:document-content>"
            ).encode(),
        }
    )


def _open_list(size: int) -> bytes:
    item = "<text:list-item><text:p>The Gull {n}</text:p></text:list-item>"
    return _open_text(f"<text:list>{repeat(item)(size).decode()}</text:list>")


def _open_lists(size: int) -> bytes:
    depth = 20
    nested = (
        "<text:list><text:list-item><text:p>Gull</text:p>" * depth + "</text:list-item></text:list>" * depth
    )
    return _open_text(nested * max(1, size // len(nested)))


def _open_tables(size: int) -> bytes:
    cell = "<table:table-cell><text:p>Gull</text:p></table:table-cell>"
    table = f"<table:table><table:table-row>{cell * 2}</table:table-row></table:table>"
    return _open_text(table * max(1, size // len(table)))


def _book(size: int) -> bytes:
    pages = max(1, size // 400)
    page = "<html><body><h2>Port {n}</h2><p>The <i>Gull</i> came <a href='#n{n}'>{n}</a>.</p></body></html>"
    items = "".join(f'<item id="i{n}" href="{n}.xhtml"/>' for n in range(pages))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(pages))
    return zipped(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
            "b.opf": f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>".encode(),
            **{f"{n}.xhtml": page.replace("{n}", str(n)).encode() for n in range(pages)},
        }
    )


# ---------------------------------------------------------------- pages


def _one_page(content: bytes, annotations: Sequence[bytes] = (), form: bool = False) -> bytes:
    kids = b" ".join(b"%d 0 R" % number for number in range(6, 6 + len(annotations)))
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R %s >>"
        % (b"/AcroForm << /Fields [%s] /DA (/Helv 9 Tf 0 g) >>" % kids if form else b""),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Annots [%s] "
        b"/Resources << /Font << /F1 4 0 R >> >> >>" % kids,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        stream(b"", content),
        *annotations,
    )


def _one_place(size: int) -> bytes:
    """Put all words at one place of a page."""
    return _one_page(b"BT /F1 9 Tf " + b"1 0 0 1 60 780 Tm (Gull) Tj " * (size // 29) + b"ET")


def _control(size: int) -> bytes:
    """Return lines with a letter that pdfium counts and does not display."""
    lines = b"".join(
        b"1 0 0 1 20 %d Tm (The \\007Gull %d came) Tj " % (20 + n % 800, n) for n in range(size // 46)
    )
    return _one_page(b"BT /F1 1 Tf " + lines + b"ET")


def _scattered(size: int) -> bytes:
    content = b"".join(
        b"1 0 0 1 %d %d Tm (Gull) Tj " % (20 + n * 37 % 540, 20 + n * 61 % 800) for n in range(size // 30)
    )
    return _one_page(b"BT /F1 4 Tf " + content + b"ET")


def _rules(size: int) -> bytes:
    lines = b"".join(
        b"%d %d m %d %d l S " % (30 + n % 7 * 80, 30 + n % 750, 100 + n % 7 * 80, 30 + n % 750)
        for n in range(size // 24)
    )
    return _one_page(lines + b"BT /F1 9 Tf 60 780 Td (The Gull was sold.) Tj ET")


def _boxes(size: int) -> bytes:
    lines = b"".join(b"%d %d 5 5 re S " % (n * 7 % 500, n * 13 % 800) for n in range(size // 16))
    return _one_page(lines + b"BT /F1 9 Tf 60 780 Td (The Gull was sold.) Tj ET")


def _annotated(size: int) -> bytes:
    notes = [
        b"<< /Type /Annot /Subtype /Text /Rect [%d 9 %d 20] /Contents (Check ship %d.) >>"
        % (n % 500, n % 500 + 9, n)
        for n in range(size // 90)
    ]
    return _one_page(b"BT /F1 9 Tf 60 780 Td (The Gull was sold.) Tj ET", notes)


def _filled(size: int) -> bytes:
    """Return a one-page form with many fields, each with a label."""
    times = size // 150
    places = [(20 + n % 10 * 55, 10 + n // 10 % 390 * 2) for n in range(times)]
    content = b"".join(b"1 0 0 1 %d %d Tm (Ship) Tj " % place for place in places)
    fields = [
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (f%d) /V (Gull %d) /F 4 /P 3 0 R /Rect [%d %d %d %d] >>"
        % (n, n, x + 15, y, x + 50, y + 2)
        for n, (x, y) in enumerate(places)
    ]
    return _one_page(b"BT /F1 2 Tf " + content + b"ET", fields, form=True)


def _grid(size: int) -> bytes:
    """Return a ruled grid with one word in each cell."""
    times = size // 60
    across = b"".join(b"20 %.2f m 575 %.2f l S " % ((20 + 800 * n / times,) * 2) for n in range(times))
    down = b"".join(b"%.2f 20 m %.2f 820 l S " % ((20 + 555 * n / times,) * 2) for n in range(times))
    return _one_page(across + down + b"BT /F1 9 Tf 60 780 Td (The Gull was sold.) Tj ET")


def _many_pages(size: int) -> bytes:
    """Return pages with a running head and a number each."""
    pages = range(max(1, size // 400))
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>"
        % (b" ".join(b"%d 0 R" % (4 + 2 * n) for n in pages), len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(
            part
            for n in pages
            for part in (
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * n),
                stream(
                    b"",
                    b"BT /F1 9 Tf 60 800 Td (Register of ships) Tj 0 -40 Td (The Gull %d came.) Tj 0 -700 Td (%d) Tj ET"
                    % (n, n),
                ),
            )
        ),
    )


PACKAGES: dict[str, Make] = {
    # office
    "runs.docx": _word_of("<w:r><w:t>Gull {n} </w:t></w:r>", "<w:p>", "</w:p>"),
    "paragraphs.docx": _word_of("<w:p><w:r><w:t>The Gull {n} came.</w:t></w:r></w:p>"),
    "tables.docx": _word_tables,
    "grid.docx": _word_of(
        "<w:tr><w:tc><w:p><w:r><w:t>Gull</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>{n}</w:t></w:r></w:p></w:tc></w:tr>",
        "<w:tbl>",
        "</w:tbl>",
    ),
    "numbers.docx": _numbered_word,
    "footnotes.docx": lambda size: _with_notes(size, "footnote"),
    "comments.docx": lambda size: _with_notes(size, "comment"),
    "open fields.docx": _word_of('<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:t>a</w:t></w:r></w:p>'),
    "results.docx": _word_of(
        '<w:r><w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="separate"/><w:t>a</w:t></w:r>',
        "<w:p>",
        "</w:p>",
    ),
    "fields.docx": _word_of('<w:r><w:fldChar w:fldCharType="begin"/></w:r>', "<w:p>", "</w:p>"),
    "merged.xlsx": _merged,
    "small tables.xlsx": _small_tables,
    "formulas.xlsx": _formulas,
    "staircase.xlsx": _wide_sheet,
    "shapes.pptx": _shapes,
    "slides of one part.pptx": lambda size: _slide("<p:sp/>" * (size // 100), size // 200),
    "list.odt": _open_list,
    "lists.odt": _open_lists,
    "tables.odt": _open_tables,
    "pages.epub": _book,
    "groups.rtf": nest("{\\b ", "}", "{\\rtf1 "),
    "open groups.rtf": repeat("{\\*\\x ", "{\\rtf1 "),
    "paragraphs.rtf": repeat("Gull {n}\\par ", "{\\rtf1 ", "}"),
    "cells.rtf": repeat("\\trowd\\cellx900\\cellx1800 Gull\\cell {n}\\cell\\row ", "{\\rtf1 ", "}"),
    # pages
    "one place.pdf": _one_place,
    "scattered.pdf": _scattered,
    "uncounted.pdf": _control,
    "rules.pdf": _rules,
    "boxes.pdf": _boxes,
    "annotations.pdf": _annotated,
    "fields.pdf": _filled,
    "grid.pdf": _grid,
    "pages.pdf": _many_pages,
}
