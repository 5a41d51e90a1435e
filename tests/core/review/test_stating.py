"""A person puts facts right and states new ones; all of it can be undone and outlives indexing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.types import FactFilter, FactWords
from core.workspace import Workspace
from tests.conftest import NAMES, written
from tests.core.ingest.test_homonyms import OLD, SILENT, YOUNG
from tests.core.review.conftest import Settled, broken, counting, find_fact

OWNS = ("Calder Reach Trading", "owns", "Northern Gannet")
HOLM = "Ines Holm commands the Northern Gannet."


def document(workspace: Workspace, path: str) -> str:
    return next(d.id for d in workspace.documents.all() if d.path == path)


def state(workspace: Workspace, **words: str) -> str:
    """State a fact; its quote is found however its words are parted."""
    names = {"subject": "Ines Holm", "predicate": "Captain of", "object": "Harbour Master", **words}
    return workspace.review.add(document(workspace, "b.txt"), HOLM.replace(" ", "\n  "), FactWords(**names))


@pytest.mark.parametrize(
    ("words", "reverse", "expected"),
    [
        (FactWords(predicate="Buy  back"), False, (OWNS[0], "buy back", OWNS[2])),
        (FactWords(), True, (OWNS[2], "owns", OWNS[0])),
        (FactWords(object="Grey Heron", object_label="PRODUCT"), False, (OWNS[0], "owns", "Grey Heron")),
    ],
)
def test_a_fact_is_put_right(
    workspace: Workspace, settled: Settled, words: FactWords, reverse: bool, expected: tuple[str, str, str]
) -> None:
    before, begin = counting(workspace), settled()
    old = find_fact(workspace, "owns")
    act = workspace.review.edit(old.fact.id, words, reverse=reverse, why="read it again")
    assert counting(workspace) == before - {OWNS} | {expected}, "at once"
    settled()
    assert counting(workspace) == before - {OWNS} | {expected}
    (new,) = [id for id in workspace.review.fact_ids(act) if id != old.fact.id]
    found = workspace.review.fact(new)
    assert (found.state, found.proposers) == ("approved", ("person",))
    triple = found.fact.triples[0]
    text = workspace.passages.get(triple.passage_id).text
    assert "owns the Northern Gannet" in text[triple.start : triple.end]
    assert workspace.review.fact(old.fact.id).state == "rejected"
    assert [a.why for a in workspace.review.log(1)] == ["read it again"]
    workspace.review.undo()
    assert counting(workspace) == before
    assert settled() == begin
    workspace.review.redo()
    settled()
    assert expected in counting(workspace)


def test_a_new_fact_has_its_names_as_entities_in_the_passage_of_its_quote(
    workspace: Workspace, settled: Settled
) -> None:
    begin = settled()
    state(workspace, object="commands")
    settled()
    found = find_fact(workspace, "captain of")
    assert (found.fact.object, found.state, found.counts) == ("commands", "approved", True)
    entity = workspace.graph.entity(found.fact.object_id)
    assert (entity.label, entity.passages) == ("OTHER", 1)
    (mention,) = [
        m for m in workspace.documents.mentions(document(workspace, "b.txt")) if m.entity_id == entity.id
    ]
    assert NAMES["b.txt"][mention.start : mention.end] == "commands"
    workspace.review.undo()
    assert settled() == begin
    with pytest.raises(BadInput):
        workspace.graph.entity(entity.id)


def test_what_is_no_fact_of_the_document_is_refused(workspace: Workspace) -> None:
    for quote, words, match in (
        ("Ines Holm sank the Northern Gannet.", {}, "does not hold"),
        (HOLM, {"subject": "the  Harbour Master"}, "one name"),
        (HOLM, {"subject": "..."}, "name at both ends"),
        (HOLM, {"object": "x" * 121}, "name at both ends"),
        (HOLM, {"predicate": " "}, "words between"),
        ("", {}, "does not hold"),
    ):
        names = {"subject": "Ines Holm", "predicate": "serves", "object": "Harbour Master", **words}
        with pytest.raises(BadInput, match=match):
            workspace.review.add(document(workspace, "b.txt"), quote, FactWords(**names))
    assert workspace.review.log() == []


def test_two_statements_of_one_place_are_one_triple_until_both_are_undone(
    workspace: Workspace, settled: Settled
) -> None:
    begin = settled()
    one, _ = state(workspace), state(workspace)
    assert len(find_fact(workspace, "captain of").fact.triples) == 1
    workspace.review.undo(one)
    settled()
    assert len(find_fact(workspace, "captain of").fact.triples) == 1
    workspace.review.undo()
    assert settled() == begin


@pytest.mark.parametrize("change", ["other words", "other place", "extracted again"])
def test_statements_and_decisions_outlive_what_happens_to_the_document(
    workspace: Workspace, papers: Path, settled: Settled, change: str
) -> None:
    workspace.index(papers, TaskContext())
    state(workspace)
    workspace.review.decide([find_fact(workspace, "owns").fact.id], "rejected")
    if change == "other words":
        (papers / "b.txt").write_text(f"{NAMES['b.txt']} It rains in Riga.", encoding="utf-8")
    elif change == "other place":
        (papers / "b.txt").unlink()
        (papers / "all.txt").write_text(f"A page of notes.\n\n{NAMES['b.txt']}", encoding="utf-8")
    else:
        workspace._store.passages.reset("extract")
    workspace.index(papers, TaskContext())
    settled()
    assert find_fact(workspace, "captain of", "approved").fact.triples
    assert find_fact(workspace, "owns").state == "rejected"
    assert workspace.review.without_subject() == []


def test_what_finds_no_place_any_more_is_listed_and_holds_again_when_it_is_back(
    workspace: Workspace, papers: Path, settled: Settled
) -> None:
    workspace.index(papers, TaskContext())
    begin = settled()
    state(workspace)
    workspace.review.decide([find_fact(workspace, "owns").fact.id], "rejected")
    workspace.review.note("Who is this?", fact_id=find_fact(workspace, "owns").fact.id)
    one, other = workspace.names.id_of("Calder Reach Trading Ltd"), workspace.names.id_of("Ines Holm")
    workspace.names.decide(one, other, "different", TaskContext())
    with_all = settled()
    shutil.move(papers / "b.txt", papers.parent / "b.txt")
    workspace.index(papers, TaskContext())
    settled()
    assert workspace.review.queue(FactFilter("", words="captain of")) == []
    homeless = {act.verb: words for act, words in workspace.review.without_subject()}
    assert set(homeless) == {"add", "reject", "note", "different"}
    assert homeless["add"] == "Ines Holm Captain of Harbour Master"
    shutil.move(papers.parent / "b.txt", papers / "b.txt")
    workspace.index(papers, TaskContext())
    assert settled() == with_all
    assert workspace.review.without_subject() == []
    for _ in range(4):
        workspace.review.undo()
    assert settled() == begin


def test_notes_are_stored_and_undone_without_touching_what_counts(
    workspace: Workspace, settled: Settled
) -> None:
    begin, fact = settled(), find_fact(workspace, "owns").fact
    workspace.review.note(" Ask the registry. ", fact_id=fact.id)
    workspace.review.note("A firm in Limassol.", entity_id=fact.subject_id)
    assert [note.why for note in workspace.review.notes(fact_id=fact.id)] == ["Ask the registry."]
    assert [note.why for note in workspace.review.notes(entity_id=fact.subject_id)] == ["A firm in Limassol."]
    assert workspace.review.fact(fact.id).state == "open"
    assert settled() == begin
    workspace.review.undo()
    assert workspace.review.notes(entity_id=fact.subject_id) == []
    with pytest.raises(BadInput):
        workspace.review.note(" ", fact_id=fact.id)
    with pytest.raises(BadInput, match="no longer"):
        workspace.review.note("What?", fact_id="gone")
    assert broken(workspace) == {}


@pytest.mark.long
def test_a_statement_is_of_the_bearer_of_the_name_whom_its_document_means(
    tmp_path: Path, models: Models
) -> None:
    """What is stated tells no bearers apart; where they become one it finds no place, until they are two again."""
    papers = written(tmp_path / "namesakes", {"old.txt": OLD, "young.txt": YOUNG, "silent.txt": SILENT})
    with Workspace.open(tmp_path / "own", create=True, models=models) as opened:
        begin = opened.index(papers, TaskContext()).digest
        old = FactWords("Pieter Maas", "was born on", "9 June 1984")
        opened.review.add(document(opened, "old.txt"), "Pieter Maas founded Brandvold Lines", old)
        opened.review.settle(TaskContext())
        (found,) = opened.review.queue(FactFilter("approved"))
        assert found.fact.subject == "Pieter Maas (born 1961)"
        with_it = opened.status().digest
        (papers / "young.txt").unlink()
        opened.index(papers, TaskContext())
        assert broken(opened) == {}
        assert [words for _, words in opened.review.without_subject()] == [
            "Pieter Maas was born on 9 June 1984"
        ]
        (papers / "young.txt").write_text(YOUNG, encoding="utf-8")
        assert opened.index(papers, TaskContext()).digest == with_it
        opened._store.passages.reset("extract")
        assert opened.index(papers, TaskContext()).digest == with_it
        assert broken(opened) == {}
        opened.review.undo()
        opened.review.settle(TaskContext())
        assert opened.status().digest == begin
