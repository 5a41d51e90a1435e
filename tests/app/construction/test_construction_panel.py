"""The construction is told by real clicks and keys: list, graph and passage follow the time line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.construction.arcs import Arcs, levels
from app.construction.events import EVENT_ROLE, WINDOW
from app.construction.panel import ConstructionPanel
from app.construction.player import SPEEDS
from app.construction.words import event_words, order_words, why_words
from app.look import theme
from app.session import operations
from app.session.overlay import Overlay
from app.session.session import Session
from app.widgets.copying import Form, copy
from core.types import Event
from core.workspace import Workspace
from tests.app.conftest import open_now
from tests.app.panel_case import exposed
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton
Key = Qt.Key


@pytest.fixture
def panel(open_session: Session, qtbot: QtBot) -> Iterator[ConstructionPanel]:
    """In front, with the events read."""
    made = exposed(ConstructionPanel(open_session), qtbot, 900, 500)
    open_now(open_session)
    made.set_in_front(True)
    qtbot.waitUntil(lambda: made.events is not None)
    yield made


def overlay(panel: ConstructionPanel) -> Overlay:
    return panel._session.overlay.current


def number(panel: ConstructionPanel, kind: Event, nth: int = 0) -> int:
    assert panel.events is not None
    return int(panel.events.places[kind][nth])


def click(panel: ConstructionPanel, at: int, qtbot: QtBot) -> None:
    """The event of this number, which is in view once the time line stands there."""
    panel.player.go(at + 1)
    process_events()
    index = panel.list.rows.index(panel.list.rows.row_of(at), 0)
    assert index.data(EVENT_ROLE) == at
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=panel.list.visualRect(index).center())


def test_at_first_all_is_there_and_the_graph_is_whole(panel: ConstructionPanel) -> None:
    assert panel.events is not None and panel.slider.value() == len(panel.events) == panel.slider.maximum()
    assert overlay(panel).present is None
    assert not panel.whole.isEnabled()
    assert f"{panel._session.workspace.counts().facts} facts" in panel.built.text()  # type: ignore[union-attr]
    assert "not kept" in order_words(panel.events)


def test_the_slider_tells_less_by_keys_and_the_graph_draws_that(
    panel: ConstructionPanel, qtbot: QtBot
) -> None:
    events = panel.events
    assert events is not None
    panel.slider.setFocus()
    qtbot.keyClick(panel.slider, Key.Key_Home)
    present = overlay(panel).present
    assert present is not None and (present.entities, present.links) == (0, 0)
    assert panel.moment.text() == "Before the first passage"
    for _ in range(3):
        qtbot.keyClick(panel.slider, Key.Key_Right)
    present = overlay(panel).present
    assert present is not None and present.entities == events.built(3).names == 2
    assert present.entities_before == 0, "what the passage brought is new"
    assert panel.list.currentIndex().data(EVENT_ROLE) == 2
    qtbot.keyClick(panel.slider, Key.Key_End)
    assert overlay(panel).present is None


def test_passage_by_passage_forth_and_back(panel: ConstructionPanel, qtbot: QtBot) -> None:
    events = panel.events
    assert events is not None
    panel.player.go(0)
    qtbot.mouseClick(panel.forward, LEFT)
    qtbot.mouseClick(panel.forward, LEFT)
    assert events.built(panel.player.upto).passages == 2
    assert panel.player.upto == number(panel, Event.PASSAGE, 2)
    qtbot.mouseClick(panel.back, LEFT)
    assert panel.player.upto == number(panel, Event.PASSAGE, 1)
    present = overlay(panel).present
    assert present is not None and present.entities == events.built(panel.player.upto).names


@pytest.mark.parametrize("calm", [False, True])
def test_it_plays_to_the_end_and_stops_there(panel: ConstructionPanel, qtbot: QtBot, calm: bool) -> None:
    theme.set_motion(not calm)
    panel.speed.setCurrentIndex(2)
    panel.speed.activated.emit(2)
    assert panel.player.speed is SPEEDS[2]
    seen: list[int] = []
    panel.player.moved.connect(seen.append)
    qtbot.mouseClick(panel.play, LEFT)
    assert panel.player.playing and seen == [0]
    qtbot.waitUntil(lambda: not panel.player.playing)
    assert panel.events is not None and seen[-1] == len(panel.events) and seen == sorted(seen)
    assert overlay(panel).present is None


def test_a_pause_stays_where_it_is(panel: ConstructionPanel, qtbot: QtBot) -> None:
    panel.player.go(4)
    qtbot.mouseClick(panel.play, LEFT)
    qtbot.mouseClick(panel.play, LEFT)
    assert not panel.player.playing and panel.player.upto == 4


def test_a_click_on_a_fact_opens_its_sentence_and_its_passage(panel: ConstructionPanel, qtbot: QtBot) -> None:
    events, session = panel.events, panel._session
    assert events is not None
    at = number(panel, Event.FACT)
    words = event_words(events, at)
    assert words.count(", ") == 2
    click(panel, at, qtbot)
    qtbot.waitUntil(lambda: session.selection.current is not None)
    chosen = session.selection.current
    assert chosen is not None and chosen.kind == "citation" and chosen.has_place
    qtbot.waitUntil(lambda: panel.anatomy.anatomy is not None and not panel.anatomy._waiting)
    anatomy = panel.anatomy.anatomy
    assert (
        anatomy is not None and anatomy.passage.id == events.passage_ids[events.passage_of(at)] == chosen.id
    )
    shown = [outcome.words for card in panel.anatomy.cards for outcome in card.parts.outcomes]
    assert words in shown
    wait_until_landed(session.tasks)
    opened = [card for card in panel.anatomy.cards if card.fold.isChecked()]
    assert len(opened) == 1 and opened[0].findChild(Arcs) is not None


def test_enter_on_a_name_selects_its_entity(panel: ConstructionPanel, qtbot: QtBot) -> None:
    events = panel.events
    assert events is not None
    at = number(panel, Event.NAME, 2)
    panel.player.go(at)
    panel.list.setFocus()
    qtbot.keyClick(panel.list, Key.Key_Down)
    assert panel.player.upto == at + 1, "the arrows scrub"
    qtbot.keyClick(panel.list, Key.Key_Return)
    chosen = panel._session.selection.current
    assert chosen is not None and (chosen.kind, chosen.id) == (
        "entity",
        events.name_ids[int(events.heads[2])],
    )


def test_esc_and_leaving_the_panel_bring_the_whole_graph_back(panel: ConstructionPanel, qtbot: QtBot) -> None:
    panel.player.go(5)
    assert overlay(panel).present is not None
    panel.set_in_front(False)
    assert overlay(panel).present is None
    panel.set_in_front(True)
    assert overlay(panel).present is not None, "it goes on where it stood"
    panel.list.setFocus()
    qtbot.keyClick(panel.list, Key.Key_Escape)
    assert overlay(panel).present is None and panel.events is not None
    assert panel.player.upto == len(panel.events)
    panel.player.go(5)
    qtbot.mouseClick(panel.whole, LEFT)
    assert overlay(panel).present is None
    panel.player.go(5)
    panel._session.asking.emit("Who?")
    assert overlay(panel).present is None, "an answer is seen on all of the graph"


def test_the_anatomy_is_copied_and_says_why(panel: ConstructionPanel, qtbot: QtBot) -> None:
    events = panel.events
    assert events is not None
    click(panel, number(panel, Event.PASSAGE), qtbot)
    qtbot.waitUntil(lambda: panel.anatomy.anatomy is not None and not panel.anatomy._waiting)
    qtbot.mouseClick(panel.anatomy.copy_button, LEFT)
    told = json.loads(QGuiApplication.clipboard().text())
    assert told["passage"]["id"] == events.passage_ids[0] and told["sentences"][0]["tokens"]
    card = panel.anatomy.cards[0]
    assert card.outcomes is not None
    assert copy(card.outcomes, Form.TEXT)
    assert card.parts.outcomes[0].words in QGuiApplication.clipboard().text()
    card.fold.setChecked(True)
    drawn = card.findChild(Arcs)
    assert drawn is not None
    drawn.setFocus()
    QTest.keySequence(drawn, "Ctrl+C")
    assert "nsubj" in QGuiApplication.clipboard().text()


def test_a_fact_of_the_anatomy_opens_its_sentence(panel: ConstructionPanel, qtbot: QtBot) -> None:
    click(panel, number(panel, Event.PASSAGE), qtbot)
    qtbot.waitUntil(lambda: panel.anatomy.anatomy is not None and not panel.anatomy._waiting)
    wait_until_landed(panel._session.tasks)
    card = next(card for card in panel.anatomy.cards if card.outcomes is not None)
    assert card.outcomes is not None
    outcome = card.parts.outcomes[0]
    spot = card.outcomes.visualRect(card.outcomes.model().index(0, 0)).center()
    panel._session.selection.clear()
    qtbot.mouseClick(card.outcomes.viewport(), LEFT, pos=QPoint(20, spot.y()))
    qtbot.waitUntil(lambda: panel._session.selection.current is not None)
    chosen = panel._session.selection.current
    assert chosen is not None and panel.anatomy.anatomy is not None
    first = panel.anatomy.anatomy.passage.start
    assert (chosen.start, chosen.end) == (first + outcome.start, first + outcome.end)


def test_a_passage_that_is_gone_is_told_with_a_remedy(panel: ConstructionPanel, qtbot: QtBot) -> None:
    panel.anatomy.show_passage("gone")
    qtbot.waitUntil(lambda: "no longer" in panel.anatomy.empty._headline.text())
    assert panel.anatomy.empty._line.text()


def test_an_empty_workspace_says_what_to_do(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    panel = exposed(ConstructionPanel(session), qtbot, 700, 400)
    panel.set_in_front(True)
    session.set_workspace(Workspace.open(tmp_path / "empty", create=True))
    qtbot.waitUntil(lambda: panel.events is not None)
    assert panel._stack.currentWidget() is panel.empty
    assert session.commands["construction.play"].why_not()
    panel.player.play()
    assert not panel.player.playing


def test_closing_forgets_and_a_change_is_told_again(panel: ConstructionPanel, qtbot: QtBot) -> None:
    session, before = panel._session, panel.events
    assert session.workspace is not None
    Workspace.trust(session.workspace.path)
    panel.player.go(6)
    session.changes.from_elsewhere()
    qtbot.waitUntil(lambda: panel.events is not before)
    assert panel.player.upto == 6, "it stays where it stood"
    operations.close_workspace(session)
    assert panel.events is None and panel.slider.value() >= 0
    assert panel._stack.currentWidget() is panel.empty
    assert overlay(panel).present is None


def test_every_event_has_words(panel: ConstructionPanel) -> None:
    events = panel.events
    assert events is not None
    assert all(event_words(events, at) for at in range(len(events)))
    assert why_words(events, 0) == "passage 1"
    assert panel.list.rows.rowCount() == min(WINDOW, len(events))


def test_arcs_lie_above_those_within_them() -> None:
    # Anna <- bought -> ship -> the: the longer arc is the higher one.
    assert levels([1, 1, 3, 1]) == [1, 0, 1, 2]
    assert levels([]) == []
