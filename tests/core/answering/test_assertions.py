"""Answers hear what denies, supposes, plans or only reports what is asked."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.answering import joint
from core.config import AnswerConfig
from core.types import Answer
from tests.core.answering.case import ask, candidate

DATA = Path(__file__).parents[2] / "data"
EVERY = AnswerConfig(sure=0.0, min_probability=0.0)
WANTED = {"who": "want_who", "polar": "want_polar"}  # what is asked, and what is right, in a row of a file
_DENYING = ("no", "none", "nobody", "neither", "nothing")  # an answer that is itself the denial


def answer(question: str, text: str) -> Answer:
    return ask(question, [candidate("Notes", text)], EVERY)


def test_the_denied_one_is_not_named_and_the_sentence_is_quoted() -> None:
    text = "It is not true that Wanda Kern sank the barge Lotus."
    found = answer("Who sank the barge Lotus?", text)
    assert found.abstained and not found.text
    assert "denied" in found.missing and text in found.missing


@pytest.mark.parametrize(
    ("question", "text", "wanted"),
    [
        ("Who has the key of the pump house?", "Ilse Voss: who has the key of the pump house?", ""),
        ("Who signed the lease?", "Rolf Adler asked: who signed the lease?", ""),
        ("Who asked how the pump is primed?", "Ilse Voss: how is the pump primed?", "Ilse Voss"),
        ("Who signed the lease?", "Who signed the lease? Rolf Adler signed the lease.", "Rolf Adler"),
    ],
)
def test_who_asks_is_not_the_answer(question: str, text: str, wanted: str) -> None:
    assert answer(question, text).text == wanted


def test_a_question_for_the_denial_is_answered() -> None:
    assert answer("Who did not sink the barge?", "Wanda Kern did not sink the barge.").text == "Wanda Kern"
    assert answer("Who will sink the barge?", "Wanda Kern will sink the barge.").text == "Wanda Kern"


def test_who_denies_it_is_named_with_the_no() -> None:
    found = answer("Did Wanda Kern sink the barge Lotus?", "Wanda Kern denied sinking the barge Lotus.")
    assert found.text == "No" and "Wanda Kern" in found.put_as
    found = answer("Did Wanda Kern sink the barge Lotus?", "Wanda Kern at no time sank the barge Lotus.")
    assert found.text == "No" and not found.put_as


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("The board resolved to appoint Ilse Voss as secretary.", "Ilse Voss"),
        ("It was unanimously agreed that Ilse Voss be appointed secretary.", "Ilse Voss"),
        ("The members voted to appoint Ilse Voss secretary.", "Ilse Voss"),
        ("The board wants to appoint Ilse Voss as secretary.", ""),
        ("The board did not resolve to appoint Ilse Voss as secretary.", ""),
    ],
)
def test_what_a_body_resolved_is_told_as_resolved(sentence: str, wanted: str) -> None:
    found = answer("Who was appointed secretary?", sentence)
    assert found.text == wanted
    assert not wanted or "not that it was done" in found.put_as


def test_yes_and_no_of_what_no_sentence_says_are_not_stated() -> None:
    found = answer("Was Ilse Voss convicted of fraud?", "Ilse Voss denies the charges of fraud.")
    assert not found.text or found.literal is False
    assert (
        answer("Was Ilse Voss convicted of fraud?", "The court convicted Ilse Voss of fraud.").literal is None
    )


def test_no_that_no_sentence_denies_is_not_stated() -> None:
    found = answer(
        "May a member be paid?", "The club keeps an account for bounties that are paid out by a host."
    )
    assert found.text != "No" or found.literal is False


LEAVES = "If a tenant leaves early the landlord is asked. The deposit is"


@pytest.mark.parametrize(
    ("question", "text", "wanted"),
    [
        ("Is interest payable on a salary advance?", "You repay an advance with no interest payable.", "No"),
        (
            "Is interest payable on the loan?",
            "A loan takes ten months. Interest is payable at 2 per cent.",
            "Yes",
        ),
        ("Is the deposit refundable if a tenant leaves early?", f"{LEAVES} not refundable.", "No"),
        ("Is the deposit refundable if a tenant leaves early?", f"{LEAVES} refundable.", "Yes"),
        ("Is the harbour the owner of the crane?", "THE HARBOUR IS NOT THE OWNER OF THE CRANE.", "No"),
    ],
)
def test_the_sentence_that_says_what_is_asked_decides(question: str, text: str, wanted: str) -> None:
    assert answer(question, text).text == wanted


def test_a_sale_that_does_not_come_about_names_no_buyer() -> None:
    text = "Two days later Lind & Sons called off the purchase of the mill at Aby."
    found = answer("Did Lind & Sons purchase the mill at Aby?", text)
    assert found.text != "Yes" or found.put_as


def test_who_says_so_is_named() -> None:
    found = answer("Who sank the barge Lotus?", "Otto Lind claims that Wanda Kern sank the barge Lotus.")
    assert found.text == "Wanda Kern"
    assert "Otto Lind" in found.put_as


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("Who pays the rent?", "The tenant shall pay the rent.", "tenant"),
        ("When does the ferry leave?", "The ferry is scheduled to leave at noon.", "noon"),
        (
            "Who called Emil Rask a thief?",
            "Wanda Kern tried to win by calling Emil Rask a thief.",
            "Wanda Kern",
        ),
        ("Who crossed the strait first?", "Ada Moe became the first woman to cross the strait.", "Ada Moe"),
        ("Why did the engine stop?", "The engine did not start again because the pump was dry.", "dry"),
    ],
)
def test_what_is_no_denial_of_what_is_asked(question: str, text: str, words: str) -> None:
    assert words in answer(question, text).text


def test_instructions_say_how_it_is_done_and_not_what_was_done() -> None:
    text = "If you wish to report a fault, write to the harbour office in Pärnu."
    assert "harbour office" in answer("To whom are faults reported?", text).text
    assert answer("To whom did Ann report the fault?", text).abstained


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def is_right(row: dict[str, Any], found: Answer, wanted: str) -> bool:
    named = row["name"].casefold() in found.text.casefold()
    cut = joint.words(found.text)  # the reader may cut a name: whom it names is asked here
    named = named or (bool(cut) and {*cut} <= {*joint.words(row["name"])})
    match wanted:
        case "refused":
            words = found.text.casefold().split()
            return (
                found.abstained and row["sentence"] in found.missing or words[:1] in [[w] for w in _DENYING]
            )
        case "given":
            return named and not found.put_as
        case "reported":
            return bool(found.put_as) and (named or found.text == "Yes")
        case "No":  # who denies it is named beside it
            return found.text == "No"
        case _:
            return found.text == wanted and not found.put_as


def wrong(name: str) -> dict[tuple[str, bool], list[str]]:
    """Return the sentences of a file that are answered wrongly, by question and whether they are put as so.

    Each is read once for both questions. A kind stays out where no more than a twentieth of its sentences is wrong.
    """
    found: dict[tuple[str, bool], list[str]] = {
        (asked, plain): [] for asked in WANTED for plain in (True, False)
    }
    counts = Counter[bool]()
    for row in rows(name):
        plain, passage = row["want_who"] == "given", candidate("Notes", row["sentence"])
        counts[plain] += 1
        for asked, wanted in WANTED.items():
            if not is_right(row, ask(row[asked], [passage], EVERY), row[wanted]):
                found[asked, plain].append(row["sentence"])
    assert counts[True] and counts[False]
    return {kind: sentences for kind, sentences in found.items() if len(sentences) > 0.05 * counts[kind[1]]}


@pytest.mark.long
def test_nearly_all_sentences_of_each_kind_are_answered() -> None:
    """`tests/research/test_assertions.py` asks of the other files."""
    assert wrong("assertions-held-out.jsonl") == {}
