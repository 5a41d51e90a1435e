"""What anybody draws upon the graph: heat, a chain of facts, marks; one value, shared by all who show a graph.

session.overlay.draw(Overlay(heat={entity_id: 0.4}, title="Relevance (share of PageRank)"))
session.overlay.change(path=(one_id, other_id))  # the heat stays
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.look.translation import tr


@dataclass(frozen=True, slots=True)
class ChainFact:
    """A fact between two entities of a path: told `forward`, or from the later of them to the earlier."""

    predicate: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Overlay:
    """Entities are named by their ids; those that a graph does not draw are left out of it.

    Raises ValueError for a heat that is negative or no number.
    """

    # Entity -> at least 0, all in one unit, that of `title`. Colours are logarithmic, from the largest value down to
    # its 500th part; below that nothing is hot. A node that stands for several entities has their sum.
    heat: Mapping[str, float] = field(default_factory=dict)
    path: tuple[str, ...] = ()  # a chain of entities, each joined to the next; drawn only if all of them are
    marks: tuple[str, ...] = ()  # entities in front, in any order; the rest of the graph fades
    communities: tuple[int, ...] = ()  # likewise, by id; seen where they are single nodes
    neighbours: bool = False  # whether all that is joined to the marks comes to the front with them
    title: str = tr("Relevance")  # what the heat is, for its legend
    facts: tuple[ChainFact, ...] = ()  # between the entities of the path, or none of them
    reaches: str = ""  # what the path leads to, beside its last entity: "passage 3"

    def __post_init__(self) -> None:
        if not isinstance(self.heat, MappingProxyType):
            object.__setattr__(self, "heat", MappingProxyType(dict(self.heat)))
            wrong = {id: value for id, value in self.heat.items() if not 0.0 <= value < math.inf}
            if wrong:
                raise ValueError(f"Heat is a finite number from 0 on, not {wrong}.")


class SharedOverlay(QObject):
    """The overlay of a session. `changed` carries it."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current = Overlay()

    @property
    def current(self) -> Overlay:
        return self._current

    def draw(self, overlay: Overlay) -> None:
        """Draw this in place of what was drawn. Drawing the same again tells it again."""
        self._current = overlay
        self.changed.emit(overlay)

    def change(self, **parts: Any) -> None:
        """Draw other `parts`, named as in `Overlay`, and leave the rest."""
        self.draw(replace(self._current, **parts))
