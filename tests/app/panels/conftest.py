"""Panels are tested in a real Qt application without a screen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from pytestqt.qtbot import QtBot

from app.look import theme
from app.session.session import Session
from tests.app.panels.panel_case import Case, open_workspace


@pytest.fixture(autouse=True)
def dressed(qapp: object) -> Iterator[None]:
    """The light theme, with motion off so that every act has its effect at once."""
    theme.set_motion(False)
    theme.apply(qapp, "light")  # type: ignore[arg-type]
    yield
    theme.set_motion(None)


@pytest.fixture
def case(tmp_path: Path, qtbot: QtBot) -> Iterator[Case]:
    """A session with the workspace open; the window's threads end with the test."""
    workspace, letter, folder = open_workspace(tmp_path)
    session = Session()
    session.set_workspace(workspace)
    yield Case(workspace, session, workspace.written, letter, folder)
    workspace.gate.set()
    session.close()
