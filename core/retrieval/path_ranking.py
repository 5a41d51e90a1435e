"""Passages by paths of the graph: seeds, subgraph, pruning, paths, passages. LEGO-GraphRAG 3.1."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TypeVar

import numpy as np

from core.config import RetrievalConfig
from core.errors import BadInput
from core.index.runs import run_entries
from core.progress import TaskContext
from core.retrieval.agentic.facts import FactReader
from core.retrieval.compositions import MODEL, SCORERS, Composition, PathsPart, PruningPart, SubgraphPart
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows
from core.retrieval.paths.finders import (
    Beam,
    Enumerated,
    OneWay,
    PreFiltered,
    Refined,
    Shortest,
    Supplemented,
)
from core.retrieval.paths.path import PathFinder, Paths
from core.retrieval.ppr import nearest_to
from core.retrieval.query import Query
from core.retrieval.ranking import as_ranked, hits_of, largest_of
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.scoring.text_scorers import ModelScorer, ReadingScorer, WordScorer
from core.retrieval.seeds import NEAREST, restart
from core.retrieval.subgraph.extraction import Hops, Importance, Pruning, RandomWalk
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph, SubgraphExtractor
from core.retrieval.view import RetrievalModels, SnapshotView
from core.text.translation import mark, tr, trn
from core.types import Hit, Retrieval, Seed, Stage
from core.types.cost import Cost, measured

_REMEMBERED = 5_000  # results of modules
_Result = TypeVar("_Result")
_SMOOTHING = 20  # of ranks, as where lists are joined
_TELLING = 3  # passages of a fact, the surest
_NAMING = 50  # an entity that more passages name tells nothing of any of them


class Memo:
    """Results of modules by all their inputs: compositions that share a module run it once for a question.

    Of one snapshot only. Safe from several threads, of which two may compute the same at once. `peaks`: whether to
    measure memory, where one thread works alone.
    """

    def __init__(self, most: int = _REMEMBERED, peaks: bool = False) -> None:
        self._most, self._peaks = most, peaks
        self._cache: dict[Hashable, tuple[object, Cost]] = {}
        self._lock = Lock()
        self.shared = 0  # times that a result was cached

    def get(self, key: Hashable, make: Callable[[], _Result]) -> tuple[_Result, Cost, bool]:
        """Return what `make` returns, its cost when it was computed, and whether it was cached."""
        with self._lock:
            if (entry := self._cache.get(key)) is not None:
                self.shared += 1
                return entry[0], entry[1], True  # type: ignore[return-value] # a key is of one kind of result
        result, spent = measured(make, self._peaks)
        with self._lock:
            while len(self._cache) >= self._most:
                self._cache.pop(next(iter(self._cache)))
            self._cache[key] = result, spent
        return result, spent, False


@dataclass(frozen=True, slots=True)
class Composed:
    """What the modules of a composition found: for the trace, for measuring and for drawing."""

    asked: Asked
    subgraph: Subgraph
    paths: Paths  # best first
    seeds: tuple[Seed, ...]
    stages: tuple[Stage, ...]
    costs: tuple[Cost, ...]  # of the modules, those at hand included


class PathRanker:
    """Ranks passages by the paths of one composition. Thread-safe."""

    def __init__(
        self,
        view: SnapshotView,
        models: RetrievalModels,
        config: RetrievalConfig,
        composition: Composition,
        memo: Memo,
    ) -> None:
        """Raise BadInput where a scorer is not there."""
        self._view, self._config, self._composition, self._memo = view, config, composition, memo
        find_scorer = partial(scorer, view, models)
        self._extractor = _extractor(view, composition.subgraph)
        self._pruning = _pruning(find_scorer, composition.pruning)
        self._finder = _finder(find_scorer, composition.paths)
        weights = composition.mapping
        self._mapping = PassageMapping(
            view.corpus, view.facts, view.fact_reader, weights.facts, weights.entities, weights.dense
        )

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """Return the k best passages. Raise Cancelled, and what a language model raises where one takes part."""
        return self._map_to_passages(self.trace_paths(query, context), k, context)

    def trace_paths(self, query: Query, context: TaskContext) -> Composed:
        """Return all but the passages. Raise as `retrieve`."""
        context.check()
        composition, memo = self._composition, self._memo
        key: tuple[Hashable, ...] = (query.text, composition.settings, composition.seeds)
        (asked, seeds), spent, shared = memo.get(key, lambda: self._seed(query))
        costs, stages = [spent], [_stage(mark("seeds"), spent, shared, _entities(len(asked.rows)))]
        context.check()
        if self._extractor is None:
            subgraph = self._view.subgraph
            key = (*key, "full graph")
        else:
            extractor, key = self._extractor, (*key, composition.subgraph)
            subgraph, spent, shared = memo.get(key, lambda: extractor.extract(asked, context))
            costs.append(spent)
            stages.append(_stage(mark("subgraph"), spent, shared, _size(subgraph)))
        context.check()
        if self._pruning is not None:
            pruning, unpruned, key = self._pruning, subgraph, (*key, composition.pruning)
            subgraph, spent, shared = memo.get(key, lambda: pruning.prune(asked, unpruned, context))
            costs.append(spent)
            stages.append(_stage(mark("pruning"), spent, shared, _size(subgraph)))
        context.check()
        within, key = subgraph, (*key, composition.paths)
        paths, spent, shared = memo.get(key, lambda: self._finder.find(asked, within, context))
        costs.append(spent)
        stages.append(_stage(mark("paths"), spent, shared, trn("{count} path", "{count} paths", len(paths))))
        return Composed(asked, subgraph, paths, seeds, tuple(stages), tuple(costs))

    def _map_to_passages(self, composed: Composed, k: int, context: TaskContext) -> Retrieval:
        """Return the k best passages for what was found."""
        context.check()
        begin = time.perf_counter()
        hits = self._mapping.map(composed.asked, composed.paths, k)
        spent, count = time.perf_counter() - begin, len(self._view.corpus.passage_ids)
        detail = tr("{count} of {all} passages", count=len(hits), all=count)
        stage = Stage(mark("passages"), spent, detail, as_ranked("lab", hits, count))
        return Retrieval(hits, (*composed.stages, stage), self._heat(composed), composed.seeds)

    def _seed(self, query: Query) -> tuple[Asked, tuple[Seed, ...]]:
        """Return the entities of the question, by names and by the nearest sentences, as on the graph route."""
        corpus = self._view.corpus
        config = replace(self._config, top_seeds=self._composition.seeds)
        start = restart(query.entities, *nearest_to(query.vector, corpus, config), corpus, config)
        rows = corpus.entity_ids.rows
        weights = {rows[seed.entity_id]: seed.weight for seed in start.seeds}
        return Asked(query.text, query.vector, weights), start.seeds

    def _heat(self, composed: Composed) -> dict[str, float]:
        """Of the entities on the paths: what the subgraph gives them, the hottest first, 1 at the most."""
        rows = np.unique(composed.paths.entities)
        rows = rows[rows >= 0]
        subgraph, ids = composed.subgraph, self._view.corpus.entity_ids
        scores = subgraph.scores[np.searchsorted(subgraph.entities, rows)]
        order = np.argsort(-scores, kind="stable")
        high = float(scores.max(initial=0.0)) or 1.0
        return {
            ids[row]: score / high
            for row, score in zip(rows[order].tolist(), scores[order].tolist(), strict=True)
            if score > 0
        }


def _extractor(view: SnapshotView, part: SubgraphPart) -> SubgraphExtractor | None:
    if part.kind == "none":
        return None
    if part.kind == "walk":
        return RandomWalk(view.facts, part.walks, part.length, part.most, part.seed)
    if part.kind == "hops":
        return Hops(view.facts, part.hops, part.most, part.facts)
    return Importance(view.walker, view.facts, part.most, part.damping)


def _pruning(find_scorer: Callable[[str], Scorer], part: PruningPart) -> Pruning | None:
    if part.kind == "none":
        return None
    found = find_scorer(part.scorer)
    if part.prefilter:
        found = PreFiltered(found, find_scorer(part.prefilter), part.prefiltered)
    return Pruning(found, part.kind, part.most)


def _finder(find_scorer: Callable[[str], Scorer], part: PathsPart) -> PathFinder:
    most = part.candidates if part.kind == "one-way" else part.most
    kind = part.base if part.kind == "one-way" else part.kind
    found: PathFinder
    if kind == "beam":
        found = Beam(_path_scorer(find_scorer, part), part.width, part.longest, part.most, part.pruned)
    elif kind == "enumerated":
        found = Enumerated(part.longest, most)
    else:
        found = Shortest(part.longest, most)
    if part.kind == "one-way":
        found = OneWay(found, _path_scorer(find_scorer, part), part.most)
    return Refined(found, find_scorer(part.refine), part.most) if part.refine else found


def _path_scorer(find_scorer: Callable[[str], Scorer], part: PathsPart) -> Scorer:
    found = find_scorer(part.scorer)
    if part.supplement:
        found = Supplemented(found, find_scorer(part.supplement), part.supplemented)
    return PreFiltered(found, find_scorer(part.prefilter), part.prefiltered) if part.prefilter else found


def scorer_names(models: RetrievalModels) -> tuple[str, ...]:
    """Return those of SCORERS whose models are there."""
    missing = {MODEL} if not models.model_name else set[str]()
    missing |= {"reading"} if models.relevance is None else set()
    return tuple(name for name in SCORERS if name not in missing)


def scorer(view: SnapshotView, models: RetrievalModels, name: str) -> Scorer:
    """Return the scorer of SCORERS with this name. Raise BadInput where the model that it needs is not there."""
    if name == "words":
        return WordScorer(view.component_texts)
    if name == "meaning":
        return view.meaning_scorer
    if name == MODEL:
        return ModelScorer(view.component_texts, models.configured_model())
    if models.relevance is None:
        raise BadInput(
            tr("This composition needs the trained reader, which is not there."),
            tr("Choose one that scores by words or meaning."),
        )
    return ReadingScorer(view.component_texts, models.relevance)


def _stage(name: str, cost: Cost, again: bool, detail: str) -> Stage:
    """With the seconds that it took, also where it was at hand."""
    stage = Stage(name, cost.seconds, detail)
    return shared_stage(stage) if again else stage


def shared_stage(stage: Stage) -> Stage:
    """The same, taken from another composition's run."""
    return replace(stage, detail=tr("{detail}, shared", detail=stage.detail), shared=True)


def _entities(count: int) -> str:
    return trn("{count} entity", "{count} entities", count)


def _size(subgraph: Subgraph) -> str:
    facts = trn("{count} fact", "{count} facts", len(subgraph.facts))
    return tr("{entities}, {facts}", entities=_entities(len(subgraph.entities)), facts=facts)


class PassageMapping:
    """Passages that tell the facts of the best paths, that name their entities, and that are near to the question.

    A path counts 1 / (20 + rank), once for a passage. Each of the three is scaled to 0..1 and weighed; what no path
    leads to is ranked by its nearness alone, so that there are always enough.
    """

    def __init__(
        self,
        corpus: Corpus,
        graph: FactGraph,
        reader: FactReader,
        facts: float,
        entities: float,
        dense: float,
    ) -> None:
        """`facts`, `entities` and `dense` are weights, at least 0."""
        self._corpus, self._graph, self._reader = corpus, graph, reader
        self._facts, self._entities, self._dense = facts, entities, dense

    def map(self, asked: Asked, paths: Paths, k: int) -> tuple[Hit, ...]:
        """The k best passages for `paths`, best first."""
        corpus = self._corpus
        near = corpus.passage_vectors.nearest(asked.vector, max(k, NEAREST))
        worth = 1.0 / (_SMOOTHING + np.arange(1, len(paths) + 1))
        telling, naming = self._telling(paths, worth), self._naming(paths, worth)
        rows = np.unique(np.concatenate([near.rows, telling[0], naming[0]]))
        cosines = corpus.passage_vectors.of(rows, asked.vector).astype(np.float64)
        high = float(near.cosines.max(initial=-1.0))
        scores = self._dense * ((cosines - near.low) / max(high - near.low, 1e-12)).clip(0.0, 1.0)
        for weight, (part_rows, values) in ((self._facts, telling), (self._entities, naming)):
            scores[np.searchsorted(rows, part_rows)] += weight * values / values.max(initial=1e-300)
        return hits_of(corpus.passage_ids, *largest_of(rows, scores, k))

    def _telling(self, paths: Paths, worth: Scores) -> tuple[Rows, Scores]:
        """Passages that tell facts of the paths, and the sum of what these are worth."""
        places, numbers = paths.distinct_facts()
        keys = self._graph.keys[places].tolist()
        facts, known = self._reader.read(keys), self._corpus.passage_ids.rows
        passage_rows = [
            [known[id] for id in facts[key].passages[:_TELLING] if id in known] if key in facts else []
            for key in keys
        ]
        path, at = np.nonzero(numbers >= 0)
        pairs = [
            (owner, row)
            for owner, fact in zip(path.tolist(), numbers[path, at].tolist(), strict=True)
            for row in passage_rows[fact]
        ]
        return _summed(np.array(pairs, dtype=np.int64).reshape(-1, 2), worth)

    def _naming(self, paths: Paths, worth: Scores) -> tuple[Rows, Scores]:
        """Passages that name entities of the paths, and the sum of what these are worth, less for what many name."""
        graph, n = self._corpus.graph, self._corpus.graph.n_entities
        path, at = np.nonzero(paths.entities >= 0)
        entities, first = np.unique(paths.entities[path, at], return_index=True)
        counts = np.maximum(1, self._corpus.entity_passages[entities])
        few = counts <= _NAMING
        entities, counts = entities[few], counts[few]
        values = worth[path[first[few]]] / np.sqrt(counts)  # paths come best first
        places, owners = run_entries(graph.adjacency.indptr, entities)
        near = graph.adjacency.indices[places].astype(np.int64)
        owners, near = owners[near >= n], near[near >= n] - n
        rows, numbers = np.unique(near, return_inverse=True)
        return rows, np.bincount(numbers, values[owners], len(rows)).astype(np.float64)


def _summed(pairs: Rows, worth: Scores) -> tuple[Rows, Scores]:
    """Of (path, passage) pairs, (m, 2): passages, ascending, and what their paths are worth, each path once."""
    if not len(pairs):
        return np.zeros(0, np.int64), np.zeros(0)
    pairs = np.unique(pairs, axis=0)
    rows, numbers = np.unique(pairs[:, 1], return_inverse=True)
    return rows, np.bincount(numbers, worth[pairs[:, 0]], len(rows)).astype(np.float64)
