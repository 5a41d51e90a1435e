"""What an act changed is told by ids, wholly: who reads only that again sees what who reads all sees."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest

from core.errors import BadInput
from core.progress import Cancelled, TaskContext
from core.types import Changed, Community, GraphView
from core.workspace import Workspace
from tests.conftest import copied
from tests.data_makers.settled_workspaces import settled_workspace


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return settled_workspace(tmp_path_factory.mktemp("made") / "workspace", 200)


class Reader:
    """A window that reads all once, and then only what it is told."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.reported = workspace, list[Changed]()
        self.view, self.communities = workspace.graph.view(), workspace.graph.communities()
        workspace.set_change_listener(self.reported.append)

    def check(self) -> Changed:
        """Read again what was told, and compare; what it was."""
        changed = reduce(lambda one, other: one | other, self.reported, Changed())
        self.reported.clear()
        graph = self.workspace.graph
        self.view = graph.renewed_view(self.view, changed)
        self.communities = graph.renewed_communities(self.communities, changed)
        assert drawn(self.view) == drawn(graph.view())
        assert stored(self.communities) == stored(graph.communities())
        return changed


def drawn(view: GraphView) -> tuple[dict[str, object], dict[frozenset[str], float]]:
    places = map(tuple, view.positions.tolist())
    columns = (view.names, view.labels, view.degree.tolist(), view.community.tolist(), places)
    nodes = dict(zip(view.ids, zip(*columns, strict=True), strict=True))
    ends = (frozenset(view.ids[end] for end in edge) for edge in view.edges.tolist())
    return nodes, dict(zip(ends, view.weights.round(4).tolist(), strict=True))


def stored(communities: list[Community]) -> dict[int, object]:
    return {c.id: (c.level, c.parent_id, frozenset(c.entity_ids), c.label, c.colour) for c in communities}


@pytest.fixture
def displayed(created: Path, tmp_path: Path) -> Iterator[Reader]:
    with Workspace.open(copied(created, tmp_path / "workspace"), own=True) as workspace:
        yield Reader(workspace)


def test_names_that_are_joined_and_separated(displayed: Reader) -> None:
    workspace = displayed.workspace
    entities = workspace.graph.entities()
    for one, other in zip(entities[:20:10], entities[100:120:10], strict=True):
        for verdict in ("same", "different", ""):
            workspace.names.decide(one.id, other.id, verdict, TaskContext())
            changed = displayed.check()
            assert not changed.everything and not changed.documents
            if verdict == "same":
                assert {one.id, other.id} <= changed.entities and changed.names & {one.id, other.id}
                assert len(changed.entities) < 50
                facts = {fact.id for fact in workspace.graph.facts_of(one.id, 1_000)}
                gone = changed.names & {other.id}
                assert not gone or facts & changed.facts


def test_documents_that_are_taken_out_and_let_in_again(displayed: Reader) -> None:
    documents = displayed.workspace.documents
    gone = documents.all()[1]
    documents.remove([gone.id], TaskContext())
    assert displayed.check().documents == {gone.id}
    documents.restore([gone.path])
    assert displayed.check() == Changed(documents=frozenset({gone.id}))


def test_reports_by_their_communities(displayed: Reader) -> None:
    some = {community.id for community in displayed.communities[:2]}
    displayed.workspace.reports.write(TaskContext(), only=some, again=True)
    assert displayed.check() == Changed(reports=frozenset(some))


def test_what_was_done_by_the_time_it_was_stopped_is_reported(displayed: Reader) -> None:
    one, other = displayed.workspace.graph.entities()[3:5]
    stop = iter([False] * 3 + [True] * 1_000)
    with pytest.raises(Cancelled):
        displayed.workspace.reports.write(TaskContext(cancelled=lambda: next(stop)), again=True)
    displayed.check()
    displayed.workspace.names.decide(one.id, other.id, "same", TaskContext())
    assert displayed.check().entities


def test_what_changed_nothing_reports_nothing_and_leaves_nothing_behind(displayed: Reader) -> None:
    (one, *_) = displayed.workspace.graph.entities()
    with pytest.raises(BadInput):
        displayed.workspace.names.decide(one.id, one.id, "same", TaskContext())
    assert displayed.reported == []
    connection = displayed.workspace._store.database.connection()
    assert connection.execute("SELECT name FROM sqlite_temp_master").fetchall() == []
    displayed.workspace.set_change_listener(None)
    displayed.workspace.documents.remove([displayed.workspace.documents.all()[0].id], TaskContext())
    assert displayed.reported == []
