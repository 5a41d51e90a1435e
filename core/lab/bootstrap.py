"""Confidence of a mean: percentile bootstrap over questions. Efron and Tibshirani 1993, ch. 13 and 16.

All columns of a table are resampled together, so the difference of two columns is paired: both saw the same
questions. Seeded: the same values give the same intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
CONFIDENCE = 0.95
SEED = 20_240_517
_BLOCK = 500  # resamples drawn at once; bounds the memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of paired differences, its 95 % interval, and the two-sided p-value that there is none, 0 to 1."""

    value: float
    low: float
    high: float
    p: float

    @property
    def significant(self) -> bool:
        """Return whether the interval excludes 0; p is then below 0.05."""
        return self.low > 0.0 or self.high < 0.0


def bootstrap_means(values: NDArray[np.float64], resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return the means of questions drawn with replacement. `values` (n, m) -> (resamples, m)."""
    n, columns = values.shape
    generator = np.random.default_rng(SEED)
    means = np.empty((resamples, columns))
    for first in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - first)
        drawn = generator.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        means[first : first + size] = counts @ values / n
    return means


def interval(value: float, means: NDArray[np.float64]) -> Interval:
    """Return the interval of a mean from its resampled means, shape (resamples,)."""
    low, high = _bounds(means)
    return Interval(value, low, high)


def difference(value: float, means: NDArray[np.float64]) -> Difference:
    """Return the interval and p-value of a mean of paired differences from its resampled means, shape (resamples,).

    p inverts the percentile interval: twice the share of resamples on the other side of 0, or on it.
    """
    low, high = _bounds(means)
    # Resamples where both sides are equal differ by rounding only.
    below, above = int((means <= 1e-12).sum()), int((means >= -1e-12).sum())
    p = min(1.0, 2.0 * (1 + min(below, above)) / (1 + len(means)))
    return Difference(value, low, high, p)


def paired_differences(
    left: NDArray[np.float64], right: NDArray[np.float64], resamples: int = RESAMPLES
) -> list[Difference]:
    """Return left - right for each column; both are (n, m), with rows of the same questions."""
    gaps = left - right
    means = bootstrap_means(gaps, resamples)
    return [difference(float(gaps[:, at].mean()), means[:, at]) for at in range(gaps.shape[1])]


def _bounds(means: NDArray[np.float64]) -> tuple[float, float]:
    """Return the resampled means that exclude as many on each side as p < 0.05 allows, so that interval and p
    agree.
    """
    ordered = np.sort(means)
    spare = max(0, math.ceil((1.0 - CONFIDENCE) / 2.0 * (len(means) + 1) - 1.0) - 1)
    return _clean(float(ordered[spare])), _clean(float(ordered[-1 - spare]))


def _clean(value: float) -> float:
    """Return 0 for the rounding error of a sum of differences."""
    return 0.0 if abs(value) < 1e-12 else value
