"""Generated workspaces in the state that indexing would leave, with planted communities, and questions about them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.material import VERSION
from core.answering.reports.writing import WRITTEN_BY
from core.ingest.derive import note_forms
from core.ingest.grouping import HIERARCHY_SIZE
from core.ingest.map_content import update_ties
from core.progress import TaskContext
from core.research.synthetic.workspace import (
    DIMENSION,
    MODEL,
    generate_workspace,
    name_of,
    number_of,
    planted_graph,
)
from core.review.weighing import take_in
from core.store.communities import CommunityRow
from core.store.entities import EntityRow
from core.store.store import FILE, Store
from core.types import CommunityReport, KeyEntity, State
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
    store.settings.set(HIERARCHY_SIZE, str(max(_MIN_ENTITIES, len(store.entities.rows()))))
    store.settings.set(_LIBRARY_KEY, _LIBRARY_VERSION)


def generate_questions(passages: int, count: int, seed: int = 11) -> list[str]:
    """Return questions about facts of a generated workspace of so many passages; one in four has two names."""
    ends = planted_graph(int(passages * ENTITIES), passages * FACTS, mixed=False)
    chosen = np.random.default_rng(seed).choice(len(ends), count, replace=False)
    return [
        _QUESTIONS[at % len(_QUESTIONS)].format(one=name_of(one), other=name_of(other))
        for at, (one, other) in enumerate(ends[chosen].tolist())
    ]


BLOCKS = (
    25,
    200,
    1_000,
)  # names of a community by level, the finest first; each is a multiple of the previous one
_KEY_ENTITIES = 20  # a report
_GOLDEN = 2.399963229728653
_ROOM = 1.3  # area of a community's disc for each member


def plant_communities(store: Store, context: TaskContext) -> None:
    """Give a store of `generate_workspace` communities of neighbouring names in three levels, with titled reports
    and positions: discs on a spiral, with a spiral of points in each. Raises Cancelled.
    """
    # Edges are planted among neighbours by number.
    rows = sorted(store.entities.rows(), key=lambda row: number_of(row.name))
    number = np.arange(len(rows), dtype=np.int64)
    keys = np.array([row.key for row in rows], dtype=np.int64)
    context.report("made communities", 0, 2)
    counts = [-(-len(rows) // block) for block in BLOCKS]
    firsts = np.concatenate([[1], 1 + np.cumsum(counts)]).tolist()
    with store.database.transaction() as connection:
        found = list(_communities(counts, firsts))
        store.communities.replace(
            found, zip(keys.tolist(), (firsts[0] + number // BLOCKS[0]).tolist(), strict=True)
        )
        context.report("made communities", 1, 2)
        tops = number // BLOCKS[-1]
        places = _places(number, tops)
        update_ties(store)
        tied = np.isin(keys, np.unique(store.map_edges.edges().ends))
        store.layout.replace(
            zip(
                keys.tolist(),
                np.where(tied, tops, -1).tolist(),
                places[:, 0].tolist(),
                places[:, 1].tolist(),
                strict=True,
            )
        )
        store.reports.put(connection, ((f"made {row.key}", _report(row, firsts, rows)) for row in found))
        store.communities.settled(row.key for row in found)
        store.marks.clear()
    context.report("made communities", 2, 2)


def _communities(counts: list[int], firsts: list[int]) -> Iterator[CommunityRow]:
    for level, count in enumerate(counts, 1):
        for at in range(count):
            parent = None
            if level < len(BLOCKS):
                parent = firsts[level] + at * BLOCKS[level - 1] // BLOCKS[level]
            yield CommunityRow(firsts[level - 1] + at, level, parent, at)


def _places(number: NDArray[np.int64], tops: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return positions (n, 2): a sunflower of discs, each a sunflower of points about one apart."""
    inner = number % BLOCKS[-1]
    disc = np.sqrt(BLOCKS[-1] / np.pi) * 2 * _ROOM
    found: NDArray[np.float32] = (disc * _sunflower(tops) + _sunflower(inner)).astype(np.float32)
    return found


def _sunflower(at: NDArray[np.int64]) -> NDArray[np.float64]:
    radius, angle = np.sqrt((at + 0.5) / np.pi), at * _GOLDEN
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _report(row: CommunityRow, firsts: list[int], entities: list[EntityRow]) -> CommunityReport:
    begin = (row.key - firsts[row.level - 1]) * BLOCKS[row.level - 1]
    top = entities[begin : begin + _KEY_ENTITIES]
    ranked = tuple(KeyEntity(one.id, one.name, one.label, 1 / len(top)) for one in top)
    return CommunityReport(row.key, row.level, ", ".join(one.name for one in top[:3]), (), ranked, (), (), ())
