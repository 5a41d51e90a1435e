"""Areas under curves and sums that were worked out by hand."""

from __future__ import annotations

import pytest

from core.research.report import Confidence, auc, calibration


def test_auc_counts_pairs_in_order_and_ties_by_half() -> None:
    assert auc([0.9, 0.8, 0.1], [True, True, False]) == 1.0
    assert auc([0.1, 0.9], [True, False]) == 0.0
    assert auc([0.5, 0.5, 0.9, 0.1], [True, False, True, False]) == pytest.approx(3.5 / 4)
    assert auc([0.5, 0.7], [True, True]) is None
    assert auc([], []) is None


def test_an_answer_to_an_unanswerable_question_is_a_wrong_one() -> None:
    found = calibration(
        [
            Confidence(0.8, True, True),
            Confidence(0.4, True, None),  # abstained
            Confidence(0.6, False, False),
            Confidence(0.2, False, None),
        ]
    )
    assert (found.answers, found.right, found.right_auc) == (2, 0.5, 1.0)
    assert found.calibration_error == pytest.approx((0.2 + 0.6) / 2)
    assert found.answerable_auc == pytest.approx(3 / 4)
    assert [(one.low, one.share, one.right) for one in found.bins] == [(0.6, 0.5, 0.0), (0.8, 0.5, 1.0)]
