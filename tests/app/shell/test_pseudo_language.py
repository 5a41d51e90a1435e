"""The whole window in a pseudo-language: no text on screen, in a tooltip or for a screen reader goes round `tr`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "pseudo_window.py"


@pytest.mark.long
def test_nothing_is_left_in_english(sample_copy: Path) -> None:
    run = subprocess.run([sys.executable, SCRIPT, sample_copy], capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr
    found = [line.partition(" | ") for line in run.stdout.splitlines() if line]
    assert [(where.split(":")[0], text) for where, _, text in found] == [("QLabel  text", "Forgotten words")]
