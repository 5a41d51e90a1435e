"""The reader's calibration, fitted and judged: each family of corpora by a fit without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from core.comprehension.calibration import Calibration, Judged, family, fit
from core.evaluation.calibration import auc
from core.reliability import reliability_bins, width_error


def calibrated(corpora: Mapping[str, Sequence[Judged]]) -> tuple[Calibration, dict[str, object]]:
    """The calibration of all, and what those fitted without a family do on it. Raises ValueError, as `fit` does."""
    values: list[float] = []
    right: list[bool] = []
    rows = {}
    for name, questions in corpora.items():
        others = {other: held for other, held in corpora.items() if family(other) != family(name)}
        without = fit(others)
        firsts = [_likeliest(question, without) for question in questions]
        own, held = [value for value, _ in firsts], [truth for _, truth in firsts]
        rows[name] = {"questions": len(own), "right": _mean(held), "auc": auc(own, held)}
        values += own
        right += held
    report: dict[str, object] = {
        "corpora": rows,
        "auc": auc(values, right),
        "expected calibration error": width_error(values, right),
        "calibration": [asdict(bin) for bin in reliability_bins(values, right)],
    }
    return fit(corpora), report


def _likeliest(question: Judged, calibration: Calibration) -> tuple[float, bool]:
    truths = {id(each): right for each, right in zip(question.proposals, question.right, strict=True)}
    ranked = calibration.ranked(question.proposals)
    return (ranked[0][1], truths[id(ranked[0][0])]) if ranked else (0.0, False)


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
