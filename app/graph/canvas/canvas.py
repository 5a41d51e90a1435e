"""The graph canvas: draws, grows, heats and explains a graph, and tells what the person does with it.

Calls never emit the signals of the person's own acts, so that one selection can be shared by panels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.graph.canvas.arrays import Key, Tint
from app.graph.canvas.controls import Counted, GraphControls, Legends
from app.graph.canvas.discs import Groups
from app.graph.canvas.emphasis import TimePreview
from app.graph.canvas.hand import GraphHand
from app.graph.canvas.snapshot import Snapshot, snapshot
from app.graph.canvas.stage import CROWD, GraphStage
from app.graph.canvas.words import NO_WAY, EdgeWord, Way
from app.look.counting import listed
from app.look.translation import tr
from app.widgets.accessible import Part, announce_focus
from app.widgets.notices import EmptyState, HoverCard

NO_GRAPH = (tr("No graph yet"), tr("It grows here while documents are read."))
SPOKEN, NAMED = 60, 5  # neighbours that are parts for a screen reader, and those told with the selected node
_STIRRED = (
    0.05  # share of the nodes: a decision about names moves fewer, and ten frames for these were wasted
)
_EDGE_CARD = 460  # pixels at 100 %, of a fact on its card
_LEAST = 4.0  # pixels around the middle of a hot node that no legend may cover


class GraphCanvas(QWidget):
    """A graph of n nodes and m edges on a plane (see the module's docstring)."""

    node_selected = Signal(str)
    node_expand_requested = Signal(str)
    selection_cleared = Signal()
    close_requested = Signal()  # Backspace: what was opened is to be closed
    escaped = Signal()  # Esc, before it clears the selection
    menu_requested = Signal(str, QPoint)  # id of the node under the pointer, or empty; place on the canvas
    community_chosen = Signal(int)  # -1 when let go
    category_chosen = Signal(int)  # where colours do not mean communities; -1 when let go
    node_placed = Signal(str, float, float)  # a node was dragged to a place, in data units
    shape_wanted = Signal(str)  # a key: hide, show or pin
    nodes_gathered = Signal(
        object, str
    )  # ids, the best connected first, and "add", "remove", "toggle" or "all"
    node_hovered = Signal(str)  # id, or empty
    edge_hovered = Signal(str, str)  # ids of its ends, both empty for none
    edge_clicked = Signal(str, str)
    node_dropped = Signal(str, str)  # ids of a node and of the one that it was dragged onto, with Shift

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stage = GraphStage(self)
        self._arrays, self._emphasis = self._stage.arrays, self._stage.emphasis
        self._view, self._item = self._stage.view, self._stage.item
        self._controls = GraphControls(self, self._arrays, self._view)
        self._stage.covered = self._item.covered = self._item.way.covered = self._controls.covered
        self._hand = GraphHand(self._arrays, self._emphasis, self._view, self._item)
        self._card = HoverCard(self)
        self._empty = EmptyState("share-network", *NO_GRAPH, parent=self)
        self._connect()
        self.setFocusProxy(self._view)
        self._view.spoken.parts = self._parts
        self._view.spoken.current = lambda: 0 if self._emphasis.selected >= 0 else -1
        self.setAccessibleName(tr("Graph"))
        self.setMinimumSize(240, 180)
        self._restructured()

    def _connect(self) -> None:
        hand, controls = self._hand, self._controls
        self._view.camera_changed.connect(controls.map.set_camera)
        self._stage.grown.connect(lambda: self._restructured(growing=True))
        self._stage.travelled.connect(controls.map.refresh)
        hand.selected.connect(self._hand_selected)
        hand.expand_requested.connect(self.node_expand_requested)
        hand.hovered.connect(self._hand_hovered)
        hand.carried.connect(self._hand_carried)
        hand.dropped.connect(self.node_dropped)
        hand.placed.connect(self.node_placed)
        hand.shape_wanted.connect(self.shape_wanted)
        hand.gathered.connect(self.nodes_gathered)
        hand.edge_hovered.connect(self._hand_at_edge)
        hand.edge_clicked.connect(self._hand_clicked_edge)
        self._stage.travelled.connect(self._item.finder.forget)
        hand.fit_wanted.connect(self.fit)
        hand.map_wanted.connect(controls.toggle_map)
        hand.close_requested.connect(self.close_requested)
        hand.escaped.connect(self.escaped)
        hand.menu_requested.connect(lambda id, point: self.menu_requested.emit(id, point.toPoint()))
        controls.legend.chosen.connect(self._community_clicked)
        controls.map.moved.connect(self._map_clicked)
        controls.fit_wanted.connect(self.fit)

    # ------------------------------------------------------------ the graph

    def set_graph(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        communities: ArrayLike,
        degrees: ArrayLike,
        positions: ArrayLike,
        edges: ArrayLike,
        groups: Groups | None = None,
        origins: ArrayLike | None = None,
        tint: Tint | None = None,
        kinds: NDArray[np.int8] | None = None,
        strengths: NDArray[np.float32] | None = None,
    ) -> None:
        """Show another graph: n ids and names, communities and degrees (n,), positions (n, 2) in any
        unit (y up), edges (m, 2) as rows. Nodes that were there glide to their new places.

        `groups`: nodes that stand for many. `origins` (n, 2): the same graph, opened or closed in places;
        nodes glide from there, new ones fade in, and the view stays where it is.
        `tint`: what colours and sizes tell. `kinds` (m,): of edges that follow from others; None for facts.
        `strengths` (m,): see `GraphArrays.append_edges`."""
        target = np.asarray(positions, np.float32).reshape(-1, 2)
        arrays, chosen = self._arrays, self.selected()
        was_at, row_before = arrays.xy.copy(), arrays.row
        rows = np.full(len(ids), -1, np.intp)
        if row_before:
            rows[:] = [row_before.get(id, -1) for id in ids]
        known = rows >= 0
        familiar = known.sum() > len(ids) // 3
        self._hand.put_down()
        self._stage.reset(keep_edges=bool(familiar))
        self._hand.start = np.zeros(0, np.intp)
        arrays.append_nodes(list(ids), list(names), communities, degrees, target)
        arrays.append_edges(edges, False, kinds, strengths)
        if tint is not None:
            arrays.set_tint(tint.categories, tint.levels, tint.sizes)
        self._emphasis.selected = arrays.row.get(chosen, -1)
        self._controls.counts = ""
        if groups is not None:
            arrays.set_groups(groups.radii, groups.members, groups.facts, groups.frame)
            self._item.groups.show(groups)
            self._controls.counts = groups.counts
        self._restructured()
        if origins is not None:
            start = np.asarray(origins, np.float32)
            if not known.all() or self._moves(start, target):
                self._stage.come(start, target, ~known)
            return
        if familiar and len(was_at) <= CROWD:
            start = target.copy()
            start[known] = was_at[rows[known]]
            if self._moves(start, target, _STIRRED):
                self._stage.travel(start, target)
        if not self._view.touched or not known.any():
            self.fit(animate=False)

    def _moves(self, start: NDArray[np.float32], target: NDArray[np.float32], share: float = 0.0) -> bool:
        """Return whether a glide would be visible: more than this share of nodes move by over a pixel."""
        far = (np.abs(start - target) * self._view.camera().scale > 1).any(axis=1)
        return bool(far.sum() > share * len(far))

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
        self._stage.growth.add_nodes(ids, names, communities, degrees, positions)
        self._stage.await_batch()

    def add_edges(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Let edges, pairs of ids, appear with the next batch; they may come before their nodes."""
        self._stage.growth.add_edges(pairs)
        self._stage.await_batch()

    def flush(self) -> None:
        """Show all that was added at once instead of bit by bit."""
        self._stage.flush()

    def set_communities(self, communities: Mapping[str, int] | ArrayLike) -> None:
        """Colour by community: a mapping of ids, or an array of shape (n,). Negative: none."""
        self._arrays.recolour(communities)
        self._item.edges.invalidate()
        self._restructured()

    def set_community_labels(self, labels: Mapping[int, str]) -> None:
        """Names for the legend; a community without one is called after its best connected node."""
        if labels != self._controls.community_labels:
            self._controls.community_labels = dict(labels)
            self._controls.refresh()

    def set_key(self, key: Key) -> None:
        """Set what the colours of the next graph mean."""
        self._controls.set_key(key)

    def set_pinned(self, ids: Sequence[str]) -> None:
        """Mark nodes that stay where they are."""
        if ids != self._item.pinned:
            self._item.pinned = self._hand.pinned = ids
            self._stage.refresh()

    def place_of(self, id: str) -> tuple[float, float] | None:
        """Return where a node is, in data units; None where it is not drawn."""
        row = self._arrays.row.get(id, -1)
        return self._stage.place_of(row) if row >= 0 else None

    @property
    def camera(self) -> tuple[float, float, float] | None:
        """Return the view's centre in data units and pixels a unit; None where it shows all by default."""
        if not self._view.touched:
            return None
        now = self._view.camera()
        return (*now.to_data(now.width / 2, now.height / 2), now.scale)

    def stay(self) -> None:
        """Keep the view where it is, whatever is shown in it, until it is fitted again."""
        self._view.touched = True

    def look_at(self, camera: tuple[float, float, float] | None) -> None:
        """Restore a view that `camera` returned."""
        if camera is None:
            self.fit()
        else:
            self._view.touched = True
            self._view.look_at(*camera)

    def set_units(
        self,
        nodes: Counted,
        edges: Counted,
        tip: str = "",
        members: Counted | None = None,
    ) -> None:
        """Set how numbers of nodes and edges are called; `tip` says what is counted.

        `members`: how the legend says the number of what nodes stand for.
        """
        self._controls.set_units(nodes, edges, tip, members)

    def set_empty_text(self, headline: str, line: str = "") -> None:
        """Set the words that stand in place of a graph."""
        self._empty.set_text(headline, line)

    @property
    def has_derived_edges(self) -> bool:
        """Return whether derived edges are drawn in place of facts."""
        return bool((self._arrays.kinds >= 0).any())

    @property
    def empty_state(self) -> EmptyState:
        """Return the page shown while there is no graph, to add buttons to."""
        return self._empty

    @property
    def node_count(self) -> int:
        """Return how many nodes are drawn, without the waiting batches."""
        return len(self._arrays)

    @property
    def edge_count(self) -> int:
        """Return how many edges are drawn."""
        return self._arrays.edge_count

    # ------------------------------------------------------------ what stands out

    def select(self, id: str, centre: bool = True) -> None:
        """Select a node, or none with an empty or unknown id. Emits nothing."""
        self.flush()
        row = self._arrays.row.get(id, -1)
        if row != self._emphasis.selected:
            self._item.edge_words.forget()  # those of the other one
        self._emphasis.selected = row
        self._describe()
        if row >= 0 and centre:
            self._stage.centre(row)
        self._stage.refresh()

    def selected(self) -> str:
        """Return the id of the selected node, or ""."""
        row = self._emphasis.selected
        return self._arrays.ids[row] if row >= 0 else ""

    def highlight(self, ids: Sequence[str]) -> None:
        """Bring nodes to the front and fade the others; none with an empty sequence."""
        rows = self._arrays.rows_of(ids)
        if not np.array_equal(rows, self._emphasis.highlighted):
            self._emphasis.highlighted = rows
            self._stage.refresh()

    def choose(self, ids: Sequence[str]) -> None:
        """Ring a set of nodes, in addition to the selected one."""
        rows = self._arrays.rows_of(ids)
        if not np.array_equal(rows, self._emphasis.chosen):
            self._emphasis.chosen = rows
            self._stage.refresh()

    def set_edge_words(self, id: str, found: Mapping[str, EdgeWord]) -> None:
        """Set what the edges at a node say near the pointer, by the other end; "": nothing."""
        words, row = self._item.edge_words, self._arrays.row
        words.node = row.get(id, -1)
        known = {row[other]: word for other, word in found.items() if other in row}
        if self.has_derived_edges:  # facts are not seen, and say nothing
            known = {}
        words.by_row = known if words.node >= 0 else {}
        self._item.repaint_upon()

    def show_edge_card(self, headline: str, line: str) -> None:
        """Show the card of the edge under the pointer; no effect where there is none."""
        point = self._item.edge_words.pointer
        if self._emphasis.edge >= 0 and point is not None:
            self._card.show_at(point, headline, line, wide=_EDGE_CARD)

    def facts_of_edge(self, one: str, other: str) -> int:
        """Return how many edges the one between two nodes stands for; 0 where there is none."""
        rows = self._arrays.rows_of([one, other])
        if len(rows) < 2:
            return 0
        at = self._arrays.incident(int(rows[0]))
        return int(self._arrays.facts[at[(self._arrays.edges[at] == rows[1]).any(axis=1)]].sum())

    def lay(self, widget: QWidget) -> None:
        """Place a small widget upon the graph, below the counts; names keep clear of it."""
        self._controls.lay(widget)

    def snapshot(self) -> Snapshot:
        """Return a copy of what is visible now, for other threads."""
        if self._item.relabel is not None:  # names are chosen with the next frame, which may be late
            self._item.place_labels(self._controls.covered())
        return snapshot(self._item)

    def legends(self) -> Legends:
        """Return what the visible legends say."""
        return self._controls.legends()

    def arrange(self) -> None:
        """Rearrange what lies upon the graph, after a part came, went or was resized."""
        self._controls.arrange()
        self._stage.refresh()

    def set_heat(self, heat: Mapping[str, float], title: str = tr("Relevance")) -> None:
        """Paint values > 0 by id as heat, on a logarithmic scale; the rest fades to 15 %."""
        if not heat and self._emphasis.heat is None and self._controls.heat.isHidden():
            return
        self._emphasis.set_heat(heat)
        self._controls.show_heat(self._emphasis.heat_ends if self._emphasis.heat is not None else None, title)
        if not self._view.touched and self._heat_covered():
            self.fit()
        self._stage.refresh()

    def set_preview(self, preview: TimePreview | None) -> None:
        """Draw only what lies in a range of dates; None: all."""
        if preview is not self._emphasis.preview:
            self._emphasis.preview = preview
            self._stage.refresh()

    def _heat_covered(self) -> bool:
        """Return whether the legend of the heat covers hot nodes."""
        heat = self._emphasis.heat
        if heat is None:
            return False
        camera, part = self._view.camera(), self._controls.heat.geometry()
        hot = self._arrays.xy[: len(heat)][~np.isnan(heat)]
        wide = np.maximum(camera.scale * self._arrays.radius[: len(heat)][~np.isnan(heat)], _LEAST)
        x, y = camera.to_screen(hot).T
        inside = (x > part.left() - wide) & (x < part.right() + wide)
        return bool((inside & (y > part.top() - wide) & (y < part.bottom() + wide)).any())

    def draws(self, ids: Sequence[str]) -> bool:
        """Return whether all of these nodes are drawn."""
        return all(id in self._arrays.row for id in ids)

    def sees(self, id: str) -> bool:
        """Return whether a node lies within the view."""
        row, camera = self._arrays.row.get(id, -1), self._view.camera()
        if row < 0:
            return False
        x, y = camera.to_screen(np.array([self._stage.place_of(row)], np.float32))[0].tolist()
        return bool(0 <= x <= camera.width and 0 <= y <= camera.height)

    def set_path(self, ids: Sequence[str], way: Way = NO_WAY) -> None:
        """Highlight the path through these nodes in order, with the words along it; none with no ids."""
        way = way if ids else NO_WAY
        if way != self._item.way.captions or not np.array_equal(
            self._arrays.rows_of(ids), self._emphasis.path
        ):
            self._emphasis.set_path(ids)
            self._item.way.captions = way
            self._stage.refresh()

    def find(self, text: str) -> list[str]:  # type: ignore[override]  # QWidget.find(WId) is not for us
        """Return at most 50 ids by name: exact, at the start, at a word, within."""
        return self._arrays.find(text)

    def locate(self, id: str) -> None:
        """Centre on a node and pulse it."""
        row = self._arrays.row.get(id, -1)
        if row >= 0:
            self._stage.centre(row)
            self._item.pulse(row)
            self._stage.draw()

    def drawn_ids(self) -> tuple[str, ...]:
        """Return the ids of all drawn nodes, the best connected first."""
        return self._hand.drawn_ids()

    def name_of(self, id: str) -> str:
        """Return the name of a node; "" where it is not drawn."""
        row = self._arrays.row.get(id, -1)
        return self._arrays.names[row] if row >= 0 else ""

    def neighbours(self, id: str) -> list[str]:
        """Return the ids of the visible nodes next to a node."""
        row = self._arrays.row.get(id, -1)
        return (
            [self._arrays.ids[other] for other in self._arrays.neighbours(row).tolist()] if row >= 0 else []
        )

    # ------------------------------------------------------------ looking

    def fit(self, animate: bool = True) -> None:
        """Show the full graph."""
        self._stage.fit(animate=animate)

    def mark_open(self, id: str, ids: Sequence[str] = ()) -> None:
        """Mark an open group, or none with an empty id; the arrows begin with the nodes in it."""
        self._hand.start = self._arrays.rows_of(ids)
        if id != self._item.groups.marked:
            self._item.groups.marked = id
            self._stage.draw()

    def show_open(self, id: str, fill: bool = False) -> None:
        """Glide so that an open group fills the view, where it is too small to see, or with `fill`."""
        self._stage.show_open(id, fill)

    def step_back(self, id: str = "") -> None:
        """After closing: to the open group `id` around it, "" for the whole graph, where the view is far too near."""
        self._stage.step_back(id)

    def show_all(self, ids: Sequence[str]) -> None:
        """Glide so that all of these nodes are visible, never nearer than now."""
        if not all(self.sees(id) for id in ids):
            self._stage.show_rows(self._arrays.rows_of(ids).tolist())

    def show_clear(self, ids: Sequence[str], chain: bool = False, card: QRect | None = None) -> None:
        """Glide so that all of these nodes are seen beside what lies upon the graph; never nearer than now, but for a
        chain, which needs room for what is told between two of them. `card`: lies upon the graph, too."""
        self._stage.show_clear(self._arrays.rows_of(ids).tolist(), chain, [card] if card is not None else [])

    def open_at(self, place: QPoint) -> list[str]:
        """Return the ids of the open groups at a place on the canvas, the outer ones first."""
        return self._item.groups.open_at(*self._view.camera().to_data(place.x(), place.y()))

    def hold_keys(self, hold: bool) -> None:
        """Defer what the keys do until this ends: they mean nodes that are on their way."""
        self._hand.hold(hold)

    def set_map_room(self, room: bool) -> None:
        """Set whether the place of the overview map is free for it."""
        self._controls.set_map_room(room)

    def settle(self) -> None:
        """Finish every movement and drawing now, for example before a picture is taken."""
        self._stage.settle()

    def sizeHint(self) -> QSize:
        return QSize(760, 520)

    # ------------------------------------------------------------ inside

    def _restructured(self, growing: bool = False) -> None:
        """Update after nodes, colours or filters changed."""
        self._item.finder.forget()
        self._controls.refresh(growing)
        self._empty.setVisible(not len(self._arrays))
        if not growing:
            self._stage.refresh()

    def _hand_selected(self, id: str) -> None:
        if not id:
            self._controls.legend.clear()
            self._emphasis.highlighted = np.zeros(0, np.intp)
        if id not in self._arrays.row or self._item.edge_words.node != self._arrays.row[id]:
            self._item.edge_words.forget()  # those of the other one
        self._describe()
        self._stage.refresh()
        if id:
            self.node_selected.emit(id)
        else:
            self.selection_cleared.emit()

    def _hand_hovered(self, row: int, point: QPointF) -> None:
        if row >= 0:
            self._card.show_at(point, self._arrays.names[row], self._words(row))
        else:
            self._card.hide()
        self._stage.refresh()
        self.node_hovered.emit(self._arrays.ids[row] if row >= 0 else "")

    def _hand_at_edge(self, edge: int, point: QPointF) -> None:
        if edge < 0 and self._emphasis.hovered < 0:
            self._card.hide()
        self._item.repaint_upon()
        self.edge_hovered.emit(*self._ends(edge))

    def _hand_clicked_edge(self, edge: int) -> None:
        self._item.repaint_upon()
        self.edge_clicked.emit(*self._ends(edge))

    def _ends(self, edge: int) -> tuple[str, str]:
        if edge < 0:
            return "", ""
        one, other = self._arrays.edges[edge].tolist()
        return self._arrays.ids[one], self._arrays.ids[other]

    def _hand_carried(self, row: int, target: int, point: QPointF) -> None:
        if row < 0 or target < 0:
            self._card.hide()
            return
        names = self._arrays.names
        words = tr("Let go to see what merging “{name}” with it changes. Esc gives up.", name=names[row])
        self._card.show_at(point, names[target], words)

    def _words(self, row: int) -> str:
        """Return what is written of a node besides its name."""
        group_words = self._item.groups.words.get(self._arrays.ids[row], "")
        return self._controls.words(row, self._emphasis, group_words)

    def _community_clicked(self, community: int) -> None:
        if self._controls.key.title:
            self.category_chosen.emit(community)
            return
        inside = (self._arrays.community == community) & (community >= 0)
        self._emphasis.highlighted = np.flatnonzero(inside)
        self._stage.refresh()
        self.community_chosen.emit(community)

    def _map_clicked(self, x: float, y: float) -> None:
        self._view.touched = True
        self._view.look_at(x, y, self._view.camera().scale, animate=False)

    def _describe(self) -> None:
        row = self._emphasis.selected
        self._view.setAccessibleDescription(self._description(row) if row >= 0 else "")
        announce_focus(self._view, 0 if row >= 0 else -1)

    def _description(self, row: int) -> str:
        name, about, neighbours = (
            self._arrays.names[row],
            self._words(row),
            self._spoken_rows()[1 : 1 + NAMED],
        )
        if not neighbours:
            return tr("Selected: {name}, {about}", name=name, about=about)
        others = listed(self._arrays.names[other] for other in neighbours)
        if more := len(self._arrays.neighbours(row)) - len(neighbours):
            return tr(
                "Selected: {name}, {about}. Linked to {others} and {more} more",
                name=name, about=about, others=others, more=more,
            )  # fmt: skip
        return tr("Selected: {name}, {about}. Linked to {others}", name=name, about=about, others=others)

    def _spoken_rows(self) -> list[int]:
        """Return what the arrows lead to: the selected node and its neighbours, or else the largest nodes."""
        row, arrays = self._emphasis.selected, self._arrays
        others = arrays.neighbours(row) if row >= 0 else np.arange(len(arrays))
        best = others[np.argsort(-arrays.degree[others], kind="stable")][:SPOKEN].tolist()
        return [row, *best] if row >= 0 else best

    def _parts(self) -> list[Part]:
        rows = self._spoken_rows()
        spots = self._view.camera().to_screen(self._arrays.xy[rows])
        return [
            Part(self._arrays.names[row], self._words(row), _around(x, y), row == self._emphasis.selected)
            for row, (x, y) in zip(rows, spots.tolist(), strict=True)
        ]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._controls.arrange()  # first: the graph is fitted into what is left
        self._stage.setGeometry(self.rect())
        self._empty.setGeometry(self.rect())


def _around(x: float, y: float) -> QRect:
    return QRect(round(x) - 8, round(y) - 8, 16, 16)
