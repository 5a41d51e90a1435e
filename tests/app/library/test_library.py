"""The library lists every document with its state, says why one failed, and follows the selection."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.library.documents_model import BATCH, DETAIL, DOCUMENT, NAME, STATE, TITLES, DocumentModel
from app.library.panel import LibraryPanel
from app.session import operations
from app.session.session import Session
from core.types import Document, State
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
    assert names(panel) == ["charter.txt"] and panel.count.text().startswith("1 of 4 documents")
    panel.filter.clear()
    qtbot.mouseClick(panel.failed, LEFT)
    assert names(panel) == ["broken.pdf"]


def test_sort_both_ways(panel: LibraryPanel) -> None:
    panel.table.sortByColumn(STATE, Qt.SortOrder.AscendingOrder)
    assert names(panel)[0] == "broken.pdf"
    panel.table.sortByColumn(STATE, Qt.SortOrder.DescendingOrder)
    assert names(panel)[-1] == "broken.pdf"


def test_rows_are_copied_with_titles(qtbot: QtBot, panel: LibraryPanel) -> None:
    panel.table.setFocus()
    panel.table.selectAll()
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "\t".join(TITLES) and len(lines) == 5


def test_closing_the_workspace_empties_the_list(panel: LibraryPanel, session: Session) -> None:
    session.close_workspace()
    assert panel.model.total == 0 and panel.stack.currentWidget() is panel.empty


def test_rows_are_fetched_as_one_scrolls(qtbot: QtBot) -> None:
    model = DocumentModel()
    many = [Document(f"{n:05d}", f"f{n:05d}.txt", "", 1, f"Note {n}", "text/plain") for n in range(BATCH * 3)]
    model.set_documents(many)
    assert model.rowCount() == BATCH and model.canFetchMore(QModelIndex())
    assert model.row_of("00450") == 450 and model.rowCount() >= 451


def test_numbers_in_names_are_sorted_as_numbers(qtbot: QtBot) -> None:
    model = DocumentModel()
    model.set_documents([Document(str(n), f"{n}.txt", "", 1, f"Note {n}", "text/plain") for n in (10, 2, 1)])
    assert [model.index(row, NAME).data() for row in range(3)] == ["Note 1", "Note 2", "Note 10"]


def test_an_update_of_states_keeps_the_rows(qtbot: QtBot) -> None:
    model = DocumentModel()
    document = Document("a", "a.txt", "", 1, "A", "text/plain")
    model.set_documents([document])
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.set_documents([Document("a", "a.txt", "", 1, "A", "text/plain", state=State.DONE)])
    assert model.index(0, STATE).data() == "read"


def test_tooltips_hold_no_markup_of_documents(qtbot: QtBot) -> None:
    model = DocumentModel()
    model.set_documents([Document("a", "<b>x</b>.txt", "", 1, "<img src=x>", "text/plain")])
    tip = model.index(0, NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tip and "&lt;img" in tip
