"""A composition at work: several rankers, their lists fused, and the best passages reranked.

Every route is one, Clew's own included (`compositions.toml`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from core.config import Config, RetrievalConfig, with_settings
from core.index.blas import one_thread
from core.progress import TaskContext
from core.retrieval.agentic.retriever import GraphRetriever
from core.retrieval.compositions import ADAPTER, PATHS, SETTLED, WEIGHED, Composition, shipped_compositions
from core.retrieval.dense import DenseRetriever
from core.retrieval.fact_seeds import fact_chooser
from core.retrieval.fusion import LISTS, fuse, graph_alone
from core.retrieval.hierarchy.retriever import HierarchicalRetriever
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.ircot import IRCoTRetriever
from core.retrieval.lexical import DocumentWords, LexicalRetriever
from core.retrieval.path_ranking import Composed, Memo, PathRanker, shared_stage
from core.retrieval.ppr import WalkRetriever
from core.retrieval.query import Query, Retriever, analyse
from core.retrieval.rerank import rerank, second_stage
from core.retrieval.view import RetrievalModels, SnapshotView
from core.types import Complexity, Retrieval


class ComposedRetriever:
    """Consult rankers, fuse their lists, make way for other documents, and rerank the best. Thread-safe."""

    def __init__(
        self,
        rankers: Mapping[str, Retriever],
        composition: Composition,
        view: SnapshotView,
        models: RetrievalModels,
        config: RetrievalConfig,
    ) -> None:
        """`rankers` are those of the composition, by the names of their lists. See `compose`."""
        self._rankers, self._composition = rankers, composition
        self._view, self._models, self._config = view, models, config
        wants_second = composition.second_stage and config.second_stage
        self._second = second_stage(view, config, models.selection) if wants_second else None

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """Return the k best passages. Raise Cancelled, and what a language model raises where one takes part."""
        context.check()
        if not self._view.corpus.passage_ids:
            return Retrieval(())
        with one_thread():
            if self._second is None:
                return self.rank(query, k, context)
            pool = self._config.pool
            found = self.rank(query, max(k, pool), context)
            return rerank(query, found, self._second, pool, k, context)

    def rank(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """Return the k best passages before the second stage. Raise as `retrieve`."""
        if len(self._rankers) == 1:
            (ranker,) = self._rankers.values()
            return ranker.retrieve(query, k, context)
        found, complexity, seconds = self._consult(query, k, context)
        context.check()
        return fuse(found, complexity, self._config, self._view.documents_of, k, seconds)

    def lists(
        self, query: Query, k: int, context: TaskContext, names: Iterable[str] | None = None
    ) -> dict[str, Retrieval]:
        """Return what each ranker, or each of `names`, finds, at least `k` passages deep. Raise as `retrieve`."""
        wide = max(k, self._config.candidates)
        wanted = self._rankers if names is None else names
        return {name: self._rankers[name].retrieve(query, wide, context) for name in wanted}

    def trace_paths(self, query: Query, context: TaskContext) -> Composed | None:
        """Return all but the passages; None where others than paths rank these. Raise as `retrieve`."""
        ranker = self._rankers.get(PATHS) if len(self._rankers) == 1 else None
        return ranker.trace_paths(query, context) if isinstance(ranker, PathRanker) else None

    def ranker(self, name: str) -> Retriever:
        """Return the part that ranks under this name. Raise KeyError."""
        return self._rankers[name]

    def _consult(
        self, query: Query, k: int, context: TaskContext
    ) -> tuple[dict[str, Retrieval], Complexity | None, float]:
        """Return what each ranker finds, what each list counts, None where all count alike, and the seconds of that.

        A ranker whose list would count nothing is not consulted, and finds nothing.
        """
        if self._composition.join == ADAPTER:
            complexity = self._models.adapter().judged(query.parsed)
            wanted = [name for name in self._rankers if complexity.weights[name] > 0]
            found = self.lists(query, k, context, wanted)
            return {name: found.get(name, Retrieval(())) for name in self._rankers}, complexity, 0.0
        if self._composition.join != WEIGHED:
            return self.lists(query, k, context), None, 0.0
        *quick, graph = self._rankers
        found = self.lists(query, k, context, quick)
        early = None
        if self._composition.sparing and not graph_alone(self._config):
            early = self._models.weigher.enough(query, {name: part.hits for name, part in found.items()})
        if early is not None and not early.weights[graph]:
            return {**found, graph: Retrieval(())}, early, 0.0
        found |= self.lists(query, k, context, [graph])
        if early is not None:
            return found, early, 0.0
        begin = time.perf_counter()
        complexity = self._models.weigher(query, {name: part.hits for name, part in found.items()})
        return found, complexity, time.perf_counter() - begin


def compose(
    view: SnapshotView,
    models: RetrievalModels,
    config: Config,
    composition: Composition,
    memo: Memo | None = None,
) -> ComposedRetriever:
    """Return the composition at work. Raise BadInput where one of its parts is not there.

    `memo` may be shared by compositions over the same snapshot.
    """
    base = view, models, config
    if composition.settings:
        config = with_settings(config, composition.settings, SETTLED)
        view = view.filter(config.retrieval)
    rankers: dict[str, Retriever] = {}
    for name in composition.rank:
        if name == PATHS:
            rankers[name] = PathRanker(view, models, config.retrieval, composition, memo or Memo(64))
        elif name in RANKERS:
            ranker = RANKERS[name](view, models, config)
            key = name, composition.settings
            rankers[name] = ranker if memo is None else _MemoizedRetriever(ranker, memo, key)
        else:  # another composition, whose own settings come last
            inner = shipped_compositions()[name]
            inner = replace(inner, settings=(*composition.settings, *inner.settings))
            rankers[name] = compose(*base, inner, memo)
    if composition.join in (WEIGHED, ADAPTER):  # their weights are by the names of the lists
        names = LISTS if composition.join == WEIGHED else LISTS[1:]
        rankers = dict(zip(names, rankers.values(), strict=True))
    return ComposedRetriever(rankers, composition, view, models, config.retrieval)


@dataclass(frozen=True, slots=True)
class _MemoizedRetriever:
    """A ranker that is asked once for the compositions that share it."""

    ranker: Retriever
    memo: Memo
    key: tuple[Hashable, ...]

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        key = query.text, *self.key, k
        found, _, shared = self.memo.get(key, lambda: self.ranker.retrieve(query, k, context))
        return replace(found, stages=tuple(map(shared_stage, found.stages))) if shared else found


def _words(view: SnapshotView, models: RetrievalModels, config: Config) -> LexicalRetriever:
    return LexicalRetriever(view.word_search.rows, view.corpus.passage_ids)


def _document_words(view: SnapshotView, models: RetrievalModels, config: Config) -> LexicalRetriever:
    keys, documents = view.corpus.graph.passage_keys, view.snapshot.documents
    words = DocumentWords(view.word_search.holders, keys, documents)
    return LexicalRetriever(view.word_search.rows, view.corpus.passage_ids, words)


def _meaning(view: SnapshotView, models: RetrievalModels, config: Config) -> DenseRetriever:
    return DenseRetriever(view.corpus)


def _walk(view: SnapshotView, models: RetrievalModels, config: Config) -> WalkRetriever:
    chooser = fact_chooser(view, config.retrieval, models.embedder, models.language_model)
    return WalkRetriever(view.corpus, config.retrieval, chooser)


def _strength(view: SnapshotView, models: RetrievalModels, config: Config) -> HybridRetriever:
    return HybridRetriever(view.corpus, view.facts, config.retrieval)


def graph_retriever(view: SnapshotView, models: RetrievalModels, config: Config) -> GraphRetriever:
    """Return the graph route's retriever, without its second stage."""
    walk = _walk(view, models, config)
    return GraphRetriever(view, walk, models.embedder, models.needs, config.retrieval, config.agentic)


def _tree(view: SnapshotView, models: RetrievalModels, config: Config) -> HierarchicalRetriever:
    return HierarchicalRetriever(view.corpus, view.tree, config.hierarchy)


def _thoughts(view: SnapshotView, models: RetrievalModels, config: Config) -> IRCoTRetriever:
    read = partial(analyse, corpus=view.corpus, parse=models.parse, embedder=models.embedder)
    return IRCoTRetriever(_words(view, models, config), read, view.texts, models.configured_model())


# What ranks passages, by name, but for paths and other compositions.
RANKERS: dict[str, Callable[[SnapshotView, RetrievalModels, Config], Retriever]] = {
    "words": _words,
    "document-words": _document_words,
    "meaning": _meaning,
    "walk": _walk,
    "strength": _strength,
    "stages": graph_retriever,
    "tree": _tree,
    "thoughts": _thoughts,
}
