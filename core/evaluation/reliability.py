"""The reader's calibration, fitted and judged: each family of corpora by a fit without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.comprehension.calibration import Calibration, Judged, fit
from core.evaluation.calibration import BINS, auc, calibration_error


def calibrated(corpora: Mapping[str, Sequence[Judged]]) -> tuple[Calibration, dict[str, object]]:
    """The calibration of all, and what those fitted without a family do on it. Raises ValueError, as `fit` does."""
    values: list[float] = []
    right: list[bool] = []
    rows = {}
    for name, questions in corpora.items():
        others = {other: held for other, held in corpora.items() if _family(other) != _family(name)}
        without = fit(others)
        firsts = [_likeliest(question, without) for question in questions]
        own, held = [value for value, _ in firsts], [truth for _, truth in firsts]
        rows[name] = {"questions": len(own), "right": _mean(held), "auc": auc(own, held)}
        values += own
        right += held
    report: dict[str, object] = {
        "corpora": rows,
        "auc": auc(values, right),
        "expected calibration error": calibration_error(values, right),
        "calibration": bins(values, right),
    }
    return fit(corpora), report


def bins(values: Sequence[float], right: Sequence[bool]) -> list[dict[str, float]]:
    """For a reliability diagram: of each tenth of the scale the share of answers, and how many are right."""
    places = np.clip((np.array(values) * BINS).astype(int), 0, BINS - 1)
    held = np.array(right, dtype=float)
    return [
        {
            "low": at / BINS,
            "high": (at + 1) / BINS,
            "share": float((places == at).mean()),
            "right": float(held[places == at].mean()),
        }
        for at in range(BINS)
        if (places == at).any()
    ]


def _likeliest(question: Judged, calibration: Calibration) -> tuple[float, bool]:
    truths = {id(each): right for each, right in zip(question.proposals, question.right, strict=True)}
    ranked = calibration.ranked(question.proposals)
    return (ranked[0][1], truths[id(ranked[0][0])]) if ranked else (0.0, False)


def _family(name: str) -> str:
    return name.partition("-")[0]


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
