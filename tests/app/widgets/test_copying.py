"""Copied rows: true to the letter, but no cell is one that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from pytestqt.qtbot import QtBot

from app.explain.stages import StageList, StageRow
from app.explain.tables import document_column, ranking_columns
from app.library.documents_model import DocumentModel
from app.session.preferences import Preferences
from app.shell.main_window import MainWindow
from app.widgets.copying import Form, Rows, set_harmless, written
from app.widgets.table import RecordTable, TraceTable
from core.text.escape_controls import spreadsheet_cell
from core.types import Document, DocumentListing, DocumentRow, Hit, PassageLabel, Stage
from tests.data_makers.hostile_names import TURNED

COPY = (Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    set_harmless(True)


def copied() -> list[list[str]]:
    """The clipboard, as a spreadsheet takes it apart."""
    return list(csv.reader(io.StringIO(QGuiApplication.clipboard().text()), delimiter="\t"))


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3+cmd",
        "@SUM(A1)",
        " =1",
        "\t=1",
        "\r=1",
        '"=1"',
        "＝1+1",
        "+47 22 33 44",
        "-",
    ],
)
def test_what_a_spreadsheet_would_run_becomes_text(text: str) -> None:
    assert spreadsheet_cell(text).startswith("'") and spreadsheet_cell(text)[1:].strip() == text.strip()
    assert spreadsheet_cell(text, harmless=False).strip() == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "-5",
        "+3.2",
        "-1,204.50",
        "-1.5e-7",
        "+12 %",
        "3-4",
        "Smith-Jones = 1",
        "a@b.c",
        "2021-03-04",
        "",
        "'tis",
        "(-5)",
    ],
)
def test_numbers_and_words_stay(text: str) -> None:
    assert spreadsheet_cell(text) == text


def test_a_cell_cannot_begin_another(qtbot: QtBot) -> None:
    rows = Rows((), (("one\t=1+1\n=2", "two"), ("three\u2028=3", "-7")))
    QGuiApplication.clipboard().setText(written(rows, Form.TEXT))
    assert copied() == [["one =1+1 =2", "two"], ["three =3", "-7"]]


def test_the_trace_copies_true_names_and_no_formula(qtbot: QtBot) -> None:
    labels = {"1": PassageLabel("=HYPERLINK(1)", TURNED)}
    table = TraceTable(RecordTable((*ranking_columns(labels), document_column(labels))), "hits")
    qtbot.addWidget(table)
    table.set_records((Hit("1", -0.25, 1),))
    assert table.model().index(0, 3).data() == r"invoice\u202efdp.txt"
    qtbot.keyClick(table, *COPY)
    assert copied()[1] == ["1", "-0.2500", "'=HYPERLINK(1)", TURNED]


def test_lists_and_documents_too(qtbot: QtBot) -> None:
    rows = StageList()
    qtbot.addWidget(rows)
    rows.set_records((StageRow(Stage("graph", 0.002, "@SUM(1)"), "=1+1", 0.0, 1.0),))
    qtbot.keyClick(rows, *COPY)
    assert copied() == [["'=1+1", "2 ms", "'@SUM(1)"]]
    model = DocumentModel()
    row = DocumentRow(Document("1", "a.txt", "", 1, "=1\u202e\x1b", ""), 0, 0)
    model.show_listing(DocumentListing(("1",), 1), [row])
    assert model.index(0, 0).data() == r"=1\u202e\x1b" and model.cells(0)[0] == "=1\u202e\x1b"


def test_it_is_a_setting_that_is_stored(window: MainWindow, preferences: Preferences) -> None:
    named = (
        action
        for action in window.findChildren(QAction)
        if action.text() == "Copy &formulas in tables as text"
    )
    action = next(named)
    assert action.isChecked() and preferences.harmless_cells
    action.trigger()
    assert written(Rows((), (("=1+1",),)), Form.TEXT) == "=1+1" and not preferences.harmless_cells
    action.trigger()
    assert written(Rows((), (("=1+1",),)), Form.CSV) == "'=1+1" and preferences.harmless_cells


def test_as_markdown_and_as_csv() -> None:
    rows = Rows(("Name", "Says"), (("a|b", "one\n*two*"), ('c "d"', "e, f")))
    assert written(rows, Form.MARKDOWN).splitlines() == [
        "| Name | Says |",
        "| --- | --- |",
        r"| a\|b | one \*two\* |",
        '| c "d" | e, f |',
    ]
    assert list(csv.reader(io.StringIO(written(rows, Form.CSV)))) == [
        ["Name", "Says"],
        ["a|b", "one *two*"],
        ['c "d"', "e, f"],
    ]
    assert written(Rows((), (("a", "b"),)), Form.MARKDOWN).splitlines()[0] == "|  |  |"
