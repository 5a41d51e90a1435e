"""Generated workspaces in the state that indexing would leave, and questions about their content."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np

from core.answering.reports.material import VERSION
from core.answering.reports.writing import WRITTEN_BY
from core.ingest.classify_texts import note_forms
from core.ingest.grouping import MADE_FOR
from core.progress import TaskContext
from core.research.synthetic.communities import plant_communities
from core.research.synthetic.graph import planted_graph
from core.research.synthetic.workspace import DIMENSION, MODEL, generate_workspace, name_of
from core.review.weighing import take_in
from core.store.store import FILE, Store
from core.types import State
from core.workspace import Workspace

ENTITIES, FACTS = 1.6, 8  # a passage
_STAGES = ("embed", "extract")  # of a passage
_MIN_ENTITIES = 16_000  # number of entities from which the size bounds fit the planted communities
_LIBRARY_KEY, _LIBRARY_VERSION = "made", "2"  # the setting, and its value for a complete, current library
# About {one}; with {other}, both are ends of one fact.
_QUESTIONS = (
    "Whom did {one} meet?",
    "Who hired {one}?",
    "Whom did {one} pay near the harbour?",
    "Who visited {one}?",
    "What did {one} own a share of?",
    "Did {one} write to {other}?",
    "Who sold ships to the one whom {one} married?",
    "How are {one} and {other} connected?",
)


def make_library(place: Path, passages: int) -> None:
    """Create a trusted workspace of so many passages in `place`, unless it exists; an unfinished one is replaced."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if not (place / FILE).exists():
        part = place.with_name(f"{place.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        generate_workspace(part, int(passages * ENTITIES), TaskContext(), facts=passages * FACTS).close()
        os.replace(part, place)
    Workspace.trust(place)
    store = Store(place, MODEL, DIMENSION)
    try:
        if store.settings.get(_LIBRARY_KEY) != _LIBRARY_VERSION:
            _settle(store)
    finally:
        store.close()


def _settle(store: Store) -> None:
    """Derive what an indexed workspace also has, except names' vectors; the first change would do all of it
    otherwise.
    """
    with store.database.transaction() as connection:
        for stage in _STAGES:
            store.passages.mark(connection, stage, store.passages.keys(), State.DONE)
    store.senses.clear()
    note_forms(store, TaskContext())
    take_in(store)
    plant_communities(store, TaskContext())
    store.settings.set(WRITTEN_BY, VERSION)
    store.marks.reports_settled()
    store.settings.set(MADE_FOR, str(max(_MIN_ENTITIES, len(store.entities.rows()))))
    store.settings.set(_LIBRARY_KEY, _LIBRARY_VERSION)


def generate_questions(passages: int, count: int, seed: int = 11) -> list[str]:
    """Return questions about facts of a generated workspace of so many passages; one in four has two names."""
    ends = planted_graph(int(passages * ENTITIES), passages * FACTS, mixed=False)
    chosen = np.random.default_rng(seed).choice(len(ends), count, replace=False)
    return [
        _QUESTIONS[at % len(_QUESTIONS)].format(one=name_of(one), other=name_of(other))
        for at, (one, other) in enumerate(ends[chosen].tolist())
    ]
