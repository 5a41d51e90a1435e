"""The dials of a ranking on a part of the sample, turned by hand and by key: ranking, heat, seeds, steps, keeping."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.explain.dials import GROUPS, LISTS, WALK
from app.explain.what_if import WhatIf
from app.session import operations
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from app.widgets.table import RECORD_ROLE
from core.answering.models import Models
from core.config import DIALS, Config, described
from core.types import Answer
from core.workspace import Workspace
from tests.app.one_window import ONE_WINDOW, bench_on

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.Key.Key_Right
QUESTION = "Where was Tobias Renwick arrested?"


preferences, session, window, calm = ONE_WINDOW
bench = bench_on("sample_path", nodes=20)


@pytest.fixture(scope="module")
def answered(bench: Workbench, session: Session, request: pytest.FixtureRequest) -> Answer:
    operations.ask(session, QUESTION)
    QtBot(request).waitUntil(lambda: session.answer is not None, timeout=60_000)
    assert session.answer is not None
    return session.answer


@pytest.fixture
def panel(bench: Workbench, session: Session, answered: Answer, window: MainWindow, qtbot: QtBot) -> WhatIf:
    """In front with the keyboard, with a question laid open and nothing tried."""
    session.commands.run("explain.what_if")
    panel = bench.explain.what_if
    qtbot.waitUntil(lambda: panel.live.baseline is not None and panel.live.now is not None, timeout=60_000)
    panel.take_back()
    settled(panel, qtbot)
    window.activateWindow()  # without a window manager nobody gives it the keyboard
    panel.entrance.setFocus()
    qtbot.waitUntil(panel.entrance.hasFocus)
    return panel


def settled(panel: WhatIf, qtbot: QtBot) -> None:
    """Ranked to the end, and drawn."""
    live = panel.live
    qtbot.waitUntil(
        lambda: live.now is not None and live.now.exact and not live._rest.isActive() and live._wanted is None
    )
    qtbot.waitUntil(lambda: not panel._draw.isActive() and not live._tasks.busy("rank"))


def shown(panel: WhatIf) -> list[str]:
    model = panel.table.model()
    return [model.index(at, 0).data(RECORD_ROLE).passage_id for at in range(model.rowCount())]


def evidence(answer: Answer | None) -> list[str]:
    assert answer is not None
    return [hit.passage_id for hit in answer.trace.hits]


def test_every_dial_is_a_setting_within_its_range() -> None:
    known = {item.name: item for item in described(Config())}
    dials = [dial for _, group in GROUPS for dial in group]
    assert {dial.name for dial in dials} | {"retrieval.second_stage"} == set(DIALS)
    for dial in dials:
        setting = known[dial.name]
        assert setting.least is not None and setting.most is not None
        assert setting.least <= dial.least < dial.most <= setting.most
        default = dial.value(Config())
        assert dial.at(dial.place(default)) == pytest.approx(default), "where it comes from can be set again"
        assert dial.tip and dial.format_value(default)
    assert (
        WALK[0].format_value(0.6) == "0.60"
        and LISTS[0].format_value(1.0) == "\u00d7 1.00"
        and WALK[4].format_value(3) == "3"
    )


def test_before_a_question_it_says_what_to_do(bench: Workbench, session: Session) -> None:
    session.commands.run("explain.what_if")
    panel = bench.explain.what_if
    assert panel.empty.isVisible()
    assert panel.live.baseline is None
    panel.take_back()  # keys may come at any time
    panel.set_standard()
    assert panel.live.now is None


def test_turning_a_dial_ranks_again_and_heats_the_graph(
    panel: WhatIf, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    answer = session.answer
    assert answer is not None
    assert shown(panel)[: len(evidence(answer))] == evidence(answer), (
        "as configured it is the answer's ranking"
    )
    assert bench.explain.question.text() == QUESTION
    assert not panel.back.isEnabled() and not panel.keep.isEnabled()
    before, heat = shown(panel), session.overlay.current.heat
    damping = panel.rows["retrieval.damping"]
    assert damping.slider.hasFocus(), "the keyboard enters at the first dial"
    for _ in range(25):
        QTest.keyClick(damping.slider, RIGHT)
    assert damping.value == pytest.approx(0.85) and damping.number.text() == "0.85"
    settled(panel, qtbot)
    qtbot.waitUntil(lambda: session.overlay.current.heat is not heat)
    assert session.overlay.current.title == "Relevance by these settings"
    assert panel.live.now is not None and session.overlay.current.heat == panel.live.now.heat
    assert bench.graph.canvas._controls.heat.title == "Relevance by these settings"
    assert shown(panel) != before
    model = panel.table.model()
    moved = [model.index(at, 0).data(RECORD_ROLE) for at in range(model.rowCount())]
    words_of_moves = [model.index(at, 1).data() for at in range(model.rowCount())]
    assert all(
        words in ("new", "=") or abs(row.before - row.rank) == int(words[2:])
        for row, words in zip(moved, words_of_moves, strict=True)
    )
    assert any(words.startswith("\u25b2") for words in words_of_moves)
    QTest.mouseDClick(damping.slider, LEFT)  # back to what is configured
    assert damping.value == 0.6
    settled(panel, qtbot)
    qtbot.waitUntil(lambda: session.overlay.current.heat == answer.trace.heat)
    assert shown(panel) == before


def test_lists_are_weighed_and_it_says_where_one_alone_counts(
    panel: WhatIf, session: Session, qtbot: QtBot
) -> None:
    assert panel.live.now is not None and panel.live.now.complexity is not None
    upper = panel.rows["routing.high"]
    if panel.live.now.complexity.weights["graph"] == 1.0:
        assert panel.counts.text().startswith("The graph alone counts")
    upper.slider.setValue(upper.slider.maximum())
    settled(panel, qtbot)
    assert panel.counts.text().startswith("For this question: words ")
    weights = dict(panel.live.now.complexity.weights)
    panel.rows["retrieval.lexical_weight"].slider.setValue(80)
    settled(panel, qtbot)
    assert panel.live.now.complexity is not None
    assert panel.live.now.complexity.weights["lexical"] > weights["lexical"]
    QTest.mouseClick(panel.back, LEFT)
    settled(panel, qtbot)
    assert not panel.live.tried and not panel.back.isEnabled()
    assert panel.live.now.hits == panel.live.baseline.ranking.hits  # type: ignore[union-attr]


def test_who_gave_how_much_and_the_heat_of_one_alone(
    panel: WhatIf, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    bench.resizeDocks([bench.docks["explain"]], [600], Qt.Orientation.Vertical)
    index = panel.table.model().index(1, 0)
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=panel.table.visualRect(index).center())
    chosen = session.selection.current
    assert chosen is not None and chosen.id == shown(panel)[1]
    qtbot.waitUntil(lambda: bool(panel.sources.bars))
    assert panel.isVisible(), "a passage chosen here leaves the dials in front"
    shares = [bar.source.share for bar in panel.sources.bars]
    assert shares == sorted(shares, reverse=True) and sum(shares) <= 1.0 + 1e-9
    whole = session.overlay.current.heat
    bar = next(bar for bar in panel.sources.bars if bar.source.entity_id)
    event = QEnterEvent(QPointF(4, 4), QPointF(4, 4), QPointF(4, 4))
    QApplication.sendEvent(bar, event)
    qtbot.waitUntil(lambda: session.overlay.current.title == "Relevance from this seed alone")
    alone = session.overlay.current.heat
    assert max(alone, key=lambda id: alone[id]) == bar.source.entity_id
    QApplication.sendEvent(bar, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: session.overlay.current.heat == whole)
    bar.setFocus()
    QTest.keyClick(bar, Qt.Key.Key_Space)  # keeps it
    assert panel.sources.pinned is bar
    qtbot.waitUntil(lambda: session.overlay.current.title == "Relevance from this seed alone")
    operations.select_entity(session, bar.source.entity_id)
    name = bar.source.name
    qtbot.waitUntil(lambda: name in panel.sources.words.text())


def test_the_steps_of_the_walk(panel: WhatIf, session: Session, qtbot: QtBot) -> None:
    steps = panel.diffusion
    qtbot.waitUntil(lambda: steps.slider.maximum() > 3)
    assert steps.at_end and steps.play.accessibleName().startswith("Play")
    steps.slider.setFocus()
    QTest.keyClick(steps.slider, Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: session.overlay.current.title == "Relevance after 0 steps")
    answer = session.answer
    assert answer is not None
    assert set(session.overlay.current.heat) == {seed.entity_id for seed in answer.trace.seeds}
    QTest.keyClick(steps.slider, RIGHT)
    qtbot.waitUntil(lambda: session.overlay.current.title == "Relevance after 1 step")
    steps._timer.setInterval(1)
    QTest.mouseClick(steps.play, LEFT)
    qtbot.waitUntil(lambda: steps.at_end)
    qtbot.waitUntil(lambda: session.overlay.current.heat == answer.trace.heat)
    assert not steps._timer.isActive()


def test_what_is_kept_is_the_workspace_s_and_can_be_undone(
    panel: WhatIf, session: Session, qtbot: QtBot, models: Models
) -> None:
    told: list[Message] = []
    session.message_posted.connect(told.append)
    workspace = session.workspace
    assert workspace is not None
    panel.rows["retrieval.damping"].slider.setFocus()
    for _ in range(10):
        QTest.keyClick(panel.rows["retrieval.damping"].slider, RIGHT)
    settled(panel, qtbot)
    hits = panel.live.now.hits if panel.live.now else ()
    QTest.mouseClick(panel.keep, LEFT)
    qtbot.waitUntil(lambda: bool(told))
    assert (
        told[-1].text == "This workspace ranks by these settings from now on." and told[-1].action == "Undo"
    )
    qtbot.waitUntil(lambda: panel.live.baseline is not None and not panel.live.tried, timeout=60_000)
    assert workspace.config.retrieval.damping == pytest.approx(0.7)
    assert panel.live.now is not None and panel.live.now.hits == hits
    with Workspace.open(workspace.path, read_only=True, models=models) as again:
        assert again.config.retrieval.damping == pytest.approx(0.7)
    assert told[-1].act is not None
    told[-1].act()
    qtbot.waitUntil(lambda: workspace.config.retrieval.damping == 0.6)
    qtbot.waitUntil(lambda: panel.rows["retrieval.damping"].value == 0.6, timeout=60_000)


def test_where_nothing_may_be_written_it_says_so(panel: WhatIf, session: Session, qtbot: QtBot) -> None:
    panel.rows["retrieval.damping"].slider.setValue(80)
    settled(panel, qtbot)
    session.set_written_by(
        "being indexed by process 4711"
    )  # last: a look at other writers takes it back in seconds
    assert not panel.keep.isEnabled() and "4711" in panel.keep.toolTip()
    session.set_written_by("")
    assert panel.keep.isEnabled()


def test_a_route_without_dials_says_so(panel: WhatIf, session: Session, qtbot: QtBot) -> None:
    before = session.answer
    operations.ask(session, QUESTION, route="lab:hierarchical")
    qtbot.waitUntil(lambda: session.answer is not before, timeout=60_000)
    refused = "A ranking by this route cannot be laid open."
    qtbot.waitUntil(lambda: panel.empty._headline.text() == refused)
    assert panel.empty.isVisible()
    assert "by words" in panel.empty._line.text()
    session.close_workspace()
    assert panel.empty._headline.text() == "Nothing to change yet"
