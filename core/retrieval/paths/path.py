"""Chains of facts as columns, how they go on, and who finds them. LEGO-GraphRAG, definitions 3 and 6."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from core.index.runs import run_entries
from core.progress import TaskContext
from core.retrieval.fact_graph import Rows
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph

FACTS = 200  # the strongest of an entity that a path may go on over
LOOKED_AT = 250_000  # facts that the paths of one length may go on over, together
_DECAY = 0.9  # what a path counts for each fact more, as in `strongest`


@dataclass(frozen=True, slots=True)
class Path:
    """Entity rows from a seed on, none twice, and the places of the facts between them in the `FactGraph`."""

    entities: tuple[int, ...]  # (n + 1,)
    facts: tuple[int, ...]  # (n,), each at its lower end
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Many paths as columns, -1 behind the end of each."""

    entities: Rows  # (p, l + 1) rows
    facts: Rows  # (p, l) places
    scores: Scores  # (p,)

    @classmethod
    def from_seeds(cls, asked: Asked, subgraph: Subgraph) -> Paths:
        """A path of no fact for each seed in the subgraph, that scores what the seed weighs."""
        rows = subgraph.inside(asked.rows)
        scores = np.array([asked.seeds[row] for row in rows.tolist()], dtype=np.float64)
        return cls(rows[:, None], np.zeros((len(rows), 0), np.int64), scores)

    @classmethod
    def joined(cls, parts: Sequence[Paths]) -> Paths:
        if not parts:
            return cls(np.zeros((0, 1), np.int64), np.zeros((0, 0), np.int64), np.zeros(0))
        longest = max(part.facts.shape[1] for part in parts)

        def wide(column: Rows, width: int) -> Rows:
            return np.pad(column, ((0, 0), (0, width - column.shape[1])), constant_values=-1)

        return cls(
            np.concatenate([wide(part.entities, longest + 1) for part in parts]),
            np.concatenate([wide(part.facts, longest) for part in parts]),
            np.concatenate([part.scores for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, at: int) -> Path:
        entities, facts = (
            tuple(x for x in row[at].tolist() if x >= 0) for row in (self.entities, self.facts)
        )
        return Path(entities, facts, float(self.scores[at]))

    def __iter__(self) -> Iterator[Path]:
        return map(self.__getitem__, range(len(self)))

    @property
    def lengths(self) -> Rows:
        """Facts of each, (p,)."""
        return np.asarray((self.facts >= 0).sum(axis=1), dtype=np.int64)

    def take(self, rows: Rows) -> Paths:
        return Paths(self.entities[rows], self.facts[rows], self.scores[rows])

    def scored(self, scores: Scores) -> Paths:
        return replace(self, scores=scores)

    def best(self, most: int) -> Paths:
        """The best `most`, best first; of equal ones the shorter, then the earlier."""
        return self.take(np.lexsort((self.lengths, -self.scores))[: max(0, most)])

    def distinct_facts(self) -> tuple[Rows, Rows]:
        """Places of all facts, (f,), each once, and which of them each path has, (p, l), -1 behind its end."""
        has_fact = self.facts >= 0
        places, numbers = np.unique(self.facts[has_fact], return_inverse=True)
        found = np.full(self.facts.shape, -1, dtype=np.int64)
        found[has_fact] = numbers
        return places, found


class PathFinder(Protocol):
    """Finds paths from the seeds within a subgraph, best first. Deterministic."""

    def find(self, asked: Asked, subgraph: Subgraph, context: TaskContext) -> Paths:
        """Raises Cancelled, and what its scorer raises."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """By which fact which of some paths may go on, all (s,)."""

    owners: Rows  # number of the path
    entities: Rows  # row that it comes to
    facts: Rows  # place of the fact
    values: Scores  # what the path counts then by its structure: times the fact's strength, times 0.9

    def take(self, rows: Rows) -> Steps:
        return Steps(self.owners[rows], self.entities[rows], self.facts[rows], self.values[rows])

    def taken(self, paths: Paths, scores: Scores) -> Paths:
        """The paths, all of one length, with one fact more each."""
        return Paths(
            np.column_stack([paths.entities[self.owners], self.entities]),
            np.column_stack([paths.facts[self.owners], self.facts]),
            scores,
        )


def steps(subgraph: Subgraph, paths: Paths, facts: int = FACTS, looked_at: int = LOOKED_AT) -> Steps:
    """How `paths`, all of one length, go on to entities that they did not visit.

    Over the strongest `facts` of an entity; the best paths first, until they looked at `looked_at` facts together.
    """
    around = subgraph.around
    last = np.searchsorted(subgraph.entities, paths.entities[:, -1])
    first = around.starts[last]
    counts = np.minimum(around.starts[last + 1] - first, facts)
    order = np.argsort(-paths.scores, kind="stable")
    going = np.sort(order[np.cumsum(counts[order]) - counts[order] < looked_at])
    own = np.concatenate([[0], np.cumsum(counts[going])])
    at, owners = run_entries(own, np.arange(len(going)))
    at = at - own[owners] + first[going][owners]
    owners = going[owners]
    entities, numbers = subgraph.entities[around.others[at]], around.facts[at]
    new = ~(paths.entities[owners] == entities[:, None]).any(axis=1)
    owners, entities, numbers = owners[new], entities[new], numbers[new]
    values = paths.scores[owners] * subgraph.strengths[numbers].astype(np.float64) * _DECAY
    return Steps(owners, entities, subgraph.facts[numbers], values)
