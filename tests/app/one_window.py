"""One window for all tests of a module: opening it takes longer than most of what is done in it.

A module takes the fixtures under the usual names, in place of those that open a window for every test:

    preferences, session, window, calm = ONE_WINDOW
    bench = bench_on("indexed")  # where all of them are about one open workspace

After each test the window is put back: nothing is selected, typed, popped up or blocked, and it has its first size.
A workspace that a test opens stays open for the next one, as it does for a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytest_socket import enable_socket
from pytestqt.qtbot import QtBot

from app.look import theme
from app.look.motion import set_motion
from app.session import operations
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.answering.models import Models
from core.workspace import Workspace
from tests.app.conftest import end
from tests.conftest import copied
from tests.waiting import process_events

SIZE = (1280, 800)


@pytest.fixture(scope="module", name="preferences")
def module_preferences(tmp_path_factory: pytest.TempPathFactory) -> Preferences:
    return Preferences(tmp_path_factory.mktemp("settings") / "settings.ini")


@pytest.fixture(scope="module", name="session")
def module_session(qapp: QApplication, models: Models) -> Iterator[Session]:
    """A session whose workspaces use the models of the test run."""
    real = Workspace.open.__func__  # type: ignore[attr-defined]

    def lend(cls: type[Workspace], *args: Any, **options: Any) -> Workspace:
        return real(cls, *args, **{"models": models, **options})  # type: ignore[no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workspace, "open", classmethod(lend))
        session = Session()
        yield session
        end(session)


@pytest.fixture(scope="module", name="window")
def module_window(
    request: pytest.FixtureRequest, qapp: QApplication, session: Session, preferences: Preferences
) -> Iterator[MainWindow]:
    """The whole window, on its start page at first."""
    set_motion(False)
    if (theme.mode(), theme.text_size()) != ("light", 100) or not qapp.styleSheet():
        theme.apply(qapp, "light", 100)
    enable_socket()  # panels look for a language model server on this machine
    window = MainWindow(session, preferences)
    window.resize(*SIZE)
    window.show()
    QtBot(request).waitExposed(window)
    yield window
    window.close()
    window.deleteLater()
    process_events()


@pytest.fixture(autouse=True, name="calm")
def put_back(window: MainWindow, session: Session, socket_enabled: None) -> Iterator[None]:
    """Put the window back after a test."""
    window.activateWindow()
    yield
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()
    window.messages.dismiss()
    window.top.search.clear()
    session.set_written_by("")
    session.selection.forget()
    if window.isFullScreen():
        window.showNormal()
    if (window.width(), window.height()) != SIZE:
        window.resize(*SIZE)
    process_events()


def bench_on(path: str, nodes: int = 1, name: str = "bench") -> Any:
    """Return a fixture of this name: the module's workbench on a copy of the workspace of that fixture."""

    @pytest.fixture(scope="module", name=name)
    def module_bench(
        request: pytest.FixtureRequest,
        tmp_path_factory: pytest.TempPathFactory,
        window: MainWindow,
        session: Session,
    ) -> Workbench:
        place = copied(request.getfixturevalue(path), tmp_path_factory.mktemp("opened") / "workspace")
        operations.open_workspace(session, place)
        qtbot = QtBot(request)
        qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == place)
        qtbot.waitUntil(
            lambda: window.workbench is not None and window.workbench.graph.canvas.node_count >= nodes
        )
        assert window.workbench is not None
        window.activateWindow()
        return window.workbench

    return module_bench


ONE_WINDOW = (module_preferences, module_session, module_window, put_back)


def press_offer(qtbot: QtBot, window: MainWindow) -> None:
    """Press what the message bar offers."""
    (button,) = (
        each for each in window.messages.findChildren(QPushButton) if each.isVisible() and each.text()
    )
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
