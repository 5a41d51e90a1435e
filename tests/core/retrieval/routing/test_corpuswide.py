"""Questions about all documents: what is recognised, what is not, and that no text upsets it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.answering.models import Models
from core.retrieval.routing.corpuswide import BROAD, SPECIFIC, CorpusWide, corpus_wide, in_particular

Judge = Callable[[str], CorpusWide]

WIDE = [
    "Give me a timeline of events",
    "What are the main themes?",
    "Summarise these documents",
    "Who are the key people in this collection?",
    "Walk me through what this pile of papers is trying to say.",
    "What risks are mentioned across the contracts?",
]
PARTICULAR = [
    "Who commands the Northern Star?",
    "What is the main theme of the film Titanic?",
    "List the members of the board of Alder Trading.",
    "What do Marta Holm and Jonas Berg have in common?",
    "What are the common symptoms of influenza?",
    "Summarise this report",
    "Which of the documents was signed first?",
    "How many reports were filed?",
    "Wie viele Mitarbeiter arbeiten im Werk?",
]


@pytest.fixture(scope="module")
def judge(models: Models) -> Judge:
    return lambda question: corpus_wide(models.parse(question), models.embed_question(question))


@pytest.mark.parametrize("question", WIDE)
def test_gathering_over_all_documents_is_recognised(judge: Judge, question: str) -> None:
    found = judge(question)
    assert found.recognised, found.reason


@pytest.mark.parametrize("question", PARTICULAR)
def test_one_thing_is_not(judge: Judge, question: str) -> None:
    found = judge(question)
    assert not found.recognised, found.reason
    assert found.reason


@pytest.mark.parametrize("question", WIDE[:3])
def test_case_marks_and_blanks_change_nothing(judge: Judge, question: str) -> None:
    for spoilt in (question.upper(), question.lower(), f"  {question.rstrip('?')} \n"):
        assert judge(spoilt).recognised


def test_the_same_question_with_a_name_is_particular(judge: Judge) -> None:
    assert judge("What are the main themes of the letters?").recognised
    named = judge("What are the main themes of the letters of Otto Kask?")
    assert not named.recognised
    assert "Otto Kask" in named.reason


@pytest.mark.parametrize(
    ("question", "breadth"),
    [
        ("What are the main themes?", BROAD),
        ("Which risks are mentioned across the contracts?", SPECIFIC),
    ],
)
def test_breadth(judge: Judge, question: str, breadth: str) -> None:
    assert judge(question).breadth == breadth


@pytest.mark.parametrize("question", ["", "...", "🙂", "\x00"])
def test_nothing_is_asked(judge: Judge, question: str) -> None:
    assert judge(question) == CorpusWide(False, "asks nothing", SPECIFIC)


def test_a_vector_of_another_encoder_is_told(models: Models) -> None:
    found = corpus_wide(models.parse("What are the main themes?"), np.ones(7) / 7**0.5)
    assert not found.recognised and "does not fit the encoder" in found.reason


@given(st.text(max_size=80))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_odd_text_raises_nothing(models: Models, question: str) -> None:
    parsed = models.parse(question)
    in_particular(parsed)
    assert corpus_wide(parsed, np.zeros(384)).reason
