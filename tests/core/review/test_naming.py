"""Entities are renamed, retyped, merged and split by acts that are seen beforehand, outlive indexing and are undone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput
from core.progress import TaskContext
from core.types import NAME_CHANGES, NameChange
from core.types.kinds import SENSE, stable_id
from core.workspace import Workspace
from tests.conftest import NAMES, copied
from tests.core.review.conftest import broken

TEXTS = NAMES
RENWICK, HOLM, CALDER = "tobias renwick", "ines holm", "calder reach trading"


@pytest.fixture
def workspace(tmp_path: Path, names_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(copied(names_path, tmp_path / "workspace"), models=models)
    opened.review.settle(TaskContext())
    yield opened
    opened.close()


def entity(normal: str) -> str:
    return stable_id("entity", normal)


def listed(workspace: Workspace) -> dict[str, tuple[str, int]]:
    """Label and number of passages by name."""
    return {found.name: (found.label, found.passages) for found in workspace.graph.entities()}


def facts(workspace: Workspace, normal: str) -> set[tuple[str, str]]:
    return {(fact.subject, fact.object) for fact in workspace.graph.facts_of(entity(normal))}


def sound(workspace: Workspace) -> bool:
    return not broken(workspace)


def in_document(workspace: Workspace, normal: str, path: str) -> tuple[str, ...]:
    """Ids of the passages of a document that mention a name."""
    document = next(found for found in workspace.documents.all() if found.path == path)
    own = {mention.passage_id for mention in workspace.documents.mentions(document.id)}
    return tuple(id for id in workspace.names.passages_of(entity(normal)) if id in own)


def possible(workspace: Workspace, kind: str) -> NameChange:
    """A change of a kind that can be made in this workspace."""
    one, other = entity(RENWICK), entity(HOLM)
    if kind in ("merge", "part"):
        return NameChange(kind, (one, other))
    if kind == "split":
        return NameChange(kind, (one,), "the cook", in_document(workspace, RENWICK, "c.txt"))
    return NameChange(kind, (one,), {"rename": "The Founder", "retype": "ORG", "alias": "Old Toby"}[kind])


@pytest.mark.parametrize("kind", NAME_CHANGES)
def test_a_preview_comes_about_and_is_undone(kind: str, workspace: Workspace) -> None:
    digest, before = workspace.status().digest, listed(workspace)
    change = possible(workspace, kind)
    preview = workspace.names.preview(change)
    assert (workspace.status().digest, workspace.review.log()) == (digest, []), "a preview changes nothing"

    workspace.names.change(change, TaskContext(), "a reason")
    expected = before.copy()
    for gone in preview.entities_before:
        del expected[gone.name]
    expected |= {new.name: (new.label, new.passages) for new in preview.entities_after}
    assert listed(workspace) == expected
    for fact in preview.facts:
        for one, there in ((fact.before, False), (fact.after, True)):
            if one is not None:
                now = {(f.subject, f.predicate, f.object) for f in workspace.graph.facts_of(one.subject_id)}
                assert ((one.subject, one.predicate, one.object) in now) is there
    assert sound(workspace)
    act = workspace.review.log()[0]
    assert (act.verb, act.why) == (kind, "a reason")

    workspace.review.undo()
    workspace.review.settle(TaskContext())
    assert (workspace.status().digest, listed(workspace)) == (digest, before)
    assert sound(workspace)
    workspace.review.redo()
    workspace.review.settle(TaskContext())
    assert listed(workspace) == expected


def test_decisions_outlive_indexing_and_moving(workspace: Workspace, folder: Path) -> None:
    digest = workspace.status().digest
    for kind in ("split", "rename", "retype"):
        workspace.names.change(possible(workspace, kind), TaskContext())
    cook = "Tobias Renwick (the cook)"
    assert {"The Founder", cook} <= listed(workspace).keys()
    # Another name of the entity stands more often now, and would be the one it goes by.
    (folder / "d.txt").write_text(
        "Tobias J. Renwick met Tobias J. Renwick. Tobias J. Renwick slept.", encoding="utf-8"
    )
    (folder / "c.txt").rename(folder / "moved.txt")
    (folder / "a.txt").write_text(NAMES["a.txt"] + " It rained.", encoding="utf-8")
    workspace.index(folder, TaskContext())
    found = listed(workspace)
    assert found["The Founder"] == ("ORG", 2) and found[cook][1] == 1
    assert facts(workspace, f"{RENWICK}{SENSE}the cook") == {(cook, "Ines Holm")}
    assert sound(workspace)

    (folder / "d.txt").unlink()
    (folder / "moved.txt").rename(folder / "c.txt")
    (folder / "a.txt").write_text(NAMES["a.txt"], encoding="utf-8")
    workspace.index(folder, TaskContext())
    for _ in range(3):
        workspace.review.undo()
    workspace.review.settle(TaskContext())
    assert workspace.status().digest == digest


@pytest.mark.long
def test_an_entity_is_found_by_a_name_that_no_document_holds(workspace: Workspace, folder: Path) -> None:
    workspace.names.add_alias(entity(RENWICK), "Old Toby", TaskContext())
    workspace.names.rename(entity(CALDER), "The Limassol Firm", TaskContext())
    assert workspace.names.aliases_of(entity(RENWICK)) == ["old toby"]
    assert workspace.names.id_of("old Toby") == entity(RENWICK)
    for text, found in (("old tob", RENWICK), ("limassol firm", CALDER)):
        assert [r.id for r in workspace.search(text) if r.kind == "entity"][:1] == [entity(found)]
    for question, found in (
        ("Whom did Old Toby hire?", RENWICK),
        ("What does The Limassol Firm own?", CALDER),
    ):
        answer = workspace.ask(question, TaskContext(), route="graph")
        assert entity(found) in {seed.entity_id for seed in answer.trace.seeds}

    (folder / "d.txt").write_text("Old Toby lives in Antwerp with Ines Holm.", encoding="utf-8")
    workspace.index(folder, TaskContext())
    workspace.names.merge([entity(RENWICK), entity("old toby")], TaskContext())
    assert workspace.graph.entity(entity("old toby")).id == entity(RENWICK)
    assert workspace.names.aliases_of(entity(RENWICK)) == []


HOSTILE = [
    *(("rename", value) for value in ("", "...", "x" * 10_000, "a\x00b", "in\u202efdp", "\u200e")),
    ("alias", "a\x1b[31m"),
    ("split", f"x{SENSE}y"),
    ("split", "=ines holm"),
    ("retype", "QUEEN"),
    ("crown", "x"),
]


def test_hostile_values_are_refused_with_a_remedy(workspace: Workspace) -> None:
    digest, passages = workspace.status().digest, in_document(workspace, RENWICK, "c.txt")
    for kind, value in HOSTILE:
        change = NameChange(kind, (entity(RENWICK),), value, passages)
        for do in (workspace.names.preview, lambda change: workspace.names.change(change, TaskContext())):
            with pytest.raises(BadInput) as refused:
                do(change)
            assert refused.value.remedy and str(refused.value).isprintable()
    assert (workspace.status().digest, workspace.review.log()) == (digest, [])


ALL_OF_IT = {
    "split": "tobias renwick → the cook",
    "rename": "Tobias J. Renwick → The Founder",
    "retype": "ines holm → ORG",
    "alias": "ines holm / captain",
    "part": "tobias renwick / northern gannet",
}


@pytest.mark.parametrize(
    ("gone", "verbs"),
    [(["a.txt", "c.txt"], {"split", "rename", "part"}), (["a.txt", "b.txt", "c.txt"], set(ALL_OF_IT))],
)
def test_decisions_on_what_is_gone_are_listed_and_hold_again_when_it_is_back(
    gone: list[str], verbs: set[str], workspace: Workspace, folder: Path
) -> None:
    (folder / "d.txt").write_text("It rained in Riga.", encoding="utf-8")
    workspace.index(folder, TaskContext())
    workspace.names.change(possible(workspace, "split"), TaskContext())
    workspace.names.rename(entity(RENWICK), "The Founder", TaskContext())
    workspace.names.retype(entity(HOLM), "ORG", TaskContext())
    workspace.names.add_alias(entity(HOLM), "The Captain", TaskContext())
    workspace.names.change(NameChange("part", (entity(RENWICK), entity("northern gannet"))), TaskContext())
    digest, before = workspace.status().digest, listed(workspace)
    assert workspace.review.without_subject() == []

    for name in gone:
        (folder / name).unlink()
    workspace.index(folder, TaskContext())
    homeless = {act.verb: words for act, words in workspace.review.without_subject()}
    assert homeless == {verb: ALL_OF_IT[verb] for verb in verbs}
    assert sound(workspace)
    workspace.names.rename(entity("riga"), "Rīga", TaskContext())
    workspace.review.undo()

    for name in gone:
        (folder / name).write_text(NAMES[name], encoding="utf-8")
    workspace.index(folder, TaskContext())
    assert (workspace.status().digest, listed(workspace)) == (digest, before)
    assert workspace.review.without_subject() == [] and sound(workspace)


DECIDED = "decisions on names"
DAMAGES = [
    ("DELETE FROM entity_overrides", {DECIDED}),
    (
        "UPDATE entities SET name = 'Nobody' WHERE normal IN"
        " (SELECT normal FROM entity_overrides WHERE field = 'name')",
        {DECIDED, "vectors"},
    ),
    ("UPDATE split_mentions SET sense = 'the baker'", {DECIDED}),
    ("DELETE FROM passage_senses", {DECIDED, "names"}),
]


def test_what_contradicts_the_log_is_found_and_repaired(workspace: Workspace, folder: Path) -> None:
    workspace.names.rename(entity(CALDER), "The Firm", TaskContext())
    workspace.names.retype(entity(HOLM), "ORG", TaskContext())
    workspace.names.change(possible(workspace, "split"), TaskContext())
    workspace.index(folder, TaskContext())
    digest, before = workspace.status().digest, listed(workspace)
    for damage, expected in DAMAGES:
        with closing(sqlite3.connect(workspace.path / "clew.db", isolation_level=None)) as connection:
            connection.execute(damage)
            for marks in ("touched_entities", "touched_facts", "names_to_link"):
                connection.execute(f"DELETE FROM {marks}")
        assert broken(workspace).keys() == expected
        checks = workspace.verify(TaskContext(), repair=True)
        assert {check.name for check in checks if check.repaired} == expected
        workspace.index(folder, TaskContext())
        assert (broken(workspace), workspace.status().digest, listed(workspace)) == ({}, digest, before)


def test_two_logs_are_joined_and_where_they_differ_neither_counts(
    workspace: Workspace, names_path: Path, tmp_path: Path, models: Models
) -> None:
    with Workspace.open(copied(names_path, tmp_path / "other"), models=models) as other:
        other.names.rename(entity(RENWICK), "The Owner", TaskContext())
        other.names.change(possible(other, "split"), TaskContext())
        other.names.retype(entity(HOLM), "ORG", TaskContext())
        other.review.export_log(tmp_path / "log.json", TaskContext())
    workspace.names.rename(entity(RENWICK), "The Founder", TaskContext())
    news, disputed = workspace.review.replay(tmp_path / "log.json")
    workspace.review.settle(TaskContext())
    assert (news, disputed) == (4, 1)
    found = listed(workspace)
    assert not {"The Founder", "The Owner"} & found.keys()
    assert "Tobias Renwick (the cook)" in found and found["Ines Holm"][0] == "ORG"
    assert sound(workspace)
    workspace.names.rename(entity(RENWICK), "The Owner", TaskContext())
    assert "The Owner" in listed(workspace), "who saw both settles it"


IMPOSSIBLE = [
    ("entity-name ", "x"),
    ("entity-name x", "a\x00"),
    ("entity-type x", "QUEEN"),
    ("mention nonsense", "x"),
    ('mention ["a", "b"]', "x"),
    ('mention ["a","b"]', "=x"),
]


def test_a_log_of_impossible_decisions_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    workspace.names.rename(entity(RENWICK), "The Owner", TaskContext())
    workspace.review.export_log(tmp_path / "log.json", TaskContext())
    log = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))
    for subject, outcome in IMPOSSIBLE:
        log["acts"][0]["items"][0] |= {"subject": subject, "outcome": outcome}
        (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")
        with pytest.raises(BadInput, match="does not know"):
            workspace.review.replay(tmp_path / "log.json")


def test_suggestions_give_their_reason_and_end_with_a_decision(
    folder: Path, tmp_path: Path, models: Models
) -> None:
    (folder / "a.txt").write_text(
        "Jane Smithson met John Smithson in Bergen. J. Smithson signed the charter.", encoding="utf-8"
    )
    with Workspace.open(tmp_path / "smithsons", create=True, models=models) as opened:
        opened.index(folder, TaskContext())
        doubtful = [found for found in opened.names.suggestions() if found.rule == "initials"]
        assert {(found.one, found.other) for found in doubtful} == {
            ("Jane Smithson", "J. Smithson"),
            ("John Smithson", "J. Smithson"),
        }
        assert all("first names that fit" in found.reason for found in doubtful)
        opened.names.merge([doubtful[0].one_id, doubtful[0].other_id], TaskContext())
        left = {(found.one_id, found.other_id) for found in opened.names.suggestions()}
        assert (doubtful[0].one_id, doubtful[0].other_id) not in left


def test_names_are_changed_from_the_command_line(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(workspace.path)

    def output(verb: str, *words: str, code: int = 0) -> str:
        assert main(["names", verb, place, *words]) == code
        captured = capsys.readouterr()
        return captured.out + captured.err

    assert "+ The Founder" in output("rename", "Tobias Renwick", "The Founder", "--preview")
    assert "The Founder" not in listed(workspace)
    assert output("rename", "Tobias Renwick", "The Founder").startswith("The Founder (person")
    assert "organisation" in output("retype", "Ines Holm", "ORG")
    assert "also toby" in output("alias", "Tobias Renwick", "Toby")
    passages = json.loads(output("show", "The Founder", "--passages", "--json"))["passages"]
    split = ["Tobias Renwick", passages[-1]["id"], "--as", "the cook"]
    assert "(the cook)" in output("split", *split, "--preview")
    assert output("split", *split).startswith("The Founder")
    assert "Tobias Renwick (the cook)" in listed(workspace)
    assert json.loads(output("join", "Bergen", "Limassol", "--json"))["merges"]
    for verb, *words in (["show"], ["show", "Bergen", "--preview"], ["split", "Bergen", "x"]):
        assert "Error" in output(verb, *words, code=2)
