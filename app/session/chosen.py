"""The entities that a person gathered on the graph, shared by the window: `session.chosen`.

What is selected is one thing; what is chosen is a set beside it: what a lasso holds, what Ctrl+click adds.

session.chosen.set((one_id, other_id))
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal


class SharedChosen(QObject):
    """The chosen entities of a session, by id, as they came, none twice. `changed` carries them."""

    changed = Signal(object)  # tuple[str, ...]

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current: tuple[str, ...] = ()

    @property
    def current(self) -> tuple[str, ...]:
        return self._current

    def set(self, entities: Iterable[str]) -> None:
        """Choose these in place of what was chosen; nothing is told where it is the same."""
        chosen = tuple(dict.fromkeys(entities))
        if chosen != self._current:
            self._current = chosen
            self.changed.emit(chosen)

    def add(self, entities: Iterable[str]) -> None:
        self.set((*self._current, *entities))

    def remove(self, entities: Iterable[str]) -> None:
        gone = set(entities)
        self.set(id for id in self._current if id not in gone)

    def toggle(self, entity: str) -> None:
        """Add an entity, or remove it."""
        (self.remove if entity in self._current else self.add)([entity])

    def clear(self) -> None:
        self.set(())
