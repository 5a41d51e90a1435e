"""The lab in front of a window over a copy of the part of the sample."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.lab.panel import LabPanel
from app.session import running
from app.session.session import Session
from app.shell.workbench import Workbench
from tests.app.conftest import HOME


@pytest.fixture(scope="module")
def panel(bench: Workbench, session: Session, request: pytest.FixtureRequest) -> LabPanel:
    """In front, once it knows what there is."""
    session.commands.run("perspective.lab")
    session.commands.run("panel.lab")
    panel = bench.panels["lab"]
    assert isinstance(panel, LabPanel)
    QtBot(request).waitUntil(lambda: bool(panel.state.chosen))
    return panel


@pytest.fixture
def forked_lab(forks: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Runs of `clew lab run` and trainings are forks: what it costs to start one is not the point."""
    start = [sys.executable, "-I", "-S", str(HOME / "tests" / "forks.py"), str(forks)]

    def forked(real: Callable[..., list[str]], *given: Any) -> list[str]:
        words = real(*given)
        return [*start, *words[words.index("app") + 1 :]]

    for command in ("lab_command", "training_command"):
        monkeypatch.setattr(running, command, partial(forked, getattr(running, command)))
    yield
