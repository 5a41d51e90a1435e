"""A large community of which little changed keeps its report, but no word of what is gone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.answering.reports.writing import write_reports
from core.progress import TaskContext
from core.workspace import Workspace


@pytest.fixture
def workspace(sample_copy: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(sample_copy, models=models)
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
    cited = [
        (
            sum(
                passage.id in before[key]
                for key in uppers
                for passage in workspace.passages.of_document(d.id)
            ),
            d.id,
        )
        for d in workspace.documents.all()
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


def test_a_cut_report_is_written_anew_with_the_others(
    workspace: Workspace, removed: tuple[dict[int, str], set[str]]
) -> None:
    write_reports(workspace._store, TaskContext())
    assert not [key for key, report in reports(workspace).items() if json.loads(report)["stale"]]


def test_a_title_of_what_is_gone_is_not_kept(workspace: Workspace) -> None:
    key = rows(workspace, "SELECT max(key) FROM communities WHERE level = 2")[0][0]
    told = json.loads(reports(workspace)[key])
    with workspace._store.database.transaction() as connection:
        told["entities"].append(["gone", "Somebody Gone", "PERSON", 0.1])
        told["title"] = f"Somebody Gone and {told['title']}"
        connection.execute(
            "UPDATE community_reports SET report = ? WHERE community_key = ?", (json.dumps(told), key)
        )
    assert workspace._store.reports.intact([key]) == set()
    assert workspace._store.reports.cut([key]) == set()
    assert "Somebody Gone" in reports(workspace)[key]  # it is to be told anew
