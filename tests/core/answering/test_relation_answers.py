"""How names are related: the paths and the sentences that tell it, and that nothing does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from core.answering.models import Models
from core.answering.relation_answers import RelationKind, relates, relation_kind
from core.extraction.question import parse_question
from core.models.spacy_model import load
from core.progress import TaskContext
from core.types import Answer, Scope
from core.workspace import Workspace
from tests.conftest import indexed_once, written

CONNECTION, BETWEEN = RelationKind.CONNECTION, RelationKind.BETWEEN
RELATIONS = {
    "What is the relationship between Tobias Renwick and Astrid Brandvold?": CONNECTION,
    "How is Tobias Renwick connected with Calder Reach Trading?": CONNECTION,
    "What has Pilar Arocena to do with the Grey Petrel?": CONNECTION,
    "What do Lucian Dragomir and Tobias Renwick have in common?": CONNECTION,
    "Are Tobias Renwick and Lucian Dragomir related?": CONNECTION,
    "Tobias Renwick and Calder Reach Trading": CONNECTION,
    "What links Tobias Renwick, Lucian Dragomir and the lost containers?": CONNECTION,
    "In what way are Tobias Renwick and Lucian Dragomir in contact?": CONNECTION,
    "I would like to understand what joins Tobias Renwick and Lucian Dragomir": CONNECTION,
    "Who or what connects Tobias Renwick with the coaster Lady Beatriz?": BETWEEN,
    "Who stands between Tobias Renwick and Lucian Dragomir?": BETWEEN,
    "Who deals with both Calder Reach Trading and Oriel Nominees?": BETWEEN,
    "Which company connects Tobias Renwick with Lucian Dragomir?": BETWEEN,
}
OTHERS = (
    "Who arrested Tobias Renwick at Funchal?",
    "When was the connection between Dover and Calais opened?",
    "What is the difference between Tobias Renwick and Lucian Dragomir?",
    "What does Tobias Renwick know about Lucian Dragomir?",
    "Was Tobias Renwick convicted with Lucian Dragomir?",
    "Which was founded first, Brandvold Lines or Tamarin Coasters?",
    "How many ships link Dover and Calais?",
    "What is the relationship of the company?",
    "Did Tobias Renwick meet Lucian Dragomir?",
    "Combien d’hommes formaient l’équipage de John Bunsby et de Passepartout ?",
)


@pytest.mark.parametrize("question", RELATIONS)
def test_questions_for_a_relation(question: str) -> None:
    found = relation_kind(parse_question(question, load()))
    assert found is RELATIONS[question]


@pytest.mark.parametrize("question", OTHERS)
def test_other_questions(question: str) -> None:
    assert relation_kind(parse_question(question, load())) is None


FOLDER = {
    "owner.txt": "Ada Moe owns Falk Shipping. The office of Falk Shipping is in Bergen.",
    "charter.txt": "Falk Shipping chartered the Grey Heron. The Grey Heron left Bergen on 4 May 2019.",
    "crew.txt": "Nils Berg commanded the Grey Heron. He is an old man.",
    "museum.txt": "Olga Ruud directs the Hamar Museum. The Hamar Museum was opened on 4 May 2019.",
}


@pytest.fixture(scope="module")
def port(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    path = indexed_once(
        tmp_path_factory, "relations", models, lambda place: written(place / "papers", FOLDER)
    )
    with Workspace.open(path, models=models) as opened:
        yield opened


def ask(workspace: Workspace, question: str) -> Answer:
    return workspace.ask(question, TaskContext())


def test_a_fact_between_both_names_is_the_answer(port: Workspace) -> None:
    answer = ask(port, "What is the relationship between Ada Moe and Falk Shipping?")
    assert not answer.guess
    assert answer.text == "Ada Moe owns Falk Shipping"
    assert answer.citations[0].quote == "Ada Moe owns Falk Shipping."
    assert [claim.text for claim in answer.claims] == list(answer.sentences)


def test_a_path_past_others_is_possible_and_each_fact_has_its_sentence(port: Workspace) -> None:
    answer = ask(port, "How are Ada Moe and Nils Berg connected?")
    assert answer.guess
    (path,) = answer.paths
    assert [step.predicate for step in path.steps] == ["owns", "chartered", "commanded"]
    assert [citation.document for citation in answer.citations] == ["owner.txt", "charter.txt", "crew.txt"]
    for step, ends in zip(path.steps, pairwise(path.entity_ids), strict=True):
        assert {step.subject_id, step.object_id} == set(ends)


def test_who_stands_between_is_named(port: Workspace) -> None:
    answer = ask(port, "Who stands between Ada Moe and the Grey Heron?")
    assert answer.text.startswith("Falk Shipping: Ada Moe owns Falk Shipping")


def test_paths_are_ranked_by_what_they_tell(port: Workspace) -> None:
    ends = (port.names.id_of(name) for name in ("Ada Moe", "Grey Heron"))
    found = port.graph.paths_between(*ends).paths
    worths = [path.worth for path in found]
    assert worths == sorted(worths, reverse=True)
    assert 0 < worths[-1] <= worths[0] < 1
    assert [step.predicate for step in found[0].steps] == ["owns", "chartered"]


def test_a_day_joins_nobody_and_the_refusal_tells_what_is_known_of_each(port: Workspace) -> None:
    answer = ask(port, "Is there a connection between Olga Ruud and Nils Berg?")
    assert answer.abstained
    assert not answer.citations
    assert "Olga Ruud directs Hamar Museum" in answer.missing
    assert "Nils Berg commanded Grey Heron" in answer.missing


@pytest.mark.long
def test_a_name_that_no_document_holds_is_no_end_of_a_path(port: Workspace) -> None:
    answer = ask(port, "How is Ada Moe connected with Ottoline Vane?")
    assert answer.abstained
    assert not answer.paths


def test_a_person_is_found_by_a_surname_that_nobody_else_bears(
    models: Models, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = {
        "one.txt": "Nils Berg commanded the Grey Heron. Kari Dahl keeps the books of the yard.",
        "two.txt": "Ms Dahl wrote to Nils Berg about the rudder of the ship.",
        "three.txt": "Ada Moe lives in Hamar. Her cousin Olga Moe lives in Oslo.",
        "four.txt": "Ms Moe wrote to Nils Berg about the garden.",
    }
    path = indexed_once(tmp_path_factory, "surnames", models, lambda place: written(place / "papers", folder))
    with Workspace.open(path, models=models) as opened:
        found = ask(opened, "How is Kari Dahl connected with Nils Berg?")
        assert "Ms Dahl wrote to Nils Berg" in found.sentences[0]
        other = ask(opened, "How is Ada Moe connected with Nils Berg?")
        assert not any("Ms Moe wrote" in sentence for sentence in other.sentences), "one of two"


def test_members_of_a_list_are_not_related_by_it(models: Models) -> None:
    parse, names = models.parse, ("Ada Moe", "Nils Berg")
    assert not relates(parse("We wrote to many people, such as Ada Moe, the mayor, and Nils Berg."), names)
    assert not relates(parse("Present were Ada Moe, Ole Lund and Nils Berg."), names)
    assert relates(parse("Ada Moe hired Nils Berg."), names)
    assert relates(parse("Ada Moe is the daughter of Nils Berg."), names)


def test_the_scope_bounds_the_paths(port: Workspace) -> None:
    documents = tuple(row.id for row in port.documents.all() if row.path != "charter.txt")
    question = "How are Ada Moe and Nils Berg connected?"
    assert port.ask(question, TaskContext(), scope=Scope(documents=documents)).abstained


def test_a_chosen_route_asks_the_passages(port: Workspace) -> None:
    question = "How is Ada Moe connected with Falk Shipping?"
    assert not port.ask(question, TaskContext(), route="dense").paths
