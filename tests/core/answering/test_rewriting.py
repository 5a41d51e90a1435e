"""The inner step of a question, asked by itself, and its answer put in its place."""

from __future__ import annotations

import pytest

from core.answering.models import Models
from core.answering.rewriting import innermost, substituted


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "What is the name of the airport in the city where WILM is licensed to broadcast?",
            "What is the city where WILM is licensed to broadcast?",
        ),
        ("Who is the spouse of Big Eye's main director?", "Who is Big Eye's main director?"),
        (
            "What did the man who threw his glass down from the ridge do for a living?",
            "Which man threw his glass down from the ridge?",
        ),
        ("How old is the man who left?", ""),
        (
            "What is the place of birth of the performer of song Indian Sunset?",
            "Who is the performer of song Indian Sunset?",
        ),
        ("Who was the first president of Damerjog's country?", "What is Damerjog's country?"),
        (
            "Who owned the company that chartered the ship that lost its cargo off Tenerife?",
            "Which ship lost its cargo off Tenerife?",
        ),
        (
            "Which shipyard built the ship that Falk Shipping chartered?",
            "Which ship did Falk Shipping charter?",
        ),
        (
            "Who directs the company whose brand KBW was found at Setúbal?",
            "Which company's brand KBW was found at Setúbal?",
        ),
        (
            "Who was the director of both companies that chartered the Northern Gannet?",
            "Which companies chartered the Northern Gannet?",
        ),
        (
            "Where is the head office of the tenant of the warehouse in Narva?",
            "Who is the tenant of the warehouse in Narva?",
        ),
        ("How much did the insurer of the Grey Petrel's copper pay to Calder Reach Trading?", ""),
        ("What is the number of people working for Brenholt in Tarrowmouth?", ""),
        ('Who taught the artist of "Boathouse in Snow"?', 'Who is the artist of "Boathouse in Snow"?'),
        ("", ""),
        ("Where do most of the big ships go when it rains?", ""),
    ],
)
def test_the_innermost_description(models: Models, question: str, expected: str) -> None:
    step = innermost(models.parse(question))
    assert (step.question if step else "") == expected


def test_the_answer_stands_where_it_was_described(models: Models) -> None:
    parsed = models.parse("Who was the first president of Damerjog's country?")
    step = innermost(parsed)
    assert step is not None
    assert substituted(parsed, step, "Djibouti.") == "Who was the first president of Djibouti?"
    assert substituted(parsed, step, "Damerjog") == "", "what the question says already brings nothing"
    assert substituted(parsed, step, "a small country that lies at the Horn of Africa") == ""


@pytest.mark.parametrize(
    ("question", "step_question", "following"),
    [
        (
            "Where was the person born who commanded the Silver Tern?",
            "Which person commanded the Silver Tern?",
            "Where was Oskar Ekman born?",
        ),
        (
            "Where did the man live who commanded the Silver Tern?",
            "Which man commanded the Silver Tern?",
            "Where did Oskar Ekman live?",
        ),
        (
            'Where was the painter born whose panel was shown in "Winter Light"?',
            'Which painter\'s panel was shown in "Winter Light"?',
            "Where was Oskar Ekman born?",
        ),
        (
            "When did the company go bankrupt that chartered the Grey Petrel?",
            "Which company chartered the Grey Petrel?",
            "When did Oskar Ekman go bankrupt?",
        ),
    ],
)
def test_the_verb_between_a_noun_and_its_clause_is_what_is_asked(
    models: Models, question: str, step_question: str, following: str
) -> None:
    parsed = models.parse(question)
    step = innermost(parsed)
    assert step is not None and step.question == step_question
    assert substituted(parsed, step, "Oskar Ekman") == following


def test_a_participle_describes_the_noun_where_another_verb_asks(models: Models) -> None:
    step = innermost(models.parse("Who built the ship lost in 1920 that Falk Shipping owned?"))
    assert step is None or not step.between
