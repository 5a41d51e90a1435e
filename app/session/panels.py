"""What a panel of the workbench is, so that a feature says it of itself and the shell only lists it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from PySide6.QtWidgets import QWidget

from app.session.session import Session


class Area(Enum):
    """Where a panel stands at first. Those at the bottom share one dock, as tabs."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """`make` is given the session, to whose commands the panel adds its own. `share` of its side's height, `least`
    width in pixels at 100 %, `keys` where Ctrl and its number are not its own. What is not `everyday` waits for its
    command, or for an arrangement that names it."""

    id: str
    title: str
    area: Area
    make: Callable[[Session], QWidget]
    share: float = 0.5
    least: int = 220
    keys: str = ""
    everyday: bool = True
