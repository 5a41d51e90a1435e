"""The models panel against a real server of Ollama's protocol: what there is, who writes, what a model is worth."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.language_models.panel import ModelsPanel
from app.session.language_server import QUOTES, ServerState
from app.session.session import Message, Session
from app.widgets.labels import PlainLabel
from core.answering.models import Models
from core.config import Config, ModelConfig
from core.workspace import Workspace
from tests.app.conftest import end
from tests.conftest import copied
from tests.ollama_server import Fault, ScriptedServer
from tests.reading_model import reading
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton
WRITER = "ollama:scripted:1b"


def configured(server: ScriptedServer) -> Config:
    told = ModelConfig(
        host=server.url, first_token_seconds=5.0, token_seconds=5.0, retries=0, connect_seconds=1.0
    )
    return replace(Config(), models=told)


@pytest.fixture(scope="module")
def shared_session(qapp: QApplication) -> Iterator[Session]:
    """One session for the module: each test opens the workspace in it."""
    session = Session()
    yield session
    end(session)
    # A call that was broken off logs when it is collected: here, not in the midst of the parsing of another module.
    gc.collect()


@pytest.fixture(scope="module")
def place(names_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(names_path, tmp_path_factory.mktemp("models") / "workspace")


@pytest.fixture
def session(
    shared_session: Session, ollama: ScriptedServer, place: Path, models: Models
) -> Iterator[Session]:
    shared_session.set_workspace(Workspace.open(place, config=configured(ollama), models=models))
    yield shared_session
    shared_session.close_workspace()
    shared_session.language.set_writer(QUOTES)
    wait_until_landed(shared_session.tasks)


@pytest.fixture
def panel(session: Session) -> Iterator[ModelsPanel]:
    widget = ModelsPanel(session)
    widget.resize(900, 600)
    yield widget
    widget.deleteLater()
    process_events()


def show_state(
    panel: ModelsPanel, session: Session, qtbot: QtBot, state: ServerState = ServerState.THERE
) -> None:
    with qtbot.waitExposed(panel):
        panel.show()
    qtbot.waitUntil(lambda: session.language.state is state)


def cells(panel: ModelsPanel) -> list[str]:
    model = panel.table.model()
    return [str(model.index(0, column).data()) for column in range(model.columnCount())]


def test_nothing_is_asked_before_the_panel_is_visible(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    wait_until_landed(session.tasks)
    assert ollama.requests == []
    show_state(panel, session, qtbot)
    assert ollama.requests


def test_the_models_of_the_server_are_listed_and_one_is_chosen_to_write(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    show_state(panel, session, qtbot)
    assert ollama.url in panel.state.text()
    assert cells(panel) == ["scripted:1b", "1.3 GB", "1.2B Q4_K_M", "llama", "8,192"]
    assert not panel.start.isVisible() and not panel.quotes.isEnabled()
    with qtbot.waitSignal(session.language.writer_changed):
        qtbot.mouseClick(panel.use, LEFT)
    assert session.language.writer == WRITER and "scripted:1b" in panel.writer.text()
    assert not panel.use.isEnabled()
    qtbot.mouseClick(panel.quotes, LEFT)
    assert session.language.writer == QUOTES


def test_without_a_server_it_says_how_to_start_one_and_that_is_no_error(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.refuse()
    messages: list[object] = []
    session.message_posted.connect(messages.append)
    show_state(panel, session, qtbot, ServerState.GONE)
    assert panel.start.isVisible() and "ollama serve" in panel.start.commands.text()
    assert ollama.url in panel.state.text()
    assert not panel.choice.isVisible()
    words = panel.start.words
    assert words.height() >= words.heightForWidth(words.width()), "nothing of it is cut"
    assert messages == []
    ollama.listen()
    qtbot.mouseClick(panel.again, LEFT)
    qtbot.waitUntil(panel.table.isVisible)
    assert not panel.start.isVisible()


def test_another_address_is_asked_and_what_is_no_address_is_refused(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    def enter(address: str) -> None:
        panel.host.selectAll()
        qtbot.keyClicks(panel.host, address)
        qtbot.keyClick(panel.host, Qt.Key.Key_Return)

    show_state(panel, session, qtbot)
    assert panel.host.text() == ollama.url and session.workspace is not None
    with qtbot.waitSignal(session.message_posted) as message:
        enter("not here")
    assert "not here" in message.args[0].text
    assert session.workspace.config.models.host == ollama.url
    with ScriptedServer(model="other:2b") as other:
        enter(other.url.removeprefix("http://"))
        qtbot.waitUntil(lambda: cells(panel)[0] == "other:2b", timeout=10_000)
        assert session.workspace.config.models.host == panel.host.text() == other.url


def test_a_model_that_writes_nothing_cannot_be_chosen(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.capabilities = ["embedding"]
    show_state(panel, session, qtbot)
    assert not panel.use.isEnabled() and not panel.try_button.isEnabled()


def test_a_trial_measures_a_model_and_nothing_reaches_over_the_edge(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.answer = reading
    show_state(panel, session, qtbot)
    qtbot.mouseClick(panel.try_button, LEFT)
    assert panel.try_button.text() == "Stop" and panel.progress.isVisible()
    qtbot.waitUntil(panel.result.isVisible, timeout=20_000)
    texts = [label.text() for label in panel.result.findChildren(PlainLabel)]
    assert any("6 of 6" in text for text in texts)
    assert any(text.startswith("3 passages: ") for text in texts)
    assert "scripted:1b" in panel.result.recommendation.text()
    assert not panel.progress.isVisible() and panel.try_button.text() != "Stop"
    parts = (panel.table, panel.result, panel.use, panel.try_button, panel.quotes, panel.again, panel.rules)
    for width in (900, 340):
        panel.resize(width, 500)
        process_events()
        for part in (*parts, panel.result.read_all, panel.result.read_some):
            assert part.mapTo(panel, part.rect().topRight()).x() <= width


@pytest.mark.parametrize("end", ["escape", "closed"])
def test_escape_or_closing_the_workspace_stops_a_trial_at_once(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot, end: str
) -> None:
    show_state(panel, session, qtbot)
    ollama.say(*[Fault.HANG] * 9)
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(lambda: len(ollama.chats) == 1)
    if end == "escape":
        panel.activateWindow()
        qtbot.keyClick(panel.try_button, Qt.Key.Key_Escape)
    else:
        session.close_workspace()
    qtbot.waitUntil(lambda: panel.try_button.text() != "Stop", timeout=60_000)
    assert not panel.result.isVisible()
    qtbot.waitUntil(lambda: ollama.gone == 1)


@pytest.mark.parametrize("fault", ["no facts", "no server"])
def test_a_model_that_finds_no_fact_or_fails_is_not_offered_to_read(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot, fault: str
) -> None:
    ollama.answer = lambda body: '{"triples": [], "entities": []}' if body.get("format") else "ready"
    show_state(panel, session, qtbot)
    if fault == "no server":
        ollama.refuse()
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(panel.result.isVisible, timeout=20_000)
    assert panel.result.recommendation.text() and panel.try_button.isEnabled()
    assert not panel.result.read_all.isVisible() and not panel.result.read_some.isVisible()


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_a_model_that_was_tried_reads_the_documents(
    panel: ModelsPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot, own_host: str
) -> None:
    """Through the real indexing process, which asks the server of the person. Last: it changes the workspace."""
    ollama.answer = reading
    messages: list[Message] = []
    session.message_posted.connect(messages.append)
    show_state(panel, session, qtbot)
    assert not panel.rules.isEnabled()
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(panel.result.isVisible, timeout=20_000)
    before = len(ollama.chats)
    qtbot.mouseClick(panel.result.read_all, LEFT)
    assert "3 passages" in messages[-1].text and "replaced" in messages[-1].remedy
    assert not session.indexing.running, "nothing begins before the person agrees"
    begin = messages[-1].act
    assert begin is not None
    with qtbot.waitSignal(session.indexing.finished, timeout=60_000):
        begin()
        assert not panel.result.read_all.isEnabled() and not panel.rules.isEnabled()
    qtbot.waitUntil(lambda: not session.indexing.alive, timeout=10_000)
    assert len(ollama.chats) == before + 6
    assert "scripted:1b" in panel.reader.text()
    assert panel.rules.isEnabled() and panel.result.read_all.isEnabled()
    qtbot.mouseClick(panel.rules, LEFT)
    assert "rules" in messages[-1].text and messages[-1].act is not None
