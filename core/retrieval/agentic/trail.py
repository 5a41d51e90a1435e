"""From a start over facts that tell what is asked, one step at a time, and nodes that lie between the seeds.

One step looks at the facts around the entities at the end of a trail (their 1-hop neighbourhood, A2RAG eq. 7) and takes
those that tell a relation of the question (the relation seeds of III-C). Bridges and the short paths to them: eq. 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.config import AgenticConfig
from core.progress import TaskContext
from core.retrieval.agentic.alignment import Aligner
from core.retrieval.agentic.facts import FactReader, FactWords
from core.retrieval.agentic.needs import Needs, Relation
from core.retrieval.fact_graph import FactGraph

_UNLIKE = 0.5  # what an end of another label than the relation leads to counts
_OPEN = frozenset(("OTHER", "NOUN"))  # labels that say nothing
_Around = dict[int, tuple[int, list[tuple[int, int]]]]  # row -> (distance, [(row before, fact key)])


@dataclass(frozen=True, slots=True)
class Taken:
    """A fact that a trail took from `source` to `target` (entity rows), and how well it tells, 0..1."""

    fact: FactWords
    source: int
    target: int
    score: float


@dataclass(frozen=True, slots=True)
class Trail:
    """`covered` are indices of `Needs.relations`; `at` the entities where it stands, best first.

    `ends` are entities at the far end of facts that tell what is finally asked.
    """

    start: str  # key of the name
    at: tuple[int, ...]
    covered: frozenset[int] = frozenset()
    taken: tuple[Taken, ...] = ()
    ends: tuple[int, ...] = ()
    looked: int = 0  # facts looked at
    passed: frozenset[int] = frozenset()  # entities left behind: no step leads back


class Follower:
    """Follows trails in one snapshot of the graph."""

    def __init__(
        self,
        facts: FactGraph,
        reader: FactReader,
        aligner: Aligner,
        labels: Sequence[str],
        config: AgenticConfig,
    ) -> None:
        """`labels` of the entities by row."""
        self._facts = facts
        self._reader = reader
        self._aligner = aligner
        self._labels = labels
        self._config = config

    def step(self, trail: Trail, needs: Needs, context: TaskContext) -> Trail:
        """The trail one step further; the same trail when no fact tells what is still open."""
        context.check()
        around = self._around(trail)
        looked = replace(trail, looked=trail.looked + len(around))
        ordered = next((at for at in range(len(needs.steps)) if at not in trail.covered), None)
        if ordered is not None:
            taken = self._taken([needs.steps[ordered]], around, context)[0]
            return self._moved(looked, taken, {ordered}) if taken else looked
        open_ = [at for at in range(len(needs.steps), len(needs.relations)) if at not in trail.covered]
        covered: set[int] = set()
        found: list[Taken] = []
        relations = [needs.relations[at] for at in open_]
        for at, taken in zip(open_, self._taken(relations, around, context, needs.labels), strict=True):
            if taken:
                covered.add(at)
                found += taken
        if not needs.asked and not trail.ends:  # "In which country is X?" asks for a kind only
            found = [t for t in around if self._labels[t.target] in needs.labels][: self._config.found]
        if not found:
            return looked
        moved = self._moved(looked, found, covered)
        return replace(moved, ends=tuple(dict.fromkeys((*trail.ends, *(t.target for t in found)))))

    def _around(self, trail: Trail) -> list[Taken]:
        """The facts at the entities where the trail stands, away from where it was."""
        steps: list[tuple[int, int, int]] = []
        for source in trail.at:
            fact_rows = self._facts.of(source, self._config.facts)
            steps += [
                (int(key), source, int(other))
                for key, other in zip(self._facts.keys[fact_rows], self._facts.others[fact_rows], strict=True)
                if int(other) not in trail.passed
            ]
        read = self._reader.read([key for key, _, _ in steps])
        return [Taken(read[key], source, other, 0.0) for key, source, other in steps if key in read]

    def _taken(
        self,
        relations: Sequence[Relation],
        around: Sequence[Taken],
        context: TaskContext,
        labels: tuple[str, ...] = (),
    ) -> list[list[Taken]]:
        """For each relation the facts that tell it best, at most `found`."""
        best = []
        facts = [taken.fact for taken in around]
        for relation in relations:
            wanted = relation.labels or labels
            scores = self._aligner.by_words(relation, facts)
            if not scores:
                fitting = [taken.fact for taken in around if self._fit(taken.target, wanted) == 1.0]
                scores = self._aligner.by_meaning(relation, fitting, context)
            scored = [
                replace(taken, score=scores[taken.fact.key] * self._fit(taken.target, wanted))
                for taken in around
                if taken.fact.key in scores
            ]
            scored = [taken for taken in scored if taken.score >= _UNLIKE]
            best.append(sorted(scored, key=lambda taken: -taken.score)[: self._config.found])
        return best

    def _fit(self, row: int, wanted: tuple[str, ...]) -> float:
        label = self._labels[row]
        return 1.0 if not wanted or label in wanted or label in _OPEN else _UNLIKE

    def _moved(self, trail: Trail, taken: Sequence[Taken], covered: set[int]) -> Trail:
        best = sorted(taken, key=lambda t: -t.score)
        at = tuple(dict.fromkeys(t.target for t in best))[: self._config.found]
        return replace(
            trail,
            at=at,
            covered=trail.covered | covered,
            taken=(*trail.taken, *taken),
            passed=trail.passed | set(trail.at),
        )


@dataclass(frozen=True, slots=True)
class Bridge:
    """An entity within K hops of at least two seeds; `paths` run from a seed to it, as fact keys."""

    row: int
    seeds: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]
    length: int  # facts to its two nearest seeds, together


def bridges(
    facts: FactGraph, seeds: Sequence[int], config: AgenticConfig, context: TaskContext
) -> list[Bridge]:
    """The best bridges between the seeds, nearest first, then those with the fewest facts.

    Breadth first from every seed over at most `hops` facts and `reached` nodes; an entity with more
    facts than are looked at is reached, but not gone through: everything meets at a hub.
    """
    found = {seed: _around(facts, seed, config, context) for seed in dict.fromkeys(seeds)}
    near: dict[int, list[tuple[int, int]]] = {}
    for seed, around in found.items():
        for row, (distance, _) in around.items():
            near.setdefault(row, []).append((distance, seed))
    candidates = []
    for row, distances in near.items():
        if len(distances) < 2:
            continue
        nearest = sorted(distances)
        # A seed may be a bridge itself, but what lies between two is worth more.
        candidates.append((nearest[0][0] + nearest[1][0], row in found, facts.degree(row), row, nearest))
    best = sorted(candidates)[: config.bridges]
    return [
        Bridge(
            row,
            tuple(seed for _, seed in nearest),
            tuple(
                path for _, seed in nearest for path in _paths(found[seed], seed, row, config.paths) if path
            ),
            length,
        )
        for length, _, _, row, nearest in best
    ]


def _around(facts: FactGraph, seed: int, config: AgenticConfig, context: TaskContext) -> _Around:
    """Distances from the seed, with every fact over which a node is reached first."""
    around: _Around = {seed: (0, [])}
    frontier = [seed]
    for distance in range(1, config.hops + 1):
        context.check()
        following: list[int] = []
        for row in frontier:
            if row != seed and facts.degree(row) > config.facts:
                continue
            span = facts.of(row, config.facts)
            for other, key in zip(facts.others[span].tolist(), facts.keys[span].tolist(), strict=True):
                if other not in around:
                    if len(around) >= config.reached:
                        return around
                    around[other] = (distance, [(row, key)])
                    following.append(other)
                elif around[other][0] == distance:
                    around[other][1].append((row, key))
        frontier = following
    return around


def _paths(around: _Around, seed: int, row: int, most: int) -> list[tuple[int, ...]]:
    """Up to `most` shortest paths from the seed to the node."""
    open_: list[tuple[int, tuple[int, ...]]] = [(row, ())]
    while open_ and open_[0][0] != seed:
        open_ = [(before, (key, *path)) for at, path in open_[:most] for before, key in around[at][1][:most]]
    return [path for _, path in open_[:most]]
