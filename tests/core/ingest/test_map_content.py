"""What the map draws of a folder: its nodes, the ties between them, and both kept in step with the documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.ingest.derive import label_names
from core.progress import TaskContext
from core.types import GraphFilter, GraphShape
from core.workspace import Workspace
from tests.conftest import written

CONTEXT = TaskContext()
TEXTS = {
    "a.md": "# Minutes of 3 May 2021\n\n## Apologies\n\nRenata Holmqvist met Ismail Okafor in Esbjerg on 3 May 2021. "
    "Lagerkvist Marine Ltd repaired the tug for EUR 12,000.\n",
    "b.md": "# Minutes of 7 June 2021\n\n## Apologies\n\nIsmail Okafor wrote to Renata Holmqvist about the tug. "
    "The weather in Aalborg was fine.\n",
    "c.md": "# Minutes of 1 July 2021\n\n## Apologies\n\nLagerkvist Marine Ltd opened a yard in Aalborg.\n",
}


@pytest.fixture
def workspace(models: Models, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w", create=True, models=models) as opened:
        opened.index(written(tmp_path / "papers", TEXTS), CONTEXT)
        yield opened


def ties(workspace: Workspace) -> dict[frozenset[str], int]:
    """Passages that name both ends of what no fact joins, by names."""
    view = workspace.graph.view()
    return {
        frozenset((view.names[one], view.names[other])): count
        for (one, other), count in zip(view.edges.tolist(), view.common_passages.tolist(), strict=True)
        if count
    }


def test_names_are_nodes_and_dates_sums_and_headings_are_none(workspace: Workspace) -> None:
    names = set(workspace.graph.view().names)
    assert {"Renata Holmqvist", "Ismail Okafor", "Lagerkvist Marine Ltd", "Aalborg"} <= names
    assert not [name for name in names if any(map(str.isdigit, name)) or "Apologies" in name]
    stored = {entity.name for entity in workspace.graph.entities()}
    assert any("2021" in name for name in stored), "dates stay entities, that facts have"


def test_a_tie_has_its_places(workspace: Workspace) -> None:
    ids = {entity.name: entity.id for entity in workspace.graph.entities()}
    places = workspace.graph.common_places(ids["Ismail Okafor"], ids["Renata Holmqvist"])
    texts = [workspace.passages.get(place.passage_id).text[place.start : place.end] for place in places]
    assert texts == ["Renata Holmqvist met Ismail Okafor", "Ismail Okafor wrote to Renata Holmqvist"]
    assert workspace.graph.common_places(ids["Ismail Okafor"], ids["Lagerkvist Marine Ltd"])
    assert not workspace.graph.common_places(ids["Renata Holmqvist"], "nobody")


def test_the_map_hangs_together_where_texts_do(workspace: Workspace) -> None:
    view = workspace.graph.view()
    reached, waiting = {0}, [0]
    while waiting:
        at = waiting.pop()
        for one, other in view.edges.tolist():
            for here, there in ((one, other), (other, one)):
                if here == at and there not in reached:
                    reached.add(there)
                    waiting.append(there)
    assert len(reached) == len(view.ids)


def test_ties_follow_the_documents(workspace: Workspace, tmp_path: Path) -> None:
    before = ties(workspace)
    (tmp_path / "papers" / "d.md").write_text(
        "In Odense Renata Holmqvist and Lagerkvist Marine Ltd were named.\n", encoding="utf-8"
    )
    workspace.index(tmp_path / "papers", CONTEXT)
    assert ties(workspace) != before
    document = next(d for d in workspace.documents.all() if d.path == "d.md")
    workspace.documents.remove([document.id], CONTEXT)
    assert ties(workspace) == before
    assert all(check.ok for check in workspace.verify(CONTEXT))


def node_flags(workspace: Workspace) -> dict[str, int]:
    rows = workspace._store.database.connection().execute("SELECT id, node FROM entities ORDER BY id")
    return dict(rows.fetchall())


def test_after_any_change_the_map_is_that_of_a_fresh_index(
    workspace: Workspace, tmp_path: Path, models: Models
) -> None:
    """Texts that write a word in small letters, and so what is judged by it, come and go; names lose their ground."""
    papers = tmp_path / "papers"
    changes = [
        {"e.md": "The yard of esbjerg and the yard of aalborg were named. A holmqvist is a kind of knot."},
        {"c.md": "# Minutes\n\nLagerkvist repaired nothing.\n", "a.md": "# Notes\n\nThe tug was sold.\n"},
        {"e.md": "Aalborg, Esbjerg and Odense. Renata Holmqvist alone."},
    ]
    for number, change in enumerate(changes):
        for name, text in change.items():
            (papers / name).write_text(text, encoding="utf-8")
        workspace.index(papers, CONTEXT)
        with Workspace.open(tmp_path / f"fresh{number}", create=True, models=models) as fresh:
            fresh.index(papers, CONTEXT)
            assert node_flags(workspace) == node_flags(fresh)
            assert ties(workspace) == ties(fresh)
        assert all(check.ok for check in workspace.verify(CONTEXT))


def test_an_entity_is_a_node_where_one_of_its_names_is(workspace: Workspace) -> None:
    ids = {entity.name: entity.id for entity in workspace.graph.entities()}
    with workspace._store.database.transaction() as connection:
        connection.execute("UPDATE entities SET node = 0 WHERE id = ?", (ids["Renata Holmqvist"],))
    assert "Renata Holmqvist" not in workspace.graph.view().names
    with workspace._store.database.transaction() as connection:
        connection.execute(
            "UPDATE entities SET head_key = (SELECT key FROM entities WHERE id = ?) WHERE id = ?",
            (ids["Renata Holmqvist"], ids["Ismail Okafor"]),
        )
    assert {
        row[1] for row in workspace._store.database.connection().execute("SELECT key, id FROM nodes")
    } >= {ids["Renata Holmqvist"]}


def test_facts_alone_leave_out_ties_and_what_only_they_join(workspace: Workspace) -> None:
    graph = workspace.graph.overview()
    shape = GraphShape(filter=GraphFilter(facts_only=True))
    left, _ = workspace.graph.shaped(graph, shape, None)
    assert (
        not left.view.common_passages.any()
        and 0 < len(left.view.edges) == (graph.view.common_passages == 0).sum()
    )
    assert set(left.view.edges.ravel().tolist()) == set(range(len(left.view.ids)))
    assert len(left.view.edges) < len(graph.view.edges)


def test_names_have_the_kind_of_the_judge(workspace: Workspace) -> None:
    """The recogniser's stands where the judge is sure of none, and for single words that are no name to it."""
    store = workspace._store
    rows = store.database.connection().execute("SELECT name, label, judged FROM entities").fetchall()
    judged = {name: (label, own) for name, label, own in rows if own}
    assert judged["Renata Holmqvist"] == ("PERSON", "PERSON"), "an organisation to the recogniser"
    assert judged["Ismail Okafor"][1] == "PERSON"
    with store.database.transaction() as connection:
        connection.execute(
            "UPDATE mentions SET label = 'OTHER' WHERE entity_key IN (SELECT key FROM entities)"
        )
        connection.execute("UPDATE entities SET judged = '' WHERE name = 'Ismail Okafor'")
        connection.execute("INSERT OR IGNORE INTO touched_entities SELECT key FROM entities")
    label_names(store)
    labels = {entity.name: entity.label for entity in workspace.graph.entities()}
    assert (labels["Renata Holmqvist"], labels["Ismail Okafor"]) == ("PERSON", "OTHER")
    with store.database.transaction() as connection:
        connection.execute("UPDATE mentions SET label = 'NOUN'")
        connection.execute("INSERT OR IGNORE INTO touched_entities SELECT key FROM entities")
    label_names(store)
    labels = {entity.name: entity.label for entity in workspace.graph.entities()}
    assert labels["Renata Holmqvist"] == "PERSON"
    assert {label for name, label in labels.items() if " " not in name} == {"NOUN"}
