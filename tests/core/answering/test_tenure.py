"""Who holds a post, a ship or a house at a time: what began later took the place of what began before."""

from __future__ import annotations

from datetime import date

import pytest

from core.answering.models import Models
from core.answering.tenure import asked_time, tenure_of
from core.progress import TaskContext
from core.text.periods import EVER, NEVER, Period
from core.workspace import Workspace

TEXTS = {
    "minutes 2017.txt": (
        "Minutes of 6 March 2017\n\nAnna Berg was elected treasurer of the Skagen Rowing Club on 6 March 2017. "
        "The boathouse needs a new roof before the winter.\n"
    ),
    "minutes 2020.txt": (
        "Minutes of 9 March 2020\n\nCarl Holm was elected treasurer of the Skagen Rowing Club on 9 March 2020. "
        "The members thanked the secretary for the new boats.\n"
    ),
    "sale.txt": (
        "On 4 May 2018 Pieter Vos sold the Blue Heron to Calder Reach Trading. "
        "Ines Holm bought the Blue Heron from Calder Reach Trading on 2 June 2021.\n"
    ),
    "contact.txt": "Olav Ruud is the harbour master of Hirtshals. The office opens at nine.\n",
    "manager.txt": (
        "Dora Lind was the manager of the Tornby Hotel until 31 August 2019. "
        "Erik Dahl has been the manager of the Tornby Hotel since 1 September 2019.\n"
    ),
}


def day(year: int, month: int, number: int) -> int:
    return date(year, month, number).toordinal()


@pytest.mark.parametrize(
    ("sentence", "words", "first", "last"),
    [
        ("Anna Berg was appointed director on 3 May 2018.", "Anna Berg", day(2018, 5, 3), NEVER),
        ("Anna Berg resigned as director on 3 May 2018.", "Anna Berg", EVER, day(2018, 5, 3)),
        ("Anna Berg was the director until 2018.", "Anna Berg", EVER, day(2018, 12, 31)),
        ("Anna Berg has been the director since May 2018.", "Anna Berg", day(2018, 5, 1), NEVER),
        ("Anna Berg (born 1970) was elected in May 2018.", "Anna Berg", day(2018, 5, 1), NEVER),
        ("Anna Berg from Narva was elected in May 2018.", "Anna Berg", day(2018, 5, 1), NEVER),
        ("Anna Berg was elected in 2015 and resigned in 2018.", "Anna Berg", day(2015, 1, 1), day(2018, 12, 31)),
        ("From 2015 to 2018 the director was Anna Berg.", "Anna Berg", day(2015, 1, 1), day(2018, 12, 31)),
        ("Carl Holm succeeded Anna Berg on 3 May 2018.", "Carl Holm", day(2018, 5, 3), NEVER),
        ("Carl Holm succeeded Anna Berg on 3 May 2018.", "Anna Berg", EVER, day(2018, 5, 3)),
        ("Anna Berg was replaced by Carl Holm on 3 May 2018.", "Anna Berg", EVER, day(2018, 5, 3)),
        ("Anna Berg was replaced by Carl Holm on 3 May 2018.", "Carl Holm", day(2018, 5, 3), NEVER),
        ("Anna Berg sold the house to Carl Holm in 2018.", "Anna Berg", EVER, day(2018, 12, 31)),
        ("Anna Berg sold the house to Carl Holm in 2018.", "Carl Holm", day(2018, 1, 1), NEVER),
        ("Carl Holm bought the house from Anna Berg in 2018.", "Anna Berg", EVER, day(2018, 12, 31)),
    ],
)  # fmt: skip
def test_what_a_sentence_states_holds_for_a_time(sentence: str, words: str, first: int, last: int) -> None:
    start = sentence.index(words)
    found = tenure_of(sentence, start, start + len(words))
    assert found is not None
    assert found.days == Period(first, last)
    assert found.is_open == (last == NEVER)


@pytest.mark.parametrize(
    "sentence",
    [
        "Anna Berg is the director.",
        "Anna Berg met the board in May 2018.",
        "Anna Berg was elected on 1 May 2020 after Jon Lie resigned on 3 March 2020.",
    ],
)
def test_no_time_is_made_up(sentence: str) -> None:
    assert tenure_of(sentence, 0, 9) is None


def test_what_begins_without_a_date_goes_on_and_what_ends_is_over() -> None:
    begun = tenure_of("Anna Berg has been the director since January.", 0, 9)
    assert begun is not None and begun.is_open
    over = tenure_of("Anna Berg resigned as director.", 0, 9)
    assert over is not None and not over.is_open and over.days.last == EVER


def test_a_sentence_without_a_date_holds_on_the_day_of_its_document() -> None:
    assert tenure_of("Anna Berg is the director.", 0, 9, "2018-05-03") is None
    found = tenure_of("Anna Berg is the director.", 0, 9, "2018-05-03", has_plain=True)
    assert found is not None and found.days.first == day(2018, 5, 3) and found.is_open


@pytest.mark.parametrize(
    ("question", "time"),
    [
        ("Who is the director of Norsk Tind now?", (True, True, True)),
        ("Who is the director of Norsk Tind?", (True, True, False)),
        ("Who are the directors of Norsk Tind?", (True, False, False)),
        ("Who is the chair of the works council?", (True, True, False)),
        ("Who is a member of the board?", (True, False, False)),
        ("Who was present at the meeting?", None),
        ("Who is the former director of Norsk Tind?", None),
        ("What is the end date of the lease?", None),
        ("Where does Ines Holm live?", (True, True, False)),
        ("What does Ines Holm own?", (True, False, False)),
        ("Which company owns the Blue Heron today?", (True, True, True)),
        ("Who was the director of Norsk Tind?", None),
        ("When was Ines Holm appointed?", None),
        ("Who signed the lease?", None),
    ],
)
def test_a_question_asks_for_now(question: str, time: tuple[bool, bool, bool] | None, models: Models) -> None:
    found = asked_time(models.parse(question))
    if time is None:
        assert found is None
    else:
        assert found is not None and found.is_now
        assert (found.is_state, found.is_single, found.is_explicit) == time


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the treasurer of the Skagen Rowing Club now?", "Carl Holm"),
        ("Who is the treasurer of the Skagen Rowing Club?", "Carl Holm"),
        ("Who was the treasurer of the Skagen Rowing Club in 2018?", "Anna Berg"),
        ("Who was the treasurer of the Skagen Rowing Club in 2021?", "Carl Holm"),
        ("Who was the manager of the Tornby Hotel in 2015?", "Dora Lind"),
        ("Who is the manager of the Tornby Hotel today?", "Erik Dahl"),
        ("Who owns the Blue Heron now?", "Ines Holm"),
    ],
)
def test_dates_decide(question: str, answer: str, workspace: Workspace) -> None:
    found = workspace.ask(question, TaskContext())
    assert answer in found.text


def test_what_is_told_without_a_time_is_possible_at_most_for_another(workspace: Workspace) -> None:
    now = workspace.ask("Who is the harbour master of Hirtshals?", TaskContext())
    assert now.text == "Olav Ruud" and not now.guess
    then = workspace.ask("Who was the harbour master of Hirtshals in 2011?", TaskContext())
    assert then.abstained or then.guess and then.text == "Olav Ruud"


def test_who_was_before_is_another_reading_of_another_time(workspace: Workspace) -> None:
    found = workspace.ask("Who is the treasurer of the Skagen Rowing Club?", TaskContext())
    before = next(each for each in found.alternatives if "Anna Berg" in each.text)
    assert not before.holds
    assert before.probability < found.confidence / 2
    assert all(each.holds for each in found.alternatives if each is not before)
