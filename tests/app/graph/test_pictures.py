"""What is seen as a file: parsed, rendered and compared with the canvas; hostile names do nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.export import GraphExport
from app.graph.picture import SCALE, image_of, svg_of
from app.look import theme
from app.session.session import Session
from core.progress import Cancelled
from tests.app.graph.mouse import place

HOSTILE = [
    "</text><script>alert(1)</script>",
    "a & b < c \" ' d",
    "nul\x00 bell\x07 \u202egpj.exe",
    "<img src=x onerror=y>",
]
SVG = "{http://www.w3.org/2000/svg}"
COMMUNITIES = np.array([0, 0, 0, 1, 1, 2, 2])


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    """Seven nodes in three communities, some with hostile names."""
    widget = GraphCanvas()
    qtbot.addWidget(widget)
    widget.resize(800, 600)
    widget.show()
    ids = ["hub", "west", "east", "north", "south", "far", "away"]
    widget.set_graph(
        ids,
        ["Hub Shipping", *HOSTILE, "Far Away", "Away"],
        COMMUNITIES,
        np.array([4, 1, 1, 1, 1, 1, 1]),
        np.array([[0, 0], [-2, 0], [2, 0], [0, 2], [0, -2], [5, 3], [5, 2]], np.float32),
        np.array([[0, 1], [0, 2], [0, 3], [0, 4], [5, 6]]),
    )
    widget.settle()
    return widget


def parsed(canvas: GraphCanvas) -> ElementTree.Element:
    return ElementTree.fromstring(svg_of(canvas.snapshot(), canvas.legends()))


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(part.itertext()) for part in root.iter(f"{SVG}text")]


def test_a_drawing_has_every_node_edge_name_and_the_legend(canvas: GraphCanvas) -> None:
    root = parsed(canvas)
    groups = list(root.iter(f"{SVG}g"))
    fills = Counter(part.get("fill") for part in groups for _ in part.findall(f"{SVG}circle"))
    for community in (0, 1):  # with one mark each in the legend
        colour = theme.current().community_mark(community)[0].name()
        assert fills[colour] == int((community == COMMUNITIES).sum()) + 1
    assert len(list(root.iter(f"{SVG}polyline"))) == 5
    words = texts(root)
    assert "Hub Shipping" in words and "Far Away" in words
    assert canvas.legends().heading in words and canvas.legends().counts in words
    assert canvas.legends().rows[0][1][:8] in " ".join(words)


def test_hostile_names_are_words_and_nothing_else(canvas: GraphCanvas) -> None:
    root = parsed(canvas)  # it is well formed
    allowed = {
        f"{SVG}{name}"
        for name in (
            "svg",
            "title",
            "desc",
            "defs",
            "g",
            "rect",
            "circle",
            "path",
            "polyline",
            "polygon",
            "text",
        )
    }
    assert {part.tag for part in root.iter()} <= allowed
    assert not any(key.startswith("on") or key == "href" for part in root.iter() for key in part.attrib)
    words = " ".join(texts(root))
    assert "<img src=x" in words and "a & b" in words and "\x00" not in words and "\u202e" not in words


def rendered(drawing: bytes) -> QImage:
    renderer = QSvgRenderer(drawing)
    assert renderer.isValid()
    image = QImage(renderer.viewBox().size() * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    return image


@pytest.mark.parametrize("name", ["light", "dark"])
def test_file_drawing_and_canvas_show_the_same_colours(
    canvas: GraphCanvas, name: str, qapp: QGuiApplication
) -> None:
    theme.apply(qapp, name)  # type: ignore[arg-type]
    canvas.settle()
    visible, legends = canvas.snapshot(), canvas.legends()
    file, drawing = image_of(visible, legends), rendered(svg_of(visible, legends))
    displayed = canvas.grab().toImage()
    ratio = canvas.devicePixelRatioF()
    for id in ("hub", "far", "south"):
        spot = place(canvas, id)
        wanted = displayed.pixelColor(round(spot.x() * ratio), round(spot.y() * ratio))
        for image in (file, drawing):
            found = image.pixelColor(SCALE * spot.x(), SCALE * spot.y())
            assert _near(found, wanted), (id, found.name(), wanted.name())
    assert file.pixelColor(700, 4).name() == theme.current().canvas


def _near(one: QColor, other: QColor) -> bool:
    return max(abs(a - b) for a, b in zip(one.getRgb(), other.getRgb(), strict=True)) <= 3


def test_what_stands_out_stands_out_in_the_picture(canvas: GraphCanvas) -> None:
    canvas.set_path(["west", "hub", "east"])
    canvas.choose(["far"])
    canvas.settle()
    root, accent = parsed(canvas), theme.current().accent
    groups = [part for part in root.iter(f"{SVG}g") if part.get("stroke") == accent]
    (way,) = (part for part in groups if part.get("stroke-width") == "3")
    assert len(way.findall(f"{SVG}polyline")) == 2
    assert sum(len(part.findall(f"{SVG}circle")) for part in groups) == 4  # of the chosen one and of the path


def test_a_picture_that_is_passed_up_ends(canvas: GraphCanvas) -> None:
    def stop() -> None:
        raise Cancelled

    for write in (svg_of, image_of):
        with pytest.raises(Cancelled):
            write(canvas.snapshot(), canvas.legends(), stop)


# ---------------------------------------------------------------- files


@pytest.fixture
def export(canvas: GraphCanvas, session: Session) -> GraphExport:
    return GraphExport(session, canvas)


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_picture_is_written(
    export: GraphExport, session: Session, qtbot: QtBot, tmp_path: Path, ending: str
) -> None:
    target = tmp_path / f"seen.{ending}"
    with qtbot.waitSignal(session.message_posted) as signal:
        export.save(target)
    assert str(target) in signal.args[0].text
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    if ending == "png":
        image = QImage(str(target))
        assert (image.width(), image.height()) == (SCALE * 800, SCALE * 600)
    else:
        assert ElementTree.parse(target).getroot().get("viewBox") == "0 0 800 600"


def test_where_nothing_can_be_written_it_says_so(
    export: GraphExport, session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    with qtbot.waitSignal(session.message_posted) as signal:
        export.save(tmp_path / "gone" / "seen.svg")
    assert signal.args[0].level == "error" and "gone" in signal.args[0].text


def test_without_a_graph_there_is_no_picture(export: GraphExport, canvas: GraphCanvas) -> None:
    assert export.why_not() == ""
    canvas.clear()
    assert export.why_not()
