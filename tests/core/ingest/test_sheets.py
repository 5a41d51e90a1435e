"""Every region of a spreadsheet points at exactly its cell's text, under the name that a person sees there."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest import sheets
from core.ingest.cleaning import clean, one_line
from core.ingest.loaders import DocumentLoader
from core.ingest.reading_process import ReadingProcess
from core.ingest.sheets import place, read_csv, sheets_reading
from core.ingest.used_ranges import origins
from core.types import LoadedDocument
from tests.core.ingest.compound_files import xls

Make = Callable[..., bytes]
SAMPLE = Path(__file__).parents[3] / "resources" / "sample" / "finance" / "Payments ledger 2021.xlsx"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def named(document: LoadedDocument) -> dict[str, str]:
    """Text by region name."""
    assert len({region.name for region in document.regions}) == len(document.regions)
    return {region.name: document.text[region.start : region.end] for region in document.regions}


def load(folder: Path, name: str, data: bytes) -> LoadedDocument:
    path = folder / name
    path.write_bytes(data)
    return DocumentLoader().load(path)


def with_cells(data: bytes, cells: dict[str, str]) -> bytes:
    """The workbook with these cells as its first sheet's only ones."""
    rows: dict[int, str] = {}
    for name, text in cells.items():
        number = int(name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        rows[number] = rows.get(number, "") + f'<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>'
    xml = "".join(f'<row r="{number}">{content}<c r="ZZ{number}"/></row>' for number, content in rows.items())
    made = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for item in old.namelist():
            content = old.read(item)
            if item == "xl/worksheets/sheet1.xml":
                content = f'<worksheet xmlns="{SHEET}"><sheetData>{xml}</sheetData></worksheet>'.encode()
            new.writestr(item, content)
    return made.getvalue()


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


def test_a_sheet_that_does_not_begin_at_its_corner(tmp_path: Path, xlsx: Make) -> None:
    cells = {"C5": "Payer", "E5": "Amount", "C7": "Vest AS", "E7": "1250", "C20": "Gull", "AB20": "far"}
    found = named(load(tmp_path, "a.xlsx", with_cells(xlsx({"One": [["x"]]}), cells)))
    del found["One"]
    del cells["C5"], cells["E5"]  # the header: its words are labels in every line
    assert found == {f"One!{name}": text for name, text in cells.items()}


def test_an_open_document_sheet(tmp_path: Path) -> None:
    spaces = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    )

    def cell(text: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    rows = (
        f'<table:table-row table:number-rows-repeated="3">{gap}</table:table-row>'
        f"<table:table-row>{gap}{cell('Payer')}{gap}{cell('Amount')}</table:table-row>"
        f"<table:table-row>{gap}{cell('Vest AS')}{gap}{cell('12 EUR')}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1000"><table:table-cell/></table:table-row>'
    )
    content = (
        f'<office:document-content {spaces} office:version="1.2"><office:body><office:spreadsheet>'
        f'<table:table table:name="One">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            '<manifest:file-entry manifest:full-path="/" '
            'manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
        )
    found = named(load(tmp_path, "a.ods", buffer.getvalue()))
    assert found["One!C5"] == "Vest AS" and found["One!F5"] == "12 EUR"


def test_an_old_workbook(tmp_path: Path) -> None:
    payments: dict[tuple[int, int], str | float] = {
        (4, 2): "Payer", (4, 4): "Amount", (6, 2): "Vest AS", (6, 4): 1250.5, (19, 2): "Gull", (19, 27): "far"
    }  # fmt: skip
    data = xls({"Payments": payments, "Née 2": {(0, 0): "Paid."}})
    found = named(load(tmp_path, "a.xls", data))
    assert found.pop("Payments").splitlines()[1] == "Payer: Vest AS; Amount: 1250.5."
    assert found == {
        "Payments!C7": "Vest AS",
        "Payments!E7": "1250.5",
        "Payments!C20": "Gull",
        "Payments!AB20": "far",
        "Née 2": "Née 2\nPaid.",
        "Née 2!A1": "Paid.",
    }


def test_damaged_old_workbooks_are_read_or_refused(tmp_path: Path) -> None:
    whole = xls({"A": {(1, 1): "Payer", (2, 1): "Vest AS"}, "B": {(7, 3): "x" * 40}})
    with ReadingProcess(ReadingConfig(max_seconds=20, max_memory_mb=500)) as process:
        for seed in range(60):
            chance, data = Random(seed), bytearray(whole)
            for _ in range(chance.randrange(1, 30)):
                data[chance.randrange(len(data))] = chance.choice((0, 255, chance.randrange(256)))
            path = tmp_path / f"{seed}.xls"
            path.write_bytes(data[: chance.choice((len(data), chance.randrange(1, len(data))))])
            try:
                parts = process.parts(path)
            except DocumentError as error:
                assert error.message and error.remedy
            else:
                assert parts[0].document is not None and parts[0].document.text


def test_a_panic_over_cells_costs_their_names_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As extensions in Rust raise it."""

    def panic(file: object) -> None:
        raise PanicException

    monkeypatch.setattr("core.ingest.used_ranges.CalamineWorkbook.from_filelike", panic, raising=False)
    assert origins(xls({"A": {(0, 0): "Words"}}), {"A": (1, 1)}) == {}


def test_the_sample(tmp_path: Path) -> None:
    import openpyxl

    document = DocumentLoader().load(SAMPLE)
    found = named(document)
    book = openpyxl.load_workbook(SAMPLE, data_only=True)
    checked = 0
    for name, text in found.items():
        sheet, mark, cell = name.partition("!")
        value = book[sheet][cell].value if mark else None
        if isinstance(value, str):
            assert text == one_line(value)
            checked += 1
    assert checked > 50


def test_rows_of_a_csv_file() -> None:
    reading = read_csv('Ledger of May\n\nPayer;Amount\nVest AS;1250\n;\nGull;"7\n8"\n', "Cash book")
    found = {region.name: reading.text[region.start : region.end] for region in reading.regions}
    del found["Cash book"]
    assert found == {
        "Cash book!A1": "Ledger of May",
        "Cash book!A4": "Vest AS",
        "Cash book!B4": "1250",
        "Cash book!A6": "Gull",
        "Cash book!B6": "7 8",
    }


def test_large_sheets_name_rows_and_very_large_ones_only_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["Payer", "Amount", "Note"], *([f"Payer {n}", str(n), ""] for n in range(100))]
    monkeypatch.setattr(sheets, "MOST_CELLS", 150)
    reading = sheets_reading([("Book", rows)], {"Book": (0, 0)})
    assert [region.name for region in reading.regions[:3]] == ["Book", "Book!A2:B2", "Book!A3:B3"]
    assert reading.text[slice(*_span(reading.regions[1]))] == "Payer 0; Amount: 0"
    monkeypatch.setattr(sheets, "MOST_ROWS", 50)
    assert [region.name for region in sheets_reading([("Book", rows)], {"Book": (0, 0)}).regions] == ["Book"]


def _span(region: object) -> tuple[int, int]:
    return region.start, region.end  # type: ignore[attr-defined]


def test_unknown_origins_name_no_cells() -> None:
    reading = sheets_reading([("Book", [["a", "b"], ["1", "2"]])], {})
    assert [region.name for region in reading.regions] == ["Book"]


@given(st.lists(st.lists(st.text(max_size=12), max_size=5), max_size=8), st.text(max_size=10))
def test_regions_hold_what_their_cells_hold(rows: list[list[str]], name: str) -> None:
    reading = sheets_reading([(name, rows)], {name: (0, 0)})
    assert clean(reading.text) == reading.text
    cells = {f"{name}!{place(r, c)}": cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    for region in reading.regions:
        if region.name != name:
            assert reading.text[region.start : region.end] == one_line(cells[region.name])


@pytest.mark.parametrize(
    ("row", "column", "name"), [(0, 0, "A1"), (11, 25, "Z12"), (11, 26, "AA12"), (0, 702, "AAA1")]
)
def test_names_of_cells(row: int, column: int, name: str) -> None:
    assert place(row, column) == name


def test_notes_of_slides(tmp_path: Path, pptx: Make) -> None:
    document = load(tmp_path, "a.pptx", pptx([("One", "Text", "Say this."), ("Two", "More", "")]))
    assert named(document) == {"Slide 1 notes": "Notes: Say this."}
