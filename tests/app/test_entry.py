"""The `clew` command: with a subcommand it never imports Qt; without a display it says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

HOME = Path(__file__).resolve().parents[2]


def clew(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    base = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        env={**base, **environment},
        cwd=HOME,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.long
def test_a_subcommand_imports_no_qt() -> None:
    program = (
        "import sys, app.__main__ as entry\n"
        "try:\n    entry.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "index" in done.stdout


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these always have a display")
def test_without_a_display_it_says_what_to_do() -> None:
    done = clew()
    assert done.returncode == 1 and "no display" in done.stderr.lower() and done.stderr.count("\n") == 1


def test_bad_usage_is_code_2() -> None:
    assert clew("open", "a", "b", QT_QPA_PLATFORM="offscreen").returncode == 2


def test_the_window_opens_paints_and_ends_cleanly_with_nothing_heavy(tmp_path: Path) -> None:
    done = clew(
        QT_QPA_PLATFORM="offscreen", CLEW_FIRST_PAINT="1", CLEW_SETTINGS=str(tmp_path / "settings.ini")
    )
    assert done.returncode == 0, done.stderr
    assert '"heavy": []' in done.stdout
