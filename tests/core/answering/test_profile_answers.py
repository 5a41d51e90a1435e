"""Who is X, and everything about X: which questions ask so, and what comes first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.answering.models import Models
from core.answering.profile_answers import profiled_name
from core.extraction.question import parse_question
from core.models.spacy_model import load
from core.progress import TaskContext
from core.types import Way
from core.workspace import Workspace
from tests.conftest import indexed_once, written

PROFILES = (
    "Who is Ada Moe?",
    "Who was Ada Moe?",
    "What is Falk Shipping?",
    "Everything about Ada Moe",
    "Tell me about Ada Moe",
    "What is known about Ada Moe?",
    "What do the documents say about Falk Shipping?",
    "Give me an overview of Falk Shipping",
    "Write me a dossier on Ada Moe",
    "Falk Shipping, what is that?",
    "Ada Moe",
)
OTHERS = (
    "Who is the owner of Falk Shipping?",
    "What is the office of Falk Shipping?",
    "What did Ada Moe say about Falk Shipping?",
    "What are the main themes?",
    "Who is the Treasurer?",
    "Who is Treasurer?",
    "Who is the Chair?",
    "Tell me about the ships",
    "When was Ada Moe born?",
    "What did the board decide about Ada Moe?",
)
FOLDER = {
    "2021.txt": "Minutes of 3 May 2021. Ada Moe left the board on 3 May 2021. The board thanked Ada Moe.",
    "2015.txt": "Ada Moe, the owner of Falk Shipping, bought a ship on 7 June 2015.",
    "list.txt": "Present: Ada Moe, Nils Berg, Ole Lund.",
    "other.txt": "Nils Berg commanded the Grey Heron.",
    "call.txt": "Kari Dahl: I could be there on Monday.\n\nNils Berg: I will think about it.",
}


@pytest.mark.parametrize("question", PROFILES)
def test_questions_for_everything_of_one_name(question: str) -> None:
    assert profiled_name(parse_question(question, load())) is not None


@pytest.mark.parametrize("question", OTHERS)
def test_other_questions(question: str) -> None:
    assert profiled_name(parse_question(question, load())) is None


@pytest.fixture(scope="module")
def board(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    path = indexed_once(tmp_path_factory, "profile", models, lambda place: written(place / "papers", FOLDER))
    with Workspace.open(path, models=models) as opened:
        yield opened


def test_who_it_is_comes_first_and_the_rest_by_date(board: Workspace) -> None:
    answer = board.ask("Who is Ada Moe?", TaskContext())
    assert answer.trace.route.way is Way.PROFILE
    assert answer.text == "Ada Moe, the owner of Falk Shipping, bought a ship on 7 June 2015."
    assert not answer.guess
    assert [citation.quote for citation in answer.citations].index(
        "Ada Moe left the board on 3 May 2021."
    ) > 0
    assert all("Ada Moe" in citation.quote for citation in answer.citations)
    assert [claim.text for claim in answer.claims] == list(answer.sentences)


def test_one_that_is_only_named_is_a_possible_answer(board: Workspace) -> None:
    answer = board.ask("Who is Ole Lund?", TaskContext())
    assert answer.guess


def test_what_somebody_does_answers_everything_about_them_but_not_who_they_are(board: Workspace) -> None:
    assert not board.ask("Everything about Nils Berg", TaskContext()).guess
    answer = board.ask("Who is Nils Berg?", TaskContext())
    assert answer.guess
    assert answer.text == "Nils Berg commanded the Grey Heron."


def test_a_turn_of_somebody_is_not_about_them(board: Workspace) -> None:
    assert board.ask("Everything about Kari Dahl", TaskContext()).guess


def test_nobody_of_that_name_is_refused(board: Workspace) -> None:
    assert board.ask("Who is Ottoline Vane?", TaskContext()).abstained
