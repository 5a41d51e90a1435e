"""Two compositions compared question by question, and the Pareto front of many by quality and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.lab.rows import LabRow
from core.types import QuestionComparison

RECALL, RIGHT = "recall@5", "right"


def compare_questions(rows: Sequence[LabRow], one: str, other: str) -> list[QuestionComparison]:
    """Return the questions that both answered, in the order of the rows, with wins and losses of `one` by recall@5.

    Ties in recall are decided by whether the reader was right.
    """
    by = {(row.composition, row.question): row for row in rows}
    questions = dict.fromkeys(row.question for row in rows)
    pairs = ((by.get((one, each)), by.get((other, each))) for each in questions)
    return [_compare_rows(a, b) for a, b in pairs if a is not None and b is not None]


def _compare_rows(one: LabRow, other: LabRow) -> QuestionComparison:
    a, b = ((row.measures.get(RECALL, 0.0), row.measures.get(RIGHT, 0.0)) for row in (one, other))
    return QuestionComparison(
        one.question,
        one.text,
        one.kind,
        "win" if a > b else "loss" if a < b else "tie",
        (one.measures.get(RECALL), other.measures.get(RECALL)),
        (one.measures.get(RIGHT), other.measures.get(RIGHT)),
        (one.answer, other.answer),
    )


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names of the points (cost, quality) that no other dominates, the cheapest first."""
    front: list[str] = []
    best = -float("inf")
    for name, (cost, quality) in sorted(points.items(), key=lambda item: (item[1][0], -item[1][1])):
        if quality > best or (front and points[front[-1]] == (cost, quality)):
            front.append(name)
            best = quality
    return front
