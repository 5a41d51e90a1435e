"""The treemap: areas in proportion that cover and do not overlap, keys and clicks, words for all."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.look import theme
from app.widgets.treemap import Treemap
from app.widgets.treemap_tiles import (
    Tile,
    TreemapItem,
    fill_of,
    ink,
    inner,
    nearest,
    shortened,
    squarify,
    tiles,
)
from tests.app.pixels import colors_of

KEY = Qt.Key


def area(rect: QRectF) -> float:
    return rect.width() * rect.height()


def items(tops: int = 3, inside: int = 4, deepest: int = 3) -> list[TreemapItem]:
    """Three levels: 0.., 100.., 1000..; the weight of each is the sum of those inside."""
    found, chance = [], random.Random(3)
    for top in range(tops):
        full = 0.0
        for middle in range(inside):
            weights = [chance.uniform(2, 30) for _ in range(deepest)]
            number = 100 + 10 * top + middle
            for at, weight in enumerate(weights):
                label = f"Leaf <b>{number}</b> & {at}"
                found.append(TreemapItem(10 * number + at, number, weight, label, top))
            found.append(TreemapItem(number, top, sum(weights), f"Middle {number}", top))
            full += sum(weights)
        found.append(TreemapItem(top, None, full, f"Top {top}", top, f"level 3, {full:.0f} entities"))
    return found


@pytest.fixture
def treemap(qtbot: QtBot, dressed_app: None) -> Treemap:
    created = Treemap()
    qtbot.addWidget(created)
    created.resize(600, 400)
    created.set_items(items())
    created.show()
    qtbot.waitExposed(created)
    created.setFocus()
    return created


# ------------------------------------------------------------ geometry


def test_the_example_of_the_paper() -> None:
    """Bruls, Huizing and van Wijk 2000, section 3.1: 6, 6, 4, 3, 2, 2, 1 in a rectangle of 6 by 4."""
    rects = squarify([6, 6, 4, 3, 2, 2, 1], QRectF(0, 0, 6, 4))
    sizes = [(round(rect.width(), 2), round(rect.height(), 2)) for rect in rects]
    assert sizes[:4] == [(3.0, 2.0), (3.0, 2.0), (1.71, 2.33), (1.29, 2.33)]
    assert sum(map(area, rects)) == pytest.approx(24)


@pytest.mark.parametrize(("count", "size"), [(1, (120, 80)), (7, (1000, 40)), (120, (311, 203))])
def test_areas_are_in_proportion_cover_all_and_do_not_overlap(count: int, size: tuple[int, int]) -> None:
    chance = random.Random(count)
    weights = sorted((chance.paretovariate(1.2) for _ in range(count)), reverse=True)
    full = QRectF(5, 9, *size)
    rects = squarify(weights, full)
    for weight, rect in zip(weights, rects, strict=True):
        assert area(rect) == pytest.approx(area(full) * weight / sum(weights), rel=0.02)
        assert full.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(rect)
    assert sum(map(area, rects)) == pytest.approx(area(full), rel=1e-6)
    for one, other in combinations(rects, 2):
        assert area(one.intersected(other)) < 1e-6 * area(full)


def test_no_room_is_no_fault() -> None:
    assert [area(rect) for rect in squarify([3, 2, 1], QRectF(0, 0, 0, 50))] == [0, 0, 0]
    assert [area(rect) for rect in squarify([1e16, 1, 1], QRectF(0, 0, 40, 30))] == [1200, 0, 0]


def test_those_inside_fill_their_parent_under_its_strip(treemap: Treemap) -> None:
    found = treemap.tiles
    assert {tile.depth for tile in found} == {1, 2}
    for tile in found:
        if tile.depth == 2:
            continue
        assert tile.header
        children = [child for child in found if child.item.parent == tile.item.id]
        room = inner(tile.rect)
        assert sum(area(child.rect) for child in children) == pytest.approx(area(room), rel=1e-6)
        weights = sum(child.item.weight for child in children)
        for child in children:
            assert room.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(child.rect)
            assert area(child.rect) == pytest.approx(area(room) * child.item.weight / weights, rel=0.02)


@pytest.mark.parametrize("count", [1, 40])
def test_every_area_is_reached_by_arrows(count: int) -> None:
    chance = random.Random(count)
    below = {None: [TreemapItem(n, None, w, str(n)) for n, w in enumerate(
        sorted((chance.paretovariate(1.1) for _ in range(count)), reverse=True))]}  # fmt: skip
    found: list[Tile] = tiles(below, None, QRectF(0, 0, 500, 300))
    reached, edge = {0}, [0]
    while edge:
        at = edge.pop()
        for way in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            next_ = nearest(found, at, *way)
            if next_ not in reached:
                reached.add(next_)
                edge.append(next_)
    assert len(reached) == count


def test_an_arrow_goes_where_it_points(treemap: Treemap, qtbot: QtBot) -> None:
    for key, side in ((KEY.Key_Right, 1), (KEY.Key_Left, -1)):
        before = treemap.rect_of(treemap.focused or 0).center().x()
        qtbot.keyClick(treemap, key)
        assert (treemap.rect_of(treemap.focused or 0).center().x() - before) * side > 0
    rim = treemap.focused
    qtbot.keyClick(treemap, KEY.Key_Left)
    assert treemap.focused == rim, "nothing lies beyond the rim"


# ------------------------------------------------------------ keys and clicks


def test_enter_goes_down_backspace_up_home_to_the_top(qtbot: QtBot, treemap: Treemap) -> None:
    top = treemap.focused
    with qtbot.waitSignal(treemap.opened) as went:
        qtbot.keyClick(treemap, KEY.Key_Return)
    assert went.args == [top] and treemap.place == top
    middle = treemap.focused
    qtbot.keyClick(treemap, KEY.Key_Enter)
    assert treemap.place == middle
    with qtbot.waitSignal(treemap.rose) as rose:
        qtbot.keyClick(treemap, KEY.Key_Backspace)
    assert rose.args == [top] and treemap.place == top and treemap.focused == middle
    qtbot.keyClick(treemap, KEY.Key_Return)
    with qtbot.waitSignal(treemap.rose) as rose:
        qtbot.keyClick(treemap, KEY.Key_Home)
    assert rose.args == [None] and treemap.place is None
    with qtbot.assertNotEmitted(treemap.rose):
        qtbot.keyClick(treemap, KEY.Key_Backspace)


def test_space_selects_and_enter_on_what_holds_nothing_does_too(qtbot: QtBot, treemap: Treemap) -> None:
    with qtbot.waitSignal(treemap.chosen) as signal:
        qtbot.keyClick(treemap, KEY.Key_Space)
    assert signal.args == [treemap.focused]
    treemap.set_place(100)
    with qtbot.waitSignal(treemap.chosen) as signal, qtbot.assertNotEmitted(treemap.opened):
        qtbot.keyClick(treemap, KEY.Key_Return)
    assert signal.args == [treemap.focused] and treemap.place == 100


def test_a_click_selects_a_double_click_goes_down(qtbot: QtBot, treemap: Treemap) -> None:
    child = next(tile for tile in treemap.tiles if tile.depth == 2)
    with qtbot.waitSignal(treemap.chosen) as signal:
        qtbot.mouseClick(treemap, Qt.MouseButton.LeftButton, pos=child.rect.center().toPoint())
    assert signal.args == [child.item.id] and treemap.place is None
    parent = treemap.rect_of(child.item.parent or 0)
    strip = parent.topLeft().toPoint() + QPoint(int(parent.width()) // 2, 8)
    with qtbot.waitSignal(treemap.opened) as went:
        qtbot.mouseDClick(treemap, Qt.MouseButton.LeftButton, pos=strip)
    assert went.args == [child.item.parent]


def test_place_and_focus_stay_when_the_items_are_read_again(treemap: Treemap) -> None:
    treemap.set_place(1)
    treemap.select(112)
    treemap.set_items(items())
    assert treemap.place == 1 and treemap.focused == 112
    treemap.set_items(items(tops=1))
    assert treemap.place is None and treemap.focused is not None


# ------------------------------------------------------------ what is heard and seen


def test_name_and_description_follow_the_focus(qtbot: QtBot, treemap: Treemap) -> None:
    first = treemap.accessibleName()
    assert first.startswith("Top ") and "1 of 3" in treemap.accessibleDescription()
    assert "Enter shows the 4 inside" in treemap.accessibleDescription()
    qtbot.keyClick(treemap, KEY.Key_Right)
    assert treemap.accessibleName() != first and "2 of 3" in treemap.accessibleDescription()
    treemap.select(treemap.focused)
    assert treemap.accessibleDescription().endswith("selected")


def test_a_tooltip_is_plain_text(treemap: Treemap) -> None:
    treemap.set_place(100)
    middle = treemap.tiles[0].rect.center().toPoint()
    QApplication.sendEvent(treemap, QHelpEvent(QEvent.Type.ToolTip, middle, treemap.mapToGlobal(middle)))
    assert "Leaf &lt;b&gt;" in QToolTip.text() and "<b>" not in QToolTip.text() and treemap.tip(-1) == ""


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_text_is_read_on_every_colour(treemap: Treemap, name: theme.Mode) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme.apply(app, name)
    for colour in range(16):
        for header in (False, True):
            tile = Tile(TreemapItem(1, None, 1, "a", colour), QRectF(0, 0, 90, 90), 1, 1, header)
            for lit in (False, True):
                fill = fill_of(tile, lit)
                assert theme.contrast(fill, ink(fill, theme.current().text)) >= 4.5


def test_selected_and_focused_are_visible(treemap: Treemap) -> None:
    treemap.clearFocus()
    plain = treemap.grab().toImage()
    treemap.select(treemap.focused)
    chosen = treemap.grab().toImage()
    treemap.setFocus()
    assert plain != chosen and treemap.grab().toImage() != chosen


@pytest.mark.usefixtures("qtbot")
def test_a_name_of_which_hardly_a_letter_fits_is_left_out() -> None:
    metrics = QFontMetricsF(theme.font())
    full = metrics.horizontalAdvance("Calder Reach")
    assert shortened("Calder Reach", metrics, full + 1) == "Calder Reach"
    cut = shortened("Calder Reach", metrics, 0.7 * full)
    assert cut.startswith("Cald")
    assert cut.endswith("\u2026")
    assert shortened("Calder Reach", metrics, metrics.horizontalAdvance("Ca\u2026") + 1) == ""
    assert shortened("Ca", metrics, full) == "Ca"


@pytest.mark.parametrize(("size", "count"), [((120, 80), 5_000), ((900, 700), 1)])
def test_any_number_at_any_size(treemap: Treemap, size: tuple[int, int], count: int) -> None:
    chance = random.Random(1)
    some = [TreemapItem(0, None, count, "All of it", 0)]
    some += [TreemapItem(n, 0, chance.paretovariate(1.1), f"Number {n}", 0) for n in range(1, count + 1)]
    treemap.resize(*size)
    treemap.set_items(some)
    color = colors_of(treemap)
    colours = {color(x, y).name() for x in range(0, size[0], 7) for y in range(0, size[1], 7)}
    assert len(colours) > 1 and treemap.tile_at(QRectF(treemap.rect()).center()) >= 0


def test_nothing_to_show(treemap: Treemap, qtbot: QtBot) -> None:
    treemap.set_items([])
    for key in (KEY.Key_Left, KEY.Key_Return, KEY.Key_Space, KEY.Key_Backspace):
        qtbot.keyClick(treemap, key)
    assert treemap.focused is None and treemap.accessibleDescription() == "Nothing to show"
