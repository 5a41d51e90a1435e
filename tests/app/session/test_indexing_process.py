"""The indexing process: its news, pause and cancel, its crash, and its end with the window."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from app.session.indexing import Indexing, IndexingState, growth_of, parse, progress_of
from core.workspace import Workspace
from tests.processes import at_rest
from tests.waiting import process_events

pytestmark = pytest.mark.long


@pytest.fixture
def indexing(qtbot: QtBot):  # type: ignore[no-untyped-def]
    made = Indexing()
    yield made
    made.close()


def test_lines_become_records() -> None:
    event = {
        "event": "growth",
        "nodes": [["a", "A", "ORG"]],
        "edges": [["a", "b"]],
        "documents": 1,
        "passages": 2,
    }
    growth = growth_of(parse(json.dumps(event).encode()))
    assert growth.nodes == (("a", "A", "ORG"),) and growth.edges == (("a", "b"),) and growth.passages == 2
    assert progress_of({"stage": "read", "done": 1, "total": 3}).total == 3


@pytest.mark.parametrize("line", [b"", b"Some library says hello", b"[1, 2]", b"\xff\xfe", b'{"event": '])
def test_what_is_no_event_is_left_out(line: bytes) -> None:
    assert parse(line) == {}


def test_a_folder_is_indexed_and_every_kind_of_news_comes(
    qtbot: QtBot, indexing: Indexing, small_folder: Path, tmp_path: Path
) -> None:
    states: list[IndexingState] = []
    growths: list[int] = []
    documents: dict[str, str] = {}
    stages: list[str] = []
    indexing.changed.connect(states.append)
    indexing.growth.connect(lambda growth: growths.append(len(growth.nodes)))
    indexing.document.connect(lambda event: documents.__setitem__(event["path"], event["state"]))
    indexing.progress.connect(lambda progress: stages.append(progress.stage))
    with qtbot.waitSignal(indexing.finished, timeout=120_000) as finished:
        indexing.start(small_folder, tmp_path / "w")
    assert states == [IndexingState.RUNNING, IndexingState.IDLE]
    assert finished.args[0].documents == 3 and finished.args[0].failed == 1
    assert documents["broken.pdf"] == "failed" and documents["charter.txt"] == "done"
    assert sum(growths) > 3 and "read" in stages and "index" in stages


def test_pause_rests_cancel_ends_a_kill_is_a_crash_and_closing_leaves_no_process(
    qtbot: QtBot, indexing: Indexing, small_folder: Path, tmp_path: Path
) -> None:
    def number() -> int:
        return max(each.processId() for each in indexing.findChildren(QProcess))

    indexing.start(small_folder, tmp_path / "w")
    indexing.pause()
    assert indexing.state is IndexingState.PAUSED
    with qtbot.assertNotEmitted(indexing.finished):
        qtbot.waitUntil(at_rest(number()), timeout=60_000)
    indexing.resume()
    assert indexing.state is IndexingState.RUNNING
    with qtbot.waitSignal(indexing.cancelled, timeout=60_000):
        indexing.cancel()
        assert indexing.state is IndexingState.STOPPING
    assert indexing.state is IndexingState.IDLE
    Workspace.open(tmp_path / "w", create=True).close()

    with qtbot.waitSignal(indexing.progress, timeout=60_000):
        indexing.start(small_folder, tmp_path / "w")
    with qtbot.waitSignal(indexing.crashed, timeout=20_000) as crashed:
        os.kill(number(), signal.SIGKILL)
    assert crashed.args[0] and "\n" not in crashed.args[0]
    assert indexing.state is IndexingState.IDLE

    with qtbot.waitSignal(indexing.progress, timeout=60_000):
        indexing.start(small_folder, tmp_path / "w")
    last = number()
    with qtbot.assertNotEmitted(indexing.crashed):
        indexing.close()
        process_events()
    with pytest.raises(ProcessLookupError):
        os.kill(last, 0)


@pytest.mark.usefixtures("forked_runs")
def test_a_folder_that_is_not_there_is_a_known_failure(
    qtbot: QtBot, indexing: Indexing, tmp_path: Path
) -> None:
    with qtbot.waitSignal(indexing.failed, timeout=60_000) as failed:
        indexing.start(tmp_path / "nowhere", tmp_path / "w")
    message, remedy = failed.args
    assert message and remedy


@pytest.mark.usefixtures("forked_runs")
def test_a_stop_is_not_waited_for_but_by_the_next_run(
    qtbot: QtBot, indexing: Indexing, small_folder: Path, tmp_path: Path
) -> None:
    def running() -> int:
        return sum(each.processId() > 0 for each in indexing.findChildren(QProcess))

    with qtbot.waitSignal(indexing.progress, timeout=60_000):
        indexing.start(small_folder, tmp_path / "w")
    indexing.stop()
    assert indexing.state is IndexingState.IDLE and not indexing.alive
    with qtbot.waitSignal(indexing.finished, timeout=60_000):
        indexing.start(small_folder, tmp_path / "w")
        assert indexing.alive and running() <= 1, "two would write to one workspace"
    indexing.start(small_folder, tmp_path / "w")
    indexing.stop()
    indexing.start(small_folder, tmp_path / "w")
    with qtbot.waitSignals([indexing.cancelled, indexing.ended]):
        indexing.cancel()  # what waits
    assert indexing.state is IndexingState.IDLE and not indexing.alive
