"""A graph with closed communities as single nodes: which nodes are seen, and the facts and ties between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from core.types import Community, Foldable, FoldedView, GraphView

Ints = NDArray[np.int32]
Points = NDArray[np.float64]

_SHARE = 0.4  # radius of a disc, in units of the layout, for each square root of an entity
_DIRECTIONS = 32  # corners of an outline
_ROOM = 1.0  # around what an outline encloses, units of the layout
_GAP = 0.35  # between discs within one community
_ROUNDS = 60
_MOST_PAIRS = 100_000  # discs within one community that are kept apart


def foldable(view: GraphView, communities: Sequence[Community]) -> Foldable:
    """Put the communities upon the view: where each lies, how large it is, what it encloses.

    A disc stands at the mean of its entities' places; discs within the same community are pushed apart
    where they would overlap. Its area follows all of its entities, drawn or not; all discs of the top
    level together cover as much whatever part of the entities the view has.
    """
    ordered = tuple(sorted(communities, key=lambda c: (-c.level, -len(c.entity_ids), c.id)))
    home = np.full(len(view.ids), -1, np.int32)
    place = {id: at for at, id in enumerate(view.ids)}
    for at, community in enumerate(ordered):  # the finest come last
        rows = np.fromiter(
            map(place.get, community.entity_ids, repeat(-1)), np.int32, len(community.entity_ids)
        )
        home[rows[rows >= 0]] = at
    return put_upon(view, ordered, home)


def put_upon(view: GraphView, ordered: tuple[Community, ...], home: Ints) -> Foldable:
    """The same of communities in the order of a `Foldable`; `home` (n,) is the row of the finest of each entity."""
    row = {community.id: at for at, community in enumerate(ordered)}
    parent = np.array(
        [row.get(c.parent_id, -1) if c.parent_id is not None else -1 for c in ordered], np.int32
    )
    chains = _chains(parent, home)
    sizes = np.array([len(community.entity_ids) for community in ordered], np.float64)
    drawn = sum(
        (np.bincount(c[c >= 0], minlength=len(ordered)) for c in chains), np.zeros(len(ordered), np.int64)
    )
    sums = np.zeros((len(ordered), 2))
    for chain in chains:
        rows = np.flatnonzero(chain >= 0)
        for axis in (0, 1):
            sums[:, axis] += np.bincount(chain[rows], view.positions[rows, axis], minlength=len(ordered))
    middle = sums / np.maximum(drawn, 1)[:, None]
    part = drawn[parent < 0].sum() / max(sizes[parent < 0].sum(), 1.0)
    radii = _SHARE * np.sqrt(sizes * part)
    middle = _apart(middle, radii, parent, drawn > 0)
    outlines = _outlines(view, ordered, home, middle, radii, parent, drawn > 0)
    return Foldable(
        view,
        ordered,
        parent,
        home,
        drawn.astype(np.int32),
        middle.astype(np.float32),
        radii.astype(np.float32),
        outlines.astype(np.float32),
    )


def fold(graph: Foldable, opened: Collection[int]) -> FoldedView:
    """What is seen while the communities with these ids are open; one within a closed one is not seen.

    The communities come first, the large ones before the small ones, then the entities, in their order.
    Edges are counted, each edge of the view in exactly one of `facts` and `inside`.
    """
    view, parent = graph.view, graph.parent
    wanted = frozenset(opened)
    is_open = np.array([c.id in wanted for c in graph.communities], np.bool_)
    stands = np.full(len(graph.communities), -1, np.int32)  # the closed one that is seen in its place
    for rows in _levels(graph.communities):
        above = np.where(parent[rows] >= 0, stands[parent[rows]], -1)
        stands[rows] = np.where(above >= 0, above, np.where(is_open[rows], -1, rows))
    inside = graph.home >= 0
    disc_of = np.full(len(view.ids), -1, np.int32)
    disc_of[inside] = stands[graph.home[inside]]
    discs = np.flatnonzero(np.bincount(disc_of[disc_of >= 0], minlength=len(stands)) > 0).astype(np.int32)
    discs = discs[np.argsort(-graph.radii[discs], kind="stable")]
    alone = np.flatnonzero(disc_of < 0).astype(np.int32)
    node_of = np.zeros(len(view.ids), np.int32)
    node_of[alone] = np.arange(len(discs), len(discs) + len(alone))
    number = np.zeros(len(stands), np.int32)
    number[discs] = np.arange(len(discs))
    node_of[disc_of >= 0] = number[disc_of[disc_of >= 0]]
    edges, facts, within, is_tie = _gathered(
        node_of[view.edges], len(discs) + len(alone), view.common_passages > 0
    )
    none = np.full(len(alone), -1, np.int32)
    return FoldedView(
        community=np.concatenate([discs, none]),
        entity=np.concatenate([np.full(len(discs), -1, np.int32), alone]),
        node_of=node_of,
        positions=np.concatenate([graph.positions[discs], view.positions[alone]]),
        edges=edges,
        facts=facts,
        inside=within,
        opened=np.flatnonzero(is_open & (stands < 0) & (graph.drawn > 0)).astype(np.int32),
        is_tie=is_tie,
    )


def _gathered(
    ends: Ints, nodes: int, is_tie: NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
    """Edges between nodes (m, 2), how many each gathers (m,), how many lie within each node (nodes,), and whether all
    that an edge gathers are ties (m,)."""
    ends = ends.reshape(-1, 2)
    low, high = ends.min(axis=1, initial=nodes).astype(np.int64), ends.max(axis=1, initial=0).astype(np.int64)
    apart = low != high
    within = np.bincount(low[~apart], minlength=nodes).astype(np.int32)
    keys, place, counts = np.unique(
        low[apart] * max(nodes, 1) + high[apart], return_inverse=True, return_counts=True
    )
    facts = np.bincount(place.ravel(), ~is_tie[apart], minlength=len(keys))
    edges = np.stack(np.divmod(keys, max(nodes, 1)), axis=1).astype(np.int32)
    return edges, counts.astype(np.int32), within, facts == 0


def _levels(communities: Sequence[Community]) -> list[NDArray[np.intp]]:
    """Rows of each level, the top level first."""
    levels = np.array([community.level for community in communities], np.int64)
    return [np.flatnonzero(levels == level) for level in np.unique(levels)[::-1]]


def _chains(parent: Ints, home: Ints) -> list[Ints]:
    """For each step up from the finest community, the one that holds each entity, -1: none; (n,) each."""
    found, now = [], home
    while (now >= 0).any():
        found.append(now)
        now = np.where(now >= 0, parent[now], -1).astype(np.int32)
    return found


def _apart(centres: Points, radii: NDArray[np.float64], parent: Ints, drawn: NDArray[np.bool_]) -> Points:
    """Push overlapping discs of the same parent apart; the others stay where they are."""
    order = np.flatnonzero(drawn)
    order = order[np.argsort(parent[order], kind="stable")]
    starts = np.flatnonzero(np.diff(parent[order], prepend=-2))
    pairs: list[NDArray[np.intp]] = []
    for group in np.split(order, starts[1:]):
        if len(group) >= 2 and len(group) ** 2 < _MOST_PAIRS:
            one, other = np.triu_indices(len(group), 1)
            pairs.append(np.stack([group[one], group[other]], axis=1))
    if not pairs:
        return centres
    first, second = np.concatenate(pairs).T
    least, found, n = radii[first] + radii[second] + _GAP, centres.copy(), len(centres)
    for _ in range(_ROUNDS):
        way = found[second] - found[first]
        distance = np.hypot(way[:, 0], way[:, 1])
        close = np.flatnonzero(distance < least)
        if not len(close):
            break
        # Discs at the very same place part along a direction of their own, the same one each time.
        turn = first[close] * 2.399963
        way = way[close] + 1e-6 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        push = way * ((least[close] - distance[close]) / (2.2 * np.hypot(way[:, 0], way[:, 1])))[:, None]
        for axis in (0, 1):
            found[:, axis] += np.bincount(second[close], push[:, axis], minlength=n)
            found[:, axis] -= np.bincount(first[close], push[:, axis], minlength=n)
    return found


def _outlines(
    view: GraphView,
    communities: Sequence[Community],
    home: Ints,
    centres: Points,
    radii: NDArray[np.float64],
    parent: Ints,
    drawn: NDArray[np.bool_],
) -> Points:
    """Polygons around the entities of each community and the discs right below it, (c, directions, 2).

    How far each reaches is asked in every direction; neighbouring sides meet in the corners.
    """
    angles = np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    reach = np.full((len(centres), _DIRECTIONS), -np.inf)
    order, named, starts = _grouped(home)
    places = view.positions[order]
    for at in range(_DIRECTIONS if len(order) else 0):
        reach[named, at] = np.maximum.reduceat(places @ ways[:, at], starts)
    for rows in _levels(communities)[:0:-1]:  # from below: what is in one is in all that hold it
        children = rows[parent[rows] >= 0]
        np.maximum.at(reach, parent[children], reach[children])
    inner = np.flatnonzero(drawn & (parent >= 0))
    # All at once, since the discs count for the one right above alone.
    np.maximum.at(reach, parent[inner], centres[inner] @ ways + radii[inner, None])
    reach = np.where(drawn[:, None], reach + _ROOM, 0.0)
    next_reach, next_angle = np.roll(reach, -1, axis=1), np.roll(angles, -1)
    sine = np.sin(2 * np.pi / _DIRECTIONS)
    x = (reach * np.sin(next_angle) - next_reach * np.sin(angles)) / sine
    y = (next_reach * np.cos(angles) - reach * np.cos(next_angle)) / sine
    return np.stack([x, y], axis=2)


def _grouped(rows: Ints) -> tuple[NDArray[np.intp], Ints, NDArray[np.intp]]:
    """Places of what has a row, those of one row together; the rows there are; where each begins among the places."""
    order = np.argsort(rows, kind="stable")
    order = order[np.searchsorted(rows[order], 0) :]
    named, starts = np.unique(rows[order], return_index=True)
    return order, named, starts
