"""Yes or no by what a passage says of each name and number of the question."""

from __future__ import annotations

import pytest

from core.answering.polar import parts, says_yes
from core.models.reader import Reader, ReaderPassage
from core.models.spacy_model import load

READER = Reader()
DEED = ReaderPassage(
    "Deed",
    "This deed was signed at Limassol on 19 June 2020 by Tobias Renwick and witnessed by Despina Hadjiloizou. "
    "The nominee may not sell the shares without written consent.",
)
MINUTES = ReaderPassage(
    "Minutes",
    "The committee approved 12,000 euros for the roof. The proposal to raise the fee was rejected. "
    "The alarm can be muted for ten minutes.",
)


def asked(question: str) -> list[tuple[str, str]]:
    return [(part.question, part.statement) for part in parts(load()(question))]


def test_a_question_without_one_of_its_names() -> None:
    assert asked("Did Tobias Renwick sign the deed?") == [("Who did sign the deed?", "Tobias Renwick")]
    assert ("Where was the deed signed?", "Limassol") in asked("Was the deed signed in Limassol?")
    assert asked("Was it signed in 2021?") == [("When was it signed?", "2021")]
    assert asked("Did they approve 15,000 euros for the roof?")[0][0].startswith("How ")
    assert asked("Are Bergen and Oslo both in Norway?") == []
    assert asked("Is it?") == []


@pytest.mark.parametrize(
    ("question", "told", "yes"),
    [
        ("Did Tobias Renwick sign the deed?", DEED, True),
        ("Did Despina Hadjiloizou sign the deed?", DEED, False),
        ("Was the deed signed in Bergen?", DEED, False),
        ("was the deed signed in limassol", DEED, True),
        ("Was the deed signed in 2020?", DEED, True),
        ("Was the deed signed in 2021?", DEED, False),
        ("Can the nominee sell the shares without consent?", DEED, False),
        ("Did the committee approve 15,000 euros for the roof?", MINUTES, False),
        ("Did the committee approve 12,000 euros for the roof?", MINUTES, True),
        ("Was the fee raised?", MINUTES, False),
        ("Was the proposal to raise the fee rejected?", MINUTES, True),
        ("Can the alarm be muted?", MINUTES, True),
    ],
)
def test_what_the_passage_says(question: str, told: ReaderPassage, yes: bool) -> None:
    (said,) = says_yes(question, [told], READER)
    assert said is not None and (said > 0.5) == yes


@pytest.mark.long
def test_a_question_of_many_names_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    read = READER.read
    monkeypatch.setattr(READER, "read", lambda question, told: asked.append(question) or read(question, told))
    names = ", ".join(f"Anna Keller and Otto Kask of Bergen in {year}" for year in range(1900, 1960))
    says_yes(f"Did {names} sign the deed?", [DEED], READER)
    assert 0 < len(asked) <= 4


@pytest.mark.parametrize(
    "question",
    ["Will it rain?", "Was the fee raised by Otto Kask?", "Is the harbour deep?", "", "?", "Did " * 300],
)
def test_what_no_sentence_tells_is_left_open(question: str) -> None:
    assert says_yes(question, [MINUTES, ReaderPassage("", "")], READER) == [None, None]
