"""Communities keep to the dates of the scope: who is told of then, how many, and the time line of a report."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.answers.communities_model import COMMUNITY
from app.communities.panel import CommunitiesPanel
from app.communities.report import meets
from app.session import operations
from app.session.session import Session
from tests.app.communities.community_data import reported
from tests.app.conftest import open_now
from tests.waiting import wait_until_landed


def displayed(panel: CommunitiesPanel) -> dict[int, set[str]]:
    return {each.id: set(each.entity_ids) for each in panel.model.communities}


@pytest.fixture
def real(qtbot: QtBot, open_session: Session) -> CommunitiesPanel:
    """Over the small case, of 2016 and 2021."""
    panel = CommunitiesPanel(open_session)
    qtbot.addWidget(panel)
    panel.show()
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)
    return panel


def test_only_what_is_reported_of_then_is_listed_and_counted(
    qtbot: QtBot, real: CommunitiesPanel, session: Session
) -> None:
    assert session.workspace is not None
    everything = displayed(real)
    session.scope.change(since="2016", until="2016")
    qtbot.waitUntil(
        lambda: displayed(real) != everything and real.model.rowCount() > 0
    )  # rows come with the layout
    entities = session.workspace.timeline.inside("2016", "2016").entity_ids
    stored = {id: ids & entities for id, ids in everything.items() if ids & entities}
    assert displayed(real) == stored and 0 < len(stored) <= len(everything)
    row = real.model.index(0, 0)
    assert set(row.data(COMMUNITY).entity_ids) <= entities
    assert real.dates.isVisible() and real.dates.text() == "Only what is told in 2016"
    session.scope.clear()
    qtbot.waitUntil(lambda: displayed(real) == everything)
    assert not real.dates.isVisible()


def test_where_nothing_is_reported_then_that_is_stated(
    qtbot: QtBot, real: CommunitiesPanel, session: Session
) -> None:
    session.scope.change(since="1930", until="1931")
    qtbot.waitUntil(lambda: not displayed(real))
    assert real.stack.currentWidget() is real.empty


def test_a_chosen_community_stays_chosen_in_another_time(
    qtbot: QtBot, real: CommunitiesPanel, session: Session
) -> None:
    everything = displayed(real)
    session.scope.change(since="2016", until="2016")
    qtbot.waitUntil(lambda: displayed(real) != everything)
    fewer = next(id for id in everything if displayed(real).get(id, set()) < everything[id])
    notices: list[object] = []
    session.message_posted.connect(notices.append)
    operations.select_community(session, fewer)
    wait_until_landed(session.tasks)
    assert not notices and session.selection.current is not None
    assert real.report.isVisible()


def test_the_time_line_of_a_report_keeps_to_the_dates(
    qtbot: QtBot, communities_panel: CommunitiesPanel
) -> None:
    reported(qtbot, communities_panel, 110)
    report = communities_panel.report

    def dates() -> list[str]:
        return [row.words.date for row in report.timeline.rows]

    assert dates() == ["1930", "1931-05"]
    report.keep_to(("1931", ""))
    assert dates() == ["1931-05"]
    report.keep_to(("1932", "1940"))
    assert dates() == [] and not report.timeline.isVisible()
    report.keep_to(("", ""))
    assert dates() == ["1930", "1931-05"]


@pytest.mark.parametrize(
    ("date", "since", "until", "inside"),
    [
        ("1930", "1930-05", "", True),
        ("1930-05", "1930", "1930", True),
        ("1930-05-04", "1930-05-05", "", False),
        ("1930-05-04", "", "1930-05", True),
        ("1931", "", "1930-12-31", False),
        ("1929-12-31", "1930", "", False),
        ("1930-05", "1930-05-31", "1930-06", True),
    ],
)
def test_a_date_meets_a_range_as_far_as_both_are_known(
    date: str, since: str, until: str, inside: bool
) -> None:
    assert meets(date, since, until) == inside
