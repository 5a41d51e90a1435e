"""Why a passage is not higher, and the chain to it on the graph, with real clicks and keys on a part of the sample."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.evidence.card import EvidenceCard
from app.evidence.panel import EvidencePanel
from app.explain.ranks import PlaceRow, Ranks, place_rows
from app.session import operations
from app.session.session import Session
from app.shell.workbench import Workbench
from app.widgets.table import RECORD_ROLE
from core.types import ListRank, RankingRecord
from tests.app.one_window import ONE_WINDOW, bench_on

LEFT = Qt.MouseButton.LeftButton


preferences, session, window, calm = ONE_WINDOW
opened = bench_on("sample_path", nodes=20, name="opened")


@pytest.fixture(scope="module", name="bench")
def answered_bench(opened: Workbench, session: Session, request: pytest.FixtureRequest) -> Workbench:
    """The workbench on the part of the sample, with an answer."""
    qtbot = QtBot(request)
    operations.ask(session, "Where was Tobias Renwick arrested?", "graph", k=10)
    qtbot.waitUntil(lambda: session.answer is not None, timeout=60_000)
    assert session.answer is not None
    rows = len(session.answer.evidence)
    qtbot.waitUntil(lambda: len(opened.evidence.cards) == rows > 3)
    return opened


def card_with_steps(panel: EvidencePanel, least: int) -> EvidenceCard:
    return next(card for card in panel.cards if len(card.steps) >= least)


def ranks(panel: Ranks, column: int = 1) -> dict[str, str]:
    assert panel.table is not None
    model = panel.table.table.model()
    return {
        model.index(at, 0).data().partition(" (not")[0]: model.index(at, column).data()
        for at in range(model.rowCount())
    }


def test_places_stand_side_by_side() -> None:
    own = RankingRecord(
        "a",
        (ListRank("words", None), ListRank("joined", 4)),
        (ListRank("without words", 7), ListRank("x", 4)),
    )
    other = RankingRecord("b", (ListRank("words", 2), ListRank("joined", 1)), (ListRank("without words", 1),))
    words, joined, without, same = place_rows(own, other)
    assert (words.rank(), words.rank(other=True)) == ("\u2013", "2")
    assert (joined.rank(), joined.rank(other=True)) == ("4", "1")
    assert (without.rank(), without.rank(other=True)) == ("7 \u25bc 3", "1")
    assert (same.rank(), same.rank(other=True)) == ("4", "\u2013")
    assert PlaceRow(ListRank("x", 2), left_out=True, ends=(4, None)).rank() == "2 \u25b2 2"


def test_why_not_higher_by_mouse_and_beside_another(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    card, panel = bench.evidence.cards[2], bench.explain.ranks
    assert not card.why.isVisible(), "cards are calm until one is chosen"
    QTest.mouseClick(card, LEFT)
    qtbot.waitUntil(card.why.isVisible)
    assert card.why.text() == "Why not higher?" and bench.evidence.cards[0].why.text() == "Why here?"
    QTest.mouseClick(card.why, LEFT)
    qtbot.waitUntil(lambda: panel.table is not None, timeout=60_000)
    reasons = panel.reasons.text()
    assert reasons.startswith("\u2022 ") and 1 <= reasons.count("\u2022") <= 3
    own = ranks(panel)
    assert list(own)[:4] == ["words (BM25)", "meaning", "graph: the walk", "graph: second stage"]
    assert own["graph: second stage"] == own["joined"] == "3"
    assert "without: words of the question" in own and "without the second stage" in own
    panel.choice.setFocus()
    QTest.keyClick(panel.choice, Qt.Key.Key_Down)
    QTest.keyClick(panel.choice, Qt.Key.Key_Down)
    panel.choice.activated.emit(panel.choice.currentIndex())
    qtbot.waitUntil(lambda: panel.table is not None and panel.table.table.model().columnCount() == 3)
    assert ranks(panel)["joined"] == "3" and ranks(panel, 2)["joined"] == "2"


def test_why_not_higher_by_keyboard_and_by_the_selection(
    bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    first, panel = bench.evidence.cards[0], bench.explain.ranks
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: panel.table is not None, timeout=60_000)
    assert panel.isVisible() and panel.reasons.text() == "\u2022 Nothing stands above it."
    qtbot.waitUntil(panel.hits.hasFocus)
    assert panel.hits.currentIndex().data(RECORD_ROLE).passage_id == first.row.evidence.passage.id
    QTest.keyClick(panel.hits, Qt.Key.Key_Down)
    QTest.keyClick(panel.hits, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.table is not None and ranks(panel)["joined"] == "2", timeout=60_000)
    assert bench.evidence.cards[1].current, "what is chosen here is chosen everywhere"
    assert panel.isVisible(), "the reasons stay in front while passages are chosen"
    operations.select_passage(session, bench.evidence.cards[2].row.evidence.passage.id)
    qtbot.waitUntil(lambda: panel.table is not None and ranks(panel)["joined"] == "3", timeout=60_000)


def test_a_selected_passage_is_marked_in_every_tab(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    panel = bench.explain
    passage = bench.evidence.cards[1].row.evidence.passage.id
    operations.select_passage(session, passage)
    session.commands.run("explain.timeline")
    qtbot.waitUntil(lambda: panel.timeline.front and panel.timeline.subject is panel.subject)
    names = [stage.name for stage in session.answer.trace.stages]  # type: ignore[union-attr]
    panel.timeline.open_stage(names.index("graph"))
    session.commands.run("explain.what_if")
    qtbot.waitUntil(lambda: panel.what_if.table.model().rowCount() > 0, timeout=60_000)
    for table in (panel.timeline.detail.sections[0].table, panel.what_if.table):
        assert table.currentIndex().data(RECORD_ROLE).passage_id == passage


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


def test_a_route_that_cannot_be_laid_open_says_so(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    before, panel = session.answer, bench.explain.ranks
    operations.ask(session, "Where was Tobias Renwick arrested?", "lab:hierarchical")
    qtbot.waitUntil(lambda: session.answer is not before and bool(bench.evidence.cards), timeout=60_000)
    card = bench.evidence.cards[0]
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: "cannot be laid open" in panel.reasons.text())
    assert not panel.choice.isVisible()
