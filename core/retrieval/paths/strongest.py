"""The strongest chains of facts from the question's entities. Triple-layer GraphRAG 4.5.2.

A chain's strength is the product of its facts' strengths and of the importances of the entities on
it, times 0.9 a fact (the paper's listing, `compute_path_score`). Every factor is at most 1 and the
last below it, so the strongest chain never visits an entity twice.

The search costs the same however many facts there are: it looks at the strongest `FACTS` of an entity, and goes on
from the best entities of each length until they have `LOOKED_AT` facts together. Where nothing was cut what it finds is
exactly the strongest. A chain between two entities is looked for from both: out of a hub it comes over a fact of which
the hub has many stronger ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from core.graph.build import KnowledgeGraph
from core.retrieval.fact_graph import FactGraph, Rows

LONGEST = 3  # facts of a chain
FACTS = 200  # the strongest of an entity that a chain may go over
LOOKED_AT = 25_000  # facts for each length of chains from the seeds
_FROM_END = 10_000  # the same from the other end, which is done for each passage
_PASSAGES = 200_000  # neighbours of entities that are looked through for passages
_LENGTH_PENALTY = 0.9

Scores = NDArray[np.float64]
Importance = NDArray[np.float32] | NDArray[np.float64]
DAMPING = 0.85
STEPS = 20


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
    """Entities that chains of at most so many facts reach: `rows` (k,) ascending, the best chain's strength and its
    length, (k,)."""

    hops: tuple[Hop, ...]  # by length; the first are the seeds
    rows: Rows
    values: Scores
    lengths: Rows

    def strengths(self, rows: Rows) -> Scores:
        """Of the best chains to `rows`, (r,); 0 where none leads."""
        place = np.searchsorted(self.rows, rows)
        known = place < len(self.rows)
        known[known] = self.rows[place[known]] == rows[known]
        found = np.zeros(len(rows))
        found[known] = self.values[place[known]]
        return found

    def back(self, row: int) -> tuple[list[int], list[int]]:
        """The best chain, from an entity back to the seed: its entities, and the places of its facts."""
        entities, places = [row], list[int]()
        length = int(self.lengths[np.searchsorted(self.rows, row)])
        for hop in reversed(self.hops[1 : length + 1]):
            at = int(np.searchsorted(hop.rows, entities[-1]))
            places.append(int(hop.places[at]))
            entities.append(int(hop.before[at]))
        return entities, places


def reach(
    graph: FactGraph,
    importance: Importance,
    seeds: Mapping[int, float],
    longest: int = LONGEST,
    facts: int = FACTS,
    looked_at: int = LOOKED_AT,
) -> tuple[Reached, ...]:
    """The best chains from any seed to each entity that they reach, of at most 0, 1, ... `longest` facts.

    `seeds` maps entity rows to weights in 0..1; `importance` (n_entities,) is what each counts.
    """
    starts = np.array(sorted(seeds), dtype=np.int64)
    values = np.array([seeds[int(row)] for row in starts]) * importance[starts].astype(np.float64)
    starts, values = starts[values > 0], values[values > 0]
    hop = Hop(starts, values, np.full(len(starts), -1), np.full(len(starts), -1))
    found = [Reached((hop,), starts, values, np.zeros(len(starts), dtype=np.int64))]
    while len(found) <= longest:
        hop = _onward(graph, importance, found[-1], facts, looked_at)
        found.append(_joined(found[-1], hop))
    return tuple(found)


def _onward(graph: FactGraph, importance: Importance, found: Reached, facts: int, looked_at: int) -> Hop:
    """One fact on from the longest chains, where that is better than what was found."""
    last = found.hops[-1]
    best = np.argsort(-last.values, kind="stable")
    counts = np.minimum(graph.starts[last.rows[best] + 1] - graph.starts[last.rows[best]], facts)
    going = np.sort(best[np.cumsum(counts) - counts < looked_at])
    places, owners = graph.around(last.rows[going], facts)
    targets = graph.others[places].astype(np.int64)
    values = last.values[going][owners] * _steps(graph, importance, places, targets)
    better = values > found.strengths(targets)
    places, owners, targets, values = places[better], owners[better], targets[better], values[better]
    order = np.argsort(-values, kind="stable")
    rows, first = np.unique(targets[order], return_index=True)
    best = order[first]
    return Hop(rows, values[best], places[best], last.rows[going][owners[best]])


def _steps(graph: FactGraph, importance: Importance, places: Rows, targets: Rows) -> Scores:
    """What a chain is multiplied with that goes on over the facts at `places` to `targets`."""
    return graph.strengths[places].astype(np.float64) * importance[targets] * _LENGTH_PENALTY


def _joined(found: Reached, hop: Hop) -> Reached:
    rows = np.concatenate([hop.rows, found.rows])
    rows, first = np.unique(rows, return_index=True)  # what is new is better, and comes first
    values = np.concatenate([hop.values, found.values])[first]
    lengths = np.concatenate([np.full(len(hop.rows), len(found.hops)), found.lengths])[first]
    return Reached((*found.hops, hop), rows, values, lengths)


def chain_to(
    graph: FactGraph, importance: Importance, reached: tuple[Reached, ...], ends: Rows
) -> Chain | None:
    """The strongest chain of at most `LONGEST` facts to any of the entities `ends`; None where none is found.

    `reached` tells where one comes from the seeds by at most `LONGEST` - 1 facts.
    """
    behind = reach(graph, importance, dict.fromkeys(ends.tolist(), 1.0), LONGEST - 1, looked_at=_FROM_END)
    best, met = 0.0, None
    # Where they meet, the longer way from the seeds first, so that an end which it reaches is met there.
    for length in range(LONGEST - 1, 0, -1):
        ahead, back = reached[length], behind[LONGEST - length]
        # The importance of where they meet is in both.
        values = ahead.strengths(back.rows) * back.values / importance[back.rows]
        if len(values) and values.max() > best:
            at = int(values.argmax())
            best, met = float(values[at]), (ahead, back, int(back.rows[at]))
    if met is None:
        return None
    ahead, back, row = met
    (before, first), (after, second) = ahead.back(row), back.back(row)
    entities, places = [*before[::-1], *after[1:]], [*first[::-1], *second]
    keys, strengths = graph.keys[places].tolist(), graph.strengths[places].tolist()
    return Chain(tuple(entities), tuple(keys), tuple(strengths), best)


def named_in(graph: KnowledgeGraph, passage: int) -> Rows:
    """Rows of the entities that a passage names."""
    node = graph.n_entities + passage
    first, end = graph.adjacency.indptr[node : node + 2]
    named: Rows = graph.adjacency.indices[first:end].astype(np.int64)
    return named


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


def page_rank(facts: FactGraph, damping: float = DAMPING, steps: int = STEPS) -> NDArray[np.float64]:
    """PageRank of the entities, (n,), summing to 1, after `steps` steps of the power method. A.2.

    Facts are walked both ways, each pair of entities alike however many facts join it: |Out| counts neighbours. The
    mass of an entity without facts goes to all.
    """
    n = len(facts.starts) - 1
    if n == 0:
        return np.zeros(0)
    ends = np.repeat(np.arange(n), np.diff(facts.starts))
    pairs = np.unique(np.stack([ends, facts.others.astype(np.int64)]), axis=1)
    joined = csr_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(n, n))
    degrees = np.asarray(joined.sum(axis=1)).ravel()
    rank, alone = np.full(n, 1.0 / n), degrees == 0
    for _ in range(steps):
        shares = np.divide(rank, degrees, out=np.zeros(n), where=~alone)
        rank = (1.0 - damping) / n + damping * (joined @ shares + rank[alone].sum() / n)
    return rank


def rarity(facts: FactGraph) -> NDArray[np.float32]:
    """From 1 for an entity without facts down to 0.5 for that with most, (n,): everything meets at a hub."""
    return np.float32(1.5) - facts.importance
