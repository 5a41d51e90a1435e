"""Subgraphs for a question: random walks, hops, personalised PageRank, and pruning. LEGO-GraphRAG 3.2."""

from __future__ import annotations

import numpy as np

from core.graph.pagerank import Walker
from core.progress import TaskContext
from core.retrieval.fact_graph import FactGraph, Mask
from core.retrieval.ppr import TOLERANCE
from core.retrieval.ranking import largest_of
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph, between, heaviest

COMPONENTS = ("nodes", "edges", "triples")


class RandomWalk:
    """From each seed walkers go from fact to fact; the entities that they visit most stay, with the facts between."""

    def __init__(
        self, graph: FactGraph, walks: int = 64, length: int = 4, most: int = 1_000, seed: int = 7
    ) -> None:
        """`walks` from each seed, of `length` facts; at most `most` entities. `seed` is of the random numbers."""
        self._graph = graph
        self._walks, self._length, self._most, self._seed = walks, length, most, seed

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Scores are shares of the visits."""
        graph, random = self._graph, np.random.default_rng(self._seed)
        at = np.repeat(asked.rows, self._walks)
        visited = [at]
        for _ in range(self._length):
            context.check()
            first = graph.starts[at]
            degrees = graph.starts[at + 1] - first
            steps = (random.random(len(at)) * degrees).astype(np.int64)
            moving = degrees > 0
            at = at.copy()
            at[moving] = graph.others[(first + steps)[moving]]
            visited.append(at)
        entities, counts = np.unique(np.concatenate(visited), return_counts=True)
        return between(graph, *heaviest(asked, entities, counts / max(1, counts.sum()), self._most))


class Hops:
    """Entities within `hops` facts of a seed, with the facts between them; the nearest first where there are more."""

    def __init__(self, graph: FactGraph, hops: int = 2, most: int = 1_000, facts: int = 200) -> None:
        """At most `most` entities are kept, and of each entity its strongest `facts` are followed."""
        self._graph = graph
        self._hops, self._most, self._facts = hops, most, facts

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Scores are 1 / (1 + facts to the nearest seed)."""
        graph = self._graph
        frontier = asked.rows[: self._most]
        found, distances = frontier, np.zeros(len(frontier), dtype=np.int64)
        for hop in range(1, self._hops + 1):
            context.check()
            places, _ = graph.around(frontier, self._facts)
            order = np.lexsort((graph.others[places], -graph.strengths[places]))
            others = graph.others[places][order].astype(np.int64)
            # Each once, those by the strongest facts first.
            frontier = others[np.sort(np.unique(others, return_index=True)[1])]
            frontier = np.sort(frontier[~np.isin(frontier, found)][: self._most - len(found)])
            if not len(frontier):
                break
            found = np.concatenate([found, frontier])
            distances = np.concatenate([distances, np.full(len(frontier), hop)])
        order = np.argsort(found)
        scores = 1.0 / (1.0 + distances[order].astype(np.float64))
        return between(graph, found[order], scores)


class Importance:
    """The entities that hold most of a walk from the seeds, with the facts between them.

    The walk goes over the whole graph, passages and synonyms too: two entities are near where one passage names both.
    """

    def __init__(self, walker: Walker, graph: FactGraph, most: int = 1_000, damping: float = 0.6) -> None:
        """`walker` goes over the graph of the same snapshot; at most `most` entities (N_ppr)."""
        self._walker = walker
        self._graph = graph
        self._most, self._damping = most, damping

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Scores are the entities' shares of the mass."""
        if not len(asked.rows):
            return between(self._graph, asked.rows, asked.weights)
        walk = self._walker.reach(asked.rows, asked.weights, self._damping, context, tolerance=TOLERANCE)
        own = (walk.nodes < len(self._graph.importance)) & (walk.scores > 0)
        return between(self._graph, *heaviest(asked, walk.nodes[own], walk.scores[own], self._most))


class Pruning:
    """Keeps the best `most` components of a subgraph.

    nodes: entities, with all facts between those that stay. edges: pairs of entities, each worth what the best of the
    facts between them is, with all of these. triples: single facts. The seeds stay, since paths begin there.
    """

    def __init__(self, scorer: Scorer, component: str = "edges", most: int = 64) -> None:
        assert component in COMPONENTS
        self._scorer = scorer
        self._component = component
        self._most = most

    def prune(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Subgraph:
        context.check()
        if self._component == "nodes":
            scores = self._scorer.entities(asked, subgraph.entities, context)
            selected = subgraph.entities[_best(scores, self._most)]
            selected = np.union1d(selected, asked.rows)
            inside = np.isin(subgraph.ends, selected)
            return subgraph.filter(inside[:, 0] & inside[:, 1], selected)
        scores = self._scorer.facts(asked, subgraph.facts, context)
        if self._component == "triples":
            return subgraph.filter(_best(scores, self._most), asked.rows)
        _, pair = np.unique(subgraph.ends, axis=0, return_inverse=True)
        best = np.full(int(pair.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(best, pair, scores)
        return subgraph.filter(_best(best, self._most)[pair], asked.rows)


def _best(scores: Scores, most: int) -> Mask:
    """Which of (n,) are among the best `most`; of equal ones the first."""
    mask = np.zeros(len(scores), dtype=np.bool_)
    mask[largest_of(np.arange(len(scores)), scores, most)[0]] = True
    return mask
