"""What a person says of a document's encoding and date outlives indexing; its dates are what it means by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput
from core.progress import TaskContext
from core.retrieval.timeline import passages_between
from core.types import Scope
from core.workspace import Workspace

LINE = "Frau Häußler überwies die Miete für März nach Mühlhausen."
FILES = {
    "old.txt": LINE.encode("cp850"),
    "day.txt": b"Ruth Dahl met Jon Lie on 17/06/2020. Ida Moe paid Ole Vik on 05/06/2020.",
    "month.txt": b"Ruth Dahl met Jon Lie on 06/17/2020. Per Lund paid Siv Aas on 05/06/2020.",
    "unsure.txt": b"Tor Eide paid Kari Lom on 05/06/2020.",
    "german.txt": "Am 21. Februar 2013 verkaufte Frau Häußler die alte Mühle an Karl Voss in Köln.".encode(),
    "never.txt": b"Greta Lund lives in Bergen.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name, data in FILES.items():
        (papers / name).write_bytes(data)
    return papers


@pytest.fixture
def opened(folder: Path, tmp_path: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w", create=True, models=models) as workspace:
        workspace.index(folder, TaskContext())
        yield workspace


def dated(workspace: Workspace, since: str, until: str) -> set[str]:
    keys = passages_between(workspace._store, since, until)
    paths = workspace._store.passages.by_keys(keys.tolist())
    return {stored.path for stored in paths}


def id_of(workspace: Workspace, path: str) -> str:
    return workspace.documents.find([path])[0].id


@pytest.mark.long
def test_a_scope_by_time_knows_the_day_that_each_document_means(opened: Workspace) -> None:
    assert dated(opened, "2020-06-05", "2020-06-05") == {"day.txt", "unsure.txt"}
    assert dated(opened, "2020-05-06", "2020-05-06") == {"month.txt", "unsure.txt"}
    assert dated(opened, "2020-01-01", "2020-01-31") == {"unsure.txt"}  # of the year, as no day is sure
    assert dated(opened, "2013-02-21", "2013-02-21") == {"german.txt"}
    names = {
        opened.graph.entity(id).name for id in opened.timeline.inside("2020-06-05", "2020-06-05").entity_ids
    }
    assert {"Ida Moe", "Ole Vik"} <= names and not names & {"Per Lund", "Siv Aas"}
    answer = opened.ask("Who paid Ole Vik?", context=TaskContext(), scope=Scope(since="2020"))
    assert answer.trace.coverage is not None
    assert "without 2 documents that have no date" in answer.trace.coverage.parts[-1].name


@pytest.mark.long
def test_choices_outlive_indexing_moves_and_are_taken_back(opened: Workspace, folder: Path) -> None:
    documents = opened.documents
    old, never = id_of(opened, "old.txt"), id_of(opened, "never.txt")
    assert [notice.detail for notice in documents.notices([old])[old]] == ["cp850"]
    assert documents.encodings(old)[0] == ("cp850", LINE)
    assert documents.choose([old], "encoding", "CP437") == 1
    assert documents.choose([old], "encoding", "cp437") == 0
    assert documents.choose([never], "date", "4 May 2011") == 1
    assert dated(opened, "2011-05-04", "2011-05-04") == {"never.txt"}  # at once
    opened.index(folder, TaskContext())
    assert documents.text(old) == LINE and documents.notices([old]) == {}
    (folder / "never.txt").rename(folder / "once.txt")
    (folder / "old.txt").write_bytes(FILES["old.txt"] + b"\nMore.")
    opened.index(folder, TaskContext())
    once = id_of(opened, "once.txt")
    assert documents.choices([old, once]) == {old: {"encoding": "cp437"}, once: {"date": "2011-05-04"}}
    assert documents.get(once).date == "2011-05-04"
    documents.choose([old], "encoding", "")
    documents.choose([once], "date", "")
    opened.index(folder, TaskContext())
    assert documents.get(once).date is None and documents.choices([old, once]) == {}
    assert [notice.detail for notice in documents.notices([old])[old]] == ["cp850"]


@pytest.mark.parametrize(
    ("name", "value"), [("encoding", "base64"), ("date", "soon"), ("date", "2021-02-30"), ("title", "Mill")]
)
def test_what_cannot_be_chosen_is_refused(tmp_path: Path, models: Models, name: str, value: str) -> None:
    with Workspace.open(tmp_path / "w", create=True, models=models) as empty, pytest.raises(BadInput):
        empty.documents.choose([], name, value)


@pytest.mark.long
def test_the_command_chooses_for_what_matches(
    opened: Workspace, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened.close()
    command = ["documents", str(tmp_path / "w")]
    assert main([*command, "never", "--set", "date=2011", "--set", "encoding=cp1250", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["documents"]
    assert (row["path"], row["date"]) == ("never.txt", "2011")
    assert row["chosen"] == {"date": "2011", "encoding": "cp1250"}
    for wrong in (["--set", "date=2011"], ["nowhere", "--set", "date=2011"], ["never", "--set", "date"]):
        assert main([*command, *wrong]) != 0
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
