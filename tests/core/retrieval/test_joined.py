"""Lists joined by weights, against scores computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.retrieval.composed import ComposedRetriever
from core.retrieval.compositions import WEIGHED, Composition
from core.retrieval.fusion import Lists, join
from core.retrieval.query import Query
from core.retrieval.ranking import diversify_by_document
from core.retrieval.view import RetrievalModels, SnapshotView
from core.types import Complexity, Hit, Retrieval, Seed, Stage
from tests.core.retrieval.queries import query

CONFIG = RetrievalConfig(rrf_k=20, crowding=0.9)
WEIGHTS = {"lexical": 0.5, "dense": 0.2, "graph": 0.3}


def apart(ids: Sequence[str]) -> Sequence[str]:
    """Each passage of a document of its own."""
    return ids


def hits(*ids: str) -> tuple[Hit, ...]:
    return tuple(Hit(key, 1.0 / rank, rank) for rank, key in enumerate(ids, start=1))


class Found:
    """A retriever that knows its answer."""

    def __init__(self, name: str, *ids: str) -> None:
        self._name, self._ids = name, ids

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        context.check()
        seeds = (Seed("e", "Otto Kask", 1.0, "named"),) if self._name == "graph" else ()
        return Retrieval(hits(*self._ids)[:k], (Stage(self._name, 0.0),), {"e": 1.0} if seeds else {}, seeds)


def joined(lists: Mapping[str, tuple[str, ...]], weights: Mapping[str, float] = WEIGHTS) -> ComposedRetriever:
    def weigh(query: Query, lists: Lists) -> Complexity:
        return Complexity(weights["graph"], 0.25, 0.5, (), dict(weights))

    return composed({name: Found(name, *ids) for name, ids in lists.items()}, weigh)


def composed(rankers: Mapping[str, Found], weigher: object, sparing: bool = False) -> ComposedRetriever:
    """Return rankers whose lists `weigher` weighs, each passage of a document of its own."""
    view = cast(SnapshotView, SimpleNamespace(documents_of=apart, corpus=SimpleNamespace(passage_ids=["a"])))
    models = cast(RetrievalModels, SimpleNamespace(weigher=weigher))
    composition = Composition(join=WEIGHED, sparing=sparing)
    return ComposedRetriever(rankers, composition, view, models, RetrievalConfig())


def test_lists_are_joined_as_computed_by_hand() -> None:
    lists = {"lexical": hits("a", "b"), "dense": hits("c", "a"), "graph": hits("c", "d")}
    found = join(lists, WEIGHTS, CONFIG, 5, apart)
    assert [hit.passage_id for hit in found] == ["a", "c", "b", "d"]
    assert [hit.rank for hit in found] == [1, 2, 3, 4]
    assert found[0].score == pytest.approx(0.5 / 21 + 0.2 / 22)
    assert found[1].score == pytest.approx(0.2 / 21 + 0.3 / 21)
    assert found[3].score == pytest.approx(0.3 / 22)
    assert join(lists, WEIGHTS, CONFIG, 1, apart) == found[:1]
    assert join(lists, WEIGHTS, CONFIG, 0, apart) == ()


def test_the_last_list_is_not_asked_where_the_others_are_enough() -> None:
    asked: list[str] = []

    class Asked(Found):
        def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
            asked.append(self._name)
            return super().retrieve(query, k, context)

    parts = {name: Asked(name, *ids) for name, ids in zip(WEIGHTS, ("ab", "c", "d"), strict=True)}
    spared = Complexity(0.1, 0.35, 0.5, (), {"lexical": 0.4, "dense": 0.6, "graph": 0.0})
    certain = Complexity(0.7, 0.35, 0.5, (), {"lexical": 0.0, "dense": 0.0, "graph": 1.0})

    class Weigher:
        def enough(self, query: Query, lists: Lists) -> Complexity | None:
            assert set(lists) == {"lexical", "dense"}, "told from these alone"
            return {"near?": spared, "certain?": certain}.get(query.text)

        def __call__(self, query: Query, lists: Lists) -> Complexity:
            return Complexity(0.6, 0.35, 0.5, (), {"lexical": 0.0, "dense": 0.0, "graph": 1.0})

    retriever = composed(parts, Weigher(), sparing=True)
    near = retriever.retrieve(query("near?"), 5, TaskContext())
    assert asked == ["lexical", "dense"] and near.complexity is spared
    assert [hit.passage_id for hit in near.hits] == ["c", "a", "b"] and not near.heat and not near.seeds
    far = retriever.retrieve(query("far?"), 5, TaskContext())
    assert asked == ["lexical", "dense"] * 2 + ["graph"]
    assert [hit.passage_id for hit in far.hits] == ["d"] and far.heat
    straight = retriever.retrieve(query("certain?"), 5, TaskContext())
    assert straight.complexity is certain and [hit.passage_id for hit in straight.hits] == ["d"]
    assert set(retriever.lists(query("near?"), 5, TaskContext())) == set(WEIGHTS), "who asks for all gets all"


@pytest.mark.parametrize(
    "lists",
    [
        {"lexical": (), "dense": ("a", "b"), "graph": ("b",)},
        {"lexical": (), "dense": (), "graph": ()},
    ],
)
def test_empty_lists_leave_the_others(lists: dict[str, tuple[str, ...]]) -> None:
    found = joined(lists).retrieve(query("Who?"), 5, TaskContext())
    assert {hit.passage_id for hit in found.hits} == {key for ids in lists.values() for key in ids}


def test_what_was_joined_is_told() -> None:
    parts = {"lexical": ("a", "b"), "dense": ("b",), "graph": ("c",)}
    found = joined(parts).retrieve(query("Who?"), 5, TaskContext())
    assert [stage.name for stage in found.stages] == ["lexical", "dense", "graph", "join"]
    assert found.stages[-1].detail == "words 0.50, meaning 0.20, graph 0.30"
    assert found.ranks == {"a": {"lexical": 1}, "b": {"lexical": 2, "dense": 1}, "c": {"graph": 1}}
    assert found.seeds and found.heat, "those of the walk"
    assert found.hits == joined(parts).retrieve(query("Who?"), 5, TaskContext()).hits


def test_a_second_passage_of_a_document_counts_a_little_less() -> None:
    lists = {"lexical": hits("a1", "a2", "a3", "b"), "dense": hits("a1", "a2", "a3", "b"), "graph": hits()}

    def documents(ids: Sequence[str]) -> list[str]:
        return [id[0] for id in ids]

    found = join(lists, WEIGHTS, CONFIG, 3, documents)
    assert [hit.passage_id for hit in found] == ["a1", "b", "a2"]
    scores = [0.7 / 21, 0.7 / 24, 0.7 / 22 * 0.9]
    assert [hit.score for hit in found] == pytest.approx([scores[0], scores[1], scores[2]])
    assert [hit.passage_id for hit in join(lists, WEIGHTS, CONFIG, 4, apart)] == ["a1", "a2", "a3", "b"]


def test_one_list_alone_keeps_its_order() -> None:
    lists = {"lexical": hits("b"), "dense": hits("b"), "graph": hits("a1", "a2", "a3", "b")}
    alone = {"lexical": 0.0, "dense": 0.0, "graph": 1.0}
    found = join(lists, alone, CONFIG, 4, lambda ids: [id[0] for id in ids])
    assert [hit.passage_id for hit in found] == ["a1", "a2", "a3", "b"]


def test_crowding_gives_what_choosing_one_by_one_gives() -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        scores, owners = rng.random(40).round(2).tolist(), rng.integers(0, 6, 40).tolist()
        left = list(range(40))
        slow: list[tuple[int, float]] = []
        while left and len(slow) < 15:
            count = [owners[p] for p, _ in slow]
            best = max(left, key=lambda p: (scores[p] * 0.9 ** count.count(owners[p]), -p))
            slow.append((best, scores[best] * 0.9 ** count.count(owners[best])))
            left.remove(best)
        found = diversify_by_document(scores, owners, 0.9, 15)
        assert [value for _, value in found] == pytest.approx([value for _, value in slow])
