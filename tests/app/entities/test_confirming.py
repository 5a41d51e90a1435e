"""A language model decides on names that are nearly the same: where it is offered, what it leaves, how it is undone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.entities.confirming import COMMAND, ModelDecides, why_no_model
from app.session.language_server import QUOTES, ServerState, writer_of
from app.session.tasks import ASKING_NAMES
from core.answering.models import Models
from core.progress import TaskContext
from core.types import ModelHost, ModelInfo, ModelServer
from core.workspace import Workspace
from tests.app.entities.conftest import Desk
from tests.app.one_window import ONE_WINDOW
from tests.conftest import copied, indexed_once, written
from tests.ollama_server import Fault, Reply, ScriptedServer

preferences, session, window, calm = ONE_WINDOW
BODIES = ("Navy", "Army", "Senate")
TEXTS = {
    f"{body}.txt": f"Otto Kask wrote to the United States {body} in 1797. Ines Holm wrote to the U.S. {body} in 1801."
    for body in BODIES
}


@pytest.fixture(scope="session")
def near_names(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with three pairs of names that are nearly the same in meaning, closed. For reading only."""
    return indexed_once(
        tmp_path_factory, "near names", models, lambda place: written(place / "papers", TEXTS)
    )


@pytest.fixture
def workspace_path(near_names: Path, own_host: str, tmp_path: Path) -> Path:
    return copied(near_names, tmp_path / "workspace")


@pytest.fixture
def decides(desk: Desk, ollama: ScriptedServer) -> ModelDecides:
    """The panel with the pairs in it and a model that can be asked; what fails is not asked for again."""
    config = desk.workspace.config
    desk.workspace.config = replace(config, models=replace(config.models, retries=0))
    desk.session.language.set_writer(writer_of(ollama.model))
    desk.session.commands.run("entity.suggestions")
    desk.until(lambda: desk.panel.suggestions.model.rowCount() >= 3)
    desk.until(lambda: bool(desk.session.language.models))
    return desk.panel.model_decides


def reply(same: str) -> str:
    return json.dumps({"same": same, "reason": "one is short for the other"})


def joined(desk: Desk) -> int:
    """Of how many pairs both names are one entity."""
    known = desk.workspace.names.entity_ids()
    return sum(known[f"united states {body.lower()}"] == known[f"u.s. {body.lower()}"] for body in BODIES)


def ended(desk: Desk) -> str:
    """Wait until the model is done; what is told."""
    desk.until(lambda: bool(desk.messages) and not desk.session.tasks.busy(ASKING_NAMES))
    return desk.messages[0].text


def test_it_is_offered_where_a_model_answers_and_stated_why_not_elsewhere(
    desk: Desk, ollama: ScriptedServer
) -> None:
    session, language = desk.session, desk.session.language
    session.commands.run("entity.suggestions")
    decides = desk.panel.model_decides
    desk.until(decides.isVisible)
    assert ollama.requests == [], "without a model nobody is asked"
    assert "No language model is chosen" in decides.why.text() and not decides.button.isEnabled()
    assert session.commands[COMMAND].why_not() == decides.why.text()
    language.set_writer(writer_of(ollama.model))
    desk.until(lambda: language.state is ServerState.THERE)
    assert decides.button.isEnabled() and decides.button.text() == "Have scripted:1b decide"
    assert not decides.why.isVisible()
    language.set_server(ModelServer(ollama.url, "0.13.0", (ModelInfo("other:2b"),)))
    assert "scripted:1b is not there any more" in decides.why.text()
    language.set_host(ModelHost("http://gpu.example:11434", here=False, allowed=False))
    assert "Nobody is asked yet" in why_no_model(session)
    language.set_host(ModelHost("http://gpu.example:11434", here=False, allowed=True))
    assert decides.button.text() == "Have scripted:1b at gpu.example:11434 (not this machine) decide"
    language.set_writer(QUOTES)
    assert not decides.button.isEnabled()


def test_a_server_that_is_gone_is_stated_as_soon_as_the_panel_is_visible(
    desk: Desk, ollama: ScriptedServer
) -> None:
    ollama.refuse()
    desk.session.language.set_writer(writer_of(ollama.model))
    desk.session.commands.run("entity.suggestions")
    decides = desk.panel.model_decides
    desk.until(lambda: "No language model server answers" in decides.why.text())
    assert not decides.button.isEnabled() and desk.messages == []


def test_what_it_decided_is_its_own_in_the_log_and_one_undo_takes_all_back(
    desk: Desk, decides: ModelDecides, ollama: ScriptedServer
) -> None:
    before = desk.workspace.status().digest
    pairs = desk.panel.suggestions.model.rowCount()
    ollama.say(reply("yes"), reply("no"), reply("yes"))
    ollama.answer = lambda _: reply("unsure")
    desk.press("Ctrl+Alt+M")
    words = ended(desk)
    assert words.startswith("scripted:1b decided on") and "2 merged, 1 kept apart" in words
    assert desk.messages[0].action == "Undo all"
    acts = desk.workspace.review.log()
    assert {act.person for act in acts} == {"ollama:scripted:1b"}
    assert sorted(act.verb for act in acts if act.verb != "leave") == ["different", "same", "same"]
    assert all("short for the other" in act.why for act in acts)
    desk.until(lambda: joined(desk) == 2)
    desk.until(lambda: desk.panel.suggestions.model.rowCount() <= pairs - 3)
    desk.undo(lambda: joined(desk) == 0)
    assert desk.messages[-1].text.startswith("Undone: decided on names")
    assert all(act.undone for act in desk.workspace.review.log() if not act.about)
    desk.until(lambda: desk.panel.suggestions.model.rowCount() == pairs)
    desk.until(lambda: desk.workspace.status().digest == before)
    asked = len(ollama.chats)
    desk.press("Ctrl+Alt+M")
    desk.until(lambda: desk.messages[-1].text.startswith("No names are left"))
    assert len(ollama.chats) == asked, "nobody is asked twice"
    desk.press("Ctrl+Shift+Z")
    desk.until(lambda: joined(desk) == 2)


def test_all_is_undone_by_the_message_after_one_was_by_hand(
    desk: Desk, decides: ModelDecides, ollama: ScriptedServer
) -> None:
    ollama.answer = lambda _: reply("yes")
    desk.qtbot.mouseClick(decides.button, Qt.MouseButton.LeftButton)
    ended(desk)
    desk.until(lambda: joined(desk) == 3)
    stored = desk.workspace.review.log()[0]
    desk.workspace.review.undo(stored.id)
    assert desk.messages[0].act is not None
    desk.messages[0].act()
    desk.until(lambda: desk.messages[-1].text == "That is undone.")
    desk.until(lambda: joined(desk) == 0)
    desk.workspace.review.redo()
    holds = {act.id: not act.undone for act in desk.workspace.review.log() if not act.about}
    assert sum(holds.values()) == len(holds) - 1 and not holds[stored.id], "what was undone by hand stays so"


def test_it_stops_with_what_it_decided_by_then(
    desk: Desk, decides: ModelDecides, ollama: ScriptedServer
) -> None:
    ollama.say(reply("yes"))
    ollama.answer = lambda _: Reply(reply("yes"), delay=0.2, piece=1)
    decides.button.setFocus()
    desk.press("Space")
    desk.until(lambda: len(ollama.chats) == 2 and decides.news.text().startswith("Pair "))
    assert decides.button.text() == "Stop" and "asked about names" in desk.session.blocked
    assert desk.session.commands["entities.merge"].why_not() == desk.session.blocked
    desk.press("Space")
    words = ended(desk)
    assert words == "Stopped. scripted:1b decided on 1 pair of names: 1 merged, 0 kept apart, 0 left to you."
    desk.until(lambda: ollama.gone == 1)
    assert decides.button.text() == "Have scripted:1b decide" and desk.session.blocked == ""
    desk.until(lambda: joined(desk) == 1)
    desk.wait_for_preview()


def test_a_host_that_goes_away_midway_loses_nothing(
    desk: Desk, decides: ModelDecides, ollama: ScriptedServer
) -> None:
    ollama.say(reply("yes"))

    def go(_: object) -> Fault:
        ollama.refuse()
        return Fault.RESET

    ollama.answer = go
    desk.press("Ctrl+Alt+M")
    words = ended(desk)
    assert words.endswith("scripted:1b decided on 1 pair of names: 1 merged, 0 kept apart, 0 left to you.")
    assert (
        desk.messages[0].level == "error"
        and desk.messages[0].remedy
        and desk.messages[0].action == "Undo all"
    )
    assert [act.verb for act in desk.workspace.review.log()] == ["same"]
    desk.until(lambda: joined(desk) == 1)


def test_answers_of_no_use_decide_nothing(desk: Desk, decides: ModelDecides, ollama: ScriptedServer) -> None:
    ollama.answer = lambda _: "{'same': [yes"
    desk.press("Ctrl+Alt+M")
    words = ended(desk)
    assert "0 merged, 0 kept apart" in words and desk.messages[0].level == "warning"
    assert desk.workspace.review.log() == [] and joined(desk) == 0
    assert desk.messages[0].act is None


def test_a_workspace_that_is_closed_meanwhile_keeps_what_was_decided(
    desk: Desk, decides: ModelDecides, ollama: ScriptedServer
) -> None:
    path = desk.workspace.path
    ollama.say(reply("yes"), Fault.HANG)
    desk.press("Ctrl+Alt+M")
    desk.until(lambda: len(ollama.chats) == 2)
    desk.session.close_workspace()
    desk.session.wait_until_closed(path, TaskContext())
    assert desk.messages == []
    with Workspace.open(path, read_only=True) as opened:
        assert [act.verb for act in opened.review.log()] == ["same"]
