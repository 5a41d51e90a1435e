"""How a workspace was built: the events in order, and one passage taken apart."""

from __future__ import annotations

from core.answering.models import Models
from core.ingest.construction.order import construction
from core.store.store import Store
from core.types import Anatomy, Construction


class ConstructionApi:
    """`workspace.construction`. Changes nothing; safe from every thread."""

    def __init__(self, store: Store, models: Models) -> None:
        self._store, self._models = store, models

    def events(self) -> Construction:
        """Passages, names, facts, merges, synonyms and people's acts in the order in which they came."""
        return construction(self._store)

    def anatomy(self, passage_id: str) -> Anatomy:
        """A passage read by its extractor again: its parse, what was taken, what was not and why.

        Where a language model read it, what that said then: it is not asked again. Loads the models; one thread at a
        time. Raises BadInput where the passage is gone, ModelUnavailable.
        """
        from core.ingest.construction.anatomy import (
            anatomy,
        )  # with the rules of extraction: only who looks needs them

        return self._models.parsing(lambda parser: anatomy(self._store, passage_id, parser))
