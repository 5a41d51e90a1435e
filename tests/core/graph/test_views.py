"""Communities and how good they are, told apart from the code that tells them; and that much of them is no matter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.graph.communities import coverage, modularity
from core.graph.overview import read_overview
from core.store.store import Store
from core.workspace import Workspace
from core.workspace.view_rows import graph_view


def rows(workspace: Workspace, sql: str) -> list[tuple[Any, ...]]:
    return workspace._store.database.connection().execute(sql).fetchall()


def test_members_stand_under_every_level_by_how_often_they_are_mentioned(sample_workspace: Workspace) -> None:
    found = {community.id: community for community in sample_workspace.graph.communities()}
    parents = dict(rows(sample_workspace, "SELECT key, parent_key FROM communities"))
    homes = dict(rows(sample_workspace, "SELECT entity_key, community_key FROM community_members"))
    told = rows(
        sample_workspace,
        "SELECT e.key, e.id, e.name, (SELECT count(DISTINCT m.passage_key) FROM mentions m JOIN entities n"
        " ON n.key = m.entity_key WHERE coalesce(n.head_key, n.key) = e.key) FROM entities e WHERE head_key IS NULL",
    )
    expected: dict[int, list[str]] = {key: [] for key in parents}
    for key, id, _, _ in sorted(told, key=lambda row: (-row[3], row[2], row[1])):
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


def grown(place: Path, count: int) -> Store:
    """A workspace of so many entities, each named once, in communities of ten."""
    place.mkdir()
    store = Store(place, "m", 4, create=True)
    with store.database.transaction() as connection:
        connection.execute(
            "INSERT INTO documents (key, id, path, sha256, size, modified_ns, title, media_type, pages, state)"
            " VALUES (1, 'd', 'd.txt', '', 0, 0, 'd', 'text/plain', 0, 'done')"
        )
        for n in range(1, count + 1):
            connection.execute(
                'INSERT INTO passages (key, id, document_key, ordinal, title, text, start, "end")'
                " VALUES (?, ?, 1, ?, '', '', 0, 0)",
                (n, f"p{n}", n),
            )
            connection.execute(
                "INSERT INTO entities (key, id, normal, name, label) VALUES (?1, 'e' || ?1, ?1, 'N' || ?1, 'ORG')",
                (n,),
            )
            connection.execute("INSERT INTO mentions VALUES (?1, ?1, 0, 1, 'ORG', '', 0)", (n,))
            if n % 10 == 1:
                connection.execute("INSERT INTO communities VALUES (?1, 1, NULL, ?1)", (n,))
                report = json.dumps({"title": f"Of {n}"})
                connection.execute("INSERT INTO community_reports VALUES (?, '', '', ?)", (n, report))
            connection.execute("INSERT INTO community_members VALUES (?, ?)", (n, n - (n - 1) % 10))
    return store


def test_what_it_takes_grows_with_the_entities_and_not_with_their_square(tmp_path: Path) -> None:
    steps: list[int] = []
    for count in (500, 2_000):
        store = grown(tmp_path / str(count), count)
        taken = 0

        def step() -> int:
            nonlocal taken
            taken += 1
            return 0

        store.database.connection().set_progress_handler(step, 100)  # instructions of SQLite's machine
        picture = read_overview(store)
        assert len(picture.foldable.communities) == count // 10
        assert len(picture.quality) == 1
        steps.append(taken)
        store.close()
    assert steps[1] < 8 * steps[0], steps
