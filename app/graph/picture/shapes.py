"""What a picture of the graph is made of, in pixels of the view, from the back to the front. Any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]
Colour = str  # "#rrggbb"


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of one look; `ends` (k, 4): x1, y1, x2, y2."""

    ends: Numbers
    colour: Colour
    width: float
    opacity: float = 1.0
    dotted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Discs:
    """Circles; the later ones lie upon the earlier ones."""

    centres: Numbers  # (k, 2)
    radii: Numbers  # (k,)
    fills: Sequence[Colour]  # of each; none where they are rings
    opacity: float = 1.0
    outline: Colour = ""
    width: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """A closed polygon with corners (k, 2)."""

    corners: Numbers
    fill: Colour
    outline: Colour
    width: float
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Box:
    left: float
    top: float
    width: float
    height: float
    fill: Colour
    outline: Colour = ""
    round: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Words:
    """One line; x is where it begins, stands in the middle or ends, by `anchor`, y its base line."""

    x: float
    y: float
    text: str
    size: float
    colour: Colour
    bold: bool = False
    anchor: str = "start"  # or "middle", "end"
    halo: Colour = ""  # around the letters


Shape = Lines | Discs | Area | Box | Words


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Shapes on a ground. `family`: of the letters."""

    width: int
    height: int
    ground: Colour
    family: tuple[str, ...]
    shapes: tuple[Shape, ...]
