"""An answer about all documents in the window: its first line, its communities, why it was taken so."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from app.answers.claims import NO_COMMUNITY
from app.ask.panel import AskPanel
from app.evidence.panel import EvidencePanel
from app.explain.panel import ExplainPanel
from app.session.selection import Selected
from core.types import Answer, CitedCommunity, Claim, Stage, Usage, Verdict
from tests.app.panel_case import Case
from tests.waiting import process_events

REASON = 'asks for what matters most ("main themes") over all documents, and names nothing in particular'
LINE = "The documents fall into 2 themes: Oriel Nominees and <b>Douglas</b>; Grey Petrel, Antwerp & Calder Reach."
COMMUNITIES = (
    CitedCommunity(7, 3, "Oriel Nominees and <b>Douglas</b>"),
    CitedCommunity(9, 3, "Grey Petrel, Antwerp & Calder Reach"),
)
STAGES = (
    Stage("breadth", 0.1, "for people alone"),
    Stage("map", 0.01, "2 reports of level 3"),
    Stage("reduce", 0.001, "2"),
)


def told(case: Case, forced: bool = False, reason: str = REASON) -> Answer:
    """The case's answer as one about all documents."""
    trace = case.answer.trace
    route = replace(trace.route, name="global", forced=forced, reason=reason)
    return replace(
        case.answer,
        text=LINE,
        lead=LINE.partition(": ")[0],
        listed=tuple(community.title for community in COMMUNITIES),
        confidence=1.0,
        communities=COMMUNITIES,
        trace=replace(trace, route=route, stages=STAGES, seeds=(), heat={}),
    )


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> AskPanel:
    widget = AskPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(340, 900)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answered.emit(told(case))
    process_events()
    return widget


def test_the_first_line_lists_what_it_names_and_is_no_claim(panel: AskPanel) -> None:
    answer = panel.answer
    assert answer.short.text() == "The documents fall into 2 themes:"
    assert answer.listed.text().splitlines() == [
        "\u2022 Oriel Nominees and <b>Douglas</b>",
        "\u2022 Grey Petrel, Antwerp & Calder Reach",
    ]
    assert answer.listed.textFormat() == Qt.TextFormat.PlainText
    assert LINE[:12] not in answer.sentences.toPlainText()
    assert answer.support.text() == "Every sentence is a quotation"


def test_its_citations_are_marks_like_those_of_others(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    with qtbot.waitSignal(case.session.selection.changed):
        qtbot.mouseClick(panel.answer.sources[1], Qt.MouseButton.LeftButton)
    assert case.session.selection.current == Selected(
        "citation",
        case.answer.citations[1].passage_id,
        case.answer.citations[1].start,
        case.answer.citations[1].end,
        case.answer.citations[1].document_id,
    )


def test_a_chip_selects_its_community_by_mouse_and_by_key(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    one, two = panel.answer.communities.chips
    assert [chip.accessibleName() for chip in (one, two)] == [f"Community {c.title}" for c in COMMUNITIES]
    qtbot.mouseClick(two, Qt.MouseButton.LeftButton)
    assert case.session.selection.current == Selected("community", "9")
    assert two.current and not one.current
    one.setFocus()
    qtbot.keyClick(one, Qt.Key.Key_Return)
    assert case.session.selection.current == Selected("community", "7")
    assert one.current and not two.current
    case.session.selection.clear()
    assert not one.current


def test_tab_reaches_the_chips_between_sentences_and_sources(panel: AskPanel) -> None:
    chips = panel.answer.communities.chips
    assert chips[0].nextInFocusChain() is chips[1]
    assert chips[1].nextInFocusChain() is panel.answer.sources[0]


def test_chips_stay_inside_a_narrow_panel(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    many = tuple(CitedCommunity(at, 2, f"Community of many words, number {at}") for at in range(12))
    case.session.answered.emit(replace(told(case), communities=many))
    process_events()
    row = panel.answer.communities
    for chip in row.chips:
        right = chip.mapTo(panel, chip.rect().topRight()).x()
        bottom = chip.mapTo(row, chip.rect().bottomLeft()).y()
        assert right < panel.width() and bottom <= row.height()
    assert len({chip.y() for chip in row.chips}) > 1


def test_the_gauge_does_not_say_that_the_score_decided(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    assert not panel.route.gauge.isVisible() and not panel.route.why.isVisible()
    assert panel.route.reason.isVisible()
    assert panel.route.reason.text() == f"Global: the question {REASON}."
    case.session.answered.emit(case.answer)
    panel.route.why.click()
    assert panel.route.gauge.isVisible() and panel.route.why.isVisible()
    assert not panel.answer.communities.isVisible() and not panel.answer.listed.isVisible()
    assert panel.answer.short.text() == "Tobias Renwick"


def test_a_forced_one_says_so_and_what_the_question_is(panel: AskPanel, case: Case) -> None:
    case.session.answered.emit(told(case, True, "names Grey Petrel"))
    assert panel.route.reason.text() == "Global, because you chose it; the question names Grey Petrel."
    assert panel.route.auto.isVisible()


def test_what_a_model_wrote_is_told_sentence_by_sentence(panel: AskPanel, case: Case) -> None:
    words = "Two things matter: the ship; the bank."
    written = replace(
        told(case), text=words, sentences=(words,), citations=case.answer.citations[:1], usage=Usage(calls=1)
    )
    case.session.answered.emit(written)
    assert not panel.answer.listed.isVisible() and words in panel.answer.sentences.toPlainText()
    assert panel.answer.support.text() != "Every sentence is a quotation"
    assert len(panel.answer.communities.chips) == 2


def test_the_copy_names_the_reports(panel: AskPanel) -> None:
    panel.copy_answer()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert LINE in lines
    assert f"Rests on: {COMMUNITIES[0].title}; {COMMUNITIES[1].title}" in lines


def test_trace_and_evidence_tell_it_in_words(case: Case, qtbot: QtBot) -> None:
    trace, evidence = ExplainPanel(case.session), EvidencePanel(case.session)
    for widget in (trace, evidence):
        qtbot.addWidget(widget)
        widget.resize(900, 700)
        widget.show()
    case.session.answered.emit(told(case))
    assert trace.timeline.route.text() == f"Global: the question {REASON}."
    model = trace.timeline.stages.model()
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert names == ["Are all documents meant", "Read the reports", "Choose statements"]
    assert not trace.timeline.beam.isVisible()
    assert evidence.heading.text() == "4 passages, in the order of the answer"


def grouped(case: Case) -> Answer:
    """The answer with each citation of one of the two communities."""
    answer = told(case)
    homes = [COMMUNITIES[min(at, 1)].id for at in range(len(answer.citations))]
    citations = tuple(replace(c, community=id) for c, id in zip(answer.citations, homes, strict=True))
    return replace(answer, citations=citations)


def test_quotes_stand_below_the_titles_of_their_communities(
    panel: AskPanel, case: Case, qtbot: QtBot
) -> None:
    titles = [community.title for community in COMMUNITIES]
    assert not any(title in panel.answer.sentences.toPlainText() for title in titles), "none is known"
    case.session.answered.emit(grouped(case))
    text = panel.answer.sentences
    lines = text.toPlainText().splitlines()
    assert [line for line in lines if line in titles] == titles, "each once, letter by letter"
    assert lines[0] == titles[0] and lines.index(titles[1]) == 2
    # A mark is still the mark of its sentence.
    with qtbot.waitSignal(text.mark_chosen) as chosen:
        qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=text.point_of(2).toPoint())
    assert chosen.args == [2]


def test_a_title_above_quotes_selects_its_community(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    case.session.answered.emit(grouped(case))
    process_events()
    text = panel.answer.sentences
    block = text.document().findBlockByNumber(2)
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + 3)
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=text.cursorRect(cursor).center())
    assert case.session.selection.current == Selected("community", "9")


def test_a_written_sentence_that_nothing_carries_is_not_under_a_community(
    panel: AskPanel, case: Case
) -> None:
    answer = grouped(case)
    claims = (
        Claim("The ship was chartered.", Verdict.SUPPORTED, (0,)),
        Claim("It sank in 1850.", Verdict.ABSENT),
        Claim("The bank paid.", Verdict.SUPPORTED, (1, 0)),
    )
    case.session.answered.emit(replace(answer, claims=claims, usage=Usage(calls=1)))
    lines = [line.split("\ufffc")[0].strip() for line in panel.answer.sentences.toPlainText().splitlines()]
    assert lines == [
        COMMUNITIES[0].title,
        "The ship was chartered.",
        NO_COMMUNITY,
        "It sank in 1850.",
        COMMUNITIES[1].title,
        "The bank paid.",
    ]


def test_the_copy_tells_whose_the_quotes_are(panel: AskPanel, case: Case) -> None:
    case.session.answered.emit(grouped(case))
    panel.copy_answer()
    lines = QGuiApplication.clipboard().text().splitlines()
    first, second = (
        next(at for at, x in enumerate(lines) if x.startswith(f"{c.title}: ")) for c in COMMUNITIES
    )
    assert first < second and "[1]" in lines[first] and "[2]" in lines[second]


def test_a_card_names_the_report_that_told_it_and_leads_there(case: Case, qtbot: QtBot) -> None:
    evidence = EvidencePanel(case.session)
    qtbot.addWidget(evidence)
    evidence.resize(340, 900)
    evidence.show()
    case.session.answered.emit(grouped(case))
    qtbot.waitUntil(lambda: len(evidence.cards) == 4)
    first, second, _, last = evidence.cards
    assert [chip.community for chip in first.chips] == [COMMUNITIES[0]] and first.reason.text() == ""
    assert COMMUNITIES[0].title in first.accessibleDescription()
    assert last.chips == [] and last.reason.text() == "tells of a theme", "nothing cites it"
    with qtbot.waitSignal(evidence.community_wanted) as heard:
        qtbot.mouseClick(second.chips[0], Qt.MouseButton.LeftButton)
    assert heard.args == [COMMUNITIES[1].id]
    assert case.session.selection.current is None, "the passage is not chosen by it"
