"""A person works on the graph by hand: a loop, a relation, a picture; by clicks and keys."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from app.graph.panel import GraphPanel
from app.graph.paths import RelationRow
from app.session import operations
from app.shell.workbench import Workbench
from tests.app.graph.mouse import drag, drawn, item_of, place, view_of
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures
from tests.waiting import process_events

pytestmark = pytest.mark.long
LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def test_a_hand_on_the_graph(qtbot: QtBot, keys: Keyboard, bench: Workbench, tmp_path: Path) -> None:
    graph = bench.graph
    process_events()
    graph.canvas.settle()
    hub = graph.canvas.drawn_ids()[0]
    loop_around(qtbot, keys, graph, hub)
    follow_a_relation(keys, graph, hub)
    save_pictures(qtbot, keys, graph, hub, tmp_path)


def loop_around(qtbot: QtBot, keys: Keyboard, graph: GraphPanel, hub: str) -> None:
    """What lies inside is chosen, can be asked about, and is let go of by Esc."""
    canvas, session, bar = graph.canvas, keys.session, graph.multi_selection.bar
    middle, reach = place(canvas, hub), min(canvas.width(), canvas.height()) // 5
    turns = np.linspace(0, 2 * np.pi, 40)
    loop = [middle + QPoint(round(reach * np.cos(at)), round(reach * np.sin(at))) for at in turns]
    drag(qtbot, canvas, loop, CTRL)
    inside, arrays = set(session.chosen.current), item_of(canvas).arrays
    screen = view_of(canvas).camera().to_screen(arrays.xy)
    gaps = np.hypot(*(screen - np.array(middle.toTuple())).T)
    certain = {arrays.ids[row] for row in np.flatnonzero(gaps < 0.95 * reach)}
    possible = {arrays.ids[row] for row in np.flatnonzero(gaps < 1.05 * reach)}
    assert hub in certain <= inside <= possible and len(inside) < canvas.node_count
    assert bar.words.text().startswith(f"{len(inside)} entities")
    qtbot.mouseClick(bar.ask, LEFT)
    assert session.scope.current.entities == session.chosen.current
    session.scope.clear()
    pictures(keys.window, "hand-1-loop", canvas.settle)
    canvas.setFocus()
    keys.press("Esc")
    assert session.chosen.current == () and not bar.isVisible()


def follow_a_relation(keys: Keyboard, graph: GraphPanel, hub: str) -> None:
    """Along a relation of an entity, from its neighbourhood, by keys alone."""
    canvas, session = graph.canvas, keys.session
    assert session.workspace is not None
    operations.select_entity(session, hub)
    keys.press("Ctrl+Shift+N")
    keys.until(lambda: graph.live.now.near is not None)
    before = drawn(canvas)
    entity, relation = next(
        (other, relation)
        for other in sorted(before - {hub})
        for relation in session.workspace.graph.relations_of(other)
        if set(relation.entity_ids) - before
    )
    operations.select_entity(session, entity)
    keys.press("Alt+Shift+R")
    card = graph.relations.card
    keys.until(lambda: card.isVisible() and bool(card.buttons()))
    wanted = next(row for row in card.buttons() if isinstance(row, RelationRow) and row.relation == relation)
    pictures(keys.window, "hand-2-relations", canvas.settle)
    keys.until(lambda: card.isAncestorOf(keys.focus))
    while keys.focus is not wanted:
        keys.press("Down")
    keys.press("Return")
    keys.until(lambda: drawn(canvas) == before | set(relation.entity_ids))
    keys.press("Ctrl+Backspace")
    keys.until(lambda: graph.live.now.near is None)
    canvas.settle()


def save_pictures(qtbot: QtBot, keys: Keyboard, graph: GraphPanel, hub: str, folder: Path) -> None:
    """What is seen, as two files and on the clipboard."""
    session = keys.session
    keys.press("Alt+Shift+S")
    dialog = graph.export.dialog
    assert dialog is not None and dialog.isVisible()
    for name in ("seen.png", "seen.svg"):
        with qtbot.waitSignal(session.message_posted, timeout=30_000):
            dialog.fileSelected.emit(str(folder / name))
    dialog.reject()
    image = QImage(str(folder / "seen.png"))
    assert image.width() == 2 * graph.canvas.width()
    texts = [
        "".join(part.itertext())
        for part in ElementTree.parse(folder / "seen.svg").iter()
        if "text" in part.tag
    ]
    assert any(graph.canvas.name_of(hub) in text for text in texts)
    with qtbot.waitSignal(session.message_posted, timeout=30_000):
        keys.press("Alt+Shift+Y")
    assert QGuiApplication.clipboard().image().width() == image.width()
