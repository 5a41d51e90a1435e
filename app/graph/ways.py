"""Ways through the graph: the chain of facts to a passage, and how a neighbourhood is laid out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.session.selection import Selected

if TYPE_CHECKING:
    from core.types import Answer, GraphView


def path_to(chosen: Selected | None, answer: Answer | None) -> tuple[str, ...]:
    """Entity ids from the question to a passage of the answer; () when no facts lead there."""
    if chosen is None or answer is None or chosen.kind not in ("passage", "citation"):
        return ()
    whys = (row.why for row in answer.evidence if row.passage.id == chosen.id)
    return next((why.entity_ids for why in whys if why is not None and why.path), ())


def around(view: GraphView, centre: int) -> NDArray[np.float32]:
    """Positions (n, 2): one node in the middle, the others on rings, communities side by side."""
    others = [row for row in range(len(view.ids)) if row != centre]
    others.sort(key=lambda row: (int(view.community[row]), -int(view.degree[row])))
    positions = np.zeros((len(view.ids), 2), np.float32)
    rings = max(1, math.ceil(len(others) / 16))
    for number, row in enumerate(others):
        angle = 2 * math.pi * number / max(len(others), 1)
        radius = 1.0 + 0.55 * (number % rings)
        positions[row] = (radius * math.cos(angle), radius * math.sin(angle))
    return positions
