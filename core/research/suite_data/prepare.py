"""Conversions of source files to documents: each function takes a name and a content, and yields names and
contents.

corpus.toml names the function under `prepare` and its keyword arguments under `options`.
"""

import csv
import html
import io
import re
import zipfile
from collections.abc import Iterator

Documents = Iterator[tuple[str, bytes]]


def unchanged(name: str, data: bytes) -> Documents:
    yield name, data


def mbox(name: str, data: bytes) -> Documents:
    """Yield the messages as .eml files, numbered in their order."""
    stem = name.removesuffix(".mbox").removesuffix(".txt")
    messages = re.split(rb"(?m)^From \S+(?: at \S+)? .*\d{4}\s*?\n", data)[1:]
    for number, message in enumerate(messages, start=1):
        filename = f"{stem}-{number:03}.eml" if len(messages) > 1 else f"{stem}.eml"
        yield filename, re.sub(rb"(?m)^>(>*From )", rb"\1", message)


def chapters(
    name: str, data: bytes, heading: str, start: str = "", end: str = "", encoding: str = "utf-8-sig"
) -> Documents:
    """Split a book's text from the first match of `start` to the first of `end` after it, at each line-initial
    match of `heading`; what precedes the first heading is dropped.
    """
    text = data.decode(encoding, errors="replace").replace("\r\n", "\n")
    if start:
        text = re.split(start, text, maxsplit=1)[-1]
    if end:
        text = re.split(end, text, maxsplit=1)[0]
    found = [match.start() for match in re.finditer(f"(?m)^{heading}", text)]
    for number, (here, there) in enumerate(zip(found, [*found[1:], len(text)], strict=True), start=1):
        yield f"chapter-{number:02}.txt", (text[here:there].strip() + "\n").encode()


def without_tags(name: str, data: bytes) -> Documents:
    """Convert a chat log in lines of HTML to the text that a client shows."""
    yield name, html.unescape(re.sub(r"<[^>]*>", "", data.decode("utf-8", errors="replace"))).encode()


def radio(name: str, data: bytes, speakers: dict[str, str]) -> Documents:
    """Split a Spacelog transcript by station; each utterance is a line with its time and the speaker's name."""
    for number, part in enumerate(re.split(r"(?m)^_extra : ", data.decode())[1:], start=1):
        station, _, rest = part.partition("\n")
        lines = [f"Radio log, {station.title()}", ""]
        for time, block in re.findall(r"(?ms)^\[([-\d:.]+)\]\n(.*?)(?=^\[[-\d:.]+\]$|\Z)", rest):
            for letter, utterance in re.findall(r"(?m)^([A-Z]\w*): (.*)$", block):
                lines.append(f"[{time}] {speakers.get(letter, letter)}: {utterance.strip()}")
        label = re.sub(r"\W+", "-", station.lower()).strip("-")
        yield f"{number:02}-{label}.txt", ("\n".join(lines) + "\n").encode()


def parts(name: str, data: bytes, heading: str) -> Documents:
    """Split a text before each line-initial match of `heading`, whose first group, if any, names the document."""
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n")
    stem, _, suffix = name.rpartition(".") if "." in name else (name, "", "txt")
    found = list(re.finditer(f"(?m)^{heading}", text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    for number, (match, end) in enumerate(zip(found, ends, strict=True), start=1):
        label = match[1] if match.re.groups else f"{number:03}"
        label = re.sub(r"[^\w.]+", "-", label)
        yield f"{stem}-{label}.{suffix}", text[match.start() : end].encode()


def table(name: str, data: bytes, form: str, delimiter: str = ",") -> Documents:
    """Convert a delimited file to `xlsx`, `ods` or `html`, as tables are rarely stored as plain text. Lines that
    begin with # are comments, but for the first, which names the columns.
    """
    lines = data.decode("utf-8-sig").splitlines()
    csv_lines = [line.lstrip("# ") for line in lines[:1]] + [
        line for line in lines[1:] if line and line[0] != "#"
    ]
    rows = [[cell.strip() for cell in row] for row in csv.reader(csv_lines, delimiter=delimiter)]
    stem = name.partition(".")[0]
    yield f"{stem}.{form}", {"xlsx": workbook, "ods": spreadsheet, "html": page}[form](stem, rows)


def page(title: str, rows: list[list[str]]) -> bytes:
    cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    head = cells[0].replace("td>", "th>")
    body = "".join(f"<tr>{row}</tr>\n" for row in cells[1:])
    return f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>{html.escape(title)}</title></head><body>
<h1>{html.escape(title)}</h1><table><tr>{head}</tr>
{body}</table></body></html>""".encode()


def package(parts: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in parts.items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def is_number(cell: str) -> bool:
    return re.fullmatch(r"-?(0|[1-9]\d{0,14})(\.\d+)?", cell) is not None


def workbook(title: str, rows: list[list[str]]) -> bytes:
    """Return the minimal ECMA-376 workbook of one sheet."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    related = "http://schemas.openxmlformats.org/package/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"

    def cell(value: str) -> str:
        if is_number(value):
            return f"<c><v>{value}</v></c>"
        return f'<c t="inlineStr"><is><t>{html.escape(value)}</t></is></c>'

    def relation(type_: str, target: str) -> str:
        return f"""<Relationships xmlns="{related}"><Relationship Id="r1" Type="{office}/{type_}" Target="{target}"/>
</Relationships>"""

    body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    return package(
        {
            "[Content_Types].xml": f"""<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>""",
            "_rels/.rels": relation("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f"""<workbook xmlns="{main}" xmlns:r="{office}">
<sheets><sheet name="{html.escape(title[:31])}" sheetId="1" r:id="r1"/></sheets></workbook>""",
            "xl/_rels/workbook.xml.rels": relation("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
        }
    )


def spreadsheet(title: str, rows: list[list[str]]) -> bytes:
    """Return the minimal OpenDocument 1.2 spreadsheet of one table."""
    kind, names = "application/vnd.oasis.opendocument.spreadsheet", "urn:oasis:names:tc:opendocument:xmlns"

    def cell(value: str) -> str:
        number = f' office:value-type="float" office:value="{value}"' if is_number(value) else ""
        typed = number or ' office:value-type="string"'
        return f"<table:table-cell{typed}><text:p>{html.escape(value)}</text:p></table:table-cell>"

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    return package(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f"""<manifest:manifest xmlns:manifest="{names}:manifest:1.0">
<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>""",
            "content.xml": f"""<office:document-content xmlns:office="{names}:office:1.0"
xmlns:table="{names}:table:1.0" xmlns:text="{names}:text:1.0" office:version="1.2"><office:body><office:spreadsheet>
<table:table table:name="{html.escape(title)}">{body}</table:table></office:spreadsheet></office:body>
</office:document-content>""",
        }
    )
