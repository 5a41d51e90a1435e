"""Rows of tables as records: who is named, what is said of it, and what is no name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from core.extraction.records import CATEGORY, DocumentRecords, with_records
from core.ingest.sheets import read_csv
from core.types import DocumentTable, ExtractedMention, Extraction, Passage, Triple

NOTE = "this one was found adrift off the northern coast and towed in by two tugs that nobody had sent for"
HEADER = ("No", "Ship", "State", "Master", "Launched", "Remark")
ROWS = [
    ("1", "Grey Petrel", "Accepted", "Ines Holm", "1987-10-05", NOTE),
    ("2", "Anna", "Accepted", "Otto Kask", "1990-02-01", "Anna discharged machine parts"),
    ("3", "Sea Lion", "Refused", "Ines Holm", "1991-03-07", ""),
    ("4", "Kittiwake", "Accepted", "Otto Kask", "1992-11-30", ""),
    ("5", "Bold Venture", "Accepted", "Maria Lund", "1999-08-19", ""),
]


def register(before: str = "", rows: Sequence[tuple[str, ...]] = ROWS) -> tuple[str, DocumentTable]:
    """A text with a line a row, and the table in it."""
    text, cells = before, []
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            text += f"{HEADER[column]}: "
            if cell:
                cells.append((at, column, len(text), len(text) + len(cell)))
            text += cell + ("; " if column < len(row) - 1 else "\n")
    return text, DocumentTable("", len(before), len(text), HEADER, np.array(cells, dtype=np.int32))


def passage(text: str, start: int = 0) -> Passage:
    return Passage("p", "d", 0, "Register", text[start:], start, len(text))


def recognised(text: str, start: int = 0, **labels: str) -> Extraction:
    """What the recogniser finds in text[start:]: every place of these names, underscores for blanks."""
    found = [
        ExtractedMention(name, label, match.start(), match.end())
        for name, label in ((name.replace("_", " "), label) for name, label in labels.items())
        for match in re.finditer(name, text[start:])
    ]
    return Extraction(tuple(found), ())


PERSONS = {"Ines_Holm": "PERSON", "Otto_Kask": "PERSON"}


def test_a_column_of_persons_relates_them_to_the_records() -> None:
    text, table = register()
    found = with_records(passage(text), recognised(text, **PERSONS), DocumentRecords([table], text))
    facts = {(t.subject, t.predicate, t.object) for t in found.triples}
    assert facts == {(row[1], "master", row[3]) for row in ROWS}, "no number, date, state or remark"
    for triple in found.triples:
        assert triple.object in text[triple.start : triple.end]


def test_without_persons_organisations_or_places_a_row_states_no_fact() -> None:
    text, table = register()
    found = with_records(passage(text), Extraction((), ()), DocumentRecords([table], text))
    assert found.triples == ()
    assert {"Grey Petrel", "Otto Kask", "1990-02-01"} <= {m.text for m in found.mentions}, "still names"


@pytest.mark.parametrize(
    ("cell", "owners"),
    [
        ("Anna Holt, Per Krog", {"Anna Holt", "Per Krog"}),
        ("Anna Holt; Per Krog and Bo Lie", {"Anna Holt", "Per Krog", "Bo Lie"}),
        ("Acton, Ohio", {"Acton, Ohio"}),
        ("Brown Lee and Sons Limited", {"Brown Lee and Sons Limited"}),
    ],
)
def test_a_list_in_a_cell_is_several_names(cell: str, owners: set[str]) -> None:
    rows = [
        ("Grey Petrel", cell),
        ("Sea Lion", "Ida Moe"),
        ("Bold Venture", "Eva Ness"),
        ("Kittiwake", "Dag Vik"),
    ]
    reading = read_csv("\n".join(["Ship,Owner", *(f'{ship},"{owner}"' for ship, owner in rows)]), "ships")
    names = {name.replace(" ", "_"): "PERSON" for name in (*owners, "Ida Moe", "Eva Ness", "Dag Vik")}
    found = with_records(
        passage(reading.text),
        recognised(reading.text, **names),
        DocumentRecords(reading.tables, reading.text),
    )
    assert {t.object for t in found.triples if t.subject == "Grey Petrel"} == owners
    assert owners <= {m.text for m in found.mentions}


def test_a_ledger_is_no_relation_between_names() -> None:
    """Its rows are payments: who is paid twice has not been approved by anybody."""
    payments = [
        "Rope Works,Ida Moe,100",
        "Harbour Office,Ida Moe,250",
        "Rope Works,Bo Lie,150",
        "Rope Works,Bo Lie,90",
    ]
    reading = read_csv("\n".join(["Payee,Approved by,Amount", *payments, "Quay Masters,Bo Lie,20"]), "ledger")
    found = with_records(
        passage(reading.text),
        recognised(reading.text, Ida_Moe="PERSON", Bo_Lie="PERSON"),
        DocumentRecords(reading.tables, reading.text),
    )
    assert found.triples == ()


def test_names_are_names_and_what_comes_again_and_again_is_not() -> None:
    text, table = register()
    found = with_records(passage(text), Extraction((), ()), DocumentRecords([table], text))
    labels = {m.text: m.label for m in found.mentions}
    assert labels["Otto Kask"] == labels["Kittiwake"] == "OTHER"
    assert labels["Accepted"] == labels["Anna discharged machine parts"] == CATEGORY
    assert labels["1990-02-01"] == "DATE"
    assert "Ship" not in labels
    for mention in found.mentions:
        assert text[mention.start : mention.end] == mention.text


def test_what_was_read_out_of_rows_gives_way_and_prose_stays() -> None:
    text, table = register("The State of the ships is told by Otto Kask.\n\n")
    state, kask, coast = text.index("State"), text.index("Otto Kask"), text.index("northern")
    header = text.index("State", state + 1)
    read = Extraction(
        (
            ExtractedMention("State", "ORG", state, state + 5),
            ExtractedMention("State", "ORG", header, header + 5),
            ExtractedMention("northern", "LOC", coast, coast + 8),
        ),
        (
            Triple("Otto Kask", "told", "State", "p", kask, kask + 9, 0.8),
            Triple("Ship", "is", "State", "p", header, header + 5, 0.8),
        ),
    )
    found = with_records(passage(text), read, DocumentRecords([table], text))
    assert [m.start for m in found.mentions if m.text == "State"] == [state]
    assert "northern" in {m.text for m in found.mentions}
    assert ("Otto Kask", "told") in {(t.subject, t.predicate) for t in found.triples}
    assert "Ship" not in {t.subject for t in found.triples}


def test_a_passage_has_the_rows_that_stand_in_it() -> None:
    text, table = register()
    at = text.index("No: 4")
    read = recognised(text, at, Otto_Kask="PERSON", Maria_Lund="PERSON")
    found = with_records(passage(text, at), read, DocumentRecords([table], text))
    assert {t.subject for t in found.triples} == {"Kittiwake", "Bold Venture"}
    assert all(text[at:][m.start : m.end] == m.text for m in found.mentions)


def test_without_a_column_that_names_records_there_are_no_facts() -> None:
    rows = [(str(n), "Yes" if n % 2 else "No") for n in range(9)]
    text, table = register("", rows)
    found = with_records(passage(text), Extraction((), ()), DocumentRecords([table], text))
    assert found.triples == ()
    assert {m.label for m in found.mentions} == {CATEGORY}


def test_tables_are_found_by_place() -> None:
    """Among many, also where one ends behind the next one."""
    text, tables = "", []
    for number in range(6):
        before = len(text)
        text, table = register(text, [(f"{number}", f"Gull {number}", "Accepted", "Ida Berg", "", "")] * 2)
        tables.append(replace(table, start=before, end=len(text) + 250 * (number == 2)))
    records = DocumentRecords(tables[::-1], text)
    for start in range(0, len(text), 40):
        expected = [table for table in tables if table.start < start + 100 and table.end > start]
        assert [record.table for record in records.within(start, start + 100)] == expected


@pytest.mark.parametrize(
    ("rows", "totals"),
    [
        (
            "Quay,Keeper,Barrels\nEast,Ada Rask,400\nWest,Bo Dorn,250\nNorth,Cy Lie,200\nTotal,,850",
            {"Total", "850"},
        ),
        ("Quay,Barrels\nAll quays,850\nEast,400\nWest,250\nNorth,200", {"All quays", "850"}),
    ],
)
def test_a_row_of_totals_says_nothing_of_anybody(rows: str, totals: set[str]) -> None:
    reading = read_csv(rows + "\n", "quays")
    found = with_records(
        passage(reading.text), Extraction((), ()), DocumentRecords(reading.tables, reading.text)
    )
    names = {mention.text for mention in found.mentions}
    assert {"East", "West", "North", "400"} <= names and not totals & names
    assert not any({triple.subject, triple.object} & totals for triple in found.triples)
