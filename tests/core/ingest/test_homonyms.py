"""Two bearers of one name are two entities, and become one again when what told them apart goes."""

from __future__ import annotations

from pathlib import Path

from core.answering.models import Models
from core.progress import TaskContext
from core.types.kinds import stable_id, with_sense
from core.workspace import Workspace

OLD = "Pieter Maas was born on 3 May 1961. Pieter Maas founded Brandvold Lines in Bergen."
YOUNG = "Pieter Maas was born on 9 June 1984. Pieter Maas works for Calder Reach Trading."
SILENT = "Ines Holm wrote to Pieter Maas about Calder Reach Trading."


TEXTS = {"old.txt": OLD, "young.txt": YOUNG, "silent.txt": SILENT}


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
    reasons = {frozenset((pair.one, pair.other)): pair.reason for pair in workspace.names.suggestions()}
    assert reasons[frozenset(("Pieter Maas (born 1961)", "Pieter Maas (born 1984)"))] == (
        "born 1961 in some documents, born 1984 in others"
    )


def test_a_question_by_the_name_starts_from_every_bearer(workspace: Workspace) -> None:
    answer = workspace.ask("What did Pieter Maas found?", TaskContext(), route="graph")
    seeds = {seed.entity_id for seed in answer.trace.seeds}
    assert {stable_id("entity", with_sense("pieter maas", f"born {year}")) for year in (1961, 1984)} <= seeds


BEARERS = {
    # a person, a place and a ship
    "1.txt": "Marlow signed the letter and went home to his wife.",
    "2.txt": "The harbour of Marlow lies on the river Trent.",
    "3.txt": "The Marlow left port at noon with 38 crates.",
    # two people by their pronouns and firms
    "4.txt": "Kim Dae is head of Varden Bank. He founded the bank in 1999.",
    "5.txt": "Kim Dae is head of Lower Mills. She sold the mill in 2003.",
    # the same office of two firms
    "6.txt": "Orla Finch is treasurer of Teal Harbour Trust and lives in Cork.",
    "7.txt": "Orla Finch is treasurer of Skarv Lines and lives in Oslo.",
    # nothing contradicts
    "8.txt": "Rolf Amdal is a member of Skarv Lines. He joined in 2001.",
    "9.txt": "Rolf Amdal is director of Varden Bank. He left in 2011.",
    "10.txt": "The Gazette praised Rolf Amdal. Gazette readers wrote to Orla Finch.",
}


def test_bearers_of_one_name_are_apart_and_suggested_with_the_reason(tmp_path: Path, models: Models) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in BEARERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    opened.index(folder, TaskContext())
    labels = {entity.name: entity.label for entity in opened.graph.entities()}
    assert {name: label for name, label in labels.items() if name.startswith("Marlow")} == {
        "Marlow": "GPE",
        "Marlow (person)": "PERSON",
        "Marlow (thing)": "PRODUCT",
    }
    assert bearers(opened, "Kim Dae") == ["Kim Dae (Lower Mills)", "Kim Dae (Varden Bank)"]
    assert {"Orla Finch (Skarv Lines)", "Orla Finch (Teal Harbour Trust)"} <= set(
        bearers(opened, "Orla Finch")
    )
    assert bearers(opened, "Rolf Amdal") == ["Rolf Amdal"]
    reasons = {frozenset((pair.one, pair.other)): pair.reason for pair in opened.names.suggestions()}
    assert reasons[frozenset(("Marlow (person)", "Marlow (thing)"))] == (
        "a person in some documents, a thing in others"
    )
    assert reasons[frozenset(("Kim Dae (Lower Mills)", "Kim Dae (Varden Bank)"))] == (
        "Lower Mills in some documents, Varden Bank in others"
    )
    (folder / "5.txt").unlink()
    opened.index(folder, TaskContext())
    assert bearers(opened, "Kim Dae") == ["Kim Dae"]
    assert all(check.ok for check in opened.verify(TaskContext()))
    opened.close()


FILES = {
    "Quarry.txt": "Quarry Hill School was bought by Rolf Amdal in 2019.",
    "b.txt": "BRANNOCK works with Teal Lines.",
    "Ines Krog.md": "The mayor praised Krog in 2011. She was born in Bergen.",
    "Petrel House.txt": "Petrel House\n\nPetrel House was sold by Else Nord in 2012.",
}


def test_a_files_name_is_no_entity(tmp_path: Path, models: Models) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    opened.index(folder, TaskContext())
    names = {entity.name for entity in opened.graph.entities()}
    assert not names & {"Quarry", "B", "Ines Krog"}
    assert {"Quarry Hill School", "BRANNOCK", "Petrel House"} <= names
    facts = {(f.subject, f.predicate) for e in opened.graph.entities() for f in opened.graph.facts_of(e.id)}
    assert {("Quarry Hill School", "bought by"), ("Petrel House", "sold by")} <= facts
    assert not any(predicate == "also known as" for _, predicate in facts)
    opened.close()
