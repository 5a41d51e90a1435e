"""A snapshot that takes vectors of an earlier one is the one that would be made whole, to the last row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.answering.models import Models
from core.config import RetrievalConfig
from core.errors import BadInput
from core.index.vector import IndexFolder
from core.research.benches.snapshot import differences
from core.retrieval import load_snapshot as loading
from core.retrieval.derived_edges import derived_edges
from core.retrieval.graph_filter import filter_graph
from core.retrieval.snapshot import read_extracted, read_snapshot
from core.retrieval.snapshot_file import Recipe, Snapshot
from core.store.settings import MINILM
from core.store.store import Store
from tests.core.retrieval.test_changed_rows import WRITING
from tests.core.review.test_any_sequence import Desk

FURTHER = RetrievalConfig(temporal_edges=0.5, hierarchy_edges=0.5, citation_edges=0.5, least_strength=0.5)


def whole(store: Store, exact_up_to: int) -> Snapshot:
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
        found, expected = self.load(self.old), whole(self.store, self.config.exact_up_to)
        assert differences(replace(found, recipe=None, state=None), expected) == [], what
        edges = partial(derived_edges, self.store)
        one, other = (filter_graph(each.corpus, each.facts, edges, FURTHER) for each in (found, expected))
        assert differences(one[0].graph, other[0].graph) == differences(one[1], other[1]) == [], what
        if advances:
            self.old = found


steps = st.lists(
    st.tuples(st.sampled_from(WRITING), st.integers(0, 9), st.integers(0, 9), st.booleans()),
    min_size=8,
    max_size=16,
)


@pytest.mark.long
@pytest.mark.parametrize("exact_up_to", [20_000, 0])
@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.differing_executors,
    ],
)
@given(taken=steps)
def test_whatever_is_done_it_is_the_one_made_whole(
    models: Models,
    names_path: Any,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    exact_up_to: int,
    taken: list[tuple[Callable[[Desk, int, int], None], int, int, bool]],
) -> None:
    monkeypatch.setattr(loading, "MOST", np.inf)
    monkeypatch.setattr(
        "core.workspace.retrieval.RetrievalApi.keep_snapshot", lambda api: None
    )  # it would forget
    desk = Desk(tmp_path_factory.mktemp("desk"), names_path, models)
    store = desk.workspace._store
    empty = tmp_path_factory.mktemp("empty")
    first, following = Follower(store, exact_up_to, empty), Follower(store, exact_up_to, empty)
    for act, one, other, advances in taken:
        try:
            act(desk, one, other)
        except (BadInput, ZeroDivisionError):  # nothing is left that it could be done to
            continue
        if store.candidates.passages() is None:
            first.check(act.__name__, False)
            following.check(act.__name__, advances)
    desk.workspace.close()
