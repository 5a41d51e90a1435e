"""Which communities are to be told of anew after the hierarchy was made anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.answering.reports.gathering import gather
from core.answering.reports.writing import write_changed
from core.graph.build import undirected
from core.ingest.grouping import group_all
from core.progress import Cancelled, TaskContext
from core.research.synthetic.workspace import generate_workspace
from core.store.store import Store


def grouped(store: Store) -> None:
    keys = np.array([row.key for row in store.entities.rows()], dtype=np.int64)
    columns = store.facts.columns()
    ends = np.searchsorted(keys, np.stack([columns.subjects, columns.objects], axis=1))
    proper = ends[:, 0] != ends[:, 1]
    group_all(store, keys, undirected(ends[proper], columns.strengths[proper]), 7, TaskContext())


@pytest.mark.long
def test_large_communities_that_keep_their_key_are_told_anew_too(tmp_path: Path) -> None:
    store = generate_workspace(tmp_path, 3_000, TaskContext())
    try:
        grouped(store)
        write_changed(store, TaskContext())
        with store.database.transaction() as connection:
            connection.execute("DELETE FROM triples WHERE fact_key % 5 = 0")
            connection.execute("DELETE FROM candidate_facts WHERE key % 5 = 0")
        grouped(store)
        write_changed(store, TaskContext())
        sources = {m.community_id: m.source for m in gather(store, store.contents.communities())}
        assert store.communities.levels() == 3
        assert store.reports.stale(sources) == []
    finally:
        store.close()


def test_what_was_chosen_to_be_told_anew_stays_so_until_the_run_is_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that was written before the run was stopped is sound, and would be left waiting as before."""
    store = generate_workspace(tmp_path, 300, TaskContext())
    try:
        grouped(store)
        write_changed(store, TaskContext())
        large = max(store.contents.communities(), key=lambda row: row.entities)
        assert large.entities > 40
        store.communities.changed({large.key: 1})
        with store.database.transaction() as connection:
            connection.execute(
                "UPDATE community_reports SET source = '', report ="
                " json_set(report, '$.title', 'Nobody', '$.entities[0][0]', 'gone')"
                " WHERE community_key = ?",
                (large.key,),
            )

        def stopped(*_: object) -> None:
            raise Cancelled

        with monkeypatch.context() as patch, pytest.raises(Cancelled):
            patch.setattr("core.store.communities.Communities.settled", stopped)
            write_changed(store, TaskContext())
        assert store.report_words.intact([large.key])
        write_changed(store, TaskContext())
        assert store.communities.outdated(0) == []
    finally:
        store.close()
