"""What of the drawn graph is there at one moment of its construction. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.arrays import Ints, Rows

MOST_LINKS = 4_000  # lines that one step may draw
_LATEST = 500  # of these, which are all drawn


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Rows are those of the drawn nodes."""

    there: NDArray[np.bool_]  # (n,)
    newest: Rows  # nodes that came last
    links: Ints  # (k, 2) between nodes that are there, in the order in which they came
    fresh: int  # how many of the links, at their end, came last

    def drawn_links(self) -> tuple[Ints, Ints]:
        """Those to draw, without those that came last, and these; where there are many the older ones are thinned."""
        old, new = self.links[: len(self.links) - self.fresh], self.links[len(self.links) - self.fresh :]
        if len(old) > MOST_LINKS:
            step = len(old) // (MOST_LINKS - _LATEST) + 1
            old = np.concatenate([old[:-_LATEST:step], old[-_LATEST:]])
        return old, new[-_LATEST:]
