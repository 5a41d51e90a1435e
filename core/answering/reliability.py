"""How well stated probabilities hold: reliability diagrams and expected calibration errors. Guo et al. 2017."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.text.translation import tr
from core.types import Bin, JudgedAnswer, Reliability

BINS = 10
_FIELDS = ("low", "high", "share", "right")


def reliability(judged: Sequence[JudgedAnswer], report: Path) -> Reliability:
    """Of the reader, as its report tells, and of answers that a person judged; refusals are left out."""
    answered = [one for one in judged if one.answer]
    bins = reliability_bins([one.probability for one in answered], [one.right for one in answered])
    return Reliability(reported_bins(report), bins, len(answered))


def reported_bins(report: Path) -> tuple[Bin, ...]:
    """The list `calibration` of a training's report; () where there is no report. Raises BadInput for a damaged one."""
    if not report.exists():
        return ()
    try:
        rows = json.loads(report.read_text(encoding="utf-8"))["calibration"]
        bins = tuple(Bin(*(_share(row[name]) for name in _FIELDS)) for row in rows if row["share"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            tr("{report} is damaged ({error}).", report=report, error=error), tr("Install Clew again.")
        ) from error
    return bins


def _share(value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is no share")
    return float(value)


def reliability_bins(values: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    """Ten bins of equal width, empty ones left out."""
    scores, outcomes = np.array(values, dtype=float), np.array(right, dtype=float)
    places = _by_width(scores)
    return tuple(
        Bin(at / BINS, (at + 1) / BINS, float((places == at).mean()), float(outcomes[places == at].mean()))
        for at in np.unique(places).tolist()
    )


def width_error(values: Sequence[float], right: Sequence[bool]) -> float | None:
    """Expected calibration error over ten bins of equal width, eq. 5; None for no answer."""
    return _error(np.array(values), right, _by_width(np.array(values))) if values else None


def mass_error(values: Sequence[float], right: Sequence[bool]) -> float | None:
    """The same over ten bins of as many answers each (some more where their values are the same). Nguyen and
    O'Connor 2015; None for no answer.
    """
    scores = np.array(values)
    if not len(scores):
        return None
    first = np.searchsorted(np.sort(scores), scores)  # equal values share a bin, whatever their order
    return _error(scores, right, first * min(BINS, len(scores)) // len(scores))


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Lower and upper end of the 95 % interval of a share of `of` trials; (0, 1) for none. Wilson 1927."""
    if not of:
        return 0.0, 1.0
    z, share = 1.96, hits / of
    middle = share + z * z / (2 * of)
    spread = float(z * ((share * (1 - share) + z * z / (4 * of)) / of) ** 0.5)
    scale = 1 + z * z / of
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def _by_width(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    # Rounded: 0.7 * 10 lies a hair below 7 for some.
    return np.clip((scores * BINS + 1e-9).astype(np.int64), 0, BINS - 1)


def _error(scores: NDArray[np.float64], right: Sequence[bool], places: NDArray[np.int64]) -> float:
    gaps = np.bincount(places, scores - np.array(right, dtype=float), BINS)
    return float(np.abs(gaps).sum() / len(scores))
