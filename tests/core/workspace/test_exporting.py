"""The graph for other programs: what is written is read again, with the words that each fact rests on."""

from __future__ import annotations

import json
from pathlib import Path

import networkx
import pytest
from sqlite_utils import Database

from core.errors import BadInput, WorkspaceError
from core.progress import Cancelled, TaskContext
from core.workspace import Workspace


@pytest.fixture
def opened(names_path: Path) -> Workspace:
    return Workspace.open(names_path, read_only=True)


@pytest.mark.parametrize(
    ("ending", "read"),
    [
        (".graphml", networkx.read_graphml),
        (".gexf", networkx.read_gexf),
        (".json", lambda path: networkx.node_link_graph(json.loads(path.read_text("utf-8")))),
    ],
)
def test_graph_tools_read_it(opened: Workspace, tmp_path: Path, ending: str, read: object) -> None:
    with opened:
        found = opened.export(tmp_path / f"graph{ending}", TaskContext())
    graph = read(tmp_path / f"graph{ending}")  # type: ignore[operator]
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (found.entities, found.facts + found.edges)
    kinds = [data["kind"] for _, _, data in graph.edges(data=True)]
    assert kinds.count("fact") == found.facts
    assert found.facts >= 4 and found.documents == 3
    names = {id: data["label"] for id, data in graph.nodes(data=True)}
    reported = {(names[a], data["predicate"], names[b]): data for a, b, data in graph.edges(data=True)}
    (hired,) = [data for (a, p, b), data in reported.items() if "hire" in p and b == "Ines Holm"]
    assert hired["words"] == "Tobias Renwick hired Ines Holm." and hired["document"] == "c.txt"
    assert hired["description"] == hired["words"]


def test_as_plain_tables(opened: Workspace, tmp_path: Path) -> None:
    with opened:
        found = opened.export(tmp_path / "graph.db", TaskContext())
    created = Database(tmp_path / "graph.db")
    assert {"documents", "passages", "entities", "facts", "evidence"} <= set(created.table_names())
    assert created.table("facts").count == found.facts
    (row,) = created.query(
        "SELECT s.name AS subject, f.description, e.words, d.path FROM facts f JOIN entities s ON s.id = f.subject"
        " JOIN entities o ON o.id = f.object JOIN evidence e ON e.fact = f.id JOIN passages p ON p.id = e.passage"
        " JOIN documents d ON d.id = p.document WHERE o.name = 'Ines Holm' AND f.predicate LIKE '%hire%'"
    )
    assert row["words"] == "Tobias Renwick hired Ines Holm." and row["path"] == "c.txt"
    assert row["description"] == row["words"]
    assert [each["name"] for each in created.table("entities").search("gannet")] == ["Northern Gannet"]
    created.close()


@pytest.mark.parametrize("ending", [".graphml", ".db"])
def test_hostile_names(hostile_path: Path, tmp_path: Path, ending: str) -> None:
    with Workspace.open(hostile_path, read_only=True) as opened:
        found = opened.export(tmp_path / f"graph{ending}", TaskContext())
    assert found.entities > 0
    if ending == ".graphml":
        assert networkx.read_graphml(tmp_path / "graph.graphml").number_of_nodes() == found.entities


def test_nothing_is_lost(opened: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "graph.json"
    target.write_text("mine")
    with opened:
        with pytest.raises(BadInput, match="exists already"):
            opened.export(target, TaskContext())
        with pytest.raises(BadInput, match="does not say how"):
            opened.export(tmp_path / "graph.exe", TaskContext())
        with pytest.raises(Cancelled):
            opened.export(target, TaskContext(cancelled=lambda: True), replace=True)
        assert target.read_text() == "mine" and list(tmp_path.iterdir()) == [target]
        with pytest.raises(WorkspaceError, match="cannot be written"):
            opened.export(tmp_path / "nowhere" / "graph.json", TaskContext())
        opened.export(target, TaskContext(), replace=True)
    assert target.read_text() != "mine"
