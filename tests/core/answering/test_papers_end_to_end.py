"""One question from words to evidence, order and answer, by each of the five papers: docs/research/papers.md."""

from __future__ import annotations

import pytest

from core.progress import TaskContext
from core.workspace import Workspace

TEXTS = {
    "registry.txt": (
        "Extract of the register of companies.\n\nLindqvist Shipping AB was founded by Maja Lindqvist in Gothenburg "
        "in 1987. The company owns the tanker Silver Tern.\n"
    ),
    "crew list.txt": (
        "Crew list, Silver Tern.\n\nThe tanker Silver Tern was commanded by Oskar Ekman. "
        "The cook was Piet Visser, who came aboard in Rotterdam.\n"
    ),
    "biography.txt": "Oskar Ekman was born in Kalmar in 1954. He studied navigation in Malmö.\n",
    "letter.txt": "Dear Mr Holm, the roof of the boathouse leaks again. We ask the council for a new one by May.\n",
    "recipe.txt": "Boil the potatoes for twenty minutes. Add butter, dill and a pinch of salt.\n",
    "minutes.txt": "The committee met in Uppsala on 3 May 2011. Ingrid Falk reported on the accounts of the choir.\n",
    "timetable.txt": "The ferry to Visby leaves at nine in the morning and at four in the afternoon.\n",
}
QUESTION = "Where was the person born who commanded the Silver Tern?"
CHAIN = ("crew list.txt", "biography.txt")  # who commanded it, then where he was born
ROUTES = {
    "EA-GraphRAG": "lab:ea-graphrag",
    "LEGO-GraphRAG": "lab:paths-staged",
    "Deep GraphRAG": "lab:deep-graphrag-vectors",
    "Triple-layer GraphRAG": "lab:triple-layer",
    "A2RAG": "graph",
}


@pytest.mark.parametrize("paper", ROUTES)
def test_evidence_order_and_answer(paper: str, workspace: Workspace) -> None:
    answer = workspace.ask(QUESTION, TaskContext(), ROUTES[paper])
    documents = [evidence.document for evidence in answer.evidence]
    assert set(CHAIN) <= set(documents[:3])
    assert not {"recipe.txt", "timetable.txt"} & set(documents[:2])
    assert answer.text == "Kalmar"
    assert tuple(citation.document for citation in answer.citations) == CHAIN
    assert answer.trace.route.name == ROUTES[paper]


def test_what_no_document_says_is_refused_by_every_paper(workspace: Workspace) -> None:
    for route in ROUTES.values():
        answer = workspace.ask("Where was the person born who painted the boathouse?", TaskContext(), route)
        assert answer.abstained or answer.guess
