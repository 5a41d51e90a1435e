"""Files whose reading may cost more than they are long: one shape a function, made in any size."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from core.evaluation.cruelties import HEAD, OFFICE, PACKAGE, WORD, docx, pdf, stream, zipped

Make = Callable[[int], bytes]  # by about how many characters of content

SCHEMAS = "http://schemas.openxmlformats.org/"
SPREADSHEET = f"{SCHEMAS}spreadsheetml/2006/main"
SLIDES = f"{SCHEMAS}presentationml/2006/main"
DRAWING = f"{SCHEMAS}drawingml/2006/main"
OPEN = "urn:oasis:names:tc:opendocument:xmlns:"


def _repeat(unit: str, before: str = "", after: str = "") -> Make:
    """`unit` again and again; `{n}` in it counts up."""
    counted = "{n}" in unit

    def make(size: int) -> bytes:
        times = max(1, size // len(unit))
        if not counted:
            return (before + unit * times + after).encode()
        return (before + "".join(unit.replace("{n}", str(n)) for n in range(times)) + after).encode()

    return make


def _nest(opening: str, closing: str, before: str = "", within: str = "words") -> Make:
    def make(size: int) -> bytes:
        times = max(1, size // (len(opening) + len(closing)))
        return (before + opening * times + within + closing * times).encode()

    return make


# ---------------------------------------------------------------- text


def _steps(unit: str, indent: str = " ") -> Make:
    """Each line further in than the one before, to a depth by which the file has its size."""

    def make(size: int) -> bytes:
        depth = max(1, int((2 * size) ** 0.5))
        return "".join(f"{indent * n}{unit}\n" for n in range(depth)).encode()

    return make


def _columns(size: int) -> bytes:
    columns = max(2, size // 40)
    lines = (",".join(f"{'c' if not row else ''}{n * 7 % 9_999}" for n in range(columns)) for row in range(6))
    return "\n".join(lines).encode()


def _totals(size: int) -> bytes:
    lines = [f"North,{n},{n * 2}\nTotal,{n},{n * 2}" for n in range(size // 34)]
    return "\n".join(["Region,Sold,Paid", *lines]).encode()


def _markdown_table(size: int) -> bytes:
    rows = "".join(f"| Part {n} | {n} | Vestmar |\n" for n in range(size // 28))
    return f"| Name | Number | Firm |\n| --- | --- | --- |\n{rows}".encode()


def _markdown_links(size: int) -> bytes:
    half = size // 50
    uses = "".join(f"See [the port {n}][r{n}].\n\n" for n in range(half))
    return (uses + "".join(f"[r{n}]: https://x.example/{n}\n" for n in range(half))).encode()


def _sentence(size: int) -> bytes:
    return ("The " + " and ".join(f"clerk of port {n % 977}" for n in range(size // 20)) + " came.").encode()


def _long_substitution(size: int) -> bytes:
    return f".. |s| replace:: {'Gull ' * (size // 10)}\n\n{'|s| ' * (size // 8)}\n".encode()


def _long_rule(size: int) -> bytes:
    rule = "+" + "-" * (size // 2) + "+\n"
    return (rule + "|a\n" * (size // 6)).encode()


# ---------------------------------------------------------------- mail and chats


def _recipients(size: int) -> bytes:
    names = ",\n ".join(f"Ida {n} Berg <ida{n}@vest.example>" for n in range(size // 36))
    return f"{HEAD}Cc: {names}\n\nThe ship was sold.\n".encode()


def _references(size: int) -> bytes:
    chain = "\n ".join(f"<{n}@vest.example>" for n in range(size // 22))
    return f"{HEAD}References: {chain}\n\nThe ship was sold.\n".encode()


def _multiparts(size: int) -> bytes:
    parts = "".join(f"--b\nContent-Type: text/plain\n\nThe ship {n} was sold.\n" for n in range(size // 52))
    return f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{parts}--b--\n".encode()


def _nested_parts(size: int) -> bytes:
    nested = "".join(
        f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(min(90, size // 52))
    )
    rest = "The ship was sold.\n" * (size // 19)
    return f"{HEAD}{nested}Content-Type: text/plain\n\n{rest}".encode()


def _slack(size: int) -> bytes:
    times = size // 110
    messages = [
        {
            "type": "message",
            "user": f"U{n:08}",
            "text": f"<@U{n // 2:08}> sold it",
            "ts": f"{1_620_000_000 + n}.0",
        }
        for n in range(times)
    ]
    return json.dumps(messages).encode()


def _telegram(size: int) -> bytes:
    messages = [
        {
            "id": n,
            "type": "message",
            "date": "2021-05-04T10:00:00",
            "from": f"Ida {n}",
            "from_id": f"user{n}",
            "text": [{"type": "mention", "text": "@bo"}, " sold it"],
        }
        for n in range(size // 160)
    ]
    return json.dumps({"name": "Port", "type": "private_group", "id": 1, "messages": messages}).encode()


# ---------------------------------------------------------------- office


def _word(content: str) -> bytes:
    return docx(f'<w:document xmlns:w="{WORD}"><w:body>{content}</w:body></w:document>'.encode())


def _word_of(unit: str, before: str = "", after: str = "") -> Make:
    return lambda size: _word(_repeat(unit, before, after)(size).decode())


def _word_tables(size: int) -> bytes:
    """Nested as deep as the reader goes, again and again."""
    depth = 20
    table = "<w:tbl><w:tr><w:tc>" * depth + "<w:p/>" + "<w:p/></w:tc></w:tr></w:tbl>" * depth
    return _word(table * max(1, size // len(table)))


def _parts_of_word(content: str, **more: str) -> bytes:
    """A document with other parts of a kind: styles, numbering, footnotes."""
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
    """A paragraph for each footnote or comment."""
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
    """Rows in a staircase, each of one cell further out."""
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
    return _slide(_repeat(shape)(size).decode())


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
    return _open_text(f"<text:list>{_repeat(item)(size).decode()}</text:list>")


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
    """All words at one place of a page."""
    return _one_page(b"BT /F1 9 Tf " + b"1 0 0 1 60 780 Tm (Gull) Tj " * (size // 29) + b"ET")


def _scattered(size: int) -> bytes:
    shown = b"".join(
        b"1 0 0 1 %d %d Tm (Gull) Tj " % (20 + n * 37 % 540, 20 + n * 61 % 800) for n in range(size // 30)
    )
    return _one_page(b"BT /F1 4 Tf " + shown + b"ET")


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
    """A form of one page with many fields, each beside a label."""
    times = size // 150
    places = [(20 + n % 10 * 55, 10 + n // 10 % 390 * 2) for n in range(times)]
    shown = b"".join(b"1 0 0 1 %d %d Tm (Ship) Tj " % place for place in places)
    fields = [
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (f%d) /V (Gull %d) /F 4 /P 3 0 R /Rect [%d %d %d %d] >>"
        % (n, n, x + 15, y, x + 50, y + 2)
        for n, (x, y) in enumerate(places)
    ]
    return _one_page(b"BT /F1 2 Tf " + shown + b"ET", fields, form=True)


def _grid(size: int) -> bytes:
    """Rules across and down, one word in each of the cells along them."""
    times = size // 60
    across = b"".join(b"20 %.2f m 575 %.2f l S " % ((20 + 800 * n / times,) * 2) for n in range(times))
    down = b"".join(b"%.2f 20 m %.2f 820 l S " % ((20 + 555 * n / times,) * 2) for n in range(times))
    return _one_page(across + down + b"BT /F1 9 Tf 60 780 Td (The Gull was sold.) Tj ET")


def _many_pages(size: int) -> bytes:
    """Pages with a running head and a number each."""
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


# ---------------------------------------------------------------- by name

SHAPES: dict[str, Make] = {
    # HTML
    "comments that never end.html": _repeat("<!-- ship "),
    "comments closed oddly.html": _repeat("<!-- a --!"),
    "tags that never end.html": _repeat("<a b"),
    "closed tags without opening.html": _repeat("</b></div>"),
    "declarations that never end.html": _repeat("<![CDATA[ x "),
    "instructions that never end.html": _repeat("<?xml x "),
    "scripts that never end.html": _repeat("<script> a < b; "),
    "attributes.html": _repeat("a{n}='b' ", "<p ", ">The ship.</p>"),
    "quoted attribute.html": _repeat("<a href='", "<p>The ship "),
    "nested divs.html": _nest("<div>", "</div>"),
    "nested inline.html": _nest("<b><i>", "</i></b>"),
    "nested lists.html": _nest("<ul><li>a", "</li></ul>"),
    "nested quotes.html": _nest("<blockquote>a", "</blockquote>"),
    "nested tables.html": _nest("<table><tr><td>a", "</td></tr></table>"),
    "open paragraphs.html": _repeat("<p>The Gull {n} came."),
    "open list items.html": _repeat("<li>The Gull {n}", "<ol reversed>"),
    "open cells.html": _repeat("<td>Gull {n}", "<table><tr>"),
    "spanned cells.html": _repeat("<tr><td colspan=900 rowspan=900>Gull {n}", "<table>"),
    "one line.html": _repeat("The Gull came to Vestmar. ", "<p>"),
    "entities.html": _repeat("&amp;&#65;&nbsp;"),
    "entities without end.html": _repeat("&amp"),
    "marks.html": _repeat("<sup>1</sup>word "),
    "equations.html": _repeat("<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"),
    "one equation.html": _nest("<mfrac><mi>a</mi>", "</mfrac>", "<math>"),
    "fields.html": _repeat("<label>Ship {n}<input value='Gull'></label><select><option selected>a</select>"),
    "choices.html": _repeat("<option selected>Gull {n}", "<select>"),
    "line breaks.html": _repeat("Gull<br>"),
    "headings.html": _repeat("<h2>Port {n}</h2><p>The Gull came.</p>"),
    # Markdown
    "deep headings.md": _repeat("###### Port {n}\n\n"),
    "stairs of headings.md": _repeat("# A {n}\n## B\n### C\n#### D\nWords.\n"),
    "nested lists.md": _steps("- Gull", "  "),
    "nested quotes.md": _repeat("> "),
    "lists.md": _repeat("- Gull {n}\n"),
    "open emphasis.md": _repeat("*a _b "),
    "open links.md": _repeat("[a](b "),
    "open brackets.md": _repeat("["),
    "open pictures.md": _repeat("![a]["),
    "backticks.md": lambda size: "".join("`" * n + "a " for n in range(1, int((2 * size) ** 0.5))).encode(),
    "open fences.md": _repeat("```\na\n~~~\n"),
    "table.md": _markdown_table,
    "reference links.md": _markdown_links,
    "open html.md": _repeat("<a <!-- "),
    "escapes.md": _repeat("\\*\\["),
    "footnotes.md": _repeat("Gull[^{n}]\n\n[^{n}]: Sold.\n\n"),
    # reStructuredText
    "sections.rst": _repeat("Port {n}\n=========\n\nThe Gull came.\n\n"),
    "levels.rst": _steps("Words of the port.\n"),
    "marks.rst": _repeat("``a `b *c |d "),
    "directives.rst": _repeat(".. note:: Port {n}\n   The Gull.\n\n"),
    "substitutions.rst": _repeat(".. |s{n}| replace:: Gull\n\n|s{n}| came. `a{n}`_\n\n.. _a{n}: b\n\n"),
    "table.rst": _repeat("+-----+-----+\n| a   | b   |\n"),
    "indented substitutions.rst": _repeat("   .. |s{n}| replace:: Gull\n", "Text.\n\n"),
    "long substitution.rst": _long_substitution,
    "long rule.rst": _long_rule,
    "lists.rst": _repeat("{n}. Gull\n\n"),
    # plain text
    "no spaces.txt": _repeat("gull"),
    "no line ends.txt": _repeat("The Gull {n} came to Vestmar. "),
    "capitals.txt": _repeat("THE GULL CAME TO VESTMAR. "),
    "capital words.txt": _repeat("Gull Tern "),
    "digits.txt": _repeat("1234567890 "),
    "one number.txt": _repeat("1,234,567."),
    "brackets.txt": _repeat("((["),
    "abbreviations.txt": _repeat("v. "),
    "initials.txt": _repeat("A. B. C. "),
    "dots.txt": _repeat(". . "),
    "numbered lines.txt": _repeat("{n}. The Gull came.\n"),
    "clauses.txt": _repeat("1.{n}.2 The Gull came (a) and (b).\n"),
    "line numbers.txt": _repeat("{n}  The Gull came to Vestmar\n"),
    "page numbers.txt": _repeat("The Gull came.\n\n- {n} -\n\f"),
    "repeated names.txt": _repeat("Ida Berg met Bo Kask. "),
    "names.txt": _repeat("Ida B{n}erg met Bo K{n}ask. "),
    "one sentence.txt": _sentence,
    "short lines.txt": _repeat("a\n"),
    "empty lines.txt": _repeat("\n \n", "a", "b"),
    "dates.txt": _repeat("4 May 2021, 4. Mai 2021, 04/05/2021 "),
    "half dates.txt": _repeat("4 May "),
    "number words.txt": _repeat("twenty-one hundred and four "),
    "quotations.txt": _repeat('"The Gull came, '),
    "quoted lines.txt": _repeat("> The Gull came.\n"),
    "deep quotes.txt": _steps("Gull", ">"),
    "speakers.txt": _repeat("IDA {n}: I sold it to you.\n"),
    "stamped chat.txt": _repeat("[10:00] <ida> you sold it?\n"),
    "inverted names.txt": _repeat("Berg, Ida; Kask, Bo; "),
    "commas.txt": _repeat("a, "),
    "hyphens.txt": _repeat("har-\nbour "),
    "underlined.txt": _repeat("Port {n}\n------\nThe Gull.\n"),
    "columns.txt": _repeat("The Gull came     The Tern went\n"),
    "tabs.txt": _repeat("a\t\t\tb\n"),
    "hebrew.txt": _repeat("\u05e1\u05e4\u05d9\u05e0\u05d4 "),
    "accents.txt": _repeat("e\u0301"),
    "addresses.txt": _repeat("ida@vest.example/a.b."),
    "legal.txt": _repeat("\u00a7 12 Abs. 2 Art. 5 "),
    "legacy.txt": lambda size: ("K\u00f6nig \u00fcber M\u00e4hren. " * (size // 18)).encode("cp1252"),
    "calendar.ics": _repeat(
        "BEGIN:VEVENT\r\nSUMMARY:Port {n}\r\nDTSTART:20210504T100000Z\r\n"
        "ATTENDEE;CN=Ida {n}:mailto:i@x.example\r\nEND:VEVENT\r\n",
        "BEGIN:VCALENDAR\r\n",
        "END:VCALENDAR\r\n",
    ),
    # tables
    "one column.csv": _repeat("Gull {n}\n", "Ship\n"),
    "columns.csv": _columns,
    "open quotes.csv": _repeat('a,"b\n'),
    "totals.csv": _totals,
    "labels.csv": _repeat("Ship {n},Gull\n"),
    "ragged.csv": _repeat("a,b,c\n{n}\n\nd,e\n"),
    "blocks.csv": _repeat("Name,Tons\nGull,{n}\n\n"),
    # mail and chats
    "recipients.eml": _recipients,
    "references.eml": _references,
    "headers.eml": lambda size: HEAD.encode() + _repeat("X-Port-{n}: Gull\n", "", "\nSold.\n")(size),
    "one header.eml": lambda size: b"Subject: " + _repeat("=?utf-8?q?Gull?= ", "", "\n\nSold.\n")(size),
    "parts.eml": _multiparts,
    "nested parts.eml": _nested_parts,
    "parameters.eml": lambda size: (
        HEAD.encode() + _repeat("; a*{n}=b", "Content-Type: text/plain", "\n\nSold.\n")(size)
    ),
    "quoted.eml": lambda size: HEAD.encode() + b"\n" + _steps("Gull", ">")(size),
    "replies.eml": lambda size: (
        HEAD.encode()
        + b"\n"
        + _repeat("On 4 May 2021, Ida {n} wrote:\n> The Gull.\n\n-----Original Message-----\n")(size)
    ),
    "messages.mbox": _repeat(
        "From ida@x.example Tue May  4 10:00:00 2021\nFrom: Ida {n} <i@x.example>\nSubject: Gull\n\nSold {n}.\n\n"
    ),
    "whatsapp.txt": _repeat("04/05/2021, 10:00 - Ida {n}: @Bo sold the Gull?\n"),
    "slack.json": _slack,
    "telegram.json": _telegram,
    "nested.json": _nest("[", "]", within="1"),
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
    "groups.rtf": _nest("{\\b ", "}", "{\\rtf1 "),
    "open groups.rtf": _repeat("{\\*\\x ", "{\\rtf1 "),
    "paragraphs.rtf": _repeat("Gull {n}\\par ", "{\\rtf1 ", "}"),
    "cells.rtf": _repeat("\\trowd\\cellx900\\cellx1800 Gull\\cell {n}\\cell\\row ", "{\\rtf1 ", "}"),
    # pages
    "one place.pdf": _one_place,
    "scattered.pdf": _scattered,
    "rules.pdf": _rules,
    "boxes.pdf": _boxes,
    "annotations.pdf": _annotated,
    "fields.pdf": _filled,
    "grid.pdf": _grid,
    "pages.pdf": _many_pages,
}
