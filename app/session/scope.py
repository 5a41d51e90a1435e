"""What questions, the graph and communities keep to, shared by the window: `session.scope`.

session.scope.change(entities=(id,))  # the dates stay
session.scope.add(Scope(documents=(id,)))  # beside what it holds
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.types import Scope


class SharedScope(QObject):
    """The scope of a session. `changed` carries it.

    `path`: those of its entities that came as one chain of facts, in their order.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current = Scope()
        self.path: tuple[str, ...] = ()

    @property
    def current(self) -> Scope:
        return self._current

    def set(self, scope: Scope) -> None:
        """Keep to this; nothing is told where it is what holds already."""
        if not set(self.path) <= set(scope.entities):
            self.path = ()
        if scope != self._current:
            self._current = scope
            self.changed.emit(scope)

    def change(self, **parts: Any) -> None:
        """Keep to other `parts`, named as in `Scope`, and leave the rest."""
        self.set(replace(self._current, **parts))

    def add(self, more: Scope, path: bool = False) -> None:
        """Keep to what `more` names, too; with `path` its entities are a chain. The dates stay."""
        now = self._current
        if path:
            self.path = more.entities
        self.set(
            replace(
                now,
                entities=tuple(dict.fromkeys((*now.entities, *more.entities))),
                documents=tuple(dict.fromkeys((*now.documents, *more.documents))),
                communities=tuple(dict.fromkeys((*now.communities, *more.communities))),
            )
        )

    def clear(self) -> None:
        self.set(Scope())
