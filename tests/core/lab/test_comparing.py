"""The Pareto front against its definition, and wins and losses by recall and answers."""

from __future__ import annotations

import numpy as np

from core.lab.comparing import compare_questions, pareto_front
from core.lab.rows import LabRow


def dominated(point: tuple[float, float], points: list[tuple[float, float]]) -> bool:
    """Whether another is no dearer and no worse, and better in one of them."""
    cost, quality = point
    return any(c <= cost and q >= quality and (c, q) != point for c, q in points)


def test_the_front_is_what_nothing_dominates() -> None:
    generator = np.random.default_rng(7)
    for _ in range(200):
        # Few values, so that many are equal in one or in both.
        drawn = generator.integers(0, 6, (int(generator.integers(0, 14)), 2)).astype(float)
        points = {f"c{at}": (float(cost), float(quality)) for at, (cost, quality) in enumerate(drawn)}
        every = list(points.values())
        front = pareto_front(points)
        assert set(front) == {name for name, point in points.items() if not dominated(point, every)}
        assert [points[name] for name in front] == sorted(points[name] for name in front)


def row(composition: str, question: str, **measures: float) -> LabRow:
    told = {name.replace("_", "@"): value for name, value in measures.items()}
    return LabRow(
        composition, question, f"{question}?", "kind", {}, 0, 0, 0, 0, (), composition, 0.0, 0, told
    )


def test_wins_are_by_recall_then_by_right_answers() -> None:
    rows = [
        row("a", "q1", recall_5=1.0, right=0.0),
        row("a", "q2", recall_5=0.5, right=1.0),
        row("a", "q3", recall_5=0.5, right=1.0),
        row("a", "q4", recall_5=1.0),
        row("a", "q5", right=1.0),
        row("a", "alone", recall_5=1.0),
        row("b", "q1", recall_5=0.5, right=1.0),
        row("b", "q2", recall_5=0.5, right=0.0),
        row("b", "q3", recall_5=1.0, right=0.0),
        row("b", "q4", recall_5=1.0),
        row("b", "q5", right=0.0),
    ]
    found = {each.question: each for each in compare_questions(rows, "a", "b")}
    outcomes = {question: each.outcome for question, each in found.items()}
    assert outcomes == {"q1": "win", "q2": "win", "q3": "loss", "q4": "tie", "q5": "win"}
    assert found["q1"].recall == (1.0, 0.5) and found["q4"].right == (None, None)
    assert found["q5"].recall == (None, None) and found["q1"].answers == ("a", "b")
    assert found["q1"].text == "q1?"
    assert [each.outcome for each in compare_questions(rows, "a", "a")] == ["tie"] * 6
    assert compare_questions(rows, "a", "nowhere") == []
