"""What follows from made documents: before and after, organisation, citations; and that it goes with its sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.types import EDGE_KINDS, DerivedEdge, GraphFilter, GraphShape
from core.types.edges import BEFORE, CITATION, HIERARCHY
from core.workspace import Workspace

HARBOURS = "A Short History of Baltic Harbours"
TEXTS = {
    "ships.txt": (
        "Tobias Renwick founded Calder Reach Trading in 1951. In 1958, Calder Reach Trading acquired the Northern"
        " Gannet. In 1964, Calder Reach Trading sold the Grey Petrel.\n"
    ),
    "firms.txt": (
        "Calder Reach Trading is a subsidiary of Brandvold Lines. Brandvold Lines is owned by Fairlead Holding."
        " Fairlead Holding is owned by Brandvold Lines. Ines Holm works for Brandvold Lines.\n"
    ),
    f"{HARBOURS}.txt": "Harbours grew along the coast for many years. Ines Holm wrote of them all her life.\n",
    "essay.txt": (
        "Much has been written of harbours and of the ships that lay in them, of their keepers and of the storms"
        " that came over them in winter, when nobody went out and all waited for the spring. This essay adds a"
        " little to what has been said of them by others, and tells of nothing that was not told before it came"
        " to be written by its author in a cold room at the harbour of Riga.\n\nReferences\n\n"
        f"[1] Ines Holm. 1998. {HARBOURS}. Riga University Press, pp. 1-320.\n\n"
        "[2] Pieter Maas. 2003. The Keepers of the Lights of the North. Journal of Lights 3(2), 12-30.\n\n"
        "[3] Otto Kask. 2001. Essay. Journal of Essays 1(2), 1-3.\n"
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("edges") / "folder"
    found.mkdir()
    for name, text in TEXTS.items():
        (found / name).write_text(text, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def created(folder: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(folder.parent / "workspace", create=True, models=models) as opened:
        opened.index(folder, TaskContext())
        yield opened


def edges(workspace: Workspace, kind: str, entity_id: str = "") -> list[DerivedEdge]:
    found = workspace.graph.derived_edges()
    return workspace.graph.describe_edges(found, workspace.graph.edge_rows(found, kind, entity_id))


def test_dated_facts_of_a_firm_come_one_after_the_other(created: Workspace) -> None:
    firm = created.names.id_of("Calder Reach Trading")
    found = [edge for edge in edges(created, BEFORE, firm) if edge.subject_id == firm]
    assert [(edge.source, edge.target, edge.dates) for edge in found] == [
        ("Tobias Renwick", "Northern Gannet", ("1951", "1958")),
        ("Northern Gannet", "Grey Petrel", ("1958", "1964")),
    ]
    for edge in found:  # both sentences, word for word
        for date, source in zip(edge.dates, edge.sources, strict=True):
            assert date in source.words
            passage = created.passages.get(source.passage_id)
            assert " ".join(passage.text[source.start : source.end].split()) == source.words


def test_organisation_leads_from_below_to_above_and_may_go_round(created: Workspace) -> None:
    reported = {(edge.source, edge.relation, edge.target) for edge in edges(created, HIERARCHY)}
    assert reported == {
        ("Calder Reach Trading", "subsidiary of", "Brandvold Lines"),
        ("Brandvold Lines", "owned by", "Fairlead Holding"),
        ("Fairlead Holding", "owned by", "Brandvold Lines"),
        ("Ines Holm", "member of", "Brandvold Lines"),
        ("Northern Gannet", "owned by", "Calder Reach Trading"),
    }


@pytest.mark.long
def test_of_facts_that_tell_the_same_relation_the_strongest_counts(tmp_path: Path, models: Models) -> None:
    (tmp_path / "folder").mkdir()
    owned = "Skerry Radio is owned by Pharos Wireless."
    for at, text in enumerate(
        ("Pharos Wireless owns Skerry Radio.", f"In short: {owned}", f"Again: {owned}")
    ):
        (tmp_path / "folder" / f"{at}.txt").write_text(f"{text}\n", encoding="utf-8")
    with Workspace.open(tmp_path / "workspace", create=True, models=models) as opened:
        opened.index(tmp_path / "folder", TaskContext())
        (edge,) = edges(opened, HIERARCHY)
        assert (edge.source, edge.relation, edge.target) == ("Skerry Radio", "owned by", "Pharos Wireless")
        assert edge.predicates == ("owned by",), "which two documents say"


def test_an_entry_links_the_document_that_it_cites_and_never_its_own(created: Workspace) -> None:
    (edge,) = edges(created, CITATION)
    assert (edge.relation, edge.target) == ("cites", HARBOURS)
    (source,) = edge.sources
    assert source.document == "essay.txt" and source.words.startswith("[1] Ines Holm. 1998.")


def test_graph_tools_read_their_kinds(created: Workspace, tmp_path: Path) -> None:
    found = created.export(tmp_path / "graph.graphml", TaskContext())
    counts = created.graph.derived_edges().counts
    graph = networkx.read_graphml(tmp_path / "graph.graphml")
    kinds = [data["kind"] for *_, data in graph.edges(data=True)]
    assert {kind: kinds.count(kind) for kind in counts} == counts and found.edges == sum(counts.values())
    names = {id: data["label"] for id, data in graph.nodes(data=True)}
    (cites,) = [(a, b, data) for a, b, data in graph.edges(data=True) if data["kind"] == CITATION]
    assert names[cites[1]] == HARBOURS and cites[2]["words"].startswith("[1] Ines Holm.")


def test_they_are_visible_in_place_of_the_facts(created: Workspace) -> None:
    """With kinds and directions, between the same entities as `describe_edges` says, and by their facts' filters."""
    complete = created.graph.overview()
    columns = created.graph.columns(complete.view, TaskContext())
    for kind in (BEFORE, HIERARCHY):
        shape = GraphShape(GraphFilter(edges=(kind,)))
        shaped, _ = created.graph.shaped(complete, shape, columns)
        view = shaped.view
        assert view.kinds is not None and set(view.kinds.tolist()) == {EDGE_KINDS.index(kind)}
        drawn = {(view.ids[one], view.ids[other]) for one, other in view.edges.tolist()}
        assert drawn == {(edge.source_id, edge.target_id) for edge in edges(created, kind)}
        assert set(view.ids) == {id for pair in drawn for id in pair}
        assert view.degree.sum() == 2 * len(view.edges)
    late = GraphShape(GraphFilter(edges=(BEFORE,), since="1957"))
    view = created.graph.shaped(complete, late, columns)[0].view
    assert {(view.names[one], view.names[other]) for one, other in view.edges.tolist()} == {
        ("Northern Gannet", "Grey Petrel")
    }, "both of its facts are of that time"
    assert created.graph.shaped(complete, GraphShape(), columns)[0].view.kinds is None


def test_they_go_with_what_they_follow_from(tmp_path: Path, models: Models) -> None:
    (tmp_path / "folder").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "folder" / name).write_text(text, encoding="utf-8")
    with Workspace.open(tmp_path / "workspace", create=True, models=models) as opened:
        opened.index(tmp_path / "folder", TaskContext())
        before = opened.graph.derived_edges()
        assert all(before.counts.values())
        for name in ("ships.txt", "firms.txt", f"{HARBOURS}.txt"):
            (tmp_path / "folder" / name).unlink()
        opened.index(tmp_path / "folder", TaskContext())
        assert not any(opened.graph.derived_edges().counts.values())
        # Who holds the edges of before learns that their sources are gone.
        assert opened.graph.describe_edges(before, range(len(before))) == []


def test_facts_whose_dates_exclude_each_other_have_no_place(tmp_path: Path, models: Models) -> None:
    """A year and a day of it agree; 1951 and 1955 do not, and neither is believed."""
    texts = {
        "founding.txt": "Tobias Renwick founded Calder Reach Trading on 4 May 1951.",
        "register.txt": "Tobias Renwick founded Calder Reach Trading in 1951.",
        "sale.txt": "In 1964, Calder Reach Trading sold the Grey Petrel.",
        "rumour.txt": "Tobias Renwick founded Calder Reach Trading in 1955.",
    }
    (tmp_path / "folder").mkdir()
    with Workspace.open(tmp_path / "workspace", create=True, models=models) as opened:
        counts = []
        for name, text in texts.items():
            (tmp_path / "folder" / name).write_text(text, encoding="utf-8")
            opened.index(tmp_path / "folder", TaskContext())
            counts.append(
                [(e.source, e.target) for e in edges(opened, BEFORE) if e.subject == "Calder Reach Trading"]
            )
    pair = ("Tobias Renwick", "Grey Petrel")
    assert pair in counts[2] and pair not in counts[3]
