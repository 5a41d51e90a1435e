"""Word, OpenDocument and RTF files: what stands in the text comes in order, once, and what was deleted not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.types import LoadedDocument
from tests.data_makers import office_files
from tests.data_makers.round_trip_files import odf

WORD = (
    f'xmlns:w="{office_files.WORD}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
Load = Callable[[str, bytes], LoadedDocument]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def read(name: str, data: bytes) -> LoadedDocument:
        (tmp_path / name).write_bytes(data)
        return DocumentLoader().load(tmp_path / name)

    return read


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(content: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"


def word(body: str, **parts: str) -> bytes:
    """`parts` are the contents of footnotes, endnotes, comments, styles, header, footer."""
    roots = {"footnotes": "footnotes", "header": "hdr", "footer": "ftr"}
    links = "".join(
        f'<Relationship Id="{name}" Type="{office_files.LINKS}/{name}" Target="{name}.xml"/>'
        for name in parts
    )
    return office_files.zipped(
        {
            "[Content_Types].xml": office_files.content_types(
                "word/document.xml", "wordprocessingml.document"
            ),
            "_rels/.rels": office_files.root_links("word/document.xml"),
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{office_files.PACKAGE}">{links}</Relationships>',
            "word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>",
            **{
                f"word/{name}.xml": f"<w:{roots.get(name, name)} {WORD}>{content}</w:{roots.get(name, name)}>"
                for name, content in parts.items()
            },
        }
    )


def named(document: LoadedDocument) -> dict[str, str]:
    return {region.name: document.text[region.start : region.end] for region in document.regions}


def test_tracked_changes(load: Load) -> None:
    content = (
        run("The price is ")
        + f'<w:ins w:id="1">{run("5")}</w:ins><w:del w:id="2"><w:r><w:delText>4</w:delText></w:r></w:del>'
        + run(" EUR")
        + f'<w:moveFrom w:id="3">{run(" from")}</w:moveFrom><w:moveTo w:id="4">{run(" to")}</w:moveTo>'
    )
    row = "<w:tr><w:trPr>{}</w:trPr><w:tc>{}</w:tc></w:tr>"
    table = row.format("", paragraph(run("kept"))) + row.format('<w:del w:id="5"/>', paragraph(run("gone")))
    document = load("a.docx", word(paragraph(content) + f"<w:tbl>{table}</w:tbl>"))
    assert document.text == "The price is 5 EUR to\n\nkept."


def test_signs_that_are_elements(load: Load) -> None:
    signs = (
        "<w:r><w:t>Vest</w:t><w:tab/><w:t>AS</w:t><w:br/><w:t>one</w:t><w:noBreakHyphen/><w:t>two</w:t>"
        '<w:softHyphen/><w:t>three</w:t><w:sym w:font="Symbol" w:char="F061"/>'
        '<w:sym w:font="Segoe UI Symbol" w:char="2713"/></w:r>'
    )
    tabs = '<w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs>'  # where tabs stop: no tab
    document = load("a.docx", word(paragraph(signs, tabs)))
    assert document.text == "Vest\tAS\none\u2011two\xadthreeα✓"


def test_text_boxes_are_read_once(load: Load) -> None:
    box = f"<w:txbxContent>{paragraph(run('In the box.'))}</w:txbxContent>"
    alternates = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    old = f"<w:r><w:pict><v:textbox>{box.replace('the', 'an old')}</v:textbox></w:pict></w:r>"
    document = load("a.docx", word(paragraph(run("Beside.") + alternates + old)))
    assert document.text == "Beside.\n\nIn the box.\n\nIn an old box."


def test_notes_comments_headers_and_footers(load: Load) -> None:
    body = paragraph(
        run("Paid")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
        + run(" late")
        + '<w:r><w:endnoteReference w:id="1"/><w:commentReference w:id="0"/></w:r>'
    )
    first = "<w:footnote w:id='-1' w:type='separator'><w:p><w:r><w:separator/></w:r></w:p></w:footnote>"
    document = load(
        "a.docx",
        word(
            body + paragraph(run("The end.")),
            footnotes=f'{first}<w:footnote w:id="2">{paragraph(run(" By Vest &amp; Co."))}</w:footnote>',
            endnotes=f'<w:endnote w:id="1">{paragraph(run("In May."))}</w:endnote>',
            comments=f'<w:comment w:id="0" w:author="Bo Li">{paragraph(run("Who?"))}</w:comment>',
            header=paragraph(run("Vest &amp; Co., Oslo")) + paragraph(run("Page 3 of 7")),
            footer=paragraph(run("Confidential")),
        ),
    )
    assert document.text == (
        "Paid[1] late[2]\n\n[1] By Vest & Co.\n\n[2] In May.\n\nComment by Bo Li: Who?\n\nThe end.\n\n"
        "Vest & Co., Oslo\n\nConfidential"
    )
    assert named(document) == {
        "Footnote 1": "[1] By Vest & Co.",
        "Endnote 2": "[2] In May.",
        "Comment 1": "Comment by Bo Li: Who?",
        "Header": "Vest & Co., Oslo",
        "Footer": "Confidential",
    }


def test_headings_lists_and_tables_by_their_styles(load: Load) -> None:
    styles = (
        '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:styleId="Points"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/>'
        "</w:numPr></w:pPr></w:style>"
    )
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>"
    wide = '<w:gridSpan w:val="2"/>'
    inner = f"<w:tbl><w:tr>{cell.format('', paragraph(run('inner')))}</w:tr></w:tbl>"
    rows = (
        f"<w:tr>{''.join(cell.format('', paragraph(run(text))) for text in ('Ship', 'Flag', 'Price'))}</w:tr>"
        f"<w:sdt><w:sdtContent><w:tr>{cell.format(wide, paragraph(run('Gull')) + inner)}"
        f"{cell.format('', paragraph(run('7')))}</w:tr></w:sdtContent></w:sdt>"
    )
    document = load(
        "a.docx",
        word(
            paragraph(run("No heading."))
            + paragraph(run("The loan"), '<w:pStyle w:val="Mine"/>')
            + paragraph(run("one"), '<w:pStyle w:val="Points"/>')
            + paragraph(run("two"), '<w:numPr><w:numId w:val="1"/></w:numPr>')
            + paragraph(run("none"), '<w:pStyle w:val="Points"/><w:numPr><w:numId w:val="0"/></w:numPr>')
            + f"<w:tbl>{rows}</w:tbl>",
            styles=styles,
        ).replace(b"Loan contract", b"Document1    "),
    )
    assert (
        document.text
        == "No heading.\n\nThe loan\n- one\n- two\n\nnone\n\nShip: Gull inner.; Flag: Gull inner.; Price: 7."
    )


def test_a_strict_word_file_of_another_main_part(load: Load) -> None:
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f'<w:document xmlns:w="{strict}"><w:body><w:p><w:r><w:t>Strict.</w:t></w:r></w:p></w:body></w:document>'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": office_files.root_links("word/document2.xml"),
        "word/document2.xml": body,
    }
    assert load("a.docx", office_files.zipped(parts)).text == "Strict."


def test_open_document_text(load: Load) -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:h>The deed</text:h><text:p>\n  Vest  <text:span> owns </text:span>\n Gull<text:s text:c='3'/>AS"
        "<text:line-break/>and<text:soft-page-break/> more<text:tab/>yes<text:change text:change-id='1'/>"
        "<office:annotation><dc:creator>Bo</dc:creator><dc:date>2021</dc:date><text:p>Who?</text:p></office:annotation>"
        "<text:note text:note-class='endnote'><text:note-citation>i</text:note-citation><text:note-body>"
        "<text:p>In May.</text:p></text:note-body></text:note></text:p>"
        "<text:p><draw:frame><svg:title>no</svg:title><draw:text-box><text:p>Boxed.</text:p></draw:text-box></draw:frame>"
        "Beside. <text:date>4 May</text:date></text:p>"
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>deeper</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
        "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Ship</text:p></table:table-cell>"
        "<table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row></table:table-header-rows>"
        "<table:table-row><table:table-cell><text:p>Gull</text:p></table:table-cell><table:table-cell><text:p>7</text:p>"
        "</table:table-cell></table:table-row></table:table>"
    )
    document = load("a.odt", odf("text", f"<office:text>{body}</office:text>", footer="Vest &amp; Co."))
    assert document.text == (
        "The deed\n\nVest owns Gull   AS\nand more\tyes[1]\n\nComment by Bo: Who?\n\n[1] In May.\n\nBeside. 4 May\n\n"
        "Boxed.\n- one\n- deeper\n\nShip: Gull; Price: 7.\n\nVest & Co."
    )
    assert document.title == "The deed"
    assert named(document)["Footer"] == "Vest & Co."


def test_rich_text(load: Load) -> None:
    text = (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}"
        r"{\f2\fcharset2 Symbol;}{\f3\fcharset128 Mincho;}}{\info{\title The letter}{\author Ida}"
        r"{\creatim\yr2021\mo5\dy4\hr10\min7}}"
        r"{\header Vest AS\par}{\*\generator none}\pard\outlinelevel0 The price\par\pard "
        r"caf\'e9 {\f1\'cf\'eb} {\f2 a}{\f3\'82\'a0}\line next\emdash"
        r"{\deleted gone}\deleted more\deleted0 {\v hidden}\par"
        r"{\field{\*\fldinst HYPERLINK no}{\fldrslt a link}}, {\upr{no}{\*\ud{\u960?}}}\u8364\'80{\pict 00ff}"
        r"{\*\unknown no}{\shp{\*\shpinst{\sp{\sn no}}{\shptxt In the box.\par}}{\shprslt no}}\par"
        r"{\pntext\'b7\tab}A point\par{\listtext 1.\tab}First\par"
        r"\trowd\pard\intbl Ship\cell Price\cell\row\pard\intbl Gull\par two\cell 7\cell\row\pard "
        r"Paid{\chatn{\*\atnauthor Bo}{\*\annotation Who?}}{\footnote In \i May\i0.}\bin4 \}}x late.\par}"
    )
    document = load("a.rtf", text.encode("ascii"))
    assert document.text == (
        "The price\n\ncafé Пл αあ\nnext—\n\na link, π€\n\nIn the box.\n- A point\n1. First\n\n"
        "Ship: Gull two; Price: 7.\n\nPaid[1] late.\n\nComment by Bo: Who?\n\n[1] In May.\n\nVest AS"
    )
    assert (document.title, document.date, document.author) == ("The letter", "2021-05-04T10:07:00", "Ida")
