"""The mapping between data units (y up) and screen pixels (y down)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.graph.canvas.arrays import Floats


@dataclass(frozen=True, slots=True)
class Camera:
    """`left` and `top` are the data coordinates of the upper left pixel; `scale` is pixels per data unit."""

    left: float
    top: float
    scale: float
    width: int  # pixels
    height: int

    def to_screen(self, xy: Floats) -> Floats:
        """Pixels of data points; both of shape (n, 2)."""
        factor = np.array([self.scale, -self.scale], np.float32)
        return (xy - np.array([self.left, self.top], np.float32)) * factor

    def to_data(self, x: float, y: float) -> tuple[float, float]:
        """Data point under a pixel."""
        return self.left + x / self.scale, self.top - y / self.scale
