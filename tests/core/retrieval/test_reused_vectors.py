"""A snapshot that takes vectors of an earlier one equals one that is read entirely, to the last row."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.config import RetrievalConfig
from core.errors import BadInput
from core.index.vector import IndexFolder
from core.progress import Cancelled, TaskContext
from core.research.benches.snapshot import differences
from core.retrieval import load_snapshot as loading
from core.retrieval.derived_edges import derived_edges
from core.retrieval.graph_filter import filter_graph
from core.retrieval.snapshot import read_extracted, read_snapshot
from core.retrieval.snapshot_file import Recipe, Snapshot
from core.store.settings import MINILM
from core.store.store import Store
from core.types import Policy
from tests.core.review.test_any_sequence import ACTS, Desk


def stopped(desk: Desk, one: int, other: int) -> None:
    """A run that is stopped halfway; what it left behind stays, and is gone on with later."""
    (desk.papers / f"{'abcd'[one % 4]}.txt").write_text(
        "Ines Holm left Riga for Bergen with Tobias Renwick.", encoding="utf-8"
    )
    looks = iter(range(10_000))
    with suppress(Cancelled):
        desk.workspace.index(
            desk.papers, TaskContext(cancelled=lambda: next(looks) > 2 + other), digest=False
        )


def removed(desk: Desk, one: int, other: int) -> None:
    documents = desk.workspace.documents.all()
    gone = documents[one % len(documents)]
    desk.workspace.documents.remove([gone.id], TaskContext())
    if other % 2:
        desk.workspace.documents.restore([gone.path])


def many_named(desk: Desk, one: int, other: int) -> None:
    """Names that are neither in the documents nor known, and one that the documents tell of later."""
    entities = desk.workspace.graph.entities()
    name = ("Old Toby", "Riga", "Harbour Master")[other % 3]
    desk.workspace.names.add_alias(entities[one % len(entities)].id, name, TaskContext())


WRITING: list[Callable[[Desk, int, int], None]] = [*ACTS, stopped, removed, many_named]
EDGES = RetrievalConfig(temporal_edges=0.5, hierarchy_edges=0.5, citation_edges=0.5, least_strength=0.5)


def read_entirely(store: Store, exact_up_to: int) -> Snapshot:
    return read_snapshot(store, Recipe(MINILM.model, True, exact_up_to), read_extracted(store))


class Follower:
    """Has a snapshot, and brings it up to date."""

    def __init__(self, store: Store, exact_up_to: int, empty: Path) -> None:
        self.store, self.folder = store, IndexFolder(empty, read_only=True)
        self.config = RetrievalConfig(exact_up_to=exact_up_to)
        assert store.changes.begin()
        self.old = self.load(None)

    def load(self, earlier: Snapshot | None) -> Snapshot:
        return loading.load_snapshot(self.store, self.config, self.folder, None, earlier)

    def check(self, what: str, advances: bool) -> None:
        found, expected = self.load(self.old), read_entirely(self.store, self.config.exact_up_to)
        assert differences(replace(found, recipe=None, state=None), expected) == [], what
        edges = partial(derived_edges, self.store)
        one, other = (filter_graph(each.corpus, each.facts, edges, EDGES) for each in (found, expected))
        assert differences(one[0].graph, other[0].graph) == differences(one[1], other[1]) == [], what
        if advances:
            self.old = found


@pytest.mark.long
def test_whatever_is_done_it_is_the_one_read_entirely(
    models: Models, names_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every act of a person, in a random order, over exact and over quantised vectors."""
    monkeypatch.setattr(loading, "MOST", np.inf)
    # It would forget what came before the file that it keeps.
    monkeypatch.setattr("core.workspace.retrieval.RetrievalApi.keep_snapshot", lambda api: None)
    desk = Desk(tmp_path / "desk", names_path, models)
    store = desk.workspace._store
    (tmp_path / "empty").mkdir()
    exact, quantised = (Follower(store, size, tmp_path / "empty") for size in (20_000, 0))
    rng, done = random.Random(4), Counter[str]()
    for act in rng.sample(WRITING, len(WRITING)):
        try:
            act(desk, rng.randrange(10), rng.randrange(10))
        except (BadInput, ZeroDivisionError):  # nothing is left that it could be done to
            continue
        if store.candidates.passages() is not None:  # asked of the database, and not kept
            desk.workspace.review.set_policy(Policy(), TaskContext())
        done[act.__name__] += 1
        exact.check(act.__name__, advances=rng.random() < 0.5)
        if not done.total() % 5:
            quantised.check(act.__name__, advances=done.total() % 10 == 0)
    assert len(done) > len(set(WRITING)) - 5
    desk.workspace.close()
