"""A person sees the way to a passage, turns the dials, and takes a passage apart: by clicks and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.anatomy.arcs import Arcs
from app.anatomy.panel import AnatomyPanel
from app.evidence.card import EvidenceCard
from app.session import operations
from app.session.session import Session
from app.shell.workbench import Workbench
from app.widgets.table import RECORD_ROLE
from core.types import Answer
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures
from tests.waiting import wait_until_landed

pytestmark = pytest.mark.long
LEFT = Qt.MouseButton.LeftButton
ARREST = "Where was Tobias Renwick arrested?"  # the graph is asked for it


def test_an_answer_is_explained_taken_apart_and_ranked_again(
    keys: Keyboard, bench: Workbench, session: Session
) -> None:
    keys.press("Alt+3")
    answer = keys.ask(ARREST)
    follow_the_way(keys, bench, session, answer)
    take_a_passage_apart(keys, bench, session, answer)
    turn_the_dials(keys, bench, session)


def follow_the_way(keys: Keyboard, bench: Workbench, session: Session, answer: Answer) -> None:
    """The way to a passage on the graph, and why it ranks where it does."""
    keys.go_to("evidence")
    keys.until(lambda: len(bench.evidence.cards) == len(answer.evidence))

    def chained(card: EvidenceCard) -> bool:
        why = card.row.evidence.why
        return why is not None and bool(why.path)

    at, card = next((at, each) for at, each in enumerate(bench.evidence.cards) if at and chained(each))
    bench.evidence.cards[0].setFocus()
    for _ in range(at):
        keys.press("Down")
    assert keys.focus is card
    keys.press("Return")
    keys.until(lambda: bool(session.overlay.current.path))
    assert card.row.evidence.why is not None
    assert session.overlay.current.path == card.row.evidence.why.entity_ids
    bench.graph.canvas.settle()
    card.setFocus()
    keys.press("W")
    ranks = bench.explain.ranks
    keys.until(lambda: ranks.isVisible() and ranks.table is not None, 60_000)
    ranks.choice.setFocus()
    keys.press("Down")
    ranks.choice.activated.emit(ranks.choice.currentIndex())
    keys.until(lambda: ranks.table is not None and ranks.table.table.model().columnCount() == 3)
    pictures(keys.window, "point-1-way", bench.graph.canvas.settle)
    step = card.steps[-1]
    bench.evidence.area.ensureWidgetVisible(step)
    QTest.mouseClick(step, LEFT)
    keys.until(lambda: session.selection.current is not None and session.selection.current.chain != "")
    current = session.selection.current
    assert current is not None and current.id == step.step.passage_id and current.has_place


def turn_the_dials(keys: Keyboard, bench: Workbench, session: Session) -> None:
    """Other settings rank at once, and hold for the next question once they are saved."""
    panel = bench.explain.what_if
    assert session.workspace is not None
    keys.press("Alt+Shift+D")
    keys.until(lambda: panel.live.baseline is not None and panel.live.now is not None, 60_000)

    def ranked() -> list[str]:
        model = panel.table.model()
        return [model.index(at, 0).data(RECORD_ROLE).passage_id for at in range(model.rowCount())]

    before, damping = ranked(), panel.rows["retrieval.damping"]
    assert keys.focus is damping.slider
    for _ in range(25):
        keys.press("Right")
    keys.until(lambda: panel.live.now is not None and panel.live.now.exact and ranked() != before, 60_000)
    wait_until_landed(session.tasks)
    first = panel.table.model().index(0, 0)
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=panel.table.visualRect(first).center())
    keys.until(lambda: bool(panel.sources.bars))
    keys.until(lambda: session.overlay.current.title == "Relevance by these settings")
    pictures(keys.window, "point-2-dials", bench.graph.canvas.settle)
    QTest.mouseClick(panel.keep, LEFT)
    keys.until(lambda: session.workspace.config.retrieval.damping == pytest.approx(0.85))  # type: ignore[union-attr]
    after = keys.ask(ARREST)
    assert [each.hit.passage_id for each in after.evidence] == ranked()[: len(after.evidence)]


def take_a_passage_apart(keys: Keyboard, bench: Workbench, session: Session, answer: Answer) -> None:
    """What extraction saw in a cited passage, and what it rejected."""
    keys.press("Ctrl+Shift+B")
    panel = bench.panels["anatomy"]
    assert isinstance(panel, AnatomyPanel)
    operations.select_citation(session, answer.citations[0])
    keys.until(lambda: any(card.findChild(Arcs) is not None for card in panel.cards), 60_000)
    wait_until_landed(session.tasks)
    assert session.selection.current is not None and panel.isVisible(), "its tab stays in front"
    rejected = [one for card in panel.cards for one in card.parts.outcomes if one.struck]
    assert rejected and all(one.detail for one in rejected)
    pictures(keys.window, "point-8-anatomy", bench.graph.canvas.settle)
