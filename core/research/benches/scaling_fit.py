"""How a cost grows with the size: which simple law fits what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

_FORMS: dict[str, Callable[[Numbers], Numbers]] = {
    "constant": np.zeros_like,
    "logarithm": np.log2,
    "root": np.sqrt,
    "linear": lambda sizes: sizes,
}
_FEWEST = 3  # sizes from which a law can be told
_AS_GOOD = 0.02  # relative error by which a faster growing law must be better


@dataclass(frozen=True, slots=True)
class Law:
    """`fixed` + `slope` times constant, logarithm, root or linear; `error` is the root mean square of the relative
    errors at the sizes measured. `exponent` is the slope of the line through the logarithms of sizes and values."""

    name: str
    exponent: float
    fixed: float
    slope: float
    error: float

    def at(self, size: float) -> float:
        """What it gives for another size: outside of those measured a guess."""
        return self.fixed + self.slope * float(_FORMS[self.name](np.array([float(size)]))[0])


def law_of(sizes: Sequence[float], values: Sequence[float]) -> Law | None:
    """The law with the smallest relative error; of laws that fit as well the one that grows slowest.

    None for fewer than three sizes, or a value that is not above zero.
    """
    n, measured = np.array(sizes, float), np.array(values, float)
    if len(n) < _FEWEST or (measured <= 0).any():
        return None
    exponent = float(np.polyfit(np.log(n), np.log(measured), 1)[0])
    found: Law | None = None
    for name, form in _FORMS.items():
        fixed, slope = _fitted(form(n), measured)
        error = float(np.sqrt(np.mean(((fixed + slope * form(n)) / measured - 1.0) ** 2)))
        if found is None or error < found.error - _AS_GOOD:
            found = Law(name, exponent, fixed, slope, error)
    return found


def _fitted(shape: Numbers, values: Numbers) -> tuple[float, float]:
    """Least squares of the relative errors, neither number below zero."""
    # Relative, or the largest size alone would count.
    columns = np.stack([1.0 / values, shape / values], axis=1)
    wanted = np.ones(len(values))
    if not shape.any():
        return float(columns[:, 0] @ wanted / (columns[:, 0] @ columns[:, 0])), 0.0
    (fixed, slope), *_ = np.linalg.lstsq(columns, wanted, rcond=None)
    if slope < 0:
        return float(columns[:, 0] @ wanted / (columns[:, 0] @ columns[:, 0])), 0.0
    if fixed < 0:
        return 0.0, float(columns[:, 1] @ wanted / (columns[:, 1] @ columns[:, 1]))
    return float(fixed), float(slope)
