"""Where questions of a run ended, against counts by hand."""

from __future__ import annotations

from dataclasses import replace

from core.lab.rows import LabRow
from core.lab.stages import Ending, endings

ROW = LabRow("staged", "1", "Who?", "", {"all": 1.0}, 0, 0, 0, 0, (), "", 0.0, 10, {"recall@5": 1.0})


def test_shares_are_of_all_questions_and_recalls_of_the_same_ones() -> None:
    staged = [
        replace(ROW, ended="local"),
        replace(ROW, question="2", ended="fail", seconds={"all": 3.0}, tokens=30, measures={"recall@5": 0.5}),
        replace(ROW, question="3", ended="local", measures={"recall@5": 0.0}),
        replace(ROW, question="4", ended="global", seconds={"all": 5.0}, measures={}),
    ]
    plain = [replace(ROW, composition="plain", question=at, measures={"recall@5": 0.25}) for at in "123"]
    assert endings([*staged, *plain]) == [
        Ending("staged", "local", 2, 0.5, 0.2, 1 / 3, {"staged": 0.5, "plain": 0.25}),
        Ending("staged", "global", 1, 0.25, 0.5, 1 / 6, {}),
        Ending("staged", "fail", 1, 0.25, 0.3, 0.5, {"staged": 0.5, "plain": 0.25}),
    ]


def test_a_composition_without_stages_tells_nothing_and_one_that_stopped_short_is_not_compared() -> None:
    rows = [
        replace(ROW, ended="local"),
        replace(ROW, question="2", ended="local"),
        replace(ROW, composition="other"),
    ]
    (found,) = endings(rows)
    assert found.recalls == {"staged": 1.0}
