"""What is seen of the graph as one value, the next one while it is computed, and what indexing adds meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.graph.canvas.arrays import Key
from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.controls import Counted
from app.graph.canvas.emphasis import TimePreview
from app.graph.canvas.words import Way
from app.graph.drawing import (
    Drawing,
    FullGraph,
    Neighbourhood,
    Opened,
    Plan,
    compute_drawing,
    entities,
    links,
    node_id,
    on_map,
)
from app.look.translation import tr
from app.session.overlay import Overlay
from app.session.session import Session
from core.types import GraphShape, Growth

LINK_TIP = tr("A link joins two names, whatever the number of facts or common places between them.")
NODES_TIP = tr(
    "Names of things are drawn that a fact or a common place joins to another: no dates, sums or headings. {links}",
    links=LINK_TIP,
)
FOLDED_TIP = tr("All names in the communities. {links}", links=LINK_TIP)
TASK = "graph drawing"  # not shown
PORTION_MS = 280  # at most about four portions a second
PORTION_NODES, PORTION_EDGES = 250, 800  # of one portion
RECOLOUR = 6  # portions between two recolourings


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The graph, what of it is open or near, and what stands out. Entities and communities are named by their ids.

    `drawing` is that of `plan`, or an older one while that is computed; what stands out is told of its nodes.
    """

    full_graph: FullGraph | None = None  # as the person shaped it
    near: Neighbourhood | None = None  # seen instead of the whole graph
    folds: bool | None = (
        None  # communities as single nodes, as the person chose; None: by the size of the graph
    )
    opened: Opened = ()
    growing: bool = False  # indexing added to what is drawn: entities are seen until the graph is read again
    drawing: Drawing = field(default_factory=Drawing)
    entity: str = ""  # that is selected
    community: int | None = None  # that is selected
    overlay: Overlay = field(default_factory=Overlay)
    chosen: tuple[str, ...] = ()  # that a person gathered
    hot: bool = False  # whether the heat is painted
    lit: bool = True  # whether what the selected community holds is in front, not only itself marked
    heat_came_last: bool = False  # after the community was selected, whose entities do not drown it then
    preview: TimePreview | None = None  # until the graph is shaped by the dates of the scope
    base: FullGraph | None = None  # the graph as it was read
    # What the person made of it, or is about to.
    shape: GraphShape = field(default_factory=GraphShape)

    @property
    def folding(self) -> bool:
        """Return whether communities are to be single nodes in the full graph."""
        graph = self.full_graph
        return graph is not None and graph.possible and (graph.large if self.folds is None else self.folds)

    @property
    def plan(self) -> Plan:
        """Return which nodes are to be visible."""
        if self.near is not None:
            return Plan(self.full_graph, near=self.near)
        folded = self.folding and not self.growing
        return Plan(self.full_graph, folded, self.opened if folded else ())

    @property
    def folded(self) -> bool:
        """Return whether communities are single nodes on the canvas."""
        return self.drawing.plan.folded

    def draws(self, entity: str) -> bool:
        """Return whether an entity is a node, or in one."""
        return self.folded and self.full_graph is not None and entity in self.full_graph.row_of

    # ------------------------------------------------------------ by the nodes that are drawn

    @property
    def selected(self) -> str:
        """Return the selected node, "" for none."""
        if not self.folded or self.community is None:
            return next(iter(self.drawing.nodes_of([self.entity])), "")
        disc = node_id(self.community)
        return disc if disc in self.drawing.ids else ""

    @property
    def outlined(self) -> tuple[str, list[str]]:
        """Return the outline of the selected community, where it is open, with the nodes in it."""
        group = (
            self.full_graph.get(self.community)
            if self.full_graph and self.folded and self.community is not None
            else None
        )
        if group is None or not self.lit or group.id not in self.drawing.plan.opened or self.selected:
            return "", []
        return node_id(group.id), list(dict.fromkeys(self.drawing.nodes_of(group.entity_ids)))

    @property
    def marked(self) -> list[str]:
        """Return the nodes in front of the others."""
        overlay, lit = self.overlay, self.lit and not self.folded and not self.heat_came_last
        found = [*self.drawing.nodes_of(overlay.marks), *(node_id(id) for id in overlay.communities)]
        group = (
            self.full_graph.get(self.community)
            if self.full_graph and lit and self.community is not None
            else None
        )
        return found or (list(group.entity_ids) if group is not None else [])

    @property
    def path(self) -> list[str]:
        """The chain of nodes; those of a closed community are one. With one missing it would be a false fact."""
        path, graph = self.overlay.path, self.drawing.plan.full_graph
        all_there = graph is None or len(graph.rows(path)) == len(path)
        return self.drawing.nodes_of(path) if all_there else []

    @property
    def way(self) -> Way:
        """Return the words along the path; no facts where two of its entities are one node."""
        overlay, path = self.overlay, self.path
        return Way(overlay.facts if len(path) == len(overlay.path) else (), overlay.reaches if path else "")

    @property
    def heat(self) -> Mapping[str, float]:
        """Return the heat by node, summed over its entities; none where it is not painted."""
        return self.drawing.sums(self.overlay.heat) if self.hot else {}

    @property
    def units(self) -> tuple[Counted, Counted, str, Counted]:
        """Return names for nodes and links, a tip for their number, and a name for what nodes stand for."""
        if self.folded:
            return on_map, links, FOLDED_TIP, entities
        if self.growing:  # these have their facts later, or none
            return entities, links, LINK_TIP, entities
        return on_map, links, NODES_TIP, on_map

    @property
    def labels(self) -> dict[int, str]:
        """Return names for the legend, by colour."""
        tops = self.full_graph.tops if self.full_graph is not None else {}
        return {colour: top.label for colour, top in tops.items() if top.label}


def show(scene: Scene, last: Scene, canvas: GraphCanvas) -> None:
    """Bring a canvas that shows `last` to show `scene`. Nodes move only where other ones are drawn."""
    drawing, fresh = scene.drawing, scene.drawing is not last.drawing
    if scene.full_graph is not last.full_graph:
        canvas.set_community_labels(scene.labels)
        canvas.set_key(scene.full_graph.key if scene.full_graph is not None else Key())
    if fresh:
        nodes = (drawing.ids, drawing.names, drawing.communities, drawing.degrees, drawing.positions)
        looks = (drawing.groups, drawing.origins, drawing.tint, drawing.kinds, drawing.strengths)
        canvas.set_graph(*nodes, drawing.edges, *looks)
    if scene.shape.pinned is not last.shape.pinned:
        canvas.set_pinned([id for id, *_ in scene.shape.pinned])
    if scene.units != last.units:
        canvas.set_units(*scene.units)
    node = scene.selected
    if node != canvas.selected() and (fresh or node != last.selected):
        canvas.select(node, centre=False)
    canvas.mark_open(*scene.outlined)
    marked, path = scene.marked, scene.path
    near = [near for node in marked for near in canvas.neighbours(node)] if scene.overlay.neighbours else []
    canvas.highlight([*marked, *near])
    if fresh or scene.chosen is not last.chosen:
        canvas.choose(list(dict.fromkeys(drawing.nodes_of(scene.chosen))))
    canvas.set_path(path if canvas.draws(path) else (), scene.way)
    if fresh or scene.preview is not last.preview:
        canvas.set_preview(scene.preview)
    if fresh or scene.overlay.heat is not last.overlay.heat or scene.hot != last.hot:
        canvas.set_heat(scene.heat, scene.overlay.title)


class LiveScene(QObject):
    """`redrawn` fires when other nodes are on the canvas. Nobody else tells the canvas what stands out."""

    redrawn = Signal()
    changed = Signal()  # the scene is another one; its nodes may still be on their way

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._tasks, self._canvas = session.tasks.owned_by(self), canvas
        self.now = self._displayed = Scene()
        canvas.set_units(*self.now.units)
        self._then: list[Callable[[], object]] = []

    @property
    def pending(self) -> bool:
        """Return whether other nodes than those on the canvas are on their way."""
        return self._tasks.busy(TASK)

    def change(self, then: Callable[[], object] | None = None, **parts: Any) -> None:
        """Show the next scene, with other `parts`, named as in `Scene`.

        Where other nodes are to be seen they come when they were computed, unless yet another change came first.
        `then` is called when the nodes are there.
        """
        before, self.now = self.now.plan, replace(self.now, **parts)
        plan, drawing = self.now.plan, self.now.drawing
        if then is not None:
            self._then.append(then)
        if plan != before:
            self._tasks.drop(TASK)
            if plan.folded and plan != drawing.plan:
                self._tasks.start(
                    TASK, lambda _: compute_drawing(plan, drawing), self._land, ended=self._go_on
                )
            elif plan != drawing.plan:
                self.now = replace(self.now, drawing=compute_drawing(plan, drawing))
        self._show()
        self.changed.emit()

    def _land(self, drawing: Drawing) -> None:
        self.now = replace(self.now, drawing=drawing)
        self._show()

    def _show(self) -> None:
        last, self._displayed = self._displayed, self.now
        show(self.now, last, self._canvas)
        if self.now.drawing is not last.drawing:
            self.redrawn.emit()
        self._go_on()

    def _go_on(self) -> None:
        """Let the keys wait while nodes are computed, and let all go on that waited for them."""
        if self.pending:
            self._canvas.hold_keys(True)
            return
        waiting, self._then = self._then, []
        for act in waiting:
            act()
        self._canvas.hold_keys(self.pending)


class GraphFeed(QObject):
    """Feeds a canvas."""

    def __init__(self, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._nodes: deque[tuple[str, str, str]] = deque()
        self._edges: deque[tuple[str, str]] = deque()
        self._communities: dict[str, int] = {}
        self._stale = False  # communities came that the canvas does not show yet
        self._portions = 0
        self._drawn: tuple[str, ...] = ()
        self._known: set[str] | None = set()  # those and what was taken; None: not asked for yet
        self._timer = QTimer(self, interval=PORTION_MS)
        self._timer.timeout.connect(self._portion)

    def begin(self, ids: tuple[str, ...]) -> None:
        """Note that the canvas shows these nodes now, and forget what waits."""
        self.stop()
        self._drawn, self._known = ids, None
        self._communities = {}

    def stop(self) -> None:
        """Forget what waits."""
        self._timer.stop()
        self._nodes.clear()
        self._edges.clear()
        self._stale = False

    @property
    def waiting(self) -> int:
        return len(self._nodes) + len(self._edges)

    def take(self, growth: Growth) -> None:
        """Queue one batch."""
        known = self._known = set(self._drawn) if self._known is None else self._known
        for node in growth.nodes:
            if node[0] in known:
                continue
            known.add(node[0])
            self._nodes.append(node)
        self._edges.extend(edge for edge in growth.edges if edge[0] in known and edge[1] in known)
        if growth.communities:
            self._communities = growth.communities
            self._stale = True
        if not self._timer.isActive():
            self._timer.start()

    def _portion(self) -> None:
        self._portions += 1
        nodes = [self._nodes.popleft() for _ in range(min(PORTION_NODES, len(self._nodes)))]
        edges = [self._edges.popleft() for _ in range(min(PORTION_EDGES, len(self._edges)))]
        if edges:
            self._canvas.add_edges(edges)
        if nodes:
            communities = [self._communities.get(node[0], -1) for node in nodes]
            self._canvas.add_nodes([node[0] for node in nodes], [node[1] for node in nodes], communities)
        if self._stale and (self._portions % RECOLOUR == 0 or not (nodes or edges)):
            self._stale = False
            self._canvas.set_communities(self._communities)
        elif not nodes and not edges:
            self._timer.stop()
