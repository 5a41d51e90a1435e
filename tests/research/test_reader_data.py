"""Questions generated from the parse: their words, the place of the answer, and none if the text has no answer."""

from __future__ import annotations

import pytest

from core.models import spacy_model
from core.research.reader_data.clause import third_person
from core.research.reader_data.making import Document, Paragraph, Question, questions


@pytest.fixture(scope="module")
def parser():  # type: ignore[no-untyped-def]
    return spacy_model.load()


def _all_of(document: Document, parser) -> list[Question]:  # type: ignore[no-untyped-def]
    """Use several seeds, since each selects only some questions of a passage."""
    return [q for seed in range(12) for q in questions([document], parser, seed)]


@pytest.fixture(scope="module")
def talk(parser) -> list[Question]:  # type: ignore[no-untyped-def]
    turns = [
        ("Melanie", "I took my kids to the museum in Boston yesterday because they love old ships."),
        ("Jon", "That sounds lovely. I am going to open my shop in March."),
        ("Melanie", "My brother gave me two tickets for the concert."),
        ("Jon", "I do not like loud music, but Caroline bought a guitar in 2019."),
    ] * 3
    own = {"Melanie": "her", "Jon": "his"}
    paragraphs = tuple(Paragraph(words, name, f"{name}: ", own[name]) for name, words in turns)
    return _all_of(Document("Chat", "chat", paragraphs), parser)


def test_every_answer_stands_at_its_offset(talk: list[Question]) -> None:
    assert talk
    for question in talk:
        assert bool(question.answers) == (question.kind != "none")
        for answer, start in question.answers:
            assert question.text[start : start + len(answer)] == answer


def test_first_person_becomes_the_speaker(talk: list[Question]) -> None:
    asked = {question.question.lower().rstrip("?") for question in talk}
    assert not any(f" {word} " in f" {text} " for text in asked for word in ("i", "my", "me"))
    who = [q for q in talk if q.form == "who said"]
    assert who
    assert {q.answers[0][0] for q in who} <= {"Melanie", "Jon"}


def test_a_denied_clause_is_answered_by_no(talk: list[Question]) -> None:
    denied = [q for q in talk if q.form == "polar" and "loud music" in q.question]
    assert denied
    assert {q.kind for q in denied} == {"no"}


def test_the_same_seed_makes_the_same_questions(parser) -> None:  # type: ignore[no-untyped-def]
    text = "Ada Lovelace wrote the first program in 1843. She was born in London. " * 8
    document = Document("Ada", "web", (Paragraph(text),))
    assert list(questions([document], parser, 3)) == list(questions([document], parser, 3))


@pytest.mark.parametrize("text", ["", "???", "a" * 5000, "\x00\x01 ; ; ;", "Hi! " * 400])
def test_text_without_clauses_makes_nothing(text: str, parser) -> None:  # type: ignore[no-untyped-def]
    assert list(questions([Document("", "chat", (Paragraph(text, "Jon", "Jon: "),))], parser, 1)) == []


@pytest.mark.parametrize(
    ("lemma", "form"),
    [("love", "loves"), ("carry", "carries"), ("play", "plays"), ("have", "has"), ("watch", "watches")],
)
def test_third_person(lemma: str, form: str) -> None:
    assert third_person(lemma) == form
