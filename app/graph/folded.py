"""Which communities of the graph are single nodes, and what the canvas is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.answers.communities_model import name_of, size_words
from app.graph.canvas.arrays import matching
from app.graph.canvas.groups import Groups, Outline
from app.look.counting import counted

if TYPE_CHECKING:
    from core.types import Community, Foldable, FoldedView

CROWD = 2_000  # entities; larger graphs begin with closed communities
_MARK = "community "  # no entity's id has a space

Fold = Callable[["Foldable", "Sequence[int]"], "FoldedView"]


def node_id(community: int) -> str:
    """The id of a community's disc on the canvas."""
    return f"{_MARK}{community}"


def community_of(id: str) -> int | None:
    """The community whose disc a node of the canvas is; None for an entity."""
    return int(id.removeprefix(_MARK)) if id.startswith(_MARK) else None


@dataclass(frozen=True, slots=True)
class Drawing:
    """What `GraphCanvas.set_graph` takes. Rows of all node arrays correspond."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    communities: NDArray[np.int32]
    degrees: NDArray[np.int32]
    positions: NDArray[np.float32]
    edges: NDArray[np.int32]
    groups: Groups | None = None
    origins: NDArray[np.float32] | None = None  # where each node comes from; None: another graph


class FoldedGraph:
    """The open communities, in the order in which they were opened, over one whole graph."""

    def __init__(self) -> None:
        self.choice: bool | None = None  # of the person; None: by the size of the graph
        self.forget()

    def forget(self) -> None:
        """No graph, nothing open."""
        self._whole: Foldable | None = None
        self._fold: Fold | None = None
        self._folded: FoldedView | None = None
        self._open: dict[int, None] = {}
        self._row: dict[int, int] = {}  # community -> its row
        self._place: dict[str, int] = {}  # entity -> its row in the view
        self._ids: tuple[str, ...] = ()
        self._words: list[str] | None = None

    def set_whole(self, whole: Foldable, fold: Fold) -> None:
        """Another state of the graph; what is open stays so, as far as it is still there."""
        self._whole, self._fold = whole, fold
        self._row = {community.id: at for at, community in enumerate(whole.communities)}
        self._place = {id: at for at, id in enumerate(whole.view.ids)}
        self._open = {id: None for id in self._open if id in self._row}
        self._words = None
        self._refold()

    def _refold(self) -> None:
        if self._whole is not None and self._fold is not None:
            self._folded = self._fold(self._whole, tuple(self._open))
            self._ids = self._ids_of(self._whole, self._folded)

    # ------------------------------------------------------------ state

    @property
    def possible(self) -> bool:
        """Whether there are communities that could be closed."""
        return self._whole is not None and bool((self._whole.drawn > 0).any())

    @property
    def wanted(self) -> bool:
        """Whether communities are to be single nodes."""
        if self.choice is not None:
            return self.choice and self.possible
        return self.possible and self._whole is not None and len(self._whole.view.ids) > CROWD

    @property
    def opened(self) -> list[int]:
        """The communities that are open and seen, in the order in which they were opened."""
        if self._whole is None or self._folded is None:
            return []
        seen = {self._whole.communities[row].id for row in self._folded.opened.tolist()}
        return [id for id in self._open if id in seen]

    def get(self, community: int) -> Community | None:
        at = self._row.get(community)
        return self._whole.communities[at] if self._whole is not None and at is not None else None

    def closed(self, community: int) -> bool:
        """Whether its disc is seen."""
        return node_id(community) in self._ids[: self._discs]

    @property
    def _discs(self) -> int:
        return int((self._folded.community >= 0).sum()) if self._folded is not None else 0

    def _above(self, row: int) -> list[int]:
        """Rows of those that hold a community, itself last."""
        found: list[int] = []
        while row >= 0 and self._whole is not None:
            found.append(row)
            row = int(self._whole.parent[row])
        return found[::-1]

    def innermost(self, entity: str = "", community: int | None = None) -> int | None:
        """The innermost open community around what is selected, else the one opened last; None: none is open."""
        opened = self.opened
        row = self._row.get(community, -1) if community is not None else -1
        if self._whole is not None and entity in self._place:
            row = int(self._whole.home[self._place[entity]])
        held = [self._whole.communities[at].id for at in self._above(row)] if self._whole is not None else []
        around = [id for id in held if id in opened]
        return around[-1] if around else opened[-1] if opened else None

    def holds(self, community: int, entity: str = "", inner: int | None = None) -> bool:
        """Whether a community holds an entity, or another community (itself counts)."""
        row = self._row.get(inner, -1) if inner is not None else -1
        if self._whole is not None and entity in self._place:
            row = int(self._whole.home[self._place[entity]])
        return self._row.get(community, -2) in self._above(row)

    # ------------------------------------------------------------ acts; each tells whether anything changed

    def open(self, community: int) -> bool:
        """Open one, and those that hold it."""
        return self._open_rows(self._above(self._row.get(community, -1)))

    def reveal(self, entities: Iterable[str]) -> bool:
        """Open all that hold these entities; ids that are not drawn are left out."""
        homes = {
            int(self._whole.home[self._place[id]]) for id in entities if id in self._place and self._whole
        }
        return self._open_rows([row for home in sorted(homes) for row in self._above(home)])

    def reveal_community(self, community: int) -> bool:
        """Open those that hold a community, so that its disc is seen."""
        return self._open_rows(self._above(self._row.get(community, -1))[:-1])

    def _open_rows(self, rows: list[int]) -> bool:
        before = len(self._open)
        if self._whole is not None:
            for row in rows:
                if self._whole.drawn[row] > 0:
                    self._open.setdefault(self._whole.communities[row].id)
        if len(self._open) != before:
            self._refold()
        return len(self._open) != before

    def close(self, community: int) -> bool:
        """Close one and all in it."""
        gone = [id for id in self._open if self.holds(community, inner=id)]
        for id in gone:
            del self._open[id]
        if gone:
            self._refold()
        return bool(gone)

    def close_all(self) -> bool:
        some = bool(self._open)
        self._open.clear()
        if some:
            self._refold()
        return some

    # ------------------------------------------------------------ from entities to nodes

    def nodes_of(self, entities: Iterable[str]) -> list[str]:
        """The nodes in which entities stand, in this order, none twice in a row; others are left out."""
        found: list[str] = []
        for id in entities:
            at = self._place.get(id)
            if at is not None and self._folded is not None:
                node = self._ids[int(self._folded.node_of[at])]
                if not found or found[-1] != node:
                    found.append(node)
        return found

    def nodes_in(self, community: int) -> list[str]:
        """The nodes that are seen within an open community, or its disc."""
        known = self.get(community)
        return list(dict.fromkeys(self.nodes_of(known.entity_ids))) if known is not None else []

    def path(self, entities: Sequence[str]) -> list[str]:
        """The nodes that a chain of facts passes through; none where an entity of it is not drawn."""
        return self.nodes_of(entities) if all(id in self._place for id in entities) else []

    def heat(self, heat: Mapping[str, float]) -> dict[str, float]:
        """Heat by node: the sum of that of its entities."""
        found: dict[str, float] = {}
        for id, value in heat.items():
            for node in self.nodes_of([id]):
                found[node] = found.get(node, 0.0) + value
        return found

    def find(self, text: str) -> list[str]:
        """Ids of entities by name and of communities (as nodes) by title: at most 50, the best first."""
        whole = self._whole
        if whole is None:
            return []
        titled = [community for community, drawn in zip(whole.communities, whole.drawn, strict=True) if drawn]
        if self._words is None:
            titles = (name_of(community) for community in titled)
            self._words = [name.casefold() for name in (*whole.view.names, *titles)]
        sizes = [len(community.entity_ids) for community in titled]
        weight = np.concatenate([whole.view.degree, np.array(sizes, np.int32)])
        ids, count = whole.view.ids, len(whole.view.ids)
        rows = matching(self._words, weight, text)
        return [ids[row] if row < count else node_id(titled[row - count].id) for row in rows]

    # ------------------------------------------------------------ what is drawn

    def _ids_of(self, whole: Foldable, folded: FoldedView) -> tuple[str, ...]:
        discs = [node_id(whole.communities[row].id) for row in folded.community.tolist() if row >= 0]
        ids = whole.view.ids
        return (*discs, *(ids[row] for row in folded.entity[len(discs) :].tolist()))

    def places(self) -> NDArray[np.float32]:
        """Where each entity of the view is seen now, shape (entities, 2)."""
        assert self._folded is not None
        places: NDArray[np.float32] = self._folded.positions[self._folded.node_of]
        return places

    def drawing(self, before: NDArray[np.float32] | None = None) -> Drawing:
        """The nodes that are seen. `before`: the `places` of a moment ago, from which what was opened comes."""
        whole, folded = self._whole, self._folded
        assert whole is not None and folded is not None
        view, discs = whole.view, self._discs
        singles = folded.entity[discs:]
        held = [whole.communities[row] for row in folded.community[:discs].tolist()]
        degrees = np.bincount(folded.edges.ravel(), np.repeat(folded.facts, 2), minlength=len(self._ids))
        colours = np.array([community.colour for community in held], np.int32)
        return Drawing(
            self._ids,
            (*(name_of(community) for community in held), *(view.names[row] for row in singles.tolist())),
            np.concatenate([colours, view.community[singles]]),
            degrees.astype(np.int32),
            folded.positions,
            folded.edges,
            self._groups(whole, folded, held),
            None if before is None else self._origins(folded, before, discs),
        )

    def _origins(self, folded: FoldedView, before: NDArray[np.float32], discs: int) -> NDArray[np.float32]:
        """An entity comes from where it stood; a disc too, but one that closes over several stays in place."""
        origins = folded.positions.copy()
        origins[folded.node_of] = before
        for axis in (0, 1):  # all entities of a disc stood at the same place: inside one that was opened
            low, high = np.full(len(origins), np.inf), np.full(len(origins), -np.inf)
            np.minimum.at(low, folded.node_of, before[:, axis])
            np.maximum.at(high, folded.node_of, before[:, axis])
            spread = np.flatnonzero(high[:discs] > low[:discs])
            origins[spread] = folded.positions[spread]
        return origins

    def _groups(self, whole: Foldable, folded: FoldedView, held: Sequence[Community]) -> Groups:
        discs, view = len(held), whole.view
        radii, members = np.zeros(len(self._ids), np.float32), np.ones(len(self._ids), np.int32)
        radii[:discs] = whole.radii[folded.community[:discs]]
        members[:discs] = [len(community.entity_ids) for community in held]
        below = np.bincount(whole.parent[whole.parent >= 0], minlength=len(whole.communities))
        words = {}
        for at, (community, facts) in enumerate(zip(held, folded.inside.tolist(), strict=False)):
            said = size_words(community, int(below[folded.community[at]]))
            words[self._ids[at]] = f"{said[0].upper()}{said[1:]}, {counted(facts, 'link')} inside"
        opened = []
        for row in folded.opened.tolist():
            community = whole.communities[row]
            depth = len(self._above(row)) - 1
            opened.append(
                Outline(
                    node_id(community.id), name_of(community), community.colour, depth, whole.outlines[row]
                )
            )
        frame = np.stack([view.positions.min(axis=0), view.positions.max(axis=0)])
        return Groups(radii, members, folded.facts, frame, words, opened, self._counts(held, members, discs))

    def _counts(self, held: Sequence[Community], members: NDArray[np.int32], discs: int) -> str:
        """How many communities are closed and what they hold, and how many entities stand by themselves."""
        assert self._whole is not None
        singles = len(members) - discs
        parts = []
        if discs:
            inside = counted(int(members[:discs].sum()), "entity")
            parts.append(f"{counted(discs, 'community')} ({inside})")
        if singles:
            parts.append(counted(singles, "entity with facts", "entities with facts"))
        return ", ".join([*parts, counted(len(self._whole.view.edges), "link")])
