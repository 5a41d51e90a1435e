"""Automatic numbers of clauses, lists and headings are in the text as the usual programs show them."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from pptx import Presentation
from pptx.oxml.ns import qn
from pptx.util import Inches

from core.ingest.markdown import read_markdown
from core.ingest.markup import read_html
from core.ingest.numbering import format_number
from core.ingest.opendocument import read_text
from core.ingest.rich_text import read_rtf
from core.ingest.slides import read_slides
from core.ingest.word import read_word
from core.research.synthetic.damaged_files import repacked
from tests.core.ingest.test_written_documents import paragraph, run, word
from tests.data_makers.round_trip_files import odf


@pytest.mark.parametrize(("number", "style", "text"), [
    (4, "decimalZero", "04"),
    (1994, "upperRoman", "MCMXCIV"),
    (28, "lowerLetter", "bb"),
    (22, "ordinal", "22nd"),
    (21, "ordinalText", "Twenty-first"),
    (12, "chineseCounting", "十二"),
    (3, "russianUpper", "В"),
    (5, "ofSomeLaterVersion", "5"),
    (10**9, "lowerRoman", "1000000000"),
])  # fmt: skip
def test_forms_of_numbers(number: int, style: str, text: str) -> None:
    assert format_number(number, style) == text


def level(at: int, style: str, text: str, rest: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{style}"/>{rest}<w:lvlText '
        f'w:val="{text}"/></w:lvl>'
    )


def numbering(levels: str, *overrides: str) -> str:
    lists = "".join(
        f'<w:num w:numId="{n}"><w:abstractNumId w:val="7"/>{change}</w:num>'
        for n, change in enumerate(overrides, 1)
    )
    return f'<w:abstractNum w:abstractNumId="7">{levels}</w:abstractNum>{lists}'


def item(text: str, identity: int = 1, at: int = 0) -> str:
    return paragraph(run(text), f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{identity}"/></w:numPr>')


CLAUSES = level(0, "decimal", "%1.") + level(1, "decimal", "%1.%2") + level(2, "lowerLetter", "(%3)")
RESTART = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'


@pytest.mark.parametrize(("numbers", "body", "text"), [
    pytest.param(numbering(CLAUSES, ""), item("Hire") + item("Rate", at=1) + item("In ice", at=2) + item("Time",
     at=1) + item("Crew") + item("Pay", at=1), "1. Hire\n1.1 Rate\n(a) In ice\n1.2 Time\n2. Crew\n2.1 Pay",
     id="levels"),
    pytest.param(numbering(CLAUSES, "", ""), item("Hire") + paragraph(run("Words.")) + item("Crew", 2),
     "1. Hire\n\nWords.\n2. Crew", id="lists of one definition count on"),
    pytest.param(numbering(CLAUSES, "", RESTART), item("Hire") + item("Crew", 2) + item("Fuel", 2),
     "1. Hire\n5. Crew\n6. Fuel", id="a list with a start of its own"),
    pytest.param(numbering(level(0, "upperRoman", "Article %1") + level(1, "decimal", "§ %1.%2", "<w:isLgl/>"), ""),
     item("Names") + item("Seat", at=1), "Article I Names\n§ 1.1 Seat", id="words and digits for all levels"),
    pytest.param(numbering(CLAUSES, ""), item("Hire")
     + "<w:p><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr><w:rPr><w:del w:id='1'/></w:rPr></w:pPr>"
     "<w:del w:id='2'><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>" + item("Crew"), "1. Hire\n2. Crew",
     id="a deleted clause does not count"),
    pytest.param(numbering(CLAUSES, ""),
     f"<w:tbl><w:tr><w:tc>{item('Hire')}</w:tc><w:tc>{paragraph(run('900'))}</w:tc></w:tr></w:tbl>" + item("Crew"),
     "1. Hire; 900.\n2. Crew", id="in cells"),
])  # fmt: skip
def test_word(numbers: str, body: str, text: str) -> None:
    assert read_word(word(body, numbering=numbers)).text == text


IN_LIST = '<w:numPr><w:numId w:val="1"/></w:numPr>'


def test_word_numbers_of_styles_and_headings() -> None:
    styles = (
        f'<w:style w:styleId="Kapitel"><w:name w:val="heading 1"/><w:pPr>{IN_LIST}</w:pPr></w:style>'
        f'<w:style w:styleId="Abschnitt"><w:name w:val="heading 2"/><w:pPr>{IN_LIST}</w:pPr></w:style>'
        '<w:style w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="Abschnitt"/></w:style>'
    )
    linked = level(0, "decimal", "%1", '<w:pStyle w:val="Kapitel"/>') + level(
        1, "decimal", "%1.%2", '<w:pStyle w:val="Abschnitt"/>'
    )
    heading = "".join(
        paragraph(run(text), f'<w:pStyle w:val="{style}"/>{rest}')
        for text, style, rest in (
            ("Scope", "Kapitel", ""),
            ("Terms", "Abschnitt", ""),
            ("Annex", "Kapitel", '<w:numPr><w:numId w:val="0"/></w:numPr>'),
            ("Law", "Kapitel", ""),
        )
    )
    assert read_word(word(heading, styles=styles, numbering=numbering(linked, ""))).text == (
        "1 Scope\n\n1.1 Terms\n\nAnnex\n\n2 Law"
    )


@pytest.mark.parametrize(("html", "text"), [
    ("<ol start=4><li>Hire</li><li value=9>Crew</li><li>Fuel</li></ol>", "4. Hire\n9. Crew\n10. Fuel"),
    ("<ol type=a start=27><li>Hire</li></ol>", "aa. Hire"),
    ("<ol reversed><li>Hire</li><li>Crew</li><li>Fuel</li></ol>", "3. Hire\n2. Crew\n1. Fuel"),
    ("<ol><li>Hire<ol type=i><li>Rate</li><li>Time</li></ol></li><li>Crew</li></ol>",
     "1. Hire\ni. Rate\nii. Time\n2. Crew"),
    ("<ol style='list-style-type:none'><li>Hire</li></ol><ul><li>ice</li></ul>", "- Hire\n- ice"),
    ("<ol><li></li><li>Crew</li></ol>", "2. Crew"),
])  # fmt: skip
def test_pages(html: str, text: str) -> None:
    assert "\n".join(line for line in read_html(html).text.split("\n") if line) == text.replace("\n\n", "\n")


def list_style(name: str, levels: str) -> str:
    return f'<text:list-style style:name="{name}">{levels}</text:list-style>'


def odf_level(at: int, style: str, rest: str = "") -> str:
    return f'<text:list-level-style-number text:level="{at}" style:num-format="{style}" {rest}/>'


def odf_list(*items: str, rest: str = "") -> str:
    inside = "".join(
        one if one.startswith("<") else f"<text:list-item><text:p>{one}</text:p></text:list-item>"
        for one in items
    )
    return f'<text:list text:style-name="L1" {rest}>{inside}</text:list>'


def open_document(styles: str, body: str) -> bytes:
    start = b"<office:body>"
    added = f"<office:automatic-styles>{styles}</office:automatic-styles>".encode() + start
    return repacked(
        odf("text", f"<office:text>{body}</office:text>"), lambda _, data: data.replace(start, added)
    )


NESTED = (
    "<text:list-item><text:p>Hire</text:p><text:list><text:list-item><text:p>Rate</text:p></text:list-item>"
    "<text:list-item><text:p>Time</text:p></text:list-item></text:list></text:list-item>"
)
TWO_LEVELS = odf_level(1, "1", 'style:num-suffix="."') + odf_level(
    2, "a", 'text:display-levels="2" style:num-suffix=")"'
)


@pytest.mark.parametrize(("levels", "body", "text"), [
    (TWO_LEVELS, odf_list(NESTED, "Crew"), "1. Hire\n1.a) Rate\n1.b) Time\n2. Crew"),
    (TWO_LEVELS, odf_list("Hire") + "<text:p>Words.</text:p>" + odf_list("Crew",
     rest='text:continue-numbering="true"'), "1. Hire\nWords.\n2. Crew"),
    (TWO_LEVELS, odf_list("Hire", rest='xml:id="one"') + odf_list("Other") + odf_list("Crew",
     rest='text:continue-list="one"'), "1. Hire\n1. Other\n2. Crew"),
    (odf_level(1, "I", 'text:start-value="3"'), odf_list("Hire",
     '<text:list-item text:start-value="8"><text:p>Crew</text:p></text:list-item>'), "III Hire\nVIII Crew"),
    ('<text:list-level-style-bullet text:level="1" text:bullet-char="•"/>', odf_list("ice", "rope"), "- ice\n- rope"),
])  # fmt: skip
def test_open_document(levels: str, body: str, text: str) -> None:
    read = read_text(open_document(list_style("L1", levels), body)).text
    assert [line for line in read.split("\n") if line] == text.split("\n")


def test_headings_of_open_document() -> None:
    outline = (
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    )
    headings = (
        (1, "Scope", ""),
        (2, "Terms", ""),
        (1, "Annex", 'text:is-list-header="true"'),
        (1, "Law", ""),
    )
    body = "".join(f'<text:h text:outline-level="{at}" {rest}>{text}</text:h>' for at, text, rest in headings)
    assert read_text(open_document(outline, body)).text == "1 Scope\n\n1.1 Terms\n\nAnnex\n\n2 Law"


def slides(fill: Callable[..., None]) -> str:
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    fill(slide.shapes.add_textbox(Inches(1), Inches(1), Inches(5), Inches(4)).text_frame)
    data = io.BytesIO()
    show.save(data)
    return read_slides(data.getvalue()).text


@pytest.mark.parametrize(("lines", "text"), [
    ([("Hire", 0, "alphaLcParenBoth", 3)], "(c) Hire"),
    ([("Hire", 0, "romanUcPeriod", 0), ("Rate", 1, "arabicParenR", 0), ("Time", 1, "arabicParenR", 0), ("Crew", 0,
     "romanUcPeriod", 0)], "I. Hire\n1) Rate\n2) Time\nII. Crew"),
])  # fmt: skip
def test_slides(lines: list[tuple[str, int, str, int]], text: str) -> None:
    def fill(frame: object) -> None:
        for number, (words, at, kind, start) in enumerate(lines):
            new = frame.paragraphs[0] if not number else frame.add_paragraph()  # type: ignore[attr-defined]
            new.text, new.level = words, at
            if kind:
                mark = new._p.get_or_add_pPr().makeelement(qn("a:buAutoNum"), {"type": kind})
                new._p.get_or_add_pPr().append(mark)
                if start:
                    mark.set("startAt", str(start))

    assert slides(fill) == text


def test_rich_text_and_markdown_keep_their_numbers() -> None:
    text = r"{\rtf1 {\listtext 2.1\tab}\pard Hire\par{\listtext\'b7\tab}ice\par"
    text += r"\pard\outlinelevel0{\listtext IV.\tab}Law\par}"
    assert read_rtf(text.encode()).text == "2.1 Hire\n- ice\n\nIV. Law"
    assert read_markdown("3. Hire\n4. Crew\n   - ice\n").text == "3. Hire\n4. Crew\n- ice"
