"""Files of every format with a text in a heading, a paragraph, a cell and a footnote, written without a library."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from email.message import EmailMessage
from html import escape

from tests.data_makers import office_files
from tests.data_makers.compound_files import msg, xls

ODF = "urn:oasis:names:tc:opendocument:xmlns:"
NAMESPACES = " ".join(
    f'xmlns:{name}="{ODF}{name}:1.0"' for name in ("office", "text", "table", "presentation", "style")
)
NAMESPACES += f' xmlns:draw="{ODF}drawing:1.0" xmlns:svg="{ODF}svg-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def docx(text: str) -> bytes:
    w = f'xmlns:w="{office_files.WORD}"'

    def run(words: str) -> str:
        return "<w:tab/>".join(
            f'<w:t xml:space="preserve">{escape(part)}</w:t>' for part in words.split("\t")
        ).replace("\xad", '</w:t><w:softHyphen/><w:t xml:space="preserve">')

    def paragraph(words: str, style: str = "") -> str:
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r>{run(words)}</w:r></w:p>'

    table = f"<w:tbl><w:tr><w:tc>{paragraph(text)}</w:tc><w:tc>{paragraph('7')}</w:tc></w:tr></w:tbl>"
    noted = '<w:p><w:r><w:t>Noted</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    body = paragraph(text, "Heading1") + paragraph(text) + table + noted
    return office_files.zipped(
        {
            "[Content_Types].xml": office_files.content_types(
                "word/document.xml", "wordprocessingml.document"
            ),
            "_rels/.rels": office_files.root_links("word/document.xml"),
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{office_files.PACKAGE}"><Relationship Id="n" '
            f'Type="{office_files.LINKS}/footnotes" Target="footnotes.xml"/></Relationships>',
            "word/footnotes.xml": f'<w:footnotes {w}><w:footnote w:id="2">{paragraph(text)}</w:footnote></w:footnotes>',
            "word/document.xml": f"<w:document {w}><w:body>{body}</w:body></w:document>",
        }
    )


def pptx(text: str) -> bytes:
    words = escape(text)
    return office_files.make_pptx([(words, words, words)])


def odf(kind: str, body: str, footer: str = "") -> bytes:
    """A text, presentation or spreadsheet; `body` is XML."""
    margin = f"<style:master-page><style:footer><text:p>{footer}</text:p></style:footer></style:master-page>"
    styles = f"<office:document-styles {NAMESPACES}>{margin}</office:document-styles>"
    return office_files.zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": f'<manifest xmlns="{ODF}manifest:1.0"/>',
            "content.xml": f"<office:document-content {NAMESPACES}><office:body>{body}</office:body>"
            "</office:document-content>",
            **({"styles.xml": styles} if footer else {}),
        }
    )


def _odf(text: str) -> str:
    spaced = escape(text).replace("\t", "<text:tab/>").replace("   ", ' <text:s text:c="2"/>')
    return spaced.replace("  ", " <text:s/>")


def odt(text: str) -> bytes:
    words = _odf(text)
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        f"<text:note-body><text:p>{words}</text:p></text:note-body></text:note>"
    )
    return odf(
        "text",
        f"<office:text><text:h>{words}</text:h><text:p>\n  {words}\n</text:p><table:table><table:table-row>"
        f"{cell.format(words)}{cell.format('7')}</table:table-row></table:table><text:p>Noted{note}</text:p>"
        "</office:text>",
    )


def odp(text: str) -> bytes:
    frame = f"<draw:frame><draw:text-box><text:p>{_odf(text)}</text:p></draw:text-box></draw:frame>"
    page = f"<draw:page>{frame}<presentation:notes>{frame}</presentation:notes></draw:page>"
    return odf("presentation", f"<office:presentation>{page}</office:presentation>")


def ods_of(rows: str) -> bytes:
    table = f'<table:table table:name="One">{rows}</table:table>'
    return odf("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>")


def ods(text: str) -> bytes:
    cell = f'<table:table-cell office:value-type="string"><text:p>{_odf(text)}</text:p></table:table-cell>'
    return ods_of(f"<table:table-row>{cell}</table:table-row>")


def xlsx(text: str) -> bytes:
    return office_files.make_xlsx({"One": [[escape(text)]]})


def old_xls(text: str) -> bytes:
    return xls({"One": {(0, 0): text}})


def rtf(text: str) -> bytes:
    signs = {"\t": "\\tab ", "\xa0": "\\~", "\xad": "\\-", "\\": "\\\\", "{": "\\{", "}": "\\}"}

    def letter(sign: str) -> str:
        if sign.isascii() or sign in signs:
            return signs.get(sign, sign)
        units = sign.encode("utf-16-le")
        numbers = (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2))
        return "".join(f"\\u{number - 65536 if number > 32767 else number}?" for number in numbers)

    words = "".join(map(letter, text))
    return (
        r"{\rtf1\ansi\ansicpg1252\pard\outlinelevel0 " + words + r"\par\pard " + words + r"\par"
        r"\trowd\cellx100\cellx200\pard\intbl " + words + r"\cell 7\cell\row\pard Noted{\super\chftn}"
        r"{\footnote\pard\plain " + words + r"}\par}"
    ).encode("ascii")


def _page(text: str) -> str:
    words = escape(text)
    return (
        f"<h1>{words}</h1><p>{words}</p><table><tr><td>{words}</td><td>7</td></tr></table><pre>{words}</pre>"
    )


def html(text: str) -> bytes:
    return f'<!DOCTYPE html><meta charset="utf-8"><body>{_page(text)}</body>'.encode()


def epub(text: str) -> bytes:
    opf = "http://www.idpf.org/2007/opf"
    return office_files.zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'<container version="1.0" xmlns="{ODF}container"><rootfiles><rootfile '
            'full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "c.opf": f'<package xmlns="{opf}" version="3.0" unique-identifier="i"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
            "<dc:title>The book</dc:title></metadata><manifest><item id='a' href='a.xhtml' "
            'media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
            "a.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{_page(text)}</body></html>',
        }
    )


def markdown(text: str) -> bytes:
    text = text.replace("\\", "\\\\")
    return f"# {text}\n\n{text}\n\n| {text} | 7 |\n|---|---|\n| {text} | 8 |\n".encode()


def _separated(text: str, delimiter: str) -> bytes:
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter).writerows([["Name", "Number"], [text, "7"], ["x", "8"]])
    return made.getvalue().encode()


def mail(text: str, subtype: str = "plain") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["Subject"] = "Ida <ida@vest.example>", "Hello"
    made.set_content(text if subtype == "plain" else _page(text), subtype=subtype)
    made.add_attachment(text, filename="attached.txt")
    return made


def pdf(text: str) -> bytes:
    return office_files.make_pdf([[text]])


FILES: dict[str, Callable[[str], bytes]] = {
    "docx": docx,
    "odt": odt,
    "rtf": rtf,
    "pptx": pptx,
    "odp": odp,
    "xlsx": xlsx,
    "xls": old_xls,
    "ods": ods,
    "html": html,
    "epub": epub,
    "md": markdown,
    "csv": lambda text: _separated(text, ","),
    "tsv": lambda text: _separated(text, "\t"),
    "txt": str.encode,
    "utf-16.txt": lambda text: text.encode("utf-16"),
    "latin-1.txt": lambda text: text.encode("latin-1"),
    "eml": lambda text: mail(text).as_bytes(),
    "mbox": lambda text: b"From ida Tue May  4 10:00:00 2021\n" + mail(text).as_bytes() + b"\n",
    "html.eml": lambda text: mail(text, "html").as_bytes(),
    "msg": lambda text: msg({0x1000: text, 0x37: "Hello"}),
    "rtf.msg": lambda text: msg({0x37: "Hello"}, binaries={0x1009: _unpacked(rtf(text))}),
    "pdf": pdf,
}


def _unpacked(content: bytes) -> bytes:
    """RTF as Outlook keeps it, not packed. [MS-OXRTFCP] 2.1.3.1."""
    head = (len(content) + 12).to_bytes(4, "little") + len(content).to_bytes(4, "little")
    return head + b"MELA" + bytes(4) + content
