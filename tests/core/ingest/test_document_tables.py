"""Tables of every kind of document keep their cells: each place spells its cell, under its column's name."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import pytest

from core.ingest import sheets
from core.ingest.markdown import read_markdown
from core.ingest.markup import read_html
from core.ingest.pdf import read_pdf
from core.ingest.reading import Reading
from core.ingest.sheets import read_csv
from core.types import BlockKind, DocumentTable

Record = dict[str, str]
SHIPS = [["Ship", "Owner", "Built"], ["Gull", "Vest AS", "1979"], ["Tern", "Holm & Co", "1985"]]
RECORDS = [dict(zip(SHIPS[0], row, strict=True)) for row in SHIPS[1:]]


def records(table: DocumentTable, text: str) -> list[Record]:
    rows: dict[int, Record] = {}
    for row, column, start, end in table.cells.tolist():
        rows.setdefault(row, {})[table.columns[column]] = text[start:end]
    assert list(rows) == list(range(len(rows)))
    return list(rows.values())


def only(reading: Reading) -> list[Record]:
    (table,) = reading.tables
    assert any(b.kind is BlockKind.TABLE and b.start <= table.start < b.end for b in reading.blocks)
    return records(table, reading.text)


def html(rows: Sequence[str]) -> Reading:
    return read_html(f"<h2>Fleet</h2><p>What sails.</p><table>{''.join(rows)}</table>")


def test_html_and_markdown() -> None:
    rows = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in SHIPS]
    reading = html([row.replace("&", "&amp;") for row in rows])
    assert only(reading) == RECORDS
    assert reading.tables[0].name == "Fleet"
    lines = ["|".join(["", *row, ""]) for row in [SHIPS[0], ["---"] * 3, *SHIPS[1:]]]
    assert only(read_markdown("# Fleet\n\n" + "\n".join(lines))) == RECORDS


def test_merged_cells_and_headers_of_two_rows() -> None:
    found = only(
        html(
            [
                "<tr><th rowspan=2>Port<th colspan=2>2020<th colspan=2>2021</tr>",
                "<tr><th>in<th>out<th>in<th>out</tr>",
                "<tr><td rowspan=2>Bergen<td>1<td>2<td>3<td>4</tr>",
                "<tr><td>5<td>6<td>7<td>8</tr>",
            ]
        )
    )
    first = {"Port": "Bergen", "2020 in": "1", "2020 out": "2", "2021 in": "3", "2021 out": "4"}
    assert found == [first, {**first, "2020 in": "5", "2020 out": "6", "2021 in": "7", "2021 out": "8"}]


@pytest.mark.parametrize(("text", "columns"), [
    ("state,2020,2021\nOhio,3,4\nUtah,5,6\n", ("state", "2020", "2021")),
    ("Ohio,2004\nUtah,2005\nIowa,2006\n", None),
    ("word,0,1,2\nsea,0.3,0.1,7\nport,0.2,4,1\n", ("word", "0", "1", "2")),
    (",2020,,2021,\nstate,in,out,in,out\nOhio,1,2,3,4\n", ("state", "2020 in", "2020 out", "2021 in", "2021 out")),
])  # fmt: skip
def test_what_names_columns(text: str, columns: tuple[str, ...] | None) -> None:
    reading = read_csv(text, "states")
    assert [table.columns for table in reading.tables] == ([columns] if columns else [])


def test_a_large_csv_takes_little_more_than_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_CELLS", 0)
    monkeypatch.setattr(sheets, "MOST_ROWS", 0)  # as of a larger one
    rows = "".join(f"{n},Firm number {n},City {n % 900},{n * 7 % 9973}.50\n" for n in range(4_000))
    tracemalloc.start()
    reading = read_csv("id,name,city,amount\n" + rows, "firms")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(reading.tables[0].cells) == 16_000
    assert peak < 5 * len(reading.text)


def pdf_of(*pages: bytes) -> bytes:
    """Streams of content as pages; pdfium finds the objects without a table of them."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for at, stream in enumerate(pages):
        page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"{page} /Contents {5 + 2 * at} 0 R >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    body = b"".join(
        b"%d 0 obj\n%s\nendobj\n" % (number, content) for number, content in enumerate(objects, 1)
    )
    return b"%PDF-1.4\n" + body + b"trailer\n<< /Root 1 0 R >>\n%%EOF"


def words_at(text: str, x: float, y: float) -> bytes:
    return f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET\n".encode()


def grid(rows: Sequence[Sequence[str]], *, uprights: bool = True, columnwise: bool = False) -> bytes:
    """A ruled table whose words are drawn row by row, or column by column as some programs do."""
    places = [(r, c, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)]
    if columnwise:
        places.sort(key=lambda place: place[1])
    words = b"".join(words_at(cell, 64 + 120 * c, 686 - 20 * r) for r, c, cell in places)
    right, bottom = 60 + 120 * len(rows[0]), 700 - 20 * len(rows)
    levels = range(len(rows) + 1) if uprights else (0, 1, len(rows))
    lines = [f"60 {700 - 20 * n} m {right} {700 - 20 * n} l S\n" for n in levels]
    if uprights:
        lines += [f"{60 + 120 * n} {bottom} m {60 + 120 * n} 700 l S\n" for n in range(len(rows[0]) + 1)]
    return words + "".join(lines).encode()


@pytest.mark.parametrize(("uprights", "columnwise"), [(True, False), (True, True), (False, False)])
def test_a_ruled_table_of_a_pdf(uprights: bool, columnwise: bool) -> None:
    above, below = words_at("The fleet of that year.", 60, 760), words_at("Nothing else sailed.", 60, 600)
    reading = read_pdf(pdf_of(above + grid(SHIPS, uprights=uprights, columnwise=columnwise) + below))
    assert only(reading) == RECORDS
    assert reading.text.startswith("The fleet of that year.")
    assert reading.text.endswith("Nothing else sailed.")
    assert reading.boxes is not None
    assert len(reading.boxes.spans) == len(reading.text.split())  # a box for every word


def test_a_table_over_a_page_break_is_one() -> None:
    more = [SHIPS[0], ["Auk", "Vest AS", "1990"], ["Skua", "Fjord", "2001"]]
    found = only(read_pdf(pdf_of(grid(SHIPS), grid(more))))
    assert found == [*RECORDS, *(dict(zip(SHIPS[0], row, strict=True)) for row in more[1:])]


@pytest.mark.parametrize("drawing", [
    b"60 500 400 200 re S\n",  # a frame around text
    b"".join(b"%d 10 m %d 800 l S\n" % (n, n) for n in range(10, 590)) * 4,
    b"0 0 0 0 re S 1e30 0 m 0 1e30 l S 60 700 m 60 700 l S\n" * 50,
], ids=["frame", "hatching", "nonsense"])  # fmt: skip
def test_what_is_drawn_around_text_is_no_table(drawing: bytes) -> None:
    words = b"".join(
        words_at("The clerk kept every paper of the office.", 70, 680 - 20 * n) for n in range(6)
    )
    reading = read_pdf(pdf_of(words + drawing))
    assert reading.tables == ()
    assert reading.text.count("The clerk kept every paper of the office.") == 6
