"""Communities of the entities: Leiden, levels that nest, and which of the new communities are those of before.

Traag, Waltman and van Eck 2019; Deep GraphRAG 2.1; triple-layer GraphRAG 4.4.1. A hierarchy is made from the top down:
Leiden over the whole graph, communities that are too large divided by Leiden over their own graph, those that are too
small joined with what they are tied to most; then the same inside each community for the level below. So the levels
nest, and the sizes stay within the papers' bounds.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.progress import TaskContext

Labels = NDArray[np.int32]
Ends = NDArray[np.int64]
Weights = NDArray[np.float64]

LARGEST = 1_000  # entities of a top community; triple-layer 4.4.1: 200 to 1,000, 50 to 200, 10 to 50
_PARTS = (5, 4)  # how many times smaller the next level's largest is
_SHARE = (5, 4, 5)  # how many times smaller the smallest is than the largest, the top level first
_TOPS = 3  # a small corpus still has so many communities at the top
_MOST_TOPS = 9  # that one takes in at a glance
_LEAST = 10  # a level whose largest community would be smaller is left out
_SHARPER = (1.0, 2.0, 4.0, 8.0)  # resolutions tried until a community divides
# Four take half as long again, longer the larger the graph, and gain nothing (see docs/communities.md).
_ITERATIONS = 2
LEAST_SHARED = 0.25  # of the entities of both together, shared: less, and it is another community


@dataclass(frozen=True, slots=True)
class Band:
    """Least and most entities of a community of one level. What nothing is tied to may stay smaller."""

    least: int
    most: int


def bands(n_entities: int) -> tuple[Band, ...]:
    """Sizes by level, the finest first; fewer levels for few entities, none for none.

    Above communities of the papers' sizes large graphs have a level of a few that hold them.
    """
    if not n_entities:
        return ()
    top = max(_LEAST + 2, -(-n_entities // _TOPS))
    most = min(LARGEST, top)
    found = [Band(max(1, top // _SHARE[0]), top)] if top > LARGEST else []
    found.append(Band(max(1, most // _SHARE[0]), most))
    for parts, share in zip(_PARTS, _SHARE[1:], strict=True):
        most //= parts
        if most < _LEAST:
            break
        found.append(Band(max(1, most // share), most))
    return tuple(reversed(found))


def hierarchy(
    n_entities: int,
    ends: Ends,
    weights: Weights,
    seed: int = 7,
    context: TaskContext | None = None,
    order: NDArray[np.int64] | None = None,
) -> tuple[Labels, ...]:
    """The community of each entity at each level, the finest first: (n_entities,) each, numbered from 0.

    `ends` (m, 2) are entity numbers with `weights` (m,) > 0, each pair once. Every entity is in exactly one
    community a level, and all of a community are in one community of the level above. What is tied to
    nothing is kept together in the order of `order` (n_entities,), such as that of their documents.
    Raises Cancelled.
    """
    context = context or TaskContext()
    sizes = bands(n_entities)
    rank = np.arange(n_entities) if order is None else np.argsort(np.argsort(order, kind="stable"))
    found: list[Labels] = []
    above = np.zeros(n_entities, dtype=np.int32)
    for at, band in enumerate(reversed(sizes)):
        labels = np.full(n_entities, -1, dtype=np.int32)
        free = 0
        groups = int(above.max()) + 1
        for number, part in enumerate(_parts(above, ends, weights)):
            context.report("communities", number + at * groups, len(sizes) * groups)
            own = _within(part, band, rank[part.nodes], seed, context)
            if not at:
                own = _limit_count(own, part, band, rank[part.nodes])
            labels[part.nodes] = own + free
            free += int(own.max()) + 1
        above = number_by_size(labels)
        found.append(above)
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class _Part:
    """A subgraph: `nodes` (n,) of the whole graph, `ends` (m, 2) among them by their place in `nodes`."""

    nodes: NDArray[np.int64]
    ends: Ends
    weights: Weights


def _parts(
    labels: Labels, ends: Ends, weights: Weights, only: Sequence[int] | None = None
) -> Iterator[_Part]:
    """The subgraph of each label in turn."""
    count = int(labels.max()) + 1 if len(labels) else 0
    nodes = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[nodes], np.arange(count + 1))
    place = np.empty(len(labels), dtype=np.int64)
    place[nodes] = np.arange(len(labels)) - starts[labels[nodes]]
    inside = np.flatnonzero(labels[ends[:, 0]] == labels[ends[:, 1]])
    inside = inside[np.argsort(labels[ends[inside, 0]], kind="stable")]
    cuts = np.searchsorted(labels[ends[inside, 0]], np.arange(count + 1))
    for label in range(count) if only is None else only:
        edges = inside[cuts[label] : cuts[label + 1]]
        yield _Part(nodes[starts[label] : starts[label + 1]], place[ends[edges]], weights[edges])


def _within(part: _Part, band: Band, rank: NDArray[np.int64], seed: int, context: TaskContext) -> Labels:
    """Communities of a subgraph, within the bounds where that can be: (n,) from 0."""
    n = len(part.nodes)
    if n <= band.most:
        undivided = np.zeros(n, dtype=np.int32)
        # As large as it may be: only what clearly falls apart is divided.
        if n < 2 * band.least or band.least <= 1:
            return undivided
    labels = split_large(np.ones(n, dtype=np.int64), part.ends, part.weights, band.most, seed, context)
    labels = join_small(labels, part.ends, part.weights, band)
    return pool_untied(labels, band, rank)


def _limit_count(labels: Labels, part: _Part, band: Band, rank: NDArray[np.int64]) -> Labels:
    """Return at most `_MOST_TOPS` communities, where those that are joined find room: (n,) from 0."""
    while (count := int(labels.max(initial=-1)) + 1) > _MOST_TOPS:
        sizes = np.sort(np.bincount(labels))[::-1]
        wider = Band(int(sizes[_MOST_TOPS - 1]) + 1, band.most)
        labels = pool_untied(join_small(labels, part.ends, part.weights, wider), wider, rank)
        if int(labels.max()) + 1 == count:
            break
    return labels


def split_large(
    sizes: NDArray[np.int64],
    ends: Ends,
    weights: Weights,
    most: int,
    seed: int = 7,
    context: TaskContext | None = None,
) -> Labels:
    """Return parts, (n,), none above `most`, of things that are as large as `sizes` (n,) says, none above `most`.

    Leiden, and Leiden again inside what is larger, more sharply where it does not divide.
    """
    if context is not None:
        context.check()
    n, total = len(sizes), int(sizes.sum())
    labels = np.zeros(n, dtype=np.int32)
    for resolution in _SHARPER:
        labels = leiden(n, ends, weights, resolution, seed)
        if total <= most or int(labels.max()) > 0:
            break
    if total > most and int(labels.max()) == 0:
        # Nothing divides it, such as a clique: by its order, then.
        labels = np.unique((np.cumsum(sizes) - 1) // most, return_inverse=True)[1].astype(np.int32)
    large = np.flatnonzero(np.bincount(labels, sizes) > most)
    free = int(labels.max()) + 1
    for inner in _parts(labels, ends, weights, large.tolist()):
        own = split_large(sizes[inner.nodes], inner.ends, inner.weights, most, seed, context)
        labels[inner.nodes[own > 0]] = own[own > 0] + (free - 1)
        free += int(own.max())
    return labels


def join_small(labels: Labels, ends: Ends, weights: Weights, band: Band) -> Labels:
    """Communities below the least size joined, the smallest first, with what they are tied to most and that
    has room; numbered from 0."""
    sizes = np.bincount(labels).tolist()
    ties = _ties(labels, ends, weights)
    into = list(range(len(sizes)))
    waiting = sorted((size, label) for label, size in enumerate(sizes) if size < band.least)
    while waiting:
        size, label = waiting.pop(0)
        if into[label] != label or sizes[label] != size:
            continue
        room = [(-tie, other) for other, tie in ties[label].items() if sizes[other] + size <= band.most]
        if not room:
            continue
        other = min(room)[1]
        _join(label, other, ties)
        into[label] = other
        sizes[other] += size
        if sizes[other] < band.least:
            bisect.insort(waiting, (sizes[other], other))
    return number_by_size(np.array([_root(into, label) for label in labels.tolist()], dtype=np.int32))


def _ties(labels: Labels, ends: Ends, weights: Weights) -> list[dict[int, float]]:
    """Weight between communities, by community and its neighbour."""
    count = int(labels.max()) + 1 if len(labels) else 0
    pairs = labels[ends]
    outside = pairs[:, 0] != pairs[:, 1]
    code = pairs[outside, 0].astype(np.int64) * count + pairs[outside, 1]
    codes, at = np.unique(code, return_inverse=True)
    sums = np.bincount(at, weights[outside], minlength=len(codes))
    found: list[dict[int, float]] = [{} for _ in range(count)]
    for one, weight in zip(codes.tolist(), sums.tolist(), strict=True):
        left, right = divmod(one, count)
        found[left][right] = found[left].get(right, 0.0) + weight
        found[right][left] = found[right].get(left, 0.0) + weight
    return found


def _join(label: int, other: int, ties: list[dict[int, float]]) -> None:
    for third, weight in ties[label].items():
        del ties[third][label]
        if third != other:
            ties[other][third] = ties[other].get(third, 0.0) + weight
            ties[third][other] = ties[third].get(other, 0.0) + weight
    ties[label] = {}


def _root(into: list[int], label: int) -> int:
    while into[label] != label:
        into[label] = into[into[label]]
        label = into[label]
    return label


def pool_untied(labels: Labels, band: Band, rank: NDArray[np.int64]) -> Labels:
    """Communities still below the least size, tied to none that has room, put together in the order of `rank`."""
    sizes = np.bincount(labels)
    small = np.flatnonzero(sizes < band.least)
    if len(small) < 2:
        return labels
    first = np.full(len(sizes), np.iinfo(np.int64).max)
    np.minimum.at(first, labels, rank)
    into = np.arange(len(sizes))
    pool, pool_size = -1, 0
    for label in small[np.argsort(first[small], kind="stable")].tolist():
        if pool < 0 or pool_size + sizes[label] > band.most:
            pool, pool_size = label, 0
        into[label] = pool
        pool_size += int(sizes[label])
    return number_by_size(into[labels].astype(np.int32))


def number_by_size(labels: Labels) -> Labels:
    """The same communities numbered by falling size; ties by their first entity."""
    names, first, inverse, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    place = np.empty(len(names), dtype=np.int32)
    place[np.lexsort((first, -sizes))] = np.arange(len(names), dtype=np.int32)
    return place[inverse]


def leiden(
    n_entities: int,
    edges: NDArray[np.int64],
    weights: NDArray[np.float64],
    resolution: float = 1.0,
    seed: int = 7,
) -> NDArray[np.int32]:
    """Community of each entity, (n_entities,), numbered by falling size; ties by their first entity.

    `edges` (m, 2) are entity node numbers with `weights` (m,) > 0. Isolated entities are alone.
    """
    import igraph

    if n_entities == 0:
        return np.zeros(0, dtype=np.int32)
    graph = igraph.Graph(n=n_entities, edges=edges)
    # igraph's own Leiden: as good as leidenalg's on the same graph, and fifteen times as fast.
    igraph.set_random_number_generator(random.Random(seed))
    partition = graph.community_leiden(
        objective_function="modularity",
        weights=weights.tolist() if len(weights) else None,
        resolution=resolution,
        n_iterations=_ITERATIONS,
    )
    raw = np.array(partition.membership, dtype=np.int64)
    names, first, sizes = np.unique(raw, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    place = np.empty(len(names), dtype=np.int32)
    place[order] = np.arange(len(names), dtype=np.int32)
    return place[np.searchsorted(names, raw)]


def match_communities(old: NDArray[np.int64], new: NDArray[np.int64]) -> dict[int, int]:
    """Old community by new one, each used once, those that share most first.

    `old` and `new` (n,) are the communities of the same entities; below 0 where an entity had none.
    """
    both = (old >= 0) & (new >= 0)
    pairs, shared = np.unique(np.stack([new[both], old[both]], axis=1), axis=0, return_counts=True)
    if not len(pairs):
        return {}
    of_new, of_old = _sizes(new), _sizes(old)
    found: dict[int, int] = {}
    taken: set[int] = set()
    for at in np.lexsort((pairs[:, 1], pairs[:, 0], -shared)).tolist():
        one, other = int(pairs[at, 0]), int(pairs[at, 1])
        together = of_new[one] + of_old[other] - int(shared[at])
        if one not in found and other not in taken and shared[at] >= LEAST_SHARED * together:
            found[one] = other
            taken.add(other)
    return found


def _sizes(labels: NDArray[np.int64]) -> dict[int, int]:
    names, counts = np.unique(labels, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def modularity(labels: Labels, ends: Ends, weights: Weights) -> float:
    """Of the whole partition at resolution 1, -0.5 to 1. Newman and Girvan 2004; triple-layer 4.4.1."""
    total = float(weights.sum())
    if not total:
        return 0.0
    count = int(labels.max()) + 1
    strength = np.bincount(labels[ends].ravel(), np.repeat(weights, 2), minlength=count)
    return coverage(labels, ends, weights) - float(np.square(strength / (2 * total)).sum())


def coverage(labels: Labels, ends: Ends, weights: Weights) -> float:
    """Share of the weight of the edges that lies inside communities, 0 to 1."""
    total = float(weights.sum())
    inside = labels[ends[:, 0]] == labels[ends[:, 1]]
    return float(weights[inside].sum()) / total if total else 0.0
