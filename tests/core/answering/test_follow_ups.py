"""Follow-ups: sixty conversations in four kinds of folder, and what is never completed.

`tests/data/conversations.jsonl` was written before the rules, which were made on its half "development". Each turn is
completed after what was completed before it, not after what should have been.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.answering.follow_ups.completion import complete, complete_by_model, without_answers
from core.answering.models import Models
from core.config import ModelConfig
from core.models.ollama.model import OllamaModel
from core.progress import TaskContext
from core.types.threads import Completion, FollowKind, Turn
from tests.ollama_server import ScriptedServer

DATA = Path(__file__).parents[2] / "data" / "conversations.jsonl"
CONVERSATIONS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def plain(text: str) -> str:
    """Without case and punctuation."""
    return re.sub(r"[^\w' ]", "", text.lower()).strip()


def completions(conversation: dict[str, Any], models: Models) -> list[Completion]:
    turns: list[Turn] = []
    found = []
    for row in conversation["turns"]:
        completion = complete(row["asked"], turns, models.parse)
        found.append(completion)
        if completion.kind is FollowKind.NEW_SUBJECT:
            turns.clear()
        turns.append(Turn(row["asked"], completion.question, row["answer"], completion.words))
    return found


@pytest.mark.parametrize("half", ["development", "held out"])
def test_four_of_five_follow_ups_are_completed_as_they_should_be(half: str, models: Models) -> None:
    conversations = [each for each in CONVERSATIONS if each["half"] == half]
    assert {each["folder"] for each in conversations} == {"minutes", "contract", "chat", "novel"}
    right = [
        plain(completion.question) in map(plain, row["completed"])
        for conversation in conversations
        for row, completion in zip(conversation["turns"], completions(conversation, models), strict=True)
        if "completed" in row
    ]
    assert len(conversations) == 30 and len(right) >= 70
    assert sum(right) / len(right) >= 0.8


def test_a_new_subject_is_left_untouched_and_named(models: Models) -> None:
    rows = [
        (row, completion)
        for conversation in CONVERSATIONS
        for row, completion in zip(conversation["turns"], completions(conversation, models), strict=True)
        if row.get("new")
    ]
    assert len(rows) == 9
    for row, completion in rows:
        assert completion.kind is FollowKind.NEW_SUBJECT and completion.question == row["asked"]


def turns(*pairs: tuple[str, str]) -> Sequence[Turn]:
    return [Turn(question, question, answer, passages=("p1",)) for question, answer in pairs]


@pytest.mark.parametrize(
    ("before", "asked", "kind"),
    [
        (("When was Ines Duarte appointed?", "2019"), "When was Ines Duarte born?", FollowKind.OWN),
        (("How much is the rent?", "900 euros"), "Where does she live?", FollowKind.UNCLEAR),
        (
            ("Did the captain sell the boat?", "Yes"),
            "When did Anna Holm sell her house?",
            FollowKind.NEW_SUBJECT,
        ),
        (
            ("How much is the rent?", "900 euros"),
            "How long does it take to fly to Oslo?",
            FollowKind.NEW_SUBJECT,
        ),
    ],
)
def test_what_has_its_own_subject_or_finds_none_is_asked_as_typed(
    before: tuple[str, str], asked: str, kind: FollowKind, models: Models
) -> None:
    completion = complete(asked, turns(before), models.parse)
    assert (completion.kind, completion.question, completion.passages) == (kind, asked, ())


def test_what_was_replaced_is_told_and_the_passages_stay(models: Models) -> None:
    found = complete("Did she sign it?", turns(("Did Ms Keller see the lease?", "Yes")), models.parse)
    assert found.question == "Did Ms Keller sign the lease?"
    assert dict(found.words) == {"she": "Ms Keller", "it": "the lease"} and found.passages == ("p1",)


@pytest.mark.parametrize(
    "asked", ["?", "…", "And?", "which", "up to what", "What about?", "and the", "\U0001f6a2?"]
)
def test_a_scrap_is_never_an_error(asked: str, models: Models) -> None:
    for before in ("Who signed the lease?", "?", "List the members"):
        found = complete(asked, turns((before, "Anna Holm")), models.parse)
        assert found.question and found.original == asked


def test_the_first_question_is_asked_as_typed(models: Models) -> None:
    assert complete("And why?", [], models.parse) == Completion("And why?", "And why?", FollowKind.FIRST)


def test_own_words_hold_nothing_that_an_answer_brought(models: Models) -> None:
    before = [
        Turn("Who leads the choir?", "Who leads the choir?", "Nora Beck"),
        Turn("Since when?", "Since when does Nora Beck lead the choir?", "1998"),
    ]
    kept = without_answers(before, models.parse)
    assert [turn.answer for turn in kept] == ["", ""]
    assert not any("Nora" in text for turn in kept for text in (turn.question, *map(str, turn.words)))


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("Where does Nora Beck live?", FollowKind.COMPLETED),
        ("Where does Hugo Stein live?", FollowKind.UNCLEAR),  # nobody named him
        ("She lives in Bonn.", FollowKind.UNCLEAR),
        ("Here it is:\nWhere does Nora Beck live?", FollowKind.UNCLEAR),
    ],
)
def test_a_model_completes_with_names_of_the_conversation_only(
    reply: str, kind: FollowKind, models: Models, ollama: ScriptedServer
) -> None:
    ollama.say(reply)
    model = OllamaModel(ModelConfig(host=ollama.url, model=ollama.model))
    before = turns(("Who leads the choir?", "Nora Beck"))
    found = complete_by_model(model, "Live where, the one?", before, models.parse, TaskContext())
    assert found.kind is kind
    assert found.question == (reply if kind is FollowKind.COMPLETED else "Live where, the one?")
    assert "Nora Beck" in ollama.chats[0]["messages"][-1]["content"]
