"""Stages laid open, beside the list or in their row; traces kept, opened and compared."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.answers.wording import percent
from app.explain.comparison import changes_words
from app.explain.details import sections_of
from app.explain.files import file_name, opened_words
from app.explain.panel import RANKS, ExplainPanel
from app.explain.stage_detail import TokenLine
from app.session.selection import Selected
from app.session.session import Message
from app.widgets.table import RECORD_ROLE, TraceTable
from core.retrieval.traces import to_json
from core.types import Answer, SavedTrace, Stage, StageData
from core.types.stages import Joined, JoinedPassage, QuestionRead, Reading, Word
from tests.app.panel_case import QUESTION, Case
from tests.core.retrieval.traces.test_trace_files import EVERY_KIND
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton
KINDS = [data.kind for data in EVERY_KIND]
WIDE, NARROW = 1200, 420


def of_passages(case: Case, data: StageData) -> StageData:
    """With the ids of passages that are there."""
    text = json.dumps([hit.passage_id for hit in case.answer.trace.hits[:2]])
    known = dict(zip(("p1", "p2"), json.loads(text), strict=True))
    if isinstance(data, Reading):
        data = replace(data, answers=tuple(replace(row, passage_ids=(known["p1"],)) for row in data.answers))
    for name in ("hits", "passages", "sentences", "statements", "pieces"):
        if rows := getattr(data, name, ()):
            moved = tuple(replace(row, passage_id=known[row.passage_id]) for row in rows)
            data = replace(data, **{name: moved})  # type: ignore[arg-type]
    return data


@pytest.fixture
def answer(case: Case) -> Answer:
    stages = tuple(Stage(data.kind, 0.01, "in a sentence", of_passages(case, data)) for data in EVERY_KIND)
    stages = (Stage("preparing", 0.1, "no table"), *stages)
    return replace(case.answer, trace=replace(case.answer.trace, stages=stages))


@pytest.fixture(params=[WIDE, NARROW])
def panel(case: Case, answer: Answer, qtbot: QtBot, request: pytest.FixtureRequest) -> ExplainPanel:
    widget = ExplainPanel(case.session)
    widget.live.open_question = lambda _: None  # type: ignore[method-assign]
    qtbot.addWidget(widget)
    widget.resize(request.param, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()
    case.session.answered.emit(answer)
    wait_until_landed(case.session.tasks)
    return widget


def press_row(panel: ExplainPanel, row: int, qtbot: QtBot) -> None:
    box = panel.timeline.stages.visualRect(panel.timeline.stages.model().index(row, 0))
    qtbot.mouseClick(panel.timeline.stages.viewport(), LEFT, pos=box.topLeft() + QPoint(20, 10))
    process_events()


def open_kind(panel: ExplainPanel, kind: str) -> list[TraceTable]:
    panel.timeline.open_stage(1 + KINDS.index(kind))
    process_events()
    return [section.table for section in panel.timeline.detail.sections]


def cells(table: TraceTable, column: int) -> list[str]:
    return [table.model().index(row, column).data() for row in range(table.model().rowCount())]


def test_a_press_opens_a_stage_and_another_closes_it(panel: ExplainPanel, qtbot: QtBot) -> None:
    assert not panel.timeline.detail.isVisible()
    press_row(panel, 4, qtbot)
    assert panel.timeline.detail.isVisible() and panel.timeline.detail.stage == panel.subject.trace.stages[4]
    assert panel.timeline.stages.open_at == 4
    press_row(panel, 2, qtbot)
    assert panel.timeline.detail.stage == panel.subject.trace.stages[2]
    press_row(panel, 2, qtbot)
    assert not panel.timeline.detail.isVisible() and panel.timeline.stages.open_at == -1


def test_beside_the_list_where_there_is_room_else_in_the_row(panel: ExplainPanel, qtbot: QtBot) -> None:
    press_row(panel, 4, qtbot)
    box = panel.timeline.stages.visualRect(panel.timeline.stages.model().index(4, 0))
    detail, place = panel.timeline.detail, panel.timeline.detail.mapTo(panel, QPoint(0, 0))
    row = panel.timeline.stages.viewport().mapTo(panel, box.topLeft())
    if panel.width() == WIDE:
        assert place.x() > panel.timeline.stages.mapTo(panel, panel.timeline.stages.rect().topRight()).x()
        assert abs(place.y() - row.y()) < 30, "it stands where its row stands"
        return
    assert panel.timeline.stages.isAncestorOf(detail)
    inside = box.contains(detail.geometry())
    assert inside, "the row is as tall as what is laid open in it"
    under = panel.timeline.stages.visualRect(panel.timeline.stages.model().index(5, 0))
    assert under.top() > detail.geometry().bottom(), "the next stage comes below"
    for section in detail.sections:
        table = section.table
        assert table.mapTo(panel, table.rect().topRight()).x() <= panel.width()
    panel.resize(WIDE, 700)
    process_events()
    assert not panel.timeline.stages.isAncestorOf(detail) and detail.isVisible()


def test_by_keyboard_alone(panel: ExplainPanel, case: Case, qtbot: QtBot) -> None:
    panel.timeline.stages.setFocus()
    panel.timeline.stages.setCurrentIndex(panel.timeline.stages.model().index(4, 0))
    qtbot.keyClick(panel.timeline.stages, Qt.Key.Key_Return)
    assert panel.timeline.stages.open_at == 4
    qtbot.keyClick(panel.timeline.stages, Qt.Key.Key_Down)
    assert panel.timeline.stages.open_at == 5, "what is open follows the arrows"
    qtbot.keyClick(panel.timeline.stages, Qt.Key.Key_Right)
    table = panel.timeline.detail.sections[0].table
    assert QApplication.focusWidget() is table
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    current = case.session.selection.current
    assert current is not None and current.kind == "passage"
    qtbot.keyClick(table, Qt.Key.Key_Escape)
    assert not panel.timeline.detail.isVisible() and QApplication.focusWidget() is panel.timeline.stages
    qtbot.keyClick(panel.timeline.stages, Qt.Key.Key_Right)
    qtbot.keyClick(panel.timeline.stages, Qt.Key.Key_Left)
    assert panel.timeline.stages.open_at == -1


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_a_distilled_piece_leads_to_its_sentence(panel: ExplainPanel, case: Case, qtbot: QtBot) -> None:
    (table,) = open_kind(panel, "integration")
    assert (
        panel.timeline.detail.sections[0].note.text() == f"4 of 40 tokens gathered are read ({percent(0.1)})"
    )
    index = table.model().index(0, 1)
    with qtbot.waitSignal(case.session.selection.changed):
        qtbot.mouseDClick(table.viewport(), LEFT, pos=table.visualRect(index).center())
        qtbot.keyClick(table, Qt.Key.Key_Return)
    wait_until_landed(case.session.tasks)
    current, workspace = case.session.selection.current, case.session.workspace
    assert current is not None and current.kind == "citation" and workspace is not None
    passage = workspace.passages.get(case.answer.trace.hits[0].passage_id)
    assert (current.id, current.start, current.end) == (passage.id, passage.start, passage.start + 9)


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_every_kind_of_record_has_tables(panel: ExplainPanel) -> None:
    rows = {}
    for kind, data in zip(KINDS, EVERY_KIND, strict=True):
        tables = open_kind(panel, kind)
        rows[kind] = [table.model().rowCount() for table in tables]
        assert rows[kind] == [len(section.records) for section in sections_of(data, {})]
        texts = [
            cell for table in tables for at in range(table.model().columnCount()) for cell in cells(table, at)
        ]
        assert None not in texts and "p1" not in " ".join(texts).split(), (
            "passages are called by their titles"
        )
        for table in tables:
            for at in range(table.model().columnCount()):
                table.model().sort(at)
    assert all(counts and min(counts) for counts in rows.values())


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_counts_stand_on_the_rows(panel: ExplainPanel) -> None:
    rows = [panel.timeline.stages.model().index(at, 0).data(RECORD_ROLE) for at in range(1 + len(KINDS))]
    said = dict(zip(["preparing", *KINDS], (row.counted for row in rows), strict=True))
    assert said["ranked"] == "2 of 9 taken" and said["reordered"] == "1 of 4 moved"
    assert said["checks"] == "1 of 1 hold" and said["preparing"] == said["gate"] == ""
    heard = (
        panel.timeline.stages.model()
        .index(1 + KINDS.index("ranked"), 0)
        .data(Qt.ItemDataRole.AccessibleTextRole)
    )
    assert heard == "Ranked; 10 ms; in a sentence; 2 of 9 taken"


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_a_stage_that_recorded_nothing_says_so(panel: ExplainPanel) -> None:
    panel.timeline.open_stage(0)
    assert panel.timeline.detail.isVisible() and not panel.timeline.detail.sections


def test_words_with_lemma_and_part_of_speech(panel: ExplainPanel) -> None:
    open_kind(panel, "question")
    (line,) = panel.timeline.detail.findChildren(TokenLine)
    assert line.accessibleDescription() == "Pärnu: pärnu, name, part of a name"
    words = tuple(Word(f"word{at}", f"word{at}", "NOUN") for at in range(60))
    long = TokenLine(words, panel)
    boxes = [box for _, box in long.boxes(400)]
    assert max(box.right() for box in boxes) < 400 and len({box.top() for box in boxes}) > 5
    assert long.heightForWidth(400) == boxes[-1].bottom() + 1
    assert not any(one.intersects(other) for at, one in enumerate(boxes) for other in boxes[:at])


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_rejected_seeds_lead_nowhere_and_taken_ones_to_their_entity(panel: ExplainPanel, case: Case) -> None:
    (candidates, _) = open_kind(panel, "seeds")
    assert cells(candidates, 3) == ["", "no entity"]
    candidates.chosen.emit(candidates.model().index(1, 0).data(RECORD_ROLE))
    assert case.session.selection.current is None
    candidates.chosen.emit(candidates.model().index(0, 0).data(RECORD_ROLE))
    assert case.session.selection.current == Selected("entity", "e1")


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_ranks_before_and_after_joining_with_the_way_between(case: Case, panel: ExplainPanel) -> None:
    ids = [hit.passage_id for hit in case.answer.trace.hits]
    rows = tuple(
        JoinedPassage(id, ranks, 0.5, at)
        for at, (id, ranks) in enumerate(
            zip(ids, ({"graph": 9}, {"graph": 1}, {"lexical": 2}), strict=False), 1
        )
    )
    stage = Stage("join", 0.1, "", Joined({"lexical": 0.2, "graph": 0.8}, rows, 3, 3))
    trace = replace(case.answer.trace, stages=(stage,))
    case.session.answered.emit(replace(case.answer, trace=trace))
    panel.timeline.open_stage(0)
    (table,) = (section.table for section in panel.timeline.detail.sections)
    assert cells(table, 1) == ["▲ 8", "▼ 1", "new"]
    assert cells(table, 2) == ["–", "–", "2"] and cells(table, 3) == ["9", "1", "–"]
    table.sortByColumn(3, Qt.SortOrder.AscendingOrder)
    assert cells(table, 3) == ["1", "9", "–"], "what has no rank comes last"


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_signals_follow_the_row(panel: ExplainPanel) -> None:
    (table,) = open_kind(panel, "reordered")
    table.setCurrentIndex(table.model().index(0, 0))
    assert panel.timeline.detail.sections[0].table is table
    assert cells(panel.timeline.detail.sections[1].table, 0) == ["Nearness in meaning"]
    assert cells(panel.timeline.detail.sections[1].table, 1) == ["0.300"]


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_the_filter_holds_for_the_stage_too(panel: ExplainPanel, qtbot: QtBot) -> None:
    (table, _) = open_kind(panel, "seeds")
    qtbot.keyClicks(panel.filter, "no entity")
    assert cells(table, 0) == ["X"]
    (table, *_) = open_kind(panel, "ranked")
    assert cells(table, 0) == []


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_the_stage_stays_open_for_the_next_answer(panel: ExplainPanel, case: Case, answer: Answer) -> None:
    open_kind(panel, "reading")
    case.session.answered.emit(answer)
    assert panel.timeline.detail.isVisible() and panel.timeline.detail.stage.name == "reading"
    case.session.answered.emit(case.answer)
    assert not panel.timeline.detail.isVisible(), "that answer had no such stage"
    case.session.answered.emit(answer)
    assert panel.timeline.detail.isVisible()
    panel.set_in_front(False)
    shown = panel.timeline.detail.stage
    case.session.answered.emit(replace(answer, trace=replace(answer.trace, stages=answer.trace.stages[:3])))
    assert panel.timeline.detail.stage is shown, "nothing is built while another panel is in front"


# ---------------------------------------------------------------- files


def told_by(case: Case) -> list[Message]:
    told: list[Message] = []
    case.session.message_posted.connect(told.append)
    return told


def test_kept_opened_and_left_again(panel: ExplainPanel, case: Case, tmp_path: Path, qtbot: QtBot) -> None:
    told = told_by(case)
    panel.files.save(panel.subject, tmp_path / "kept.json")
    wait_until_landed(case.session.tasks)
    assert told[-1].level == "success" and "kept.json" in told[-1].text
    case.session.answered.emit(replace(case.answer, trace=replace(case.answer.trace, question="Who was it?")))
    panel.files.open(tmp_path / "kept.json")
    wait_until_landed(case.session.tasks)
    assert panel.question.text() == QUESTION and panel.banner.isVisible()
    assert "Opened from kept.json, kept on" in panel.source.text()
    open_kind(panel, "joined")
    assert panel.timeline.detail.isVisible()
    qtbot.mouseClick(panel.back_button, LEFT)
    assert panel.question.text() == "Who was it?" and not panel.banner.isVisible()


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_a_file_that_is_no_trace_changes_nothing(panel: ExplainPanel, case: Case, tmp_path: Path) -> None:
    failed: list[str] = []
    case.session.tasks.failed.connect(lambda error: failed.append(str(error)))
    (tmp_path / "broken.json").write_text('{"question": 1}')
    for act in (panel.files.open, panel.compare_file):
        act(tmp_path / "broken.json")
        wait_until_landed(case.session.tasks)
        assert "no trace that can be opened" in failed.pop()
        assert panel.question.text() == QUESTION and not panel.banner.isVisible()


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_what_is_gone_by_now_is_told(panel: ExplainPanel, case: Case, answer: Answer, tmp_path: Path) -> None:
    failed: list[str] = []
    case.session.tasks.failed.connect(lambda error: failed.append(str(error)))
    gone = tuple(replace(hit, passage_id="0" * 16) for hit in answer.trace.hits)
    (tmp_path / "old.json").write_text(to_json(SavedTrace(replace(answer.trace, hits=gone))))
    panel.files.open(tmp_path / "old.json")
    wait_until_landed(case.session.tasks)
    panel.turn_to(RANKS)
    panel.ranks.hits.chosen.emit(panel.ranks.hits.model().index(0, 0).data(RECORD_ROLE))
    wait_until_landed(case.session.tasks)
    assert failed == ["This passage is no longer in the workspace. Ask again."]
    panel.ranks.seeds.chosen.emit(panel.ranks.seeds.model().index(0, 0).data(RECORD_ROLE))
    wait_until_landed(case.session.tasks)
    current = case.session.selection.current
    assert current is not None and current.kind == "entity", "what is still there is led to"


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_compared_with_the_answer_before_and_with_a_file(
    panel: ExplainPanel, case: Case, answer: Answer, tmp_path: Path, qtbot: QtBot
) -> None:
    assert case.session.commands["trace.before"].why_not() == "There is no answer before this one."
    panel.files.save(panel.subject, tmp_path / "first.json")
    wait_until_landed(case.session.tasks)
    seeds = answer.trace.seeds[:1]
    other = replace(
        answer, text="Nobody", trace=replace(answer.trace, seeds=seeds, hits=answer.trace.hits[:3])
    )
    case.session.answered.emit(other)
    assert not case.session.commands["trace.before"].why_not()
    for act in (panel.compare_before, lambda: panel.compare_file(tmp_path / "first.json")):
        act()
        wait_until_landed(case.session.tasks)
        assert panel.sides.comparison.isVisible()
        answers, passages, stages, lost = (section.table for section in panel.sides.comparison.sections)
        assert cells(answers, 1)[0] == "Tobias Renwick" and cells(answers, 2)[0] == "Nobody"
        assert cells(lost, 3) == ["", "lost"]
        assert set(cells(stages, 4)) == {"the same"}
        assert passages.model().rowCount() == 1, "the list that was joined last has one"
        qtbot.keyClick(answers, Qt.Key.Key_Escape)
        assert not panel.sides.comparison.isVisible() and panel.timeline.stages.isVisible()


@pytest.mark.parametrize("panel", [WIDE], indirect=True)
def test_two_that_are_the_same_differ_in_nothing(panel: ExplainPanel, case: Case, answer: Answer) -> None:
    assert case.session.workspace is not None
    kept = case.session.workspace.traces.of(answer)
    assert (
        changes_words(case.session.workspace.traces.compare(kept, kept)) == "Nothing differs but the times."
    )


def test_files_are_called_after_their_question() -> None:
    assert file_name('Who "owned" the ship / 2?') == "Who owned the ship 2.json"
    assert file_name("???") == "trace.json"
    assert len(file_name("x" * 500)) < 80


def test_where_a_trace_came_from(case: Case) -> None:
    kept = SavedTrace(case.answer.trace, created="2026-05-03T10:00:00+00:00", version=2)
    assert opened_words(kept, Path("a.json")) == "Opened from a.json, kept on 3 May 2026."
    assert "nobody knows when" in opened_words(replace(kept, created="soon"), Path("a.json"))
    assert "older Clew" in opened_words(replace(kept, version=1), Path("a.json"))
    assert "not shown: mood." in opened_words(replace(kept, ignored=("mood",)), Path("a.json"))


def test_nothing_asked_yet_leads_to_what_was_kept(case: Case, qtbot: QtBot, tmp_path: Path) -> None:
    panel = ExplainPanel(case.session)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    assert panel.timeline.empty.isVisible()
    assert case.session.commands["trace.save"].why_not() == "Ask a question first, or open a trace."
    hostile = QuestionRead((Word("\u202e<b>x</b>", "", "NOPE"),), (), "?", "", ())
    trace = replace(case.answer.trace, stages=(Stage("route", 0.1, "", hostile),))
    (tmp_path / "a.json").write_text(to_json(SavedTrace(trace)))
    panel.files.open(tmp_path / "a.json")
    wait_until_landed(case.session.tasks)
    panel.timeline.open_stage(0)
    (line,) = panel.timeline.detail.findChildren(TokenLine)
    assert "\u202e" not in line.accessibleDescription()
    panel.grab()
    panel.go_back()
    assert panel.timeline.empty.isVisible()
