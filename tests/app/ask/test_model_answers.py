"""A model writes in the window: chosen, heard while it writes, stopped, remembered; on a real server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.session.language_server import QUOTES, ServerState
from app.session.preferences import Preferences
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from core.answering.models import Models
from core.types import Answer
from core.workspace import Workspace
from tests.app.language_models.test_models_panel import WRITER, configured
from tests.conftest import copied
from tests.ollama_server import Fault, Reply, ScriptedServer
from tests.waiting import wait_until_landed

LEFT = Qt.MouseButton.LeftButton
QUESTION = "Who founded Calder Reach Trading?"
GOOD = "Tobias Renwick founded Calder Reach Trading in Limassol [1]."
JUDGED = json.dumps(
    {
        "reason": "read them",
        "relevant": True,
        "resolved": True,
        "claims": [{"claim": 1, "verdict": "supported", "passage": 1}],
    }
)


@pytest.fixture
def opened(
    session: Session, ollama: ScriptedServer, names_path: Path, models: Models, tmp_path: Path
) -> Session:
    place = copied(names_path, tmp_path / "workspace")
    session.setProperty("place", str(place))
    session.set_workspace(Workspace.open(place, config=configured(ollama), models=models))
    return session


@pytest.fixture
def panel(opened: Session, qtbot: QtBot) -> Iterator[AskPanel]:
    widget = AskPanel(opened)
    qtbot.addWidget(widget)
    widget.resize(380, 900)
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget


def put(panel: AskPanel, qtbot: QtBot, question: str = QUESTION) -> None:
    panel.box.set_question(question)
    panel.box.setFocus()
    qtbot.keyClick(panel.box, Qt.Key.Key_Return)


def choices(panel: AskPanel) -> list[str]:
    return [action.text() for action in panel.writer.choices.actions() if not action.isSeparator()]


@pytest.mark.long
def test_quotes_ask_nobody(panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(opened.answered, timeout=60_000) as told:
        put(panel, qtbot)
    answer: Answer = told.args[0]
    assert answer.claims and not panel.answer.usage.isVisible()
    assert ollama.requests == []


def test_the_choice_offers_what_the_server_has(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    assert ollama.requests == []
    panel.writer.choices.popup(panel.mapToGlobal(panel.rect().center()))
    qtbot.waitUntil(lambda: opened.language.state is ServerState.THERE)
    assert choices(panel) == ["Quotes, no model", "scripted:1b", "Language models\u2026"]
    panel.writer.choices.setActiveAction(panel.writer.choices.actions()[1])
    qtbot.keyClick(panel.writer.choices, Qt.Key.Key_Return)
    assert opened.language.writer == WRITER
    assert panel.writer.accessibleName() == "Who writes the answer: scripted:1b"


def test_without_a_server_the_choice_says_so(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    ollama.refuse()
    panel.writer.choices.popup(panel.mapToGlobal(panel.rect().center()))
    qtbot.waitUntil(lambda: opened.language.state is ServerState.GONE)
    assert choices(panel) == ["Quotes, no model", "No language model server answers", "Language models\u2026"]
    panel.writer.choices.hide()


@pytest.mark.long
def test_text_is_shown_while_it_is_written_then_the_checked_answer(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    opened.language.set_writer(WRITER)
    ollama.say(Reply(GOOD, delay=0.05), JUDGED)
    seen: list[str] = []
    opened.streaming.written.connect(seen.append)
    with qtbot.waitSignal(opened.answered, timeout=60_000):
        put(panel, qtbot)
        assert panel.draft.isVisible() and "scripted:1b is writing" in panel.draft.who.text()
        qtbot.waitUntil(lambda: "Renwick" in panel.draft.text.text(), timeout=60_000)
        assert panel.draft.text.textFormat() == Qt.TextFormat.PlainText
        assert not panel.answer.isVisible()
    assert len(seen) > 1 and all(GOOD.startswith(text) for text in seen)
    assert not panel.draft.isVisible() and panel.answer.isVisible()
    assert "Tobias Renwick founded Calder Reach Trading" in panel.answer.sentences.toPlainText()
    assert panel.answer.usage.text().startswith("1 call, ")


def test_the_wait_for_the_first_words_is_counted(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    opened.language.set_writer(WRITER)
    ollama.say(Fault.HANG)
    put(panel, qtbot)
    waiting = re.compile(r"scripted:1b has not begun yet: \d+ s of at most [\d.]+ s\.")
    qtbot.waitUntil(lambda: waiting.fullmatch(panel.draft.who.text()) is not None, timeout=20_000)
    with qtbot.waitSignal(opened.not_answered):
        qtbot.mouseClick(panel.ask_button, LEFT)


def test_stop_ends_the_writing_at_once_and_brings_back_what_was(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    opened.language.set_writer(WRITER)
    ollama.say(Fault.ENDLESS)
    put(panel, qtbot)
    qtbot.waitUntil(lambda: "and so on" in panel.draft.text.text(), timeout=60_000)
    with qtbot.waitSignal(opened.not_answered):
        qtbot.mouseClick(panel.ask_button, LEFT)
    assert not panel.draft.isVisible() and panel.examples.isVisible()
    assert panel.box.question == QUESTION
    qtbot.waitUntil(lambda: ollama.gone == 1, timeout=60_000)
    with qtbot.assertNotEmitted(opened.streaming.written):
        wait_until_landed(opened.tasks)


def test_mark_up_of_a_model_stays_letters(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    nasty = "<b>Bold</b> <img src='file:///etc/passwd'> founded it [1]."
    opened.language.set_writer(WRITER)
    ollama.say(nasty, Fault.HANG)
    put(panel, qtbot)
    label = panel.draft.text
    qtbot.waitUntil(lambda: label.text() == nasty, timeout=60_000)
    label.setSelection(0, len(nasty))
    assert label.selectedText() == nasty, "what is drawn, not what was given"
    qtbot.mouseClick(panel.ask_button, LEFT)


def test_a_server_that_is_gone_offers_quotes_instead(
    panel: AskPanel, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    opened.language.set_writer(WRITER)
    ollama.refuse()
    told: list[Message] = []
    opened.message_posted.connect(told.append)
    with qtbot.waitSignal(opened.not_answered, timeout=60_000):
        put(panel, qtbot)
    (message,) = told
    assert message.action == "Answer with quotes" and message.act is not None
    with qtbot.waitSignal(opened.answered, timeout=60_000):
        message.act()
    assert not panel.draft.isVisible() and panel.answer.isVisible()
    assert opened.language.writer == WRITER, "the choice of the person holds"


# ---------------------------------------------------------------- the window


def test_the_choice_is_remembered(
    window: MainWindow, session: Session, preferences: Preferences, qtbot: QtBot
) -> None:
    assert session.language.writer == QUOTES
    session.language.set_writer(WRITER)
    assert preferences.writer == WRITER
    again = Session()
    second = MainWindow(again, preferences)
    qtbot.addWidget(second)
    assert again.language.writer == WRITER
    second.close()


def test_escape_in_the_window_stops_a_model_and_keys_open_its_panel(
    window: MainWindow, opened: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    workbench = window.workbench
    assert workbench is not None
    action = opened.commands.action("panel.models")
    assert opened.commands["panel.models"].keys == "Ctrl+8"
    assert ollama.requests == [], "nobody looked at the models yet"
    action.trigger()
    qtbot.waitUntil(workbench.models.table.isVisible, timeout=10_000)
    assert workbench.models.isVisible()
    qtbot.waitUntil(workbench.models.table.hasFocus)
    opened.language.set_writer(WRITER)
    ollama.say(Fault.ENDLESS)
    put(workbench.ask, qtbot)
    qtbot.waitUntil(lambda: "and so on" in workbench.ask.draft.text.text(), timeout=60_000)
    qtbot.keyClick(workbench.ask.box, Qt.Key.Key_Escape)
    assert not opened.tasks.busy("ask") and not workbench.ask.draft.isVisible()
