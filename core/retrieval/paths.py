"""The strongest chains of facts from the question's entities. Triple-layer GraphRAG 4.5.2.

A chain's strength is the product of its facts' strengths and of the importances of the entities on
it, times 0.9 a fact (the paper's listing, `compute_path_score`). Every factor is at most 1 and the
last below it, so the strongest chain never visits an entity twice.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.retrieval.corpus import Corpus
from core.store.facts import FactColumns
from core.types.kinds import NOUN

LONGEST = 3  # facts of a chain
_LENGTH_PENALTY = 0.9
_LEAST_IMPORTANCE = 0.5  # of an entity in one fact only, so that no single entity decides a chain

Rows = NDArray[np.int64]
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PathGraph:
    """Facts as edges both ways, sorted by target, and the entities that each passage names.

    Entity and passage rows are those of the `Corpus`. `steps` are the factors of a chain that goes
    on over an edge: strength x importance of the target x 0.9. Of parallel facts the strongest is kept.
    """

    sources: Rows  # (m,) entity rows
    steps: Scores  # (m,) 0 to 1
    strengths: Scores  # (m,) 0 to 1
    facts: Rows  # (m,) keys of the store
    starts: Rows  # (n_entities + 1,) CSR offsets of each target's edges
    importance: Scores  # (n_entities,) 0.5 to 1
    named_starts: Rows  # (n_passages + 1,) CSR offsets into `named`
    named: Rows  # entity rows


@dataclass(frozen=True, slots=True)
class Chain:
    """`entities` from the seed to the end, `facts` (store keys) and their `strengths` between them."""

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    strengths: tuple[float, ...]
    strength: float  # of the whole, 0 to 1


def between_names(columns: FactColumns, corpus: Corpus) -> FactColumns:
    """The facts that are shown: both ends are names."""
    names = np.array([label != NOUN for label in corpus.entity_labels], dtype=np.bool_)
    keys = corpus.graph.entity_keys
    kept = names[np.searchsorted(keys, columns.subjects)] & names[np.searchsorted(keys, columns.objects)]
    return FactColumns(
        columns.keys[kept], columns.subjects[kept], columns.objects[kept], columns.strengths[kept]
    )


def path_graph(graph: KnowledgeGraph, columns: FactColumns) -> PathGraph:
    """The facts of a workspace as edges. A fact from an entity to itself leads nowhere and is left out."""
    n = graph.n_entities
    subjects = np.searchsorted(graph.entity_keys, columns.subjects)
    objects = np.searchsorted(graph.entity_keys, columns.objects)
    proper = subjects != objects
    subjects, objects = subjects[proper], objects[proper]
    # Each further sentence that says the same halves the doubt, more or less: 1 - exp(-sum of confidences).
    strengths = 1.0 - np.exp(-columns.strengths[proper])
    sources = np.concatenate([subjects, objects])
    targets = np.concatenate([objects, subjects])
    both, keys = np.tile(strengths, 2), np.tile(columns.keys[proper], 2)
    order = np.lexsort((keys, -both, sources, targets))
    sources, targets, both, keys = sources[order], targets[order], both[order], keys[order]
    first = np.ones(len(sources), dtype=np.bool_)
    first[1:] = (sources[1:] != sources[:-1]) | (targets[1:] != targets[:-1])
    sources, targets, both, keys = sources[first], targets[first], both[first], keys[first]
    importance = _importance(targets, both, n)
    occurrences = graph.adjacency[n:, :n].tocsr()
    return PathGraph(
        sources=sources.astype(np.int64),
        steps=both * importance[targets] * _LENGTH_PENALTY,
        strengths=both,
        facts=keys,
        starts=np.searchsorted(targets, np.arange(n + 1)).astype(np.int64),
        importance=importance,
        named_starts=occurrences.indptr.astype(np.int64),
        named=occurrences.indices.astype(np.int64),
    )


def _importance(targets: Rows, strengths: Scores, n: int) -> Scores:
    """PageRank on a logarithmic scale in 0.5..1.

    Undamped PageRank of an undirected graph is each node's share of the edges' weight.
    """
    mass = np.log1p(np.bincount(targets, weights=strengths, minlength=n)[:n])
    highest = float(mass.max(initial=0.0))
    if highest <= 0.0:
        return np.full(n, _LEAST_IMPORTANCE)
    scaled: Scores = _LEAST_IMPORTANCE + (1.0 - _LEAST_IMPORTANCE) * mass / highest
    return scaled


def reach(graph: PathGraph, seeds: dict[int, float], longest: int = LONGEST) -> Scores:
    """Best strength of a chain from any seed, shape (longest + 1, n_entities); row h: at most h facts.

    `seeds` maps entity rows to weights in 0..1; 0 where no chain leads.
    """
    found = np.zeros((longest + 1, len(graph.importance)))
    for row, weight in seeds.items():
        found[0, row] = weight * graph.importance[row]
    filled = np.flatnonzero(np.diff(graph.starts))  # reduceat cannot do empty runs
    for h in range(1, longest + 1):
        found[h] = found[h - 1]
        if len(filled):
            best = np.maximum.reduceat(found[h - 1][graph.sources] * graph.steps, graph.starts[filled])
            found[h, filled] = np.maximum(found[h, filled], best)
    return found


def chain_to(graph: PathGraph, found: Scores, entity: int) -> Chain | None:
    """The chain behind `found[-1, entity]` as `reach` gave it; None when no chain leads there."""
    strength = float(found[-1, entity])
    if strength <= 0.0:
        return None
    entities, facts, strengths = [entity], [], []
    at, h = entity, len(found) - 1
    while h > 0:
        if found[h, at] == found[h - 1, at]:
            h -= 1
            continue
        edges = slice(int(graph.starts[at]), int(graph.starts[at + 1]))
        values = found[h - 1][graph.sources[edges]] * graph.steps[edges]
        edge = int(graph.starts[at]) + int(values.argmax())
        facts.append(int(graph.facts[edge]))
        strengths.append(float(graph.strengths[edge]))
        at, h = int(graph.sources[edge]), h - 1
        entities.append(at)
    return Chain(tuple(entities[::-1]), tuple(facts[::-1]), tuple(strengths[::-1]), strength)


def named_in(graph: PathGraph, passage: int) -> Rows:
    """Rows of the entities that a passage names."""
    return graph.named[graph.named_starts[passage] : graph.named_starts[passage + 1]]


def passage_scores(graph: PathGraph, entities: Scores) -> Scores:
    """Shape (n_passages,): the best of `entities`, (n_entities,), that each passage names; 0 for none."""
    scores = np.zeros(len(graph.named_starts) - 1)
    filled = np.flatnonzero(np.diff(graph.named_starts))
    if len(filled):
        scores[filled] = np.maximum.reduceat(entities[graph.named], graph.named_starts[filled])
    return scores
