"""Columns of the drawn graph against one fact and one entity at a time; filters over them; views that are kept."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import networkx
import numpy as np
import pytest

from core.answering.models import Models
from core.errors import BadInput, WorkspaceError
from core.progress import TaskContext
from core.retrieval.timeline import facts_between
from core.text.dates import iso
from core.types import CandidateFact, GraphColumns, GraphFilter, GraphShape, GraphView, SavedView
from core.types.graph_shape import REVIEWED
from core.types.review import STATES
from core.workspace import Workspace


def every_fact(workspace: Workspace, view: GraphView) -> dict[int, list[CandidateFact]]:
    """By the edge on which they are drawn."""
    row = {id: at for at, id in enumerate(view.ids)}
    edge = {frozenset(pair): at for at, pair in enumerate(view.edges.tolist())}
    found: dict[int, list[CandidateFact]] = defaultdict(list)
    for each in facts_that_count(workspace):
        ends = frozenset(row.get(id, -1) for id in (each.fact.subject_id, each.fact.object_id))
        if ends in edge:
            found[edge[ends]].append(each)
    return found


def facts_that_count(workspace: Workspace) -> list[CandidateFact]:
    ids = workspace._store.database.connection().execute("SELECT id FROM candidate_facts").fetchall()
    return [fact for (id,) in ids if (fact := workspace.review.fact(id)).counts]


def documents_of(workspace: Workspace, fact: CandidateFact) -> set[str]:
    return {workspace.passages.get(triple.passage_id).document_id for triple in fact.fact.triples}


def days_of(workspace: Workspace, fact: CandidateFact) -> list[tuple[str, str]]:
    """First and last day of the dates of the documents of a fact, as texts that compare."""
    reported = [workspace.documents.get(id).date or "" for id in documents_of(workspace, fact)]
    return [(date[:10].ljust(10, "-"), date[:10] + "~") for date in reported if date]


@pytest.fixture(scope="module")
def columns(sample_workspace: Workspace) -> GraphColumns:
    return sample_workspace.graph.columns(sample_workspace.graph.view(), TaskContext())


def test_facts_stand_on_their_edges_with_their_documents(
    sample_workspace: Workspace, columns: GraphColumns
) -> None:
    expected = every_fact(sample_workspace, sample_workspace.graph.view())
    assert (np.diff(columns.edge) >= 0).all()
    reported = defaultdict(list)
    for fact, source in zip(columns.source_fact.tolist(), columns.source.tolist(), strict=True):
        reported[fact].append(columns.document_ids[source])
    found = defaultdict(list)
    for at, edge in enumerate(columns.edge.tolist()):
        state, sure = STATES[columns.state[at]], round(float(columns.probability[at]), 5)
        found[edge].append((state, sure, sorted(reported[at])))
    assert {edge: sorted(facts) for edge, facts in found.items()} == {
        edge: sorted(
            (each.state, round(each.probability, 5), sorted(documents_of(sample_workspace, each)))
            for each in facts
        )
        for edge, facts in expected.items()
    }
    number = np.bincount(columns.source, minlength=len(columns.document_ids))
    assert columns.document_facts.tolist() == number.tolist() and number.sum() > 50


def test_entities_are_counted_where_they_are_named(
    sample_workspace: Workspace, columns: GraphColumns
) -> None:
    view = sample_workspace.graph.view()
    connection = sample_workspace._store.database.connection()
    entities = {
        key: (id, head) for key, id, head in connection.execute("SELECT key, id, head_key FROM entities")
    }
    mentions: dict[str, int] = defaultdict(int)
    for (key,) in connection.execute("SELECT entity_key FROM mentions"):
        id, head = entities[key]
        mentions[entities[head][0] if head is not None else id] += 1
    documents = {
        id: {passage.document_id for passage in sample_workspace.passages.of_entity(id, 10_000)}
        for id in view.ids
    }
    assert columns.mentions.tolist() == [mentions[id] for id in view.ids]
    assert columns.documents.tolist() == [len(documents[id]) for id in view.ids]
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(view.ids)))
    graph.add_weighted_edges_from(
        (a, b, float(w)) for (a, b), w in zip(view.edges.tolist(), view.weights, strict=True)
    )
    ranks = networkx.pagerank(graph, alpha=0.85, tol=1e-9, max_iter=1000)
    assert np.allclose(columns.importance, [ranks[row] for row in range(len(view.ids))], atol=1e-5)
    earliest: dict[int, str] = {}
    for edge, facts in every_fact(sample_workspace, view).items():
        days = [first for fact in facts for first, _ in days_of(sample_workspace, fact)]
        for row in view.edges[edge].tolist():
            earliest[row] = min([*days, earliest.get(row, "~")])
    row_of = {id: at for at, id in enumerate(view.ids)}
    for fact in facts_that_count(sample_workspace):  # dates are no nodes
        for one, other in itertools.permutations((fact.fact.subject_id, fact.fact.object_id)):
            entity = sample_workspace.graph.entity(other)
            if one in row_of and entity.label == "DATE" and (date := iso(entity.name)):
                at = row_of[one]
                earliest[at] = min(date.ljust(10, "-"), earliest.get(at, "~"))
    known = {row: date for row, date in earliest.items() if date != "~"}
    displayed = {row: int(date.replace("-", "").ljust(8, "0")) for row, date in known.items()}
    assert {row: date for row, date in enumerate(columns.first.tolist()) if date} == displayed


@pytest.mark.parametrize(
    "wanted",
    [
        GraphFilter(degree=3),
        GraphFilter(since="2021-03", until="2021-07-19"),
        GraphFilter(labels=("PERSON",), probability=0.6, since="2021", degree=2),
        GraphFilter(states=("open", "disputed"), since="2020"),
    ],
)
def test_what_passes_is_what_a_look_at_each_fact_finds(
    sample_workspace: Workspace, columns: GraphColumns, wanted: GraphFilter
) -> None:
    some = replace(wanted, documents=columns.document_ids[::2]) if wanted.degree == 3 else wanted
    graph, view = sample_workspace.graph, sample_workspace.graph.view()
    complete = graph.foldable(view, graph.communities())
    shaped, stored = graph.shaped(complete, GraphShape(some), columns)

    keys = dict(sample_workspace._store.database.connection().execute("SELECT id, key FROM candidate_facts"))
    reported = dict.fromkeys(keys, True)
    if some.since or some.until:  # which those are, tests of the timeline tell
        inside = facts_between(sample_workspace._store, np.array(list(keys.values())), some.since, some.until)
        reported = dict(zip(keys, inside.tolist(), strict=True))

    def passes(fact: CandidateFact) -> bool:
        return (
            reported[fact.fact.id]
            and fact.probability >= some.probability
            and (not some.states or fact.state in some.states)
            and (not some.documents or bool(documents_of(sample_workspace, fact) & set(some.documents)))
        )

    edges = {edge for edge, facts in every_fact(sample_workspace, view).items() if any(map(passes, facts))}
    touched = {row for edge in edges for row in view.edges[edge].tolist()}
    nodes = [
        row
        for row in range(len(view.ids))
        if row in touched
        and (not some.labels or view.labels[row] in some.labels)
        and view.degree[row] >= some.degree
    ]
    assert [view.ids[row] for row in nodes] == list(shaped.view.ids)
    assert stored.nonzero()[0].tolist() == nodes
    pairs = {tuple(view.ids[row] for row in view.edges[edge]) for edge in edges}
    left = {tuple(shaped.view.ids[row] for row in pair) for pair in shaped.view.edges.tolist()}
    assert left == {pair for pair in pairs if set(pair) <= set(shaped.view.ids)}
    assert np.array_equal(shaped.view.positions, view.positions[nodes])
    assert np.array_equal(shaped.positions, complete.positions)
    inside = [sum(id in set(shaped.view.ids) for id in each.entity_ids) for each in complete.communities]
    assert shaped.drawn.tolist() == inside == [len(each.entity_ids) for each in shaped.communities]
    assert (np.bincount(shaped.view.edges.ravel(), minlength=len(nodes)) == shaped.view.degree).all()


def test_hidden_pinned_and_one_community(sample_workspace: Workspace) -> None:
    graph, view = sample_workspace.graph, sample_workspace.graph.view()
    complete = graph.foldable(view, graph.communities())
    inner = next(each for each in complete.communities if each.level == 1 and len(each.entity_ids) > 4)
    shaped, _ = graph.shaped(complete, GraphShape(GraphFilter(communities=(inner.id,))), None)
    assert set(shaped.view.ids) == set(inner.entity_ids) & set(view.ids)
    gone, put = view.ids[3], view.ids[5]
    shape = GraphShape(hidden=frozenset({gone, "nobody"}), pinned=((put, 7.0, -8.0), ("nobody", 1.0, 1.0)))
    shaped, _ = graph.shaped(complete, shape, None)
    assert set(view.ids) - set(shaped.view.ids) == {gone}
    at = shaped.view.ids.index(put)
    assert shaped.view.positions[at].tolist() == [7.0, -8.0]
    others = [row for row in range(len(view.ids)) if row not in (3, 5)]
    assert np.array_equal(np.delete(shaped.view.positions, at, axis=0), view.positions[others])
    assert graph.shaped(complete, GraphShape(), None)[0] is complete


def test_decisions_are_visible_in_the_columns(sample_copy: Path, models: Models) -> None:
    with Workspace.open(sample_copy, models=models, own=True) as workspace:
        view = workspace.graph.view()
        edge, facts = next(iter(every_fact(workspace, view).items()))
        ids = [each.fact.id for each in facts]
        workspace.review.decide(ids, "approved")
        columns = workspace.graph.columns(view, TaskContext())
        assert set(columns.state[columns.edge == edge].tolist()) == {STATES.index("approved")}
        by_entity: dict[int, set[str]] = defaultdict(set)
        for each, reported in every_fact(workspace, view).items():
            for row in view.edges[each].tolist():
                by_entity[row] |= {fact.state for fact in reported}
        words = [REVIEWED[row] for row in columns.review.tolist()]
        assert words == [
            "approved" if states == {"approved"} else "partly" if "approved" in states else "open"
            for states in (by_entity[row] for row in range(len(view.ids)))
        ]


VIEW = SavedView(
    "Officers",
    GraphShape(
        GraphFilter(("PERSON",), (3, 4), 2, "2020", "2021-05", 0.25, ("d",), ("open",)),
        frozenset({"b", "a"}), (("c", 1.5, -2.0),), "date", "mentions",
    ),
    True, (7, 8), (1.0, 2.0, 30.0),
)  # fmt: skip


def test_views_are_stored_with_the_workspace(sample_copy: Path, models: Models) -> None:
    with Workspace.open(sample_copy, models=models, own=True) as workspace:
        views = workspace.graph_views
        assert views.all() == []
        views.keep(replace(VIEW, name="  Officers "))
        views.keep(SavedView("All"))
        views.keep(replace(VIEW, folds=None, camera=None))
        with pytest.raises(BadInput):
            views.keep(SavedView(" "))
        with pytest.raises(BadInput):
            views.rename("All", "Officers")
        views.rename("Officers", "The crew")
        views.forget("All")
        digest = workspace.status().digest
    with Workspace.open(sample_copy, models=models, read_only=True) as workspace:
        (stored,) = workspace.graph_views.all()
        assert stored == replace(VIEW, name="The crew", folds=None, camera=None)
        assert workspace.status().digest == digest
        with pytest.raises(WorkspaceError):
            workspace.graph_views.forget("The crew")


def test_damaged_views_are_left_out(sample_copy: Path, models: Models) -> None:
    with Workspace.open(sample_copy, models=models, own=True) as workspace:
        workspace.graph_views.keep(VIEW)
        settings = workspace._store.settings
        (good,) = json.loads(settings.get("graph.views"))
        damaged = {**good, "shape": {**good["shape"], "colour": "__class__"}}
        settings.set(
            "graph.views",
            json.dumps([None, {}, {**good, "shape": 3}, {**good, "camera": [1]}, damaged, good]),
        )
        assert workspace.graph_views.all() == [VIEW]
        settings.set("graph.views", "{")
        assert workspace.graph_views.all() == []
