"""The view of the graph as a person shapes it: filters, hiding, pinning, undoing, keeping, colours and sizes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.graph.drawing import node_id
from app.graph.panel import GraphPanel
from app.graph.view_card import LOOKS, VIEWS
from app.session import operations
from app.session.overlay import Overlay
from app.session.session import Session
from core.types import GraphFilter, GraphShape
from tests.app.conftest import open_now
from tests.app.graph.mouse import controls_of, drag, drawn, ids, item_of, place, settle, surface_of, view_of
from tests.waiting import process_events, wait_until

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session) -> GraphPanel:
    """The graph of the sample, at rest, in a window whose commands have their keys."""
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(1000, 760)
    panel.show()
    qtbot.waitExposed(panel)
    open_session.commands.bind(panel)
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count > 0)
    settle(panel)
    return panel


def visible(panel: GraphPanel) -> set[str]:
    return drawn(panel.canvas)


def places(panel: GraphPanel) -> dict[str, tuple[float, float]]:
    xy = item_of(panel.canvas).arrays.xy.astype(float).round(3) + 0.0
    return {id: (x, y) for id, (x, y) in zip(item_of(panel.canvas).arrays.ids, xy.tolist(), strict=True)}


def best(panel: GraphPanel) -> str:
    full_graph = panel.shaping.base
    assert full_graph is not None
    return full_graph.view.ids[int(np.argmax(full_graph.view.degree))]


def choose(box: QComboBox, words: str) -> None:
    """By the keyboard, in its list."""
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    wait_until(lambda: process_events() or box.view().isVisible())
    QTest.keyClick(box.view(), Qt.Key.Key_Home)
    for _ in range(box.findText(words, Qt.MatchFlag.MatchStartsWith)):
        QTest.keyClick(box.view(), Qt.Key.Key_Down)
    QTest.keyClick(box.view(), Qt.Key.Key_Return)
    process_events()


def test_a_press_on_a_type_leaves_its_entities_where_they_are(qtbot: QtBot, panel: GraphPanel) -> None:
    base, before = panel.shaping.base, places(panel)
    assert base is not None and panel.shape_bar.isHidden()
    QTest.keyClick(panel, Qt.Key.Key_F8)
    settle(panel)
    kind = next(each for each in panel.shape_card.form.kinds if each.text().startswith("person"))
    camera = view_of(panel.canvas).camera()
    qtbot.mouseClick(kind, LEFT)
    settle(panel)
    people = {id for id, label in zip(base.view.ids, base.view.labels, strict=True) if label == "PERSON"}
    assert visible(panel) == people and kind.text().endswith(str(len(people)))
    assert all(np.allclose(place, before[id], atol=2e-3) for id, place in places(panel).items())
    now = view_of(panel.canvas).camera()
    assert np.allclose(
        now.to_data(now.width / 2, now.height / 2), camera.to_data(camera.width / 2, camera.height / 2)
    )
    assert np.isclose(now.scale, camera.scale)
    share = f"{len(people)} of {len(base.view.ids)} entities, {panel.canvas.edge_count} of {len(base.view.edges)} links"
    assert panel.shape_bar.share.text() == share and panel.shape_bar.isVisible()
    assert [chip.text() for chip in panel.shape_bar.chips] == ["person"]
    qtbot.mouseClick(panel.shape_bar.chips[0], LEFT)
    settle(panel)
    assert visible(panel) == set(base.view.ids) and panel.shape_bar.isHidden()
    assert not kind.isChecked()


def test_numbers_dates_and_documents_are_typed_and_chosen(panel: GraphPanel, session: Session) -> None:
    QTest.keyClick(panel, Qt.Key.Key_F8)
    settle(panel)
    form, columns = panel.shape_card.form, panel.shaping.columns
    assert columns is not None
    for field, words in (
        (form.degree, "2"),
        (form.probability, "60"),
        (form.since, "2021-0"),
        (form.until, "2021"),
    ):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, words)
    wait_until(lambda: process_events() or panel.shaping.shape.filter.until == "2021")
    assert panel.shaping.shape.filter == GraphFilter(degree=2, until="2021", probability=0.6)
    QTest.keyClicks(form.since, "3")
    wait_until(lambda: process_events() or panel.shaping.shape.filter.since == "2021-03")
    settle(panel)
    title = next(form.document.itemText(row) for row in range(1, form.document.count()))
    choose(form.document, title[:12])
    settle(panel)
    (document,) = panel.shaping.shape.filter.documents
    assert columns.document_titles[columns.document_ids.index(document)] in title
    words = [chip.text() for chip in panel.shape_bar.chips]
    assert words[:3] == ["At least 2 links", "Probability from 60 %", "2021-03 to 2021"] and len(words) == 4
    assert panel.canvas.node_count > 0 or panel.canvas.empty_state.isVisible()
    QTest.keyClick(panel, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    settle(panel)
    assert panel.shaping.shape == GraphShape() and form.degree.value() == 0


def test_nothing_that_passes_is_stated_with_the_way_back(panel: GraphPanel, session: Session) -> None:
    count = panel.canvas.node_count
    panel.shaping.filter(states=("disputed",))
    settle(panel)
    assert panel.canvas.node_count == 0 and panel.canvas.empty_state.isVisible()
    session.commands.run("graph.clear")
    settle(panel)
    assert panel.canvas.node_count == count


def test_closed_communities_count_what_passes(panel: GraphPanel, session: Session) -> None:
    panel.folding.toggle.trigger()
    settle(panel)
    before = places(panel)
    panel.shaping.filter(labels=("PERSON", "ORG"))
    settle(panel)
    full_graph = panel.live.now.full_graph
    assert (
        full_graph is not None
        and panel.live.now.folded
        and len(full_graph.view.ids) < len(full_graph.base.view.ids)
    )
    assert int(item_of(panel.canvas).arrays.members.sum()) == len(full_graph.view.ids)
    assert all(np.allclose(place, before[id], atol=2e-3) for id, place in places(panel).items())
    top = max(full_graph.tops.values(), key=lambda each: len(each.entity_ids))
    panel.folding.open(top.id)
    settle(panel)
    inside = set(top.entity_ids)
    assert visible(panel) & inside or int(item_of(panel.canvas).arrays.members.sum()) == len(
        full_graph.view.ids
    )
    assert node_id(top.id) not in visible(panel) and not visible(panel) & (
        set(full_graph.base.view.ids) - set(full_graph.view.ids)
    )
    panel.search.setText(full_graph.view.names[0])
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert session.selection.current is not None and session.selection.current.kind == "entity"


def test_a_neighbourhood_keeps_to_the_filter(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    entity = best(panel)
    panel.expand(entity)
    qtbot.waitUntil(panel.crumb.isVisible)
    all_of_it = visible(panel)
    panel.shaping.filter(labels=("ORG",))
    settle(panel)
    full_graph = panel.live.now.full_graph
    assert full_graph is not None
    assert visible(panel) == {entity} | (all_of_it & set(full_graph.view.ids)) < all_of_it
    arrays = item_of(panel.canvas).arrays
    pairs = {frozenset(arrays.ids[row] for row in pair) for pair in arrays.edges.tolist()}
    linked = {frozenset(full_graph.view.ids[row] for row in pair) for pair in full_graph.view.edges.tolist()}
    assert pairs <= linked


def test_the_scope_of_the_session_keeps_the_dates(panel: GraphPanel, session: Session) -> None:
    panel.shaping.filter(since="2021-02", until="2021-12-31")
    session.scope.change(since="2021", until="2021-06")
    wanted = panel.shaping.wanted.filter
    assert (wanted.since, wanted.until) == ("2021-02", "2021-06")
    settle(panel)
    some = visible(panel)
    assert panel.shape_bar.chips[-1].text() == "Time: 2021 to 2021-06"
    panel.shape_bar.chips[-1].click()
    settle(panel)
    assert some < visible(panel) and not session.scope.current.dated


def test_hide_by_a_key_and_show_again(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    entity, before = best(panel), places(panel)
    qtbot.mouseClick(surface_of(panel.canvas), LEFT, pos=place(panel.canvas, entity))
    assert panel.canvas.selected() == entity
    QTest.keyClick(view_of(panel.canvas), Qt.Key.Key_H)
    settle(panel)
    assert visible(panel) == set(before) - {entity} and session.selection.current is None
    assert [chip.text() for chip in panel.shape_bar.chips] == ["1 hidden"]
    assert all(np.allclose(place, before[id], atol=2e-3) for id, place in places(panel).items())
    QTest.keyClick(view_of(panel.canvas), Qt.Key.Key_H, Qt.KeyboardModifier.ShiftModifier)
    settle(panel)
    assert places(panel) == before


def test_a_hidden_community_takes_all_that_it_holds(panel: GraphPanel, session: Session) -> None:
    full_graph = panel.shaping.base
    assert full_graph is not None
    panel.folding.toggle.trigger()
    settle(panel)
    top = next(iter(full_graph.tops.values()))
    operations.select_community(session, top.id)
    settle(panel)
    QTest.keyClick(view_of(panel.canvas), Qt.Key.Key_Delete)
    settle(panel)
    assert panel.shaping.shape.hidden == set(top.entity_ids) and node_id(top.id) not in visible(panel)


def test_the_selected_node_is_dragged_and_stays(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    entity, surface = best(panel), surface_of(panel.canvas)
    camera, before = view_of(panel.canvas).camera(), places(panel)
    qtbot.mouseClick(surface, LEFT, pos=place(panel.canvas, entity))
    settle(panel)
    begin, way = place(panel.canvas, entity), QPoint(-70, 50)
    drag(qtbot, panel.canvas, [begin + way * share for share in (0.0, 0.2, 0.6, 1.0)])
    settle(panel)
    ((pinned, *pin),) = panel.shaping.shape.pinned
    end = begin + way
    assert pinned == entity and np.allclose(
        pin, view_of(panel.canvas).camera().to_data(end.x(), end.y()), atol=1e-4
    )
    assert np.allclose(panel.canvas.place_of(entity), pin, atol=1e-4)
    others = {id: at for id, at in places(panel).items() if id != entity}
    assert all(np.allclose(at, before[id], atol=2e-3) for id, at in others.items())
    assert view_of(panel.canvas).camera().scale == camera.scale
    panel.refresh()  # it is read again, as after a layout
    wait_until(lambda: process_events() or panel.shaping.base is panel.live.now.base)
    settle(panel)
    assert np.allclose(panel.canvas.place_of(entity), pin, atol=1e-4)
    QTest.keyClick(view_of(panel.canvas), Qt.Key.Key_P)
    settle(panel)
    assert not panel.shaping.shape.pinned and np.allclose(
        panel.canvas.place_of(entity), before[entity], atol=2e-3
    )


def test_the_menu_pins_and_hides(panel: GraphPanel) -> None:
    entity = best(panel)
    menu = panel.folding.menu(entity, place(panel.canvas, entity))
    acts = {action.text(): action for action in menu.actions()}
    assert {"Pin here", "Hide"} <= set(acts)
    acts["Pin here"].trigger()
    settle(panel)
    assert panel.shaping.pinned(entity) and list(item_of(panel.canvas).pinned) == [entity]
    acts["Hide"].trigger()
    settle(panel)
    words = [action.text() for action in panel.folding.menu("", QPoint(2, 2)).actions()]
    assert entity not in visible(panel) and "Show 1 hidden entity again" in words


def test_changes_of_the_view_are_undone_in_order(panel: GraphPanel, session: Session) -> None:
    shaping, entity = panel.shaping, best(panel)
    all_of_it = places(panel)
    shaping.filter(labels=("PERSON", "ORG", "GPE"))
    settle(panel)
    filtered = places(panel)
    panel.folding.toggle.trigger()
    settle(panel)
    folded = places(panel)
    opened = panel.live.now.full_graph.around(entity)[0]  # type: ignore[union-attr]
    panel.folding.open(opened)
    settle(panel)
    after = places(panel)
    shaping.change(colour="label")
    settle(panel)
    keys = (Qt.Key.Key_Z, Qt.KeyboardModifier.AltModifier)
    again = (Qt.Key.Key_Z, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier)
    for expected in (after, folded, filtered, all_of_it):
        QTest.keyClick(panel, *keys)
        settle(panel)
        assert places(panel) == expected
    assert shaping.shape == GraphShape() and not shaping.can_undo
    for expected in (filtered, folded, after, after):
        QTest.keyClick(panel, *again)
        settle(panel)
        assert places(panel) == expected
    assert shaping.shape.colour == "label" and not shaping.can_redo


def test_colours_and_sizes_report_any_attribute(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    base, arrays, controls = panel.shaping.base, item_of(panel.canvas).arrays, controls_of(panel.canvas)
    assert base is not None
    QTest.keyClick(panel, Qt.Key.Key_F8)
    panel.shape_card.turn_to(LOOKS)
    settle(panel)
    columns = panel.shaping.columns
    assert columns is not None
    plain = item_of(panel.canvas).radii()
    choose(panel.shape_card.colour_by, "Type")
    settle(panel)
    labels = np.array(base.view.labels)
    for label in ("PERSON", "ORG", "GPE"):
        assert len(set(arrays.category[labels == label].tolist())) == 1
    assert controls.legend.heading.text() == "Type" and controls.heat.isHidden()
    count = int((labels == "PERSON").sum())
    assert ("Person", count) in [row[1:] for row in panel.canvas.legends().rows]
    person = next(
        each for each in controls.legend.findChildren(QWidget) if f"Person, {count}" in each.accessibleName()
    )
    qtbot.mouseClick(person, LEFT)
    lit = set(ids(panel.canvas, item_of(panel.canvas).emphasis.highlighted))
    assert lit == {id for id, label in zip(base.view.ids, labels, strict=True) if label == "PERSON"}
    qtbot.mouseClick(person, LEFT)
    choose(panel.shape_card.colour_by, "Mentions")
    choose(panel.shape_card.size_by, "Mentions")
    settle(panel)
    order = np.argsort(columns.mentions, kind="stable")
    assert (np.diff(arrays.level[order]) >= 0).all() and arrays.level.min() == 0 and arrays.level.max() == 1
    radii = item_of(panel.canvas).radii()
    assert (np.diff(radii[order]) >= -1e-4).all() and not np.allclose(radii, plain)
    words = controls.heat.numbers()
    assert controls.heat.isVisible() and controls.heat.title == "Mentions" and not controls.legend.listed
    assert (words[0], words[2]) == (str(columns.mentions.min()), str(columns.mentions.max()))
    session.overlay.draw(Overlay(heat={best(panel): 1.0}, title="Relevance"))
    settle(panel)
    assert controls.heat.title == "Relevance"
    session.overlay.draw(Overlay())
    settle(panel)
    assert controls.heat.title == "Mentions"


def test_a_view_is_stored_opened_renamed_and_deleted(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    workspace = session.workspace
    assert workspace is not None
    panel.shaping.filter(labels=("PERSON",))
    panel.shaping.hide([best(panel)])
    settle(panel)
    shape, displayed = panel.shaping.shape, places(panel)
    QTest.keyClick(panel, Qt.Key.Key_S, Qt.KeyboardModifier.AltModifier)
    views = panel.shape_card.views
    assert panel.shape_card.page == VIEWS and not views.keep.isEnabled()
    QTest.keyClicks(views.name, "People")
    QTest.keyClick(views.name, Qt.Key.Key_Return)
    wait_until(lambda: process_events() or bool(views.rows))
    assert [view.name for view in workspace.graph_views.all()] == ["People"] and views.name.text() == ""
    session.commands.run("graph.clear")
    settle(panel)
    assert panel.shaping.shape == GraphShape()
    qtbot.mouseClick(views.rows[0].open, LEFT)
    settle(panel)
    assert panel.shaping.shape == shape and places(panel) == displayed
    row = views.rows[0]
    qtbot.mouseClick(row.edit, LEFT)
    QTest.keyClick(row.field, Qt.Key.Key_Escape)
    assert row.field.isHidden() and panel.shape_card.isVisible()
    qtbot.mouseClick(row.edit, LEFT)
    QTest.keyClicks(row.field, "The crew")
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    wait_until(lambda: process_events() or [view.name for view in views.views] == ["The crew"])
    notices: list[object] = []
    session.message_posted.connect(notices.append)
    qtbot.mouseClick(views.rows[0].forget, LEFT)
    wait_until(lambda: process_events() or not views.rows)
    notices[0].act()  # type: ignore[attr-defined]
    wait_until(lambda: process_events() or bool(views.rows))
    assert [view.name for view in workspace.graph_views.all()] == ["The crew"]
    QTest.keyClick(panel.shape_card, Qt.Key.Key_Escape)
    assert panel.shape_card.isHidden()
