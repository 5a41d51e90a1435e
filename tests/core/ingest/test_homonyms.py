"""Two bearers of one name are two entities, and become one again when what told them apart goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.identity import stable_id, with_sense
from core.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

OLD = "Pieter Maas was born on 3 May 1961. Pieter Maas founded Brandvold Lines in Bergen."
YOUNG = "Pieter Maas was born on 9 June 1984. Pieter Maas works for Calder Reach Trading."
SILENT = "Ines Holm wrote to Pieter Maas about Calder Reach Trading."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "papers"
    place.mkdir()
    for name, text in (("old.txt", OLD), ("young.txt", YOUNG), ("silent.txt", SILENT)):
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def workspace(tmp_path: Path, folder: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    opened.index(folder, TaskContext())
    yield opened
    opened.close()


def bearers(workspace: Workspace, name: str) -> list[str]:
    return sorted(found.name for found in workspace.graph.entities() if found.name.startswith(name))


def test_two_people_of_one_name_are_two_entities(workspace: Workspace) -> None:
    assert bearers(workspace, "Pieter Maas") == [
        "Pieter Maas",
        "Pieter Maas (born 1961)",
        "Pieter Maas (born 1984)",
    ]
    old = stable_id("entity", with_sense("pieter maas", "born 1961"))
    assert {fact.object for fact in workspace.graph.facts_of(old)} >= {"Brandvold Lines"}
    assert "Calder Reach Trading" not in {fact.object for fact in workspace.graph.facts_of(old)}
    assert all(check.ok for check in workspace.verify(TaskContext()))


def test_a_question_by_the_name_starts_from_every_bearer(workspace: Workspace) -> None:
    answer = workspace.ask("What did Pieter Maas found?", TaskContext(), route="graph")
    seeds = {seed.entity_id for seed in answer.trace.seeds}
    assert {stable_id("entity", with_sense("pieter maas", f"born {year}")) for year in (1961, 1984)} <= seeds


@pytest.mark.parametrize("change", ["deleted", "corrected"])
def test_what_told_them_apart_is_gone(workspace: Workspace, folder: Path, change: str) -> None:
    if change == "deleted":
        (folder / "young.txt").unlink()
    else:
        (folder / "young.txt").write_text(YOUNG.replace("9 June 1984", "3 May 1961"), encoding="utf-8")
    workspace.index(folder, TaskContext())
    assert bearers(workspace, "Pieter Maas") == ["Pieter Maas"]
    assert all(check.ok for check in workspace.verify(TaskContext()))


@pytest.mark.long
def test_a_surname_belongs_to_another_in_another_document(tmp_path: Path, models: Models) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    for number, name in enumerate(("Anna Holm", "Tobias Holm")):
        filling = "Grain prices rose, and nobody knew why they did so in a year of such rain. " * 30
        text = f"{name} commands the Northern Gannet. {filling}The harbour master met Mr Holm in Bergen.\n"
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    opened.index(folder, TaskContext())
    merges = opened.names.merges_of(stable_id("entity", "tobias holm"))
    assert [(merge.rule, merge.reason) for merge in merges] == [
        ("surname", "no other of that name in its documents")
    ]
    assert bearers(opened, "Mr Holm") == []
    (merge,) = merges
    opened.names.decide(merge.one_id, merge.other_id, "different", TaskContext())
    assert bearers(opened, "Mr Holm") == ["Mr Holm"]
    assert all(check.ok for check in opened.verify(TaskContext()))
    opened.close()
