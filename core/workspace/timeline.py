"""What a workspace tells by its dates."""

from __future__ import annotations

from core.retrieval.timeline import inside, timeline_of
from core.store.store import Store
from core.types import InTime, Timeline


class TimelineApi:
    """`workspace.timeline`. Changes nothing; safe from every thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def columns(self) -> Timeline:
        """Dates of all facts, passages and documents; read once until the content changes, which may take seconds."""
        return timeline_of(self._store)

    def inside(self, since: str, until: str) -> InTime:
        """What is told in a range: ISO 8601 with or without month and day, both inclusive, "" for open.

        Milliseconds, once the columns were read. Raises BadInput for what is no date.
        """
        return inside(self.columns(), since, until)
