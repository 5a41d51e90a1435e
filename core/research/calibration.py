"""Calibration of answer probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from core.answering.reliability import mass_error, reliability_bins, width_error
from core.types import Bin


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confidence of one question. `right` is None where there is no answer, or no gold answer to compare it
    with.
    """

    value: float  # 0 to 1
    answerable: bool
    right: bool | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration figures, None where there are no two classes or no answers. Guesses count as answers, refusals do
    not.
    """

    answers: int  # answers that are known to be right or wrong
    right: float  # share of them
    right_auc: float | None
    calibration_error: float | None  # expected, over ten bins of equal width
    mass_calibration_error: float | None  # over ten bins of as many answers each
    answerable_auc: float | None
    bins: tuple[Bin, ...]  # of equal width


def calibration(found: Sequence[Confidence]) -> Calibration:
    """Separate right answers from wrong ones, and answerable questions from the others."""
    answered = [(one.value, one.right) for one in found if one.right is not None]
    values, right = [value for value, _ in answered], [is_right for _, is_right in answered]
    return Calibration(
        len(answered),
        sum(right) / len(answered) if answered else 0.0,
        auc(values, right),
        width_error(values, right),
        mass_error(values, right),
        auc([one.value for one in found], [one.answerable for one in found]),
        reliability_bins(values, right),
    )


def auc(values: Sequence[float], positive: Sequence[bool]) -> float | None:
    """Return the area under the ROC curve, a tie counting half; None where one side is empty. Hanley and McNeil
    1982.
    """
    sides = np.array(positive, dtype=bool)
    n, m = int(sides.sum()), int((~sides).sum())
    if not n or not m:
        return None
    ranks = float(rankdata(np.array(values))[sides].sum())
    return (ranks - n * (n + 1) / 2) / (n * m)
