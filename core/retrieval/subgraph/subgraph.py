"""A part of the graph of facts, and who extracts one for a question. LEGO-GraphRAG, definition 5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.index.runs import offsets, run_entries
from core.progress import TaskContext
from core.retrieval.fact_graph import FactGraph, Mask, Rows
from core.retrieval.ranking import largest_of

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Asked:
    """A question with the entities that it starts from."""

    text: str
    vector: NDArray[np.float32]  # (d,) unit
    seeds: Mapping[int, float]  # entity row -> weight above 0, summing to at most 1

    @cached_property
    def rows(self) -> Rows:
        """Of the seeds, ascending."""
        return np.array(sorted(self.seeds), dtype=np.int64)

    @property
    def weights(self) -> Scores:
        """Of the seeds, in the order of `rows`."""
        return np.array([self.seeds[row] for row in self.rows.tolist()], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Around:
    """Facts by entity, as in `FactGraph`, but by the subgraph's own numbers; of each entity the strongest first."""

    starts: Rows  # (e + 1,)
    others: Rows  # (2 f,) number of the entity at the other end
    facts: Rows  # (2 f,) number of the fact


@dataclass(frozen=True, eq=False)
class Subgraph:
    """Entities and facts between them. Of a fact's two places in the `FactGraph` the one at its lower end stands here,
    so that a fact is the same in every subgraph."""

    entities: Rows  # (e,) rows, ascending
    facts: Rows  # (f,) places, ascending
    ends: Rows  # (f, 2) entity rows, the lower first
    strengths: NDArray[np.float32]  # (f,) 0 to 1
    scores: Scores  # (e,) what each entity counts, at least 0

    @cached_property
    def around(self) -> Around:
        own, other = np.searchsorted(self.entities, self.ends).T
        ends, others = np.concatenate([own, other]), np.concatenate([other, own])
        facts = np.tile(np.arange(len(self.facts)), 2)
        order = np.lexsort((facts, -self.strengths[facts], ends))
        return Around(offsets(ends[order], len(self.entities)), others[order], facts[order])

    def inside(self, rows: Rows) -> Rows:
        """Those of `rows` that are its entities."""
        return rows[np.isin(rows, self.entities)]

    def filter(self, facts: Mask, also: Rows) -> Subgraph:
        """These facts, (f,), with the entities at their ends, and its entities among `also`."""
        ends = self.ends[facts]
        stays = np.isin(self.entities, np.concatenate([ends.ravel(), also]))
        return replace(
            self,
            entities=self.entities[stays],
            facts=self.facts[facts],
            ends=ends,
            strengths=self.strengths[facts],
            scores=self.scores[stays],
        )


class SubgraphExtractor(Protocol):
    """Finds the part of the graph that a question is about; without seeds it is empty. Deterministic."""

    def extract(self, asked: Asked, context: TaskContext) -> Subgraph:
        """Raises Cancelled."""
        ...


def heaviest(asked: Asked, entities: Rows, scores: Scores, most: int) -> tuple[Rows, Scores]:
    """At most `most` of the entities, (m,), with their scores, ascending by row: seeds first, then by score."""
    chosen, _ = largest_of(
        np.arange(len(entities)),
        scores + np.isin(entities, asked.rows) * (1.0 + scores.max(initial=0.0)),
        most,
    )
    chosen = chosen[np.argsort(entities[chosen])]
    return entities[chosen], scores[chosen]


def between(graph: FactGraph, entities: Rows, scores: Scores) -> Subgraph:
    """The entities, (e,) ascending, with all facts between them."""
    places, owners = run_entries(graph.starts, entities)
    ends = np.stack([entities[owners], graph.others[places].astype(np.int64)], axis=1)
    lower = ends[:, 0] < ends[:, 1]
    places, ends = places[lower], ends[lower]
    at = np.searchsorted(entities, ends[:, 1])
    inside = entities[np.minimum(at, len(entities) - 1)] == ends[:, 1] if len(entities) else at > 0
    places = places[inside]
    return Subgraph(entities, places, ends[inside], graph.strengths[places], scores)


def full_subgraph(graph: FactGraph) -> Subgraph:
    """Return the graph of all facts, where no subgraph is extracted (group V of table 2)."""
    n = len(graph.importance)
    return between(graph, np.arange(n), graph.importance.astype(np.float64))
