"""What was missed in the window: marked, led back to a stage, changes streaming in, kept and taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.explain.missed import Missed
from app.explain.panel import MISSED, ExplainPanel
from app.explain.strip import NAMES, STATES
from app.session import operations
from app.session.session import Message
from core.errors import BadInput
from core.progress import TaskContext
from core.types import (
    Answer,
    Miss,
    MissChange,
    MissMark,
    MissPins,
    MissStage,
    MissStep,
    MissTrial,
    NameChange,
    PassageRanks,
    StepState,
)
from tests.app.panel_case import QUESTION, Case, exposed

STEPS = (
    MissStep(MissStage.FILE, StepState.PASSED, "", "It was read."),
    MissStep(MissStage.NAMES, StepState.LOST, "0/1", "Nothing is called “Old Lady”."),
    MissStep(MissStage.READER, StepState.UNREACHED, "", "It was not read."),
)
POOL = MissChange("a larger pool", settings=("retrieval.pool=120",))
NAME = MissChange("a further name", names=NameChange("alias", ("e1",), "Old Lady"))
ROUTE = MissChange("force dense", route="dense")


class ScriptedMisses:
    """In the place of `workspace.misses`: what is found is written by hand."""

    def __init__(self, case: Case) -> None:
        self.case, self.marks, self.kept = case, list[MissMark](), list[tuple[str, ...]]()
        self.lost: MissStage | None = MissStage.NAMES
        self.fails = False

    def why(
        self, question: str, mark: MissMark, context: TaskContext, route: str = "auto", **_: object
    ) -> Miss:
        self.marks.append(mark)
        if self.fails:
            raise BadInput("That passage is gone.", "Select another.")
        answer: Answer = self.case.answer
        found = ("p", "letter.txt", "<b>We hold</b>", PassageRanks(joined=31), answer)
        return Miss(
            question, route, 5, "extractive", mark, self.lost, "No name was recognised.", STEPS, *found
        )

    def try_all(self, miss: Miss, context: TaskContext, tell: Callable[[MissTrial], None]) -> list[MissTrial]:
        found = []
        for change, outcome, rank in ((POOL, "nearer", 12), (NAME, "cited", 1), (ROUTE, "same", 31)):
            found.append(MissTrial(change, outcome, 31, rank, "told", miss.answer, 0.2))
            tell(found[-1])
        return found

    def effect_on_pins(self, change: MissChange, context: TaskContext) -> MissPins:
        return MissPins(3, ())

    def keep(self, change: MissChange) -> list[str]:
        self.kept.append(change.settings)
        return ["control.rounds=0"]


@pytest.fixture
def misses(case: Case) -> ScriptedMisses:
    case.workspace.misses = ScriptedMisses(case)  # type: ignore[assignment]
    return case.workspace.misses  # type: ignore[return-value]


@pytest.fixture
def panel(case: Case, misses: ScriptedMisses, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Missed:
    monkeypatch.setattr("app.explain.missed.warm", lambda *_: None)
    panel = exposed(ExplainPanel(case.session), qtbot, 900, 700)
    panel.turn_to(MISSED)
    return panel.missed


@pytest.fixture
def asked(panel: Missed, case: Case) -> Missed:
    case.session.answer = case.answer
    case.session.answered.emit(case.answer)
    return panel


@pytest.fixture
def found(asked: Missed, case: Case, qtbot: QtBot) -> Missed:
    operations.select_document(case.session, case.letter.id)
    case.session.commands.run("miss.mark")
    qtbot.waitUntil(lambda: asked.trials.model().rowCount() == 3 and not asked._tasks.busy("try"))
    return asked


def outcomes(panel: Missed) -> list[str]:
    model = panel.trials.model()
    return [model.index(row, 1).data() for row in range(model.rowCount())]


def test_it_says_what_to_do_first(panel: Missed, case: Case) -> None:
    mark = case.session.commands["miss.mark"]
    assert mark.why_not() == "Ask a question first."
    assert panel.empty.isVisible() and not panel.look.isVisible()
    case.session.answer = case.answer
    case.session.answered.emit(case.answer)
    assert mark.why_not() == "Select the passage or document that should have been found."
    operations.select_document(case.session, case.letter.id)
    assert mark.why_not() == ""
    case.session.close_workspace()
    assert mark.why_not() == "No workspace is open."


def test_the_stage_that_lost_it_is_in_front(found: Missed, case: Case, misses: ScriptedMisses) -> None:
    assert misses.marks == [MissMark(document=case.letter.id)]
    assert found.verdict.text() == "No name was recognised."
    assert found.strip.current == STEPS[1] and found.words.text() == STEPS[1].words
    assert outcomes(found) == ["↑ nearer", "▲ the answer rests on it", "= the same"]
    assert found.sums.text() == "3 changes tried, 1 would have kept it"


def test_stages_are_walked_by_keys_and_clicked(found: Missed, qtbot: QtBot) -> None:
    qtbot.keyClick(found.strip, Qt.Key.Key_Right)
    assert found.words.text() == STEPS[2].words
    qtbot.keyClick(found.strip, Qt.Key.Key_Home)
    assert found.words.text() == STEPS[0].words
    qtbot.mouseClick(found.strip, Qt.MouseButton.LeftButton, pos=found.strip.place(1).center())
    assert found.words.text() == STEPS[1].words


def test_every_stage_and_state_has_words() -> None:
    assert set(NAMES) == set(MissStage) and set(STATES) == set(StepState)


def test_words_and_a_path_are_typed(asked: Missed, misses: ScriptedMisses, qtbot: QtBot) -> None:
    assert asked._session.commands["miss.look"].why_not() != ""
    qtbot.keyClicks(asked.quote, "We hold the shares")
    qtbot.keyClicks(asked.document, "letter.txt")
    qtbot.keyClick(asked.document, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: asked.trials.model().rowCount() == 3)
    assert misses.marks == [MissMark(document="letter.txt", quote="We hold the shares")]


def test_marked_words_of_the_reader(asked: Missed, case: Case, misses: ScriptedMisses, qtbot: QtBot) -> None:
    mark = MissMark(document=case.letter.id, start=3, end=9)
    case.session.miss_wanted.emit(mark)
    qtbot.waitUntil(lambda: misses.marks == [mark])


def test_a_change_is_kept_and_taken_back(
    found: Missed, case: Case, misses: ScriptedMisses, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[tuple[list[str], bool]] = []
    monkeypatch.setattr(
        case.workspace, "keep_settings", lambda lines, instead=False: taken.append((lines, instead)) or []
    )
    told: list[Message] = []
    case.session.message_posted.connect(told.append)
    assert not found.keep_button.isEnabled()
    found.trials.selectRow(0)
    assert found.keep_button.isEnabled() and not found.ask_button.isEnabled()
    qtbot.mouseClick(found.keep_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(told))
    assert misses.kept == [POOL.settings] and told[0].act is not None
    told[0].act()
    qtbot.waitUntil(lambda: taken == [(["control.rounds=0"], True)])


def test_a_name_is_looked_at_before_it_is_given(found: Missed, case: Case, qtbot: QtBot) -> None:
    found.trials.selectRow(1)
    with qtbot.waitSignal(case.session.name_change_wanted) as wanted:
        qtbot.mouseClick(found.keep_button, Qt.MouseButton.LeftButton)
    assert wanted.args == [NAME.names]


def test_another_way_is_asked_and_not_kept(found: Missed, case: Case, qtbot: QtBot) -> None:
    found.trials.selectRow(2)
    assert not found.keep_button.isEnabled()
    with qtbot.waitSignal(case.session.answered):
        qtbot.mouseClick(found.ask_button, Qt.MouseButton.LeftButton)
    assert case.workspace.asked[-1] == (QUESTION, "dense")


def test_what_it_does_to_the_pins(found: Missed, qtbot: QtBot) -> None:
    found.trials.selectRow(0)
    qtbot.mouseClick(found.pins_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: found.effect.text() == "Of 3 pinned questions: 3 the same.")


def test_nothing_was_missed(asked: Missed, case: Case, misses: ScriptedMisses, qtbot: QtBot) -> None:
    misses.lost = None
    case.session.miss_wanted.emit(MissMark(passage_id="p"))
    qtbot.waitUntil(lambda: asked.verdict.isVisible())
    assert not asked.trials.isVisible()


def test_a_failure_is_told_and_another_question_clears(
    found: Missed, case: Case, misses: ScriptedMisses, qtbot: QtBot
) -> None:
    misses.fails = True
    with qtbot.waitSignal(case.session.message_posted) as told:
        case.session.miss_wanted.emit(MissMark(passage_id="gone"))
    assert told.args[0].remedy == "Select another."
    misses.fails = False
    trace = replace(case.answer.trace, question="Another?")
    case.session.answer = replace(case.answer, trace=trace)
    case.session.answered.emit(case.session.answer)
    assert found._hint.isVisible() and not found.verdict.isVisible()
