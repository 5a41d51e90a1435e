"""The encoding and the date of a document are chosen below the list, by keys; what needs it is read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.library.documents_model import DOCUMENT, NAME
from app.library.panel import LibraryPanel
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.answering.models import Models
from tests.app.library.conftest import open_in
from tests.app.one_window import ONE_WINDOW
from tests.conftest import copied, indexed_once, written

LINE = "Herr Möve heißt seit Jahren Köhler und wohnt gern in Köln."


preferences, session, window, calm = ONE_WINDOW
pytestmark = pytest.mark.usefixtures("closed_again")
CRATES = 25  # more than fit into the window


@pytest.fixture(scope="module")
def crates(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of short letters, the last of them in an encoding that has to be guessed."""

    def letters(place: Path) -> Path:
        texts = {f"{number:03}.txt": f"Crate {number} came ashore." for number in range(CRATES)}
        folder = written(place / "letters", texts)
        (folder / "old.txt").write_bytes(LINE.encode("cp850"))
        return folder

    return indexed_once(tmp_path_factory, "crates", models, letters)


@pytest.fixture
def library(qtbot: QtBot, window: MainWindow, crates: Path, tmp_path: Path) -> LibraryPanel:
    library = open_in(qtbot, window, copied(crates, tmp_path / "w"), CRATES + 1).library
    library.table.selectRow(CRATES)
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
    (document,) = (each for each in workspace.documents.all() if each.path == "old.txt")
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
    assert {each.path: each.date for each in workspace.documents.all()}["old.txt"] == "2021-05-03"
    qtbot.waitUntil(lambda: library.model.index(CRATES, NAME).data(DOCUMENT).date == "2021-05-03")
    session.commands.run("library.date")
    qtbot.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.isHidden()


@pytest.mark.parametrize("command", ["library.date", "library.encoding"])
def test_the_row_stays_in_sight_below_which_a_bar_asks(
    qtbot: QtBot, session: Session, library: LibraryPanel, command: str
) -> None:
    last = library.model.index(CRATES, NAME)

    def in_sight() -> bool:
        return library.table.viewport().rect().contains(library.table.visualRect(last))

    assert library.table.verticalScrollBar().maximum() > 0
    qtbot.waitUntil(in_sight)
    session.commands.run(command)
    qtbot.waitUntil(lambda: not library.choosing.isHidden())
    qtbot.waitUntil(in_sight, timeout=2_000)
