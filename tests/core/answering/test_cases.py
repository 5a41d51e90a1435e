"""The three cases of docs/cases.md: the route that is taken, the documents that are found, the chain, the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.research.datasets import read_corpus
from core.research.runner import Gold
from core.types import Answer
from core.workspace import Workspace
from tests.conftest import indexed_once

pytestmark = pytest.mark.long
TOWN = Path(__file__).resolve().parents[2] / "data" / "adversarial" / "docs"


@pytest.fixture(scope="module")
def town(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    path = indexed_once(tmp_path_factory, "town", models, lambda _: TOWN)
    with Workspace.open(path, models=models) as opened:
        yield opened


def test_each_kind_has_its_questions_and_their_gold(town: Workspace) -> None:
    questions = read_corpus(TOWN.parent).questions
    kinds = Counter(each.kind for each in questions)
    assert kinds == dict.fromkeys(("negation", "time", "counterfactual", "ambiguous"), 12)
    assert all(bool(each.answers) == bool(each.supporting) for each in questions)
    assert Counter(each.kind for each in questions if not each.supporting) == dict.fromkeys(kinds, 2)
    assert Gold(town).problems(questions) == (), "every quote stands in its document"


def asked(town: Workspace, question: str) -> Answer:
    return town.ask(question, TaskContext())


def reported(answer: Answer) -> tuple[str, str]:
    """What it says, and the document of its first citation."""
    return answer.text, answer.citations[0].document


def test_a_chain_of_precedents_is_found_and_reported_step_by_step(town: Workspace) -> None:
    complete = asked(town, "Which rulings of the Tidal Court led to Perrin v. The Province?")
    assert complete.trace.route.name == "graph"
    found = [each.document for each in complete.evidence]
    assert {"ruling-perrin.md", "ruling-dunmar.md", "ruling-askevold.md"} <= set(found)
    assert complete.guess or complete.abstained, "no single passage lists them"
    step = asked(town, "Which case does Perrin v. The Province rest on?")
    assert reported(step) == ("Dunmar v. The Salt Company", "ruling-perrin.md")
    step = asked(town, f"Which case did {step.text} build on?")
    assert reported(step) == ("Askevold v. Hallin Harbour", "ruling-dunmar.md")


def test_the_chain_of_precedents_is_a_path_of_the_graph(town: Workspace) -> None:
    entities = {each.name: each.id for each in town.graph.entities()}
    found = town.graph.paths_between(entities["Perrin v. The Province"], entities["Hallin Harbour"])
    assert [(step.subject, step.predicate) for step in found.paths[0].steps] == [
        ("Perrin v. The Province", "rests on"),
        ("Dunmar v. The Salt Company", "built on"),
    ]


def test_an_invention_is_followed_step_by_step(town: Workspace) -> None:
    complete = asked(town, "How did the drop escapement influence the storm warning service?")
    assert complete.trace.route.name == "graph"
    assert {each.document for each in complete.evidence[:2]} == {"storm-warnings.md", "drop-escapement.md"}
    assert all(not each.why.path for each in complete.evidence[:3] if each.why), "no chain is made up"
    for question, answer, document in (
        (
            "What does the storm warning service rely on?",
            "the tables of the tide engine",
            "storm-warnings.md",
        ),
        ("What was the tide engine driven by?", "observatory clock of Gudrun Solvang", "tide-engine.md"),
        (
            "What was the observatory clock based on?",
            "drop escapement of Isak Brevik",
            "observatory-clock.md",
        ),
    ):
        text, where = reported(asked(town, question))
        assert answer in text and where == document


def test_themes_are_reported_over_all_documents(town: Workspace) -> None:
    answer = asked(town, "What are the main themes of these documents?")
    assert answer.trace.route.name == "global" and not answer.abstained
    assert len(answer.communities) >= 3
    assert {each.community for each in answer.citations} == {each.id for each in answer.communities}
    for cited in answer.citations:
        text = " ".join(town.documents.text(cited.document_id).split())
        assert " ".join(cited.quote.split()) in text, "word for word"
    by_vectors = town.ask("What are the main themes of these documents?", TaskContext(), "dense")
    assert by_vectors.abstained
