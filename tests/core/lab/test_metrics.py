"""Metrics by values that were worked out by hand."""

import numpy as np
import pytest

from core.lab.metrics import RANKING, diversity, measures, percentile


def test_measures_of_one_ranking() -> None:
    found = measures((1, 3, 7))
    assert found == {
        "recall@2": pytest.approx(1 / 3),
        "recall@5": pytest.approx(2 / 3),
        "recall@10": 1.0,
        "all@5": 0.0,
        "all@8": 1.0,
        "mrr": 1.0,
    }
    assert [*found, "diversity"] == list(RANKING)


def test_gold_that_comes_late_or_never() -> None:
    assert measures((3,))["mrr"] == pytest.approx(1 / 3)
    assert set(measures((None,)).values()) == {0.0}
    assert set(measures(()).values()) == {0.0}


def test_diversity_is_one_less_the_mean_cosine() -> None:
    x, y = [1.0, 0.0], [0.0, 1.0]
    slant = [0.6, 0.8]
    assert diversity(np.array([x, y], np.float32)) == pytest.approx(1.0)
    assert diversity(np.array([x, x, x], np.float32)) == pytest.approx(0.0, abs=1e-6)
    # cosines 0, 0.6 and 0.8
    assert diversity(np.array([x, y, slant], np.float32)) == pytest.approx(1 - 1.4 / 3)
    assert diversity(np.array([x], np.float32)) == 0.0
    assert diversity(np.zeros(0, np.float32)) == 0.0


def test_percentiles_are_values_that_were_measured() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0, 9.0], 0.5) == 3.0
    assert percentile([float(n) for n in range(1, 101)], 0.95) == 95.0
    assert percentile([], 0.5) == 0.0
