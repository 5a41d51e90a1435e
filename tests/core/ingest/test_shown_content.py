"""What the usual program shows of a file is in the text, or a notice counts it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from core.ingest.markup import read_html
from core.ingest.opendocument import read_text
from core.ingest.reading import Reading
from core.ingest.rich_text import read_rtf
from core.ingest.slides import read_slides
from core.ingest.word import read_word
from core.research.synthetic.damaged_files import repacked
from core.types import BlockKind, NoticeKind
from tests.core.ingest.test_written_documents import paragraph, run, word
from tests.data_makers import round_trip_files
from tests.data_makers.round_trip_files import odf

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"


def notices(reading: Reading) -> dict[tuple[NoticeKind, str], int]:
    return {(notice.kind, notice.detail): notice.count for notice in reading.notices}


def show(fill: Callable[..., None]) -> Reading:
    presentation = Presentation()
    fill(presentation.slides.add_slide(presentation.slide_layouts[6]))
    data = io.BytesIO()
    presentation.save(data)
    return read_slides(data.getvalue())


def catches() -> CategoryChartData:
    data = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["2021", "2022"]
    data.add_series("Herring", (412.5, 388))  # type: ignore[no-untyped-call]
    data.add_series("Cod", (9.1, None))  # type: ignore[no-untyped-call]
    return data


def test_a_chart_of_a_slide_is_a_table() -> None:
    def fill(slide: object) -> None:
        frame = slide.shapes.add_chart(  # type: ignore[attr-defined]
            XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(5), Inches(4), catches()
        )
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = "Landed fish"
        frame.chart.value_axis.has_title = True
        frame.chart.value_axis.axis_title.text_frame.text = "tonnes"

    reading = show(fill)
    assert reading.text.startswith("Landed fish (tonnes) (bar chart)\n")
    assert "388" in next(line for line in reading.text.split("\n") if "2022" in line)
    assert "412.5" in next(line for line in reading.text.split("\n") if "2021" in line)
    assert {block.kind for block in reading.blocks} == {BlockKind.CAPTION, BlockKind.TABLE}
    assert not reading.notices


def chart_xml(values: str) -> str:
    names = (
        '<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>Herring</c:v></c:pt></c:strCache></c:strRef></c:cat>'
    )
    series = f"<c:ser>{names}<c:val><c:numRef>{values}</c:numRef></c:val></c:ser>"
    plot = f"<c:plotArea><c:pieChart>{series}</c:pieChart></c:plotArea>"
    return f'<c:chartSpace xmlns:c="{DRAWING}/chart"><c:chart>{plot}</c:chart></c:chartSpace>'


@pytest.mark.parametrize(("values", "text", "unread"), [
    ('<c:numCache><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.25</c:v></c:pt></c:numCache>', "25 %", 0),
    ('<c:numCache><c:formatCode>dd/mm/yyyy</c:formatCode><c:pt idx="0"><c:v>45000</c:v></c:pt></c:numCache>',
     "2023-03-15", 0),
    ("<c:f>Sheet1!$B$2</c:f>", "", 1),
])  # fmt: skip
def test_charts_in_word(values: str, text: str, unread: int) -> None:
    graphic = (
        f'<w:r><w:drawing><wp:inline xmlns:wp="{DRAWING}/wordprocessingDrawing"><wp:docPr descr="Shares of fish"/>'
        f'<a:graphic xmlns:a="{DRAWING}/main"><a:graphicData><c:chart xmlns:c="{DRAWING}/chart" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="chart"/>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    data = word(paragraph(run("Before.") + graphic) + paragraph(run("After.")), chart="")
    reading = read_word(with_parts(data, {"word/chart.xml": chart_xml(values)}))
    parts = reading.text.split("\n\n")
    assert (parts[0], parts[-1]) == ("Before.", "After.")
    assert text in reading.text
    assert "Shares of fish" in reading.text
    assert notices(reading).get((NoticeKind.CHART, ""), 0) == unread


def test_diagrams_are_lines_the_inner_ones_after_the_outer() -> None:
    points = "".join(
        f'<dgm:pt modelId="{n}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for n, text in enumerate(("Owner", "Mate", "Cook", "Captain"))
    )
    links = (
        '<dgm:cxn srcId="0" destId="3" srcOrd="0"/><dgm:cxn srcId="3" destId="1" srcOrd="0"/><dgm:cxn '
        'srcId="3" destId="2" srcOrd="1"/>'
    )
    diagram = (
        f'<dgm:dataModel xmlns:dgm="{DRAWING}/diagram" xmlns:a="{DRAWING}/main"><dgm:ptLst>{points}</dgm:ptLst>'
        f"<dgm:cxnLst>{links}</dgm:cxnLst></dgm:dataModel>"
    )
    graphic = (
        f'<w:r><w:drawing><wp:inline xmlns:wp="{DRAWING}/wordprocessingDrawing"><a:graphic xmlns:a="{DRAWING}/main">'
        f'<a:graphicData><dgm:relIds xmlns:dgm="{DRAWING}/diagram" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:dm="diagram"/>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )
    data = with_parts(word(paragraph(graphic), diagram=""), {"word/diagram.xml": diagram})
    assert read_word(data).text == "- Owner\n- Captain\n- Mate\n- Cook"


def test_comments_of_slides_of_both_kinds() -> None:
    show = "http://schemas.openxmlformats.org/presentationml/2006/main"
    new = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
    links = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    newer = "http://schemas.microsoft.com/office/2018/10/relationships"
    data = round_trip_files.pptx("Quay")
    extra = {
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst xmlns:p="{show}"><p:cmAuthor id="4" name="Rolf Dahl"/>'
        f"</p:cmAuthorLst>",
        "ppt/authors.xml": f'<x:authorLst xmlns:x="{new}"><x:author id="{{A}}" name="Liv Berg"/></x:authorLst>',
        "ppt/comments/old.xml": f'<p:cmLst xmlns:p="{show}"><p:cm authorId="4" dt="2024-05-04T10:00:00">'
        f"<p:text>Waived.</p:text></p:cm></p:cmLst>",
        "ppt/comments/new.xml": (
            f'<x:cmLst xmlns:x="{new}" xmlns:a="{DRAWING}/main"><x:cm authorId="{{A}}"><x:replyLst><x:reply '
            f'authorId="{{A}}">'
            "<x:txBody><a:p><a:r><a:t>By whom?</a:t></a:r></a:p></x:txBody></x:reply></x:replyLst>"
            "<x:txBody><a:p><a:r><a:t>See the letter.</a:t></a:r></a:p></x:txBody></x:cm></x:cmLst>"
        ),
    }
    added = {
        "ppt/_rels/presentation.xml.rels": {f"{links}/commentAuthors": "comm", f"{newer}/authors": "auth"},
        "ppt/slides/_rels/slide1.xml.rels": {f"{links}/comments": "old", f"{newer}/comments": "new"},
    }
    targets = {
        "comm": "commentAuthors",
        "auth": "authors",
        "old": "../comments/old",
        "new": "../comments/new",
    }

    def linked(name: str, content: bytes) -> bytes:
        found = "".join(
            f'<Relationship Id="{key}" Type="{kind}" Target="{targets[key]}.xml"/>'
            for kind, key in added.get(name, {}).items()
        )
        return content.replace(b"</Relationships>", f"{found}</Relationships>".encode())

    out = repacked(data, linked, {name: text.encode() for name, text in extra.items()})
    reading = read_slides(out)
    found = [reading.text[one.start : one.end] for one in reading.regions if one.name.startswith("Comment")]
    assert found[0] == "Comment by Rolf Dahl (2024-05-04): Waived."
    assert sorted(found[1:]) == ["Comment by Liv Berg: By whom?", "Comment by Liv Berg: See the letter."]


def test_merged_cells_pictures_and_hidden_shapes_of_slides() -> None:
    def fill(slide: object) -> None:
        table = slide.shapes.add_table(3, 2, Inches(1), Inches(1), Inches(4), Inches(2)).table  # type: ignore[attr-defined]
        for at, text in {
            (0, 0): "Deck",
            (0, 1): "Person",
            (1, 0): "Upper",
            (1, 1): "Ida",
            (2, 1): "Nils",
        }.items():
            table.cell(*at).text = text
        table.cell(1, 0).merge(table.cell(2, 0))
        box = slide.shapes.add_textbox(Inches(1), Inches(4), Inches(2), Inches(1))  # type: ignore[attr-defined]
        box.text_frame.text = "secret"
        box._element.nvSpPr.cNvPr.set("hidden", "1")

    reading = show(fill)
    assert [
        line for line in reading.text.split("\n") if "Upper" in line and ("Ida" in line or "Nils" in line)
    ] != []
    assert sum("Upper" in line for line in reading.text.split("\n")) == 2
    assert "secret" not in reading.text
    assert notices(reading) == {(NoticeKind.HIDDEN, ""): 1}


FIELD = '<w:r><w:fldChar w:fldCharType="{}">{}</w:fldChar></w:r>'


@pytest.mark.parametrize(("content", "text", "found"), [
    (run("Paid ") + FIELD.format("begin", '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/>'
     '</w:checkBox></w:ffData>') + "<w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>" + FIELD.format("end", ""),
     "Paid ☒", {}),
    (run("Coast: ") + FIELD.format("begin",
     '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="East"/><w:listEntry '
     'w:val="West"/></w:ddList></w:ffData>') + FIELD.format("end", ""), "Coast: West", {}),
    (FIELD.format("begin", "") + run("not this") + FIELD.format("separate", "") + run("clause 4")
     + FIELD.format("end", ""), "clause 4", {}),
    (run("New.") + '<w:del w:id="1"><w:r><w:delText>Old.</w:delText></w:r></w:del>', "New.", {(NoticeKind.HIDDEN,
     "deletion"): 1}),
    (run("See ") + '<w:object xmlns:o="urn:o"><o:OLEObject ProgID="Excel.Sheet.12"/></w:object>', "See",
     {(NoticeKind.OTHER, "Excel.Sheet.12"): 1}),
    ('<w:r><w:pict><v:shape style="width:300pt;height:200pt"><v:imagedata/></v:shape>' '</w:pict></w:r>'
     + run("Map."), "Map.", {(NoticeKind.PICTURE, ""): 1}),
])  # fmt: skip
def test_word(content: str, text: str, found: dict[tuple[NoticeKind, str], int]) -> None:
    reading = read_word(word(paragraph(content)))
    assert reading.text == text
    assert notices(reading) == found


def math(inner: str) -> str:
    return paragraph(f"<m:oMath>{inner}</m:oMath>")


def letters(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(("inner", "text"), [
    (f"<m:f><m:num>{letters('a+b')}</m:num><m:den>{letters('2')}</m:den></m:f>", "(a+b)/2"),
    (f"{letters('A=π')}<m:sSup><m:e>{letters('r')}</m:e><m:sup>{letters('2')}</m:sup></m:sSup>", "A=π r^2"),
    (f"<m:rad><m:deg/><m:e>{letters('x')}</m:e></m:rad>", "√(x)"),
    (f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{letters("i=1")}</m:sub>'
     f"<m:sup>{letters('n')}</m:sup>" f"<m:e>{letters('i')}</m:e></m:nary>", "∑_(i=1)^n i"),
])  # fmt: skip
def test_equations_of_word(inner: str, text: str) -> None:
    assert read_word(word(math(inner))).text == text


@pytest.mark.parametrize(("html", "text", "found"), [
    ("<label>Surname <input value='Tollefsen'></label>", "Surname: Tollefsen", {}),
    ("<p>Paid <input type=checkbox checked> Late <input type=radio></p>", "Paid ☒ Late ☐", {}),
    ("<p>Coast <select><option>East<option selected>West</select></p>", "Coast: West", {}),
    ("<p>x<input type=hidden value=no><input type=password value=no><input type=submit value=no></p>", "x", {}),
    ("<p>The quay.<img alt='Two boats at the quay'></p>", "The quay.\n\nTwo boats at the quay", {}),
    ("<table><tr><td>Ida</td><td><img alt='yes'></td></tr><tr><td>Bo</td><td>no</td></tr></table>", "yes", {}),
    ("<img width=400 height=300 src=x>Map", "Map", {(NoticeKind.PICTURE, ""): 1}),
    ("<svg><title>Fish</title><text>Cod 9</text><text>Eel <tspan>4</tspan></text></svg>", "Fish\nCod 9\nEel 4", {}),
    ("<p>It is <math><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>=</mo><msup><mi>x</mi><mn>3</mn></msup>" "</math>.</p>",
     "It is a/2=x^3.", {}),
    ("<p>a</p><canvas>no</canvas><iframe src=x></iframe><iframe width=1>" "</iframe>", "a", {(NoticeKind.CHART,
     ""): 1, (NoticeKind.OTHER, "iframe"): 1}),
    ("<p>a<span hidden>no</span></p><div style='display: none'><p>no</p></div>", "a", {(NoticeKind.HIDDEN, ""): 2}),
])  # fmt: skip
def test_pages(html: str, text: str, found: dict[tuple[NoticeKind, str], int]) -> None:
    reading = read_html(html)
    assert text in reading.text
    assert "no" not in reading.text.split() or "Bo" in html
    assert notices(reading) == found


OBJECT = (
    '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image '
    'xlink:href="./ObjectReplacements/Object 1"/></draw:frame>'
)


def open_document(body: str, *namespaces: str, parts: dict[str, str] | None = None) -> bytes:
    """A text whose content knows further prefixes."""
    root = "<office:document-content " + " ".join(f'xmlns:{name}="{name}"' for name in namespaces)
    data = odf("text", f"<office:text>{body}</office:text>")
    return with_parts(data, parts or {}, (b"<office:document-content", root.encode()))


def with_parts(data: bytes, parts: dict[str, str], change: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    """The package with these parts, and with `change` in all others."""
    encoded = {name: text.encode() for name, text in parts.items()}

    def put(name: str, content: bytes) -> bytes:
        return encoded.pop(name, content.replace(*change) if change[0] else content)

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        new = {name: encoded.pop(name) for name in [*encoded] if name not in archive.namelist()}
    return repacked(data, put, new)


def test_charts_and_formulas_of_open_document() -> None:
    cell = '<t:table-cell><x:p xmlns:x="x">{}</x:p></t:table-cell>'
    rows = "".join(
        f"<t:table-row>{''.join(map(cell.format, row))}</t:table-row>"
        for row in (("", "Herring"), ("2021", "412.5"), ("2022", "NaN"))
    )
    chart = (
        '<o:document-content xmlns:o="o" xmlns:c="c" xmlns:t="t"><o:body><o:chart><c:chart><c:title><x:p '
        'xmlns:x="x">Landed'
        f'</x:p></c:title><t:table t:name="local-table">{rows}</t:table></c:chart></o:chart></o:body>'
        f"</o:document-content>"
    )
    reading = read_text(
        open_document(
            f"<text:p>Before.{OBJECT}</text:p><text:p>After.</text:p>",
            "xlink",
            parts={"Object 1/content.xml": chart},
        )
    )
    assert reading.text.startswith("Before.\n\nLanded\n\n")
    assert reading.text.endswith("After.")
    assert "2021; Herring: 412.5." in reading.text.split("\n")
    assert "NaN" not in reading.text
    formula = (
        '<m:math xmlns:m="m"><m:semantics><m:mi>x</m:mi><m:annotation>x</m:annotation></m:semantics></m:math>'
    )
    assert (
        read_text(
            open_document(
                f"<text:p>Let {OBJECT} be.</text:p>", "xlink", parts={"Object 1/content.xml": formula}
            )
        ).text
        == "Let x be."
    )


@pytest.mark.parametrize(("body", "text", "found"), [
    ('<office:forms><form:form><form:text form:id="c1" form:label="Surname" '
     'form:current-value="Tollefsen"/></form:form>'
     '</office:forms><text:p><draw:control draw:control="c1"/></text:p>', "Surname: Tollefsen", {}),
    ('<office:forms><form:form><form:checkbox form:id="c1" form:label="Paid" '
     'form:current-state="checked"/></form:form>'
     '</office:forms><text:p><draw:control draw:control="c1"/></text:p>', "☒ Paid", {}),
    ('<text:section text:display="none" text:name="Annex"><text:p>gone</text:p></text:section>' '<text:p>a</text:p>',
     "a", {(NoticeKind.HIDDEN, "Annex"): 1}),
    ('<text:p>Map.<draw:frame svg:width="9cm" svg:height="7cm"><draw:image/><svg:desc>The '
     'quay</svg:desc></draw:frame></text:p>', "Map.\n\nThe quay", {(NoticeKind.PICTURE, ""): 1}),
])  # fmt: skip
def test_open_document(body: str, text: str, found: dict[tuple[NoticeKind, str], int]) -> None:
    reading = read_text(open_document(body, "form"))
    assert reading.text == text
    assert notices(reading) == found


@pytest.mark.parametrize(("rtf", "text", "found"), [
    (r"Paid {\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres1}}}{\fldrslt }}", "Paid ☒", {}),
    (r"a{\v hidden}", "a", {(NoticeKind.HIDDEN, ""): 1}),
    (r"a{\object\objemb{\*\objclass Excel.Sheet.8}{\*\objdata 00}}", "a", {(NoticeKind.OTHER, "Excel.Sheet.8"): 1}),
    (r"a{\*\shppict{\pict\picwgoal6000\pichgoal4000 " r"00}}{\nonshppict{\pict\picwgoal6000\pichgoal4000 00}}", "a",
     {(NoticeKind.PICTURE, ""): 1}),
])  # fmt: skip
def test_rich_text(rtf: str, text: str, found: dict[tuple[NoticeKind, str], int]) -> None:
    reading = read_rtf((r"{\rtf1\pard " + rtf + r"\par}").encode())
    assert reading.text == text
    assert notices(reading) == found
