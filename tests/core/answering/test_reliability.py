"""Bins and errors that were worked out by hand, and reports that are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.answering.reliability import mass_error, reliability_bins, reported_bins, width_error
from core.errors import BadInput
from core.types import Bin


def test_error_over_bins_of_equal_width_weighs_them_by_their_answers() -> None:
    # 0.9 to 1: mean .95, half right; 0.2 to 0.3: .25, none right.
    assert width_error([0.9, 1.0, 0.25], [True, False, False]) == pytest.approx((2 * 0.45 + 0.25) / 3)
    assert width_error([1.0, 0.0], [True, False]) == 0.0
    assert width_error([], []) is None


def test_error_over_bins_of_as_many_answers() -> None:
    values = [0.61, 0.62, 0.63, 0.64, 0.65, 0.66, 0.67, 0.68, 0.69, 0.7] * 2
    right = [False] * 10 + [True] * 10  # each value once right and once wrong
    assert mass_error(values, right) == pytest.approx(sum(value - 0.5 for value in values) / 20)
    # All of one value are one bin, in whatever order they come: half right at .5 is no error.
    assert mass_error([0.5] * 20, right) == pytest.approx(0.0)
    assert mass_error([0.9], [False]) == pytest.approx(0.9)
    assert mass_error([], []) is None


def test_bins_are_of_equal_width_without_empty_ones() -> None:
    assert reliability_bins([0.7, 0.75, 1.0, 0.0], [True, False, True, False]) == (
        Bin(0.0, 0.1, 0.25, 0.0),
        Bin(0.7, 0.8, 0.5, 0.5),
        Bin(0.9, 1.0, 0.25, 1.0),
    )
    assert reliability_bins([], []) == ()


def test_a_report_is_read_and_a_damaged_one_reported(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert reported_bins(report) == ()
    rows = [
        {"low": 0.1, "high": 0.2, "share": 0.4, "right": 0.12},
        {"low": 0, "high": 1, "share": 0, "right": None},
    ]
    report.write_text(json.dumps({"calibration": rows}))
    assert reported_bins(report) == (Bin(0.1, 0.2, 0.4, 0.12),)
    for text in ("{", "[]", '{"calibration": [{"low": 0}]}', '{"calibration": 3}'):
        report.write_text(text)
        with pytest.raises(BadInput, match="damaged"):
            reported_bins(report)
    report.write_text(json.dumps({"calibration": [{**rows[0], "right": 7}]}))
    with pytest.raises(BadInput, match="no share"):
        reported_bins(report)
