"""Brings all that follows from the documents in step: names, graph, communities, reports; words of what is gone."""

from __future__ import annotations

from functools import partial

from core.answering.models import Models
from core.answering.reports.writing import write_changed
from core.config import Config
from core.graph.overview_cache import forget_overview
from core.ingest.derive import derive
from core.ingest.linking import outdated
from core.progress import TaskContext
from core.retrieval.snapshot_file import forget_snapshot
from core.store.store import Store
from core.store.workspace_files import DERIVED


def refresh_derived(store: Store, models: Models, config: Config, context: TaskContext) -> None:
    """Do what is left, whoever left it: a run that is interrupted, or killed, is finished by the next one of any kind.

    Raises Cancelled.
    """
    store.private.compare()
    if store.marks.any() or outdated(store, config.graph):
        derive(store, partial(models.encoder_of, store, config.models), config.graph, context)
    write_changed(store, context)
    store.marks.reports_settled()
    if store.marks.unforgotten():
        store.passages.forget_words()
        derived = store.database.path.with_name(DERIVED)
        forget_snapshot(derived)
        forget_overview(derived)
