"""Questions reserved for evaluation, and the figures on them in the report of a training."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from core.research.training.integrator import apart, with_figures
from core.research.training.integrator_score import Figures


@pytest.mark.parametrize("every", [0, 2, 4, 5])
def test_every_nth_example_is_for_evaluation(every: int) -> None:
    examples: list[Any] = [SimpleNamespace(number=number) for number in range(1, 12)]
    learned, evaluated = apart(examples, every)
    by_id = {id(each): each.number for each in examples}
    numbers = [by_id[id(each)] for each in evaluated]
    assert numbers == ([n for n in range(1, 12) if n % every == 0] if every else [])
    assert sorted([*(by_id[id(each)] for each in learned), *numbers]) == list(range(1, 12))


def test_the_report_tells_what_was_measured() -> None:
    figures = Figures(6, 0.5, 0.39, {"relevance": 0.9})
    report = json.loads(with_figures('{"questions": 18, "steps": []}', {"distilled": figures}))
    assert report["questions"] == 18
    assert report["held"] == {
        "distilled": {"questions": 6, "right": 0.5, "kept": 0.39, "rewards": {"relevance": 0.9}}
    }
