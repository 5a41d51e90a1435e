"""A person shapes the graph by keys and mouse: filters, pins, undoes, saves a view and opens it again later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.graph.panel import GraphPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.types import GraphShape
from tests.app.graph.mouse import drag, drawn, item_of, place, settle, surface_of
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures

pytestmark = pytest.mark.long
LEFT = Qt.MouseButton.LeftButton


def pin(qtbot: QtBot, keys: Keyboard, graph: GraphPanel) -> tuple[str, tuple[float, float]]:
    """Drag the best connected node, undo that and do it again. The node and its place."""
    shaping, canvas = graph.shaping, graph.canvas
    entity = canvas.drawn_ids()[0]
    qtbot.mouseClick(surface_of(canvas), LEFT, pos=place(canvas, entity))
    keys.until(lambda: canvas.selected() == entity)
    settle(graph)
    begin = place(canvas, entity)
    drag(qtbot, canvas, [begin + QPoint(60, 80) * share for share in (0.0, 0.2, 0.6, 1.0)])
    settle(graph)
    pinned = canvas.place_of(entity)
    assert shaping.pinned(entity) and pinned is not None
    keys.press("Alt+Z")
    settle(graph)
    assert not shaping.pinned(entity) and not np.allclose(canvas.place_of(entity), pinned, atol=1e-3)
    keys.press("Alt+Shift+Z")
    settle(graph)
    assert np.allclose(canvas.place_of(entity), pinned, atol=1e-3)
    return entity, pinned


def test_filtered_pinned_saved_and_opened_again(
    qtbot: QtBot, window: MainWindow, session: Session, keys: Keyboard, bench: Workbench, sample_copy: Path
) -> None:
    graph = bench.graph
    settle(graph)
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
    settle(graph)
    filtered = canvas.node_count
    assert 5 < filtered < all_of_it
    assert graph.shape_bar.share.text().startswith(f"{filtered} of {all_of_it} entities")
    pictures(window, "shaping-1-filter", graph.canvas.settle)
    keys.press("Esc")
    assert not card.isVisible() and canvas.hasFocus()

    entity, pinned = pin(qtbot, keys, graph)
    keys.press("F8")
    qtbot.mouseClick(card.tabs["looks"], LEFT)
    for box, data in ((card.colour_by, "label"), (card.size_by, "mentions")):
        box.setFocus()
        keys.press("Home", *["Down"] * box.findData(data))
    settle(graph)
    assert (shaping.shape.colour, shaping.shape.size) == ("label", "mentions")
    pictures(window, "shaping-2-looks", graph.canvas.settle)
    keys.press("Alt+S")
    keys.type("People and places")
    keys.press("Return")
    keys.until(lambda: [row.saved.name for row in card.views.rows] == ["People and places"])
    pictures(window, "shaping-3-kept", graph.canvas.settle)
    shape, before = shaping.shape, drawn(canvas)
    keys.press("Esc", "Shift+F8")
    settle(graph)
    assert canvas.node_count == all_of_it

    session.close_workspace()
    operations.open_workspace(session, sample_copy)  # as after a restart
    keys.until(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    assert window.workbench is not None
    graph = window.workbench.graph
    settle(graph)
    shaping, card, canvas = graph.shaping, graph.shape_card, graph.canvas
    assert shaping.shape == GraphShape() and canvas.node_count == all_of_it
    keys.press("Alt+S")
    keys.until(lambda: bool(card.views.rows))
    keys.tab_to(card.views.rows[0].open)
    keys.press("Space")
    settle(graph)
    assert shaping.shape == shape and drawn(canvas) == before
    assert np.allclose(canvas.place_of(entity), pinned, atol=1e-3)
    keys.press("Esc", "Ctrl+G")
    settle(graph)
    assert graph.live.now.folded and int(item_of(canvas).arrays.members.sum()) == len(before)
    pictures(window, "shaping-4-folded", graph.canvas.settle)
