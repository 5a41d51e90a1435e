"""A workspace from folder to answer: what changes, what stays, what an interruption leaves."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.answering.comprehension import Comprehension, Understood
from core.answering.models import Models
from core.progress import Progress, TaskContext
from core.types import Answer, Growth
from core.workspace import Workspace
from tests.conftest import written

A = "Marta Ilves founded Ilves Shipping in Tallinn in 1998. Ilves Shipping owns the vessel Northern Star.\n"
B = "The Northern Star was built in Gdansk in 1985. Captain Otto Kask commands the Northern Star.\n"
C = "Otto Kask was born in Parnu. He joined Ilves Shipping in 2003.\n"
TEXTS = {"a.txt": A, "b.txt": B, "c.txt": C}


@pytest.fixture
def workspace(tmp_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[Workspace]:
    """A workspace of TEXTS. For reading and asking only."""
    place = tmp_path_factory.mktemp("indexed")
    opened = Workspace.open(place / "workspace", create=True, models=models)
    opened.index(written(place / "papers", TEXTS), TaskContext())
    yield opened
    opened.close()


def test_growth_tells_every_node_once(workspace: Workspace, folder: Path) -> None:
    reported: list[Growth] = []
    workspace.index(folder, TaskContext(), reported.append)
    nodes = [node[0] for growth in reported for node in growth.nodes]
    # Names are told as they are read, and found to be one entity at the end; values and mere words are not shown.
    assert len(nodes) == len(set(nodes)) and set(nodes) >= set(workspace.graph.view().ids)
    known: set[str] = set()
    for growth in reported:
        known |= {node[0] for node in growth.nodes}
        assert {end for edge in growth.edges for end in edge} <= known
    assert reported[-1].communities.keys() == set(nodes)


@pytest.mark.long
def test_ask_cites_the_very_sentence(indexed: Workspace) -> None:
    answer = indexed.ask("Who commands the Northern Star?", TaskContext())
    assert not answer.abstained
    assert "Otto Kask" in answer.text
    citation = answer.citations[0]
    text = indexed.documents.text(citation.document_id)
    assert text[citation.start : citation.end] == citation.quote
    assert "commands the Northern Star" in citation.quote
    assert citation.document == "b.txt"
    assert [stage.name for stage in answer.trace.stages[-3:]] == ["answer", "explain", "checks"]
    assert [e.hit.rank for e in answer.evidence] == sorted(e.hit.rank for e in answer.evidence)


@pytest.mark.long
def test_passages_come_before_they_are_read(indexed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    understand = Comprehension.understand

    def watched(self: Comprehension, *given: Any) -> Understood:
        events.append("reading")
        return understand(self, *given)

    def on_ranked(answer: Answer) -> None:
        events.append(" ".join(each.hit.passage_id for each in answer.evidence))
        assert not answer.text and answer.trace.hits

    monkeypatch.setattr(Comprehension, "understand", watched)
    answer = indexed.ask("Who commands the Northern Star?", TaskContext(), on_ranked=on_ranked)
    ranked = sorted(answer.evidence, key=lambda each: each.hit.rank)
    assert events[:2] == [" ".join(each.hit.passage_id for each in ranked[:5]), "reading"]


@pytest.mark.long
def test_ask_says_when_it_does_not_know(indexed: Workspace) -> None:
    answer = indexed.ask("How many employees does the Vasquez Observatory have?", TaskContext())
    assert answer.abstained
    assert "Vasquez Observatory" in answer.missing
    assert not answer.citations


def test_views_agree_with_each_other(indexed: Workspace) -> None:
    view = indexed.graph.view()
    assert len(view.ids) == len(view.names) == len(view.positions) == len(view.community)
    assert view.edges.max() < len(view.ids)
    star = next(e for e in indexed.graph.entities() if e.name == "Northern Star")
    around = indexed.graph.neighbourhood(star.id)
    assert star.id in around.ids
    assert len(around.ids) > 2
    facts = indexed.graph.facts_of(star.id)
    for fact in facts:
        assert star.id in (fact.subject_id, fact.object_id)
        assert fact.triples
        for triple in fact.triples:
            stored = indexed.passages.get(triple.passage_id).text
            assert stored[triple.start : triple.end].strip()
    members = [entity for community in indexed.graph.communities() for entity in community.entity_ids]
    assert len(members) == len(set(members))
    for mention in indexed.documents.mentions(indexed.documents.all()[0].id):
        text = indexed.documents.text(indexed.documents.all()[0].id)
        assert text[mention.start : mention.end].strip()


def test_another_version_of_the_extractor_reads_everything_again(
    workspace: Workspace, folder: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = workspace.index(folder, TaskContext())
    revision = workspace.revision
    workspace.index(folder, TaskContext())
    assert workspace.revision == revision
    monkeypatch.setattr(models.extractor("rules"), "version", "next")
    observed: list[Progress] = []
    after = workspace.index(folder, TaskContext(observed.append, interval=0.0))
    assert [p.total for p in observed if p.stage == "index"][-1] == before.passages
    assert after.digest == before.digest
    assert workspace.revision > revision


def test_models_of_its_own_end_with_a_workspace_and_lent_ones_stay(tmp_path: Path, models: Models) -> None:
    """At once: few objects hold 200 MB, so that the garbage collector would come late."""
    gc.disable()
    try:
        with Workspace.open(tmp_path / "own", create=True) as own:
            encoder = weakref.ref(own._models.encoder())
            assert encoder() is not None
        assert encoder() is None
        with Workspace.open(tmp_path / "lent", create=True, models=models):
            lent = weakref.ref(models.encoder())
        assert lent() is not None
    finally:
        gc.enable()


def test_who_answered_ends_at_once_without_the_garbage_collector(indexed: Workspace) -> None:
    """With a large workspace it holds hundreds of megabytes in few objects: the collector would come late."""
    indexed.ask("Who founded Ilves Shipping?", TaskContext())
    asker = weakref.ref(indexed.retrieval.asker())
    assert asker() is not None
    gc.disable()
    try:
        indexed.retrieval.forget_asker()
        assert asker() is None
    finally:
        gc.enable()
