"""Terms of a folder are entities and nodes, with all their places, as long as the documents bear them out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.types import Entity
from core.workspace import Workspace
from tests.conftest import written

CONTEXT = TaskContext()
TEXTS = {
    "a.md": "# Buying\n\nA purchase order is a paper by which goods are ordered. Each purchase order has a number.\n",
    "b.md": "# Receiving\n\nPurchase orders are compared with the delivery note. A delivery note lies in the box.\n",
    "c.md": "# Paying\n\nThe clerk compares the delivery notes with the purchase order before anything is paid.\n",
    "d.md": "# Terms\n\n“Credit limit” means the most that may be owed. Purchase orders above it wait for the clerk, "
    "and so does the delivery note.\n",
}


@pytest.fixture
def workspace(models: Models, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w", create=True, models=models) as opened:
        opened.index(written(tmp_path / "papers", TEXTS), CONTEXT)
        yield opened


def term(workspace: Workspace, name: str) -> Entity | None:
    found = [one for one in workspace.graph.entities() if one.name.casefold() in {name, f"{name}s"}]
    return next((one for one in found if one.label == "CONCEPT"), None)


def test_a_term_has_all_its_places_in_the_singular_and_in_the_plural(workspace: Workspace) -> None:
    entity = term(workspace, "purchase order")
    assert entity is not None
    assert entity.passages == 4
    texts = {document.id: workspace.documents.text(document.id) for document in workspace.documents.all()}
    written_as = {
        text[one.start : one.end].casefold()
        for id, text in texts.items()
        for one in workspace.documents.mentions(id)
        if one.entity_id == entity.id
    }
    assert written_as == {"purchase order", "purchase orders"}


def test_terms_are_nodes_that_are_tied(workspace: Workspace) -> None:
    view = workspace.graph.view()
    at = {id: row for row, id in enumerate(view.ids)}
    ends = [term(workspace, name) for name in ("purchase order", "delivery note")]
    rows = {at[one.id] for one in ends if one is not None}
    assert len(rows) == 2
    assert rows in [set(edge) for edge in view.edges.tolist()]


def test_the_definition_is_found(workspace: Workspace) -> None:
    entity = term(workspace, "purchase order")
    assert entity is not None
    defined = workspace.graph.definition(entity.id)
    assert defined is not None
    assert (defined.document, defined.words) == (
        "a.md",
        "A purchase order is a paper by which goods are ordered.",
    )


def test_a_term_goes_with_its_documents_and_comes_back(workspace: Workspace, tmp_path: Path) -> None:
    before = workspace.status().digest
    own = [document.id for document in workspace.documents.all() if document.path in ("b.md", "c.md")]
    workspace.documents.remove(own, CONTEXT)
    assert term(workspace, "purchase order") is None, "two passages are too few"
    assert all(check.ok for check in workspace.verify(CONTEXT))
    workspace.documents.restore(["b.md", "c.md"])
    workspace.index(tmp_path / "papers", CONTEXT)
    assert workspace.status().digest == before
    assert all(check.ok for check in workspace.verify(CONTEXT))
