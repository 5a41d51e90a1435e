"""Paths from the seeds: every one, the shortest, chosen by meaning or by a beam search. LEGO-GraphRAG 3.3.

Two scorers may work together, a cheap one and one that costs more (3.3.3, table 5).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.progress import TaskContext
from core.retrieval.fact_graph import Rows
from core.retrieval.paths.path import FACTS, LOOKED_AT, PathFinder, Paths, Steps, steps
from core.retrieval.ranking import largest_of
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph


class Enumerated:
    """All simple paths of at most `longest` facts; of more than `most` the shortest, then the strongest.

    Only `most` paths of one length are gone on from, so with more than that some longer ones are not seen.
    """

    def __init__(
        self, longest: int = 3, most: int = 20_000, facts: int = FACTS, looked_at: int = LOOKED_AT
    ) -> None:
        self._longest, self._most = longest, most
        self._facts, self._looked_at = facts, looked_at

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        """Scores: the seed's weight times the facts' strengths, times 0.9 for each."""
        paths, found, count = Paths.from_seeds(asked, subgraph), list[Paths](), 0
        for _ in range(self._longest):
            context.check()
            on = steps(subgraph, paths, self._facts, self._looked_at)
            order = np.argsort(-on.values, kind="stable")[: self._most - count]
            on = on.take(order)
            paths = on.taken(paths, on.values)
            found.append(paths)
            count += len(paths)
            if not len(paths) or count >= self._most:
                break
        return Paths.joined(found).best(self._most)


class Shortest:
    """Of at most `longest` facts; one for each pair, of several the strongest, then that of the first facts.

    Dijkstra's search where every fact is as long as any other, of all seeds at once. The best `most` by structure.
    """

    def __init__(
        self, longest: int = 4, most: int = 20_000, facts: int = FACTS, looked_at: int = LOOKED_AT
    ) -> None:
        self._longest, self._most = longest, most
        self._facts, self._looked_at = facts, looked_at

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        """Scores: the seed's weight times the facts' strengths, times 0.9 for each."""
        paths, n = Paths.from_seeds(asked, subgraph), len(subgraph.entities)
        starts = paths.entities[:, 0]
        visited = np.zeros(len(starts) * n, dtype=np.bool_)  # by seed and entity
        visited[np.arange(len(starts)) * n + np.searchsorted(subgraph.entities, starts)] = True
        found = list[Paths]()
        for _ in range(self._longest):
            context.check()
            on = steps(subgraph, paths, self._facts, self._looked_at)
            seeds = np.searchsorted(starts, paths.entities[on.owners, 0])
            codes = seeds * n + np.searchsorted(subgraph.entities, on.entities)
            new = np.flatnonzero(~visited[codes])
            on, codes = on.take(new), codes[new]
            order = np.lexsort((on.facts, -on.values, codes))
            chosen = order[np.unique(codes[order], return_index=True)[1]]
            on = on.take(chosen)
            visited[codes[chosen]] = True
            paths = on.taken(paths, on.values)
            if not len(paths):
                break
            found.append(paths)
        return Paths.joined(found).best(self._most)


class OneWay:
    """The `most` (N_p) of the candidates that score best."""

    def __init__(self, candidates: PathFinder, scorer: Scorer, most: int = 32) -> None:
        self._candidates = candidates
        self._scorer = scorer
        self._most = most

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        paths = self._candidates.find(asked, subgraph, context)
        context.check()
        return paths.scored(self._scorer.paths(asked, paths, context)).best(self._most)


class Beam:
    """From each seed the `width` (B) best paths go on, up to `longest` (L) facts; each new fact is scored as a triple.

    A path scores the mean of its facts. A fact that lies in the lowest share `pruned` of a step's range of scores is
    not followed. What was in a beam at any step is found, the best `most` of it.
    """

    def __init__(
        self,
        scorer: Scorer,
        width: int = 8,
        longest: int = 4,
        most: int = 32,
        pruned: float = 0.2,
        facts: int = FACTS,
        looked_at: int = LOOKED_AT,
    ) -> None:
        self._scorer = scorer
        self._width, self._longest, self._most, self._pruned = width, longest, most, pruned
        self._facts, self._looked_at = facts, looked_at

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        paths, found = Paths.from_seeds(asked, subgraph), list[Paths]()
        for length in range(self._longest):
            context.check()
            on = steps(subgraph, paths, self._facts, self._looked_at)
            if not len(on.facts):
                break
            places, numbers = np.unique(on.facts, return_inverse=True)
            scores = self._scorer.facts(asked, places, context)[numbers]
            relevant = np.flatnonzero(scores >= scores.min() + self._pruned * np.ptp(scores))
            on, scores = on.take(relevant), scores[relevant]
            before = paths.scores[on.owners] if length else 0.0
            totals = (before * length + scores) / (length + 1)
            beam = self._widest(paths, on, totals)
            paths = on.take(beam).taken(paths, totals[beam])
            found.append(paths)
        return Paths.joined(found).best(self._most)

    def _widest(self, paths: Paths, on: Steps, totals: Scores) -> Rows:
        """The best steps of each seed; of equal ones that of the first fact."""
        seeds = paths.entities[on.owners, 0]
        order = np.lexsort((on.owners, on.facts, -totals, seeds))
        first = np.searchsorted(seeds[order], seeds[order])
        beam: Rows = order[np.arange(len(order)) - first < self._width]
        return beam


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
