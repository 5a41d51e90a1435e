"""The encoding and the date of a document are chosen below the list, by keys; what needs it is read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.documents_model import DOCUMENT, NAME
from app.library.panel import LibraryPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

LINE = "Herr Möve heißt seit Jahren Köhler und wohnt gern in Köln."


@pytest.fixture
def library(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    tmp_path: Path,
    models: Models,
    request: pytest.FixtureRequest,
) -> LibraryPanel:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "old.txt").write_bytes(LINE.encode("cp850"))
    for number in range(getattr(request, "param", 0)):
        (folder / f"{number:03}.txt").write_text(f"Crate {number} came ashore.")
    with Workspace.open(tmp_path / "w", create=True, models=models) as opened:
        opened.index(folder, TaskContext())
    operations.open_workspace(session, tmp_path / "w")
    qtbot.waitUntil(
        lambda: window.workbench is not None and window.workbench.library.model.total > 0, timeout=20_000
    )
    assert window.workbench is not None
    window.activateWindow()
    library = window.workbench.library
    library.table.selectRow(0)
    library.table.setFocus()
    return library


@pytest.mark.long
def test_an_encoding_is_offered_with_what_it_makes_of_the_text_and_read_again(
    qtbot: QtBot, session: Session, library: LibraryPanel
) -> None:
    offered = " ".join(action.text() for action in library.row_menu().actions())
    assert "Encoding..." in offered and "Date..." in offered
    session.commands.run("library.encoding")
    bar = library.choosing
    qtbot.waitUntil(lambda: bar.encodings.count() > 3)
    assert bar.encodings.itemText(0) == f"cp850    {LINE}"
    bar.encodings.setCurrentIndex(bar.encodings.findData("cp437"))
    qtbot.keyClick(bar, Qt.Key.Key_Return)
    workspace = session.workspace
    assert workspace is not None
    (document,) = workspace.documents.all()
    qtbot.waitUntil(lambda: not workspace.documents.notices([document.id]), timeout=30_000)
    assert workspace.documents.choices([document.id]) == {document.id: {"encoding": "cp437"}}
    assert bar.isHidden()


@pytest.mark.long
def test_a_date_is_set_at_once_and_bad_ones_are_refused(
    qtbot: QtBot, session: Session, library: LibraryPanel
) -> None:
    bar, workspace = library.choosing, session.workspace
    assert workspace is not None
    session.commands.run("library.date")
    bar.date.setText("soon")
    with qtbot.waitSignal(session.message_posted) as refusal:
        qtbot.keyClick(bar.date, Qt.Key.Key_Return)
    assert "no date" in refusal.args[0].text and not bar.isHidden()
    bar.date.setText("3 May 2021")
    qtbot.keyClick(bar.date, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bar.isHidden())
    assert [document.date for document in workspace.documents.all()] == ["2021-05-03"]
    qtbot.waitUntil(lambda: library.model.index(0, NAME).data(DOCUMENT).date == "2021-05-03")
    session.commands.run("library.date")
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.isHidden()


@pytest.mark.long
@pytest.mark.parametrize("library", [40], indirect=True)
@pytest.mark.parametrize("command", ["library.date", "library.encoding"])
def test_the_row_stays_in_sight_below_which_a_bar_asks(
    qtbot: QtBot, session: Session, library: LibraryPanel, command: str
) -> None:
    last = library.model.index(40, NAME)
    library.table.selectRow(40)

    def in_sight() -> bool:
        return library.table.viewport().rect().contains(library.table.visualRect(last))

    qtbot.waitUntil(in_sight)
    session.commands.run(command)
    qtbot.waitUntil(lambda: not library.choosing.isHidden())
    qtbot.waitUntil(in_sight, timeout=2_000)
