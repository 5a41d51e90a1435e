"""The strongest chains of facts from the question's entities. Triple-layer GraphRAG 4.5.2.

A chain's strength is the product of its facts' strengths and of the importances of the entities on
it, times 0.9 a fact (the paper's listing, `compute_path_score`). Every factor is at most 1 and the
last below it, so the strongest chain never visits an entity twice.

The search costs the same however many facts there are: it looks at the strongest `FACTS` of an entity, and goes on from
the best `FRONTIER` entities of each length. Where nothing was cut what it finds is exactly the strongest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.retrieval.fact_graph import FactGraph, Rows

LONGEST = 3  # facts of a chain
FACTS = 200  # the strongest of an entity that a chain may go over
FRONTIER = 1_000  # entities, the best of each length, that chains go on from
_PASSAGES = 200_000  # neighbours of entities that are looked through for passages
_LENGTH_PENALTY = 0.9

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Chain:
    """`entities` from the seed to the end, `facts` (store keys) and their `strengths` between them."""

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    strengths: tuple[float, ...]
    strength: float  # of the whole, 0 to 1


@dataclass(frozen=True, slots=True)
class Hop:
    """Entities that chains of one length reach, better than any shorter one does: `rows` (k,) ascending."""

    rows: Rows
    values: Scores  # (k,) strengths of the best chains
    places: Rows  # (k,) of their last facts in the fact graph
    before: Rows  # (k,) entity rows that these facts come from


@dataclass(frozen=True, slots=True)
class Reached:
    """All entities that chains reach: `rows` (k,) ascending, the best chain's strength and its length, (k,)."""

    hops: tuple[Hop, ...]  # by length; the first are the seeds
    rows: Rows
    values: Scores
    lengths: Rows

    def strengths(self, rows: Rows) -> Scores:
        """Of the best chains to `rows`, (r,); 0 where none leads."""
        place, known = _places(self.rows, rows)
        found = np.zeros(len(rows))
        found[known] = self.values[place[known]]
        return found


def reach(
    graph: FactGraph,
    importance: NDArray[np.float32],
    seeds: dict[int, float],
    longest: int = LONGEST,
    facts: int = FACTS,
    frontier: int = FRONTIER,
) -> Reached:
    """The best chains of at most `longest` facts from any seed to each entity that they reach.

    `seeds` maps entity rows to weights in 0..1; `importance` is one of the two of `graph`.
    """
    starts = np.array(sorted(seeds), dtype=np.int64)
    values = np.array([seeds[int(row)] for row in starts]) * importance[starts]
    starts, values = starts[values > 0], values[values > 0]
    hop = Hop(starts, values, np.full(len(starts), -1), np.full(len(starts), -1))
    found = Reached((hop,), starts, values, np.zeros(len(starts), dtype=np.int64))
    for _ in range(longest):
        hop = _onward(graph, importance, found, facts, frontier)
        if not len(hop.rows):
            break
        found = _joined(found, hop)
    return found


def _onward(
    graph: FactGraph, importance: NDArray[np.float32], found: Reached, facts: int, frontier: int
) -> Hop:
    """One fact on from the longest chains, where that is better than what was found."""
    last = found.hops[-1]
    going = np.arange(len(last.rows))
    if len(going) > frontier:
        going = np.sort(np.argpartition(-last.values, frontier)[:frontier])
    places, owners = graph.around(last.rows[going], facts)
    targets = graph.others[places].astype(np.int64)
    values = last.values[going][owners] * _steps(graph, importance, places, targets)
    better = values > found.strengths(targets)
    places, owners, targets, values = places[better], owners[better], targets[better], values[better]
    order = np.argsort(-values, kind="stable")
    rows, first = np.unique(targets[order], return_index=True)
    best = order[first]
    return Hop(rows, values[best], places[best], last.rows[going][owners[best]])


def _steps(graph: FactGraph, importance: NDArray[np.float32], places: Rows, targets: Rows) -> Scores:
    """What a chain is multiplied with that goes on over the facts at `places` to `targets`."""
    return graph.strengths[places].astype(np.float64) * importance[targets] * _LENGTH_PENALTY


def _joined(found: Reached, hop: Hop) -> Reached:
    rows = np.concatenate([hop.rows, found.rows])
    rows, first = np.unique(rows, return_index=True)  # what is new is better, and comes first
    values = np.concatenate([hop.values, found.values])[first]
    lengths = np.concatenate([np.full(len(hop.rows), len(found.hops)), found.lengths])[first]
    return Reached((*found.hops, hop), rows, values, lengths)


def _places(sorted_rows: Rows, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """Where `rows` stand among `sorted_rows`, and whether they do."""
    place = np.searchsorted(sorted_rows, rows)
    known = place < len(sorted_rows)
    known[known] = sorted_rows[place[known]] == rows[known]
    return place, known


def chain_to(
    graph: FactGraph, importance: NDArray[np.float32], reached: Reached, ends: Rows, facts: int = FACTS
) -> Chain | None:
    """The strongest chain to any of the entities `ends`, of one fact more than `reached` has at most; None for none.

    The last fact is looked for from the end, so that a chain comes out of a hub over a fact of which the hub has many
    stronger ones.
    """
    direct = reached.strengths(ends)
    places, owners = graph.around(ends, facts)
    sources = graph.others[places].astype(np.int64)
    values = reached.strengths(sources) * _steps(graph, importance, places, ends[owners])
    best = direct.copy()
    np.maximum.at(best, owners, values)
    if not len(ends) or best.max() <= 0.0:
        return None
    end = int(best.argmax())
    if direct[end] >= best[end]:
        return _chain(graph, *_back(reached, int(ends[end])), float(best[end]))
    last = np.flatnonzero((owners == end) & (values == best[end]))
    last = int(last[sources[last].argmin()])
    entities, before = _back(reached, int(sources[last]))
    return _chain(graph, [*entities, int(ends[end])], [*before, int(places[last])], float(best[end]))


def _back(reached: Reached, row: int) -> tuple[list[int], list[int]]:
    """The best chain to an entity that was reached: its entities, and the places of its facts."""
    entities, places = [row], list[int]()
    for hop in reversed(reached.hops[1 : int(reached.lengths[np.searchsorted(reached.rows, row)]) + 1]):
        at = int(np.searchsorted(hop.rows, entities[-1]))
        places.append(int(hop.places[at]))
        entities.append(int(hop.before[at]))
    return entities[::-1], places[::-1]


def _chain(graph: FactGraph, entities: list[int], places: list[int], strength: float) -> Chain:
    keys, strengths = graph.keys[places].tolist(), graph.strengths[places].tolist()
    return Chain(tuple(entities), tuple(keys), tuple(strengths), strength)


def named_in(graph: KnowledgeGraph, passage: int) -> Rows:
    """Rows of the entities that a passage names."""
    node = graph.n_entities + passage
    first, end = graph.adjacency.indptr[node : node + 2]
    return graph.adjacency.indices[first:end].astype(np.int64)


def passage_scores(graph: KnowledgeGraph, reached: Reached) -> tuple[Rows, Scores]:
    """Passages that name an entity that was reached, (p,) ascending, and the best strength among those, (p,).

    The best entities are looked at first, until they have 200,000 neighbours together.
    """
    n, adjacency = graph.n_entities, graph.adjacency
    order = np.argsort(-reached.values, kind="stable")
    first = adjacency.indptr[reached.rows[order]].astype(np.int64)
    counts = adjacency.indptr[reached.rows[order] + 1] - first
    looked = np.cumsum(counts) - counts < _PASSAGES
    order, first, counts = order[looked], first[looked], counts[looked]
    owners = np.repeat(order, counts)
    near = adjacency.indices[np.arange(len(owners)) + np.repeat(first - np.cumsum(counts) + counts, counts)]
    passages, best = np.unique(near[near >= n], return_index=True)
    return passages.astype(np.int64) - n, reached.values[owners[near >= n][best]]
