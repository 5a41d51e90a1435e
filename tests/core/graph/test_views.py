"""Communities and how good they are, told apart from the code that tells them; and that much of them is no matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.graph.communities import coverage, modularity
from core.workspace import Workspace
from core.workspace.view_rows import graph_view


def rows(workspace: Workspace, sql: str) -> list[tuple[Any, ...]]:
    return workspace._store.database.connection().execute(sql).fetchall()


def test_members_stand_under_every_level_by_how_often_they_are_mentioned(sample_workspace: Workspace) -> None:
    found = {community.id: community for community in sample_workspace.graph.communities()}
    parents = dict(rows(sample_workspace, "SELECT key, parent_key FROM communities"))
    homes = dict(rows(sample_workspace, "SELECT entity_key, community_key FROM community_members"))
    reported = rows(
        sample_workspace,
        "SELECT e.key, e.id, e.name, (SELECT count(DISTINCT m.passage_key) FROM mentions m JOIN entities n"
        " ON n.key = m.entity_key WHERE coalesce(n.head_key, n.key) = e.key) FROM entities e"
        " WHERE head_key IS NULL AND e.node",
    )
    expected: dict[int, list[str]] = {key: [] for key in parents}
    for key, id, _, _ in sorted(reported, key=lambda row: (-row[3], row[2], row[1])):
        at: int | None = homes[key]
        while at is not None:
            expected[at].append(id)
            at = parents[at]
    assert {key: list(community.entity_ids) for key, community in found.items()} == expected
    for level in {community.level for community in found.values()}:
        assert sample_workspace.graph.communities(level) == [
            each for each in sample_workspace.graph.communities() if each.level == level
        ]


def test_quality_is_that_of_the_graph_that_is_drawn(sample_workspace: Workspace) -> None:
    drawn = graph_view(sample_workspace._store, 0)
    for quality in sample_workspace.graph.community_quality():
        home = {
            id: each.id
            for each in sample_workspace.graph.communities(quality.level)
            for id in each.entity_ids
        }
        labels = np.array([home[id] for id in drawn.ids], dtype=np.int32)
        ends, weights = drawn.edges.astype(np.int64), drawn.weights.astype(np.float64)
        assert quality.modularity == pytest.approx(modularity(labels, ends, weights), abs=1e-5)
        assert quality.coverage == pytest.approx(coverage(labels, ends, weights), abs=1e-5)
        sizes = sorted(len(each.entity_ids) for each in sample_workspace.graph.communities(quality.level))
        assert (quality.communities, quality.smallest, quality.largest) == (len(sizes), sizes[0], sizes[-1])
