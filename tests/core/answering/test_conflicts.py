"""Other values of the same thing in other documents are named beside the answer; other things are not."""

from __future__ import annotations

import pytest

from core.answering.conflicts import value_of
from core.progress import TaskContext
from core.workspace import Workspace

TEXTS = {
    "letter.txt": "The claim of Harwell Ltd amounts to £412,000.",
    "minutes.txt": "The board noted that the claim of Harwell Ltd amounts to £388,150.",
    "article.txt": "Hilde Farrow is the chair of the works council of the Tarrow plant.",
    "protocol.txt": "Gerald Okonjo is the chair of the works council of the Tarrow plant.",
    "report.txt": "The claim of Osgood Ltd amounts to £57,300. The office of Harwell Ltd has 12 rooms.",
}


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("£412,000", "£388,150", True),
        ("£412,000", "412,000 euros", False),
        ("8 November 2021", "9 November 2021", True),
        ("8 November 2021", "2021", False),
        ("12 days", "14 days", True),
        ("12 days", "14 members", False),
        ("4.5 %", "4.50 %", False),
    ],
)
def test_values_differ_where_both_cannot_be_right(one: str, other: str, differ: bool) -> None:
    left, right = value_of(one), value_of(other)
    assert left is not None and right is not None
    assert left.contradicts(right) is differ


def test_words_are_no_value() -> None:
    assert value_of("Funchal") is None and value_of("at the airport") is None


def test_another_sum_of_the_same_claim_is_named_with_its_place(workspace: Workspace) -> None:
    answer = workspace.ask("What does the claim of Harwell Ltd amount to?", TaskContext())
    values = {answer.text, *(other.text for other in answer.conflicts)}
    assert values == {"£412,000", "£388,150"}
    assert {other.citation.document for other in answer.conflicts} < {"letter.txt", "minutes.txt"}
    assert not any("57,300" in other.text for other in answer.conflicts)


def test_another_holder_of_a_post_is_named_too(workspace: Workspace) -> None:
    answer = workspace.ask("Who is the chair of the works council of the Tarrow plant?", TaskContext())
    assert {answer.text, *(other.text for other in answer.conflicts)} == {"Hilde Farrow", "Gerald Okonjo"}
