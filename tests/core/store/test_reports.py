"""Reports of communities: which are to be written again, odd titles and damage, and no word of what is gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.answering.reports.gathering import gather
from core.answering.reports.writing import write_changed
from core.errors import WorkspaceError
from core.graph.build import undirected
from core.ingest.grouping import group_all
from core.progress import Cancelled, TaskContext
from core.research.synthetic.workspace import generate_workspace
from core.store.store import Store
from core.workspace import Workspace
from tests.data_makers.levels import put_in_two_levels


def grouped(store: Store) -> None:
    keys = np.array([row.key for row in store.entities.rows()], dtype=np.int64)
    columns = store.facts.columns()
    ends = np.searchsorted(keys, np.stack([columns.subjects, columns.objects], axis=1))
    proper = ends[:, 0] != ends[:, 1]
    group_all(store, keys, undirected(ends[proper], columns.strengths[proper]), 7, TaskContext())


@pytest.mark.long
def test_reports_of_large_communities_are_written_again_too(tmp_path: Path) -> None:
    store = generate_workspace(tmp_path, 1_200, TaskContext())
    try:
        grouped(store)
        write_changed(store, TaskContext())
        with store.database.transaction() as connection:
            connection.execute("DELETE FROM triples WHERE fact_key % 5 = 0")
            connection.execute("DELETE FROM candidate_facts WHERE key % 5 = 0")
        grouped(store)
        write_changed(store, TaskContext())
        written = store.reports.sources()
        sources = {m.community_id: m.source for m in gather(store, store.contents.communities())}
        assert store.communities.levels() == 3
        assert {key: written[key].source for key in sources} == sources
    finally:
        store.close()


def test_reports_that_wait_to_be_written_wait_until_the_run_is_through(
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
        assert store.reports.intact([large.key])
        write_changed(store, TaskContext())
        assert store.communities.outdated(0) == []
    finally:
        store.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    created = generate_workspace(tmp_path, 40, TaskContext())
    grouped(created)
    write_changed(created, TaskContext())
    yield created
    created.close()


@pytest.mark.parametrize("word", ['"Bird"', "100%", "a_b"])
def test_a_title_is_found_by_its_odd_signs(word: str, store: Store) -> None:
    key = store.communities.rows()[0].key
    with store.database.transaction() as connection:
        title = f"Gillespie {word} Khan"
        connection.execute(
            "UPDATE community_reports SET report = json_set(report, '$.title', ?) WHERE community_key = ?",
            (title, key),
        )
    assert [found[2] for found in store.reports.titled([word, "khan"], 5)] == [title]
    assert store.reports.titled([word.replace("_", "x").replace("%", "x") + "x"], 5) == []


@pytest.mark.parametrize(
    "report",
    [
        '{"title": "x',
        "[]",
        '{"title": 1}',
        '{"title": "a", "statements": 3, "entities": [], "facts": [], "timeline": [], "documents": [], "stale": false}',
        '{"title": "a", "statements": [["", [["x"]]]], "entities": [], "facts": [], "timeline": [], "documents": [],'
        ' "stale": false}',
    ],
)
def test_a_damaged_report_is_an_error_of_one_line(report: str, store: Store) -> None:
    level = store.communities.levels()
    with store.database.transaction() as connection:
        connection.execute("UPDATE community_reports SET report = ?", (report,))
        connection.execute("INSERT OR IGNORE INTO communities_to_tell SELECT key, 1, 0 FROM communities")
    for read in (lambda: store.reports.of_level(level), lambda: write_changed(store, TaskContext())):
        with pytest.raises(WorkspaceError, match="damaged") as raised:
            read()
        assert "clew verify" in raised.value.remedy
    # What has a title in words goes by it, whatever else is wrong.
    titled = report.startswith('{"title": "a"')
    assert set(store.reports.titles().values()) == ({"a"} if titled else set())


def test_titles_follow_the_reports(store: Store) -> None:
    def reported() -> dict[int, str]:
        rows = store.database.connection().execute(
            "SELECT community_key, json_extract(report, '$.title') FROM community_reports"
        )
        return dict(rows)

    stamps = [store.reports.titles_stamp()]
    keys = list(reported())
    for change in (
        "UPDATE community_reports SET report = json_set(report, '$.title', 'Another') WHERE community_key = ?",
        "INSERT OR REPLACE INTO community_reports SELECT community_key, source, written_by,"
        " json_set(report, '$.title', 'A third') FROM community_reports WHERE community_key = ?",
        "DELETE FROM community_reports WHERE community_key = ?",
        "UPDATE communities SET parent_key = NULL WHERE parent_key = ?",
    ):
        with store.database.transaction() as connection:
            connection.execute(change, (keys[0],))
        assert store.reports.titles() == reported()
        stamps.append(store.reports.titles_stamp())
    assert len(set(stamps)) == len(stamps) - 1 and stamps[-1] == stamps[-2]  # the last one changed no report
    store.communities.replace([], [])
    assert store.reports.titles() == reported() == {}


@pytest.fixture
def workspace(
    sample_copy: Path, sample_folder: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    monkeypatch.setattr("core.graph.communities._LEAST", 4)
    opened = Workspace.open(put_in_two_levels(sample_copy, sample_folder, models), models=models)
    yield opened
    opened.close()


def rows(workspace: Workspace, sql: str) -> list:
    return workspace._store.database.connection().execute(sql).fetchall()


def reports(workspace: Workspace) -> dict[int, str]:
    return dict(rows(workspace, "SELECT community_key, report FROM community_reports"))


@pytest.fixture
def removed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[int, str], set[str]]:
    """The reports before a document was taken out that reports of upper levels cite, and its passages."""
    monkeypatch.setattr("core.answering.reports.writing._CHANGED", 10.0)  # none is told anew for what changed
    monkeypatch.setattr("core.ingest.derive.REDRAW", 10.0)
    before = reports(workspace)
    uppers = {key for (key,) in rows(workspace, "SELECT key FROM communities WHERE level > 1")}
    passages = {d.id: [p.id for p in workspace.passages.of_document(d.id)] for d in workspace.documents.all()}
    others = {id: [p for other in passages if other != id for p in passages[other]] for id in passages}
    # Cited by the most reports beside another document: what rests on it alone would be dropped whole.
    cited = [
        (
            sum(
                any(p in before[key] for p in own) and any(p in before[key] for p in others[id])
                for key in uppers
            ),
            id,
        )
        for id, own in passages.items()
    ]
    document = max(cited)[1]
    gone = {passage.id for passage in workspace.passages.of_document(document)}
    workspace.documents.remove([document], TaskContext())
    return before, gone


def test_what_is_gone_is_cut_out_and_the_rest_waits(
    workspace: Workspace, removed: tuple[dict[int, str], set[str]]
) -> None:
    before, gone = removed
    after = reports(workspace)
    assert not [key for key, report in after.items() if any(id in report for id in gone)]
    every = after.keys()
    assert workspace._store.reports.intact(every) == every
    cut = {key for key, report in after.items() if json.loads(report)["stale"]}
    assert cut, "nothing was cut"
    waiting = {key for (key,) in rows(workspace, "SELECT community_key FROM communities_to_tell")}
    assert cut <= waiting
    for key in cut:
        old, new = json.loads(before[key]), json.loads(after[key])
        assert new["title"] == old["title"]
        assert (
            new["statements"] == [s for s in old["statements"] if all(p[0] not in gone for p in s[1])] != []
        )
        assert workspace.reports.get(key).stale
    assert all(check.ok for check in workspace.verify(TaskContext()))


def test_a_title_of_what_is_gone_is_not_stored(workspace: Workspace) -> None:
    key = rows(workspace, "SELECT max(key) FROM communities WHERE level = 2")[0][0]
    reported = json.loads(reports(workspace)[key])
    with workspace._store.database.transaction() as connection:
        reported["entities"].append(["gone", "Somebody Gone", "PERSON", 0.1])
        reported["title"] = f"Somebody Gone and {reported['title']}"
        connection.execute(
            "UPDATE community_reports SET report = ? WHERE community_key = ?", (json.dumps(reported), key)
        )
    assert workspace._store.reports.intact([key]) == set()
    assert workspace._store.reports.cut([key]) == set()
    assert "Somebody Gone" in reports(workspace)[key]  # it is to be told anew
