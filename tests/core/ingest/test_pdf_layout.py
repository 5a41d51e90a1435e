"""What a reader sees on the pages of a PDF stands in its text, in the order in which it is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from core.ingest.layout import unwrapped
from core.ingest.loaders import DocumentLoader
from core.ingest.pdf import read_pdf
from core.ingest.plain_text import read_plain
from core.ingest.right_to_left import Glyph, logical_order
from core.types import BlockKind, NoticeKind


def drawn(draw: Callable[[Canvas], None]) -> bytes:
    data = BytesIO()
    canvas = Canvas(data)
    draw(canvas)
    canvas.save()
    return data.getvalue()


def test_what_varies_at_the_edges_of_pages_is_in_the_text() -> None:
    def draw(canvas: Canvas) -> None:
        for at in range(5):
            canvas.drawString(60, 780, "Bellmarsh Rope Works")
            canvas.drawString(60, 764, f"Receipt {2300 + at}")
            canvas.drawString(60, 700, f"For {at + 4} coils of rope of the ship {'ABCDE'[at]}rndal")
            canvas.drawString(60, 680, f"Paid: {at * 31 + 95} crowns")
            canvas.drawString(60, 40, f"Order 66{at}9{at}")
            canvas.drawString(500, 30, f"Page {at + 1} of 5")
            canvas.showPage()

    reading = read_pdf(drawn(draw))
    for at in range(5):
        page = reading.text[reading.pages[at].start : reading.pages[at].end]
        assert f"Receipt {2300 + at}" in page and f"Order 66{at}9{at}" in page
    assert reading.text.count("Bellmarsh Rope Works") == 1 and "Page 3" not in reading.text
    headings = [reading.text[b.start : b.end] for b in reading.blocks if b.kind is BlockKind.HEADING]
    assert headings == [f"Receipt {2300 + at}" for at in range(5)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["4. Hire and payment of the ship by the tenant", "4.1 The hire of the ship is forty crowns a day.",
          "4.2 It is owed in the first week of each month."],
         ["4. ", "4.1 ", "4.2 "]),
        (["Section 6 The owner keeps the ship in good order.", "Section 7 The tenant keeps the crew in good order."],
         ["Section 6 ", "Section 7 "]),
        # A quantity and a reference at the beginning of a line are no numbers of lines.
        (["4.1 The ship carries no more at any time than the", "2.5 tonnes that the owner allows in writing to her."],
         ["4.1 "]),
        (["Section 6 The owner keeps the ship as is said in", "Section 9 of the charter and in no other paper."],
         ["Section 6 "]),
    ],
)  # fmt: skip
def test_numbers_that_count_on_begin_lines(lines: list[str], expected: list[str]) -> None:
    read = [line for line in unwrapped("\n".join(lines)).split("\n") if line]
    assert len(read) == len(expected) and all(map(str.startswith, read, expected))


LEFT = [
    "1. Which harbours of the county have a crane that",
    "lifts more than ninety tonnes, and who is paid",
    "for it in the winter?",
    "Ingrid Sol",
    "2. Who is the pilot?",
    "Jon Vik",
]
RIGHT = [
    "3. How many ferries of the county were sold by",
    "their owners in the years after the storm, and",
    "who bought them?",
    "Nobody knows",
    "4. Who is the clerk?",
    "Tora Lund",
]


@pytest.mark.parametrize(("step", "rules"), [(14, 0), (22, 3)])
def test_columns_of_short_lines_are_read_one_after_the_other(step: int, rules: int) -> None:
    def draw(canvas: Canvas) -> None:
        for at, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
            canvas.drawString(50, 760 - step * at, left)
            canvas.drawString(330, 760 - step * at, right)
            if at >= len(LEFT) - rules:
                canvas.line(50, 756 - step * at, 560, 756 - step * at)

    reading = read_pdf(drawn(draw))
    words = " ".join(reading.text.split())
    assert " ".join(LEFT) in words and " ".join(RIGHT) in words
    assert [notice.kind for notice in reading.notices] == [NoticeKind.ORDER]


def test_cells_of_a_table_without_rules_stand_apart() -> None:
    rows = [("Ship", "Master"), ("Tarn", "Una Reef"), ("Brig", "Max Oller"), ("Kogge", "Sam Tyne")]

    def draw(canvas: Canvas) -> None:
        for at, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                canvas.drawString(60 + 200 * column, 700 - 18 * at, cell)

    assert read_pdf(drawn(draw)).text == "\n".join("\t".join(cells) for cells in rows)


PLEADING = [
    "The plaintiff says that the owner of the yard",
    "sold the ladder in the autumn of that year to a",
    "cook, Gun-",
    "nar Holt, who never paid the clerk.",
    "",
    "He asks for 12 crowns.",
    "",
    "",
]


@pytest.mark.parametrize(("flush", "rule"), [("left", False), ("right", True)])
def test_numbers_of_lines_are_left_out(flush: str, rule: bool) -> None:
    def draw(canvas: Canvas) -> None:
        for at, line in enumerate(PLEADING):
            put = canvas.drawRightString if flush == "right" else canvas.drawString
            put(80, 720 - 24 * at, str(at + 1 + 4))
            canvas.drawString(110, 720 - 24 * at, line)
        if rule:
            for x in (95, 98, 560):
                canvas.line(x, 500, x, 780)

    expected = "sold the ladder in the autumn of that year to a cook, Gunnar Holt, who never paid the clerk."
    text = read_pdf(drawn(draw)).text
    assert expected in " ".join(text.split()) and "12 crowns" in text
    assert not any(word in text.split() for word in map(str, range(5, 12)))


def test_numbers_of_items_stay() -> None:
    rows = ["Una Reef", "van Moor, Piet", "Max Oller", "de Wit, Jan", "Sam Tyne", "Tor Eide"]
    text = read_plain("\n".join(f"{at}  {row}" for at, row in enumerate(rows, 1))).text
    assert [row for at, row in enumerate(rows, 1) if f"{at}  {row}" not in text] == []


PROSE = [
    "the clerk went down to the cellar, where he found the",
    "second ladder. It belonged to the cook, and nobody had",
    "missed it until the fire. The owner was told at noon.",
]


def test_every_page_of_a_numbered_text_has_its_lines_numbered() -> None:
    pages = [
        PROSE * 8,
        ["Q.  Were you there?", "A.  No.", "Q.  Who was?", "A.  Una Reef."],
        ["Read", "and signed."],
    ]
    text = "\f".join(
        "\n".join(f"{at:>3}   {line}" for at, line in enumerate(page, 1)) + "\n" for page in pages
    )
    read = read_plain(text.replace("\f", "\n")).text
    assert "A.  Una Reef." in read and "found the second ladder" in read
    assert not re.search(r"^ *\d", read, re.MULTILINE)


CUT_WORDS = [
    ("In May she wrote to Ada that her sister-in-\nlaw had sold the whole house of the "
     "well-\nknown cook to the only and rather old law-\nyer who lived at the time by the sea in Saint-\nMalo, "
     "though nobody in the town had asked.", ["sister-in-law", "well-known", "lawyer", "Saint-Malo"]),
    ("Am Montag früh wurde bekannt, dass der Haupt-\nund der Nebeneingang der großen alten Papier-\nfabrik bei "
     "Murnau und der in Garmisch-\nPartenkirchen zu sind, und das bis zum Mon-\ntag der Woche danach.",
     ["Haupt- und der", "Papierfabrik", "Garmisch-Partenkirchen", "Montag der"]),
    ("Ils sont partis hier et reviendront peut-\nêtre demain dans le courant de l'après-\nmidi, selon ce que vient "
     "de dire celui-\nci à la sortie, et c'est aussi le prési-\ndent qui le pense.", ["peut-être", "après-midi",
     "celui-ci", "président"]),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["txt", "pdf"])
@pytest.mark.parametrize(("text", "words"), CUT_WORDS)
def test_words_that_ends_of_lines_cut(text: str, words: list[str], kind: str, tmp_path: Path) -> None:
    data = f"{text}\n".encode()
    if kind == "pdf":
        data = drawn(
            lambda c: [c.drawString(40, 800 - 14 * n, line) for n, line in enumerate(text.split("\n"))]
        )
    (tmp_path / f"a.{kind}").write_bytes(data)
    read = DocumentLoader().load(tmp_path / f"a.{kind}").text
    assert [word for word in words if word not in read] == []


def glyphs(drawn_from_left: list[str]) -> list[Glyph]:
    """Of glyphs six points apart, the first one the leftmost."""
    return [
        Glyph(letter, 6.0 * at, 0, 6.0 * at + 6, 12, at)
        for at, text in enumerate(drawn_from_left)
        for letter in text
    ]


@pytest.mark.parametrize(("letters", "read"), [
    (list("2024 תנש"), "שנת 2024"),
    (["ح", "ا", "ب", "\u0627\u0644", "م"], "ملاباح"),
    (list("Linux ןורתיו"), "ויתרון Linux"),
])  # fmt: skip
def test_letters_from_right_to_left_are_put_in_order(letters: list[str], read: str) -> None:
    assert "".join(glyph.text for glyph in logical_order(glyphs(letters))) == read


def test_values_of_forms_and_annotations_are_read() -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        canvas.drawString(60, 760, "Tenant:")
        form.textfield(name="f_1", value="Una Reef", x=150, y=755, width=120, height=16)
        form.textfield(name="Mooring", value="South quay", x=60, y=700, width=120, height=16)
        form.checkbox(name="c_1", tooltip="Has a dog", checked=True, x=60, y=660, size=14)
        form.choice(
            name="District", value="Inner", options=["Inner", "Outer"], x=60, y=630, width=90, height=16
        )
        canvas.drawString(60, 600, "Has a boat")
        for at, option in enumerate(("none", "one", "several")):
            form.radio(
                name="r_1", value=option, selected=option == "several", x=150 + 60 * at, y=598, size=12
            )
            canvas.drawString(165 + 60 * at, 600, option)
        canvas.drawString(60, 500, "The rent is paid in advance.")
        canvas.textAnnotation("Max Oller never agreed to this.", Rect=[72, 480, 92, 500])

    reading = read_pdf(drawn(draw))
    for words in (
        "Tenant: Una Reef",
        "Mooring: South quay",
        "Has a dog: yes",
        "District: Inner",
        "Has a boat: several",
    ):
        assert words in reading.text
    notes = [reading.text[b.start : b.end] for b in reading.blocks if b.kind is BlockKind.NOTE]
    assert notes == ["Comment: Max Oller never agreed to this."]


def written(*objects: bytes) -> bytes:
    """A PDF of these objects, of which the first is the catalogue and the second the list of pages."""
    data, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n%b%b" % (len(places) + 1, table, trailer)


def stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)


FILE = "<< /Type /Filespec /F (plan.txt) /EF << /F 6 0 R >> >>"
NAMED = f"/Names << /EmbeddedFiles << /Names [(a) {FILE} (b) {FILE}] >> >>"
STAMP = "<< /Type /Annot /Subtype /Stamp /Rect [400 700 500 740] {} >>"


BOX = "<< /Type /Annot /Subtype /FreeText /Rect [60 600 200 640] /RC ({}) >>"
DATA = (
    b"<xfa:datasets xmlns:xfa='http://www.xfa.org/schema/xfa-data/1.0/'><xfa:data><form><Tenant>Ove Lie</Tenant>"
    b"<part><Rent>41.5</Rent><Note> </Note></part></form></xfa:data></xfa:datasets>"
)


@pytest.mark.parametrize(("catalogue", "annotations", "notices", "notes"), [
    (NAMED, "", {(NoticeKind.OTHER, "attached files"): 2}, ()),
    ("/AcroForm << /Fields [] /XFA 7 0 R >>", "", {(NoticeKind.FORM, "XFA"): 1}, ("Tenant: Ove Lie", "Rent: 41.5")),
    ("/AcroForm << /Fields [] /XFA 8 0 R >>", "", {(NoticeKind.FORM, "XFA"): 1}, ()),
    ("", BOX.format("<body><p>Let <b>anew</b></p></body>"), {}, ("Comment: Let anew",)),
    ("", STAMP.format("/Contents (Let anew) /T (Ove Lie)"), {}, ("Comment by Ove Lie: Let anew",)),
    ("", f"<< /Type /Annot /Subtype /FileAttachment /Rect [9 9 20 20] /FS {FILE} >>", {(NoticeKind.ANNOTATION,
     ""): 1}, ()),
])  # fmt: skip
def test_what_a_pdf_holds_outside_its_pages_is_counted(
    catalogue: str, annotations: str, notices: dict[tuple[NoticeKind, str], int], notes: tuple[str, ...]
) -> None:
    page = "/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
    reading = read_pdf(
        written(
            f"<< /Type /Catalog /Pages 2 0 R {catalogue} >>".encode(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< {page} /Resources << /Font << /F1 5 0 R >> >> /Annots [{annotations}] >>".encode(),
            stream(b"BT /F1 12 Tf 72 700 Td (The berth is let by the week.) Tj ET"),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            stream(b"<plan/>"),
            stream(DATA),
            stream(b"<!DOCTYPE x [<!ENTITY a 'aa'>]>" + DATA),
        )
    )
    assert {(notice.kind, notice.detail): notice.count for notice in reading.notices} == notices
    assert reading.text.split("\n\n") == ["The berth is let by the week.", *notes]


def test_pages_are_called_by_their_labels() -> None:
    resources = b"/Resources << /Font << /F1 5 0 R >> >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R %b >>" % resources
    labels = "/PageLabels << /Nums [0 << /S /r >> 1 << /S /D >> 2 << /S /D /St 3 >> 3 << /S /D /P (B-) >>] >>"
    reading = read_pdf(
        written(
            f"<< /Type /Catalog /Pages 2 0 R {labels} >>".encode(),
            b"<< /Type /Pages /Kids [3 0 R 6 0 R 7 0 R 8 0 R] /Count 4 >>",
            page,
            stream(b"BT /F1 12 Tf 72 700 Td (The berth is let by the week.) Tj ET"),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *[page] * 3,
        )
    )
    first, second, _, last = reading.pages
    named = {(region.start, region.end): region.name for region in reading.regions}
    assert named == {
        (first.start, first.end): "Page i",
        (second.start, second.end): "Page 1",
        (last.start, last.end): "Page B-1",
    }
