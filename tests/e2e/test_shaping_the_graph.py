"""A person shapes the graph by keys and mouse: filters, hides, pins, undoes, keeps a view and opens it again later."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.graph.panel import GraphPanel
from app.look import theme
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import GraphShape
from tests.e2e.keyboard import Keyboard
from tests.waiting import process_events

pytestmark = pytest.mark.long

PICTURES = Path(os.environ.get("CLEW_SCREENSHOTS", Path(__file__).resolve().parents[1] / "screenshots"))
LEFT = Qt.MouseButton.LeftButton


def opened(keys: Keyboard, workspace: Path) -> GraphPanel:
    operations.open_workspace(keys.session, workspace)
    keys.until(lambda: keys.window.workbench is not None)
    bench = keys.window.workbench
    assert bench is not None
    keys.until(lambda: bench.graph.canvas.node_count > 20)
    settle(keys, bench.graph)
    return bench.graph


def settle(keys: Keyboard, graph: GraphPanel) -> None:
    keys.until(lambda: not (graph.shaping.busy or graph.live.pending))
    process_events()
    graph.canvas.settle()


def spot(graph: GraphPanel, id: str) -> QPoint:
    canvas = graph.canvas
    x, y = canvas._view.camera().to_screen(canvas._arrays.xy)[canvas._arrays.row[id]].tolist()
    return QPoint(round(x), round(y))


def drag(graph: GraphPanel, begin: QPoint, way: QPoint) -> None:
    surface, none = graph.canvas._view.viewport(), Qt.KeyboardModifier.NoModifier
    QTest.mousePress(surface, LEFT, pos=begin)
    for share in (0.2, 0.6, 1.0):
        here = QPointF(begin + way * share)
        around = QPointF(surface.mapToGlobal(here.toPoint()))
        moved = QMouseEvent(QEvent.Type.MouseMove, here, around, Qt.MouseButton.NoButton, LEFT, none)
        QApplication.sendEvent(surface, moved)
    QTest.mouseRelease(surface, LEFT, pos=begin + way)
    process_events()


def pictures(keys: Keyboard, graph: GraphPanel, name: str) -> None:
    """In both themes and both sizes, for a person to look at."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for mode in ("light", "dark"):
        theme.apply(QApplication.instance(), mode)  # type: ignore[arg-type]
        for width, height in ((2560, 1440), (1440, 900)):
            keys.window.resize(width, height)
            settle(keys, graph)
            process_events()
            file = PICTURES / f"{name}-{mode}-{width}x{height}.png"
            assert keys.window.grab().save(str(file)) and file.stat().st_size > 20_000
    theme.apply(QApplication.instance(), "light")  # type: ignore[arg-type]


def hide_and_pin(qtbot: QtBot, keys: Keyboard, graph: GraphPanel) -> tuple[str, tuple[float, float]]:
    """Hide the best connected node and show it again; drag it, undo that and do it again. The node and its place."""
    shaping, canvas = graph.shaping, graph.canvas
    count = canvas.node_count
    entity = canvas._arrays.ids[
        int(np.argmax(canvas._arrays.degree))
    ]  # hidden by its key, and shown by another
    qtbot.mouseClick(canvas._view.viewport(), LEFT, pos=spot(graph, entity))
    keys.until(lambda: canvas.selected() == entity)
    keys.press("H")
    settle(keys, graph)
    assert canvas.node_count == count - 1 and entity not in canvas._arrays.row
    keys.press("Shift+H")
    settle(keys, graph)
    assert canvas.node_count == count

    qtbot.mouseClick(canvas._view.viewport(), LEFT, pos=spot(graph, entity))
    settle(keys, graph)
    drag(graph, spot(graph, entity), QPoint(60, 80))
    settle(keys, graph)
    place = canvas.place_of(entity)
    assert shaping.pinned(entity) and place is not None
    keys.press("Alt+Z")
    settle(keys, graph)
    assert not shaping.pinned(entity) and not np.allclose(canvas.place_of(entity), place, atol=1e-3)
    keys.press("Alt+Shift+Z")
    settle(keys, graph)
    assert np.allclose(canvas.place_of(entity), place, atol=1e-3)
    return entity, place


def test_filter_hide_pin_undo_keep_and_open_again(
    qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path
) -> None:
    keys = Keyboard(qtbot, window, session)
    graph = opened(keys, sample_copy)
    shaping, card, canvas = graph.shaping, graph.shape_card, graph.canvas
    all_of_it = canvas.node_count

    keys.press("F8")  # people, organisations and places, by the keyboard
    keys.until(lambda: bool(card.form.kinds) and shaping.columns is not None)
    for kind in ("person", "organisation", "place"):
        keys.tab_to(next(each for each in card.form.kinds if each.text().startswith(f"{kind} ")))
        keys.press("Space")
    keys.tab_to(card.form.probability)
    keys.press("Ctrl+A")
    keys.type("55")
    keys.until(lambda: shaping.shape.filter.probability == 0.55)
    settle(keys, graph)
    filtered = canvas.node_count
    assert 5 < filtered < all_of_it
    assert graph.shape_bar.share.text().startswith(f"{filtered} of {all_of_it} entities")
    pictures(keys, graph, "shaping-1-filter")
    keys.press("Esc")
    assert not card.isVisible() and canvas._view.hasFocus()

    entity, place = hide_and_pin(qtbot, keys, graph)
    keys.press("F8")
    qtbot.mouseClick(card.tabs["looks"], LEFT)
    for box, data in ((card.colour_by, "label"), (card.size_by, "mentions")):
        box.setFocus()
        keys.press("Home", *["Down"] * box.findData(data))
    settle(keys, graph)
    assert (shaping.shape.colour, shaping.shape.size) == ("label", "mentions")
    pictures(keys, graph, "shaping-2-looks")
    keys.press("Alt+S")
    keys.type("People and places")
    keys.press("Return")
    keys.until(lambda: [row.saved.name for row in card.views.rows] == ["People and places"])
    pictures(keys, graph, "shaping-3-kept")
    shape, seen = shaping.shape, set(canvas._arrays.ids)
    keys.press("Esc", "Shift+F8")
    settle(keys, graph)
    assert canvas.node_count == all_of_it

    session.close_workspace()
    graph = opened(keys, sample_copy)  # as after a restart
    shaping, card, canvas = graph.shaping, graph.shape_card, graph.canvas
    assert shaping.shape == GraphShape() and canvas.node_count == all_of_it
    keys.press("Alt+S")
    keys.until(lambda: bool(card.views.rows))
    keys.tab_to(card.views.rows[0].open)
    keys.press("Space")
    settle(keys, graph)
    assert shaping.shape == shape and set(canvas._arrays.ids) == seen
    assert np.allclose(canvas.place_of(entity), place, atol=1e-3)
    keys.press("Esc", "Ctrl+G")
    settle(keys, graph)
    assert graph.live.now.folded and int(canvas._arrays.members.sum()) == len(seen)
    pictures(keys, graph, "shaping-4-folded")
