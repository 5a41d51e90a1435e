"""Spans that a reader cut badly come out with whole edges, or not at all."""

from __future__ import annotations

import pytest

from core.answering.span_edges import complete


@pytest.mark.parametrize(
    ("text", "span", "completed"),
    [
        ("Write to orders@mail.example.com today.", "orders@mail", "orders@mail.example.com"),
        ("It costs £1,250.50 a year.", "250", "£1,250.50"),
        ("The rate is 4.5 % per year.", "4.5", "4.5 %"),
        ("It fell to -4 degrees.", "-4", "-4"),
        ("The invoice INV-2021/0388 was paid.", "INV-2021", "INV-2021/0388"),
        ("Open from 09:30 to 17:00 daily.", "30 to 17", "09:30 to 17:00"),
        ("the Technical Committee (TC) meets", "the Technical Committee (", "the Technical Committee (TC)"),
        ("the Technical Committee (TC meets", "the Technical Committee (TC", "the Technical Committee"),
        ("He wrote “The Long Way” at sea.", "“The Long Way", "“The Long Way”"),
        ("arrested at the airport of Funchal", "at the airport of", "at the airport"),
        ("on 8 November 2021.", "on 8 November 2021.", "on 8 November 2021"),
        ("It was founded by Acme Ltd. in Oslo.", "Acme Ltd.", "Acme Ltd."),
        ("a report of J. Smith), the clerk", "J. Smith)", "J. Smith"),
    ],
)
def test_edges_move_to_the_ends_of_what_they_cut(text: str, span: str, completed: str) -> None:
    start = text.index(span)
    found = complete(text, start, start + len(span))
    assert found is not None and text[slice(*found)] == completed


@pytest.mark.parametrize("span", ["in", "and the", "he", " , ", "of"])
def test_function_words_alone_are_no_answer(span: str) -> None:
    text = f"the ship {span} was"
    start = text.index(span, 8)
    assert complete(text, start, start + len(span)) is None
