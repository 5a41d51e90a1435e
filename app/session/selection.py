"""Selection is one thing: what is chosen anywhere is chosen everywhere, with one history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

Kind = Literal["entity", "passage", "document", "citation", "community"]

HISTORY = 200  # steps that are remembered
MOST_CHOSEN = 5_000  # entities that are chosen at once


@dataclass(frozen=True, slots=True)
class Selected:
    """What is chosen.

    id: of the entity, passage, document or community (as text); of the passage for a citation.
    start, end: characters in the DOCUMENT's text where a place is meant (citation, the evidence of a
    fact), half open; both 0 otherwise. document_id: where it is known, else "".
    chain: the passage to whose chain of facts a citation belongs, which stays in sight; "" where it is of none.
    """

    kind: Kind
    id: str
    start: int = 0
    end: int = 0
    document_id: str = ""
    chain: str = ""

    @property
    def has_place(self) -> bool:
        return self.end > self.start


class Selection(QObject):
    """The current choice and the way there. `changed` carries Selected, or None when nothing is chosen."""

    changed = Signal(object)
    history_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history: list[Selected] = []
        self._at = -1
        self._current: Selected | None = None

    @property
    def current(self) -> Selected | None:
        return self._current

    @property
    def can_go_back(self) -> bool:
        return self._at > 0 or (self._current is None and self._at >= 0)

    @property
    def can_go_forward(self) -> bool:
        return self._at + 1 < len(self._history)

    def select(self, selected: Selected) -> None:
        """Select this, and drop the steps to go forward to. Selecting the same again emits again."""
        if self._at < 0 or self._history[self._at] != selected:
            del self._history[self._at + 1 :]
            self._history.append(selected)
            del self._history[:-HISTORY]
            self._at = len(self._history) - 1
        self._show(selected)

    def clear(self) -> None:
        """Select nothing; the history stays."""
        if self._current is not None:
            self._show(None)

    def forget(self) -> None:
        """Select nothing and empty the history (for another workspace)."""
        self._history.clear()
        self._at = -1
        self._show(None)

    def back(self) -> None:
        if self._current is None and self._at >= 0:
            self._show(self._history[self._at])
        elif self._at > 0:
            self._at -= 1
            self._show(self._history[self._at])

    def forward(self) -> None:
        if self.can_go_forward:
            self._at += 1
            self._show(self._history[self._at])

    def _show(self, selected: Selected | None) -> None:
        self._current = selected
        self.history_changed.emit()
        self.changed.emit(selected)


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
        """Replace the chosen entities; emits nothing where they stay the same."""
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
