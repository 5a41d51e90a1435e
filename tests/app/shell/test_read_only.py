"""A workspace that another process uses: the window says by whom, and what that means."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.message_bar import ReadOnlyBanner
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW

LEFT = Qt.MouseButton.LeftButton
ROOT = Path(__file__).resolve().parents[3]

preferences, session, window, calm = ONE_WINDOW
pytestmark = pytest.mark.usefixtures("closed_again")
HOLD = """
import sys
from pathlib import Path
from core.store.workspace_files import WriterLock
with WriterLock(Path(sys.argv[1]), "indexed"):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def banner(window: MainWindow) -> ReadOnlyBanner:
    found = window.findChild(ReadOnlyBanner)
    assert isinstance(found, ReadOnlyBanner)
    return found


@pytest.fixture
def writer(workspace_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes to the workspace until it is told to end."""
    command = [sys.executable, "-c", HOLD, str(workspace_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        let_go(process)


def let_go(process: subprocess.Popen[str]) -> None:
    if process.poll() is None and process.stdin is not None:
        process.stdin.write("\n")
        process.stdin.flush()
        process.wait(20)


def opened(qtbot: QtBot, session: Session, path: Path) -> None:
    operations.open_workspace(session, path)
    qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == path, timeout=20_000)


def test_the_second_window_reads_and_says_who_has_the_first(
    qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path, banner: ReadOnlyBanner
) -> None:
    first = Workspace.open(workspace_path, exclusive=True)
    opened(qtbot, session, workspace_path)
    assert banner.isVisible() and "process" in banner.words.text() and "reading only" in banner.words.text()
    assert "deciding on names" in banner.meaning.text()
    assert window.workbench is not None
    library = window.workbench.library
    qtbot.waitUntil(lambda: library.model.total == 4, timeout=10_000)
    library.show_failed()
    assert not library.head.retry.isEnabled() and "reading only" in library.head.retry.toolTip()
    operations.index_again(session)
    assert not session.indexing.running and "reading only" in window.messages.text()
    assert session.workspace is not None and session.workspace.search("Oriel")
    first.close()
    window.messages.dismiss()
    qtbot.mouseClick(banner.again, LEFT)
    qtbot.waitUntil(lambda: session.workspace is not None and not session.shut, timeout=20_000)
    assert not banner.isVisible() and library.head.retry.isEnabled()


@pytest.mark.long
def test_a_process_that_writes_is_told_and_its_end_too(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    workspace_path: Path,
    banner: ReadOnlyBanner,
    writer: subprocess.Popen[str],
) -> None:
    opened(qtbot, session, workspace_path)
    qtbot.waitUntil(banner.isVisible, timeout=10_000)
    assert f"process {writer.pid}" in banner.words.text() and not banner.again.isVisible()
    assert "deciding on names" in banner.meaning.text()
    assert session.blocked and not session.shut
    let_go(writer)
    window._others.look()
    qtbot.waitUntil(lambda: not banner.isVisible(), timeout=10_000)
    assert session.blocked == ""


@pytest.mark.long
def test_what_another_process_adds_is_shown(
    qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path, forks: Path, tmp_path: Path
) -> None:
    opened(qtbot, session, workspace_path)
    qtbot.waitUntil(lambda: window._others._revision >= 0, timeout=10_000)
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "note.pdf").write_bytes(b"%PDF-1.7 cut off")
    command = [sys.executable, "-I", "-S", str(ROOT / "tests" / "forks.py"), str(forks)]
    words = ["index", str(folder), "--workspace", str(workspace_path)]
    subprocess.run([*command, *words], cwd=ROOT, check=False, capture_output=True, timeout=120)
    assert window.workbench is not None
    library = window.workbench.library
    qtbot.waitUntil(lambda: library.model.total == 1, timeout=20_000)
