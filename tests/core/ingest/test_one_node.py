"""One thing, one node, through a whole run: names in mail, minutes and chats, and what is left for the review desk."""

from __future__ import annotations

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

TEXTS = {
    "1 letter.txt": "Dear Ms Fahrland,\n\nMr Torben Quist sold the boat to Edda Fahrland in 2019. Edda Fahrland paid.",
    "2 note.txt": "Ms Fahrland wrote to Mr Quist about the boat. She signed for Corvel Trading Ltd.",
    "3 minutes.txt": "The Harbour Safety Panel (HSP) met in Varn. The HSP heard Mr Quist. Torben Quist left early.",
    "4 firms.txt": "Corvel Trading bought the mill in 2020. Corvel Trading Ltd. paid for the mill in 2021.",
    "5 people.txt": "Mrs Tarrow married Otto Tarrow in Varn in 1990. Mr Tarrow sold the mill. Otto Tarrow died.",
    "6 chat.txt": (
        "[14:04] <obrandt> Hello all, who is here today?\n"
        "[14:05] <lqs> Lotte Quarles, Harbour Office, Varn\n[14:06] <obrandt> Otto Brandt, Varn\n"
        "[14:07] <lqs> I sold the boat.\n[14:08] <obrandt> Lotte, when did you sell the boat?\n"
    ),
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Workspace:
    folder = tmp_path_factory.mktemp("papers")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    opened = Workspace.open(tmp_path_factory.mktemp("w") / "workspace", create=True, models=models)
    opened.index(folder, TaskContext())
    return opened


def names(workspace: Workspace, name: str) -> set[str]:
    """Every name of the node that goes by this one, or has it among its other names."""
    found = workspace.names.id_of(name)
    merged = {one for merge in workspace.names.merges_of(found) for one in (merge.one, merge.other)}
    return merged | {workspace.graph.entity(found).name}


def test_people_are_one_by_title_and_surname_across_documents(workspace: Workspace) -> None:
    assert {"Edda Fahrland", "Ms Fahrland"} <= names(workspace, "Edda Fahrland")
    assert {"Torben Quist", "Mr Quist", "Mr Torben Quist"} <= names(workspace, "Torben Quist")


def test_man_and_wife_stay_two(workspace: Workspace) -> None:
    assert "Mrs Tarrow" not in names(workspace, "Otto Tarrow")
    assert names(workspace, "Mrs Tarrow") == {"Mrs Tarrow"}


def test_short_forms_that_are_introduced_and_legal_forms(workspace: Workspace) -> None:
    assert {"Harbour Safety Panel", "HSP"} <= names(workspace, "Harbour Safety Panel")
    assert "Corvel Trading" in names(workspace, "Corvel Trading Ltd")


def test_a_speaker_is_who_the_speaker_says(workspace: Workspace) -> None:
    assert {"Lotte Quarles", "lqs"} <= names(workspace, "Lotte Quarles")
    assert {"Otto Brandt", "obrandt"} <= names(workspace, "Otto Brandt")


def test_the_review_desk_is_asked_nothing_that_is_sure_or_absurd(workspace: Workspace) -> None:
    asked = {frozenset((pair.one, pair.other)) for pair in workspace.names.suggestions()}
    sure = frozenset(("Torben Quist", "Mr Torben Quist"))
    couple = frozenset(("Mrs Tarrow", "Otto Tarrow"))
    assert not {sure, couple} & asked
