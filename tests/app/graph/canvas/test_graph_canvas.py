"""The canvas driven as a person would: clicks, keys, wheel, and what is seen afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.drawing import entities, links
from app.look import theme
from tests.app.graph.mouse import card_of, controls_of, drag, item_of, place, surface_of, view_of, wheel
from tests.app.panel_case import hover
from tests.app.pixels import colors_of


def color_at(canvas: GraphCanvas, id: str) -> str:
    canvas.settle()
    return colors_of(canvas)(*place(canvas, id).toTuple()).name()


def click(qtbot: QtBot, canvas: GraphCanvas, point: QPoint) -> None:
    qtbot.mouseClick(surface_of(canvas), Qt.MouseButton.LeftButton, pos=point)


def test_nodes_wear_their_community(canvas: GraphCanvas) -> None:
    assert color_at(canvas, "hub") == theme.LIGHT.communities[0]
    assert color_at(canvas, "far") == theme.LIGHT.communities[2]


def test_theme_change_repaints(canvas: GraphCanvas, qapp: QApplication) -> None:
    theme.apply(qapp, "dark")
    assert color_at(canvas, "hub") == theme.DARK.communities[0]
    assert colors_of(canvas)(400, 3).name() == theme.DARK.canvas


def test_click_selects_and_empty_click_clears(canvas: GraphCanvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(canvas.node_selected) as emitted:
        click(qtbot, canvas, place(canvas, "west"))
    assert emitted.args == ["west"] and canvas.selected() == "west"
    with qtbot.waitSignal(canvas.selection_cleared):
        click(qtbot, canvas, QPoint(400, 60))
    assert canvas.selected() == ""


def covered_nodes(canvas: GraphCanvas) -> list[str]:
    """Ids of the nodes that lie below a legend, the counts, the buttons or the map."""
    parts = controls_of(canvas).covered()
    assert len(parts) >= 3, "there is something to keep clear of"
    return [
        id for id in item_of(canvas).arrays.ids if any(part.contains(place(canvas, id)) for part in parts)
    ]


@pytest.mark.parametrize("size", [(520, 300), (1500, 900)])
def test_the_full_graph_lies_next_to_the_legends(canvas: GraphCanvas, size: tuple[int, int]) -> None:
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


def test_double_click_asks_to_expand(canvas: GraphCanvas, qtbot: QtBot) -> None:
    spot = place(canvas, "hub")
    with qtbot.waitSignal(canvas.node_expand_requested) as emitted:
        qtbot.mouseClick(surface_of(canvas), Qt.MouseButton.LeftButton, pos=spot)
        qtbot.mouseDClick(surface_of(canvas), Qt.MouseButton.LeftButton, pos=spot)
    assert emitted.args == ["hub"]


def test_arrows_walk_between_neighbours(canvas: GraphCanvas, qtbot: QtBot) -> None:
    view = view_of(canvas)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert canvas.selected() == "hub"  # the best connected node comes first
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert canvas.selected() == "east"
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert canvas.selected() == "east"  # nothing further that way
    qtbot.keyClick(view, Qt.Key.Key_Left)
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert canvas.selected() == "north"
    with qtbot.waitSignal(canvas.node_expand_requested) as emitted:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert emitted.args == ["north"]
    with qtbot.waitSignal(canvas.selection_cleared):
        qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert canvas.selected() == ""


def test_select_centres(canvas: GraphCanvas) -> None:
    canvas.select("far")
    assert (place(canvas, "far") - canvas.rect().center()).manhattanLength() <= 3
    assert "Far Away" in view_of(canvas).accessibleDescription()


def test_wheel_zooms_about_the_pointer(canvas: GraphCanvas) -> None:
    view = view_of(canvas)
    spot, before = place(canvas, "east"), view.camera().scale
    wheel(view.viewport(), QPointF(spot), 120)
    assert view.camera().scale > before * 1.2
    assert (place(canvas, "east") - spot).manhattanLength() <= 2


def test_keys_zoom_and_fit(canvas: GraphCanvas, qtbot: QtBot) -> None:
    before = view_of(canvas).camera().scale
    qtbot.keyClick(view_of(canvas), Qt.Key.Key_Plus)
    qtbot.keyClick(view_of(canvas), Qt.Key.Key_Plus)
    assert view_of(canvas).camera().scale > before * 1.5
    qtbot.keyClick(view_of(canvas), Qt.Key.Key_F)
    assert view_of(canvas).camera().scale == pytest.approx(before, rel=0.01)


def test_dragging_pans(canvas: GraphCanvas, qtbot: QtBot) -> None:
    start, begin, way = place(canvas, "hub"), QPoint(400, 60), QPoint(-60, 30)
    drag(qtbot, canvas, [begin + way * (step / 6) for step in range(7)])
    moved = place(canvas, "hub") - start
    assert abs(moved.x() + 60) <= 12 and abs(moved.y() - 30) <= 8


def test_hover_reports_name_degree_and_community(canvas: GraphCanvas, qtbot: QtBot) -> None:
    canvas.set_units(entities, links)
    canvas.set_community_labels({0: "Shipping case"})
    hover(surface_of(canvas), place(canvas, "hub"))
    assert card_of(canvas).isVisible()
    assert card_of(canvas).text() == "Hub Shipping\n4 links  ·  Shipping case"
    view_of(canvas).left.emit()
    assert not card_of(canvas).isVisible()


def test_markup_in_names_stays_text(canvas: GraphCanvas) -> None:
    canvas.add_nodes(["x"], ["<b>bold</b>"], positions=[(-3.0, 3.0)])
    canvas.flush()
    view_of(canvas).pointed.emit(QPointF(place(canvas, "x")))
    assert card_of(canvas).text().startswith("<b>bold</b>")
    assert all(
        label.textFormat() == Qt.TextFormat.PlainText for label in card_of(canvas).findChildren(QLabel)
    )


def test_heat_recolours_grows_and_fades(canvas: GraphCanvas) -> None:
    canvas.set_heat({"hub": 0.5, "west": 0.01})
    radii = dict(zip(item_of(canvas).arrays.ids, canvas.snapshot().radii.tolist(), strict=True))
    assert radii["hub"] > radii["west"]
    assert color_at(canvas, "hub") == theme.LIGHT.heat_color(1.0).name()
    faded = QColor(color_at(canvas, "far"))
    assert faded.lightness() > 210, "the rest fades to 15 %"
    assert controls_of(canvas).heat.isVisible()
    assert "0.5" in controls_of(canvas).heat.accessibleName()
    canvas.set_heat({})
    assert color_at(canvas, "far") == theme.LIGHT.communities[2]
    assert not controls_of(canvas).heat.isVisible()


def test_path_is_lit(canvas: GraphCanvas) -> None:
    canvas.set_path(["west", "hub", "north"])
    canvas.settle()
    middle = (place(canvas, "west") + place(canvas, "hub")) / 2
    assert colors_of(canvas)(*middle.toTuple()).name() == theme.LIGHT.accent


def test_find_ranks_starts_before_insides(canvas: GraphCanvas) -> None:
    assert canvas.find("away") == ["away", "far"]
    assert canvas.find("bank") == ["east", "west"]
    assert canvas.find("  ") == [] and canvas.find("nobody") == []


def test_growth_puts_new_nodes_near_and_moves_nothing(canvas: GraphCanvas) -> None:
    before = item_of(canvas).arrays.xy.copy()
    canvas.add_edges([("new", "west"), ("later", "new"), ("west", "new")])
    canvas.add_nodes(["new"], ["New"], [0])
    canvas.flush()
    assert (canvas.node_count, canvas.edge_count) == (8, 6)  # the doubled edge counts once
    np.testing.assert_array_equal(item_of(canvas).arrays.xy[:7], before)
    gap = np.linalg.norm(item_of(canvas).arrays.xy - item_of(canvas).arrays.xy[7], axis=1)[:7]
    assert item_of(canvas).arrays.ids[int(np.argmin(gap))] == "west"
    canvas.add_nodes(["later", "new"], ["Later", "New"])  # its edge waited for it; a known id is left out
    canvas.flush()
    assert (canvas.node_count, canvas.edge_count) == (9, 7)
    assert canvas.neighbours("new") == ["west", "later"]
    assert color_at(canvas, "new") == theme.LIGHT.communities[0]


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
    assert np.isfinite(item_of(canvas).arrays.xy).all()
    canvas.clear()
    assert canvas.node_count == 0 and canvas.empty_state.isVisible()


def test_set_communities_recolours(canvas: GraphCanvas) -> None:
    canvas.set_communities({"hub": 5})
    assert color_at(canvas, "hub") == theme.LIGHT.communities[5]
    canvas.set_communities(np.full(7, 6))
    assert color_at(canvas, "away") == theme.LIGHT.communities[6]


def test_legend_lights_a_community(canvas: GraphCanvas, qtbot: QtBot) -> None:
    row = next(
        each
        for each in controls_of(canvas).legend.findChildren(QWidget)
        if each.accessibleName() == "Community Hub Shipping, 3 nodes"
    )
    with qtbot.waitSignal(canvas.community_chosen) as emitted:
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert emitted.args == [0]
    assert QColor(color_at(canvas, "far")).lightness() > 210
    with qtbot.waitSignal(canvas.community_chosen) as emitted:
        qtbot.keyClick(row, Qt.Key.Key_Space)
    assert emitted.args == [-1]
    assert color_at(canvas, "far") == theme.LIGHT.communities[2]


def test_on_a_low_canvas_the_graph_keeps_its_room(canvas: GraphCanvas) -> None:
    canvas.resize(760, 200)
    canvas.fit()
    bounds = item_of(canvas).arrays.bounds()
    assert view_of(canvas).camera().scale * (bounds[3] - bounds[1]) > 100, "half of the height, at least"
    canvas.set_heat({"hub": 0.5, "west": 0.1})
    controls = controls_of(canvas)
    assert controls.heat.isVisible() and not controls.legend.isVisible()
    assert controls.heat.geometry().right() < canvas.width() / 2, "beside the nodes"
    canvas.resize(760, 500)
    assert controls.legend.isVisible()


def test_the_map_is_displayed_as_it_was_when_its_place_is_free_again(
    canvas: GraphCanvas, qtbot: QtBot
) -> None:
    controls = controls_of(canvas)
    for chosen in (False, True):
        qtbot.keyClick(view_of(canvas), Qt.Key.Key_M)
        assert controls.map.isVisible() is chosen
        canvas.set_map_room(False)  # a card lies there
        assert not controls.map.isVisible()
        canvas.set_map_room(True)
        assert controls.map.isVisible() is chosen


def test_map_goes_where_it_is_clicked(canvas: GraphCanvas, qtbot: QtBot) -> None:
    overview = controls_of(canvas).map
    before = (place(canvas, "far") - canvas.rect().center()).manhattanLength()
    qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(overview.width() - 12, 12))
    assert (place(canvas, "far") - canvas.rect().center()).manhattanLength() < before / 2


def test_selection_survives_a_new_graph(canvas: GraphCanvas) -> None:
    canvas.select("east")
    canvas.set_graph(["east", "hub"], ["East", "Hub"], [0, 0], [1, 1], [[0, 0], [1, 1]], [[0, 1]])
    assert canvas.selected() == "east"
    canvas.set_graph(["hub"], ["Hub"], [0], [0], [[0, 0]], np.zeros((0, 2)))
    assert canvas.selected() == ""
