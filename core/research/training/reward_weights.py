"""What each reward counts, from how it has grown. Deep GraphRAG 2.2.2, eq. 6 and 7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def slope(values: Values) -> float:
    """k of the least-squares line k x + b through values at x = 0, 1, ...; 0 for fewer than two."""
    if len(values) < 2:
        return 0.0
    x = np.arange(len(values)) - (len(values) - 1) / 2
    return float(x @ values / (x @ x))


def growth(values: Values) -> float:
    """Eq. 6: the slope over the range of the values; 0 where they do not change."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return slope(values) / spread if spread > 0 else 0.0


def softmax_weights(rates: Values, total: float, temperature: float) -> Values:
    """Eq. 7: (m,) weights that sum to `total`; the slower a reward grows, the more it counts."""
    powers = -rates / temperature
    shares = np.exp(powers - powers.max())
    return np.asarray(total * shares / shares.sum(), dtype=np.float64)


@dataclass(slots=True)
class Weights:
    """Static, or by eq. 7 over the last `window` steps.

    A rate lies within about 1.5 / window of 0, so that a `temperature` of 1 would leave all weights nearly alike.
    """

    first: tuple[float, ...]
    dynamic: bool = True
    window: int = 10
    temperature: float = 0.2
    history: list[Values] = field(default_factory=list)

    def now(self) -> Values:
        """For the next step; those it began with until the window is full."""
        start = np.array(self.first)
        if not self.dynamic or len(self.history) < self.window:
            return start
        recent = np.array(self.history[-self.window :])
        rates = np.array([growth(column) for column in recent.T])
        return softmax_weights(rates, float(start.sum()), self.temperature)

    def add(self, means: Sequence[float] | Values) -> None:
        """The mean rewards of a step."""
        self.history.append(np.asarray(means, dtype=np.float64))
