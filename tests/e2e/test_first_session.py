"""A newcomer's first session, by real clicks and keys: open the sample, watch, ask, follow a citation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.reader.text import Mark
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from tests.waiting import process_events

pytestmark = pytest.mark.long

# Pictures for a person to look at; another folder can be named from outside.
PICTURES = Path(os.environ.get("CLEW_SCREENSHOTS", Path(__file__).resolve().parents[1] / "screenshots"))
QUESTION = "Where was Tobias Renwick arrested?"
LEFT = Qt.MouseButton.LeftButton


def cited(marks: tuple[Mark, ...]) -> list[Mark]:
    return [mark for mark in marks if mark.kind == "cited"]


def picture(window: MainWindow, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    file = PICTURES / f"{name}.png"
    assert window.grab().save(str(file))
    assert file.stat().st_size > 20_000


def test_open_the_sample_watch_ask_and_follow_a_citation(
    qtbot: QtBot, window: MainWindow, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "default_workspace", lambda folder: tmp_path / "workspaces" / folder.name)
    picture(window, "1-start")
    grown: list[int] = []
    session.growth.connect(lambda growth: grown.append(len(growth.nodes)))
    with qtbot.waitSignal(session.indexing.finished, timeout=400_000):
        qtbot.mouseClick(window.start.sample, LEFT)
        qtbot.waitUntil(lambda: sum(grown) > 200, timeout=400_000)
        workbench = window.workbench
        assert workbench is not None
        qtbot.waitUntil(lambda: workbench.graph.canvas.node_count > 100, timeout=30_000)
        picture(window, "2-growing")
    qtbot.waitUntil(lambda: workbench.graph.canvas.node_count > 300, timeout=30_000)
    workbench.graph.canvas.settle()
    picture(window, "3-indexed")
    assert len(grown) > 2, "the graph came at once instead of growing"

    qtbot.mouseClick(workbench.ask.box, LEFT)
    QTest.keyClicks(workbench.ask.box, QUESTION)
    with qtbot.waitSignal(session.answered, timeout=200_000):
        QTest.keyClick(workbench.ask.box, Qt.Key.Key_Return)
    answer = session.answer
    assert answer is not None
    assert "Funchal" in answer.text
    process_events()
    picture(window, "4-answered")
    assert workbench.evidence.isVisible()

    sentences = workbench.ask.answer.sentences
    point = sentences.point_of(1).toPoint()
    qtbot.mouseClick(sentences.viewport(), LEFT, pos=point)
    citation = answer.citations[0]
    reader = workbench.reader
    qtbot.waitUntil(lambda: bool(cited(reader.text.marks)), timeout=20_000)
    mark = cited(reader.text.marks)[0]
    assert session.workspace is not None
    text = session.workspace.documents.text(citation.document_id)
    assert text[mark.start : mark.end] == citation.quote
    assert reader.text.isVisible()
    assert session.selection.current is not None
    assert session.selection.current.id == citation.passage_id
    process_events()
    picture(window, "5-cited")


def test_graph_route_paints_heat(
    qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path
) -> None:
    operations.open_workspace(session, sample_copy)
    qtbot.waitUntil(lambda: window.workbench is not None, timeout=30_000)
    workbench = window.workbench
    assert workbench is not None
    qtbot.waitUntil(lambda: workbench.graph.canvas.node_count > 20, timeout=30_000)
    with qtbot.waitSignal(session.answered, timeout=200_000):
        operations.ask(session, QUESTION, route="graph")
    assert session.answer is not None
    assert session.answer.trace.heat
    assert session.overlay.current.heat == session.answer.trace.heat
    process_events()
    picture(window, "6-heat")
