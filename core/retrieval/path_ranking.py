"""Passages by paths of the graph: seeds, subgraph, pruning, paths, passages. LEGO-GraphRAG 3.1."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from core.progress import TaskContext
from core.retrieval.compositions import Composition, PathsPart, PruningPart, SubgraphPart
from core.retrieval.mapping import PassageMapping
from core.retrieval.memo import Memo
from core.retrieval.parts import RetrievalParts
from core.retrieval.paths.beam import Beam
from core.retrieval.paths.enumerated import Enumerated
from core.retrieval.paths.hybrids import PreFiltered, Refined, Supplemented
from core.retrieval.paths.one_way import OneWay
from core.retrieval.paths.path import PathFinder, Paths
from core.retrieval.paths.shortest import Shortest
from core.retrieval.ppr import nearest_to
from core.retrieval.ranking import as_ranked
from core.retrieval.scoring.scorer import Scorer
from core.retrieval.seeds import restart
from core.retrieval.subgraph.hops import Hops
from core.retrieval.subgraph.importance import Importance
from core.retrieval.subgraph.pruning import Pruning
from core.retrieval.subgraph.subgraph import Asked, Subgraph, SubgraphExtractor
from core.retrieval.subgraph.walking import RandomWalk
from core.text.translation import mark, tr, trn
from core.types import Retrieval, Seed, Stage
from core.types.cost import Cost


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

    def __init__(self, parts: RetrievalParts, composition: Composition, memo: Memo) -> None:
        """Raises BadInput where a scorer is not there."""
        self._parts, self._composition, self._memo = parts, composition, memo
        self._extractor = _extractor(parts, composition.subgraph)
        self._pruning = _pruning(parts, composition.pruning)
        self._finder = _finder(parts, composition.paths)
        weights = composition.mapping
        self._mapping = PassageMapping(
            parts.corpus, parts.facts, parts.reader, weights.facts, weights.entities, weights.dense
        )

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """The k best passages. Raises Cancelled, and what a language model raises where one takes part."""
        return self.mapped(self.found(question, context), k, context)

    def found(self, question: str, context: TaskContext) -> Composed:
        """All but the passages. Raises as `retrieve`."""
        context.check()
        composition, memo = self._composition, self._memo
        key: tuple[Hashable, ...] = (question, composition.settings, composition.seeds)
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


def _extractor(parts: RetrievalParts, part: SubgraphPart) -> SubgraphExtractor | None:
    if part.kind == "none":
        return None
    if part.kind == "walk":
        return RandomWalk(parts.facts, part.walks, part.length, part.most, part.seed)
    if part.kind == "hops":
        return Hops(parts.facts, part.hops, part.most, part.facts)
    return Importance(parts.walker, parts.facts, part.most, part.damping)


def _pruning(parts: RetrievalParts, part: PruningPart) -> Pruning | None:
    if part.kind == "none":
        return None
    scorer = _filtered(parts, part.scorer, part.prefilter, part.prefiltered)
    return Pruning(scorer, part.kind, part.most)


def _finder(parts: RetrievalParts, part: PathsPart) -> PathFinder:
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


def _scorer(parts: RetrievalParts, part: PathsPart) -> Scorer:
    scorer = parts.scorer(part.scorer)
    if part.supplement:
        scorer = Supplemented(scorer, parts.scorer(part.supplement), part.supplemented)
    return PreFiltered(scorer, parts.scorer(part.prefilter), part.prefiltered) if part.prefilter else scorer


def _filtered(parts: RetrievalParts, name: str, prefilter: str, most: int) -> Scorer:
    scorer = parts.scorer(name)
    return PreFiltered(scorer, parts.scorer(prefilter), most) if prefilter else scorer


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
