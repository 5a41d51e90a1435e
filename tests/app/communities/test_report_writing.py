"""A model writes reports from the communities panel: offered where one is known, in the background, stoppable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.communities.panel import CommunitiesPanel
from app.communities.report_writer import outcome_words
from app.session import operations
from app.session.language_server import QUOTES, writer_of
from app.session.session import Message, Session
from app.session.tasks import WRITING_REPORTS
from core.answering.models import Models
from core.types import ModelHost, ModelInfo, ModelServer, ModelWriting, Written
from core.workspace import Workspace
from tests.app.language_models.test_models_panel import configured
from tests.conftest import copied
from tests.core.cli.test_reports import repeating
from tests.ollama_server import Reply, ScriptedServer

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(
    qtbot: QtBot, session: Session, ollama: ScriptedServer, names_path: Path, models: Models, tmp_path: Path
) -> Iterator[CommunitiesPanel]:
    """With the report of the first community shown; no model is known yet."""
    place = copied(names_path, tmp_path / "workspace")
    created = CommunitiesPanel(session)
    qtbot.addWidget(created)
    created.resize(320, 900)
    with qtbot.waitExposed(created):
        created.show()
    session.set_workspace(Workspace.open(place, config=configured(ollama), models=models))
    qtbot.waitUntil(lambda: created.model.rowCount() > 0)
    operations.select_community(session, created.model.communities[0].id)
    qtbot.waitUntil(lambda: created.report.report is not None)
    ollama.answer = repeating
    yield created


@pytest.fixture
def notices(session: Session) -> list[Message]:
    emitted: list[Message] = []
    session.message_posted.connect(emitted.append)
    return emitted


def known(session: Session, ollama: ScriptedServer) -> None:
    """The server has answered once, for instance because the models panel was seen."""
    session.language.set_server(ModelServer(ollama.url, "0.13.0", (ModelInfo(ollama.model),)))


def written_by(panel: CommunitiesPanel) -> str:
    return panel.report.report.written_by if panel.report.report is not None else ""


def test_it_is_offered_where_a_model_is_known_by_name_and_host(
    panel: CommunitiesPanel, session: Session, ollama: ScriptedServer
) -> None:
    assert not panel.writer.isVisible() and ollama.requests == [], "without a model nobody is asked"
    known(session, ollama)
    assert panel.writer.button.isVisible() and not panel.writer.place.isVisible()
    session.language.set_host(ModelHost("http://gpu.example:11434", here=False, allowed=True))
    known(session, ollama)
    assert panel.writer.place.isVisible()
    assert panel.writer.place.text() == "at gpu.example:11434 (not this machine)"
    assert "scripted:1b at gpu.example:11434 (not this machine)" in panel.writer.button.toolTip()
    session.language.set_writer(writer_of("big & slow:70b"))
    assert panel.writer.button.text() == " Write with big && slow:70b"


def test_the_displayed_report_is_written_and_what_was_dropped_is_reported(
    panel: CommunitiesPanel, session: Session, ollama: ScriptedServer, notices: list[Message], qtbot: QtBot
) -> None:
    known(session, ollama)
    writer = panel.writer
    assert writer.button.isVisible() and writer.button.text() == " Write with scripted:1b"
    qtbot.mouseClick(writer.button, LEFT)
    assert writer.news.isVisible() and writer.stop.isVisible() and not writer.button.isVisible()
    qtbot.waitUntil(lambda: written_by(panel) == "ollama:scripted:1b", timeout=20_000)
    assert panel.report.origin.text().startswith("Written by scripted:1b")
    assert len(ollama.chats) == 1 and writer.button.text() == " Write again with scripted:1b"
    assert notices[-1].text == (
        "The report is written by scripted:1b. 1 of 2 statements was dropped: no passage carries it."
    )
    qtbot.mouseClick(writer.button, LEFT)
    qtbot.waitUntil(lambda: len(ollama.chats) == 2 and writer.button.isVisible(), timeout=20_000)


def test_the_menu_writes_all_and_goes_back_to_quotes(
    panel: CommunitiesPanel, session: Session, ollama: ScriptedServer, qtbot: QtBot
) -> None:
    known(session, ollama)
    writer, count = panel.writer, len(panel.model.communities)
    assert [a.text() for a in writer.choices.actions()] == [
        f"Write all reports of level {panel.model.communities[0].level}",
        "Write all reports",
    ]
    writer.choices.actions()[1].trigger()
    qtbot.waitUntil(lambda: written_by(panel) != "rules", timeout=20_000)
    assert len(ollama.chats) == count
    writer.choices.actions()[2].trigger()
    qtbot.waitUntil(lambda: written_by(panel) == "rules", timeout=20_000)
    assert len(ollama.chats) == count and panel.report.origin.text().startswith("Quoted")


def test_writing_is_stopped_and_nothing_else_changes_meanwhile(
    panel: CommunitiesPanel, session: Session, ollama: ScriptedServer, notices: list[Message], qtbot: QtBot
) -> None:
    known(session, ollama)
    before = panel.report.report
    ollama.answer = lambda body: Reply(repeating(body), delay=0.3, piece=2)
    qtbot.mouseClick(panel.writer.button, LEFT)
    qtbot.waitUntil(lambda: len(ollama.chats) == 1, timeout=20_000)
    qtbot.waitUntil(lambda: "Writing the report with scripted:1b" in panel.writer.news.text())
    assert session.blocked.startswith("Reports are being written")
    qtbot.mouseClick(panel.writer.stop, LEFT)
    qtbot.waitUntil(panel.writer.button.isVisible, timeout=60_000)
    assert not session.tasks.busy(WRITING_REPORTS) and not session.blocked
    qtbot.waitUntil(lambda: ollama.gone == 1, timeout=60_000)
    assert panel.report.report == before and notices == []


def test_a_server_that_is_gone_is_reported_and_the_report_stays(
    panel: CommunitiesPanel, session: Session, ollama: ScriptedServer, notices: list[Message], qtbot: QtBot
) -> None:
    known(session, ollama)
    before = panel.report.report
    ollama.refuse()
    qtbot.mouseClick(panel.writer.button, LEFT)
    qtbot.waitUntil(lambda: bool(notices), timeout=20_000)
    assert notices[-1].level == "error" and panel.report.report == before
    assert panel.writer.button.isVisible() and panel.writer.button.isEnabled()


def test_while_another_process_writes_the_button_says_why(
    panel: CommunitiesPanel, session: Session, ollama: ScriptedServer
) -> None:
    known(session, ollama)
    session.set_written_by("being indexed by process 7")
    assert not panel.writer.button.isEnabled()
    assert "being indexed by process 7" in panel.writer.button.toolTip()
    session.set_written_by("")
    assert panel.writer.button.isEnabled()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (Written(unchanged=4), "Every report is up to date."),
        (Written(written=3, by_model=3), "3 reports are written by m."),
        (Written(written=3, by_model=1), "1 of 3 reports is written by m."),
        (
            Written(written=1, model=ModelWriting(statements=2, uncarried=2)),
            "m wrote nothing that the documents carry; the one by rules stands. "
            "2 of 2 statements were dropped: no passage carries them.",
        ),
    ],
)
def test_what_came_of_it_is_reported(written: Written, words: str) -> None:
    assert outcome_words(written, writer_of("m"))[0] == words
    assert outcome_words(Written(written=1), QUOTES)[0] == "The report is quoted from the documents again."
