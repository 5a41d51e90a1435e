"""What is painted and clicked at double scale is what is painted and clicked at single scale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

HERE = Path(__file__).resolve().parents[1]
PAINTED = ("ask/test_score_gauge.py", "widgets/test_small_widgets.py")


def test_tests_that_look_at_colours_pass_at_double_scale() -> None:
    """The whole suite does; these know it quickly."""
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *(str(HERE / name) for name in PAINTED),
        ],
        env={**os.environ, "QT_SCALE_FACTOR": "2"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout
