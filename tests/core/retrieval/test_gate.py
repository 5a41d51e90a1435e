"""The gate: how near a question is to what the documents are about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from core.index.vector_table import Exact
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.gate import CENTRAL, Gate, summaries
from core.workspace import Workspace
from tests.core.retrieval.queries import query


def gate_over(vectors: np.ndarray, passages: object, documents: list[int]) -> Gate:
    """Over only what the gate reads of a corpus."""
    vectors, rows = vectors.astype(np.float32), np.asarray(passages, dtype=np.int64)
    table = Exact(vectors)
    read = SimpleNamespace(sentence_vectors=table, sentence_passages=rows)
    vectors_of = summaries(table, rows, np.array(documents, dtype=np.int64))
    return Gate(cast(Corpus, read), vectors_of)


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def test_a_summary_is_the_mean_and_the_sentences_nearest_to_it() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(40, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    passages = np.sort(rng.integers(0, 12, 40)).tolist()
    documents = [row // 3 for row in range(12)]
    gate = gate_over(vectors, passages, documents)
    question = unit(*rng.normal(size=8))
    owners = np.array([documents[row] for row in passages])
    best = (-1, -1.0)
    for document in set(owners.tolist()):  # the slow way
        own = vectors[owners == document]
        mean = own.mean(axis=0) / np.linalg.norm(own.mean(axis=0))
        central = own[np.argsort(-(own @ mean))[:CENTRAL]]
        value = max(float((np.vstack([mean, central]) @ question).max()), 0.0)
        best = max(best, (document, value), key=lambda found: found[1])
    found = gate.similarity(question)
    assert found.document == best[0]
    assert found.similarity == pytest.approx(best[1], abs=1e-5)


def test_one_near_sentence_opens_what_all_summaries_would_close() -> None:
    axes = np.eye(8, dtype=np.float32)
    far, aside = axes[:4].repeat(4, axis=0), unit(1, 0, 0, 0, 0, 2, 0, 0)
    for sentences, shut in ((far, True), (np.vstack([far, aside]), False)):
        gate = gate_over(sentences, [0] * len(sentences), [0])
        question = axes[5]
        assert gate.similarity(question).similarity < 0.25
        closed, stage = gate.closed(query("Who?", question), 0.25, str)
        assert closed is shut
    assert "a sentence is as near as 0.89" in stage.detail


@pytest.mark.long
def test_what_no_document_is_about_is_refused_but_on_a_chosen_route(sample_workspace: Workspace) -> None:
    question = "Where do penguins hibernate?"
    answer = sample_workspace.ask(question, TaskContext())
    assert answer.abstained and not answer.evidence and "No document" in answer.missing
    assert answer.trace.stages[1].name == "gate"
    assert sample_workspace.ask(question, TaskContext(), "dense").evidence


@pytest.mark.long
def test_a_name_that_stands_in_the_documents_passes(sample_workspace: Workspace) -> None:
    question = "With whom does a sourdough baker in France discuss Tobias Renwick?"
    assert sample_workspace.ask(question, TaskContext()).evidence


@pytest.mark.long
@pytest.mark.parametrize("question", ["Who was arrested?", "Which smelter?", "What was weighed?"])
def test_the_gate_shuts_on_no_question_whose_words_stand_there(
    question: str, sample_workspace: Workspace
) -> None:
    """However far it is in meaning: no cosine reaches 1."""
    answer = sample_workspace.ask(question, TaskContext(), settings=("control.gate=1",))
    assert "is about this" not in answer.missing


@pytest.mark.long
@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Where do penguins hibernate?", "“penguins” or “hibernate”"),
        ("What is the capital of Mongolia?", "“Mongolia”"),
        ("Who won the cup in 1998?", "“1998”"),
    ],
)
def test_what_no_document_is_about_is_refused_with_what_was_looked_up(
    question: str, missing: str, sample_workspace: Workspace
) -> None:
    answer = sample_workspace.ask(question, TaskContext())
    assert answer.abstained and not answer.evidence and missing in answer.missing
