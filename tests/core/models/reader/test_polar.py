"""Yes or no by what a passage says of each name and number of the question."""

from __future__ import annotations

import pytest

from core.answering.polar import parts, says_yes
from core.models.reader import SMALL, Reader, ReaderPassage
from core.models.spacy_model import load

READER = Reader(SMALL.weights)
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
    ("question", "passage", "yes"),
    [
        ("Did Tobias Renwick sign the deed?", DEED, True),
        ("Was the deed signed in Bergen?", DEED, False),
        ("Was the deed signed in 2021?", DEED, False),
        ("Can the nominee sell the shares without consent?", DEED, False),
        ("Did the committee approve 15,000 euros for the roof?", MINUTES, False),
        ("Can the alarm be muted?", MINUTES, True),
    ],
)
def test_what_the_passage_says(question: str, passage: ReaderPassage, yes: bool) -> None:
    (found,) = says_yes(question, [passage], READER)
    assert found is not None and (found > 0.5) == yes


@pytest.mark.long
def test_a_question_of_many_names_takes_few_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[str] = []
    read = READER.read
    monkeypatch.setattr(
        READER, "read", lambda question, texts: questions.append(question) or read(question, texts)
    )
    names = ", ".join(f"Anna Keller and Otto Kask of Bergen in {year}" for year in range(1900, 1940))
    says_yes(f"Did {names} sign the deed?", [DEED], READER)
    assert 0 < len(questions) <= 4


def test_what_no_sentence_decides_is_left_open() -> None:
    for question in ("Will it rain?", "Was the fee raised by Otto Kask?", "", "Did " * 100):
        assert says_yes(question, [MINUTES, ReaderPassage("", "")], READER) == [None, None]
