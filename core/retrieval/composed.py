"""A composition at work: seeds, subgraph, paths, passages. LEGO-GraphRAG 3.1."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TypeVar

import numpy as np

from core.config import RetrievalConfig
from core.errors import BadInput
from core.graph.pagerank import Walker
from core.measuring.cost import Cost, measured
from core.progress import TaskContext
from core.protocols import Embedder, LanguageModel, Retriever, SecondStage
from core.retrieval.agentic.facts import FactReader
from core.retrieval.compositions import MODEL, SCORERS, Composition, PathsPart, PruningPart, SubgraphPart
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.retrieval.mapping import PassageMapping
from core.retrieval.paths.beam import Beam
from core.retrieval.paths.enumerated import Enumerated
from core.retrieval.paths.hybrids import PreFiltered, Refined, Supplemented
from core.retrieval.paths.one_way import OneWay
from core.retrieval.paths.path import PathFinder, Paths
from core.retrieval.paths.shortest import Shortest
from core.retrieval.ppr import nearest_to
from core.retrieval.ranking import as_ranked
from core.retrieval.scoring.meaning import MeaningScorer
from core.retrieval.scoring.model import ModelScorer
from core.retrieval.scoring.reading import ReadingScorer, Relevance
from core.retrieval.scoring.scorer import ComponentTexts, Scorer
from core.retrieval.scoring.words import WordScorer
from core.retrieval.seeds import Normalise, restart
from core.retrieval.staged import StagedRetriever
from core.retrieval.subgraph.hops import Hops
from core.retrieval.subgraph.importance import Importance
from core.retrieval.subgraph.pruning import Pruning
from core.retrieval.subgraph.subgraph import Asked, Subgraph, SubgraphExtractor, whole
from core.retrieval.subgraph.walking import RandomWalk
from core.translation import mark, tr, trn
from core.types import Retrieval, Seed, Stage

_REMEMBERED = 5_000  # results of modules
_Made = TypeVar("_Made")


class Memo:
    """What modules made, by all that it was made of: two compositions that share a module run it once for a question.

    Of one snapshot only. Safe from several threads, of which two may make the same at once. `peaks`: whether to measure
    memory, where one thread works alone.
    """

    def __init__(self, most: int = _REMEMBERED, peaks: bool = False) -> None:
        self._most, self._peaks = most, peaks
        self._held: dict[Hashable, tuple[object, Cost]] = {}
        self._lock = Lock()
        self.shared = 0  # times that something was at hand

    def get(self, key: Hashable, make: Callable[[], _Made]) -> tuple[_Made, Cost, bool]:
        """What `make` makes, what that cost when it was made, and whether it was at hand."""
        with self._lock:
            if (held := self._held.get(key)) is not None:
                self.shared += 1
                return held[0], held[1], True  # type: ignore[return-value] # a key is of one kind of result
        made, spent = measured(make, self._peaks)
        with self._lock:
            while len(self._held) >= self._most:
                self._held.pop(next(iter(self._held)))
            self._held[key] = made, spent
        return made, spent, False


@dataclass(frozen=True)
class ComposingParts:
    """What modules are made of, all of one snapshot.

    `relevance` is the trained reader's, None where there is none; `model` the language model, None where none is
    named; `second` the second stage; `ranking(name, settings)` gives a whole route.
    """

    corpus: Corpus
    graph: FactGraph
    embedder: Embedder
    config: RetrievalConfig
    normalise: Normalise
    reader: FactReader
    relevance: Relevance | None
    model: Callable[[], LanguageModel] | None
    second: SecondStage | None
    ranking: Callable[[str, Sequence[str]], Retriever]

    @cached_property
    def walker(self) -> Walker:
        return Walker(self.corpus.graph)

    @cached_property
    def whole(self) -> Subgraph:
        return whole(self.graph)

    @cached_property
    def scorers(self) -> Mapping[str, Scorer]:
        """By the names of SCORERS, without those that need what is not there."""
        texts = ComponentTexts(self.corpus, self.graph, self.reader)
        found: dict[str, Scorer] = {
            "words": WordScorer(texts),
            "meaning": MeaningScorer(self.corpus, self.graph),
        }
        if self.relevance is not None:
            found["reading"] = ReadingScorer(texts, self.relevance)
        if self.model is not None:
            found[MODEL] = ModelScorer(texts, self.model)
        assert set(found) <= set(SCORERS)
        return found

    def scorer(self, name: str) -> Scorer:
        """Raises BadInput where what it needs is not there."""
        if name in self.scorers:
            return self.scorers[name]
        if name == MODEL:
            raise BadInput(
                tr("This composition needs a language model, and none is named."),
                tr("Set models.model, or choose one that scores by words, meaning or reading."),
            )
        raise BadInput(
            tr("This composition needs the trained reader, which is not there."),
            tr("Choose one that scores by words or meaning."),
        )


@dataclass(frozen=True, slots=True)
class Composed:
    """What the modules of a composition found: for the trace, for measuring and for drawing."""

    asked: Asked
    subgraph: Subgraph
    paths: Paths  # best first
    seeds: tuple[Seed, ...]
    stages: tuple[Stage, ...]
    costs: tuple[Cost, ...]  # of the modules, those at hand included


class ComposedRetriever:
    """Thread-safe."""

    def __init__(self, parts: ComposingParts, composition: Composition, memo: Memo | None = None) -> None:
        """`memo` may be shared by compositions over the same parts. Raises BadInput where a part is not there."""
        self._parts, self._composition, self._memo = parts, composition, memo or Memo(64)
        if composition.ranking:
            self._ranking: Retriever | None = parts.ranking(composition.ranking, composition.settings)
            return
        self._ranking = None
        self._extractor = _extractor(parts, composition.subgraph)
        self._pruning = _pruning(parts, composition.pruning)
        self._finder = _finder(parts, composition.paths)
        weights = composition.mapping
        self._mapping = PassageMapping(
            parts.corpus, parts.graph, parts.reader, weights.facts, weights.entities, weights.dense
        )
        if composition.second_stage and parts.second is not None:
            self._ranking = StagedRetriever(_Unstaged(self), parts.second, parts.config.pool)

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """Raises Cancelled, and what a language model raises where one takes part."""
        context.check()
        if not self._parts.corpus.passage_ids:
            return Retrieval(())
        return (self._ranking or _Unstaged(self)).retrieve(question, k, context)

    def found(self, question: str, context: TaskContext) -> Composed | None:
        """All but the passages; None where a route ranks these itself."""
        if self._composition.ranking:
            return None
        composition, memo = self._composition, self._memo
        key: tuple[Hashable, ...] = (question, composition.seeds)
        (asked, seeds), spent, again = memo.get(key, lambda: self._asked(question))
        costs, stages = [spent], [_stage(mark("seeds"), spent, again, _entities(len(asked.rows)))]
        context.check()
        if self._extractor is None:
            subgraph = self._parts.whole
            key = (*key, "whole")
        else:
            extractor, key = self._extractor, (*key, composition.subgraph)
            subgraph, spent, again = memo.get(key, lambda: extractor.extract(asked, context))
            costs.append(spent)
            stages.append(_stage(mark("subgraph"), spent, again, _size(subgraph)))
        context.check()
        if self._pruning is not None:
            pruning, unpruned, key = self._pruning, subgraph, (*key, composition.pruning)
            subgraph, spent, again = memo.get(key, lambda: pruning.prune(asked, unpruned, context))
            costs.append(spent)
            stages.append(_stage(mark("pruning"), spent, again, _size(subgraph)))
        context.check()
        within, key = subgraph, (*key, composition.paths)
        paths, spent, again = memo.get(key, lambda: self._finder.find(asked, within, context))
        costs.append(spent)
        stages.append(_stage(mark("paths"), spent, again, trn("{count} path", "{count} paths", len(paths))))
        return Composed(asked, subgraph, paths, seeds, tuple(stages), tuple(costs))

    def mapped(self, composed: Composed, k: int, context: TaskContext) -> Retrieval:
        """The k best passages for what was found."""
        context.check()
        begin = time.perf_counter()
        hits = self._mapping.map(composed.asked, composed.paths, k)
        spent, count = time.perf_counter() - begin, len(self._parts.corpus.passage_ids)
        detail = tr("{count} of {all} passages", count=len(hits), all=count)
        stage = Stage(mark("passages"), spent, detail, as_ranked("lab", hits, count))
        return Retrieval(hits, (*composed.stages, stage), self._heat(composed), composed.seeds)

    def _asked(self, question: str) -> tuple[Asked, tuple[Seed, ...]]:
        """The entities of the question, by names and by the nearest sentences, as on the graph route."""
        parts = self._parts
        config = replace(parts.config, top_seeds=self._composition.seeds)
        vector = parts.embedder.embed_question(question)
        start = restart(
            question, *nearest_to(vector, parts.corpus, config), parts.corpus, config, parts.normalise
        )
        rows = parts.corpus.entity_ids.rows
        return Asked(
            question, vector, {rows[seed.entity_id]: seed.weight for seed in start.seeds}
        ), start.seeds

    def _heat(self, composed: Composed) -> dict[str, float]:
        """Of the entities on the paths: what the subgraph gives them, the hottest first, 1 at the most."""
        rows = np.unique(composed.paths.entities)
        rows = rows[rows >= 0]
        subgraph, ids = composed.subgraph, self._parts.corpus.entity_ids
        scores = subgraph.scores[np.searchsorted(subgraph.entities, rows)]
        order = np.argsort(-scores, kind="stable")
        high = float(scores.max(initial=0.0)) or 1.0
        return {
            ids[row]: score / high
            for row, score in zip(rows[order].tolist(), scores[order].tolist(), strict=True)
            if score > 0
        }


class _Unstaged:
    """The composition without its second stage, as that asks for it."""

    def __init__(self, composed: ComposedRetriever) -> None:
        self._composed = composed

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        found = self._composed.found(question, context)
        assert found is not None
        return self._composed.mapped(found, k, context)


def _extractor(parts: ComposingParts, part: SubgraphPart) -> SubgraphExtractor | None:
    if part.kind == "none":
        return None
    if part.kind == "walk":
        return RandomWalk(parts.graph, part.walks, part.length, part.most, part.seed)
    if part.kind == "hops":
        return Hops(parts.graph, part.hops, part.most, part.facts)
    return Importance(parts.walker, parts.graph, part.most, part.damping)


def _pruning(parts: ComposingParts, part: PruningPart) -> Pruning | None:
    if part.kind == "none":
        return None
    scorer = _filtered(parts, part.scorer, part.prefilter, part.prefiltered)
    return Pruning(scorer, part.kind, part.most)


def _finder(parts: ComposingParts, part: PathsPart) -> PathFinder:
    most = part.candidates if part.kind == "one-way" else part.most
    kind = part.of if part.kind == "one-way" else part.kind
    found: PathFinder
    if kind == "beam":
        found = Beam(_scorer(parts, part), part.width, part.longest, part.most, part.pruned)
    elif kind == "enumerated":
        found = Enumerated(part.longest, most)
    else:
        found = Shortest(part.longest, most)
    if part.kind == "one-way":
        found = OneWay(found, _scorer(parts, part), part.most)
    return Refined(found, parts.scorer(part.refine), part.most) if part.refine else found


def _scorer(parts: ComposingParts, part: PathsPart) -> Scorer:
    scorer = parts.scorer(part.scorer)
    if part.supplement:
        scorer = Supplemented(scorer, parts.scorer(part.supplement), part.supplemented)
    return PreFiltered(scorer, parts.scorer(part.prefilter), part.prefiltered) if part.prefilter else scorer


def _filtered(parts: ComposingParts, name: str, prefilter: str, most: int) -> Scorer:
    scorer = parts.scorer(name)
    return PreFiltered(scorer, parts.scorer(prefilter), most) if prefilter else scorer


def _stage(name: str, cost: Cost, again: bool, detail: str) -> Stage:
    """With the seconds that it took, also where it was at hand."""
    return Stage(name, cost.seconds, tr("{detail}, shared", detail=detail) if again else detail)


def _entities(count: int) -> str:
    return trn("{count} entity", "{count} entities", count)


def _size(subgraph: Subgraph) -> str:
    facts = trn("{count} fact", "{count} facts", len(subgraph.facts))
    return tr("{entities}, {facts}", entities=_entities(len(subgraph.entities)), facts=facts)
