"""What questions, the graph and communities keep to, shared by the window: `session.scope`.

session.scope.change(entities=(id,))  # the dates stay
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.types import Scope


class SharedScope(QObject):
    """The scope of a session. `changed` carries it."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        from core.types import Scope

        self._current = Scope()

    @property
    def current(self) -> Scope:
        return self._current

    def set(self, scope: Scope) -> None:
        """Keep to this; nothing is told where it is what holds already."""
        if scope != self._current:
            self._current = scope
            self.changed.emit(scope)

    def change(self, **parts: Any) -> None:
        """Keep to other `parts`, named as in `Scope`, and leave the rest."""
        self.set(replace(self._current, **parts))

    def clear(self) -> None:
        self.set(Scope())
