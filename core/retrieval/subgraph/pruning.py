"""Pruning of nodes, edges or triples by what they mean. LEGO-GraphRAG 3.2.2 a.3."""

from __future__ import annotations

import numpy as np

from core.progress import TaskContext
from core.retrieval.fact_graph import Mask
from core.retrieval.ranking import largest_of
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph

COMPONENTS = ("nodes", "edges", "triples")


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
            return subgraph.kept(inside[:, 0] & inside[:, 1], selected)
        scores = self._scorer.facts(asked, subgraph.facts, context)
        if self._component == "triples":
            return subgraph.kept(_best(scores, self._most), asked.rows)
        _, pair = np.unique(subgraph.ends, axis=0, return_inverse=True)
        best = np.full(int(pair.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(best, pair, scores)
        return subgraph.kept(_best(best, self._most)[pair], asked.rows)


def _best(scores: Scores, most: int) -> Mask:
    """Which of (n,) are among the best `most`; of equal ones the first."""
    mask = np.zeros(len(scores), dtype=np.bool_)
    mask[largest_of(np.arange(len(scores)), scores, most)[0]] = True
    return mask
