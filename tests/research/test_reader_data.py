"""Questions made by the parse: what is asked, with the answer where it stands, and nothing told where nothing is."""

from __future__ import annotations

import pytest

from core.models import spacy_model
from core.research.reader_data.clause import third_person
from core.research.reader_data.making import Document, Paragraph, Question, questions
from core.research.reader_data.table_questions import Table, table_questions


@pytest.fixture(scope="module")
def parser():  # type: ignore[no-untyped-def]
    return spacy_model.load()


def _all_of(document: Document, parser) -> list[Question]:  # type: ignore[no-untyped-def]
    """Several seeds, since chance keeps some questions of a passage only."""
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


def test_every_answer_stands_where_it_is_said_to(talk: list[Question]) -> None:
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


def test_cells_of_tables_are_asked_for_by_column_and_key() -> None:
    rows = [
        [f"{name} Hall", str(1900 + n), str(40 * n)]
        for n, name in enumerate(("Oak", "Elm", "Ash", "Fir", "Yew"))
    ]
    made = [
        q
        for seed in range(10)
        for q in table_questions(Table("halls", ["Hall", "Opened", "Seats"], rows), seed)
    ]
    assert "span" in {q.kind for q in made}
    for question in made:
        for answer, start in question.answers:
            assert question.text[start : start + len(answer)] == answer
        if question.form == "cell":
            row = next(r for r in rows if r[0].lower() in question.question.lower())
            assert question.answers[0][0] in row[1:]


@pytest.mark.parametrize("rows", [[], [["1", "2"]], [["", ""]] * 9])
def test_a_table_without_names_makes_nothing(rows: list[list[str]]) -> None:
    assert list(table_questions(Table("t", ["a", "b"], rows), 1)) == []
