"""Which communities are to be told of anew after the hierarchy was made anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.evaluation.made_workspace import made_workspace
from core.graph.build import undirected
from core.ingest.grouping import group_all
from core.progress import TaskContext
from core.reporting.gathering import gather
from core.reporting.writing import write_changed
from core.store.store import Store


def grouped(store: Store) -> None:
    keys = np.array([row.key for row in store.entities.rows()], dtype=np.int64)
    columns = store.facts.columns()
    ends = np.searchsorted(keys, np.stack([columns.subjects, columns.objects], axis=1))
    proper = ends[:, 0] != ends[:, 1]
    group_all(store, keys, undirected(ends[proper], columns.strengths[proper]), 7, TaskContext())


def test_large_communities_that_keep_their_key_are_told_anew_too(tmp_path: Path) -> None:
    store = made_workspace(tmp_path, 3_000, TaskContext())
    try:
        grouped(store)
        write_changed(store, TaskContext())
        with store.database.transaction() as connection:
            connection.execute("DELETE FROM triples WHERE fact_key % 5 = 0")
            connection.execute("DELETE FROM facts WHERE key % 5 = 0")
        grouped(store)
        write_changed(store, TaskContext())
        sources = {m.community_id: m.source for m in gather(store, store.contents.communities())}
        assert store.communities.levels() == 3
        assert store.reports.stale(sources) == []
    finally:
        store.close()
