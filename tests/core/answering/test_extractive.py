"""Extractive answers over a small written case: short answers, citations, abstention."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answering.extractive import ExtractiveGenerator, apply_thresholds
from core.answering.listing import asked_part
from core.config import AnswerConfig
from core.extraction.question import parse_question
from core.models.spacy_model import load
from core.progress import Cancelled, TaskContext
from core.text.answer_score import score_answer
from core.types import ExtractedMention, Page, Retrieval, Round, Usage
from tests.core.answering.case import COMPREHENSION, DOCUMENTS, ROUTE, ask, candidate, case, vector

EVERY = AnswerConfig(sure=0.0, min_probability=0.0)  # whatever its probability


EASY = {
    "Who is the director of the film Northern Lights?": "Einar Voss",
    "When did Einar Voss die?": "17 August 1957",
    "Where did Einar Voss die?": "Oslo",
    "Where was Einar Voss born?": "Bergen",
    "How many containers of tin did the Halcyon lose?": "26",
    "How much did Norden Bank pay to Karen Lund?": "$12,500",
    "who produced last harbour": "Emil Friis",
    "Where did Karen Lund study?": "Aarhus",
}


@pytest.mark.long
def test_most_plain_questions_are_read_rightly() -> None:
    """A trained reader errs now and then; one that errs more than this is broken."""
    right = [
        score_answer(ask(question, case(), EVERY).text, [gold]).f1 >= 0.5 for question, gold in EASY.items()
    ]
    assert sum(right) >= len(EASY) - 1, [
        question for question, found in zip(EASY, right, strict=True) if not found
    ]


@pytest.mark.long
def test_every_sentence_has_its_citation_and_the_quote_is_the_document() -> None:
    before = "Cover page.\n\n"
    moved = [candidate(t, text, i + 1, start=len(before)) for i, (t, text) in enumerate(DOCUMENTS.items())]
    answer = ask("What happened to the Halcyon in 1922?", moved, EVERY)
    assert answer.sentences
    assert len(answer.sentences) == len(answer.citations)
    for sentence, citation in zip(answer.sentences, answer.citations, strict=True):
        document = before + DOCUMENTS[citation.title]
        assert citation.quote == sentence == document[citation.start : citation.end]
        assert citation.document == f"{citation.title}.txt"


@pytest.mark.long
def test_a_citation_takes_the_page_of_its_sentence() -> None:
    text = DOCUMENTS["Ledger"]
    second = text.index("Norden")
    pages = (Page(7, 0, second), Page(8, second, len(text)))
    question = "Which bank paid Karen Lund?"
    assert ask(question, [candidate("Ledger", text, page=7, pages=pages)], EVERY).citations[0].page == 8
    assert ask(question, [candidate("Ledger", text, page=7)], EVERY).citations[0].page == 7
    assert ask(question, [candidate("Ledger", text)], EVERY).citations[0].page is None


@pytest.mark.parametrize(
    ("text", "question", "label", "name"),
    [
        ("Deputy: Sundqvist, Pelle", "Who is the deputy?", "PERSON", "Sundqvist, Pelle"),
        ("8BC Ltd installed the pumps in 2018.", "Who installed the pumps?", "ORG", "8BC Ltd"),
    ],
)
@pytest.mark.long
def test_a_piece_of_a_name_is_no_answer(text: str, question: str, label: str, name: str) -> None:
    start = text.index(name)
    mention = ExtractedMention(name, label, start, start + len(name))
    answer = ask(question, [replace(candidate("Roster", text), mentions=(mention,))], EVERY)
    assert answer.text == name == answer.citations[0].quote[slice(*answer.citations[0].marked or ())]
    assert name not in [other.text for other in answer.alternatives]


def test_other_readings_come_with_their_places() -> None:
    answer = ask("What happened to the Halcyon in 1922?", case(), EVERY)
    assert answer.alternatives
    assert answer.text not in [other.text for other in answer.alternatives]
    shares = [answer.confidence, *(other.probability for other in answer.alternatives)]
    assert shares == sorted(shares, reverse=True)
    assert all(other.citation.quote in DOCUMENTS[other.citation.title] for other in answer.alternatives)


# ------------------------------------------------------------------ abstention


def test_what_no_document_says_is_not_answered() -> None:
    answer = ask("When was Project Zephyr started?", case())
    assert answer.abstained
    assert "“Project Zephyr”" in answer.missing and "passages" in answer.missing
    assert (answer.text, answer.sentences, answer.citations) == ("", (), ())
    assert answer.evidence  # what was found is still listed
    assert "Index a folder" in ask("When did Einar Voss die?", []).missing


@pytest.mark.long
def test_the_probability_falls_when_the_passage_that_answers_is_taken_away() -> None:
    question = "When did Einar Voss die?"
    others = [title for title in DOCUMENTS if title not in ("Einar Voss", "Northern Lights")]
    assert ask(question, case()).confidence > ask(question, case(*others)).confidence + 0.05


def test_the_bars_decide_what_is_an_answer_a_guess_or_nothing() -> None:
    question = "When did Einar Voss die?"
    sure = ask(question, case(), EVERY).confidence
    answer = ask(question, case(), AnswerConfig(min_probability=0.0))
    indirect = replace(answer, literal=False, is_indirect=True, confidence=min(sure, 0.74))
    guess = apply_thresholds(indirect, AnswerConfig(min_probability=min(sure, 0.74)))
    nothing = ask(question, case(), AnswerConfig(min_probability=sure + 0.001))
    assert (answer.guess, answer.abstained, answer.literal) == (sure < 0.6, False, True)
    assert (guess.guess, guess.abstained, guess.text) == (True, False, answer.text)
    # A step that no sentence states needs more; the setting raises all of them.
    for literal, is_indirect, floor in (
        (True, False, 0.6), (None, False, 0.6), (False, False, 0.6), (True, True, 0.6), (False, True, 0.75),
    ):  # fmt: skip
        put = replace(answer, literal=literal, is_indirect=is_indirect)
        bars = [
            apply_thresholds(replace(put, confidence=at), AnswerConfig()).guess
            for at in (floor - 0.01, floor)
        ]
        assert bars == [True, False]
    certain = replace(answer, literal=True, confidence=0.94)
    assert apply_thresholds(certain, AnswerConfig(sure=0.95)).guess
    assert (nothing.abstained, nothing.text, nothing.citations) == (True, "", ())
    assert nothing.alternatives[0].text == answer.text, "one may still look at what it would have been"


def test_a_statement_that_passed_the_checks_needs_less() -> None:
    answer = replace(ask("When did Einar Voss die?", case(), EVERY), confidence=0.45, failed_check="")
    assert apply_thresholds(answer, AnswerConfig()).guess, "nobody checked it"
    done = Round(1, answer.trace.question, "dense", answer.text, (), "")
    checked = replace(answer, trace=replace(answer.trace, rounds=(done,)))
    assert not apply_thresholds(checked, AnswerConfig()).guess
    assert apply_thresholds(replace(checked, confidence=0.39), AnswerConfig()).guess
    assert apply_thresholds(replace(checked, failed_check="relevance"), AnswerConfig()).guess
    assert apply_thresholds(replace(checked, literal=None), AnswerConfig()).guess, "of yes, of no, of a list"
    assert apply_thresholds(replace(checked, usage=Usage(calls=1)), AnswerConfig()).guess, "a model wrote it"
    turn = replace(answer.citations[0], quote="Voss: in 1957, I think")
    assert apply_thresholds(replace(checked, citations=(turn,)), AnswerConfig()).guess, "no whole sentence"


# ------------------------------------------------------------------ promises to the caller


def test_it_can_be_cancelled() -> None:
    question = parse_question("When did Einar Voss die?", load())
    with pytest.raises(Cancelled):
        ExtractiveGenerator(AnswerConfig(), COMPREHENSION).answer(
            question, vector("x"), Retrieval(()), ROUTE, case("Senet"), TaskContext(cancelled=lambda: True)
        )


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(st.text(max_size=150), st.text(max_size=200))
def test_odd_text_never_breaks_it(question: str, text: str) -> None:
    passages = [candidate("Odd", text)] if text.strip() else case("Senet")
    answer = ask(question, passages)
    assert answer.missing or not answer.abstained, "whoever refuses the answer must know what to say"
    assert 0.0 <= answer.confidence <= 1.0
    assert len(answer.sentences) == len(answer.citations)


DIARY = (
    "The pump of the Halcyon failed on 3 May. Because the valve had rusted, water stood in the hold. "
    "The crew baled for two days. They plugged the leak with oakum and tar. This held until Riga."
)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Why did water stand in the hold?", "Because the valve had rusted, water stood in the hold."),
        (
            "How did the crew plug the leak?",
            "The crew baled for two days. They plugged the leak with oakum and tar.",
        ),
    ],
)
def test_how_and_why_are_told_in_whole_sentences(question: str, wanted: str) -> None:
    found = ask(question, [candidate("Diary", DIARY)], EVERY)
    assert wanted in found.text
    assert all(found.text.count(sentence) == 1 for sentence in found.sentences)
    assert found.citations[0].quote in DIARY and found.citations[0].marked is None


def test_how_many_is_no_how() -> None:
    found = ask("How many days did the crew bale?", [candidate("Diary", DIARY)], EVERY)
    assert found.text in ("two", "two days")


OFFICERS = candidate(
    "Officers of the club",
    "Officers for the year:\n- Chair of the club: Otto Rask\n- Treasurer: Ada Moe\n- Keeper of the boats: Lena Vik\n",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is the keeper of the boats?", "Lena Vik"),
        ("What is Ada Moe's office in the club?", "Treasurer"),
        ("Who are the officers for the year?", None),
    ],
)
def test_of_labelled_lines_the_one_that_is_asked_about(question: str, told: str | None) -> None:
    members = [(m.start(1), m.end(1)) for m in re.finditer(r"^- (.*)$", OFFICERS.passage.text, re.MULTILINE)]
    parts = [asked_part(question, OFFICERS.passage.text[a:b]) for a, b in members]
    found = [
        OFFICERS.passage.text[a + part[0] : a + part[1]]
        for (a, _), part in zip(members, parts, strict=True)
        if part
    ]
    assert found == ([told] if told else [])
