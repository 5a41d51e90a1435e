"""Every region of a spreadsheet points at exactly its cell's text, under the name that a person sees there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.cleaning import clean, joined_lines
from core.ingest.loaders import DocumentLoader
from core.ingest.reading_process import ReadingProcess
from core.ingest.sheets import place, sheets_reading
from core.ingest.tables import sparse
from core.types import LoadedDocument
from tests.data_makers.compound_files import xls
from tests.data_makers.round_trip_files import ods_of as ods

Make = Callable[..., bytes]


def named(document: LoadedDocument) -> dict[str, str]:
    """Text by region name."""
    assert len({region.name for region in document.regions}) == len(document.regions)
    return {region.name: document.text[region.start : region.end] for region in document.regions}


def load(folder: Path, name: str, data: bytes) -> LoadedDocument:
    path = folder / name
    path.write_bytes(data)
    return DocumentLoader().load(path)


def test_cells_of_a_workbook(tmp_path: Path, xlsx: Make) -> None:
    data = xlsx({"Payments": [["Payer", "Amount"], ["Vest AS", 1250], ["Gull", 7]], "Notes": [["Paid."]]})
    document = load(tmp_path, "a.xlsx", data)
    assert document.text == "Payments\nPayer: Vest AS; Amount: 1250.\nPayer: Gull; Amount: 7.\n\nNotes\nPaid."
    assert named(document) == {
        "Payments": "Payments\nPayer: Vest AS; Amount: 1250.\nPayer: Gull; Amount: 7.",
        "Payments!A2": "Vest AS",
        "Payments!B2": "1250",
        "Payments!A3": "Gull",
        "Payments!B3": "7",
        "Notes": "Notes\nPaid.",
        "Notes!A1": "Paid.",
    }
    starts = [region.start for region in document.regions]
    assert starts == sorted(starts)


def ods_cell(text: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


def test_an_open_document_sheet(tmp_path: Path) -> None:
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    number = ods_cell("1.250,50").replace('"string"', '"float" office:value="1250.5"')
    day = '<table:table-cell office:value-type="date" office:date-value="2021-03-04T00:00:00"/>'
    rows = (
        f'<table:table-row table:number-rows-repeated="3">{gap}</table:table-row>'
        f"<table:table-row>{gap}{ods_cell('Payer')}{gap}{ods_cell('Amount')}</table:table-row>"
        f"<table:table-row>{gap}{ods_cell('Vest AS')}{gap}{ods_cell('12 EUR')}{number}{day}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1000"><table:table-cell/></table:table-row>'
    )
    found = named(load(tmp_path, "a.ods", ods(rows)))
    assert found["One!C5"] == "Vest AS" and found["One!F5"] == "12 EUR"
    assert (
        found["One!G5"] == "1.250,50" and "1.250,50 [1250.5]" in found["One"]
    )  # as displayed, and the figure
    assert found["One!H5"] == "2021-03-04"


def test_a_panic_of_the_reader_is_an_error_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PanicException(BaseException):
        """As extensions in Rust raise it."""

    def panic(file: object) -> None:
        raise PanicException

    monkeypatch.setattr("core.ingest.old_workbooks.CalamineWorkbook.from_filelike", panic, raising=False)
    with pytest.raises(DocumentError, match="damaged"):
        load(tmp_path, "a.xls", xls({"A": {(0, 0): "Words"}}))


def test_a_stray_cell_costs_nothing(tmp_path: Path) -> None:
    import openpyxl

    cells = {"A1": "Payer", "B1": "Amount", "A2": "Vest AS", "B2": "1250", "XFD1048576": "stray"}
    book = openpyxl.Workbook()
    for name, text in cells.items():
        book.active[name] = text
    book.save(tmp_path / "a.xlsx")
    with ReadingProcess(ReadingConfig(max_memory_mb=200)) as process:
        document = process.parts(tmp_path / "a.xlsx")[0].document
    assert document is not None
    found = named(document)
    assert (found["Sheet!A2"], found["Sheet!B2"], found["Sheet!XFD1048576"]) == ("Vest AS", "1250", "stray")


def test_a_cell_that_is_repeated_without_end_is_read_and_does_not_fill_the_machine(tmp_path: Path) -> None:
    cell = ods_cell("again").replace(
        "<table:table-cell", '<table:table-cell table:number-columns-repeated="{}"'
    )
    rows = '<table:table-row table:number-rows-repeated="{}">{}</table:table-row>'
    found = load(tmp_path, "a.ods", ods(rows.format(2, cell.format(3))))
    assert found.text == "One\nagain; again; again.\nagain; again; again."
    (tmp_path / "a.ods").write_bytes(ods(rows.format(1_048_576, cell.format(16_384))))
    with ReadingProcess(ReadingConfig(max_memory_mb=300)) as process:
        document = process.parts(tmp_path / "a.ods")[0].document
    assert document is not None and 0 < document.text.count("again") < 1_000_000


def test_what_the_cells_of_a_workbook_mean(tmp_path: Path) -> None:
    import openpyxl

    buffer = BytesIO()
    book = openpyxl.Workbook()
    values: list[tuple[object, str, str]] = [
        (1.5, "General", "1.5"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "100000000000000000000"),
        (1e-7, "General", "0.0000001"),
        (1234.5, '#,##0.00 "USD"', "1,234.50 USD"),
        (True, "General", "true"),
        (datetime(2021, 3, 4), "yyyy-mm-dd", "2021-03-04"),
        (datetime(2021, 3, 4, 10, 20, 30), "[$-407]d. mmm yyyy hh:mm", "2021-03-04 10:20:30"),
        (44259, "d/m/yy", "2021-03-04"),
        (0.5, "h:mm AM/PM", "12:00:00"),
        (44259, "[Red]0", "44259"),
        ("#N/A", "General", "#N/A"),
        ("line_x000D_\nbreak", "General", "line break"),
    ]
    for number, (value, form, _) in enumerate(values, 1):
        cell = book.active.cell(number, 1, value)
        cell.number_format = form
    book.save(buffer)
    found = named(load(tmp_path, "a.xlsx", buffer.getvalue()))
    assert [found[f"Sheet!A{number}"] for number in range(1, len(values) + 1)] == [
        text for _, _, text in values
    ]


@given(st.lists(st.lists(st.text(max_size=12), max_size=5), max_size=8), st.text(max_size=10))
def test_regions_hold_what_their_cells_hold(rows: list[list[str]], name: str) -> None:
    reading = sheets_reading([(name, sparse(rows))])
    assert clean(reading.text) == reading.text
    cells = {f"{name}!{place(r, c)}": cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    for region in reading.regions:
        if region.name != name:
            assert reading.text[region.start : region.end] == joined_lines(cells[region.name])
