"""Questions about all documents: what is recognised, what is not, and that no text upsets the rules."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.extraction.question import ParsedQuestion
from core.routing.corpuswide import BROAD, SPECIFIC, CorpusWide, corpus_wide

Parse = Callable[[str], ParsedQuestion]

WIDE = [
    "Give me a timeline of what happened",
    "What are the main themes?",
    "Summarise these documents",
    "Which topics come up most often?",
    "How did the relations between the companies develop over the years?",
    "Who are the key people in this collection?",
    "Give me an overview",
    "What do these files have in common?",
    "What risks are mentioned across the contracts?",
    "list all the ships named in the archive",
    "Do the sources contradict each other?",
    "What similarities are there between the cases?",
    "What do most of the witnesses agree on?",
    "What accidents are recorded in the logbooks?",
]
PARTICULAR = [
    "Draw up a chronology of the strike",
    "Who commands the Northern Star?",
    "Which film was released first, Silver Tide or Last Harbour?",
    "What is the main theme of the film Titanic?",
    "List the members of the board of Alder Trading.",
    "What are the key risks named in the Alder contract?",
    "What do Marta Holm and Jonas Berg have in common?",
    "What are the common symptoms of influenza?",
    "What does clause 14 say about termination?",
    "Summarise this report",
    "Which of the documents was signed first?",
    "How many reports were filed?",
    "How do I list all files in a folder?",
    "What are the main reasons for the collapse of the bank?",
    "who stole the papers from the safe",
]


def judged(question: str, parse: Parse) -> CorpusWide:
    return corpus_wide(question, parse(question))


@pytest.mark.parametrize("question", WIDE)
def test_gathering_over_all_documents_is_recognised(parse: Parse, question: str) -> None:
    found = judged(question, parse)
    assert found.recognised, found.reason
    assert found.cues
    assert found.reason.startswith("asks ")
    assert found.reason.endswith("names nothing in particular")


@pytest.mark.parametrize("question", PARTICULAR)
def test_one_thing_is_not(parse: Parse, question: str) -> None:
    found = judged(question, parse)
    assert not found.recognised, found.reason
    assert found.reason


@pytest.mark.parametrize("question", WIDE)
@pytest.mark.parametrize(
    "spoilt",
    [
        str.upper,
        str.lower,
        lambda q: q.rstrip("?"),
        lambda q: "  " + q.replace(" ", "   ") + " \n",
        lambda q: q + "!!",
    ],
)
def test_case_marks_and_blanks_change_nothing(
    parse: Parse, question: str, spoilt: Callable[[str], str]
) -> None:
    assert judged(spoilt(question), parse).recognised


@pytest.mark.parametrize("question", [q for q in PARTICULAR if "Marta" not in q and "Alder" not in q])
def test_capitals_make_no_question_corpus_wide(parse: Parse, question: str) -> None:
    assert not judged(question.upper(), parse).recognised


def test_the_same_question_with_a_name_is_particular(parse: Parse) -> None:
    assert judged("What are the main themes of the letters?", parse).recognised
    named = judged("What are the main themes of the letters of Otto Kask?", parse)
    assert not named.recognised
    assert "Otto Kask" in named.reason


def test_a_name_may_say_which_collection_this_is(parse: Parse) -> None:
    assert judged("What are the main themes of the Kask collection?", parse).recognised
    assert not judged("Who founded the Kask collection?", parse).recognised


def test_one_document_and_all_of_them(parse: Parse) -> None:
    assert judged("What are the key risks in the contracts?", parse).recognised
    one = judged("What are the key risks in the contract?", parse)
    assert not one.recognised
    assert "the contract" in one.reason


def test_cues_are_words_of_the_question_in_its_order(parse: Parse) -> None:
    question = "What risks are mentioned most often across the contracts?"
    cues = judged(question, parse).cues
    assert "most often" in cues and "across the contracts" in cues
    places = [question.lower().index(cue) for cue in cues]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("question", "breadth"),
    [
        ("What are the main themes?", BROAD),
        ("Summarise these documents", BROAD),
        ("Give me an overview of the collection", BROAD),
        ("list all the ships named in the archive", SPECIFIC),
        ("Which ports appear most often in the logs?", SPECIFIC),
        ("Who commands the Northern Star?", SPECIFIC),
    ],
)
def test_breadth(parse: Parse, question: str, breadth: str) -> None:
    assert judged(question, parse).breadth == breadth


@pytest.mark.parametrize("question", ["", " ", "?", "...", "🙂", "12 34", "\x00"])
def test_nothing_is_asked(parse: Parse, question: str) -> None:
    assert judged(question, parse) == CorpusWide(False, "asks nothing", (), SPECIFIC)


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_odd_text_raises_nothing(parse: Parse, question: str) -> None:
    assert judged(question, parse).reason


def test_a_pasted_page_is_judged_fast(parse: Parse) -> None:
    page = "the ship lay in the harbour and the crew went ashore, " * 150
    parsed = parse(page + "Summarise these documents.")
    begin = time.perf_counter()
    corpus_wide(parsed.text, parsed)
    assert time.perf_counter() - begin < 0.1  # a word is looked at a bounded number of times


def test_a_short_question_takes_well_under_a_millisecond(parse: Parse) -> None:
    parsed = [parse(question) for question in WIDE + PARTICULAR]
    took = []
    for _ in range(20):
        begin = time.thread_time()
        for each in parsed:
            corpus_wide(each.text, each)
        took.append((time.thread_time() - begin) / len(parsed))
    assert min(took) < 0.001
