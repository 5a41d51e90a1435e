"""What the rows of a grid are: forms, tables one below and beside the other, captions, totals; and how cells read."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from random import Random

import docx
import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from core.ingest.loaders import DocumentLoader
from core.ingest.markdown import read_markdown
from core.ingest.markup import read_html
from core.ingest.number_formats import displayed, displayed_moment, note_of, with_note
from core.ingest.old_workbooks import read_xls
from core.ingest.opendocument import read_sheets
from core.ingest.reading import Reading
from core.ingest.sheets import read_csv
from core.ingest.tables import sparse, table_text
from core.ingest.word import read_word
from core.ingest.workbooks import read_xlsx
from core.types import BlockKind, NoticeKind
from tests.data_makers.compound_files import record, xls
from tests.data_makers.round_trip_files import odf, ods_of


@pytest.mark.parametrize(("page", "text"), [
    ("<dl><dt>Agent</dt><dd><p>Una Reef</p><p>of Kiel</p></dd></dl>", "Agent: Una Reef\n\nof Kiel"),
    ("<dl><dt>Agent</dt><dt>Broker</dt><dd>Una Reef</dd></dl>", "Agent\n\nBroker: Una Reef"),
    ("<label><input type=checkbox checked>Bus</label><label><input type=radio>Taxi</label>"
     "<textarea>at 9</textarea>", "☒ Bus ☐ Taxi\nat 9"),
])  # fmt: skip
def test_terms_and_boxes_of_pages(page: str, text: str) -> None:
    assert read_html(page).text == text


LEASE = [["Lessee", "Karl Brun"], ["Since", "7 June 1984"], ["Surety", "Olga Fehr"], ["Stamp", ""]]


def csv_of(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(",".join(row) for row in rows) + "\n"


@pytest.mark.parametrize(("rows", "text"), [
    ("Lessee,Karl Brun\nStamp,\nDay,\n", "Lessee: Karl Brun.\nStamp.\nDay."),
    (csv_of(LEASE), "Lessee: Karl Brun.\nSince: 7 June 1984.\nSurety: Olga Fehr.\nStamp."),
    ("Holder,Bea Lund,,Ship,The Gull\nNo.,771,,Mate,Ole Vik\nSince,2001-05-03,,Berth,C4\n"
     "Fee,900,,Ends,2003-01-02\n",
     "Holder: Bea Lund; Ship: The Gull.\nNo.: 771; Mate: Ole Vik.\nSince: 2001-05-03; Berth: C4.\n"
     "Fee: 900; Ends: 2003-01-02."),
    ("Ship,,Owner,\nName,Gull,Name,Bea Lund\nKind,brig,Phone,0171 555\nBuilt,1951-05-03,Street,Quay 9\n",
     "Ship; Owner.\nName: Gull; Name: Bea Lund.\nKind: brig; Phone: 0171 555.\nBuilt: 1951-05-03; Street: Quay 9."),
    (",2019,2020\nHerring,12,30\nCod,5,9\n", "Herring; 2019: 12; 2020: 30.\nCod; 2019: 5; 2020: 9."),
    ("Shipper,Agent,Pilot\nRask Timber,,Una Reef\nLoad,Bales,Brand\n9.5 t,31,RT 1-31\n",
     "Shipper: Rask Timber; Agent; Pilot: Una Reef.\nLoad: 9.5 t; Bales: 31; Brand: RT 1-31."),
    ("Insured,Una Reef\nPolicy,HK-81-44\nSum,SEK 2 400 000\nExcess,SEK 1 500\n",
     "Insured: Una Reef.\nPolicy: HK-81-44.\nSum: SEK 2 400 000.\nExcess: SEK 1 500."),
    ("Ort,Wert\nBonn,3\nTrier,5\n", "Ort: Bonn; Wert: 3.\nOrt: Trier; Wert: 5."),
    ("Witness A,Una Reef\nWitness B,Max Oller\n", "Witness A: Una Reef.\nWitness B: Max Oller."),
    ("Hirer 1,Hirer 2\nUna Reef,Max Oller\nborn 3 May 1980,born 9 June 1977\nQuay 4,Quay 6\n",
     "Hirer 1: Una Reef; Hirer 2: Max Oller.\nHirer 1: born 3 May 1980; Hirer 2: born 9 June 1977.\n"
     "Hirer 1: Quay 4; Hirer 2: Quay 6."),
    ("Hirer,\nName,Una Reef\nTown,Gent\nOwner,\nName,Bea Lund\nTown,Kiel\n",
     "Hirer\nName: Una Reef.\nTown: Gent.\nOwner.\nName: Bea Lund.\nTown: Kiel."),
    ("Pier,Depth\n,m\nEast,4\nWest,6\n", "Pier: East; Depth (m): 4.\nPier: West; Depth (m): 6."),
])  # fmt: skip
def test_forms_and_headers(rows: str, text: str) -> None:
    assert read_csv(rows, "S").text == f"S\n{text}"


@pytest.mark.parametrize(
    ("second", "read"), [("02 00:00:00", ["2024-05-01", "2024-05-02"]), ("01 06:30:00", None)]
)
def test_midnight_is_a_time_only_among_times(second: str, read: list[str] | None) -> None:
    cells = ["2024-05-01 00:00:00", f"2024-05-{second}"]
    lines = read_csv("At,Level\n" + "".join(f"{cell},{n}\n" for n, cell in enumerate(cells)), "S").text.split(
        "\n"
    )
    assert lines[1:] == [f"At: {cell}; Level: {n}." for n, cell in enumerate(read or cells)]


@pytest.mark.parametrize(("rows", "columns"), [
    ("Pier,Depth\nEast,4\nWest,6\n\nLamp,Oil\nL1,whale\nL2,seal\n", [("Pier", "Depth"), ("Lamp", "Oil")]),
    ("Pier,Depth,,Lamp,Oil\nEast,4,,L1,12\nWest,6,,L2,9\nNorth,7\n", [("Pier", "Depth"), ("Lamp", "Oil")]),
    ("Piers of 1990\n\nPier,Depth\nEast,4\n\nWest,6\n", [("Pier", "Depth")]),
    ("Drawn by,Ada Rask\nDay,2024-05-02\n\nPier,Keeper,Depth\nEast,Bo Dorn,4\nWest,Cy Lie,6\n", [("Pier", "Keeper",
     "Depth")]),
])  # fmt: skip
def test_tables_of_a_sheet(rows: str, columns: list[tuple[str, ...]]) -> None:
    assert [table.columns for table in read_csv(rows, "S").tables] == columns


def _of_word(tmp_path: Path) -> str:
    document = docx.Document()
    table = document.add_table(len(LEASE), 2)
    for row, cells in zip(table.rows, LEASE, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.save(str(tmp_path / "a.docx"))
    return DocumentLoader().load(tmp_path / "a.docx").text


def _of_sheet(tmp_path: Path) -> str:
    return _xlsx(LEASE).text.removeprefix("Sheet\n")


def _of_old_sheet(tmp_path: Path) -> str:
    cells: dict[tuple[int, int], str | float] = {
        (r, c): cell for r, row in enumerate(LEASE) for c, cell in enumerate(row) if cell
    }
    (tmp_path / "a.xls").write_bytes(xls({"Sheet": cells}))
    return DocumentLoader().load(tmp_path / "a.xls").text.removeprefix("Sheet\n")


def _of_page(tmp_path: Path) -> str:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in LEASE)
    return read_html(f"<table>{rows}</table>").text


def _of_markdown(tmp_path: Path) -> str:
    lines = [LEASE[0], ["---", "---"], *LEASE[1:]]
    return read_markdown("\n".join(f"| {' | '.join(row)} |" for row in lines)).text


@pytest.mark.parametrize("read", [_of_word, _of_sheet, _of_old_sheet, _of_page, _of_markdown])
def test_a_form_of_any_format(tmp_path: Path, read: object) -> None:
    text = read(tmp_path)  # type: ignore[operator]
    assert text == "Lessee: Karl Brun.\nSince: 7 June 1984.\nSurety: Olga Fehr.\nStamp."


def test_every_cell_of_any_grid_is_in_the_text() -> None:
    chance = Random(5)
    words = ["Kai Lund", "oil", "12", "3-9", "4 May 1990", "Total", "x1", "", "", ""]
    for _ in range(400):
        rows = [
            [chance.choice(words) for _ in range(chance.randrange(1, 6))]
            for _ in range(chance.randrange(1, 9))
        ]
        text = table_text(rows)
        assert all(cell in text for row in rows for cell in row), (rows, text)
        assert sum(map(len, sparse(rows))) or not text


def _xlsx(rows: Sequence[Sequence[object]], *merged: str, codes: dict[str, str] | None = None) -> Reading:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    for place, code in (codes or {}).items():
        book.active[place].number_format = code
    for place in merged:
        book.active.merge_cells(place)
    buffer = io.BytesIO()
    book.save(buffer)
    return read_xlsx(buffer.getvalue())


def test_merged_cells_stand_in_each_of_their_rows() -> None:
    rows = [["Watch", "Hand", "Ration"], ["First", "Ada", 90], [None, "Bo", None], ["Dog", "Cy", 40]]
    expected = "Watch: First; Hand: Ada; Ration: 90.\n"
    expected += "Watch: First; Hand: Bo; Ration: 90 〃.\nWatch: Dog; Hand: Cy; Ration: 40."
    assert _xlsx(rows, "A2:A3", "C2:C3").text == f"Sheet\n{expected}"


def _html(rows: Sequence[Sequence[tuple[str, int, int]]]) -> str:
    lines = (
        "".join(f'<td colspan="{across}" rowspan="{down}">{text}</td>' for text, across, down in row)
        for row in rows
    )
    return read_html(f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>").text


def _docx(rows: Sequence[Sequence[tuple[str, int, int]]]) -> str:
    document = docx.Document()
    table = document.add_table(len(rows), sum(across for _, across, _ in rows[0]))
    free = {(r, c) for r in range(len(table.rows)) for c in range(len(table.columns))}
    for at, row in enumerate(rows):
        for text, across, down in row:
            column = min(c for r, c in free if r == at)
            free -= {(at + y, column + x) for y in range(down) for x in range(across)}
            last = table.cell(at + down - 1, column + across - 1)
            table.cell(at, column).merge(last).text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return read_word(buffer.getvalue()).text


@pytest.mark.parametrize("read", [_html, _docx])
@pytest.mark.parametrize(("rows", "text"), [
    # A cell that covers two columns holds under the names of both; a figure is repeated as such.
    ([[("Crew", 1, 1), ("Spring", 1, 1), ("Autumn", 1, 1)], [("Lise Dahl", 1, 1), ("ashore", 2, 1)], [("Ove Berg", 1,
     1), ("14", 2, 1)], [("Siri Lund", 1, 1), ("20", 1, 1), ("22", 1, 1)]],
     "Crew: Lise Dahl; Spring: ashore; Autumn: ashore.\nCrew: Ove Berg; Spring: 14; Autumn: 14 〃.\n"
     "Crew: Siri Lund; Spring: 20; Autumn: 22."),
    ([[("Port", 1, 2), ("Salt", 2, 1)], [("in", 1, 1), ("out", 1, 1)], [("Vardø", 1, 1), ("3", 1, 1), ("4", 1, 1)],
     [("Bodø", 1, 1), ("5", 1, 1), ("6", 1, 1)]],
     "Port: Vardø; Salt in: 3; Salt out: 4.\nPort: Bodø; Salt in: 5; Salt out: 6."),
    ([[("Port", 1, 3), ("Salt", 4, 1)], [("May", 2, 1), ("June", 2, 1)], [("in", 1, 1), ("out", 1, 1)] * 2,
     [("Vardø", 1, 1), *[(str(n), 1, 1) for n in (3, 4, 5, 6)]], [("Bodø", 1, 1), *[(str(n), 1, 1) for n in (7, 8, 9,
     1)]]], "Port: Vardø; Salt May in: 3; Salt May out: 4; Salt June in: 5; Salt June out: 6.\n"
     "Port: Bodø; Salt May in: 7; Salt May out: 8; Salt June in: 9; Salt June out: 1."),
    ([[("", 1, 1), ("Hold", 2, 1), ("Deck", 2, 1)], [("", 1, 1), ("fore", 2, 1), ("port", 1, 1), ("lee", 1, 1)],
     *[[(f"D{n}", 1, 1), *[(cell, 1, 1) for cell in cells.split()]] for n, cells in enumerate(("dry wet dry wet",
     "wet dry wet dry", "dry dry wet wet"), 1)]],
     "D1; Hold fore: dry; Hold fore: wet; Deck port: dry; Deck lee: wet.\n"
     "D2; Hold fore: wet; Hold fore: dry; Deck port: wet; Deck lee: dry.\n"
     "D3; Hold fore: dry; Hold fore: dry; Deck port: wet; Deck lee: wet."),
    ([[("Hand", 1, 1), ("Share", 1, 1), ("Paid", 1, 1)], [("Ada Vik", 1, 1), ("3", 1, 1), ("9", 1, 1)],
     [("Second voyage", 3, 1)], [("Bo Nes", 1, 1), ("2", 1, 1), ("6", 1, 1)]],
     "Hand: Ada Vik; Share: 3; Paid: 9.\nHand: Second voyage.\nHand: Bo Nes; Share: 2; Paid: 6."),
])  # fmt: skip
def test_cells_merged_over_columns(
    read: Callable[[Sequence[Sequence[tuple[str, int, int]]]], str],
    rows: Sequence[Sequence[tuple[str, int, int]]],
    text: str,
) -> None:
    assert read(rows) == text


@pytest.mark.parametrize(("number", "code", "text", "note"), [
    (0.12345, "0.0%", "12.3%", "[12.345%]"),
    (2750.456, "#,##0.00 [$kr-414]", "2,750.46 kr", "[2750.456]"),
    (4711, "0000000", "0004711", ""),
    (2.75, "# ?/?", "2 3/4", "[2.75]"),
    (-80.5, "#,##0.00;(#,##0.00)", "(80.50)", ""),
    (0, '0;-0;"none"', "none", "[0]"),
    (1234567, '0.0,,"M"', "1.2M", "[1234567]"),
    (12, "General", "", ""),
])  # fmt: skip
def test_numbers_as_sheets_display_them(number: float, code: str, text: str, note: str) -> None:
    assert displayed(number, code) == text
    assert with_note(number, code) == (text, note)
    assert not text or note_of(number, text) == note


@pytest.mark.parametrize(("code", "text"), [
    ("d-mmm-yy", "9-Feb-23"),
    ("h:mm AM/PM", "2:05 PM"),
    ("[h]:mm", "36:05"),
    ("[$-407]d. mmmm yyyy", "9. Februar 2023"),
    ("[$-419]d mmmm", ""),
])  # fmt: skip
def test_days_as_sheets_display_them(code: str, text: str) -> None:
    assert displayed_moment(datetime(2023, 2, 9, 14, 5), 1.5 + 5 / 1440, code) == text


def test_cells_of_old_workbooks_as_displayed() -> None:
    rows: list[list[str | float]] = [
        ["Part", "Rate", "Price", "Lot", "When", "At"],
        ["bolt", 0.075, 2750.456, 412, 44966.0, 0.5],
        ["nut", 0.02, 9.5, 7, 44986.25, 0.25],
    ]
    formats = ["", "0.0%", '"€"#,##0.00', "00000", "d mmm yyyy", "h:mm AM/PM"]
    codes = {(row, column): code for row in (1, 2) for column, code in enumerate(formats) if code}
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    # A chart with figures of its own, and a comment.
    begin, number = struct.pack("<HHHHII", 0x600, 0x20, 0, 0, 0, 0), struct.pack("<HHHd", 1, 0, 1, 3.5)
    drawn = record(0x809, begin) + record(0x203, number) + record(0x0A) + record(0x1C, bytes(12))
    reading = read_xls(xls({"Stock": cells}, codes, drawn))
    assert reading.text.splitlines()[1:] == [
        "Part: bolt; Rate: 7.5%; Price: €2,750.46 [2750.456]; Lot: 00412; When: 2023-02-09 (9 Feb 2023); "
        "At: 12:00:00 (12:00 PM).",
        "Part: nut; Rate: 2.0%; Price: €9.50; Lot: 00007; When: 2023-03-01 06:00:00 (1 Mar 2023); "
        "At: 06:00:00 (6:00 AM).",
    ]
    assert [(notice.kind, notice.count) for notice in reading.notices] == [
        (NoticeKind.CHART, 1),
        (NoticeKind.COMMENT, 1),
    ]


def _margined_xlsx() -> Reading:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Quay", "Bales"])
    sheet.append(["East", 12])
    sheet.oddHeader.left.text, sheet.oddHeader.right.text = "Bales & bags", "Keeper: Una Krag"
    sheet.oddHeader.right.size = 14
    sheet.oddFooter.center.text = "Page &P of &N"
    buffer = io.BytesIO()
    book.save(buffer)
    return read_xlsx(buffer.getvalue())


def _margined_xls() -> Reading:
    words = "&LBales && bags&R&14Keeper: Una Krag"
    head = record(0x14, struct.pack("<HB", len(words), 0) + words.encode())
    foot = record(0x15, struct.pack("<HB", 13, 0) + b"Page &P of &N")
    return read_xls(
        xls({"Sheet": {(0, 0): "Quay", (0, 1): "Bales", (1, 0): "East", (1, 1): 12}}, {}, head + foot)
    )


def _margined_ods() -> Reading:
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    rows = (
        f"<table:table-row>{cell.format(a)}{cell.format(b)}</table:table-row>"
        for a, b in (("Quay", "Bales"), ("East", "12"))
    )
    page = "</text:p><text:p>Page <text:page-number>1</text:page-number>"
    foot = f"Bales &amp; bags</text:p><text:p>Keeper: <text:span>Una Krag</text:span>{page}"
    table = f'<table:table table:name="Sheet">{"".join(rows)}</table:table>'
    return read_sheets(odf("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>", foot))


@pytest.mark.parametrize("read", [_margined_xlsx, _margined_xls, _margined_ods])
def test_heads_and_feet_of_the_pages_of_a_sheet(read: Callable[[], Reading]) -> None:
    lines = read().text.split("\n")
    assert [line for line in lines if line] == [
        "Sheet",
        "Quay: East; Bales: 12.",
        "Bales & bags",
        "Keeper: Una Krag",
    ]


def test_comments_charts_and_formulas_without_a_value() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Catch", "Tons"], ["Cod", 12], ["Ling", 30], ["Both", "=SUM(B2:B3)"]):
        sheet.append(row)
    sheet["B3"].comment = Comment("Weighed twice by Una Krag.", "Ivo Mær")
    chart = BarChart()
    chart.title = "The catch of the spring"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    buffer = io.BytesIO()
    book.save(buffer)
    reading = read_xlsx(buffer.getvalue())
    assert "B3, Ling: Comment by Ivo Mær: Weighed twice by Una Krag." in reading.text
    assert "The catch of the spring" in reading.text
    assert [(notice.kind, notice.count, notice.detail) for notice in reading.notices] == [
        (NoticeKind.FORMULA, 1, "Sheet!B4")
    ]
    found = {block.kind: reading.text[block.start : block.end] for block in reading.blocks}
    assert (
        found[BlockKind.NOTE].endswith("Una Krag.")
        and found[BlockKind.CAPTION] == "The catch of the spring (bar chart)"
    )
    cell = (
        '<table:table-row><table:table-cell office:value-type="string"><office:annotation>'
        "<dc:creator>Ivo Mær</dc:creator>"
        "<text:p>Weighed twice.</text:p></office:annotation><text:p>Ling</text:p></table:table-cell>"
        '<table:table-cell table:formula="of:=[.A1]"/></table:table-row>'
    )
    reading = read_sheets(ods_of(cell))
    assert "A1, Ling: Comment by Ivo Mær: Weighed twice." in reading.text
    assert [notice.kind for notice in reading.notices] == [NoticeKind.FORMULA]


def test_a_row_that_is_summed_by_its_sheet_is_no_record() -> None:
    """xlsxwriter stores the value of a formula beside it."""
    import xlsxwriter

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer)
    sheet = book.add_worksheet("S")
    for at, row in enumerate((["Catch", "Tons"], ["Cod", 12], ["Ling", 30], ["Hake", 8])):
        sheet.write_row(at, 0, row)
    sheet.write(4, 0, "Fang")
    sheet.write_formula(4, 1, "=SUM(B2:B4)", None, 50)
    book.close()
    (table,) = read_xlsx(buffer.getvalue()).tables
    assert len(set(table.cells[:, 0].tolist())) == 3
