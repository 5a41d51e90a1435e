"""A composition at work: what ranks passages, joined where several do, chosen anew where that is wanted.

Every route is one, Clew's own included (`compositions.toml`).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from core.index.blas import one_thread
from core.progress import TaskContext
from core.protocols import Retriever
from core.retrieval.compositions import ADAPTER, PATHS, WEIGHED, Composition, shipped_compositions
from core.retrieval.fusion import LISTS, FusionRetriever, graph_alone
from core.retrieval.memo import Memo
from core.retrieval.parts import RetrievalParts
from core.retrieval.path_ranking import Composed, PathRanker, shared_stage
from core.retrieval.rankers import RANKERS
from core.retrieval.reranked import RerankedRetriever
from core.types import Retrieval


class ComposedRetriever:
    """Thread-safe. `first` ranks before a second stage."""

    def __init__(self, parts: RetrievalParts, composition: Composition, memo: Memo | None = None) -> None:
        """`memo` may be shared by compositions over the same parts. Raises BadInput where a part is not there."""
        settings = composition.settings
        self._parts = under = parts.under(settings) if settings else parts
        lists = {name: _ranker(name, parts, under, composition, memo) for name in composition.rank}
        self.first = next(iter(lists.values())) if len(lists) == 1 else _joined(lists, under, composition)
        self._ranking = self.first
        if composition.second_stage and under.second is not None:
            self._ranking = RerankedRetriever(self.first, under.second, under.config.pool)

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        """The k best passages. Raises Cancelled, and what a language model raises where one takes part."""
        context.check()
        if not self._parts.corpus.passage_ids:
            return Retrieval(())
        with one_thread():
            return self._ranking.retrieve(question, k, context)

    def found(self, question: str, context: TaskContext) -> Composed | None:
        """All but the passages; None where others than paths rank these. Raises as `retrieve`."""
        return self.first.found(question, context) if isinstance(self.first, PathRanker) else None


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A ranker that is asked once for the compositions that share it."""

    ranker: Retriever
    memo: Memo
    key: tuple[Hashable, ...]

    def retrieve(self, question: str, k: int, context: TaskContext) -> Retrieval:
        make = (question, *self.key, k), lambda: self.ranker.retrieve(question, k, context)
        found, _, again = self.memo.get(*make)
        if not again:
            return found
        return replace(found, stages=tuple(map(shared_stage, found.stages)))


def _ranker(
    name: str, parts: RetrievalParts, under: RetrievalParts, composition: Composition, memo: Memo | None
) -> Retriever:
    """By its name: of paths, of another kind, or the composition of that name. `under` are `parts` as it sets them."""
    if name == PATHS:
        return PathRanker(under, composition, memo or Memo(64))
    if name in RANKERS:
        ranker = RANKERS[name](under)
        return ranker if memo is None else _Remembered(ranker, memo, (name, composition.settings))
    other = shipped_compositions()[name]
    return ComposedRetriever(parts, replace(other, settings=(*composition.settings, *other.settings)), memo)


def _joined(lists: dict[str, Retriever], parts: RetrievalParts, composition: Composition) -> FusionRetriever:
    if composition.join == WEIGHED:
        lists = dict(zip(LISTS, lists.values(), strict=True))
        enough = parts.enough if composition.sparing and not graph_alone(parts.config) else None
        return FusionRetriever(lists, parts.weigh, parts.config, parts.documents, enough)
    if composition.join == ADAPTER:
        lists = dict(zip(LISTS[1:], lists.values(), strict=True))
        return FusionRetriever(lists, None, parts.config, parts.documents, score=parts.score)
    return FusionRetriever(lists, None, parts.config, parts.documents)
