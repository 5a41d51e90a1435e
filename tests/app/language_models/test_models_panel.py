"""The models panel against a real server of Ollama's protocol: what there is, who writes, what a model is worth."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.language_models.panel import ModelsPanel
from app.language_models.words import CALM
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


@pytest.fixture
def session(
    qtbot: QtBot, ollama: ScriptedServer, names_path: Path, models: Models, tmp_path: Path
) -> Iterator[Session]:
    place = copied(names_path, tmp_path / "workspace")
    made = Session()
    made.set_workspace(Workspace.open(place, config=configured(ollama), models=models))
    yield made
    end(made)
    # A call that was broken off logs when it is collected: here, not in the midst of the parsing of another module.
    gc.collect()


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> ModelsPanel:
    widget = ModelsPanel(session)
    qtbot.addWidget(widget)
    widget.resize(900, 600)
    return widget


def shown(panel: ModelsPanel, qtbot: QtBot, state: ServerState = ServerState.THERE) -> None:
    with qtbot.waitExposed(panel):
        panel.show()
    qtbot.waitUntil(lambda: panel._session.language.state is state)


def cells(panel: ModelsPanel) -> list[str]:
    model = panel.table.model()
    return [str(model.index(0, column).data()) for column in range(model.columnCount())]


def test_nothing_is_asked_before_the_panel_is_seen(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    wait_until_landed(panel._session.tasks)
    assert ollama.requests == []
    shown(panel, qtbot)
    assert {path for path, _ in ollama.requests} == {"/api/version", "/api/tags", "/api/show"}


def test_server_and_models_are_told(panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot) -> None:
    shown(panel, qtbot)
    assert panel.state.text() == f"Ollama 0.13.0 at {ollama.url}, 1 model"
    assert cells(panel) == ["scripted:1b", "1.3 GB", "1.2B Q4_K_M", "llama", "8,192"]
    assert not panel.start.isVisible()


def test_without_a_server_a_calm_word(panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot) -> None:
    ollama.refuse()
    told: list[object] = []
    panel._session.message_posted.connect(told.append)
    shown(panel, qtbot, ServerState.GONE)
    assert panel.start.isVisible() and panel.start.words.text() == CALM
    assert "ollama serve" in panel.start.commands.text()
    assert ollama.url in panel.state.text()
    assert not panel.choice.isVisible()
    words = panel.start.words
    assert words.height() >= words.heightForWidth(words.width()), "nothing of it is cut"
    assert told == [], "most people have no Ollama: that is no error"
    ollama.listen()
    qtbot.mouseClick(panel.again, LEFT)
    qtbot.waitUntil(panel.table.isVisible)
    assert not panel.start.isVisible()


def test_another_address_is_asked_and_kept(panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot) -> None:
    shown(panel, qtbot)
    assert panel.host.text() == ollama.url
    with ScriptedServer(model="other:2b") as other:
        panel.host.selectAll()
        qtbot.keyClicks(panel.host, other.url.removeprefix("http://"))
        qtbot.keyClick(panel.host, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: cells(panel)[0] == "other:2b", timeout=10_000)
        workspace = panel._session.workspace
        assert workspace is not None and workspace.config.models.host == panel.host.text() == other.url


def test_what_is_no_address_is_told_and_nothing_changed(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    shown(panel, qtbot)
    panel.host.selectAll()
    qtbot.keyClicks(panel.host, "not here")
    with qtbot.waitSignal(panel._session.message_posted) as told:
        qtbot.keyClick(panel.host, Qt.Key.Key_Return)
    assert told.args[0].text == "'not here' is no address of a server."
    assert panel._session.workspace.config.models.host == ollama.url  # type: ignore[union-attr]


def test_a_model_is_chosen_to_write_and_given_up(panel: ModelsPanel, qtbot: QtBot) -> None:
    shown(panel, qtbot)
    language = panel._session.language
    assert not panel.quotes.isEnabled()
    with qtbot.waitSignal(language.writer_changed):
        qtbot.mouseClick(panel.use, LEFT)
    assert language.writer == WRITER
    assert panel.writer.text() == "Answers are written by scripted:1b."
    assert not panel.use.isEnabled()
    qtbot.mouseClick(panel.quotes, LEFT)
    assert language.writer == QUOTES


def test_a_model_that_writes_nothing_cannot_be_chosen(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.capabilities = ["embedding"]
    shown(panel, qtbot)
    assert cells(panel)[3].endswith("writes no text")
    assert not panel.use.isEnabled() and not panel.try_button.isEnabled()


def test_a_trial_tells_form_speed_estimate_and_advice(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.answer = reading
    shown(panel, qtbot)
    steps: list[str] = []
    qtbot.mouseClick(panel.try_button, LEFT)
    assert panel.try_button.text() == "Stop" and panel.progress.isVisible()
    qtbot.waitUntil(lambda: steps.append(panel.news.text()) or panel.result.isVisible(), timeout=20_000)  # type: ignore[func-returns-value]
    rows = dict(told(panel))
    assert rows["JSON"] == "6 of 6 replies right at once"
    assert "tokens a second" in rows["Speed"]
    assert "at a time" in rows["Parallel"]
    assert rows["Whole corpus"].startswith("3 passages: ")
    assert "Let scripted:1b read everything" in panel.result.recommendation.text()
    assert not panel.progress.isVisible() and panel.try_button.text() == "Try on three passages"
    assert any("of" in words for words in steps)


def told(panel: ModelsPanel) -> list[tuple[str, str]]:
    """The lines of the measurement, name and words."""
    grid = panel.result._grid
    labels = [grid.itemAt(at).widget() for at in range(grid.count())]
    texts = [label.text() for label in labels if isinstance(label, PlainLabel)]
    return list(zip(texts[::2], texts[1::2], strict=True))


def test_escape_stops_a_trial_at_once(panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot) -> None:
    shown(panel, qtbot)
    ollama.say(*[Fault.HANG] * 9)
    panel.try_button.setFocus()
    qtbot.keyClick(panel.try_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(ollama.chats) == 1)
    panel.activateWindow()
    qtbot.keyClick(panel.try_button, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: panel.try_button.text() == "Try on three passages", timeout=60_000)
    assert not panel.result.isVisible()
    qtbot.waitUntil(lambda: ollama.gone == 1)


def test_a_trial_that_fails_says_why_in_the_panel(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    shown(panel, qtbot)
    ollama.refuse()
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(panel.result.isVisible, timeout=10_000)
    assert panel.result.recommendation.text()
    assert told(panel) == []
    assert panel.try_button.isEnabled()


def test_a_closed_workspace_ends_the_trial(panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot) -> None:
    shown(panel, qtbot)
    ollama.say(*[Fault.HANG] * 9)
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(lambda: len(ollama.chats) == 1)
    panel._session.close_workspace()
    assert panel.try_button.text() == "Try on three passages"
    assert panel._session.language.state is ServerState.UNKNOWN


def test_nothing_reaches_over_the_edge(panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot) -> None:
    ollama.answer = reading
    shown(panel, qtbot)
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(panel.result.isVisible, timeout=20_000)
    parts = (panel.table, panel.result, panel.use, panel.try_button, panel.quotes, panel.again, panel.rules)
    for width in (900, 640, 340):
        panel.resize(width, 500)
        process_events()
        for part in (*parts, panel.result.read_all, panel.result.read_some):
            assert part.mapTo(panel, part.rect().topRight()).x() <= width


@pytest.mark.usefixtures("forked_runs")
@pytest.mark.long
def test_a_model_that_was_tried_reads_the_documents(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot, own_host: str
) -> None:
    """Through the real indexing process, which asks the server of the person."""
    ollama.answer = reading
    session = panel._session
    workspace = session.workspace
    assert workspace is not None
    told: list[Message] = []
    session.message_posted.connect(told.append)
    shown(panel, qtbot)
    assert panel.reader.text() == "Names and facts are found by the rules."
    assert not panel.rules.isEnabled()
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(panel.result.isVisible, timeout=20_000)
    assert panel.result.read_all.property("kind") == "primary"
    assert panel.result.read_some.property("kind") == ""
    before = len(ollama.chats)
    qtbot.mouseClick(panel.result.read_all, LEFT)
    assert told[-1].text.startswith("scripted:1b will read 3 passages, about ")
    assert "replaced" in told[-1].remedy and told[-1].action == "Begin"
    assert not session.indexing.running, "nothing begins before the person said so"
    act = told[-1].act
    assert act is not None
    with qtbot.waitSignal(session.indexing.finished, timeout=60_000):
        act()
        assert not panel.result.read_all.isEnabled() and not panel.rules.isEnabled()
    qtbot.waitUntil(lambda: not session.indexing.alive, timeout=10_000)
    assert len(ollama.chats) == before + 6
    assert panel.reader.text() == "Names and facts are found by scripted:1b."
    assert panel.rules.isEnabled() and panel.result.read_all.isEnabled()
    qtbot.mouseClick(panel.rules, LEFT)
    assert told[-1].text == "The rules will read all passages."


def test_a_model_that_tells_no_fact_is_not_offered_to_read(
    panel: ModelsPanel, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.answer = lambda body: '{"triples": [], "entities": []}' if body.get("format") else "ready"
    shown(panel, qtbot)
    qtbot.mouseClick(panel.try_button, LEFT)
    qtbot.waitUntil(panel.result.isVisible, timeout=20_000)
    assert "Not for extraction" in panel.result.recommendation.text()
    assert not panel.result.read_all.isVisible() and not panel.result.read_some.isVisible()
