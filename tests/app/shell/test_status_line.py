"""The status line: how far, how fast, how long; what failed."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.look import theme
from app.session.commands import Command, Commands
from app.session.indexing import IndexingState, progress_of
from app.shell.status_line import STAGES, Speed, StatusLine, span
from core.progress import NodeShare, Progress
from core.types import Growth, Status

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def run() -> list[str]:
    """The commands that were run, by their id."""
    return []


@pytest.fixture
def line(qtbot: QtBot, dressed_app: None, run: list[str]) -> StatusLine:
    commands, owner = Commands(), QWidget()
    for id in ("indexing.pause", "indexing.stop", "indexing.failed", "answer.approved"):
        commands.add(owner, Command(id, "Words", partial(run.append, id)))
    line = StatusLine(commands)
    owner.setParent(line)
    commands.setParent(line)
    qtbot.addWidget(line)
    line.resize(1200, 32)
    line.show()
    return line


def test_speed_is_taken_over_a_window_and_starts_again_when_counting_does() -> None:
    speed = Speed()
    speed.add(0, now=0.0)
    speed.add(100, now=10.0)
    assert speed.rate == pytest.approx(10.0)
    speed.add(130, now=40.0)
    assert speed.rate == pytest.approx(1.0)  # the first point fell out of the window
    speed.add(5, now=41.0)
    assert speed.rate == 0.0


def test_time_left_in_words() -> None:
    said = {3: "5 s", 41: "40 s", 57: "55 s", 58: "58 s", 200: "3 minutes", 5400: "1 hour and 30 minutes"}
    assert {seconds: span(seconds) for seconds in said} == {at: f"{words} left" for at, words in said.items()}


def test_passages_speed_and_time_left(line: StatusLine, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("app.shell.status_line.time.monotonic", lambda: clock[0])
    line.set_state(IndexingState.RUNNING)
    line.set_progress(Progress("index", 0, 1204))
    assert "Loading the models" in line.words.text()
    clock[0] += 10
    line.set_progress(Progress("index", 840, 1204, "Letter: Dear Sir"))
    assert line.words.text() == "840 of 1,204 passages indexed, 84 a second, 5 s left"
    assert line.reading.text() == "Letter: Dear Sir"


def test_what_each_node_has_done_is_told(line: StatusLine) -> None:
    line.set_state(IndexingState.RUNNING)
    told = {
        "stage": "index",
        "done": 40,
        "total": 90,
        "nodes": [{"node": "left", "done": 8}, {"node": "right", "done": 32}],
    }
    line.set_progress(progress_of(told))
    assert line.words.text() == "40 of 90 passages indexed (right 32, left 8)"
    many = tuple(NodeShare(f"node{number}", number) for number in range(1, 8))
    line.set_progress(Progress("index", 41, 90, nodes=many))
    assert "(node7 7, node6 6, node5 5, node4 4, 3 others 6)" in line.words.text()
    line.set_progress(Progress("names", 1, 2))
    assert "node" not in line.words.text()


def test_share_never_falls_from_stage_to_stage(line: StatusLine) -> None:
    line.set_state(IndexingState.RUNNING)
    shares = []
    for stage in STAGES:
        for done in (0, 5, 10):
            line.set_progress(Progress(stage, done, 10))
            shares.append(line.share)
    assert shares == sorted(shares) and 0.9 < shares[-1] <= 1.01  # type: ignore[type-var, operator]


def test_pause_and_stop_are_pressed(qtbot: QtBot, line: StatusLine, run: list[str]) -> None:
    line.set_state(IndexingState.RUNNING)
    qtbot.mouseClick(line.pause, LEFT)
    line.set_state(IndexingState.PAUSED)
    assert line.words.text() == "Indexing is paused" and line.pause.accessibleName() == "Go on indexing"
    qtbot.mouseClick(line.cancel, LEFT)
    assert run == ["indexing.pause", "indexing.stop"]
    line.set_state(IndexingState.IDLE)
    assert not line.pause.isVisible() and not line.cancel.isVisible()


def test_counts_and_failures(qtbot: QtBot, line: StatusLine, run: list[str]) -> None:
    line.set_counts(Status(33, 1204, 900, 800, 850, 12, 2, 0, ""))
    assert "1,204 passages" in line.totals.text() and not line.failed.isVisible()
    line.set_failed(1, 3)
    assert line.failed.text() == "1 document and 3 passages failed"
    line.set_failed(2)
    assert line.failed.text() == "2 documents failed"
    qtbot.mouseClick(line.failed, LEFT)
    assert run == ["indexing.failed"]
    line.set_growth(Growth((), (), 33, 1300, 901, 801, "The passage being read"))
    assert "1,300 passages" in line.totals.text() and line.reading.text() == "The passage being read"


def test_a_narrow_window_leaves_the_totals_out_first(line: StatusLine) -> None:
    line.set_counts(Status(33_333, 120_400, 90_000, 80_000, 85_000, 12, 2, 0, ""))
    line.set_watch("Changes found, waiting until writing ends", "why", theme.icon("eye"))
    assert line.totals.isVisible()
    line.resize(420, 32)
    assert not line.totals.isVisible() and line.watch.isVisible()
    line.resize(1200, 32)
    assert line.totals.isVisible()


def test_the_watch_is_a_button(qtbot: QtBot, line: StatusLine) -> None:
    line.set_watch("Watching", "", theme.icon("eye"))
    with qtbot.waitSignal(line.watch_pressed):
        qtbot.mouseClick(line.watch, LEFT)
    line.set_watch("", "", theme.icon("eye"))
    assert not line.watch.isVisible()
