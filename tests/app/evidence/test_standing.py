"""Why a passage is not higher, and the chain to it on the graph, with real clicks and keys on a part of the sample."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.evidence.card import EvidenceCard
from app.evidence.panel import EvidencePanel
from app.evidence.standing import Beside, beside
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.types import Place, Standing

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bench(
    qtbot: QtBot, window: MainWindow, session: Session, sample_path: Path, socket_enabled: None
) -> Workbench:
    """The workbench on the part of the sample, with an answer."""
    operations.open_workspace(session, sample_path)
    qtbot.waitUntil(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    assert window.workbench is not None
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    operations.ask(session, "Where was Tobias Renwick arrested?", "graph", k=10)
    qtbot.waitUntil(lambda: session.answer is not None, timeout=60_000)
    cards = window.workbench.evidence
    qtbot.waitUntil(lambda: len(cards.cards) == len(cards._rows) > 3)
    return window.workbench


def card_with_steps(panel: EvidencePanel, least: int) -> EvidenceCard:
    return next(card for card in panel.cards if len(card.steps) >= least)


def ranks(card: EvidenceCard, column: int = 1) -> dict[str, str]:
    assert card.standing is not None and card.standing.table is not None
    model = card.standing.table.model()
    return {
        model.index(at, 0).data().partition(" (not")[0]: model.index(at, column).data()
        for at in range(model.rowCount())
    }


def test_places_are_told_beside_each_other() -> None:
    own = Standing(
        "a", (Place("words", None), Place("joined", 4)), (Place("without words", 7), Place("x", 4))
    )
    other = Standing("b", (Place("words", 2), Place("joined", 1)), (Place("without words", 1),))
    words, joined, without, same = beside(own, other)
    assert (words.rank(), words.rank(other=True)) == ("\u2013", "2")
    assert (joined.rank(), joined.rank(other=True)) == ("4", "1")
    assert (without.rank(), without.rank(other=True)) == ("7 \u25bc 3", "1")
    assert (same.rank(), same.rank(other=True)) == ("4", "\u2013")
    assert Beside(Place("x", 2), left_out=True, ends=(4, None)).rank() == "2 \u25b2 2"


def test_why_not_higher_by_mouse_and_beside_another(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    panel = bench.evidence
    card = panel.cards[2]
    assert not card.why.isVisible(), "cards are calm until one is chosen"
    QTest.mouseClick(card, LEFT)
    qtbot.waitUntil(card.why.isVisible)
    assert card.why.text() == "Why not higher?" and panel.cards[0].why.text() == "Why here?"
    QTest.mouseClick(card.why, LEFT)
    qtbot.waitUntil(lambda: card.standing is not None and card.standing.table is not None, timeout=60_000)
    assert card.standing is not None
    said = card.standing.said.text()
    assert said.startswith("\u2022 ") and 1 <= said.count("\u2022") <= 3
    own = ranks(card)
    assert list(own)[:4] == ["words (BM25)", "meaning", "graph: the walk", "graph: second stage"]
    assert own["graph: second stage"] == own["joined"] == "3"
    assert "without: words of the question" in own and "without the second stage" in own
    card.standing.choice.setFocus()
    QTest.keyClick(card.standing.choice, Qt.Key.Key_Down)
    QTest.keyClick(card.standing.choice, Qt.Key.Key_Down)
    card.standing.choice.activated.emit(card.standing.choice.currentIndex())
    qtbot.waitUntil(
        lambda: card.standing.table is not None and card.standing.table.model().columnCount() == 3
    )
    assert ranks(card)["joined"] == "3" and ranks(card, 2)["joined"] == "2"
    QTest.mouseClick(card.why, LEFT)
    assert card.standing is None


def test_why_not_higher_by_keyboard_one_card_at_a_time(bench: Workbench, qtbot: QtBot) -> None:
    panel = bench.evidence
    first, second = panel.cards[:2]
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: first.standing is not None and first.standing.table is not None, timeout=60_000)
    assert first.standing is not None and first.standing.said.text() == "\u2022 Nothing stands above it."
    QTest.keyClick(first, Qt.Key.Key_Down)
    QTest.keyClick(second, Qt.Key.Key_W)
    assert first.standing is None and not first.why.isChecked()
    qtbot.waitUntil(lambda: second.standing is not None and second.standing.table is not None, timeout=60_000)
    QTest.keyClick(second, Qt.Key.Key_W)
    assert second.standing is None


def test_a_route_that_cannot_be_laid_open_says_so(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    before = session.answer
    operations.ask(session, "Where was Tobias Renwick arrested?", "lab:hierarchical")
    qtbot.waitUntil(lambda: session.answer is not before and bool(bench.evidence.cards), timeout=60_000)
    card = bench.evidence.cards[0]
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: card.standing is not None and "cannot be laid open" in card.standing.said.text())
    assert card.standing is not None and not card.standing.choice.isVisible()


def test_the_chain_is_drawn_and_each_fact_opens_its_sentence(
    bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    panel, canvas = bench.evidence, bench.graph.canvas
    card = card_with_steps(panel, 1)
    why = card.row.evidence.why
    assert why is not None
    QTest.mouseClick(card, LEFT)
    qtbot.waitUntil(lambda: bool(session.overlay.current.path))
    overlay = session.overlay.current
    assert overlay.path == why.entity_ids and overlay.reaches == f"passage {card.row.evidence.hit.rank}"
    assert [fact.predicate for fact in overlay.facts] == [step.predicate for step in why.path]
    ends = zip(overlay.path, overlay.path[1:], strict=False)
    for fact, step, (one, other) in zip(overlay.facts, why.path, ends, strict=True):
        told = (one, other) if fact.forward else (other, one)
        assert told == (step.subject_id, step.object_id), "the arrow goes as the fact is told"
    canvas.settle()
    item = canvas._item
    screen, radii = item.camera.to_screen(item.arrays.xy), item.radii()
    signs = item.way.signs(item.emphasis.path.tolist(), screen, radii, item.camera)
    assert [sign.number for sign in signs] == [*map(str, range(1, len(why.path) + 1)), ""]
    assert [sign.words for sign in signs[:-1]] == [step.predicate for step in why.path]
    assert signs[-1].words == overlay.reaches
    assert not any(a.box.intersects(b.box) for a in signs for b in signs if a is not b)
    step = card.steps[-1]
    QTest.mouseClick(step, LEFT)
    qtbot.waitUntil(lambda: session.selection.current is not None and session.selection.current.chain != "")
    chosen = session.selection.current
    assert chosen is not None and chosen.id == step.step.passage_id and chosen.has_place
    workspace = session.workspace
    assert workspace is not None
    passage = workspace.passages.get(step.step.passage_id)
    assert (chosen.start, chosen.end) == (passage.start + step.step.start, passage.start + step.step.end)
    assert session.overlay.current.path == overlay.path, "the chain stays while its sentences are read"
    assert card.current


def test_a_passage_that_names_the_question_s_entity_is_tied_to_it(
    bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    card = next(card for card in bench.evidence.cards if not card.steps and card.row.evidence.why.entity_ids)  # type: ignore[union-attr]
    QTest.mouseClick(card, LEFT)
    qtbot.waitUntil(lambda: len(session.overlay.current.path) == 1)
    assert session.overlay.current.facts == ()
    assert session.overlay.current.reaches == f"passage {card.row.evidence.hit.rank}"
