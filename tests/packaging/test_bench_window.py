"""The benchmarks measure what they say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import bench_window
import pytest
from bench_texts import sentences, write_texts
from pytestqt.qtbot import QtBot

from tests.waiting import Clock

HOME = Path(__file__).resolve().parents[2]


def test_the_stopwatch_sees_a_block_of_the_event_loop(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(bench_window, "time", SimpleNamespace(perf_counter=clock))
    watch = bench_window.Stopwatch()
    watch.begin("calm")
    qtbot.waitUntil(lambda: watch.of("calm").ticks > 5)
    watch.begin("blocked")
    clock.now += 0.15  # as if the event loop could not run meanwhile
    qtbot.waitUntil(lambda: watch.of("blocked").worst > 0)
    watch.begin("")
    assert watch.of("calm").worst == 0 and watch.of("blocked").worst == pytest.approx(140)
    assert watch.of("nothing").ticks == 1


def test_texts_repeat_and_vary(tmp_path: Path) -> None:
    write_texts(tmp_path / "a", 12)
    write_texts(tmp_path / "b", 12)
    first = [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "a").rglob("*.txt"))]
    assert first == [path.read_text(encoding="utf-8") for path in sorted((tmp_path / "b").rglob("*.txt"))]
    assert len(set(first)) == 12 and len(sentences()) > 50


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the shell differs")
def test_startup_is_reported_with_its_goal() -> None:
    done = subprocess.run(
        [sys.executable, str(HOME / "packaging/benches/bench_window.py"), "startup", "1"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        cwd=HOME,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["name"] == "startup" and result["figures"]["heavy_modules"]["value"] == 0
    assert set(result["figures"]["first_paint"]) == {"value", "unit", "baseline", "goal"}
    assert 0 < result["figures"]["first_paint"]["value"] < 60
