"""The whole window at its usual size, as a person has it in front of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import theme
from app.look.motion import set_motion
from app.session import operations
from app.session.errors import ErrorHandler
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from tests.app.conftest import end
from tests.app.watchdog import watching
from tests.e2e.keyboard import Keyboard


@pytest.fixture
def session(qtbot: QtBot, lent_models: None) -> Iterator[Session]:
    """A session without a workspace; its threads end with the test."""
    opened = Session()
    yield opened
    end(opened)


@pytest.fixture
def watchdog(qapp: QApplication) -> Iterator[None]:
    """Nothing may hold the window's thread long."""
    with watching():
        yield


@pytest.fixture
def window(
    qtbot: QtBot, qapp: QApplication, watchdog: None, session: Session, tmp_path: Path
) -> Iterator[MainWindow]:
    """In the light theme, with motion off so that every act has its effect at once."""
    set_motion(False)
    theme.apply(qapp, "light")
    displayed = MainWindow(session, Preferences(tmp_path / "settings.ini"), ErrorHandler())
    qtbot.addWidget(displayed)
    displayed.resize(1440, 900)
    displayed.show()
    qtbot.waitExposed(displayed)
    displayed.activateWindow()
    yield displayed
    displayed.close()
    set_motion(None)


@pytest.fixture
def keys(qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path) -> Keyboard:
    """The keyboard of a window in which a part of the sample is open."""
    pressed = Keyboard(qtbot, window, session)
    operations.open_workspace(session, sample_copy)
    pressed.until(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    return pressed


@pytest.fixture
def bench(keys: Keyboard) -> Workbench:
    assert keys.window.workbench is not None
    return keys.window.workbench
