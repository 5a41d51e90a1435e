"""The library lists every document with its state, says why one failed, and follows the selection."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from app.library.documents_model import BATCH, DETAIL, DOCUMENT, MOST, NAME, STATE, TITLES, DocumentModel
from app.library.panel import LibraryPanel
from app.session import operations
from app.session.session import Session
from core.types import Document, DocumentListing, DocumentRow, State
from tests.app.conftest import open_now

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session) -> LibraryPanel:
    panel = LibraryPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(300, 500)
    panel.show()
    open_session.commands.bind(panel)
    assert panel.stack.currentWidget() is panel.empty
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.model.total == 4)
    return panel


def names(panel: LibraryPanel) -> list[str]:
    return [panel.model.index(row, NAME).data(DOCUMENT).path for row in range(panel.model.rowCount())]


def row_of(panel: LibraryPanel, path: str) -> QModelIndex:
    return panel.model.index(names(panel).index(path), NAME)


def test_documents_with_their_states_and_passages(qtbot: QtBot, panel: LibraryPanel) -> None:
    assert sorted(names(panel)) == ["broken.pdf", "charter.txt", "letter.md", "register.txt"]
    qtbot.waitUntil(lambda: "1 passage" in row_of(panel, "charter.txt").data(DETAIL))
    assert row_of(panel, "charter.txt").siblingAtColumn(STATE).data() == "read"
    assert row_of(panel, "broken.pdf").siblingAtColumn(STATE).data() == "failed"
    assert panel.count.text() == "4 documents, 1 failed"


def test_a_failed_document_says_why_and_what_to_do(qtbot: QtBot, panel: LibraryPanel) -> None:
    index = row_of(panel, "broken.pdf")
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=panel.table.visualRect(index).center())
    document = index.data(DOCUMENT)
    assert document.reason and panel.card.rows[0].reason.text() == document.reason
    assert panel.card.isVisible()
    qtbot.mouseClick(
        panel.table.viewport(), LEFT, pos=panel.table.visualRect(row_of(panel, "letter.md")).center()
    )
    assert not panel.card.isVisible()


def test_a_click_selects_the_document_everywhere(qtbot: QtBot, panel: LibraryPanel, session: Session) -> None:
    index = row_of(panel, "register.txt")
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=panel.table.visualRect(index).center())
    current = session.selection.current
    assert current is not None and (current.kind, current.id) == ("document", index.data(DOCUMENT).id)


def test_enter_opens_the_document(qtbot: QtBot, panel: LibraryPanel, session: Session) -> None:
    panel.table.setCurrentIndex(row_of(panel, "letter.md"))
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert session.selection.current is not None


def test_a_selection_made_elsewhere_is_marked(panel: LibraryPanel, session: Session) -> None:
    wanted = row_of(panel, "letter.md").data(DOCUMENT)
    operations.select_passage(session, "some passage", wanted.id)
    assert panel.table.currentIndex().data(DOCUMENT).id == wanted.id


def test_filter_by_words_and_by_failure(qtbot: QtBot, panel: LibraryPanel) -> None:
    qtbot.keyClicks(panel.filter, "CHART")
    qtbot.waitUntil(lambda: names(panel) == ["charter.txt"])
    assert panel.count.text().startswith("1 of 4 documents")
    panel.filter.clear()
    qtbot.mouseClick(panel.failed, LEFT)
    qtbot.waitUntil(lambda: names(panel) == ["broken.pdf"])


def test_sort_both_ways(qtbot: QtBot, panel: LibraryPanel) -> None:
    panel.table.sortByColumn(STATE, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: names(panel)[0] == "broken.pdf")
    panel.table.sortByColumn(STATE, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: names(panel)[-1] == "broken.pdf")


def test_rows_are_copied_with_titles(qtbot: QtBot, panel: LibraryPanel) -> None:
    panel.table.setFocus()
    panel.table.selectAll()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "\t".join(TITLES) and len(lines) == 5


def test_closing_the_workspace_empties_the_list(panel: LibraryPanel, session: Session) -> None:
    session.close_workspace()
    assert panel.model.total == 0 and panel.stack.currentWidget() is panel.empty


def note(number: int, state: State = State.PENDING) -> DocumentRow:
    return DocumentRow(
        Document(f"{number:05d}", f"f{number:05d}.txt", "", 1, f"Note {number}", "text/plain", state=state),
        1,
        0,
    )


def listing(numbers: Iterable[int]) -> DocumentListing:
    ids = tuple(f"{number:05d}" for number in numbers)
    return DocumentListing(ids, len(ids))


def shown(model: DocumentModel, row: int) -> str | None:
    found = model.index(row, NAME).data()
    return None if found is None else str(found)


def test_rows_are_read_as_they_come_in_sight(qtbot: QtBot) -> None:
    model, wanted = DocumentModel(), list[int]()
    model.wanted.connect(wanted.append)
    model.show_listing(listing(range(BATCH * 3)), [note(number) for number in range(BATCH)])
    assert model.rowCount() == BATCH * 3 and shown(model, 7) == "Note 7" and not wanted
    assert shown(model, 450) is None and shown(model, 451) is None and wanted == [450]  # once a page
    model.put([note(int(id)) for id in model.page(450)])
    assert shown(model, 450) == "Note 450" and shown(model, BATCH * 3 - 1) == f"Note {BATCH * 3 - 1}"
    assert wanted == [450] and model.row_of("00450") == 450


def test_of_many_documents_few_are_at_hand(qtbot: QtBot) -> None:
    model = DocumentModel()
    model.show_listing(listing(range(10 * MOST)), [])
    for first in range(0, 10 * MOST, BATCH):
        model.put([note(int(id)) for id in model.page(first)])
    at_hand = [row for row in range(10 * MOST) if not model.missing([row])]
    assert at_hand == list(range(9 * MOST, 10 * MOST))


@pytest.mark.parametrize(
    "after", [[0, 1, 2, 4, 5], [9, 0, 1, 2, 3, 4, 5, 8], [0, 7, 5], [], [5, 4, 3, 2, 1, 0]]
)
def test_what_stays_stays_selected(qtbot: QtBot, after: list[int]) -> None:
    model, table = DocumentModel(), QTableView()
    qtbot.addWidget(table)
    table.setModel(model)
    model.show_listing(listing(range(6)), [note(number) for number in range(6)])
    table.selectRow(2)
    resets = QSignalSpy(model.modelReset)
    model.show_listing(listing(after), [note(number) for number in after])
    assert [shown(model, row) for row in range(model.rowCount())] == [f"Note {number}" for number in after]
    if after != [5, 4, 3, 2, 1, 0]:  # only what came or went is told
        assert not resets.count()
        assert [index.row() for index in table.selectionModel().selectedRows()] == (
            [after.index(2)] if 2 in after else []
        )


def test_an_update_of_states_keeps_the_rows(qtbot: QtBot) -> None:
    model = DocumentModel()
    model.show_listing(listing([1]), [note(1)])
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.show_listing(listing([1]), [note(1, State.DONE)])
    assert model.index(0, STATE).data() == "read"


def test_tooltips_hold_no_markup_of_documents(qtbot: QtBot) -> None:
    model = DocumentModel()
    row = DocumentRow(Document("a", "<b>x</b>.txt", "", 1, "<img src=x>", "text/plain"), 0, 0)
    model.show_listing(DocumentListing(("a",), 1), [row])
    tip = model.index(0, NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tip and "&lt;img" in tip
