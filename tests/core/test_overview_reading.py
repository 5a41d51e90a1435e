"""Of a level with many reports only those are read that an answer can tell of, and the answer is the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from core.evaluation.made_workspace import made_workspace
from core.models import Models
from core.overview.answering import Overview
from core.overview.choosing import MOST, Chosen, choose_points
from core.progress import TaskContext
from core.reporting.writing import write_changed
from core.retrieval.corpus import Corpus
from core.store.reports import Reports
from core.store.store import Store
from core.types import CommunityReport
from tests.core.store.test_communities_to_tell import grouped

RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Forty communities in the middle, five times as many below."""
    made = made_workspace(tmp_path_factory.mktemp("many"), 8_000, TaskContext())
    grouped(made)
    write_changed(made, TaskContext())
    yield made
    made.close()


@pytest.fixture(scope="module")
def corpus(store: Store) -> Corpus:
    ids = tuple(row[0] for row in store.database.connection().execute("SELECT id FROM passages ORDER BY key"))
    vectors = RNG.standard_normal((len(ids), 384), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return cast(Corpus, SimpleNamespace(passage_ids=ids, passage_vectors=vectors))


def told(chosen: Chosen) -> list[tuple[int, str]]:
    return [(point.community_id, point.statement.text) for point in chosen.points]


@pytest.mark.parametrize("broad", [True, False])
def test_few_are_read_and_the_same_is_told(
    broad: bool, store: Store, corpus: Corpus, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = store.communities.levels() - 1
    every = store.reports.of_level(level)
    sizes = {row.key: row.entities for row in store.contents.communities(level)}
    vector = corpus.passage_vectors[3]
    overview = Overview(store, corpus)
    choose = partial(choose_points, sizes=sizes, question=vector, vectors=overview._of, broad=broad)
    wanted = told(choose(every))
    read: list[int] = []
    some = Reports.some

    def counted(self: Reports, communities: Sequence[int]) -> list[CommunityReport]:
        read.extend(communities)
        return some(self, communities)

    def unused(*_: Any) -> list[CommunityReport]:
        raise AssertionError("all reports of a level are read")

    monkeypatch.setattr(Reports, "some", counted)
    monkeypatch.setattr(Reports, "of_level", unused)
    # The level that a specific question looks at, also for the broad one.
    monkeypatch.setattr(store.communities, "levels", lambda: level if broad else level + 1)
    found = overview.look(models.parse("What are the main themes?"), vector, broad)
    assert found is not None and found.level == level
    assert told(found.chosen) == wanted and wanted
    assert len(read) == 2 * MOST < len(every) == found.chosen.asked


def test_names_are_those_of_all_reports(store: Store) -> None:
    reports = store.reports.of_level(1)
    labels = {entity.label for report in reports for entity in report.entities}
    wanted = {(r.community_id, e.entity_id, e.name, e.share) for r in reports for e in r.entities}
    assert set(store.reports.key_entities(1, labels)) == wanted
    assert store.reports.key_entities(1, {"NOTHING"}) == []
    ids = sorted({entity_id for _, entity_id, _, _ in wanted})
    assert [id for id, _, _ in store.entities.heads_among([*ids, "gone"], labels, len(ids))] == ids
    assert [id for id, _, _ in store.entities.heads_among(["gone", *ids], labels, 2)] == ids[:2]
    assert store.entities.heads_among(ids, {"NOTHING"}, 2) == []


def test_the_span_is_that_of_all_reports(sample_path: Path) -> None:
    store = Store(sample_path, "all-MiniLM-L6-v2", 384, read_only=True)
    try:
        dates = sorted(dated.date for report in store.reports.of_level(1) for dated in report.timeline)
        assert dates and store.reports.span(1) == (dates[0], dates[-1])
        assert store.reports.span(99) is None
    finally:
        store.close()
