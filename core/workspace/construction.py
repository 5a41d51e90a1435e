"""How a workspace was built: the events in order, and one passage taken apart."""

from __future__ import annotations

from core.construction.order import construction
from core.store.store import Store
from core.types import Construction


class ConstructionApi:
    """`workspace.construction`. Changes nothing; safe from every thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def events(self) -> Construction:
        """Passages, names, facts, merges, synonyms and people's acts in the order in which they came."""
        return construction(self._store)
