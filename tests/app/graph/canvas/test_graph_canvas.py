"""The canvas driven as a person would: clicks, keys, wheel, and what is seen afterwards."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.edges import HERE
from app.graph.canvas.items import GraphItem
from app.graph.canvas.lines import Content
from app.graph.drawing import entities, links
from app.look import theme
from app.look.motion import set_motion
from tests.app.panel_case import hover
from tests.app.pixels import colors_of


def place(canvas: GraphCanvas, id: str) -> QPoint:
    """Where a node is on the canvas."""
    row = canvas._arrays.row[id]
    x, y = canvas._view.camera().to_screen(canvas._arrays.xy)[row].tolist()
    return QPoint(round(x), round(y))


def color_at(canvas: GraphCanvas, id: str) -> str:
    canvas.settle()
    return colors_of(canvas)(*place(canvas, id).toTuple()).name()


def click(qtbot: QtBot, canvas: GraphCanvas, point: QPoint) -> None:
    qtbot.mouseClick(canvas._view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def test_nodes_wear_their_community(canvas: GraphCanvas) -> None:
    assert color_at(canvas, "hub") == theme.LIGHT.communities[0]
    assert color_at(canvas, "far") == theme.LIGHT.communities[2]


def test_theme_change_repaints(canvas: GraphCanvas, qapp: QApplication) -> None:
    theme.apply(qapp, "dark")
    assert color_at(canvas, "hub") == theme.DARK.communities[0]
    assert colors_of(canvas)(400, 3).name() == theme.DARK.canvas


def test_click_selects_and_empty_click_clears(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(canvas.node_selected) as heard:
        click(qtbot, canvas, place(canvas, "west"))
    assert heard.args == ["west"] and canvas.selected() == "west"
    with qtbot.waitSignal(canvas.selection_cleared):
        click(qtbot, canvas, QPoint(400, 60))
    assert canvas.selected() == ""


def covered_nodes(canvas: GraphCanvas) -> list[str]:
    """Ids of the nodes that lie below a legend, the counts, the buttons or the map."""
    parts = canvas._controls.covered()
    assert len(parts) >= 3, "there is something to keep clear of"
    return [id for id in canvas._arrays.ids if any(part.contains(place(canvas, id)) for part in parts)]


@pytest.mark.parametrize("size", [(640, 420), (800, 600), (520, 300), (1500, 900)])
def test_the_whole_graph_lies_beside_the_legends(canvas: GraphCanvas, size: tuple[int, int]) -> None:
    canvas.resize(*size)
    across, up = np.meshgrid(np.linspace(0, 16, 17), np.linspace(0, 9, 10))
    spots = np.stack([across.ravel(), up.ravel()], 1)
    count = len(spots)
    ids = [str(at) for at in range(count)]
    canvas.set_graph(ids, ids, np.arange(count) % 8, np.ones(count, int), spots, np.zeros((0, 2)))
    canvas.fit(animate=False)
    assert covered_nodes(canvas) == []
    inside = canvas.rect().adjusted(8, 8, -8, -8)
    assert all(inside.contains(place(canvas, id)) for id in ids)
    canvas.resize(size[0] + 90, size[1] - 40)
    assert covered_nodes(canvas) == [], "a view that follows the graph follows the canvas"


def test_what_reaches_no_legend_is_shown_as_large_as_it_can_be(canvas: GraphCanvas) -> None:
    # A cross: its arms end where nothing lies, so the legends in the corners cost it no size.
    spots = [(-4, 0), (4, 0), (0, -3), (0, 3)]
    canvas.set_graph("abcd", "abcd", [0, 0, 1, 1], [1] * 4, spots, [(0, 1), (2, 3)])
    canvas.fit(animate=False)
    assert covered_nodes(canvas) == []
    assert place(canvas, "c").y() - place(canvas, "d").y() == pytest.approx(600 - 2 * 64, abs=2)


def test_double_click_asks_to_expand(canvas: GraphCanvas, qtbot: QtBot) -> None:
    spot = place(canvas, "hub")
    with qtbot.waitSignal(canvas.node_expand_requested) as heard:
        qtbot.mouseClick(canvas._view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        qtbot.mouseDClick(canvas._view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert heard.args == ["hub"]


def test_arrows_walk_between_neighbours(canvas: GraphCanvas, qtbot: QtBot) -> None:
    view = canvas._view
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert canvas.selected() == "hub"  # the best connected node comes first
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert canvas.selected() == "east"
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert canvas.selected() == "east"  # nothing further that way
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert canvas.selected() == "north"
    with qtbot.waitSignal(canvas.node_expand_requested) as heard:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert heard.args == ["north"]
    with qtbot.waitSignal(canvas.selection_cleared):
        qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert canvas.selected() == ""


def test_calls_emit_no_acts_of_the_person(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(canvas.node_selected), qtbot.assertNotEmitted(canvas.selection_cleared):
        canvas.select("east")
        canvas.select("")


def test_select_centres(canvas: GraphCanvas) -> None:
    canvas.select("far")
    assert (place(canvas, "far") - canvas.rect().center()).manhattanLength() <= 3
    assert "Far Away" in canvas._view.accessibleDescription()


def test_wheel_zooms_about_the_pointer(canvas: GraphCanvas) -> None:
    view = canvas._view
    spot, before = place(canvas, "east"), view.camera().scale
    event = QWheelEvent(
        QPointF(spot),
        view.mapToGlobal(QPointF(spot)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)
    assert view.camera().scale > before * 1.2
    assert (place(canvas, "east") - spot).manhattanLength() <= 2


def test_keys_zoom_and_fit(canvas: GraphCanvas, qtbot: QtBot) -> None:
    before = canvas._view.camera().scale
    qtbot.keyClick(canvas._view, Qt.Key.Key_Plus)
    qtbot.keyClick(canvas._view, Qt.Key.Key_Plus)
    assert canvas._view.camera().scale > before * 1.5
    qtbot.keyClick(canvas._view, Qt.Key.Key_F)
    assert canvas._view.camera().scale == pytest.approx(before, rel=0.01)


def test_dragging_pans(canvas: GraphCanvas, qtbot: QtBot) -> None:
    viewport, start = canvas._view.viewport(), place(canvas, "hub")
    from_, to = QPoint(400, 60), QPoint(340, 90)
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=from_)
    for step in range(1, 7):
        qtbot.mouseMove(viewport, from_ + (to - from_) * step / 6)
        QApplication.processEvents()
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=to)
    moved = place(canvas, "hub") - start
    assert abs(moved.x() + 60) <= 12 and abs(moved.y() - 30) <= 8


def test_hover_tells_name_degree_and_community(canvas: GraphCanvas, qtbot: QtBot) -> None:
    canvas.set_units(entities, links)
    canvas.set_community_labels({0: "Shipping case"})
    hover(canvas._view.viewport(), place(canvas, "hub"))
    assert canvas._card.isVisible()
    assert canvas._card.text() == "Hub Shipping\n4 links  ·  Shipping case"
    canvas._view.left.emit()
    assert not canvas._card.isVisible()


def test_markup_in_names_stays_text(canvas: GraphCanvas) -> None:
    canvas.add_nodes(["x"], ["<b>bold</b>"], positions=[(-3.0, 3.0)])
    canvas.flush()
    canvas._view.pointed.emit(QPointF(place(canvas, "x")))
    assert canvas._card.text().startswith("<b>bold</b>")
    assert canvas._card._headline.textFormat() == Qt.TextFormat.PlainText


def test_heat_recolours_grows_and_fades(canvas: GraphCanvas) -> None:
    canvas.set_heat({"hub": 0.5, "west": 0.01})
    radii = dict(zip(canvas._arrays.ids, canvas._item.radii().tolist(), strict=True))
    assert radii["hub"] > radii["west"]
    assert color_at(canvas, "hub") == theme.LIGHT.heat_color(1.0).name()
    faded = QColor(color_at(canvas, "far"))
    assert faded.lightness() > 210, "the rest fades to 15 %"
    assert canvas._controls.heat.isVisible()
    assert "0.5" in canvas._controls.heat.accessibleName()
    canvas.set_heat({})
    assert color_at(canvas, "far") == theme.LIGHT.communities[2]
    assert not canvas._controls.heat.isVisible()


def test_path_is_lit(canvas: GraphCanvas) -> None:
    canvas.set_path(["west", "hub", "north"])
    canvas.settle()
    middle = (place(canvas, "west") + place(canvas, "hub")) / 2
    assert colors_of(canvas)(*middle.toTuple()).name() == theme.LIGHT.accent


def test_find_ranks_starts_before_insides(canvas: GraphCanvas) -> None:
    assert canvas.find("away") == ["away", "far"]
    assert canvas.find("bank") == ["east", "west"]
    assert canvas.find("  ") == [] and canvas.find("nobody") == []


def test_locate_centres(canvas: GraphCanvas) -> None:
    canvas.locate("away")
    assert (place(canvas, "away") - canvas.rect().center()).manhattanLength() <= 3


def test_growth_puts_new_nodes_near_and_moves_nothing(canvas: GraphCanvas) -> None:
    before = canvas._arrays.xy.copy()
    canvas.add_edges([("new", "west"), ("later", "new"), ("west", "new")])
    canvas.add_nodes(["new"], ["New"], [0])
    canvas.flush()
    assert (canvas.node_count, canvas.edge_count) == (8, 6)  # the doubled edge counts once
    np.testing.assert_array_equal(canvas._arrays.xy[:7], before)
    gap = np.linalg.norm(canvas._arrays.xy - canvas._arrays.xy[7], axis=1)[:7]
    assert canvas._arrays.ids[int(np.argmin(gap))] == "west"
    canvas.add_nodes(["later", "new"], ["Later", "New"])  # its edge waited for it; a known id is left out
    canvas.flush()
    assert (canvas.node_count, canvas.edge_count) == (9, 7)
    assert canvas.neighbours("new") == ["west", "later"]
    assert color_at(canvas, "new") == theme.LIGHT.communities[0]


def test_growth_comes_by_itself(canvas: GraphCanvas, qtbot: QtBot) -> None:
    canvas.add_nodes([f"n{i}" for i in range(400)], ["N"] * 400)
    assert canvas.node_count == 7, "nothing is drawn inside the call"
    qtbot.waitUntil(lambda: canvas.node_count == 407)


def test_growth_from_nothing(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(600, 400)
    canvas.show()
    assert canvas.empty_state.isVisible()
    canvas.add_nodes(["a", "b", "c"], ["A", "B", "C"], [0, 0, -1])
    canvas.add_edges([("a", "b")])
    canvas.flush()
    assert not canvas.empty_state.isVisible()
    assert np.isfinite(canvas._arrays.xy).all()
    canvas.clear()
    assert canvas.node_count == 0 and canvas.empty_state.isVisible()


def test_fade_in_ends_opaque(canvas: GraphCanvas, qtbot: QtBot) -> None:
    set_motion(True)
    canvas.add_nodes(["x"], ["X"], [0], positions=[(-3.0, 3.0)])
    canvas.flush()
    assert canvas._item._opacity(8)[7] < 0.9
    qtbot.waitUntil(lambda: canvas._item._opacity(8)[7] == 1.0)
    assert color_at(canvas, "x") == theme.LIGHT.communities[0]


def test_set_communities_recolours(canvas: GraphCanvas) -> None:
    canvas.set_communities({"hub": 5})
    assert color_at(canvas, "hub") == theme.LIGHT.communities[5]
    canvas.set_communities(np.full(7, 6))
    assert color_at(canvas, "away") == theme.LIGHT.communities[6]


def test_legend_lights_a_community(canvas: GraphCanvas, qtbot: QtBot) -> None:
    row = canvas._controls.legend._rows[0]
    assert row.accessibleName() == "Community Hub Shipping, 3 nodes"
    with qtbot.waitSignal(canvas.community_chosen) as heard:
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert heard.args == [0]
    assert QColor(color_at(canvas, "far")).lightness() > 210
    with qtbot.waitSignal(canvas.community_chosen) as heard:
        qtbot.keyClick(row, Qt.Key.Key_Space)
    assert heard.args == [-1]
    assert color_at(canvas, "far") == theme.LIGHT.communities[2]


def test_a_narrow_canvas_shows_the_map_only_when_asked(canvas: GraphCanvas, qtbot: QtBot) -> None:
    controls = canvas._controls
    canvas.resize(420, 350)
    assert controls.legend.isVisible() and not controls.map.isVisible()
    assert not controls._map_button.isChecked()
    controls.toggle_map()
    assert controls.map.isVisible() and controls._map_button.isChecked()
    controls.toggle_map()
    assert not controls.map.isVisible()


def test_the_legend_says_what_its_numbers_count(canvas: GraphCanvas) -> None:
    assert canvas._controls.legend.heading.text() == "Communities, entities drawn"


def test_on_a_low_canvas_the_graph_keeps_its_room(canvas: GraphCanvas) -> None:
    canvas.resize(760, 200)
    canvas.fit()
    bounds = canvas._arrays.bounds()
    assert canvas._view.camera().scale * (bounds[3] - bounds[1]) > 100, "half of the height, at least"
    canvas.set_heat({"hub": 0.5, "west": 0.1})
    controls = canvas._controls
    assert controls.heat.isVisible() and not controls.legend.isVisible()
    assert controls.heat.geometry().right() < canvas.width() / 2, "beside the nodes"
    canvas.set_map_room(False)  # a card lies at the right
    assert controls._bar.geometry().right() < canvas.width() / 2
    canvas.set_map_room(True)
    canvas.resize(760, 500)
    assert controls.legend.isVisible() and controls._bar.geometry().left() > canvas.width() / 2


def test_a_map_that_was_turned_off_stays_off_when_its_place_is_free_again(canvas: GraphCanvas) -> None:
    controls = canvas._controls
    for chosen in (False, True):
        controls.toggle_map()
        assert controls.map.isVisible() is chosen
        canvas.set_map_room(False)  # a card lies there
        assert not controls.map.isVisible() and not controls._map_button.isEnabled()
        canvas.set_map_room(True)
        assert controls.map.isVisible() is chosen and controls._map_button.isChecked() is chosen


def test_what_lies_upon_the_graph_stays_above_the_legend(canvas: GraphCanvas) -> None:
    card = QWidget(canvas)
    card.show()
    card.raise_()
    canvas._controls.refresh()
    order = canvas.children()
    assert order.index(card) > order.index(canvas._controls.legend)


def test_map_goes_where_it_is_clicked(canvas: GraphCanvas, qtbot: QtBot) -> None:
    overview = canvas._controls.map
    overview.grab()
    x, y = overview._map.to_screen(canvas._arrays.xy)[5].tolist()
    qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))
    assert (place(canvas, "far") - canvas.rect().center()).manhattanLength() < 40
    qtbot.keyClick(canvas._view, Qt.Key.Key_M)
    assert not overview.isVisible()


def test_selection_survives_a_new_graph(canvas: GraphCanvas) -> None:
    canvas.select("east")
    canvas.set_graph(["east", "hub"], ["East", "Hub"], [0, 0], [1, 1], [[0, 0], [1, 1]], [[0, 1]])
    assert canvas.selected() == "east"
    canvas.set_graph(["hub"], ["Hub"], [0], [0], [[0, 0]], np.zeros((0, 2)))
    assert canvas.selected() == ""


def test_a_small_change_of_a_large_graph_costs_one_frame_and_no_line_on_this_thread(
    canvas: GraphCanvas, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, count = np.random.default_rng(3), 400
    ids, places = [str(row) for row in range(count)], rng.random((count, 2), np.float32)
    edges = rng.integers(0, count, (HERE + 500, 2))

    def show(count: int) -> None:
        zeros = np.zeros(count, np.int32)
        canvas.set_graph(ids[:count], ids[:count], zeros, zeros + 9, places[:count], edges % count)

    show(count)
    canvas.settle()
    qtbot.waitUntil(lambda: not canvas._stage._frame.isActive())
    before = canvas.grab().toImage()
    frames, drew = [], []
    paint = GraphItem._paint
    monkeypatch.setattr(GraphItem, "_paint", lambda *given: (frames.append(1), paint(*given)))
    fill, paint_here = Content.fill, Content.paint

    def draw(made: Any, *given: Any) -> None:
        drew.append(threading.get_ident())
        made(*given)

    monkeypatch.setattr(Content, "fill", lambda *given: draw(fill, *given))
    monkeypatch.setattr(Content, "paint", lambda *given: draw(paint_here, *given))
    canvas.update()
    canvas.grab()
    assert not frames, "what lies upon the graph is painted anew without it"
    places[0] += 3 / canvas._view.camera().scale  # pixels
    show(count - 1)
    qtbot.waitUntil(lambda: not canvas._stage._frame.isActive())
    assert len(frames) == 1
    assert len(drew) == 1 and threading.get_ident() not in drew
    assert canvas.grab().toImage() != before
