"""Clicks everywhere while a real indexing process changes what is shown, and where nothing may be written."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.communities.panel import LIST, TREEMAP, CommunitiesPanel
from app.session import operations
from app.session.indexing import IndexingState
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW

preferences, session, window, calm = ONE_WINDOW
pytestmark = [pytest.mark.long, pytest.mark.usefixtures("closed_again")]

LEFT = Qt.MouseButton.LeftButton
NEWS = "Ferdinand Quorn bought the Grey Petrel from Brandvold Lines in Trieste. Helvig Odland met Ferdinand Quorn."
KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Backspace, Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Space)


class Hand:
    """Clicks and types at random, the same each time, in all that shows communities."""

    def __init__(self, window: MainWindow) -> None:
        assert window.workbench is not None
        self.window, self.bench = window, window.workbench
        self.chance = random.Random(7)
        self.acts = 0
        self._repertoire = (
            self.browse,
            self.browse,
            self.graph,
            self.keys,
            self.fold,
            self.turn,
            self.find,
            self.report,
        )

    def act(self) -> None:
        self.acts += 1
        self.chance.choice(self._repertoire)()

    def click(self, widget: QWidget, spot: QPoint | None = None) -> None:
        at = spot or QPoint(self.chance.randrange(widget.width()), self.chance.randrange(widget.height()))
        (QTest.mouseDClick if self.chance.random() < 0.3 else QTest.mouseClick)(widget, LEFT, pos=at)

    def browse(self) -> None:
        panel = self.bench.communities
        self.click(panel.treemap if panel.view == TREEMAP else panel.list.tree.viewport())

    def turn(self) -> None:
        self.bench.communities.show_as(self.chance.choice((LIST, TREEMAP)))

    def fold(self) -> None:
        self.bench.graph.folding.toggle.trigger()

    def graph(self) -> None:
        canvas = self.bench.graph.canvas
        places = canvas._view.camera().to_screen(canvas._arrays.xy).tolist()
        self.click(
            canvas._view.viewport(), QPoint(*map(round, self.chance.choice(places))) if places else None
        )

    def keys(self) -> None:
        panel = self.bench.communities
        seen = panel.treemap if panel.view == TREEMAP else panel.list.tree
        QTest.keyClick(self.chance.choice((seen, self.bench.graph.canvas._view)), self.chance.choice(KEYS))

    def find(self) -> None:
        box = self.window.top.search
        if box.open:
            QTest.keyClick(box, Qt.Key.Key_Return)
        else:
            box.setFocus()
            box.clear()
            QTest.keyClicks(box, self.chance.choice(("Oriel", "Petrel", "Antwerp")))

    def report(self) -> None:
        report = self.bench.communities.report
        rows = [row for section in report.sections for row in section.rows if row.isVisible()]
        if rows:
            self.click(self.chance.choice(rows))


@contextmanager
def acting(hand: Hand, every_ms: int) -> Iterator[None]:
    """The hand acts from the event loop, in between what happens there."""
    timer = QTimer(interval=every_ms)
    timer.timeout.connect(hand.act)
    timer.start()
    yield
    timer.stop()


def shown(window: MainWindow) -> Workbench:
    assert window.workbench is not None
    return window.workbench


def opened(qtbot: QtBot, window: MainWindow, session: Session, path: Path) -> Workspace:
    operations.open_workspace(session, path)
    qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == path, timeout=20_000)
    qtbot.waitUntil(lambda: bool(shown(window).communities.model.communities), timeout=20_000)
    assert session.workspace is not None
    return session.workspace


def agree(panel: CommunitiesPanel, workspace: Workspace) -> bool:
    return {each.id: each.label for each in panel.model.communities} == {
        each.id: each.label for each in workspace.graph.communities()
    }


@pytest.mark.usefixtures("forked_runs")
def test_all_can_be_clicked_while_indexing_runs(
    window: MainWindow,
    session: Session,
    workspace_path: Path,
    small_folder: Path,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    papers = Path(shutil.copytree(small_folder, tmp_path / "papers"))
    (papers / "news.txt").write_text(f"{NEWS} " * 3, encoding="utf-8")
    (papers / "letter.md").unlink()  # its people, and the communities around them, go
    workspace = opened(qtbot, window, session, workspace_path)
    before = {each.id: each.label for each in workspace.graph.communities()}
    told: list[Message] = []
    session.message_posted.connect(told.append)
    hand = Hand(window)
    session.indexing.start(papers, workspace_path)
    with acting(hand, every_ms=20):
        qtbot.waitUntil(
            lambda: session.indexing.state is IndexingState.IDLE and hand.acts >= 40, timeout=120_000
        )
        before_rest = hand.acts  # until all was read again, and beyond
        qtbot.waitUntil(lambda: hand.acts >= before_rest + 40, timeout=60_000)
    qtbot.waitUntil(lambda: agree(shown(window).communities, workspace), timeout=10_000)
    assert {each.id: each.label for each in workspace.graph.communities()} != before, "it did change"
    # What a row led to may have gone a moment ago, or be told anew: that is said, and nothing else goes wrong.
    passing = ("is no longer in the workspace", "has no report yet")
    errors = [message.text for message in told if message.level == "error"]
    assert [text for text in errors if not any(words in text for words in passing)] == []
    current = session.selection.current
    if current is not None and current.kind == "community":
        assert shown(window).communities.model.get(int(current.id)) is not None


@pytest.fixture
def shut(workspace_path: Path) -> Iterator[Path]:
    """The workspace while another window has it: it is open for reading only."""
    first = Workspace.open(workspace_path, exclusive=True)
    yield workspace_path
    first.close()


def test_all_can_be_looked_at_where_nothing_may_be_written(
    window: MainWindow, session: Session, shut: Path, qtbot: QtBot
) -> None:
    workspace = opened(qtbot, window, session, shut)
    assert session.shut
    told: list[Message] = []
    session.message_posted.connect(told.append)
    hand, panel = Hand(window), shown(window).communities
    with acting(hand, every_ms=5):
        qtbot.waitUntil(lambda: hand.acts >= 60, timeout=60_000)
    assert agree(panel, workspace)
    assert [message.text for message in told if message.level == "error"] == []


def test_no_report_is_written_where_nothing_may_be(
    window: MainWindow, session: Session, shut: Path, qtbot: QtBot
) -> None:
    workspace = opened(qtbot, window, session, shut)
    panel = shown(window).communities
    session.language.set_writer("ollama:scripted:1b")
    operations.select_community(session, workspace.graph.communities()[0].id)
    qtbot.waitUntil(lambda: panel.report.report is not None)
    writer = panel.writer
    assert writer.button.isVisible() and not writer.button.isEnabled() and not writer.more.isEnabled()
    assert "reading only" in writer.button.toolTip()
    told: list[Message] = []
    session.message_posted.connect(told.append)
    writer.choices.actions()[0].trigger()  # open since before it was shut
    assert [message.text for message in told] == [session.shut] and told[0].remedy == session.shut_remedy
    assert writer.button.isVisible() and not writer.stop.isVisible()
