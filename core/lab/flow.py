"""One question traced through one composition, module by module, for display."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.answering.ask import Asker
from core.graph.connections import as_step
from core.progress import TaskContext
from core.retrieval.compositions import Composition, PathsPart, PruningPart
from core.retrieval.path_ranking import Composed, Memo
from core.retrieval.paths.path import Path, Paths
from core.retrieval.subgraph.subgraph import Subgraph
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.types import Fact, FactPath, Hit, LabFlow, LabPassage, LabPath, LabStep, Retrieval, Stage

MAX_ENTITIES = 400  # entities of a step, the heaviest
MAX_PATHS = 60  # the best paths
_COLDEST = 0.004  # least heat, so that everything in a subgraph is visible


@dataclass(frozen=True, slots=True)
class _Way:
    """Intermediate results: `unpruned` is None without pruning, `composed` is None where a route ranks by itself."""

    composed: Composed | None
    unpruned: Subgraph | None


def flow(
    asker: Asker,
    store: Store,
    name: str,
    composition: Composition,
    question: str,
    k: int,
    context: TaskContext,
) -> LabFlow:
    """Trace a question without using cached results. Raises BadInput where the composition lacks what it needs,
    Cancelled.
    """
    begin, memo = time.perf_counter(), Memo(64)
    query, view = asker.rankings.analyse(question), asker.view
    retriever = asker.rankings.compose(composition, memo)
    composed = retriever.trace_paths(query, context)
    unpruned = None
    if composed is not None and composition.pruning.kind != "none":
        # Subgraph and seeds are cached by now, and the simplest paths cost nothing.
        light = replace(composition, pruning=PruningPart(), paths=PathsPart())
        before = asker.rankings.compose(light, memo).trace_paths(query, context)
        unpruned = None if before is None else before.subgraph
    retrieval = retriever.retrieve(query, k, context)
    own = {stage.name: stage for stage in composed.stages} if composed is not None else {}
    stages = [*own.values(), *(stage for stage in retrieval.stages if stage.name not in own)]
    heats = _heats(view, _Way(composed, unpruned), retrieval)
    paths = composed.paths if composed is not None else Paths.joined(())
    return LabFlow(
        name,
        question,
        tuple(_step(stage, heats.get(stage.name, retrieval.heat)) for stage in stages),
        _lab_paths(view, store, paths),
        len(paths),
        _passages(store, retrieval.hits),
        time.perf_counter() - begin,
    )


def _step(stage: Stage, heat: Mapping[str, float]) -> LabStep:
    return LabStep(stage.name, stage.seconds, stage.detail, heat)


def _heats(view: SnapshotView, way: _Way, retrieval: Retrieval) -> dict[str, Mapping[str, float]]:
    """Return the heat of entities by module of a composition; for other stages, that of the passages' entities."""
    if way.composed is None:
        seeds = _scaled((seed.entity_id, seed.weight) for seed in retrieval.seeds)
        return {"seeds": seeds, "lexical": {}, "dense": {}}  # of passages alone
    ids, composed = view.corpus.entity_ids, way.composed
    asked = composed.asked
    best: dict[int, float] = {}
    for rank, path in enumerate(composed.paths):
        for row in path.entities:
            best.setdefault(row, 1.0 / (1 + rank))
    return {
        "seeds": _scaled((ids[row], weight) for row, weight in asked.seeds.items()),
        "subgraph": _subgraph_heat(view, way.unpruned or composed.subgraph),
        "pruning": _subgraph_heat(view, composed.subgraph),
        "paths": _scaled((ids[row], value) for row, value in best.items()),
        "passages": _scaled(retrieval.heat.items()),
        "second stage": _scaled(retrieval.heat.items()),
    }


def _subgraph_heat(view: SnapshotView, subgraph: Subgraph) -> dict[str, float]:
    order = np.argsort(-subgraph.scores, kind="stable")[:MAX_ENTITIES]
    rows, scores = subgraph.entities[order].tolist(), subgraph.scores[order].tolist()
    ids = view.corpus.entity_ids
    return _scaled((ids[row], score) for row, score in zip(rows, scores, strict=True))


def _scaled(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the largest values first, scaled to a maximum of 1 and a minimum above 0."""
    ordered = sorted(values, key=lambda item: -item[1])[:MAX_ENTITIES]
    high = max((value for _, value in ordered), default=0.0) or 1.0
    return {id: max(value / high, _COLDEST) for id, value in ordered}


def _lab_paths(view: SnapshotView, store: Store, paths: Paths) -> tuple[LabPath, ...]:
    """Return the best paths, with the facts between their entities and the clauses that state each."""
    top_paths = [paths[at] for at in range(min(len(paths), MAX_PATHS))]
    keys = sorted({int(view.facts.keys[place]) for path in top_paths for place in path.facts})
    facts = store.facts.with_triples(keys) if keys else {}
    found = (_path(view, path, facts) for path in top_paths)
    return tuple(path for path in found if path is not None)


def _path(view: SnapshotView, path: Path, facts: Mapping[int, Fact]) -> LabPath | None:
    """Return None if one of the path's facts was removed after the snapshot."""
    path_facts = [facts.get(int(view.facts.keys[place])) for place in path.facts]
    steps = [as_step(fact) for fact in path_facts if fact is not None and fact.triples]
    if len(steps) != len(path.facts):
        return None
    corpus = view.corpus
    ids = tuple(corpus.entity_ids[row] for row in path.entities)
    names = tuple(corpus.entity_names[row] for row in path.entities)
    return LabPath(FactPath(ids, tuple(steps)), names, path.score)


def _passages(store: Store, hits: Sequence[Hit]) -> tuple[LabPassage, ...]:
    by_id = {each.passage.id: each.passage for each in store.passages.by_ids([h.passage_id for h in hits])}
    return tuple(
        LabPassage(hit.rank, hit.passage_id, passage.document_id, passage.title, passage.text, hit.score)
        for hit in hits
        if (passage := by_id.get(hit.passage_id)) is not None
    )
