"""The report of the community that is chosen: what it shows, where its rows lead, when it changes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.communities.panel import CommunitiesPanel
from app.session import operations
from app.session.selection import Selected
from app.session.session import Session
from core.types import CommunityReport
from tests.app.communities.community_data import DATA, place, report_of, reported
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton
Reports = dict[int, CommunityReport]


@pytest.fixture
def panel(communities_panel: CommunitiesPanel) -> CommunitiesPanel:
    return communities_panel


@pytest.fixture
def reports(community_reports: Reports) -> Reports:
    return community_reports


def chosen(session: Session) -> Selected:
    assert session.selection.current is not None
    return session.selection.current


def test_the_report_of_the_chosen_one_is_displayed(qtbot: QtBot, panel: CommunitiesPanel) -> None:
    report = reported(qtbot, panel, 110)
    view = panel.report
    assert view.isVisible() and view.title.text() == report.title
    assert view.size_line.text().startswith("Level 2, ") and "3 communities inside" in view.size_line.text()
    spoken = view.statements.toPlainText()
    assert all(statement.text in spoken for statement in report.statements), "letter by letter, tags and all"
    assert [row.words.text for row in view.facts.rows] == [report.facts[0].words]
    assert [(row.words.date, row.words.number) for row in view.timeline.rows] == [("1930", 2), ("1931-05", 3)]
    assert [row.words.right for row in view.documents.rows] == ["12 passages", "1 passage"]
    assert view.origin.text() == "Quoted from the documents by rules"


def test_an_entity_of_the_report_is_selected_and_the_report_stays(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    report = reported(qtbot, panel, 110)
    rows = panel.report.entities.rows
    assert len(rows) == 6 and panel.report.entities.more.text() == "Show 3 more"
    qtbot.mouseClick(rows[1], LEFT)
    assert chosen(session) == Selected("entity", report.entities[1].entity_id)
    assert panel.report.isVisible() and panel.report.report is report
    panel.report.entities.more.setFocus()
    qtbot.keyClick(panel.report.entities.more, Qt.Key.Key_Space)
    assert len(rows) == 9 and rows[6].hasFocus() and not panel.report.entities.more.isVisible()
    qtbot.keyClick(rows[8], Qt.Key.Key_Space)
    assert chosen(session) == Selected("entity", report.entities[8].entity_id)


def test_a_mark_a_fact_and_a_date_open_their_places(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    reported(qtbot, panel, 110)
    view = panel.report

    def selected(number: int, document: str = "d1") -> Selected:
        cited = place(number, document)
        return Selected("citation", cited.passage_id, cited.start, cited.end, document)

    mark = view.statements.point_of(2).toPoint()
    qtbot.mouseClick(view.statements.viewport(), LEFT, pos=mark)
    assert chosen(session) == selected(2)
    qtbot.mouseClick(view.facts.rows[0], LEFT)
    assert chosen(session) == selected(1)
    qtbot.mouseClick(view.timeline.rows[1], LEFT)
    assert chosen(session) == selected(3, "d2")
    qtbot.mouseClick(view.documents.rows[0], LEFT)
    assert chosen(session) == Selected("document", "d1", document_id="d1")


def test_who_wrote_it_and_that_it_is_old(qtbot: QtBot, panel: CommunitiesPanel, reports: Reports) -> None:
    origin = panel.report.origin
    reports[1] = report_of(DATA[1], stale=True)
    reports[2] = report_of(DATA[2], written_by="ollama:llama3.2:3b")
    reported(qtbot, panel, 1)
    assert "Out of date" in origin.text() and origin.property("kind") == "warn"
    reported(qtbot, panel, 2)
    assert "llama3.2:3b" in origin.text() and origin.property("kind") == "small"


@pytest.mark.parametrize(
    ("title", "why"), [("References of A survey", "only lists"), ("Ships", "no sentence")]
)
def test_a_report_without_statements_says_why(
    qtbot: QtBot, panel: CommunitiesPanel, reports: Reports, title: str, why: str
) -> None:
    reports[1] = replace(report_of(DATA[1]), title=title, statements=(), facts=(), timeline=())
    reported(qtbot, panel, 1)
    assert panel.report.origin.text().startswith(f"No statements: {why}")


def test_a_report_that_cannot_be_read_says_why_and_is_tried_again(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session, reports: Reports
) -> None:
    lost = reports.pop(2)
    operations.select_community(session, 2)
    view = panel.report
    qtbot.waitUntil(view.again.isVisible)
    assert view.trouble.text() == "The report is damaged. Index the folder again."
    reports[2] = lost
    qtbot.mouseClick(view.again, LEFT)
    qtbot.waitUntil(lambda: view.report is lost)
    assert not view.trouble.isVisible() and not view.again.isVisible()


def test_the_close_button_lets_go(qtbot: QtBot, panel: CommunitiesPanel, session: Session) -> None:
    reported(qtbot, panel, 1)
    qtbot.mouseClick(panel.report.close_, LEFT)
    assert session.selection.current is None and not panel.report.isVisible()


def test_the_report_is_copied_with_its_sources(qtbot: QtBot, panel: CommunitiesPanel) -> None:
    report = reported(qtbot, panel, 1)
    qtbot.mouseClick(panel.report.copy, LEFT)
    copied = QGuiApplication.clipboard().text()
    assert f"{report.statements[1].text} [2][1]" in copied and "- 1931-05: " in copied
    assert "[3] One, page 2 (letters/one.txt)" in copied


def test_a_report_that_did_not_change_is_left_alone_when_all_is_read_again(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session, reports: Reports
) -> None:
    report = reported(qtbot, panel, 110)
    row = panel.report.entities.rows[2]
    row.setFocus()
    panel.refresh()
    wait_until_landed(session.tasks)
    process_events()
    wait_until_landed(session.tasks)
    assert panel.report.report is report and panel.report.entities.rows[2] is row and row.hasFocus()
    reports[110] = report_of(DATA[110], stale=True)
    panel.refresh()
    qtbot.waitUntil(lambda: panel.report.report == reports[110])
    assert panel.report.origin.text().startswith("Out of date")


def test_a_report_whose_community_went_is_gone_too(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    reported(qtbot, panel, 110)
    panel.show_communities([community for community in DATA.values() if community.id != 110])
    assert not panel.report.isVisible() and len(panel.crumbs.crumbs) == 1
