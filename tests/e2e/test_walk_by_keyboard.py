"""The walk of the README by keyboard alone: every step that it tells, without touching the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ask.sources import SourceButton
from app.look import theme
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.palette import Palette
from app.shell.workbench import Workbench
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import picture

pytestmark = pytest.mark.long


def test_the_walk(
    qtbot: QtBot,
    window: MainWindow,
    session: Session,
    sample_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(operations, "default_workspace", lambda _: tmp_path / "workspace")
    monkeypatch.setattr(operations, "sample_folder", lambda: sample_folder)
    keys = Keyboard(qtbot, window, session)
    bench = open_the_sample(keys)
    move_through_the_graph(keys, bench)
    find_by_search_and_palette(keys, bench)
    ask_and_follow(keys, bench)
    force_another_route(keys, bench)
    ask_about_all(keys, bench)
    ask_what_is_not_reported(keys)
    arrange_and_copy(keys, bench)
    judge(keys, bench)


def open_the_sample(keys: Keyboard) -> Workbench:
    """Step 1: the graph grows while a process reads the sample."""
    grown: list[int] = []
    keys.session.growth.connect(lambda growth: grown.append(len(growth.nodes)))
    with keys.qtbot.waitSignal(keys.session.indexing.finished, timeout=200_000):
        keys.press("Ctrl+E")
        keys.until(lambda: sum(grown) > 10, timeout=200_000)
        bench = keys.window.workbench
        assert bench is not None
        keys.until(lambda: bench.graph.canvas.node_count > 10)
        picture(keys.window, "walk-growing")
    assert len(grown) > 1, "the graph came at once instead of growing"
    live = bench.graph.live
    keys.until(lambda: not (live.now.growing or live.pending) and bench.graph.canvas.node_count > 20)
    return bench


def move_through_the_graph(keys: Keyboard, bench: Workbench) -> None:
    """Step 2: from node to node, to a neighbourhood and back, communities as nodes and in again."""
    keys.go_to("graph")
    assert bench.graph.canvas.isAncestorOf(keys.focus)
    keys.press("Ctrl+F")
    keys.type("Tobias Renwick")
    keys.press("Return")
    chosen = keys.session.selection
    keys.until(lambda: chosen.current is not None and chosen.current.kind == "entity")
    before = bench.graph.canvas.node_count
    keys.press("Ctrl+Shift+N")
    keys.until(lambda: bench.graph.canvas.node_count < before)
    keys.press("Ctrl+Backspace")
    keys.until(lambda: bench.graph.canvas.node_count == before)
    keys.press("Ctrl+G")
    keys.until(lambda: bench.graph.canvas.node_count < before)
    keys.press("Ctrl+G")
    keys.until(lambda: bench.graph.canvas.node_count == before)


def find_by_search_and_palette(keys: Keyboard, bench: Workbench) -> None:
    """Step 2: anything from the search box, any command from the palette."""
    keys.press("Ctrl+K")
    keys.type("Brandvold")
    keys.until(lambda: keys.window.top.search.open)
    keys.press("Down", "Up", "Return")
    assert keys.session.selection.current is not None
    was = theme.current().name
    keys.press("Ctrl+Shift+P")
    keys.until(lambda: isinstance(QApplication.activePopupWidget(), Palette))
    keys.type("light or dark")
    keys.press("Return")
    keys.until(lambda: theme.current().name != was)
    keys.press("Ctrl+Shift+D")
    assert theme.current().name == was


def ask_and_follow(keys: Keyboard, bench: Workbench) -> None:
    """Steps 3 and 4: a question, and from the number behind its sentence to the very place."""
    answer = keys.ask("Where was Tobias Renwick arrested?")
    assert "Funchal" in answer.text
    keys.tab_to(next(row for row in bench.ask.answer.findChildren(SourceButton) if row.isVisible()))
    keys.press("Space")
    keys.until(lambda: any(mark.kind == "cited" for mark in bench.reader.text.marks))
    cited = next(mark for mark in bench.reader.text.marks if mark.kind == "cited")
    assert keys.session.workspace is not None
    text = keys.session.workspace.documents.text(answer.citations[0].document_id)
    assert text[cited.start : cited.end] == answer.citations[0].quote


def force_another_route(keys: Keyboard, bench: Workbench) -> None:
    """Step 5: the heat on the graph, the trace, and the same question along the graph alone."""
    keys.press("Ctrl+L")
    keys.tab_to(bench.ask.route.ways)
    with keys.qtbot.waitSignal(keys.session.answered, timeout=200_000):
        keys.choose("Graph")
    assert keys.session.answer is not None
    assert keys.session.answer.trace.route.forced
    assert keys.session.answer.trace.heat
    assert bench.graph.heat.isChecked()
    assert keys.session.overlay.current.heat == keys.session.answer.trace.heat
    picture(keys.window, "walk-heat")
    keys.tab_to(bench.ask.route.trace)
    keys.press("Space")
    keys.until(bench.explain.isVisible)


def ask_about_all(keys: Keyboard, bench: Workbench) -> None:
    """Step 6: the themes, and down the tree of the communities."""
    keys.tab_to(bench.ask.route.auto)
    with keys.qtbot.waitSignal(keys.session.answered, timeout=200_000):
        keys.press("Space")
    answer = keys.ask("What are the main themes of these documents?")
    assert answer.trace.route.name == "global"
    keys.go_to("communities")
    keys.press("Home", "Down", "Return")
    chosen = keys.session.selection
    keys.until(lambda: chosen.current is not None and chosen.current.kind == "community")


def ask_what_is_not_reported(keys: Keyboard) -> None:
    """Step 7."""
    answer = keys.ask("How many containers did the Ardent Kestrel lose in the Bay of Biscay?")
    assert answer.abstained and answer.evidence and "Bay of Biscay" in answer.missing


def arrange_and_copy(keys: Keyboard, bench: Workbench) -> None:
    """Step 8: the arrangements, and the rows of a table as text and Markdown."""
    keys.press("Alt+3")
    keys.until(lambda: bench.reader.isVisible() and bench.explain.isVisible())
    keys.press("Alt+1")
    keys.go_to("library")
    keys.press("Home", "Ctrl+A", "Ctrl+C")
    plain = QApplication.clipboard().text()
    keys.press("Ctrl+Shift+M")
    assert QApplication.clipboard().text().startswith("|")
    assert plain.split("\n")[0].split("\t")[0] in QApplication.clipboard().text()


def judge(keys: Keyboard, bench: Workbench) -> None:
    """Step 9: right or wrong, told again when the question comes again."""
    question = "Where was Tobias Renwick arrested?"
    keys.ask(question)
    keys.press("Ctrl+Shift+Y")
    assert keys.session.workspace is not None
    keys.until(lambda: bool(keys.session.workspace.answers.judged(question)))
    keys.ask("Who founded Brandvold Lines?")
    assert not bench.ask.answer.verdict.buttons["right"].isChecked()
    keys.ask(question)
    keys.until(bench.ask.answer.verdict.buttons["right"].isChecked)
