"""A person works on the graph by hand: a loop, a relation, paths, edges, a picture; by clicks and keys."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.graph.panel import GraphPanel
from app.graph.relations import RelationRow
from app.look import theme
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from tests.app.graph.mouse import drag, move, place
from tests.e2e.keyboard import Keyboard
from tests.e2e.test_first_session import picture
from tests.waiting import process_events

pytestmark = pytest.mark.long
LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
SIZES, THEMES = ((1440, 900), (2560, 1440)), ("light", "dark")


def pictures(window: MainWindow, graph: GraphPanel, name: str) -> None:
    """Light and dark, on a small and on a large screen."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    for (width, height), mode in product(SIZES, THEMES):
        window.resize(width, height)
        theme.apply(app, mode)  # type: ignore[arg-type]
        process_events()
        graph.canvas.settle()
        process_events()
        picture(window, f"hand-{name}-{mode}-{width}")
    window.resize(*SIZES[0])
    theme.apply(app, "light")
    process_events()
    graph.canvas.settle()


def test_a_hand_on_the_graph(
    qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path, tmp_path: Path
) -> None:
    keys = Keyboard(qtbot, window, session)
    operations.open_workspace(session, sample_copy)
    keys.until(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    workspace, bench = session.workspace, window.workbench
    assert workspace is not None and bench is not None
    graph, canvas = bench.graph, bench.graph.canvas
    process_events()
    canvas.settle()
    view, drawn = workspace.graph.view(), nx.Graph()
    drawn.add_edges_from((view.ids[one], view.ids[other]) for one, other in view.edges.tolist())
    hub = view.ids[int(np.argmax(view.degree))]

    # 1. A loop around a part of it, one more by a click, then all of that is let go.
    surface = canvas._view.viewport()
    middle, reach = place(canvas, hub), min(surface.width(), surface.height()) // 5
    turns = np.linspace(0, 2 * np.pi, 40)
    loop = [middle + QPoint(round(reach * np.cos(at)), round(reach * np.sin(at))) for at in turns]
    drag(qtbot, canvas, loop, CTRL)
    inside = set(session.chosen.current)
    screen = canvas._view.camera().to_screen(canvas._arrays.xy)
    gaps = np.hypot(*(screen - np.array(middle.toTuple())).T)
    certain = {canvas._arrays.ids[row] for row in np.flatnonzero(gaps < 0.95 * reach)}
    possible = {canvas._arrays.ids[row] for row in np.flatnonzero(gaps < 1.05 * reach)}
    assert hub in certain <= inside <= possible and len(inside) < canvas.node_count
    assert graph.gathering.bar.words.text().startswith(f"{len(inside)} entities")
    pictures(window, graph, "1-loop")
    canvas.setFocus()
    keys.press("Esc")
    assert session.chosen.current == ()

    # 2. Along a relation of an entity, from its neighbourhood, by keys alone.
    operations.select_entity(session, hub)
    keys.press("Ctrl+Shift+N")
    keys.until(lambda: graph.live.now.near is not None)
    before = set(canvas._arrays.ids)
    grows = next(
        (other, relation)
        for other in sorted(before - {hub})
        for relation in workspace.graph.relations_of(other)
        if set(relation.entity_ids) - before
    )
    operations.select_entity(session, grows[0])
    keys.press("Alt+Shift+R")
    card = graph.relations.card
    keys.until(lambda: card.isVisible() and bool(card.buttons()))
    wanted = next(row for row in card.buttons() if isinstance(row, RelationRow) and row.relation == grows[1])
    pictures(window, graph, "2-relations")
    keys.until(lambda: card.isAncestorOf(keys.focus))
    while keys.focus is not wanted:
        keys.press("Down")
    keys.press("Return")
    keys.until(lambda: set(canvas._arrays.ids) == before | set(grows[1].entity_ids))
    keys.press("Ctrl+Backspace")
    keys.until(lambda: graph.live.now.near is None)
    canvas.settle()

    # 3. Two are chosen, with the mouse and with Space; the paths between them, one after the other, fact by fact.
    far = next(id for id, away in nx.single_source_shortest_path_length(drawn, hub).items() if away == 2)
    session.selection.clear()
    process_events()
    canvas.settle()
    qtbot.mouseClick(surface, LEFT, CTRL, place(canvas, hub))
    operations.select_entity(session, far)
    canvas.setFocus()
    keys.press("Space")
    assert session.chosen.current == (hub, far)
    keys.press("Alt+Shift+P")
    keys.until(lambda: graph.paths.shown is not None)
    path = graph.paths.shown
    assert (
        path is not None
        and len(path.steps) == 2
        and all(drawn.has_edge(*pair) for pair in pairwise(path.entity_ids))
    )
    keys.press("F9")
    keys.until(lambda: session.selection.current is not None and session.selection.current.kind == "citation")
    chosen = session.selection.current
    assert chosen is not None and chosen.id == path.steps[0].passage_id
    keys.until(lambda: bench.reader.opened is not None and len(canvas._emphasis.path) == 3)
    pictures(window, graph, "3-path")
    if len(graph.paths.paths) > 1:
        keys.press("Alt+Down")
        assert session.overlay.current.path == graph.paths.paths[1].entity_ids
    graph.paths.card.setFocus()
    keys.press("Esc")
    assert session.overlay.current.path == () and not graph.paths.card.isVisible()
    session.chosen.clear()
    session.selection.clear()
    process_events()
    keys.press("Ctrl+Shift+A")
    canvas.settle()

    # 4. The pointer over an edge tells its fact; a click opens the sentence. The edges of a node say what they are.
    screen = canvas._view.camera().to_screen(canvas._arrays.xy)
    spot, ends = next(
        (QPoint(*np.round((screen[one] + screen[other]) / 2).astype(int).tolist()), (one, other))
        for edge, (one, other) in enumerate(canvas._arrays.edges.tolist())
        if canvas._item.row_at(*((screen[one] + screen[other]) / 2).round().tolist()) < 0
        and canvas._item.edge_at(*((screen[one] + screen[other]) / 2).round().tolist()) == edge
    )
    facts = workspace.graph.facts_between(*(canvas._arrays.ids[row] for row in ends))
    move(canvas, spot)
    keys.until(lambda: canvas._card.isVisible() and facts[0].predicate in canvas._card.text())
    picture(window, "hand-4-edge-light-1440")
    qtbot.mouseClick(surface, LEFT, pos=spot)
    keys.until(lambda: session.selection.current is not None)
    chosen = session.selection.current
    assert chosen is not None and chosen.id == facts[0].triples[0].passage_id and chosen.has_place
    qtbot.mouseClick(surface, LEFT, pos=place(canvas, hub))
    keys.until(lambda: bool(canvas._item.edge_words.told))
    canvas.settle()
    canvas._view.zoom(1.6)
    pictures(window, graph, "4-words")

    # 5. What is seen, as two files and on the clipboard.
    keys.press("Alt+Shift+S")
    dialog = graph.export.dialog
    assert dialog is not None and dialog.isVisible()
    for name in ("seen.png", "seen.svg"):
        with qtbot.waitSignal(session.told, timeout=30_000):
            dialog.fileSelected.emit(str(tmp_path / name))
    dialog.reject()
    image = QImage(str(tmp_path / "seen.png"))
    assert image.width() == 2 * canvas._item.camera.width
    texts = [
        "".join(part.itertext())
        for part in ElementTree.parse(tmp_path / "seen.svg").iter()
        if "text" in part.tag
    ]
    assert any(graph.gathering.name(hub) in text for text in texts)
    with qtbot.waitSignal(session.told, timeout=30_000):
        keys.press("Alt+Shift+Y")
    assert QGuiApplication.clipboard().image().width() == image.width()
