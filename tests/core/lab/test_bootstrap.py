"""Intervals and differences against what is known of made data."""

import numpy as np
import pytest
from numpy.typing import NDArray

from core.lab.bootstrap import Interval, bootstrap_means, interval, paired_differences


def mean_intervals(values: NDArray[np.float64], resamples: int = 10_000) -> list[Interval]:
    """One interval a column of `values` (n, m)."""
    means = bootstrap_means(values, resamples)
    return [interval(float(values[:, at].mean()), means[:, at]) for at in range(values.shape[1])]


def test_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    # 400 experiments with 120 questions each, as recall is: 0, 1/2 or 1; true mean 0.6.
    tables = generator.choice([0.0, 0.5, 1.0], p=[0.2, 0.4, 0.4], size=(120, 400))
    held = [found.low <= 0.6 <= found.high for found in mean_intervals(tables, resamples=1_000)]
    assert 0.91 <= np.mean(held) <= 0.985


def test_interval_is_as_wide_as_the_normal_one() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.2, size=(400, 1))
    found = mean_intervals(values)[0]
    half = 1.96 * values.std(ddof=1) / 20.0
    assert found.value == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_resamples_draw_questions_with_replacement() -> None:
    means = bootstrap_means(np.array([[0.0], [1.0]]), resamples=4_000)[:, 0]
    shares = [np.mean(means == value) for value in (0.0, 0.5, 1.0)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_a_real_difference_is_found_where_unpaired_intervals_overlap() -> None:
    generator = np.random.default_rng(3)
    hard = generator.random(200)  # questions differ much more than the two routes
    left, right = hard + 0.03 + generator.normal(0, 0.02, 200), hard + generator.normal(0, 0.02, 200)
    alone = mean_intervals(np.column_stack([left, right]))
    found = paired_differences(left[:, None], right[:, None])[0]
    assert alone[0].low < alone[1].high
    assert found.significant
    assert found.p < 0.01
    assert found.low < 0.03 < found.high


def test_no_difference_is_found_about_one_time_in_twenty() -> None:
    generator = np.random.default_rng(4)
    shared = generator.random((100, 300))
    left, right = (shared + generator.normal(0, 0.1, shared.shape) for _ in range(2))
    found = paired_differences(left, right, resamples=1_000)
    assert 0.02 <= np.mean([one.significant for one in found]) <= 0.09
    assert np.mean([one.p < 0.05 for one in found]) == np.mean([one.significant for one in found])


def test_turned_round_only_the_sign_changes() -> None:
    left, right = np.random.default_rng(6).random((2, 60, 1))
    one, other = paired_differences(left, right)[0], paired_differences(right, left)[0]
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))
    assert one.p == pytest.approx(other.p)
    (found,) = paired_differences(left, left)
    assert (found.value, found.low, found.high, found.p, found.significant) == (0.0, 0.0, 0.0, 1.0, False)
