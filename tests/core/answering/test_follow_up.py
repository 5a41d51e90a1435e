"""Questions that lean on those before them: sixty conversations over four kinds of folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.answering.follow_up import FollowUp, complete
from core.extraction.question import ParsedQuestion, parse_question
from core.models.spacy_model import parsed
from core.types import Turn

CONVERSATIONS = Path(__file__).parents[2] / "data" / "conversations.jsonl"


def parse(text: str) -> ParsedQuestion:
    return parse_question(text, parsed)


def read(row: dict[str, Any]) -> FollowUp:
    turns = [Turn(turn["question"], turn["answer"]) for turn in row["turns"]]
    return complete(parse(row["asked"]), turns, parse)


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CONVERSATIONS.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("kind", ["minutes", "contract", "chat", "novel"])
def test_most_questions_of_a_conversation_are_completed_rightly(kind: str) -> None:
    own = [row for row in rows() if row["kind"] == kind]
    wrong = [
        (row["asked"], found.question)
        for row in own
        if (found := read(row)).question.casefold().rstrip("?.")
        not in [wanted.casefold().rstrip("?.") for wanted in row["wanted"]]
    ]
    assert len(own) == 15 and len(wrong) <= 3, wrong


def test_a_new_subject_is_left_as_it_is_and_said() -> None:
    turns = [Turn("Who is the secretary?", "Cy Ek")]
    found = complete(parse("What did the roof of the barn cost?"), turns, parse)
    assert found == FollowUp("What did the roof of the barn cost?", False, True)
    assert not complete(parse("Who was secretary in 2015?"), turns, parse).is_new
    assert complete(parse("When?"), [], parse) == FollowUp("When?", False)


@pytest.mark.parametrize(
    "question",
    [
        "What did Ann say when she left?",  # she is Ann
        "Which ship that sank was insured?",
        "Is it true that the barge sank?",
        "Are there any ports in Ghana?",
    ],
)
def test_words_that_point_to_nothing_before_stay(question: str) -> None:
    assert complete(parse(question), [Turn("Who is the mate?", "Bo Dahl")], parse).question == question


def test_hostile_and_empty_turns_are_no_trouble() -> None:
    long = Turn("x " * 400, "y " * 400)
    for question in ("why?", "what about " + "(" * 50, "and?", "?", "what about ?", "his"):
        for turn in (long, Turn("", ""), Turn("?", "?"), Turn("\x00", "\u202e")):
            assert isinstance(complete(parse(question), [turn], parse).question, str)
