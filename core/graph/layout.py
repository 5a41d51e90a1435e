"""Where the entities are drawn: a map in which each community is an island of its own, and places for what is new."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.types import CommonLayout, GraphView, Spot

Points = NDArray[np.float64]
Ends = NDArray[np.int64]

ASPECT = 1.45  # screens are wide, so the map is
_EXACT_UP_TO = 1_200  # nodes of an island that the slower, prettier layout still draws quickly
_ITERATIONS = 250
_FEW = 40  # of them, where old places are known
_NEW = 0.5  # share of nodes above which nothing is kept
_ISLANDS = 400  # islands placed by forces; the smaller ones stand on a spiral around them
_GAP = 0.9  # between islands, in node distances
_GOLDEN = 2.399963229728653
_STEP = 0.35  # node distances from the middle of the neighbours
_ROUNDS = 8  # how far from a name that both have one of the second may lie and still be drawn near it


def force_layout(
    n: int,
    edges: Ends,
    weights: NDArray[np.float64],
    communities: NDArray[np.int32],
    seed: int = 7,
    before: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """Positions, (n, 2), neighbours about one unit apart; the same input gives the same map.

    Each community is laid out by force (Fruchterman and Reingold 1991, through igraph) within a
    disc whose area follows its size; the discs are placed by the weight between them and pushed
    apart until none overlaps. Nodes without edges stand on a spiral around all of it.

    `before`: where they stood, (n, 2), NaN for new ones. Where that is known of half of the nodes the map begins
    with it: discs where their nodes stood, nodes within them likewise, and all move only as far as room is needed.
    """
    positions = np.zeros((n, 2), dtype=np.float64)
    linked = np.zeros(n, dtype=bool)
    linked[edges.ravel()] = True
    inside = np.flatnonzero(linked)
    if len(inside):
        known = np.full((len(inside), 2), np.nan) if before is None else before[inside].astype(np.float64)
        if np.isnan(known[:, 0]).mean() > _NEW:
            known[:] = np.nan
        positions[inside] = _islands(
            np.searchsorted(inside, edges), weights, communities[inside], seed, known
        )
    radius = float(np.linalg.norm(positions / (ASPECT, 1.0), axis=1).max()) if len(inside) else 0.0
    positions[~linked] = _spiral(int((~linked).sum()), radius) * (ASPECT, 1.0)
    return positions.astype(np.float32)


def _islands(
    ends: Ends, weights: NDArray[np.float64], communities: NDArray[np.int32], seed: int, known: Points
) -> Points:
    names, at, sizes = np.unique(communities, return_inverse=True, return_counts=True)
    radii = 0.62 * np.sqrt(sizes) + 0.25
    members = np.split(np.argsort(at, kind="stable"), np.cumsum(sizes)[:-1])
    stood = np.array([_mean(known[rows]) for rows in members])
    warm = not np.isnan(stood).all()
    centres = _update_centres(at[ends], radii, stood) if warm else _centres(at[ends], weights, radii, seed)
    found = np.zeros((len(communities), 2))
    same = at[ends[:, 0]] == at[ends[:, 1]]
    order = np.argsort(at[ends[same, 0]], kind="stable")
    own_ends, own_weights = ends[same][order], weights[same][order]
    starts = np.searchsorted(at[own_ends[:, 0]], np.arange(len(names) + 1))
    outward = _outward(ends[~same], at, centres, len(communities))
    for island, rows in enumerate(members):
        own = slice(starts[island], starts[island + 1])
        pairs, old = np.searchsorted(rows, own_ends[own]), known[rows] - stood[island]
        local = _forces(pairs, own_weights[own], len(rows), seed, old)
        # As it stood; an island of which nothing is known turns towards what it is linked with.
        towards = outward[rows] if np.isnan(old).all() else np.nan_to_num(old)
        found[rows] = centres[island] + _turned(local, towards) * radii[island]
    return found


def _mean(points: Points) -> Points:
    """The middle of those that are known, NaN where none is."""
    known = points[~np.isnan(points[:, 0])]
    return np.asarray(known.mean(axis=0)) if len(known) else np.full(2, np.nan)


def _forces(ends: Ends, weights: NDArray[np.float64], n: int, seed: int, old: Points) -> Points:
    """Positions, (n, 2), within the unit disc; `old` ones, (n, 2) or NaN, around their middle, are where it begins."""
    import igraph

    if n == 1:
        return np.zeros((1, 2))
    if n == 2:
        return np.array([[-0.5, 0.0], [0.5, 0.0]])
    graph = igraph.Graph(n=n, edges=ends.tolist())
    igraph.set_random_number_generator(random.Random(seed))
    warm = np.isnan(old[:, 0]).mean() <= _NEW
    layout = graph.layout_fruchterman_reingold(
        weights=np.sqrt(weights).tolist() if len(weights) else None,
        niter=_FEW if warm else _ITERATIONS,
        start_temp=np.sqrt(n) / (100 if warm else 10),
        seed=(_place_near_neighbours(ends, old) if warm else _spiral(n, 0.0)).tolist(),
        grid="nogrid" if n <= _EXACT_UP_TO else "grid",
    )
    found = np.array(layout.coords, dtype=np.float64)
    found -= found.mean(axis=0)
    distance = np.linalg.norm(found, axis=1)
    # The rank of the distance decides, in part: outliers would leave the rest a heap in the middle.
    even = np.sqrt((np.argsort(np.argsort(distance)) + 0.5) / n)
    scaled = distance / max(float(distance.max()), 1e-9)
    return np.asarray(found * ((0.45 * scaled + 0.55 * even) / np.maximum(distance, 1e-9))[:, None])


def _place_near_neighbours(ends: Ends, old: Points) -> Points:
    """Old places as they are, and for the others, (n, 2), the middle of their neighbours' or else of all, a little off
    it, so that no two are one.
    """
    new = np.isnan(old[:, 0])
    sums, counts = np.zeros((len(old), 2)), np.zeros(len(old))
    for here, there in ((0, 1), (1, 0)):
        tied = new[ends[:, here]] & ~new[ends[:, there]]
        np.add.at(sums, ends[tied, here], old[ends[tied, there]])
        np.add.at(counts, ends[tied, here], 1)
    around = sums / np.maximum(counts, 1)[:, None] + 0.3 * _spiral(len(old), 0.0) / np.sqrt(len(old))
    return np.where(new[:, None], around, old)


def _update_centres(between: Ends, radii: NDArray[np.float64], stood: Points) -> Points:
    """Centres of the discs, (n, 2), near to where they stood; new ones beside what they are linked with."""
    centres = _place_near_neighbours(between[between[:, 0] != between[:, 1]], stood)
    placed = np.sort(np.argsort(-radii, kind="stable")[:_ISLANDS])
    centres[placed] = _apart(centres[placed], radii[placed])
    rest = np.setdiff1d(np.arange(len(radii)), placed)
    edge = float((np.linalg.norm(centres[placed], axis=1) + radii[placed]).max(initial=0.0))
    # Small ones keep their order on the spiral.
    order = np.argsort(np.nan_to_num(np.linalg.norm(stood[rest], axis=1), nan=np.inf), kind="stable")
    centres[rest[order]] = _spiral(len(rest), edge / 1.6) * 1.6
    return centres


def _centres(between: Ends, weights: NDArray[np.float64], radii: NDArray[np.float64], seed: int) -> Points:
    """Centres of the discs, (n, 2): linked ones near, none overlapping, the whole compact."""
    import igraph

    n = len(radii)
    placed = min(n, _ISLANDS)
    chosen = np.sort(np.argsort(-radii, kind="stable")[:placed])
    rank = np.full(n, -1)
    rank[chosen] = np.arange(placed)
    pairs = rank[between]
    proper = (pairs[:, 0] != pairs[:, 1]) & (pairs >= 0).all(axis=1)
    graph = igraph.Graph(n=placed, edges=pairs[proper].tolist())
    igraph.set_random_number_generator(random.Random(seed))
    start = _spiral(placed, 0.0)
    layout = graph.layout_fruchterman_reingold(
        weights=weights[proper].tolist() if proper.any() else None, niter=_ITERATIONS, seed=start.tolist()
    )
    coords = np.array(layout.coords, dtype=np.float64).reshape(-1, 2)
    coords -= coords.mean(axis=0)
    spread = max(float(np.linalg.norm(coords, axis=1).max()), 1e-9)
    coords *= np.sqrt((radii[chosen] ** 2).sum()) / spread
    centres = np.zeros((n, 2))
    centres[chosen] = _apart(coords, radii[chosen])
    rest = np.setdiff1d(np.arange(n), chosen)
    edge = float((np.linalg.norm(centres[chosen], axis=1) + radii[chosen]).max(initial=0.0))
    centres[rest] = _spiral(len(rest), edge / 1.6) * 1.6
    return centres


def _apart(centres: Points, radii: NDArray[np.float64], rounds: int = 400) -> Points:
    """Push overlapping discs apart and draw all towards the middle, flatter than high."""
    found = centres.copy()
    least = radii[:, None] + radii[None, :] + _GAP
    for step in range(rounds):
        # Large islands are drawn harder, so that the small ones end up around them.
        pull = 0.05 * (1.0 - step / rounds) * (radii / radii.max())[:, None]
        found -= found * (pull * (1.0, ASPECT**2))
        gap = found[:, None, :] - found[None, :, :]
        distance = np.linalg.norm(gap, axis=2)
        np.fill_diagonal(distance, np.inf)
        overlap = np.maximum(0.0, least - distance)
        direction = gap / np.maximum(distance, 1e-6)[:, :, None]
        found += (
            0.5
            * (direction * overlap[:, :, None]).sum(axis=1)
            / np.maximum(1, (overlap > 0).sum(axis=1))[:, None]
        )
    return found


def _outward(ends: Ends, at: NDArray[np.int64], centres: Points, n: int) -> Points:
    """For each node, (n, 2), the sum of directions to the islands that it is linked with."""
    found = np.zeros((n, 2))
    for here, there in ((0, 1), (1, 0)):
        away = centres[at[ends[:, there]]] - centres[at[ends[:, here]]]
        away /= np.maximum(np.linalg.norm(away, axis=1), 1e-9)[:, None]
        np.add.at(found, ends[:, here], away)
    return found


def _turned(local: Points, outward: Points) -> Points:
    """Turn an island so that its nodes lie, on the whole, on the side of what they are linked with."""
    sine = float((local[:, 0] * outward[:, 1] - local[:, 1] * outward[:, 0]).sum())
    cosine = float((local * outward).sum())
    angle = np.arctan2(sine, cosine)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(local @ turn)


def _spiral(n: int, radius: float) -> Points:
    """Sunflower points outside `radius`, one unit apart, (n, 2)."""
    at = np.arange(n, dtype=np.float64)
    distance = np.sqrt(at + 1.0 + (radius * 1.08) ** 2)
    angle = at * _GOLDEN
    return np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1)


def place_new_nodes(
    wanted: Sequence[int],
    edges: Sequence[tuple[int, int, float]],
    known: Mapping[int, Spot],
    free: int,
    radius: float,
) -> dict[int, Spot]:
    """A spot for each of `wanted`, those tied most to others first.

    `edges` are (end, end, strength) at the wanted entities; `known` are the spots of others. An entity
    joins the community that most strength ties it to and stands by its neighbours there. Those tied to
    no one known found communities from number `free` on, at the rim, `radius` from the middle.
    """
    neighbours: dict[int, list[tuple[int, float]]] = {key: [] for key in wanted}
    for left, right, strength in edges:
        if left != right:
            if left in neighbours:
                neighbours[left].append((right, strength))
            if right in neighbours:
                neighbours[right].append((left, strength))
    spots = dict(known)
    found: dict[int, Spot] = {}
    tied = {key: sum(s for other, s in near if other in spots) for key, near in neighbours.items()}
    heap = [(-strength, key) for key, strength in tied.items()]
    heapq.heapify(heap)
    while heap:
        strength, key = heapq.heappop(heap)
        if key in found or -strength != tied[key]:
            continue  # since then it was placed, or tied to more
        if tied[key] > 0:
            spot = _place_near([(spots[o], s) for o, s in neighbours[key] if o in spots], len(found))
        else:
            spot = _outside(len(found), radius, free if neighbours[key] else -1)
            free += 1 if neighbours[key] else 0
        found[key] = spots[key] = spot
        for other, weight in neighbours[key]:
            if other in neighbours and other not in found:
                tied[other] += weight
                heapq.heappush(heap, (-tied[other], other))
    return found


def _outside(number: int, radius: float, community: int) -> Spot:
    angle = _GOLDEN * number
    return Spot(community, (radius + 1.0) * math.cos(angle), (radius + 1.0) * math.sin(angle))


def _place_near(neighbours: Sequence[tuple[Spot, float]], number: int) -> Spot:
    strength: dict[int, float] = {}
    for spot, weight in neighbours:
        strength[spot.community] = strength.get(spot.community, 0.0) + weight
    community = max(sorted(strength), key=lambda each: strength[each])
    own = [(spot, weight) for spot, weight in neighbours if spot.community == community]
    total = sum(weight for _, weight in own)
    x = sum(spot.x * weight for spot, weight in own) / total
    y = sum(spot.y * weight for spot, weight in own) / total
    angle = _GOLDEN * number
    return Spot(community, x + _STEP * math.cos(angle), y + _STEP * math.sin(angle))


def common_layout(first: GraphView, second: GraphView | None = None) -> CommonLayout:
    """Those of `first` where they stand; what only `second` has, at the mean of its neighbours there.

    What is joined to nothing of `first` keeps its own place, both graphs laid into one frame.
    """
    if second is None:
        return CommonLayout(first.ids, first.names, first.positions)
    known = {id: row for row, id in enumerate(first.ids)}
    at = np.array([known.get(id, -1) for id in second.ids], dtype=np.int64)
    places = _framed(second.positions, first.positions)
    places[at >= 0] = first.positions[at[at >= 0]]
    _pull(places, at >= 0, second.edges)
    only = np.flatnonzero(at < 0)
    return CommonLayout(
        (*first.ids, *(second.ids[row] for row in only)),
        (*first.names, *(second.names[row] for row in only)),
        np.concatenate([first.positions, places[only]]).astype(np.float32),
    )


def _pull(places: NDArray[np.float64], placed: NDArray[np.bool_], edges: NDArray[np.int32]) -> None:
    """Put each row to the mean of its neighbours that have a place, outwards from those; in place."""
    placed = placed.copy()
    one, other = np.concatenate([edges, edges[:, ::-1]]).T
    for _ in range(_ROUNDS):
        telling = placed[other] & ~placed[one]
        if not telling.any():
            return
        sums, counts = np.zeros_like(places), np.zeros(len(places))
        np.add.at(sums, one[telling], places[other[telling]])
        np.add.at(counts, one[telling], 1)
        found = counts > 0
        places[found] = sums[found] / counts[found, None]
        placed |= found


def _framed(points: NDArray[np.float32], frame: NDArray[np.float32]) -> NDArray[np.float64]:
    """Points moved and scaled into the box of others, shape kept."""
    if not len(points) or not len(frame):
        return points.astype(np.float64)
    low, high = frame.min(axis=0), frame.max(axis=0)
    own_low, own_high = points.min(axis=0), points.max(axis=0)
    scale = float(np.min((high - low) / np.maximum(own_high - own_low, 1e-6))) or 1.0
    framed: NDArray[np.float64] = (points - (own_low + own_high) / 2) * scale + (low + high) / 2
    return framed
