"""The lab in the window, on a part of the sample: a question through blocks, a run, who wins, adopting."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QProcess, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.lab.blocks import Block, blocks_of
from app.lab.panel import COMPARE, FLOW, QUESTIONS, LabPanel
from app.lab.tables import path_words
from app.session import operations
from app.session.session import Message, Session
from app.widgets.table import RECORD_ROLE
from core.lab.rows import FORMAT, LabRow, as_line
from core.types import FactPath, LabComposition, LabFlow, LabPart, LabPath, LabStep, LabWish, PathStep
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW, bench_on

LEFT = Qt.MouseButton.LeftButton
QUESTION = "Where was Tobias Renwick arrested?"

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("sample_path", nodes=20)


def followed(panel: LabPanel, qtbot: QtBot, name: str = "no-2", question: str = QUESTION) -> None:
    panel.state.choose(name)
    panel.flow.question.setText(question)
    qtbot.mouseClick(panel.flow.run_button, LEFT)
    qtbot.waitUntil(lambda: panel.flow.flow is not None and panel.flow.run_button.isEnabled(), timeout=15_000)


def kept_run(session: Session, *rows: LabRow, **head: object) -> Path:
    """As a process would have left it."""
    workspace = session.workspace
    assert workspace is not None
    path = workspace.lab.begin(LabWish("made", 5, ("no-1", "fusion")))
    stamp = {"format": FORMAT, "revision": workspace.revision, "questions": "x", **head}
    path.write_text(json.dumps(stamp) + "\n" + "".join(as_line("d", row) for row in rows))
    return path


def made_row(composition: str, question: str, recall: float, seconds: float, right: float = 0.0) -> LabRow:
    measures = {"recall@5": recall, "right": right}
    return LabRow(
        composition, question, f"Where is {question}?", "made", {"all": seconds}, 0, 9, 8, 7, (), "Ghent", 0.5, 300,
        measures,
    )  # fmt: skip


ROWS = (
    made_row("no-1", "Aalst", 1.0, 0.004),
    made_row("no-1", "Bruges", 0.0, 0.004),
    made_row("no-1", "Mons", 0.5, 0.004, right=1.0),
    made_row("fusion", "Aalst", 0.5, 0.05),
    made_row("fusion", "Bruges", 1.0, 0.05),
    made_row("fusion", "Mons", 0.5, 0.05, right=1.0),
    made_row("dense", "Aalst", 0.5, 0.09),
    made_row("dense", "Bruges", 0.5, 0.09),
    made_row("dense", "Mons", 0.0, 0.09),
)


@pytest.fixture
def compared(panel: LabPanel, session: Session, qtbot: QtBot) -> LabPanel:
    """With a run that is kept."""
    path = kept_run(session, *ROWS)
    panel.state.renew()
    qtbot.waitUntil(lambda: path in [run.path for run in panel.state.runs])
    panel.state.open_run(next(run for run in panel.state.runs if run.path == path))
    qtbot.waitUntil(lambda: len(panel.state.results.rows) == len(ROWS))
    panel.turn_to(COMPARE)
    return panel


def cells(table: Any, column: int) -> list[str]:
    model = table.model()
    return [model.index(at, column).data() for at in range(model.rowCount())]


# ---------------------------------------------------------------- blocks and words


def test_a_path_reads_in_the_direction_of_its_facts() -> None:
    worked = PathStep("t", "Alan Turing", "worked at", "b", "Bletchley Park", 1.0, "p", 0, 1)
    forth = LabPath(FactPath(("t", "b"), (worked,)), ("Alan Turing", "Bletchley Park"), 1.0)
    back = LabPath(FactPath(("b", "t"), (worked,)), ("Bletchley Park", "Alan Turing"), 1.0)
    alone = LabPath(FactPath(("t",), ()), ("Alan Turing",), 1.0)
    assert path_words(forth) == "Alan Turing \u2014 worked at \u2192 Bletchley Park"
    assert path_words(back) == "Bletchley Park \u2190 worked at \u2014 Alan Turing"
    assert path_words(alone) == "Alan Turing"


def test_stages_stand_in_the_order_in_which_a_question_met_them() -> None:
    def modules(parts: str, steps: str) -> list[str]:
        told = tuple(
            LabPart(name.strip("-"), "" if name.startswith("-") else "words") for name in parts.split()
        )
        composition = LabComposition("x", "", "", "", told, False, False)
        met = tuple(LabStep(name, 0.1, "", {}) for name in steps.split())
        blocks = blocks_of(composition, LabFlow("x", "?", met, (), 0, (), 0.1))
        assert [block.part.module for block in blocks if block.step is not None] == steps.split()
        return [block.part.module + ("" if block.step else "*") for block in blocks]

    assert modules("seeds -pruning paths", "seeds paths") == ["seeds", "pruning*", "paths"]
    # What a list of a composition met within it stands before what comes after it.
    met = "words seeds walk second join"
    assert modules("words walk join -second", met) == [*met.split(), "second*"]
    # A module that its stages tell of stands before them.
    assert modules("stages second", "align local second") == ["stages*", "align", "local", "second"]
    assert modules("stages -second", "align") == ["stages*", "align", "second*"]


# ---------------------------------------------------------------- flow


def test_the_spine_is_the_same_for_all(panel: LabPanel) -> None:
    known = panel.state.by_name
    parts = [block.part.module for block in blocks_of(known["no-1"], None)]
    assert parts == ["seeds", "subgraph", "pruning", "paths", "passages", "second stage"]
    assert parts == [block.part.module for block in blocks_of(known["paths-staged"], None)]
    used = {block.part.module: block.used for block in blocks_of(known["no-1"], None)}
    assert not used["pruning"] and used["paths"]


def test_a_question_flows_and_each_block_is_drawn(panel: LabPanel, session: Session, qtbot: QtBot) -> None:
    assert panel.view == FLOW and panel.flow.hint.isVisible() and not panel.flow.paths.isVisible()
    followed(panel, qtbot)
    flow = panel.flow.flow
    assert flow is not None and flow.composition == "no-2" and flow.question == QUESTION
    steps = {step.module: step for step in flow.steps}
    assert list(steps) == ["seeds", "subgraph", "pruning", "paths", "passages"]
    blocks = panel.flow.blocks
    current = blocks.current
    assert current is not None and current.part.module == "paths"
    assert session.overlay.current.heat == steps["paths"].heat
    assert session.overlay.current.path == flow.paths[0].path.entity_ids
    for at, module in enumerate(("seeds", "subgraph", "pruning")):
        qtbot.mouseClick(blocks, LEFT, pos=blocks.place(at).center())
        assert session.overlay.current.heat == steps[module].heat and session.overlay.current.path == ()
        assert panel.flow.summary.text().startswith(module.capitalize())
    blocks.setFocus()
    QTest.keyClick(blocks, Qt.Key.Key_Right)
    QTest.keyClick(blocks, Qt.Key.Key_Return)
    assert session.overlay.current.heat == steps["paths"].heat
    QTest.keyClick(blocks, Qt.Key.Key_End)
    last = blocks.current
    assert last is not None and last.part.module == "second stage"
    QTest.keyClick(blocks, Qt.Key.Key_Home)
    first = blocks.current
    assert isinstance(first, Block) and first.time


def test_a_path_is_lit_and_a_passage_is_read(panel: LabPanel, session: Session, qtbot: QtBot) -> None:
    followed(panel, qtbot)
    flow = panel.flow.flow
    assert flow is not None
    table = panel.flow.paths
    assert len(cells(table, 0)) == len(flow.paths) > 3 and "\u2014" in cells(table, 0)[0]
    table.selectRow(2)
    assert session.overlay.current.path == flow.paths[2].path.entity_ids
    facts = session.overlay.current.facts
    assert [fact.predicate for fact in facts] == [step.predicate for step in flow.paths[2].path.steps]
    passages = panel.flow.passages
    qtbot.mouseClick(
        passages.viewport(), LEFT, pos=passages.visualRect(passages.model().index(0, 1)).center()
    )
    selected = session.selection.current
    assert selected is not None and (selected.kind, selected.id) == ("passage", flow.passages[0].passage_id)
    panel.flow.give_back()
    assert session.overlay.current.heat == {} and session.overlay.current.path == ()


def test_what_needs_a_model_says_so_and_another_goes_on(panel: LabPanel, qtbot: QtBot) -> None:
    followed(panel, qtbot)
    panel.state.choose("no-3")
    qtbot.waitUntil(panel.flow.fault.isVisible, timeout=60_000)
    assert "needs a language model" in panel.flow.fault.text() and panel.flow.flow is None
    followed(panel, qtbot, "no-1")
    assert not panel.flow.fault.isVisible() and panel.flow.flow is not None
    # The question goes through another one as soon as it is chosen.
    panel.state.choose("no-12")
    qtbot.waitUntil(
        lambda: panel.flow.flow is not None and panel.flow.flow.composition == "no-12", timeout=60_000
    )


def test_a_huge_question_is_cut_where_it_is_typed(panel: LabPanel, session: Session) -> None:
    panel.flow.question.clear()
    assert session.commands["lab.follow"].why_not() == "Type a question first."
    panel.flow.question.setText("why " * 50_000)
    assert len(panel.flow.question.text()) == 4_000
    assert session.commands["lab.follow"].why_not() == ""
    panel.flow.question.clear()


def test_the_last_question_is_taken(panel: LabPanel, session: Session, qtbot: QtBot) -> None:
    followed(panel, qtbot, question="Who founded Brandvold Lines?")
    with qtbot.waitSignal(session.answered, timeout=15_000):
        operations.ask(session, QUESTION)
    assert panel.flow.question.text() == QUESTION and panel.flow.flow is None
    assert all(block.step is None for block in panel.flow.blocks.blocks)


# ---------------------------------------------------------------- adopt


def test_adopting_is_asked_by_and_taken_back(panel: LabPanel, session: Session, qtbot: QtBot) -> None:
    messages = list[Message]()
    session.message_posted.connect(messages.append)
    panel.state.choose("no-12")
    qtbot.mouseClick(panel.adopt_button, LEFT)
    qtbot.waitUntil(lambda: panel.state.setup.adopted == "no-12")
    assert panel.own.text() == "\u2713 Adopted" and not panel.adopt_button.isVisible()
    assert panel.withdraw_button.isVisible()
    with qtbot.waitSignal(session.answered, timeout=15_000):
        operations.ask(session, QUESTION)
    assert session.answer is not None and session.answer.trace.route.name == "lab:no-12"
    panel.state.choose("no-1")
    assert panel.own.text() == "Adopted: no-12" and panel.adopt_button.isVisible()
    undo = (
        messages[-1].act
        if messages[-1].action == "Undo"
        else next(each.act for each in messages if each.action == "Undo")
    )
    assert undo is not None
    undo()
    qtbot.waitUntil(lambda: panel.state.setup.adopted == "")
    assert not panel.own.isVisible()
    assert session.commands["lab.withdraw"].why_not() == "No composition is adopted."


def test_a_composition_is_copied_as_it_is_read(panel: LabPanel, session: Session, qtbot: QtBot) -> None:
    workspace = session.workspace
    assert isinstance(workspace, Workspace)
    panel.state.choose("no-2")
    session.commands.run("lab.copy")
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("[no-2]"))
    text = QGuiApplication.clipboard().text().replace("[no-2]", "[mine]")
    assert workspace.compositions.keep(text) == ("mine",)
    found = workspace.compositions.all()
    assert found["mine"] == found["no-2"]


def test_the_picker_finds_by_any_word(panel: LabPanel, qtbot: QtBot) -> None:
    picker = panel.picker
    field = picker.lineEdit()
    picker.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "HippoRAG")
    completer = picker.completer()
    assert completer.completionCount() >= 1
    field.setText("nothing of the kind")
    field.editingFinished.emit()
    assert field.text().startswith(panel.state.chosen)
    picker.activated.emit(picker.findData("kelp"))
    assert panel.state.chosen == "kelp"


# ---------------------------------------------------------------- compare


def test_it_says_what_to_do_first(panel: LabPanel, qtbot: QtBot) -> None:
    panel.turn_to(COMPARE)
    view = panel.compare
    assert view.empty.isVisible() and not view.table.isVisible()
    form = view.form
    form.asked.source.setCurrentIndex(form.asked.source.findData("pins"))
    assert "Pin questions, or let Clew make some" in form.why_not() and not view.run_button.isEnabled()
    form.asked.source.setCurrentIndex(form.asked.source.findData("verdicts"))
    assert "Judge answers" in form.why_not()
    form.asked.source.setCurrentIndex(form.asked.source.findData("made"))
    assert form.why_not() == "" and view.run_button.isEnabled()
    form.checks.check(())
    assert form.why_not() == "Check a composition first."
    form.which.setChecked(True)
    rows = form.checks.list
    first = rows.visualRect(rows.model().index(0, 0))
    qtbot.mouseClick(rows.viewport(), LEFT, pos=QPoint(first.left() + 10, first.center().y()))
    assert form.wish.compositions == ("no-1",)
    rows.setFocus()
    rows.setCurrentIndex(rows.model().index(1, 0))
    QTest.keyClick(rows, Qt.Key.Key_Space)
    assert form.wish.compositions == ("no-1", "no-2")
    form.checks.check_plain()
    plain = {each.name for each in panel.state.setup.compositions if not each.needs_model}
    assert set(form.wish.compositions) == plain
    panel.turn_to(QUESTIONS)
    assert panel.questions.empty.isVisible()


def test_a_run_is_a_table_and_a_plot(compared: LabPanel, qtbot: QtBot) -> None:
    view = compared.compare
    assert cells(view.table, 1) == ["fusion", "no-1", "dense"]  # the best first, of equal ones the quicker
    figures = {row.composition: row for row in compared.state.results.figures}
    assert figures["no-1"].figures["recall@5"] == 0.5
    front = {point.name for point in view.plot.points if point.front}
    assert front == {"no-1", "fusion"}
    marks = dict(zip(cells(view.table, 1), cells(view.table, 0), strict=True))
    assert {name for name, mark in marks.items() if "\u25c6" in mark} == front
    for point in view.plot.points:
        at = view.plot.on_screen(point)
        qtbot.mouseClick(view.plot.viewport(), LEFT, pos=QPoint(round(at.x()), round(at.y())))
        assert compared.state.chosen == point.name
        index = view.table.currentIndex()
        assert index.data(RECORD_ROLE).composition == point.name
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Left)
    assert compared.state.chosen == view.plot.points[-2].name
    view.axis.setCurrentIndex(1)
    assert [point.cost for point in view.plot.points] == [300.0] * 3
    view.table.selectAll()
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith("\tComposition\trecall@5")


def test_bad_runs_are_named_and_do_no_harm(panel: LabPanel, session: Session, qtbot: QtBot) -> None:
    before = len(panel.state.runs)
    good = kept_run(session, *ROWS)
    with good.open("a") as file:
        file.write('{"torn": \n{}\n{"half of a row')
    kept_run(session, *ROWS[:3], revision=-1)
    (good.parent / "broken.jsonl").write_text("{")
    panel.state.renew()
    qtbot.waitUntil(lambda: len(panel.state.runs) == before + 3)
    panel.turn_to(COMPARE)
    view, messages = panel.compare, list[Message]()
    session.message_posted.connect(messages.append)
    words = [view.runs.itemText(at) for at in range(view.runs.count())]
    assert sum("of the workspace as it was" in each for each in words) == 1
    broken = next(at for at, each in enumerate(words) if each.startswith("broken"))
    assert "no run of the lab" in words[broken]
    view.runs.activated.emit(broken)
    assert "cannot be read" in messages[-1].text
    by = {run.path: run for run in panel.state.runs}
    panel.state.open_run(by[good])
    qtbot.waitUntil(lambda: panel.state.results.torn == 2)
    assert "2 lines that are no rows were left out." in view.notice.text() and len(cells(view.table, 1)) == 3
    old = next(run for run in panel.state.runs if run.outdated)
    panel.state.open_run(old)
    qtbot.waitUntil(lambda: len(panel.state.results.rows) == 3)
    assert session.commands["lab.go_on"].why_not() == "The workspace has changed since: begin a new run."


@pytest.mark.long
def test_a_run_is_made_cancelled_and_gone_on_with(
    panel: LabPanel, session: Session, qtbot: QtBot, forked_lab: None
) -> None:
    panel.turn_to(COMPARE)
    view = panel.compare
    view.form.asked.count.setValue(6)
    view.form.checks.check(("no-1", "fusion"))
    session.commands.run("lab.run")
    qtbot.waitUntil(lambda: session.lab.running and panel.state.run is not None, timeout=20_000)
    assert view.run_button.text() == "Cancel" and not view.form.asked.source.isEnabled()
    qtbot.waitUntil(lambda: len(panel.state.results.rows) > 0 or not session.lab.running, timeout=60_000)
    session.lab.cancel()
    qtbot.waitUntil(lambda: not session.lab.running, timeout=20_000)
    run = panel.state.run
    assert run is not None and run.wish == LabWish("made", 6, ("no-1", "fusion"))
    qtbot.waitUntil(lambda: session.commands["lab.go_on"].why_not() == "")
    session.commands.run("lab.go_on")
    qtbot.waitUntil(lambda: not session.lab.running, timeout=90_000)
    qtbot.waitUntil(lambda: len(panel.state.results.rows) == 12, timeout=20_000)
    workspace = session.workspace
    assert workspace is not None
    reading = workspace.lab.reading(run.path)
    reading.more()
    assert len(reading.rows) == 12 and reading.torn == 0
    assert {row.composition for row in reading.rows} == {"no-1", "fusion"}
    assert all(row.text for row in reading.rows)
    assert not view.progress.isVisible() and view.run_button.text() == "Run"


def test_a_run_that_cannot_start_says_so(
    panel: LabPanel, session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.session.running.lab_command", lambda *_: ["/nowhere/at/all"])
    messages = list[Message]()
    session.message_posted.connect(messages.append)
    session.commands.run("lab.run")
    qtbot.waitUntil(lambda: any(message.level == "error" for message in messages))
    assert "stopped unexpectedly" in next(each.text for each in messages if each.level == "error")
    assert not session.lab.running


# ---------------------------------------------------------------- question by question


def test_wins_and_losses_are_listed_and_asked(compared: LabPanel, session: Session, qtbot: QtBot) -> None:
    compared.state.choose("no-1")
    compared.turn_to(QUESTIONS)
    view = compared.questions
    qtbot.waitUntil(lambda: view.table.isVisible() and view.name.text() == "no-1")
    assert view.other.currentData() == "fusion"
    assert view.sums.text() == "1 win, 1 loss, 1 alike"
    assert cells(view.table, 1) == ["Where is Bruges?", "Where is Aalst?", "Where is Mons?"]
    view.outcome.setCurrentIndex(view.outcome.findData("win"))
    assert cells(view.table, 1) == ["Where is Aalst?"]
    view.outcome.setCurrentIndex(0)
    view.filter.setText("mons")
    assert cells(view.table, 1) == ["Where is Mons?"]
    view.filter.clear()
    view.other.activated.emit(view.other.findData("dense"))
    compared.state.hold_against("dense")
    qtbot.waitUntil(lambda: "2" in view.sums.text())
    assert view.other.currentData() == "dense"
    asked = list[str]()
    session.asking.connect(asked.append)
    view.table.selectRow(0)
    with qtbot.waitSignal(session.answered, timeout=15_000):
        session.commands.run("lab.ask")
        assert asked == [cells(view.table, 1)[0]]
    assert session.answer is not None and session.answer.trace.route.name == "lab:no-1"


def test_a_composition_that_did_not_run_says_so(compared: LabPanel) -> None:
    compared.state.choose("no-12")
    compared.turn_to(QUESTIONS)
    assert not compared.questions.table.isVisible() and compared.questions.empty.isVisible()


# ---------------------------------------------------------------- adopt


@pytest.mark.long
def test_a_run_and_all_that_is_shown_end_with_the_workspace(
    compared: LabPanel, session: Session, qtbot: QtBot, forked_lab: None
) -> None:
    session.commands.run("lab.run")
    qtbot.waitUntil(lambda: session.lab.running, timeout=20_000)
    process = session.lab.findChild(QProcess)
    assert process is not None
    number = process.processId()
    operations.close_workspace(session)
    assert not session.lab.running
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    state = compared.state
    assert (
        state.setup.compositions == ()
        and state.results.rows == ()
        and (state.run, state.chosen) == (None, "")
    )
    assert compared.compare.runs.count() == 0 and compared.flow.blocks.blocks == ()
