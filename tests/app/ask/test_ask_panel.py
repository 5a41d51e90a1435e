"""Asking by keys and clicks; the route, the answer, its marks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QSplitter
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.ask.question_box import read_examples
from app.ask.route import stage_strip
from app.evidence.panel import EvidencePanel
from app.look import theme
from app.session.selection import Selected
from core.errors import BadInput
from core.retrieval.routes import GLOBAL, ROUTES
from core.types import AnswerStep, Citation, Stage
from tests.app.panel_case import QUESTION, Case, exposed, hover
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton
CITED = Citation("p", "d", "crew.txt", "Crew", None, 0, 12, "Marek Zielak")


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> AskPanel:
    return exposed(AskPanel(case.session), qtbot, 380, 900)


def ask(panel: AskPanel, case: Case, qtbot: QtBot, words: str = QUESTION) -> None:
    with qtbot.waitSignal(case.session.answered):
        panel.box.setFocus()
        qtbot.keyClicks(panel.box, words)
        qtbot.keyClick(panel.box, Qt.Key.Key_Return)


def test_enter_asks_and_the_answer_is_shown(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    assert case.workspace.asked == [(QUESTION, "auto")]
    assert panel.answer.short.text() == "Tobias Renwick"
    text = panel.answer.sentences.toPlainText()
    assert [text.find(sentence) >= 0 for sentence in case.answer.sentences] == [True] * 3
    assert panel.answer.certainty.words.text() == "Likely, 81 %"
    assert not panel.answer.support.isVisible()
    assert not panel.examples.isVisible()


def test_an_empty_question_is_not_asked(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    qtbot.keyClicks(panel.box, "   ")
    qtbot.keyClick(panel.box, Qt.Key.Key_Return)
    qtbot.mouseClick(panel.ask_button, LEFT)
    assert case.workspace.asked == []


def test_the_box_grows_to_three_lines(panel: AskPanel, qtbot: QtBot) -> None:
    heights = [panel.box.height()]
    for _ in range(4):
        qtbot.keyClick(panel.box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        qtbot.keyClicks(panel.box, "more")
        heights.append(panel.box.height())
    assert heights[0] < heights[1] < heights[2]
    assert heights[2] == heights[3] == heights[4]
    assert panel.box.question == "\n".join(["more"] * 4)


def test_up_and_down_walk_through_the_history(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    for words in ("First one?", "Second one?"):
        panel.box.clear()
        ask(panel, case, qtbot, words)
    panel.box.clear()
    qtbot.keyClicks(panel.box, "half writ")
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(panel.box, key)
        seen.append(panel.box.toPlainText())
    assert seen == ["Second one?", "First one?", "First one?", "Second one?", "half writ"]


def test_the_button_stops_what_runs(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    case.workspace.gate.clear()
    panel.box.set_question(QUESTION)
    qtbot.mouseClick(panel.ask_button, LEFT)
    assert panel.ask_button.text() == "Stop"
    assert panel.progress.isVisible()
    with qtbot.waitSignal(case.session.not_answered):
        qtbot.mouseClick(panel.ask_button, LEFT)
    assert panel.ask_button.text() == "Ask"
    assert not panel.progress.isVisible()
    case.workspace.gate.set()
    with qtbot.assertNotEmitted(case.session.answered):
        wait_until_landed(case.session.tasks)
    assert not panel.answer.isVisible()


def test_passages_are_there_before_they_are_read(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    evidence = exposed(EvidencePanel(case.session), qtbot, 380, 600)
    case.workspace.gate.clear()
    panel.box.set_question(QUESTION)
    with qtbot.waitSignal(case.session.ranked):
        qtbot.mouseClick(panel.ask_button, LEFT)
    assert [card.isVisible() for card in evidence.cards[:1]] == [True]
    assert panel.draft.isVisible() and panel.draft.who.text().startswith("1 passage found")
    assert not panel.answer.isVisible() and panel.progress.isVisible()
    with qtbot.waitSignal(case.session.answered):
        case.workspace.gate.set()
    assert panel.answer.isVisible() and not panel.draft.isVisible()


def test_passages_of_a_question_that_is_given_up_go(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    evidence = exposed(EvidencePanel(case.session), qtbot, 380, 600)
    ask(panel, case, qtbot)
    case.workspace.gate.clear()
    with qtbot.waitSignal(case.session.ranked):
        panel.ask("Who sank the barge?")
    assert evidence.heading.text().startswith("1 passage,")
    with qtbot.waitSignal(case.session.not_answered):
        qtbot.mouseClick(panel.ask_button, LEFT)
    assert evidence.heading.text().startswith(f"{len(case.answer.evidence)} passages,")
    case.workspace.gate.set()


def test_a_failure_ends_the_waiting_and_keeps_the_question(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    case.session.asking.emit(QUESTION)
    case.session.not_answered.emit(BadInput("The question is too long.", "Shorten it."))
    assert panel.ask_button.text() == "Ask"
    assert panel.box.question == QUESTION


def test_a_zone_forces_its_route_and_auto_gives_it_back(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    assert not panel.route.auto.isVisible()
    with qtbot.waitSignal(case.session.answered):
        qtbot.mouseClick(panel.route.gauge, LEFT, pos=panel.route.gauge.zone_rect(0).center().toPoint())
    assert case.workspace.asked[-1] == (QUESTION, "dense")
    assert panel.route.heading.text() == "Route: Dense"
    assert "you chose it" in panel.route.reason.text()
    with qtbot.waitSignal(case.session.answered):
        qtbot.mouseClick(panel.route.auto, LEFT)
    assert case.workspace.asked[-1] == (QUESTION, "auto")
    assert not panel.route.auto.isVisible()


def test_every_way_can_be_chosen_from_the_menu(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    """The window may not import the catalogue; this list must be the same."""
    ask(panel, case, qtbot)
    ways = {action.data(): action for action in panel.route.ways.menu().actions() if action.isCheckable()}
    assert set(ways) == {"auto", *ROUTES, GLOBAL}
    assert [name for name, action in ways.items() if action.isChecked()] == ["auto"]
    with qtbot.waitSignal(case.session.answered):
        ways["fusion"].trigger()
    assert case.workspace.asked[-1] == (QUESTION, "fusion")
    assert panel.route.heading.text() == "Route: Fusion"
    assert [name for name, action in ways.items() if action.isChecked()] == ["fusion"]
    # The gauge has no such zone: the keys begin at the one of the score.
    panel.route.gauge.setFocus()
    qtbot.keyClick(panel.route.gauge, Qt.Key.Key_Left)
    with qtbot.waitSignal(case.session.answered):
        qtbot.keyClick(panel.route.gauge, Qt.Key.Key_Return)
    assert case.workspace.asked[-1][1] in ("dense", "fusion")


def test_a_forced_route_holds_for_the_next_question(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    with qtbot.waitSignal(case.session.answered):
        panel.route.gauge.zone_chosen.emit("fusion")
    panel.box.clear()
    ask(panel, case, qtbot, "Who paid the fee?")
    assert case.workspace.asked[-1] == ("Who paid the fee?", "fusion")


def test_why_shows_the_features_in_words(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    low = panel.route.height()
    assert not panel.route.why.isChecked()
    qtbot.mouseClick(panel.route.why, LEFT)
    words = panel.route.gauge.accessibleDescription()
    assert "unnamed step: company +2.50" in words
    assert "short question -0.40" in words
    assert "active" not in words, "what did not move the score is left out"
    qtbot.waitUntil(lambda: panel.route.height() > low)
    ask(panel, case, qtbot)
    assert panel.route.why.isChecked(), "the choice of the person holds"


def test_it_says_what_the_answer_rests_on(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    assert not panel.answer.rests.isVisibleTo(panel), "no fact was read from its places"
    panel.answer.show_answer(replace(case.answer, rests_words="Rests on approved facts"))
    assert panel.answer.rests.isVisibleTo(panel) and panel.answer.rests.text() == "Rests on approved facts"


def test_a_stage_of_several_rounds_is_told_once(case: Case) -> None:
    trace = case.answer.trace
    words = stage_strip(replace(trace, stages=(*trace.stages, *trace.stages))).replace("\u00a0", " ")
    assert words == "57 ms: route 4, seeds 9, graph 25, answer 77"


def test_the_times_that_are_told_add_up(case: Case) -> None:
    stages = (
        Stage("loading models", 1.2),
        Stage("dense", 0.011),
        Stage("second stage", 0.07),
        Stage("answer", 1.8),
    )
    words = stage_strip(replace(case.answer.trace, stages=stages, seconds=3.28)).replace("\u00a0", " ")
    assert words == "3.28 s: loading models 1.20, reranking 0.07, answer 1.80, other 0.21"
    whole, *parts = [float(number) for number in re.findall(r"\d+\.\d+", words)]
    assert sum(parts) == pytest.approx(whole, abs=0.01 * len(parts))


def test_stages_are_told_with_their_times(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    words = panel.route.stages.text().replace("\u00a0", " ")
    assert words == "57 ms: route 2, seeds 4, graph 12, answer 38"
    assert "31 steps" in panel.route.stages.toolTip()
    with qtbot.waitSignal(panel.trace_wanted):
        qtbot.mouseClick(panel.route.trace, LEFT)


def test_a_click_on_a_mark_selects_its_citation(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    view = panel.answer.sentences
    with qtbot.waitSignal(case.session.selection.changed):
        qtbot.mouseClick(view.viewport(), LEFT, pos=view.point_of(2).toPoint())
    citation = case.answer.citations[1]
    assert case.session.selection.current == Selected(
        "citation", citation.passage_id, citation.start, citation.end, citation.document_id
    )
    assert view.lit == 2


def test_hovering_a_mark_points_at_its_citation(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    view = panel.answer.sentences
    with qtbot.waitSignal(case.session.pointed_at) as news:
        hover(view.viewport(), view.point_of(1).toPoint())
    citation = case.answer.citations[0]
    assert news.args is not None
    assert (news.args[0].id, news.args[0].start) == (citation.passage_id, citation.start)
    with qtbot.waitSignal(case.session.pointed_at) as left:
        hover(view.viewport(), QPoint(1, 1))
    assert left.args == [None]


def test_tab_goes_from_mark_to_mark_and_enter_opens(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    view = panel.answer.sentences
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.focused_mark == 1
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert view.focused_mark == 3
    qtbot.keyClick(view, Qt.Key.Key_Return)
    current = case.session.selection.current
    assert current is not None
    assert current.id == case.answer.citations[2].passage_id
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert panel.answer.certainty.why.hasFocus(), "the last Tab leaves the sentences"
    qtbot.keyClick(panel.answer.certainty.why, Qt.Key.Key_Tab)
    assert panel.answer.sources[0].hasFocus()


def test_a_source_is_a_button(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    first = panel.answer.sources[0]
    assert first.accessibleName() == "Source 1: Letter of Oriel Nominees page 2"
    with qtbot.waitSignal(case.session.pointed_at) as news:
        first.enterEvent(QEnterEvent(QPointF(2, 2), QPointF(2, 2), QPointF(2, 2)))
    citation = case.answer.citations[0]
    assert news.args is not None
    assert (news.args[0].id, news.args[0].start) == (citation.passage_id, citation.start)
    assert panel.answer.sentences.lit == 1
    first.leaveEvent(QEvent(QEvent.Type.Leave))
    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Return)
    current = case.session.selection.current
    assert current is not None
    assert (current.kind, current.start) == ("citation", case.answer.citations[0].start)


def test_a_selection_elsewhere_fills_the_mark(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    citation = case.answer.citations[2]
    case.session.selection.select(
        Selected("citation", citation.passage_id, citation.start, citation.end, citation.document_id)
    )
    assert panel.answer.sentences.lit == 3
    case.session.selection.clear()
    assert panel.answer.sentences.lit == 0


def test_document_text_is_never_rich_text(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    nasty = "<b>Bold</b> &amp; <img src='file:///etc/passwd'>"
    cited = replace(case.answer.citations[0], quote=nasty, title="<i>Title</i>")
    case.workspace.written = replace(case.answer, text=nasty, sentences=(nasty + "!",), citations=(cited,))
    ask(panel, case, qtbot)
    assert nasty in panel.answer.sentences.toPlainText()
    assert panel.answer.short.text() == nasty
    assert panel.answer.short.textFormat() == Qt.TextFormat.PlainText
    assert "<i>" not in panel.answer.sources[0].toolTip()
    assert "<img" not in panel.answer.sources[0].toolTip()


def test_copy_gives_answer_and_citations_as_text(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    case.session.commands.bind(panel)
    panel.box.setFocus()
    qtbot.keyClick(
        panel.box, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(f"{QUESTION}\n\nTobias Renwick\n\n")
    assert f"{case.answer.sentences[1]} [2]" in copied
    assert "[1] Letter of Oriel Nominees, page 2 (letters/Nominee letter.pdf)" in copied


def test_marks_are_copied_as_numbers(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    panel.answer.sentences.selectAll()
    panel.answer.sentences.copy()
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines == [f"{sentence} [{at}]" for at, sentence in enumerate(case.answer.sentences, start=1)]


def test_abstention_says_what_is_missing_and_what_to_try(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    way = replace(case.answer.trace.route, name="dense")
    case.workspace.written = replace(
        case.answer,
        text="",
        sentences=(),
        citations=(),
        abstained=True,
        missing="No passage mentions Atlantis. Check the spelling.",
        trace=replace(case.answer.trace, route=way),
    )
    ask(panel, case, qtbot)
    assert panel.answer.no_answer.isVisible()
    assert panel.answer.no_answer.words.text() == "No passage mentions Atlantis. Check the spelling."
    assert not panel.answer.short.isVisible()
    assert not panel.answer.sentences.isVisible()
    assert panel.answer.sources == []
    with qtbot.waitSignal(case.session.answered):
        qtbot.mouseClick(panel.answer.no_answer.graph, LEFT)
    assert case.workspace.asked[-1] == (QUESTION, "graph")


def test_steps_stand_above_the_answer_and_are_gone_on_from(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    first = AnswerStep("Who is the master?", "Marek Zielak", 0.8, True, "Where was Marek Zielak born?", CITED)
    unsure = replace(first, text="Ann Lee", confidence=0.3, sure=False, following="Where was Ann Lee born?")
    panel.show_answer(replace(case.answer, steps=(first, unsure)))
    steps = panel.answer.steps
    assert steps.isVisible() and len(steps.rows) == 2
    assert "Unsure" in steps.rows[1].aside.text() and not steps.rows[0].aside.text()
    chosen: list[object] = []
    panel.answer.citation_chosen.connect(chosen.append)
    steps.rows[0].setFocus()
    qtbot.keyClick(steps.rows[0], Qt.Key.Key_Return)
    assert chosen == [CITED]
    qtbot.keyClick(steps.edits[1], Qt.Key.Key_Space)
    assert panel.box.question == "Where was Ann Lee born?"
    panel.show_answer(case.answer)
    assert not steps.isVisible()


def test_examples_are_asked_by_a_click(panel: AskPanel, case: Case, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    rows = [
        '{"question": "Easy?", "kind": "single-hop"}',
        "not json",
        '{"question": "Hard?", "kind": "multi-hop"}',
    ]
    file.write_text("\n".join(rows), encoding="utf-8")
    panel.examples.show_examples(read_examples(file, 6))
    assert [button.example.question for button in panel.examples.buttons] == ["Easy?", "Hard?"]
    with qtbot.waitSignal(case.session.answered):
        qtbot.mouseClick(panel.examples.buttons[1], LEFT)
    assert case.workspace.asked == [("Hard?", "auto")]


def test_a_closed_workspace_leaves_nothing_behind(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    case.session.close_workspace()
    assert panel.examples.isVisible()
    assert not panel.answer.isVisible()
    assert panel.box.question == ""


def test_no_answer_text_is_cut(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    ask(panel, case, qtbot)
    for width in (340, 420):
        panel.resize(width, 900)
        process_events()
        view = panel.answer.sentences
        assert view.height() >= view.document().size().height() - 1
        assert view.verticalScrollBar().maximum() == 0


def test_the_icons_follow_the_theme(panel: AskPanel, case: Case, qtbot: QtBot, qapp: QApplication) -> None:
    ask(panel, case, qtbot)
    light = panel.answer.certainty.bar.grab().toImage()
    theme.apply(qapp, "dark")
    assert panel.answer.certainty.bar.grab().toImage() != light
    assert panel.answer.short.text() == "Tobias Renwick"


def test_tab_goes_from_the_question_into_the_answer_before_other_panels(case: Case, qtbot: QtBot) -> None:
    both, panel, beside = QSplitter(), AskPanel(case.session), QLineEdit()
    both.addWidget(panel)
    both.addWidget(beside)
    qtbot.addWidget(both)
    both.resize(800, 900)
    both.show()
    both.activateWindow()
    qtbot.waitActive(both)
    for answer in (case.answer, replace(case.answer, guess=True)):
        case.session.answered.emit(answer)
        process_events()
        inside = [panel.answer.sentences, panel.answer.certainty.why, *panel.answer.sources]
        inside += panel.answer.passages.rows if answer.guess else []
        panel.writer.setFocus(Qt.FocusReason.TabFocusReason)
        for there in inside:
            while not there.hasFocus():
                before = QApplication.focusWidget()
                assert before is panel.writer or before in inside
                qtbot.keyClick(before, Qt.Key.Key_Tab)
