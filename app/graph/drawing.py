"""The graph with its communities, and the nodes and edges that are drawn of it. Pure, for any thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.answers.communities_model import name_of
from app.graph.canvas.arrays import FACT, TIE, Key, Tint, match_names
from app.graph.canvas.discs import Groups, Outline
from app.look.translation import tr, trn

if TYPE_CHECKING:
    from core.types import Community, Foldable, FoldedView, GraphView


CROWD = 2_000  # entities; larger graphs begin with closed communities
# No entity's id has a space.
_MARK = "community "  # not shown
Fold = Callable[["Foldable", "Sequence[int]"], "FoldedView"]
Opened = tuple[int, ...]  # ids of open communities as they were opened, each after those that hold it
Ints = NDArray[np.int32]
Points = NDArray[np.float32]


def node_id(community: int) -> str:
    """Return the id of a community's disc on the canvas."""
    return f"{_MARK}{community}"


def community_of(id: str) -> int | None:
    """Return the community whose disc a node of the canvas is; None for an entity."""
    return int(id.removeprefix(_MARK)) if id.startswith(_MARK) else None


class FullGraph:
    """A graph as it was last read; it never changes, so it may be made and asked on any thread."""

    def __init__(
        self,
        graph: Foldable,
        fold: Fold,
        base: FullGraph | None = None,
        rows: NDArray[np.intp] | None = None,
        tint: Tint = Tint(),  # noqa: B008 - a value
        key: Key = Key(),  # noqa: B008 - a value
    ) -> None:
        """`base`: the graph as it was read, of which a person shaped this one; `rows` of its entities there.

        `tint` of the entities, and the `key` to it.
        """
        self.graph, self.view, self.fold, self.tint, self.key = graph, graph.view, fold, tint, key
        self.base = base if base is not None else self
        self.rows_in_base = rows if rows is not None else np.arange(len(graph.view.ids))
        # For who asks on the window's thread.
        self._pairs = np.sort(_keys(graph.view.edges)) if base is not None else np.zeros(0, np.int64)
        self.tops = {each.colour: each for each in graph.communities if each.parent_id is None}
        # Whether there are communities that could be closed; a filter does not open or close any.
        self.possible: bool = bool((self.base.graph.drawn > 0).any())
        self.large = len(self.base.view.ids) > CROWD
        self._row = {community.id: at for at, community in enumerate(graph.communities)}
        self.row_of = {id: at for at, id in enumerate(graph.view.ids)}  # entity -> its row in the view
        pairs = zip(graph.communities, graph.drawn.tolist(), strict=True)
        self._titled = [community for community, drawn in pairs if drawn]
        self._words = [name.casefold() for name in (*graph.view.names, *map(name_of, self._titled))]
        sizes = [len(community.entity_ids) for community in self._titled]
        self._weight = np.concatenate([graph.view.degree, np.array(sizes, np.int32)])

    def get(self, community: int) -> Community | None:
        at = self._row.get(community)
        return self.graph.communities[at] if at is not None else None

    @property
    def filtered(self) -> bool:
        """Return whether some of what was read is left out."""
        base = self.base.view
        return len(self.view.ids) < len(base.ids) or len(self.view.edges) < len(base.edges)

    def joins(self, pairs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether a link joins the entities of each pair of rows, (k, 2); (k,). Of a shaped graph."""
        known, keys = self._pairs, _keys(pairs)
        at = np.searchsorted(known, keys)
        found: NDArray[np.bool_] = known[np.minimum(at, len(known) - 1)] == keys if len(known) else at < 0
        return found

    def rows(self, entities: Iterable[str]) -> list[int]:
        """Return the rows of entities in the view; others are left out."""
        return [self.row_of[id] for id in entities if id in self.row_of]

    def around(self, entity: str = "", community: int | None = None) -> list[int]:
        """Return the communities around an entity or a community, with the latter; the innermost last."""
        row = self._row.get(community, -1) if community is not None else -1
        if entity in self.row_of:
            row = int(self.graph.home[self.row_of[entity]])
        return self._upwards(row)[::-1]

    def _upwards(self, row: int) -> list[int]:
        found: list[int] = []
        while row >= 0:
            found.append(self.graph.communities[row].id)
            row = int(self.graph.parent[row])
        return found

    # ------------------------------------------------------------ what is open

    def restrict_open(self, opened: Opened) -> Opened:
        """Return those open in another state of the graph that can be open in this one."""
        wanted = {id for id in opened if id in self._row and self.graph.drawn[self._row[id]]}
        return tuple(id for id in opened if id in wanted and wanted.issuperset(self.around(community=id)))

    def innermost(self, opened: Opened, entity: str = "", community: int | None = None) -> int | None:
        """Return the innermost open community around the selection, else the one opened last, or None."""
        open_ids = [id for id in self.around(entity, community) if id in opened]
        return open_ids[-1] if open_ids else opened[-1] if opened else None

    def open_communities(self, opened: Opened, communities: Iterable[int]) -> Opened:
        """Return what is open after opening these, each after those that hold it."""
        some = (id for id in communities if self.graph.drawn[self._row[id]])
        return tuple(dict.fromkeys((*opened, *some)))

    def reveal_entities(self, opened: Opened, entities: Iterable[str]) -> Opened:
        """Return what is open after opening all that hold these entities."""
        homes = sorted({int(self.graph.home[at]) for at in self.rows(entities)})
        return self.open_communities(opened, [id for home in homes for id in self._upwards(home)[::-1]])

    def close_community(self, opened: Opened, community: int) -> Opened:
        """Return what is open after closing one and all in it."""
        return tuple(id for id in opened if community not in self.around(community=id))

    def find(self, text: str) -> list[str]:
        """Return at most 50 ids, of entities by name and communities by title, the best first."""
        ids, count = self.view.ids, len(self.view.ids)
        rows = match_names(self._words, self._weight, text)
        return [ids[row] if row < count else node_id(self._titled[row - count].id) for row in rows]


def _keys(pairs: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return one number for each pair of rows, whatever their order."""
    wide = pairs.astype(np.int64).reshape(-1, 2)
    keys: NDArray[np.int64] = wide.min(axis=1, initial=1 << 31) << 32 | wide.max(axis=1, initial=0)
    return keys


@dataclass(frozen=True, slots=True, eq=False)
class Neighbourhood:
    """An entity and its strongest neighbours."""

    entity: str  # id
    view: GraphView
    grown: bool = False  # whether others were added to the strongest neighbours


@dataclass(frozen=True, slots=True)
class Plan:
    """Which nodes are to be seen; two equal plans have one drawing."""

    full_graph: FullGraph | None = None
    folded: bool = False  # whether closed communities are single nodes
    opened: Opened = ()  # of a folded one
    near: Neighbourhood | None = None  # seen instead of it, as far as the whole has it


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """n nodes and m edges, as `GraphCanvas.set_graph` takes them. Rows of all node arrays correspond."""

    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    communities: Ints = field(
        default_factory=lambda: np.zeros(0, np.int32)
    )  # (n,) numbers of colours, -1: none
    degrees: Ints = field(default_factory=lambda: np.zeros(0, np.int32))  # (n,)
    positions: Points = field(default_factory=lambda: np.zeros((0, 2), np.float32))  # (n, 2), y up
    edges: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int32))  # (m, 2) rows
    groups: Groups | None = None  # of communities as single nodes, which come first
    origins: Points | None = None  # (n, 2) where each node comes from; None: another graph
    node_of: Ints | None = None  # (entities of the view,) row of the node in which each stands; None: its own
    plan: Plan = Plan()
    tint: Tint = field(default_factory=Tint)
    kinds: NDArray[np.int8] | None = None  # (m,) of edges that follow from others, FACT, TIE; None: facts
    strengths: NDArray[np.float32] | None = None  # (m,) of facts, passages of ties; None: all the same

    def nodes_of(self, entities: Iterable[str]) -> list[str]:
        """Return the nodes in which entities stand, in this order, none twice in a row."""
        if self.node_of is None or self.plan.full_graph is None:
            return list(entities)
        rows = self.node_of[self.plan.full_graph.rows(entities)]
        return [self.ids[row] for row in rows[np.diff(rows, prepend=-1) != 0].tolist()]

    def sums(self, values: Mapping[str, float]) -> Mapping[str, float]:
        """Return values of entities, added up by the node in which each stands."""
        if self.node_of is None or self.plan.full_graph is None:
            return values
        found: dict[str, float] = {}
        for id, value in values.items():
            if (row := self.plan.full_graph.row_of.get(id)) is not None:
                node = self.ids[self.node_of[row]]
                found[node] = found.get(node, 0.0) + value
        return found

    def places(self) -> Points:
        """Return where each entity of the full graph is drawn, (entities of the view, 2)."""
        found: Points = self.positions if self.node_of is None else self.positions[self.node_of]
        return found


def compute_drawing(plan: Plan, before: Drawing) -> Drawing:
    """Return what a plan shows. Nodes start where `before` had them, if it is of the same graph."""
    graph = plan.full_graph
    if plan.near is not None:
        view = _filtered_view(plan.near, graph) if graph is not None and graph.filtered else plan.near.view
        return _plain(plan, view, rings(view, view.ids.index(plan.near.entity)))
    if graph is None:
        return Drawing()
    came = _places_before(graph, before) if before.plan.near is None else None
    if plan.folded:
        return _folded(plan, graph, graph.fold(graph.graph, plan.opened), came)
    return _plain(plan, graph.view, graph.view.positions, came)


def _plain(plan: Plan, view: GraphView, positions: Points, came: Points | None = None) -> Drawing:
    """Return the drawing in which each entity of a view is a node."""
    arrays = (view.community, view.degree, positions, view.edges)
    graph = plan.full_graph
    tint = Tint() if graph is None else graph.tint
    if graph is not None and view is not graph.view:
        tint = tint.of_rows(np.array([graph.row_of.get(id, -1) for id in view.ids], np.int32))
    kinds = _kinds(view.common_passages > 0) if view.kinds is None else view.kinds
    strengths = np.where(view.common_passages > 0, view.common_passages, view.weights).astype(np.float32)
    return Drawing(view.ids, view.names, *arrays, None, came, None, plan, tint, kinds, strengths)


def _kinds(is_tie: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.where(is_tie, TIE, FACT).astype(np.int8)


def _filtered_view(near: Neighbourhood, full_graph: FullGraph) -> GraphView:
    """The entity and those of its neighbours, and the links among them, that the whole graph has as it is shaped."""
    view = near.view
    at = np.array([full_graph.row_of.get(id, -1) for id in view.ids], np.int32)
    visible = (at >= 0) | (np.arange(len(at)) == view.ids.index(near.entity))
    rows, number = np.flatnonzero(visible), np.cumsum(visible, dtype=np.int32) - 1
    if full_graph.view.kinds is not None:
        view = _with_derived_edges(view, at, full_graph)
    inside = visible[view.edges].all(axis=1)
    inside[inside] = full_graph.joins(at[view.edges[inside]]) & (at[view.edges[inside]] >= 0).all(axis=1)
    edges = number[view.edges[inside]].reshape(-1, 2).astype(np.int32)
    columns = (view.ids, view.names, view.labels)
    ids, words, labels = (tuple(map(column.__getitem__, rows.tolist())) for column in columns)
    degree = np.bincount(edges.ravel(), minlength=len(rows)).astype(np.int32)
    return replace(
        view, ids=ids, names=words, labels=labels, degree=degree, community=view.community[rows],
        positions=view.positions[rows], edges=edges, weights=view.weights[inside],
        common_passages=view.common_passages[inside],
        kinds=None if view.kinds is None else view.kinds[inside],
    )  # fmt: skip


def _with_derived_edges(view: GraphView, at: Ints, full_graph: FullGraph) -> GraphView:
    """The view with the whole graph's edges between its entities, whose rows there are `at`, in place of its own."""
    own = np.full(len(full_graph.view.ids), -1, np.int32)
    own[at[at >= 0]] = np.flatnonzero(at >= 0)
    ends = own[full_graph.view.edges]
    mask = (ends >= 0).all(axis=1)
    assert full_graph.view.kinds is not None
    return replace(
        view, edges=ends[mask], weights=full_graph.view.weights[mask], kinds=full_graph.view.kinds[mask],
        common_passages=full_graph.view.common_passages[mask],
    )  # fmt: skip


def _places_before(full_graph: FullGraph, before: Drawing) -> Points | None:
    """Return where the drawing before has each entity, (n, 2); None: that was of another graph."""
    last = before.plan.full_graph
    if last is full_graph:
        return before.places()
    if last is None or last.base is not full_graph.base:
        return None
    found = full_graph.base.view.positions.copy()
    found[full_graph.rows_in_base] = full_graph.view.positions  # those that come anew
    found[last.rows_in_base] = before.places()
    return found[full_graph.rows_in_base]


def rings(view: GraphView, centre: int) -> Points:
    """Return positions (n, 2): one node in the middle, the others on rings, by community."""
    others = [row for row in range(len(view.ids)) if row != centre]
    others.sort(key=lambda row: (int(view.community[row]), -int(view.degree[row])))
    positions = np.zeros((len(view.ids), 2), np.float32)
    count = max(1, math.ceil(len(others) / 16))
    for number, row in enumerate(others):
        angle = 2 * math.pi * number / max(len(others), 1)
        radius = 1.0 + 0.55 * (number % count)
        positions[row] = (radius * math.cos(angle), radius * math.sin(angle))
    return positions


def _folded(plan: Plan, full_graph: FullGraph, folded: FoldedView, came: Points | None) -> Drawing:
    view, discs = full_graph.view, int((folded.community >= 0).sum())
    closed_groups = [full_graph.graph.communities[row] for row in folded.community[:discs].tolist()]
    singles = folded.entity[discs:]
    alone = singles.tolist()
    ids = (*(node_id(community.id) for community in closed_groups), *(view.ids[row] for row in alone))
    degrees = np.bincount(folded.edges.ravel(), np.repeat(folded.facts, 2), minlength=len(ids))
    colours = np.array([community.colour for community in closed_groups], np.int32)
    names = (*map(name_of, closed_groups), *(view.names[row] for row in alone))
    communities = np.concatenate([colours, view.community[singles]])
    arrays = (communities, degrees.astype(np.int32), folded.positions, folded.edges)
    groups = _groups(full_graph, folded, closed_groups, ids)
    origins = _origins(folded, came, discs) if came is not None else None
    tint = full_graph.tint.of_nodes(folded.node_of, len(ids))
    kinds = _kinds(folded.is_tie)
    return Drawing(ids, names, *arrays, groups, origins, folded.node_of, plan, tint, kinds)


def _origins(folded: FoldedView, came: Points, discs: int) -> Points:
    """An entity comes from where it stood; a disc too, but one that closes over several stays in place."""
    origins = folded.positions.copy()
    origins[folded.node_of] = came
    for axis in (0, 1):  # all entities of a disc stood at the same place: inside one that was opened
        low, high = np.full(len(origins), np.inf), np.full(len(origins), -np.inf)
        np.minimum.at(low, folded.node_of, came[:, axis])
        np.maximum.at(high, folded.node_of, came[:, axis])
        spread = np.flatnonzero(high[:discs] > low[:discs])
        origins[spread] = folded.positions[spread]
    return origins


def _groups(
    full_graph: FullGraph, folded: FoldedView, closed_groups: Sequence[Community], ids: tuple[str, ...]
) -> Groups:
    graph, discs = full_graph.graph, len(closed_groups)
    radii, members = np.zeros(len(ids), np.float32), np.ones(len(ids), np.int32)
    radii[:discs] = graph.radii[folded.community[:discs]]
    members[:discs] = [len(community.entity_ids) for community in closed_groups]
    below = np.bincount(graph.parent[graph.parent >= 0], minlength=len(graph.communities))
    words = {}
    for at, (community, facts) in enumerate(zip(closed_groups, folded.inside.tolist(), strict=False)):
        words[ids[at]] = _size(community, int(below[folded.community[at]]), links(facts))
    opened = []
    for row in folded.opened.tolist():
        community = graph.communities[row]
        depth = len(full_graph.around(community=community.id)) - 1
        outline = graph.outlines[row]
        opened.append(Outline(node_id(community.id), name_of(community), community.colour, depth, outline))
    places = full_graph.base.view.positions  # what is left out makes no other frame
    frame = np.stack([places.min(axis=0), places.max(axis=0)])
    counts = _counts(int(members[:discs].sum()), discs, len(ids) - discs, len(full_graph.view.edges))
    return Groups(radii, members, folded.facts, frame, words, opened, counts)


def _counts(inside: int, discs: int, singles: int, joined: int) -> str:
    """Return how many communities are closed and what they hold, and how many entities are single."""
    parts = []
    if discs:
        parts.append(tr("{closed} ({members})", closed=communities(discs), members=entities(inside)))
    if singles:
        parts.append(on_map(singles))
    return reduce(lambda first, rest: tr("{first}, {rest}", first=first, rest=rest), [*parts, links(joined)])


def _size(community: Community, below: int, inside: str) -> str:
    level, members = community.level, entities(len(community.entity_ids))
    if not below:
        return tr("Level {level}, {members}, {inside} inside", level=level, members=members, inside=inside)
    return tr(
        "Level {level}, {members}, {below} inside, {inside} inside",
        level=level, members=members, below=communities(below), inside=inside,
    )  # fmt: skip


def communities(count: int) -> str:
    return trn("{count} community", "{count} communities", count)


def entities(count: int) -> str:
    return trn("{count} entity", "{count} entities", count)


def on_map(count: int) -> str:
    return trn("{count} entity on the map", "{count} entities on the map", count)


def links(count: int) -> str:
    return trn("{count} link", "{count} links", count)
