"""A person works on the graph by hand: a loop, a relation, paths, edges, a picture; by clicks and keys."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.panel import GraphPanel
from app.graph.paths import RelationRow
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.workspace import Workspace
from tests.app.graph.mouse import drag, move, place
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures
from tests.e2e.test_first_session import picture
from tests.waiting import process_events

pytestmark = pytest.mark.long
LEFT, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


@dataclass(frozen=True)
class Case:
    """A window on the sample, with the hands of a person."""

    qtbot: QtBot
    window: MainWindow
    session: Session
    keys: Keyboard
    workspace: Workspace
    graph: GraphPanel
    drawn: nx.Graph
    hub: str  # the best connected entity

    @property
    def canvas(self) -> GraphCanvas:
        return self.graph.canvas

    @property
    def surface(self) -> QWidget:
        found: QWidget = self.canvas._view.viewport()
        return found

    def pictures(self, name: str) -> None:
        pictures(self.window, f"hand-{name}", self.canvas.settle)
        self.canvas.settle()


@pytest.fixture
def case(qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path) -> Case:
    keys = Keyboard(qtbot, window, session)
    operations.open_workspace(session, sample_copy)
    keys.until(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    workspace, bench = session.workspace, window.workbench
    assert workspace is not None and bench is not None
    process_events()
    bench.graph.canvas.settle()
    view, drawn = workspace.graph.view(), nx.Graph()
    drawn.add_edges_from((view.ids[one], view.ids[other]) for one, other in view.edges.tolist())
    hub = view.ids[int(np.argmax(view.degree))]
    return Case(qtbot, window, session, keys, workspace, bench.graph, drawn, hub)


def test_a_hand_on_the_graph(case: Case, tmp_path: Path) -> None:
    a_loop(case)
    a_relation(case)
    paths(case)
    edges(case)
    files(case, tmp_path)


def a_loop(case: Case) -> None:
    """A loop around a part of it, which Esc lets go of."""
    qtbot, session, keys, graph, hub, canvas, surface = (
        case.qtbot,
        case.session,
        case.keys,
        case.graph,
        case.hub,
        case.canvas,
        case.surface,
    )
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
    assert graph.multi_selection.bar.words.text().startswith(f"{len(inside)} entities")
    case.pictures("1-loop")
    canvas.setFocus()
    keys.press("Esc")
    assert session.chosen.current == ()


def a_relation(case: Case) -> None:
    """Along a relation of an entity, from its neighbourhood, by keys alone."""
    session, keys, workspace, graph, hub, canvas = (
        case.session,
        case.keys,
        case.workspace,
        case.graph,
        case.hub,
        case.canvas,
    )
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
    case.pictures("2-relations")
    keys.until(lambda: card.isAncestorOf(keys.focus))
    while keys.focus is not wanted:
        keys.press("Down")
    keys.press("Return")
    keys.until(lambda: set(canvas._arrays.ids) == before | set(grows[1].entity_ids))
    keys.press("Ctrl+Backspace")
    keys.until(lambda: graph.live.now.near is None)
    canvas.settle()


def paths(case: Case) -> None:
    """Two are chosen, with the mouse and with Space; the paths between them, one after the other, fact by fact."""
    qtbot, session, keys, graph, drawn, hub, canvas, surface = (
        case.qtbot,
        case.session,
        case.keys,
        case.graph,
        case.drawn,
        case.hub,
        case.canvas,
        case.surface,
    )
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
    keys.until(lambda: graph.paths.current is not None)
    path = graph.paths.current
    assert (
        path is not None
        and len(path.steps) == 2
        and all(drawn.has_edge(*pair) for pair in pairwise(path.entity_ids))
    )
    keys.press("F9")
    keys.until(lambda: session.selection.current is not None and session.selection.current.kind == "citation")
    chosen = session.selection.current
    assert chosen is not None and chosen.id == path.steps[0].passage_id
    keys.until(lambda: len(canvas._emphasis.path) == 3)
    case.pictures("3-path")
    if len(graph.paths.paths) > 1:
        keys.press("Alt+.")
        assert session.overlay.current.path == graph.paths.paths[1].entity_ids
    graph.paths.card.setFocus()
    keys.press("Esc")
    assert session.overlay.current.path == () and not graph.paths.card.isVisible()
    session.chosen.clear()
    session.selection.clear()
    process_events()
    keys.press("Ctrl+Shift+A")
    canvas.settle()


def edges(case: Case) -> None:
    """The pointer over an edge tells its fact; a click opens the sentence. The edges of a node say what they are."""
    qtbot, window, session, keys, workspace, hub, canvas, surface = (
        case.qtbot,
        case.window,
        case.session,
        case.keys,
        case.workspace,
        case.hub,
        case.canvas,
        case.surface,
    )
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
    picture(window, "hand-4-edge-light-1440x900")
    qtbot.mouseClick(surface, LEFT, pos=spot)
    keys.until(lambda: session.selection.current is not None)
    chosen = session.selection.current
    assert chosen is not None and chosen.id == facts[0].triples[0].passage_id and chosen.has_place
    qtbot.mouseClick(surface, LEFT, pos=place(canvas, hub))
    keys.until(lambda: bool(canvas._item.edge_words.by_row))
    canvas.settle()
    canvas._view.zoom(1.6)
    case.pictures("4-words")


def files(case: Case, tmp_path: Path) -> None:
    """What is seen, as two files and on the clipboard."""
    qtbot, session, keys, graph, hub, canvas = (
        case.qtbot,
        case.session,
        case.keys,
        case.graph,
        case.hub,
        case.canvas,
    )
    keys.press("Alt+Shift+S")
    dialog = graph.export.dialog
    assert dialog is not None and dialog.isVisible()
    for name in ("seen.png", "seen.svg"):
        with qtbot.waitSignal(session.message_posted, timeout=30_000):
            dialog.fileSelected.emit(str(tmp_path / name))
    dialog.reject()
    image = QImage(str(tmp_path / "seen.png"))
    assert image.width() == 2 * canvas._item.camera.width
    texts = [
        "".join(part.itertext())
        for part in ElementTree.parse(tmp_path / "seen.svg").iter()
        if "text" in part.tag
    ]
    assert any(graph.multi_selection.name(hub) in text for text in texts)
    with qtbot.waitSignal(session.message_posted, timeout=30_000):
        keys.press("Alt+Shift+Y")
    assert QGuiApplication.clipboard().image().width() == image.width()
