"""What failed: listed with stage, reason, remedy and raw output; tried again by a button, for one and for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.documents_model import COLOUR, DETAIL, DOCUMENT, NAME, STATE
from app.library.failures import MOST, FailureCard, FailureRow
from app.library.panel import LibraryPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.progress import TaskContext
from core.types import Failure
from core.workspace import Workspace
from tests.app.conftest import open_now

LEFT = Qt.MouseButton.LeftButton
RAW = '{"triples": [["<b>Calder</b>", "owns",\n  and here the reply ended'


def fail_passages(workspace: Path) -> None:
    """Let the one passage of charter.txt be one at which the extraction failed."""
    opened = Workspace.open(workspace)
    with opened._store.database.transaction() as connection:
        connection.execute(
            "UPDATE stages SET state = 'failed', reason = 'The reply ended early.', raw = ? WHERE stage = 'extract'"
            " AND passage_key IN (SELECT p.key FROM passages p JOIN documents d ON d.key = p.document_key"
            " WHERE d.path = 'charter.txt')",
            (RAW,),
        )
    opened.close()


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session, workspace_path: Path) -> LibraryPanel:
    fail_passages(workspace_path)
    panel = LibraryPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(300, 700)
    panel.show()
    with qtbot.waitSignal(panel.failures_counted, check_params_cb=lambda d, p: (d, p) == (1, 1)):
        open_now(open_session)
    return panel


def choose(panel: LibraryPanel, path: str) -> None:
    for row in range(panel.model.rowCount()):
        if panel.model.index(row, NAME).data(DOCUMENT).path == path:
            panel.table.selectRow(row)
            return
    raise AssertionError(f"{path} is not listed")


def test_only_what_failed_with_a_count(qtbot: QtBot, panel: LibraryPanel) -> None:
    assert panel.failed.text() == "Failed (2)" and not panel.head.strip.isVisible()
    qtbot.mouseClick(panel.failed, LEFT)
    qtbot.waitUntil(lambda: panel.model.matching == 2)
    assert panel.head.words.text() == "2 documents, 1 passage"
    assert panel.head.retry.isVisible()


def test_a_document_that_was_read_in_part_says_so(panel: LibraryPanel) -> None:
    choose(panel, "charter.txt")
    index = panel.table.currentIndex()
    assert index.siblingAtColumn(STATE).data() == "read in part"
    assert (index.data(DETAIL), index.data(COLOUR)) == ("1 passage failed", "warn")


def test_stage_reason_and_raw_output_of_a_passage(
    qtbot: QtBot, panel: LibraryPanel, session: Session
) -> None:
    choose(panel, "charter.txt")
    (row,) = panel.card.rows
    assert row.reason.text() == "The reply ended early." and row.failure.stage == "extract"
    assert not row.raw.isVisible()
    qtbot.mouseClick(row.fold, LEFT)
    assert row.raw.isVisible() and row.raw.toPlainText() == RAW  # letter by letter, no markup
    panel.card.passage_wanted.emit(row.failure.passage_id, row.failure.document_id)
    current = session.selection.current
    assert current is not None and (current.kind, current.id) == ("passage", row.failure.passage_id)


def test_what_is_unfolded_stays_so_when_the_list_is_read_again(qtbot: QtBot, panel: LibraryPanel) -> None:
    choose(panel, "charter.txt")
    panel.card.rows[0].fold.setChecked(True)
    with qtbot.waitSignal(panel.failures_counted):
        panel.refresh()
    assert panel.card.rows[0].raw.isVisible()


def test_retry_is_off_with_the_reason_while_another_process_writes(
    panel: LibraryPanel, session: Session
) -> None:
    choose(panel, "broken.pdf")
    assert panel.card.retry.isEnabled() and panel.head.retry.isEnabled()
    session.set_written_by("being indexed by process 4711 since 14:02")
    assert not panel.card.retry.isEnabled() and not panel.head.retry.isEnabled()
    assert "4711" in panel.card.retry.toolTip()
    again = next(line for line in panel.row_menu().actions() if line.text().startswith("Try again"))
    assert not again.isEnabled() and "4711" in again.toolTip()
    session.set_written_by("")
    assert panel.card.retry.isEnabled()


def test_thousands_of_failures_are_cut_short(qtbot: QtBot) -> None:
    card = FailureCard()
    qtbot.addWidget(card)
    card.show_failures([Failure("d", "d.txt", "extract", "why", passage_id=str(n)) for n in range(1000)])
    assert len(card.rows) == MOST
    card.show_failures([])
    assert not card.rows and card.isHidden()


def test_a_failure_of_one_line_has_nothing_to_unfold(qtbot: QtBot) -> None:
    row = FailureRow(Failure("d", "d.txt", "read", "It is empty.", "Get a new copy."))
    qtbot.addWidget(row)
    row.show()
    assert not row.fold.isVisible() and row.remedy.text() == "Get a new copy."


def test_what_the_reader_said_of_a_file(
    qtbot: QtBot, session: Session, panel: LibraryPanel, tmp_path: Path
) -> None:
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "cut.pdf").write_bytes(b"%PDF-1.7 cut off")
    workspace = Workspace.open(tmp_path / "cut-workspace", create=True)
    workspace.index(folder, TaskContext())
    with qtbot.waitSignal(panel.failures_counted, check_params_cb=lambda d, p: (d, p) == (1, 0)):
        session.set_workspace(workspace)
    choose(panel, "cut.pdf")
    (row,) = panel.card.rows
    qtbot.mouseClick(row.fold, LEFT)
    assert row.raw.isVisible() and row.raw.toPlainText().startswith("PdfiumError: ")


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_retry_in_the_window_mends_what_was_mended(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    workspace_path: Path,
    papers: Path,
) -> None:
    fail_passages(workspace_path)
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(lambda: window.status.failed.text() == "1 document and 1 passage failed", timeout=20_000)
    assert window.workbench is not None
    library = window.workbench.library
    qtbot.mouseClick(window.status.failed, LEFT)
    qtbot.waitUntil(lambda: library.failed.isChecked() and library.table.currentIndex().isValid())
    choose(library, "charter.txt")
    with qtbot.waitSignal(session.indexing.ended, timeout=60_000):
        qtbot.mouseClick(library.card.retry, LEFT)
    qtbot.waitUntil(lambda: window.status.failed.text() == "1 document failed", timeout=10_000)
    with qtbot.waitSignal(session.indexing.ended, timeout=60_000):
        qtbot.mouseClick(library.head.retry, LEFT)  # all; the file is still empty
    qtbot.waitUntil(lambda: library.model.unread == 1 and library.head.retry.isEnabled(), timeout=10_000)
