"""Removing documents: previewed, done by one key, undone by one press; the file stays where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.documents_model import DOCUMENT, NAME
from app.library.panel import LibraryPanel
from app.library.removal import going
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.types import Removal
from tests.app.one_window import ONE_WINDOW, press_offer

LEFT = Qt.MouseButton.LeftButton


preferences, session, window, calm = ONE_WINDOW
pytestmark = pytest.mark.usefixtures("closed_again")


def choose(library: LibraryPanel, *paths: str) -> None:
    library.table.clearSelection()
    library.table.setFocus()
    model = library.table.selectionModel()
    for row in range(library.model.rowCount()):
        index = library.model.index(row, NAME)
        if index.data(DOCUMENT).path in paths:
            model.setCurrentIndex(index, model.SelectionFlag.Select | model.SelectionFlag.Rows)


def paths(session: Session) -> list[str]:
    assert session.workspace is not None
    return [document.path for document in session.workspace.documents.all()]


def asked(qtbot: QtBot, library: LibraryPanel) -> None:
    qtbot.keyClick(library.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(library.removal.isVisible, timeout=10_000)


def test_the_preview_tells_what_goes_and_changes_nothing(
    qtbot: QtBot, bench: Workbench, session: Session
) -> None:
    library = bench.library
    choose(library, "charter.txt")
    asked(qtbot, library)
    bar = library.removal
    assert bar.question.text() == "Remove “Charter” from the workspace?"
    assert session.workspace is not None
    removal = session.workspace.documents.preview_removal([bar.documents[0].id])
    assert removal.passages == 1 and bar.goes.text() == going(removal)
    assert "file stays where it is" in bar.stays.text()
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert not bar.isVisible() and len(paths(session)) == 4


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_removed_by_enter_and_undone_by_a_press(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session, papers: Path
) -> None:
    library, graph = bench.library, bench.graph
    qtbot.waitUntil(lambda: graph.canvas.node_count > 0)
    nodes = graph.canvas.node_count
    choose(library, "charter.txt", "letter.md")
    asked(qtbot, library)
    assert "2 documents" in library.removal.question.text()
    with qtbot.waitSignal(session.message_posted, timeout=60_000):
        qtbot.keyClick(library.removal, Qt.Key.Key_Return)
    assert sorted(paths(session)) == ["broken.pdf", "register.txt"]
    assert (papers / "charter.txt").is_file() and (papers / "letter.md").is_file()
    qtbot.waitUntil(lambda: library.model.total == 2 and library.foot.taken_out.text() == "2 taken out")
    qtbot.waitUntil(lambda: graph.canvas.node_count < nodes, timeout=10_000)
    assert not library.removal.isVisible() and "2 documents are removed" in window.messages.text()
    with qtbot.waitSignal(session.indexing.ended, timeout=60_000):
        press_offer(qtbot, window)
    assert len(paths(session)) == 4
    qtbot.waitUntil(
        lambda: library.model.total == 4 and not library.foot.taken_out.isVisible(), timeout=10_000
    )
    qtbot.waitUntil(lambda: graph.canvas.node_count == nodes, timeout=10_000)


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_what_was_taken_out_stays_out_until_it_is_let_in(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    library = bench.library
    choose(library, "broken.pdf")
    asked(qtbot, library)
    qtbot.mouseClick(library.removal.remove, LEFT)
    qtbot.waitUntil(lambda: library.foot.taken_out.isVisible(), timeout=60_000)
    with qtbot.waitSignal(session.indexing.ended, timeout=60_000):
        operations.index_again(session)
    assert "broken.pdf" not in paths(session)
    lines = {line.text(): line for line in library.foot.menu().actions()}
    with qtbot.waitSignal(session.indexing.ended, timeout=60_000):
        lines["Let in again: broken.pdf"].trigger()
    assert "broken.pdf" in paths(session)


def test_an_open_document_that_is_removed_says_so(qtbot: QtBot, bench: Workbench, session: Session) -> None:
    library = bench.library
    choose(library, "letter.md")
    operations.select_document(session, library.chosen()[0].id)
    qtbot.waitUntil(lambda: bench.reader.opened is not None, timeout=10_000)
    asked(qtbot, library)
    qtbot.mouseClick(library.removal.remove, LEFT)
    qtbot.waitUntil(bench.reader.news.isVisible, timeout=60_000)
    assert "no longer in the workspace" in bench.reader.news.words.text()
    assert "Lucian Dragomir" in bench.reader.text.toPlainText()  # what one read is not torn away


def test_removing_is_off_with_the_reason_while_another_process_writes(
    qtbot: QtBot, window: MainWindow, bench: Workbench, session: Session
) -> None:
    library = bench.library
    choose(library, "letter.md")
    session.set_written_by("being indexed by process 4711 since 14:02")
    line = library.row_menu().actions()[-1]
    assert line.text().startswith("Remove") and not line.isEnabled() and "4711" in line.toolTip()
    qtbot.keyClick(library.table, Qt.Key.Key_Delete)
    assert "4711" in window.messages.text() and not library.removal.isVisible()


def test_what_goes_in_words() -> None:
    words = going(Removal(1, 1, 5, 3, 1, 1, 2))
    assert all(part in words for part in ("1 passage,", "3 triples", "1 fact", "1 entity", "2 vectors"))
    assert going(Removal(1, 0, 0, 0, 0, 0, 0)).startswith("Nothing else goes")
