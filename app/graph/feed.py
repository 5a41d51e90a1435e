"""What indexing adds, gathered and handed to the canvas in small, rare portions: the window stays fluid."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, QTimer

from app.graph.canvas.canvas import GraphCanvas
from core.types import Growth

PORTION_MS = 280  # at most about four portions a second
NODES, EDGES = 250, 800  # of one portion
RECOLOUR = 6  # portions between two recolourings


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
        self._shown: tuple[str, ...] = ()
        self._known: set[str] | None = set()  # those and what was taken; None: not asked for yet
        self._timer = QTimer(self, interval=PORTION_MS)
        self._timer.timeout.connect(self._portion)

    def begin(self, ids: tuple[str, ...]) -> None:
        """The canvas shows these nodes now; forget what waits."""
        self.stop()
        self._shown, self._known = ids, None
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
        known = self._known = set(self._shown) if self._known is None else self._known
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
        nodes = [self._nodes.popleft() for _ in range(min(NODES, len(self._nodes)))]
        edges = [self._edges.popleft() for _ in range(min(EDGES, len(self._edges)))]
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
