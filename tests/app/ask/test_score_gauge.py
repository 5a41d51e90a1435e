"""The route gauge: painted zones, clicks, keys, words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ask.route import RouteSection
from app.ask.score_gauge import ScoreGauge
from app.look import theme
from tests.app.pixels import colors_of

FEATURES = [
    ("two named entities", 0.21),
    ("short question", -0.3),
    ("a", 0.01),
    ("b", 0.02),
    ("c", 0.03),
    ("d", 0.04),
]


@pytest.fixture
def gauge(qtbot: QtBot) -> ScoreGauge:
    widget = ScoreGauge()
    qtbot.addWidget(widget)
    widget.resize(360, 200)
    widget.show()
    widget.set_score(0.55, 0.4, 0.7, "fusion", FEATURES)
    return widget


def test_zones_meet_at_the_thresholds(gauge: ScoreGauge) -> None:
    left, middle, right = (gauge.zone_rect(index) for index in range(3))
    assert left.right() == middle.left() and middle.right() == right.left()
    share = (middle.left() - left.left()) / (right.right() - left.left())
    assert share == pytest.approx(0.4)


def test_the_route_is_filled_and_the_needle_is_at_the_score(gauge: ScoreGauge) -> None:
    color = colors_of(gauge)
    zone = gauge.zone_rect(1)
    assert color(int(zone.left()) + 6, int(zone.top()) + 6).name() == theme.LIGHT.accent_soft
    assert color(int(gauge.zone_rect(0).left()) + 6, int(zone.top()) + 6).name() == theme.LIGHT.raised
    row = int(zone.center().y())
    dark = [x for x in range(gauge.width()) if color(x, row - 8).lightness() < 60]
    assert dark and abs(sum(dark) / len(dark) - gauge._x(0.55)) < 2


def test_only_the_five_that_moved_it_most_in_words(gauge: ScoreGauge) -> None:
    words = gauge.accessibleDescription()
    assert "Score 0.55, thresholds 0.40 and 0.70, route fusion chosen" in words
    assert (
        words.index("short question -0.30") < words.index("two named entities +0.21") < words.index("d +0.04")
    )
    assert "a +0.01" not in words


def test_clicking_a_zone_asks_for_it(gauge: ScoreGauge, qtbot: QtBot) -> None:
    with qtbot.waitSignal(gauge.zone_chosen) as heard:
        qtbot.mouseClick(gauge, Qt.MouseButton.LeftButton, pos=gauge.zone_rect(2).center().toPoint())
    assert heard.args == ["graph"]
    with qtbot.assertNotEmitted(gauge.zone_chosen):
        qtbot.mouseClick(gauge, Qt.MouseButton.LeftButton, pos=gauge.rect().bottomLeft())


def test_keys_choose_a_zone(gauge: ScoreGauge, qtbot: QtBot) -> None:
    for _ in range(4):
        qtbot.keyClick(gauge, Qt.Key.Key_Left)
    with qtbot.waitSignal(gauge.zone_chosen) as heard:
        qtbot.keyClick(gauge, Qt.Key.Key_Return)
    assert heard.args == ["dense"]


def test_forced_is_said(gauge: ScoreGauge) -> None:
    gauge.set_score(0.1, 0.4, 0.7, "graph", [], forced=True)
    assert "route graph forced" in gauge.accessibleDescription()
    assert gauge.heightForWidth(360) < 100, "no room is kept for features that are not there"


@pytest.mark.parametrize("score", [-1.0, 0.0, 1.0, 7.0])
def test_ends_are_painted_inside(gauge: ScoreGauge, score: float) -> None:
    gauge.set_score(score, 0.0, 1.0, "fusion", [("nothing", 0.0)])
    assert 0 <= gauge._x(gauge._needle) <= gauge.width()
    gauge.grab()


def test_clear_shows_no_score(gauge: ScoreGauge) -> None:
    gauge.clear()
    assert gauge.accessibleDescription() == "No score yet"
    gauge.grab()


def test_a_long_name_of_a_route_needs_no_more_room(qtbot: QtBot) -> None:
    section = RouteSection()
    qtbot.addWidget(section)
    section.heading.setText("Dense")
    narrow = section.minimumSizeHint().width()
    section.heading.setText("Composition " + "ea-graphrag-adapter " * 4)
    assert section.minimumSizeHint().width() == narrow
