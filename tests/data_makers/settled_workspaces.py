"""A made workspace of any size in which all that follows from the facts is in step."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.answering.reports.writing import write_changed
from core.ingest.derive import _place, disambiguate
from core.ingest.map_content import update_ties
from core.progress import TaskContext
from core.research.synthetic.workspace import DIMENSION, generate_workspace
from core.workspace import Workspace


def settled_workspace(place: Path, entities: int) -> Path:
    """Closed; with communities, places, reports and a vector for each name."""
    Workspace.open(place, create=True).close()
    store = generate_workspace(place, entities, TaskContext())
    rng = np.random.default_rng(1)
    with store.database.transaction() as connection:
        rows = store.entities.rows()
        vectors = rng.standard_normal((len(rows), 1, DIMENSION), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
        store.embeddings.put(
            connection, "entity", [(row.key, own) for row, own in zip(rows, vectors, strict=True)]
        )
    disambiguate(store, TaskContext())
    with store.database.transaction():
        update_ties(store)
        _place(store, TaskContext())
        store.marks.clear()
    write_changed(store, TaskContext())
    store.marks.reports_settled()
    store.close()
    return place
