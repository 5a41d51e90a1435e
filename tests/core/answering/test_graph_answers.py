"""What the graph answers by itself: ends of facts, chains, lists and counts; and what becomes of the reader's words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.answering.graph_answers import ALONE, GraphAnswer, join_graph_answer
from core.answering.models import Models
from core.answering.passage_reader import read_candidates
from core.progress import TaskContext
from core.types import Answer, Complexity, FactPath, Hit, Route, Trace
from core.workspace import Workspace
from tests.conftest import indexed_once, written

FOLDER = {
    "owner.txt": "Ada Moe owns Falk Shipping. The office of Falk Shipping is in Bergen.",
    "charter.txt": "Falk Shipping chartered the Grey Heron. The Grey Heron left Bergen on 4 May 2019.",
    "second.txt": "Falk Shipping also chartered the White Tern. The White Tern is a tanker.",
    "crew.txt": "Nils Berg commanded the Grey Heron. He is an old man.",
}


@pytest.fixture(scope="module")
def port(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    path = indexed_once(
        tmp_path_factory, "graph-answers", models, lambda place: written(place / "papers", FOLDER)
    )
    with Workspace.open(path, models=models) as opened:
        yield opened


def find(workspace: Workspace, question: str) -> GraphAnswer | None:
    asker = workspace.retrieval.asker()
    return asker.graph.find(asker.rankings.analyse(question), TaskContext())


def test_the_end_of_a_fact_that_tells_what_is_asked(port: Workspace) -> None:
    found = find(port, "Who commanded the Grey Heron?")
    assert found is not None
    assert found.names == ("Nils Berg",)
    assert not found.is_chain
    (path,) = found.paths
    assert [(step.subject, step.predicate, step.object) for step in path.steps] == [
        ("Nils Berg", "commanded", "Grey Heron")
    ]


def test_a_chain_over_what_the_question_describes(port: Workspace) -> None:
    found = find(port, "Who owns the company that chartered the Grey Heron?")
    assert found is not None
    assert found.names == ("Ada Moe",)
    assert found.is_chain
    assert [step.predicate for step in found.paths[0].steps] == ["chartered", "owns"]


def test_a_list_and_a_count_have_all_that_facts_tell(port: Workspace) -> None:
    listed = find(port, "Which ships did Falk Shipping charter?")
    assert listed is not None
    assert set(listed.names) == {"Grey Heron", "White Tern"}
    counted = find(port, "How many ships did Falk Shipping charter?")
    assert counted is not None
    assert counted.text.startswith("2: ")


@pytest.mark.parametrize(
    "question",
    [
        "Which ship did Falk Shipping charter?",  # facts tell of two
        "Who painted the Grey Heron?",
        "Who commanded the Blue Gull?",
        "How many containers did Falk Shipping charter?",
        "Was the Grey Heron chartered?",
    ],
)
def test_what_facts_leave_open_is_no_answer(port: Workspace, question: str) -> None:
    assert find(port, question) is None


def answered(text: str, confidence: float) -> Answer:
    route = Route("fusion", Complexity(0.1, 0.3, 0.6, ()))
    trace = Trace("", route, (), (), {}, (), 0.0)
    return Answer(text, (), (), (), trace, confidence=confidence, abstained=not text)


def joined(port: Workspace, answer: Answer, question: str = "Who commanded the Grey Heron?") -> Answer:
    found = find(port, question)
    assert found is not None
    hits = [Hit(id, 1.0, rank) for rank, id in enumerate(found.passages, start=1)]
    candidates, _ = read_candidates(port.retrieval.asker()._store, hits)
    return join_graph_answer(answer, found, candidates)


def test_what_both_say_is_likelier(port: Workspace) -> None:
    answer = joined(port, answered("Captain Nils Berg", 0.6))
    assert answer.text == "Captain Nils Berg"
    assert answer.confidence == pytest.approx(1 - 0.4 * 0.7)
    assert answer.paths


def test_facts_answer_where_the_reader_is_not_sure_or_silent(port: Workspace) -> None:
    for own in (answered("the cook", 0.3), answered("", 0.0)):
        answer = joined(port, own)
        assert (answer.text, answer.confidence, answer.abstained) == ("Nils Berg", ALONE, False)
        assert [citation.quote for citation in answer.citations] == ["Nils Berg commanded the Grey Heron."]
        assert answer.main_citation is not None
    assert joined(port, answered("", 0.0)).alternatives == ()


def test_a_sure_reader_keeps_its_answer_with_the_facts_beside_it(port: Workspace) -> None:
    answer = joined(port, answered("the cook", 0.8))
    assert answer.text == "the cook"
    assert [other.text for other in answer.alternatives] == ["Nils Berg"]


def test_facts_whose_passages_were_not_read_change_nothing(port: Workspace) -> None:
    found = find(port, "Who commanded the Grey Heron?")
    assert found is not None
    answer = answered("the cook", 0.1)
    assert join_graph_answer(answer, found, ()) == answer


@pytest.mark.long
def test_the_program_lists_with_a_sentence_each(port: Workspace) -> None:
    answer = port.ask("Which ships did Falk Shipping charter?", TaskContext())
    assert {path.steps[-1].object for path in answer.paths} == {"Grey Heron", "White Tern"}
    assert {citation.document for citation in answer.citations} == {"charter.txt", "second.txt"}
    assert "may name more" in answer.table_note


def test_paths_run_along_their_facts(port: Workspace) -> None:
    found = find(port, "Who owns the company that chartered the Grey Heron?")
    assert found is not None
    path: FactPath = found.paths[0]
    for at, step in enumerate(path.steps):
        assert {step.subject_id, step.object_id} == set(path.entity_ids[at : at + 2])
