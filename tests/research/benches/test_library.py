"""The benchmark of a large library: what it makes up, and how it reads its own times."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.research.benches.library import Run, _before, _speed, varied
from core.types import Passage


def passage(text: str) -> Passage:
    return Passage("id", "document", 0, "Grey Petrel", text, 0, len(text), None)


def test_copies_bear_other_names_and_the_same_ones_throughout() -> None:
    original = passage("The Grey Petrel met the Petrel of Bergen in 1961.")
    assert varied(original, 0) == (original.title, original.text)
    title, text = varied(original, 1)
    assert title != original.title
    assert title.split()[1] in text.split()
    assert text.endswith("in 1961.")
    assert varied(original, 1) == (title, text) != varied(original, 2)


def test_speed_leaves_pauses_out_and_counts_every_run() -> None:
    first: Run = [(1.0, 10, 1.0), (2.0, 20, 3.0)]
    second: Run = [(5.0, 30, 0.5), (7.0, 50, 2.5), (8.0, 100, 9.0), (90.0, 100, 9.0)]
    assert _speed([first, second], 0.0, 0.5) == pytest.approx(((10 + 20) / 3, (2 + 2) / 30))
    assert _speed([second], 0.5, 1.0) == pytest.approx((50.0, 6.5 / 50))


def test_times_of_an_interrupted_run_are_read_again(tmp_path: Path) -> None:
    times = tmp_path / "times.jsonl"
    assert _before(times) == []
    times.write_text("[0, 1.5, 10, 2.0]\n[1, 0.5, 20, 1.0]\n", encoding="utf-8")
    assert _before(times) == [[(1.5, 10, 2.0)], [(0.5, 20, 1.0)]]
