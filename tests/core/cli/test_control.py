"""Words on stdin: a run whose window is gone goes on, but not one that was paused, which nobody could wake."""

from __future__ import annotations

import io

import pytest

from core.cli.output import Control


@pytest.mark.parametrize(
    ("words", "cancelled"),
    [
        ("", False),
        ("pause\nresume\n", False),
        ("pause\n", True),
        ("cancel\n", True),
        ("pause\ncancel\n", True),
    ],
)
def test_the_end_of_the_window(monkeypatch: pytest.MonkeyPatch, words: str, cancelled: bool) -> None:
    monkeypatch.setattr("core.cli.output.sys.stdin", io.StringIO(words))
    control = Control()
    control._read()
    assert control.cancelled() == cancelled
