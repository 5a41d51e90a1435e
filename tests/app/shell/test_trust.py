"""A workspace from elsewhere and a host that is not this machine: seen, and nothing happens before a yes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.ask.writer import WriterButton
from app.communities.report_writer import Wanted, write_reports
from app.session import operations
from app.session.language_server import QUOTES, ServerState, look_for_models
from app.session.preferences import Preferences
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from app.shell.trust_banner import TrustBanner
from core.models.hosts import allowed, set_own_host
from core.types import Answer
from tests.app.one_window import ONE_WINDOW
from tests.conftest import written
from tests.core.workspace.test_bad_workspace import content
from tests.core.workspace.test_trust import rewritten
from tests.ollama_server import ScriptedServer

LEFT = Qt.MouseButton.LeftButton
WRITER = "ollama:scripted:1b"

preferences, session, window, calm = ONE_WINDOW
pytestmark = pytest.mark.usefixtures("closed_again")


@pytest.fixture
def received(names_path: Path, tmp_path: Path, ollama: ScriptedServer) -> Path:
    """Made here, changed by somebody, put to another place; it names a folder and a server of theirs."""
    secrets = written(tmp_path / "secrets", {"diary.txt": "Ada Lind owes Jonas Berg a ship."})
    place = Path(shutil.copytree(names_path, tmp_path / "received"))
    chosen = f"models.host={ollama.url}\nreading.follow_links=True"
    return rewritten(place, folder=str(secrets), chosen=chosen, extractor=f"{WRITER} 1")


def opened(qtbot: QtBot, window: MainWindow, path: Path) -> TrustBanner:
    session = window.session
    operations.open_workspace(session, path)
    qtbot.waitUntil(lambda: session.workspace is not None and session.workspace.path == path, timeout=20_000)
    found = window.findChild(TrustBanner)
    assert isinstance(found, TrustBanner)
    return found


@pytest.mark.long
def test_nothing_runs_before_the_person_says_so(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    preferences: Preferences,
    received: Path,
    ollama: ScriptedServer,
    own_host: str,
) -> None:
    """Watching is remembered for its place, a model writes answers, and the person's server is the very one."""
    before = content(received)
    preferences.set_watched(received, True)
    session.language.set_writer(WRITER)
    banner = opened(qtbot, window, received)
    told: list[Message] = []
    session.message_posted.connect(told.append)
    assert banner.isVisible() and banner.words.text().startswith("This workspace is a copy of ")
    assert banner.folder.text() == str(received.parent / "secrets")
    assert (banner.extractor.text(), banner.host.text()) == (WRITER, own_host)
    assert banner.settings.text() == "reading.follow_links=True" and banner.settings.isVisible()
    workbench = window.workbench
    assert workbench is not None
    writer = workbench.findChild(WriterButton)
    assert isinstance(writer, WriterButton) and not writer.isEnabled() and "Quotes" in writer.text()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    qtbot.keyClick(window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    operations.index_again(session)
    operations.retry(session)
    write_reports(session, WRITER, Wanted(), lambda _: None, lambda: None)
    workbench.focus(workbench.models)
    look_for_models(session, again=True)
    assert "not trusted" in workbench.models.state.text()
    assert told and all("not trusted" in message.text for message in told)
    assert not session.indexing.alive and not session.tasks.busy("watch") and window.watching.shut
    answers: list[Answer] = []
    session.answered.connect(answers.append)
    operations.ask(session, "Who commands the Northern Gannet?")
    qtbot.waitUntil(lambda: bool(answers), timeout=60_000)
    assert "Ines Holm" in answers[0].text and answers[0].usage.calls == 0
    assert ollama.connections == 0
    assert content(received) == before


def test_it_opens_writable_once_it_is_trusted(
    qtbot: QtBot, window: MainWindow, session: Session, received: Path
) -> None:
    banner = opened(qtbot, window, received)
    before = session.workspace
    assert session.shut and session.writer == QUOTES
    qtbot.mouseClick(banner.trust, LEFT)
    qtbot.waitUntil(lambda: session.workspace not in (None, before), timeout=20_000)
    assert session.shut == "" and not banner.isVisible()
    session.language.set_writer(WRITER)
    assert session.writer == WRITER
    operations.close_workspace(session)
    assert not banner.isVisible() and window.start.isVisible()


def test_an_older_one_says_what_it_names_before_it_is_changed(
    qtbot: QtBot, window: MainWindow, session: Session, received: Path, later: None
) -> None:
    told: list[Message] = []
    session.message_posted.connect(told.append)
    operations.open_workspace(session, received)
    qtbot.waitUntil(lambda: bool(told), timeout=20_000)
    assert session.workspace is None and told[0].action == "Trust it"
    assert str(received.parent / "secrets") in told[0].text and WRITER in told[0].text
    assert "clew trust" not in told[0].remedy


@pytest.mark.long
def test_a_host_that_is_not_this_machine_is_shown_and_allowed_once(
    qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path, ollama: ScriptedServer
) -> None:
    foreign = ollama.url.replace("127.0.0.1", "0.0.0.0")
    place = foreign.removeprefix("http://")
    set_own_host(foreign)
    session.language.set_writer(WRITER)
    opened(qtbot, window, workspace_path)
    workbench = window.workbench
    assert workbench is not None
    panel, question = workbench.models, workbench.models.question
    workbench.focus(panel)
    qtbot.waitUntil(lambda: session.language.state is ServerState.GONE)
    assert question.isVisible() and question.words.text() == f"{place} is not this machine."
    assert f"would be sent to {foreign}" in question.meaning.text() and not panel.start.isVisible()
    with qtbot.waitSignal(session.not_answered, timeout=60_000):
        operations.ask(session, "Who signed the charter of the Grey Petrel?")
    assert "not this machine" in window.messages.text() and "Answer with quotes" in [
        each.text() for each in window.messages.findChildren(QPushButton)
    ]
    assert ollama.connections == 0
    qtbot.mouseClick(question.button, LEFT)
    qtbot.waitUntil(lambda: session.language.state is ServerState.THERE, timeout=10_000)
    assert allowed() == [foreign] and f"{foreign} (not this machine)" in panel.state.text()
    named = f"scripted:1b at {place} (not this machine)"
    writer = workbench.findChild(WriterButton)
    assert isinstance(writer, WriterButton)
    assert writer.place.isVisible() and writer.place.text() == f"at {place} (not this machine)"
    assert named in writer.accessibleName() and named in [a.text() for a in writer.choices.actions()]
    assert panel.writer.text() == f"Answers are written by {named}."
    operations.ask(session, "Who signed the charter of the Grey Petrel?")
    assert workbench.ask.draft.who.text().startswith(f"{named} is writing.")
    qtbot.waitUntil(lambda: not session.tasks.busy("ask"), timeout=60_000)
    asked = ollama.connections
    assert asked
    qtbot.mouseClick(question.button, LEFT)  # and taken back
    qtbot.waitUntil(lambda: session.language.state is ServerState.GONE, timeout=10_000)
    QApplication.processEvents()
    assert allowed() == [] and ollama.connections == asked
