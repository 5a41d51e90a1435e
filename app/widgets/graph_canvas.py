"""The graph canvas: draws, grows, heats and explains a graph, and tells what the person does with it.

Calls never emit the signals of the person's own acts, so that one selection can be shared by panels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QSize, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from app import theme as look
from app.widgets.empty_state import EmptyState
from app.widgets.graph_arrays import Floats, GraphArrays
from app.widgets.graph_camera import Camera
from app.widgets.graph_emphasis import Emphasis
from app.widgets.graph_furniture import GraphFurniture
from app.widgets.graph_growth import Growth
from app.widgets.graph_hand import GraphHand
from app.widgets.graph_items import GraphItem
from app.widgets.graph_view import GraphView
from app.widgets.hover_card import HoverCard
from app.widgets.motion import Glide

_SETTLE_MS = 110  # the view has come to rest
_CROWD = 20_000  # from here on nodes jump to a new layout instead of gliding


class GraphCanvas(QWidget):
    """A graph of n nodes and m edges on a plane (see the module's docstring)."""

    node_selected = Signal(str)
    node_expand_requested = Signal(str)
    node_hovered = Signal(str)  # empty when none
    selection_cleared = Signal()
    community_chosen = Signal(int)  # -1 when let go

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arrays = GraphArrays()
        self._emphasis = Emphasis(self._arrays)
        self._growth = Growth(self._arrays)
        self._view = GraphView()
        self._view.setParent(self)
        self._item = GraphItem(self._arrays, self._emphasis)
        self._item.setParentItem(self._view.box)
        self._furniture = GraphFurniture(self, self._arrays, self._view)
        self._hand = GraphHand(self._arrays, self._emphasis, self._view, self._item)
        self._card = HoverCard(self)
        self._empty = EmptyState("share-network", "No graph yet", "It grows here while documents are read.", self)
        self._glide = Glide(self)
        self._settle = self._timer(_SETTLE_MS, self._settled)
        self._batch = self._timer(120, self._grow)
        self._relabel = self._timer(400, self._label)
        self._frame = QTimer(self)
        self._frame.setInterval(16)
        self._frame.timeout.connect(self._tick)
        self._connect()
        self.setFocusProxy(self._view)
        self.setAccessibleName("Graph")
        self.setMinimumSize(240, 180)
        self._restyle()
        self._refreshed(structure=True)

    def _timer(self, milliseconds: int, action: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(action)
        return timer

    def _connect(self) -> None:
        hand, furniture = self._hand, self._furniture
        self._view.camera_changed.connect(self._camera_moved)
        hand.selected.connect(self._hand_selected)
        hand.expand_requested.connect(self.node_expand_requested)
        hand.hovered.connect(self._hand_hovered)
        hand.fit_wanted.connect(self.fit)
        hand.map_wanted.connect(furniture.toggle_map)
        furniture.legend.chosen.connect(self._community_clicked)
        furniture.map.moved.connect(self._map_clicked)
        furniture.fit_wanted.connect(self.fit)
        look.notifier().changed.connect(self._restyle)

    # ------------------------------------------------------------ the graph

    def set_graph(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        communities: ArrayLike,
        degrees: ArrayLike,
        positions: ArrayLike,
        edges: ArrayLike,
    ) -> None:
        """Show another graph: n ids and names, communities and degrees (n,), positions (n, 2) in any
        unit (y up), edges (m, 2) as rows. Nodes that were there glide to their new places."""
        target = np.asarray(positions, np.float32).reshape(-1, 2)
        old = self._arrays
        before = {id: old.xy[row].copy() for id, row in old.row.items()} if 0 < len(old) <= _CROWD else {}
        chosen = old.ids[self._emphasis.selected] if self._emphasis.selected >= 0 else ""
        labels = self._furniture.community_labels
        old.__init__()  # type: ignore[misc]
        self._emphasis.clear()
        self._growth.forget()
        self._item.forget()
        old.append_nodes(list(ids), list(names), communities, degrees, target)
        old.append_edges(edges, count_degrees=False)
        self._emphasis.selected = old.row.get(chosen, -1)
        self._furniture.community_labels = labels
        shared = [(old.row[id], spot) for id, spot in before.items() if id in old.row]
        self._refreshed(structure=True)
        if len(shared) > len(old) // 3:
            start = target.copy()
            rows, spots = zip(*shared, strict=True)
            start[list(rows)] = spots
            self._travel(start, target)
        if not self._view.touched or not shared:
            self._view.touched = False
            self.fit(animate=False)

    def clear(self) -> None:
        """Show no graph."""
        self.set_graph([], [], [], [], np.zeros((0, 2)), np.zeros((0, 2)))

    def add_nodes(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        communities: Sequence[int] | None = None,
        degrees: Sequence[int] | None = None,
        positions: Sequence[tuple[float, float]] | None = None,
    ) -> None:
        """Let nodes appear beside their neighbours with the next batch; known ids are left out."""
        self._growth.add_nodes(ids, names, communities, degrees, positions)
        self._await_batch()

    def add_edges(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Let edges, pairs of ids, appear with the next batch; they may come before their nodes."""
        self._growth.add_edges(pairs)
        self._await_batch()

    def flush(self) -> None:
        """Show all that was added at once instead of bit by bit."""
        self._batch.stop()
        while self._growth:
            self._grow()

    def _grow(self) -> None:
        """Put one batch in."""
        if not self._growth:
            return
        self._glide.finish()
        first, end = self._growth.apply()
        self._item.born(first, end)
        self._emphasis.renew_heat()
        self._refreshed(structure=True, grown=True)
        if not self._view.touched and self._overflows():
            # Room to grow into: every move of the view costs a new picture of the edges.
            left, bottom, right, top = self._arrays.bounds()
            x, y = 0.12 * (right - left), 0.12 * (top - bottom)
            self._item.fit_scale = self._view.fit((left - x, bottom - y, right + x, top + y))
        if self._growth:
            self._batch.start(60)

    def move_to(self, positions: ArrayLike) -> None:
        """Glide to a new layout, shape (n, 2) in the order of the nodes, in less than 0.2 s."""
        self.flush()
        target = np.asarray(positions, np.float32).reshape(-1, 2)
        if target.shape != self._arrays.xy.shape:
            raise ValueError(f"{len(self._arrays)} nodes need as many positions, not {len(target)}.")
        self._growth.relaxed()
        self._travel(self._arrays.xy.copy(), target)
        if not self._view.touched:
            self._item.fit_scale = self._view.fit(_bounds(target))

    def set_communities(self, communities: Mapping[str, int] | ArrayLike) -> None:
        """Colour by community: a mapping of ids, or an array of shape (n,). Negative: none."""
        self._arrays.recolour(communities)
        self._item.edges.invalidate()
        self._refreshed(structure=True)

    def set_community_labels(self, labels: Mapping[int, str]) -> None:
        """Names for the legend; a community without one is called after its best connected node."""
        self._furniture.community_labels = dict(labels)
        self._furniture.refresh()

    def set_units(self, nodes: str, edges: str) -> None:
        """What nodes and edges are called on screen, in the plural."""
        self._furniture.units = (nodes, edges)
        self._furniture.refresh()

    def set_empty_text(self, headline: str, line: str = "") -> None:
        """What is said while there is no graph."""
        self._empty.set_text(headline, line)

    @property
    def empty_state(self) -> EmptyState:
        """The page shown while there is no graph, to put buttons on."""
        return self._empty

    @property
    def node_count(self) -> int:
        """How many nodes are drawn; batches that wait are not counted."""
        return len(self._arrays)

    @property
    def edge_count(self) -> int:
        """How many edges are drawn."""
        return self._arrays.edge_count

    # ------------------------------------------------------------ what stands out

    def select(self, id: str, centre: bool = True) -> None:
        """Select a node, or none with an empty or unknown id. Emits nothing."""
        self.flush()
        row = self._arrays.row.get(id, -1)
        self._emphasis.selected = row
        self._describe()
        if row >= 0 and centre:
            self._centre(row)
        self._refreshed()

    def selected(self) -> str:
        """Id of the selected node, or an empty string."""
        row = self._emphasis.selected
        return self._arrays.ids[row] if row >= 0 else ""

    def highlight(self, ids: Sequence[str]) -> None:
        """Bring nodes to the front and fade the others; none with an empty sequence."""
        self._emphasis.highlighted = self._arrays.rows_of(ids)
        self._refreshed()

    def set_visible(self, ids: Sequence[str] | None) -> None:
        """Show only these nodes and the edges between them; all with None."""
        self._arrays.show_only(ids)
        self._item.edges.invalidate()
        self._refreshed(structure=True)

    def set_heat(self, heat: Mapping[str, float], title: str = "Relevance") -> None:
        """Paint values > 0 by id as heat, on a logarithmic scale; the rest fades to 15 %."""
        self._emphasis.set_heat(heat)
        self._furniture.show_heat(self._emphasis.heat_ends if self._emphasis.heat is not None else None, title)
        self._refreshed()

    def clear_heat(self) -> None:
        """Back to community colours."""
        self.set_heat({})

    def set_path(self, ids: Sequence[str]) -> None:
        """Light the way from node to node in this order; none with an empty sequence."""
        self._emphasis.set_path(ids)
        self._refreshed()

    def find(self, text: str) -> list[str]:
        """Ids of at most 50 nodes whose name has the text: exact, at the start, at a word, within."""
        return self._arrays.find(text)

    def locate(self, id: str) -> None:
        """Centre on a node and let it pulse."""
        row = self._arrays.row.get(id, -1)
        if row >= 0:
            self._centre(row)
            self._item.pulse(row)
            self._frame.start()

    def neighbours(self, id: str) -> list[str]:
        """Ids of the shown nodes next to a node."""
        row = self._arrays.row.get(id, -1)
        return [self._arrays.ids[other] for other in self._arrays.neighbours(row).tolist()] if row >= 0 else []

    # ------------------------------------------------------------ looking

    def fit(self, animate: bool = True) -> None:
        """Show the whole graph, or all that is not filtered out."""
        self._view.touched = False
        self._item.fit_scale = self._view.fit(self._arrays.bounds(), animate=animate)

    def set_map_visible(self, visible: bool) -> None:
        """Show or hide the overview map."""
        self._furniture.set_map_visible(visible)

    def settle(self) -> None:
        """Finish every movement and drawing now, e.g. before a picture is taken."""
        self.flush()
        self._glide.finish()
        self._settle.stop()
        self._settled()
        self._label()
        dpr = self.devicePixelRatioF()
        while self._arrays.edge_count and not self._item.edges.advance(self._view.camera(), 1.0, 0, dpr):
            pass

    def export_image(self, path: str | Path, scale: float = 2.0) -> bool:
        """Write what is seen, with legends but without buttons, as a picture; False if it cannot be written."""
        self.settle()
        image = QImage(self.size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(QColor(look.current().canvas))
        self._furniture.set_buttons_visible(False)
        self._card.hide()
        painter = QPainter(image)
        self.render(painter, QPointF(0, 0).toPoint())
        painter.end()
        self._furniture.set_buttons_visible(True)
        self._item.edges.invalidate()
        self._view.viewport().update()
        return image.save(str(path))

    def sizeHint(self) -> QSize:
        return QSize(760, 520)

    # ------------------------------------------------------------ inside

    def _refreshed(self, structure: bool = False, grown: bool = False) -> None:
        """Something to draw changed; `structure` when nodes, colours or filters did."""
        if structure:
            self._furniture.refresh(growing=grown)
            self._empty.setVisible(not len(self._arrays))
        growing = bool(self._growth) or self._batch.isActive() or self._item.lively
        if growing:
            if not self._relabel.isActive():
                self._relabel.start()
        else:
            self._label()
        self._item.update()
        self._frame.start()

    def _await_batch(self) -> None:
        if not self._batch.isActive():
            count = len(self._arrays)
            # A batch costs a few frames: large graphs take fewer of them.
            self._batch.start(120 if count < 2000 else 250 if count < 6000 else 400)

    def _camera_moved(self, camera: Camera) -> None:
        self._item.moving = True
        self._item.set_camera(camera)
        self._furniture.map.set_camera(camera)
        self._settle.start()

    def _settled(self) -> None:
        self._item.moving = False
        self._label()
        self._item.update()
        self._frame.start()

    def _label(self) -> None:
        self._item.place_labels(self._furniture.covered())
        self._item.update()

    def _tick(self) -> None:
        """One frame while something is still to be drawn or moves by itself."""
        lively = self._item.lively
        self._frame.setInterval(33 if lively else 16)
        if lively or (not self._item.moving and self._item.edges.stale(self._view.camera())):
            self._item.update()
        elif not self._item.moving:
            self._frame.stop()

    def _travel(self, start: Floats, target: Floats) -> None:
        def step(share: float) -> None:
            xy = self._arrays.xy
            if len(xy) >= len(target):
                xy[: len(target)] = start + (target - start) * np.float32(share)
            self._item.edges.invalidate()
            self._item.moving = share < 1.0
            self._item.update()
            if share >= 1.0:
                self._furniture.map.refresh()
                self._settle.start()

        self._glide.run(step, look.MOTION_MS if len(target) <= _CROWD and self.isVisible() else 0)

    def _centre(self, row: int) -> None:
        """Bring a node to the middle unless it is comfortably in view."""
        camera = self._view.camera()
        x, y = self._arrays.xy[row].tolist()
        scale = max(camera.scale, self._item.fit_scale * 1.0)
        self._view.touched = True
        self._view.look_at(x, y, scale)

    def _overflows(self) -> bool:
        camera, (left, bottom, right, top) = self._view.camera(), self._arrays.bounds()
        x1, y0 = camera.to_data(camera.width, camera.height)
        return left < camera.left or right > x1 or bottom < y0 or top > camera.top or len(self._arrays) < 30

    def _hand_selected(self, id: str) -> None:
        self._refreshed()
        if id:
            self.node_selected.emit(id)
        else:
            self._furniture.legend.clear()
            self._emphasis.highlighted = np.zeros(0, np.intp)
            self._refreshed()
            self.selection_cleared.emit()

    def _hand_hovered(self, row: int, point: QPointF) -> None:
        if row >= 0:
            self._card.show_at(point, self._arrays.names[row], self._furniture.words(row, self._emphasis))
        else:
            self._card.hide()
        self._refreshed()
        self.node_hovered.emit(self._arrays.ids[row] if row >= 0 else "")

    def _community_clicked(self, community: int) -> None:
        rows = np.flatnonzero(self._arrays.community == community) if community >= 0 else []
        self._emphasis.highlighted = np.asarray(rows, np.intp)
        self._refreshed()
        self.community_chosen.emit(community)

    def _map_clicked(self, x: float, y: float) -> None:
        self._view.touched = True
        self._view.look_at(x, y, self._view.camera().scale, animate=False)

    def _describe(self) -> None:
        row = self._emphasis.selected
        words = f"Selected: {self._arrays.names[row]}, {self._furniture.words(row, self._emphasis)}" if row >= 0 else ""
        self._view.setAccessibleDescription(words)

    def _restyle(self, *_: object) -> None:
        self._view.setBackground(look.current().canvas)
        self._item.restyle()
        self._label()
        self._frame.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._view.setGeometry(self.rect())
        self._empty.setGeometry(self.rect())
        self._furniture.arrange()
        if not self._view.touched:
            self.fit(animate=False)


def _bounds(xy: Floats) -> tuple[float, float, float, float]:
    if not len(xy):
        return -1.0, -1.0, 1.0, 1.0
    (left, bottom), (right, top) = xy.min(axis=0).tolist(), xy.max(axis=0).tolist()
    return left, bottom, right, top
