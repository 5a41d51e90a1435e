"""Reports whose titles hold odd signs, and reports that are not what was written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.reports.writing import write_changed
from core.errors import WorkspaceError
from core.progress import TaskContext
from core.research.synthetic.workspace import generate_workspace
from core.store.store import Store
from tests.core.store.test_communities_to_tell import grouped


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = generate_workspace(tmp_path, 40, TaskContext())
    grouped(made)
    write_changed(made, TaskContext())
    yield made
    made.close()


@pytest.mark.parametrize("word", ['"Bird"', "100%", "a_b", "back\\slash", "it's", "محمد"])
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
        "null",
        '{"title": 1}',
        '{"title": "a", "statements": 3, "entities": [], "facts": [], "timeline": [], "documents": [], "stale": false}',
        '{"title": "a", "statements": [["", [["x"]]]], "entities": [], "facts": [], "timeline": [], "documents": [],'
        ' "stale": false}',
    ],
)
def test_a_damaged_report_is_told_in_one_line(report: str, store: Store) -> None:
    level = store.communities.levels()
    with store.database.transaction() as connection:
        connection.execute("UPDATE community_reports SET report = ?", (report,))
        connection.execute("INSERT OR IGNORE INTO communities_to_tell SELECT key, 1, 0 FROM communities")
    for read in (
        lambda: store.reports.of_level(level),
        lambda: write_changed(store, TaskContext()),
    ):
        with pytest.raises(WorkspaceError, match="damaged") as raised:
            read()
        assert "clew verify" in raised.value.remedy
    # What has a title in words goes by it, whatever else is wrong.
    titled = report.startswith('{"title": "a"')
    assert set(store.reports.titles().values()) == ({"a"} if titled else set())


def test_titles_follow_the_reports(store: Store) -> None:
    def told() -> dict[int, str]:
        rows = store.database.connection().execute(
            "SELECT community_key, json_extract(report, '$.title') FROM community_reports"
        )
        return dict(rows)

    stamps = [store.reports.titles_stamp()]
    keys = list(told())
    for change in (
        "UPDATE community_reports SET report = json_set(report, '$.title', 'Another') WHERE community_key = ?",
        "INSERT OR REPLACE INTO community_reports SELECT community_key, source, written_by,"
        " json_set(report, '$.title', 'A third') FROM community_reports WHERE community_key = ?",
        "DELETE FROM community_reports WHERE community_key = ?",
        "UPDATE communities SET parent_key = NULL WHERE parent_key = ?",
    ):
        with store.database.transaction() as connection:
            connection.execute(change, (keys[0],))
        assert store.reports.titles() == told()
        stamps.append(store.reports.titles_stamp())
    assert len(set(stamps)) == len(stamps) - 1 and stamps[-1] == stamps[-2]  # the last one changed no report
    store.communities.replace([], [])
    assert store.reports.titles() == told() == {}
