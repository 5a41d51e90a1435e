"""The communities: a tree and areas over one selection, and the report of the one that is chosen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.answers.communities_model import COMMUNITY
from app.communities.list import FILTER_FROM
from app.communities.panel import LIST, TREEMAP, CommunitiesPanel
from app.session import operations
from app.session.preferences import Preferences
from app.session.selection import Selected
from app.session.session import Message, Session
from app.shell.main_window import MainWindow
from core.errors import WorkspaceError
from core.types import Community, CommunityReport
from core.workspace.graph import GraphApi
from tests.app.communities.community_data import DATA, make_communities, reported
from tests.app.conftest import open_now
from tests.waiting import wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(communities_panel: CommunitiesPanel) -> CommunitiesPanel:
    return communities_panel


def chosen(session: Session) -> Selected:
    assert session.selection.current is not None
    return session.selection.current


def click_row(qtbot: QtBot, panel: CommunitiesPanel, community: int) -> None:
    spot = panel.list.tree.visualRect(panel.model.index_of(community)).center()
    qtbot.mouseClick(panel.list.tree.viewport(), LEFT, pos=spot)


# ------------------------------------------------------------ the list


def test_real_communities_are_listed_largest_first_with_labels(qtbot: QtBot, open_session: Session) -> None:
    panel = CommunitiesPanel(open_session)
    qtbot.addWidget(panel)
    panel.show()
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)
    rows = [panel.model.index(row, 0).data(COMMUNITY) for row in range(panel.model.rowCount())]
    sizes = [len(community.entity_ids) for community in rows]
    assert sizes == sorted(sizes, reverse=True) and all(community.label for community in rows)


def test_click_chooses_and_click_again_lets_go(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    click_row(qtbot, panel, 0)
    assert chosen(session) == Selected("community", "0")
    click_row(qtbot, panel, 0)
    assert session.selection.current is None and not panel.report.isVisible()


def test_a_double_click_opens_the_branch_and_keeps_the_choice(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    tree, spot = panel.list.tree, panel.list.tree.visualRect(panel.model.index_of(0)).center()
    qtbot.mouseClick(tree.viewport(), LEFT, pos=spot)
    qtbot.mouseDClick(tree.viewport(), LEFT, pos=spot)
    assert chosen(session).id == "0" and tree.isExpanded(panel.model.index_of(0))


def test_a_choice_created_elsewhere_is_marked_and_brought_in_sight(
    panel: CommunitiesPanel, session: Session
) -> None:
    operations.select_community(session, 1221)
    (index,) = panel.list.tree.selectedIndexes()
    assert index.data(COMMUNITY).id == 1221
    assert panel.list.tree.viewport().rect().contains(panel.list.tree.visualRect(index).center())
    assert [crumb.words for crumb in panel.crumbs.crumbs] == [
        "All", DATA[2].label, DATA[122].label, DATA[1221].label
    ]  # fmt: skip
    operations.select_document(session, "d")
    assert panel.list.tree.selectedIndexes() == []


def test_the_filter_looks_at_all_levels_and_keeps_what_holds_a_match(
    qtbot: QtBot, panel: CommunitiesPanel
) -> None:
    assert len(DATA) >= FILTER_FROM and panel.list.filter.isVisible()
    qtbot.keyClicks(panel.list.filter, "pilots cadiz 21")
    model, tree = panel.model, panel.list.tree
    assert model.found == 1 and panel.list.filter.accessibleDescription() == "1 community found"
    qtbot.waitUntil(lambda: model.rowCount(model.index_of(121)) == 1)
    displayed, above = [], model.index(0, 0)
    while above.isValid():
        assert model.rowCount(above.parent()) == 1
        displayed.append(above.data(COMMUNITY).id)
        assert tree.isExpanded(above) == (above.data(COMMUNITY).id != 1212)
        above = model.index(0, 0, above)
    assert displayed == [2, 121, 1212]
    panel.list.filter.clear()
    qtbot.keyClicks(panel.list.filter, "<b>zeppelin")
    assert panel.list.nothing.isVisible() and "<b>zeppelin" in panel.list.nothing.text()
    panel.list.filter.clear()
    qtbot.waitUntil(lambda: model.rowCount() == 3)
    assert not tree.isExpanded(model.index_of(2)), "what the filter opened is closed again"


def test_what_is_open_stays_open_when_the_communities_are_read_again(panel: CommunitiesPanel) -> None:
    panel.list.tree.expand(panel.model.index_of(1))
    panel.list.tree.expand(panel.model.index_of(110))
    panel.show_communities(make_communities())
    assert panel.list.tree.isExpanded(panel.model.index_of(1))
    assert panel.list.tree.isExpanded(panel.model.index_of(110))
    assert not panel.list.tree.isExpanded(panel.model.index_of(0))


# ------------------------------------------------------------ the areas


def test_the_switch_shows_areas_and_reports_it(qtbot: QtBot, panel: CommunitiesPanel) -> None:
    with qtbot.waitSignal(panel.view_changed) as signal:
        qtbot.mouseClick(panel.as_treemap, LEFT)
    assert signal.args == [TREEMAP] and panel.treemap.isVisible() and not panel.list.isVisible()
    qtbot.mouseClick(panel.as_list, LEFT)
    assert panel.view == LIST and panel.list.isVisible()


def test_areas_choose_go_down_and_the_path_goes_up(
    qtbot: QtBot, panel: CommunitiesPanel, session: Session
) -> None:
    panel.show_as(TREEMAP)
    spot = panel.treemap.rect_of(110).center().toPoint()
    qtbot.mouseClick(panel.treemap, LEFT, pos=spot)
    assert chosen(session) == Selected("community", "110") and panel.treemap.place is None
    qtbot.mouseDClick(panel.treemap, LEFT, pos=panel.treemap.rect_of(0).topLeft().toPoint() + QPoint(9, 6))
    assert [crumb.words for crumb in panel.crumbs.crumbs] == ["All", DATA[0].label]
    panel.treemap.setFocus()
    inner = panel.treemap.focused
    qtbot.keyClick(panel.treemap, Qt.Key.Key_Return)
    assert panel.treemap.place == inner and len(panel.crumbs.crumbs) == 3
    qtbot.mouseClick(panel.crumbs.crumbs[0], LEFT)
    assert panel.treemap.place is None and len(panel.crumbs.crumbs) == 1
    assert chosen(session).id == "110", "going about changes nothing that is chosen"


def test_a_deep_choice_created_elsewhere_is_gone_to(panel: CommunitiesPanel, session: Session) -> None:
    panel.show_as(TREEMAP)
    operations.select_community(session, 1221)
    assert panel.treemap.place == 122 and panel.treemap.focused == 1221
    assert not panel.treemap.rect_of(1221).isEmpty()


# ------------------------------------------------------------ all of it


def test_tab_goes_through_the_panel_in_reading_order(qtbot: QtBot, panel: CommunitiesPanel) -> None:
    reported(qtbot, panel, 1221)
    view = panel.report
    wanted: list[QWidget] = [
        *panel.crumbs.crumbs, panel.as_list, panel.list.filter, panel.list.tree, view.copy, view.close_,
        view.statements, *view.entities.rows, view.entities.more, *view.facts.rows,
        *view.timeline.rows, *view.documents.rows,
    ]  # fmt: skip
    panel.crumbs.crumbs[0].setFocus()
    went: list[QWidget] = []
    for _ in range(60):
        now = QApplication.focusWidget()
        assert now is not None
        if went and now is wanted[0]:
            break
        if not went or went[-1] is not now:
            went.append(now)
        qtbot.keyClick(now, Qt.Key.Key_Tab)
    assert went == wanted


def test_communities_that_cannot_be_read_say_why(
    qtbot: QtBot, open_session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: GraphApi) -> list[Community]:
        raise WorkspaceError("The database is damaged.", "Restore a backup.")

    monkeypatch.setattr(GraphApi, "communities", broken)
    panel = CommunitiesPanel(open_session)
    qtbot.addWidget(panel)
    panel.show()
    open_now(open_session)

    def texts() -> list[str]:
        return [label.text() for label in panel.empty.findChildren(QLabel) if label.text()]

    assert texts() == ["Reading the communities..."]
    words = ["The communities cannot be read", "The database is damaged. Restore a backup."]
    qtbot.waitUntil(lambda: texts() == words)


def test_the_window_remembers_how_communities_are_browsed(
    qtbot: QtBot,
    window: MainWindow,
    open_session: Session,
    preferences: Preferences,
    community_reports: dict[int, CommunityReport],
) -> None:
    preferences.communities = "treemap"
    open_now(open_session)
    assert window.workbench is not None
    panel = window.workbench.communities
    assert panel.view == TREEMAP and panel.as_treemap.isChecked()
    qtbot.waitUntil(lambda: bool(panel.treemap.tiles))
    window.workbench.focus(panel)
    assert panel.treemap.hasFocus()
    qtbot.mouseClick(panel.as_list, LEFT)
    assert preferences.communities == "list"


def test_the_list_does_not_jump_when_the_communities_are_read_again(
    panel: CommunitiesPanel, session: Session
) -> None:
    tree = panel.list.tree
    session.selection.select(Selected("community", "1"))
    panel.resize(300, 420)
    for community in panel.model.communities[:20]:
        tree.expand(panel.model.index_of(community.id))
    QApplication.processEvents()
    bar = tree.verticalScrollBar()
    bar.setValue(bar.maximum() * 3 // 4)
    visible = tree.indexAt(QPoint(4, 1)).data(COMMUNITY).id
    assert bar.value() > 3 and visible not in (0, 1)
    stored = [each for each in make_communities() if each.id != 0 and not holds(each, 0)]
    for rows in (make_communities(), stored):  # the same again, then with a branch above gone
        panel.show_communities(rows)
        QApplication.processEvents()
        assert tree.indexAt(QPoint(4, 1)).data(COMMUNITY).id == visible


def holds(community: Community, top: int) -> bool:
    """Whether a made community lies below one of the top."""
    known = {each.id: each for each in make_communities()}
    while community.parent_id is not None and community.parent_id in known:
        community = known[community.parent_id]
    return community.id == top


def test_a_community_that_is_gone_is_reported_and_let_go(
    panel: CommunitiesPanel, session: Session, qtbot: QtBot
) -> None:
    notices: list[Message] = []
    session.message_posted.connect(notices.append)
    session.selection.select(Selected("community", "99999"))  # of an old answer, or by the way back
    qtbot.waitUntil(lambda: bool(notices))
    assert "no longer there" in notices[0].text and session.selection.current is None
    assert not panel.report.isVisible()
    session.selection.select(Selected("community", "0"))
    wait_until_landed(session.tasks)
    assert len(notices) == 1 and session.selection.current == Selected("community", "0")


def test_a_community_that_was_not_read_yet_is_found_by_reading_again(
    panel: CommunitiesPanel, session: Session, qtbot: QtBot
) -> None:
    notices: list[Message] = []
    session.message_posted.connect(notices.append)
    panel.show_communities([each for each in make_communities() if holds(each, 0)])
    session.selection.select(Selected("community", "1"))  # indexing formed it a moment ago
    qtbot.waitUntil(lambda: panel.report.report is not None and panel.report.report.community_id == 1)
    assert notices == [] and panel.report.isVisible()


def test_a_community_is_asked_about_by_its_menu(panel: CommunitiesPanel, session: Session) -> None:
    community = panel.model.communities[0].id
    [about] = panel.row_menu(community).actions()
    about.trigger()
    assert session.scope.current.communities == (community,)
