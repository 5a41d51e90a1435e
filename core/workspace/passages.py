"""The passages of a workspace: the pieces of documents that are retrieved and cited."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from core.answering.models import Models
from core.store.store import Store
from core.types import Anatomy, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PassagesApi:
    """`workspace.passages`. Changes nothing; safe from every thread."""

    def __init__(self, store: Store, models: Models) -> None:
        self._store, self._models = store, models

    def get(self, passage_id: str) -> Passage:
        """Raises BadInput when it is gone."""
        return self._store.passages.get(passage_id).passage

    def of_document(self, document_id: str) -> list[Passage]:
        return [stored.passage for stored in self._store.passages.of_document(document_id)]

    def of_entity(self, entity_id: str, limit: int = 20) -> list[Passage]:
        keys = self._store.entities.passage_keys(entity_id, limit)
        return [stored.passage for stored in self._store.passages.by_keys(keys)]

    def counts(self, document_ids: Collection[str]) -> dict[str, int]:
        """How many passages each of these documents has, by id."""
        return self._store.passages.counts(document_ids)

    def anatomy(self, passage_id: str) -> Anatomy:
        """Read a passage by its extractor again: its parse, what was taken, what was not and why.

        Where a language model read it, what that said then: it is not asked again. Loads the models; one thread at a
        time. Raises BadInput where the passage is gone, ModelUnavailable.
        """
        from core.ingest.anatomy import anatomy  # with the rules of extraction: only who looks needs them

        return self._models.parsing(lambda parser: anatomy(self._store, passage_id, parser))

    def vectors(self) -> dict[str, NDArray[np.float32]]:
        """Unit vectors, shape (d,), by passage id; passages without one yet are left out."""
        keys, vectors = self._store.embeddings.all("passage")
        ids = dict(self._store.passages.ids())
        return {ids[int(key)]: vector for key, vector in zip(keys, vectors, strict=True)}
