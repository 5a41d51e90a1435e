"""Extractive answers over a small written case: short answers, citations, abstention."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answering.extractive import ExtractiveGenerator
from core.config import AnswerConfig
from core.extraction.question import parse_question
from core.progress import Cancelled, TaskContext
from core.providers.spacy_model import load
from core.types import Hit, Page, Retrieval, Seed, Stage
from tests.core.answering.case import DOCUMENTS, ROUTE, ask, candidate, case, vector


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the director of the film Northern Lights?", "Einar Voss"),
        ("When was Einar Voss born?", "4 March 1890"),
        ("When did Einar Voss die?", "17 August 1957"),
        ("Where did Einar Voss die?", "Oslo"),
        ("Where was Einar Voss born?", "Bergen"),
        ("What is the nationality of Karen Lund?", "Danish"),
        ("How many containers of tin did the Halcyon lose?", "26"),
        ("How much did Norden Bank pay to Karen Lund?", "$12,500"),
        ("In which year did Norden Bank pay Karen Lund?", "1950"),
        ("Which bank paid Karen Lund?", "Norden Bank"),
        # two passages
        ("When did the director of the film Northern Lights die?", "17 August 1957"),
        ("Where was the director of Northern Lights born?", "Bergen"),
        # held against each other
        ("Who was born first, Einar Voss or Karen Lund?", "Einar Voss"),
        ("Who died later, Einar Voss or Karen Lund?", "Karen Lund"),
        ("Which film came out earlier, Last Harbour or Northern Lights?", "Northern Lights"),
        (
            "Which film has the director who was born earlier, Last Harbour or Northern Lights?",
            "Northern Lights",
        ),
        ("Are the directors of both films Last Harbour and Northern Lights from the same country?", "no"),
        ("Do Einar Voss and Karen Lund have the same nationality?", "no"),
        ("Are Senet and Taxa both board games?", "yes"),
        ("Are Senet and Taxa both German?", "no"),
    ],
)
def test_short_answers(question: str, answer: str) -> None:
    given_answer = ask(question, case())
    assert not given_answer.abstained, given_answer.missing
    assert given_answer.text == answer


def test_two_hops_cite_both_passages_in_order() -> None:
    answer = ask("When did the director of the film Northern Lights die?", case())
    assert [c.title for c in answer.citations] == ["Northern Lights", "Einar Voss"]


@pytest.mark.parametrize("question", ["When did Einar Voss die?", "What happened to the Halcyon in 1922?"])
def test_every_sentence_has_its_citation_and_the_quote_is_the_document(question: str) -> None:
    before = "Cover page.\n\n"
    moved = [candidate(t, text, i + 1, start=len(before)) for i, (t, text) in enumerate(DOCUMENTS.items())]
    answer = ask(question, moved)
    assert answer.sentences
    assert len(answer.sentences) == len(answer.citations)
    for sentence, citation in zip(answer.sentences, answer.citations, strict=True):
        document = before + DOCUMENTS[citation.title]
        assert citation.quote == sentence == document[citation.start : citation.end]
        assert citation.document == f"{citation.title}.txt"


def test_a_citation_takes_the_page_of_its_sentence() -> None:
    text = DOCUMENTS["Ledger"]
    second = text.index("Norden")
    pages = (Page(7, 0, second), Page(8, second, len(text)))
    question = "Which bank paid Karen Lund?"
    assert ask(question, [candidate("Ledger", text, page=7, pages=pages)]).citations[0].page == 8
    assert ask(question, [candidate("Ledger", text, page=7)]).citations[0].page == 7
    assert ask(question, [candidate("Ledger", text)]).citations[0].page is None


def test_a_sentence_that_two_passages_share_is_cited_once() -> None:
    text = DOCUMENTS["Ledger"]
    answer = ask("What did the Halcyon lose?", [candidate("Ledger", text), candidate("Ledger", text, 2)])
    assert len({(c.document_id, c.start) for c in answer.citations}) == len(answer.citations)


def test_without_a_typed_answer_the_best_sentence_is_given() -> None:
    answer = ask("What happened to the tin of the Halcyon?", case())
    assert answer.text == answer.sentences[0] == "The Halcyon lost 26 containers of tin on 9 May 1922."


def test_at_most_the_configured_sentences() -> None:
    answer = ask("When did the director of Northern Lights die?", case(), AnswerConfig(sentences=1))
    assert len(answer.sentences) == 1


def test_evidence_marks_the_cited_sentence() -> None:
    answer = ask("When did Einar Voss die?", case())
    marked = next(e for e in answer.evidence if e.passage.title == "Einar Voss")
    assert marked.sentence is not None
    assert marked.passage.text[marked.sentence.start :].startswith("Einar Voss (4 March 1890")
    assert [e.hit.rank for e in answer.evidence] == list(range(1, len(DOCUMENTS) + 1))


# ------------------------------------------------------------------ abstention


def test_an_unknown_name_is_said_to_be_missing() -> None:
    answer = ask("When was Project Zephyr started?", case())
    assert answer.abstained
    assert "No passage that was found mentions “Project Zephyr”" in answer.missing
    assert (answer.text, answer.sentences, answer.citations) == ("", (), ())
    assert answer.evidence  # what was found is still shown


def test_a_missing_date_is_said_to_be_missing() -> None:
    answer = ask("When did Senet lose its board?", case("Senet"))
    assert answer.abstained
    assert "do not give a date" in answer.missing


def test_what_no_sentence_speaks_of_is_said() -> None:
    answer = ask("When did Karen Lund marry?", case("Karen Lund"))
    assert answer.abstained
    assert "do not speak of “marry”" in answer.missing


def test_no_passage_at_all() -> None:
    answer = ask("When did Einar Voss die?", [])
    assert answer.abstained
    assert "Index a folder" in answer.missing


def test_support_falls_when_the_passage_that_answers_is_taken_away() -> None:
    question = "When did Einar Voss die?"
    others = [title for title in DOCUMENTS if title not in ("Einar Voss", "Northern Lights")]
    assert ask(question, case()).confidence > ask(question, case(*others)).confidence + 0.3


def test_the_threshold_decides() -> None:
    question = "When did Einar Voss die?"
    confidence = ask(question, case()).confidence
    assert not ask(question, case(), AnswerConfig(abstain_below=confidence)).abstained
    assert ask(question, case(), AnswerConfig(abstain_below=confidence + 0.01)).abstained


# ------------------------------------------------------------------ promises to the caller


def test_the_trace_carries_what_retrieval_found() -> None:
    found = Retrieval(
        (Hit("p", 0.5, 1),), (Stage("search", 0.25),), {"e": 0.5}, (Seed("e", "Voss", 1.0, "named"),)
    )
    question = parse_question("When did Einar Voss die?", load())
    generator = ExtractiveGenerator(AnswerConfig())
    trace = generator.answer(question, vector(question.text), found, ROUTE, case(), TaskContext()).trace
    assert (trace.hits, trace.heat, trace.seeds, trace.route) == (found.hits, found.heat, found.seeds, ROUTE)
    assert [s.name for s in trace.stages] == ["search", "answer"]
    assert trace.seconds == pytest.approx(0.25 + trace.stages[1].seconds)
    assert "support" in trace.stages[1].detail


def test_it_can_be_cancelled() -> None:
    question = parse_question("When did Einar Voss die?", load())
    with pytest.raises(Cancelled):
        ExtractiveGenerator(AnswerConfig()).answer(
            question, vector("x"), Retrieval(()), ROUTE, case("Senet"), TaskContext(cancelled=lambda: True)
        )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=150), st.text(max_size=200))
def test_odd_text_never_breaks_it(question: str, text: str) -> None:
    passages = [*case("Senet"), candidate("Odd", text or "?", 2)] if text.strip() else case("Senet")
    answer = ask(question, passages)
    assert answer.missing, "whoever refuses the answer must know what to say"
    assert 0.0 <= answer.confidence <= 1.0
    assert len(answer.sentences) == len(answer.citations)


@pytest.mark.parametrize(
    "question",
    ["🚢🚢 who?", "Кто снял фильм?", "船はどこですか", "who " * 500, "Is it or or or?", "(((", "of of of of"],
)
def test_odd_questions(question: str) -> None:
    answer = ask(question, case())
    assert answer.missing, "whoever refuses the answer must know what to say"


def test_sentences_without_vectors_still_answer() -> None:
    from dataclasses import replace

    bare = [replace(c, vectors=np.zeros((0, 384), dtype=np.float32)) for c in case()]
    assert ask("When did Einar Voss die?", bare, AnswerConfig(abstain_below=0.0)).text == "17 August 1957"


def test_it_answers_in_milliseconds() -> None:
    passages = case()
    ask("When did Einar Voss die?", passages)
    question = parse_question("When did the director of the film Northern Lights die?", load())
    begin = time.process_time()
    for _ in range(10):
        ExtractiveGenerator(AnswerConfig()).answer(
            question, vector(question.text), Retrieval(()), ROUTE, passages, TaskContext()
        )
    assert (time.process_time() - begin) / 10 < 0.1  # about 0.005 s; the bound only catches a blunder
