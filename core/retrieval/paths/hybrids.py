"""Two scorers together: a cheap one with one that costs more. LEGO-GraphRAG 3.3.3, table 5."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.progress import TaskContext
from core.retrieval.fact_graph import Rows
from core.retrieval.paths.path import PathFinder, Paths
from core.retrieval.ranking import largest_of
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph


class Refined:
    """LLMs-R: what a search found is scored again by another scorer, and paths that others go on from are left out."""

    def __init__(self, finder: PathFinder, scorer: Scorer, most: int = 32) -> None:
        self._finder, self._scorer, self._most = finder, scorer, most

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        paths = self._finder.find(asked, subgraph, context)
        each = [tuple(row[row >= 0].tolist()) for row in np.hstack([paths.entities[:, :1], paths.facts])]
        beginnings = {path[:end] for path in each for end in range(1, len(path))}
        paths = paths.take(
            np.array([at for at, path in enumerate(each) if path not in beginnings], dtype=np.int64)
        )
        return paths.scored(self._scorer.paths(asked, paths, context)).best(self._most)


class _Pair:
    """A scorer made of two; `_joined` says how, of n components, by what scores all and what scores some of them."""

    def __init__(self, scorer: Scorer, by: Scorer, most: int) -> None:
        self._scorer, self._by, self._most = scorer, by, most

    def _joined(self, n: int, by: Callable[[], Scores], scorer: Callable[[Rows], Scores]) -> Scores:
        raise NotImplementedError

    def facts(self, asked: Asked, places: Rows, context: TaskContext) -> Scores:
        return self._joined(
            len(places),
            lambda: self._by.facts(asked, places, context),
            lambda at: self._scorer.facts(asked, places[at], context),
        )

    def entities(self, asked: Asked, rows: Rows, context: TaskContext) -> Scores:
        return self._joined(
            len(rows),
            lambda: self._by.entities(asked, rows, context),
            lambda at: self._scorer.entities(asked, rows[at], context),
        )

    def paths(self, asked: Asked, paths: Paths, context: TaskContext) -> Scores:
        return self._joined(
            len(paths),
            lambda: self._by.paths(asked, paths, context),
            lambda at: self._scorer.paths(asked, paths.take(at), context),
        )


class PreFiltered(_Pair):
    """EEMs-PF: only the best `most` by the cheap scorer are scored by the other; the rest lie below, in its order."""

    def _joined(self, n: int, by: Callable[[], Scores], scorer: Callable[[Rows], Scores]) -> Scores:
        if n <= self._most:
            return scorer(np.arange(n))
        cheap = by()
        chosen = np.sort(largest_of(np.arange(n), cheap, self._most)[0])
        scores = scorer(chosen)
        found = float(scores.min(initial=0.0)) - 1.0 + 0.99 * _scaled(cheap)
        found[chosen] = scores
        return found


class Supplemented(_Pair):
    """EEMs-S: where the scorer gives fewer than `most` components more than nothing, the best of the cheap one's
    others follow them."""

    def _joined(self, n: int, by: Callable[[], Scores], scorer: Callable[[Rows], Scores]) -> Scores:
        scores = scorer(np.arange(n)).copy()
        chosen = scores > 0
        missing = min(n, self._most) - int(chosen.sum())
        if missing > 0:
            others, least = np.flatnonzero(~chosen), float(scores[chosen].min(initial=1.0))
            cheap = _scaled(by()[others])
            at, cheap = largest_of(np.arange(len(others)), cheap, missing)
            scores[others[at]] = least * (0.25 + 0.5 * cheap)
        return scores


def _scaled(scores: Scores) -> Scores:
    """As 0 to 1."""
    span = float(np.ptp(scores)) if len(scores) else 0.0
    return (scores - scores.min()) / span if span > 0 else np.zeros(len(scores))
