"""What ties entities of the sample, against its facts one by one."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from core.errors import BadInput
from core.types import Fact
from core.workspace import Workspace


def hub(workspace: Workspace) -> str:
    view = workspace.graph.view()
    return view.ids[int(np.argmax(view.degree))]


def drawn(workspace: Workspace) -> nx.Graph:
    """The facts between entities, whether the map draws them or not."""
    ids = {row.key: row.id for row in workspace._store.entities.rows()}
    graph = nx.Graph()
    graph.add_edges_from((ids[one], ids[other]) for one, other in workspace._store.facts.edges()[1].tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return graph


def drawn_facts(workspace: Workspace) -> nx.Graph:
    """The facts between entities that are nodes of the map."""
    ids = {row.key: row.id for row in workspace._store.entities.rows()}
    nodes = {ids[key] for key in workspace._store.map_edges.nodes().tolist()}
    return nx.Graph(drawn(workspace).subgraph(nodes))


def test_relations_count_the_facts_of_an_entity(sample_workspace: Workspace) -> None:
    entity = hub(sample_workspace)
    reported: list[Fact] = []
    for other in drawn(sample_workspace)[entity]:
        reported += sample_workspace.graph.facts_between(entity, other)
    relations = sample_workspace.graph.relations_of(entity)
    wanted = Counter((fact.predicate, fact.subject_id == entity) for fact in reported)
    assert {(each.predicate, each.forward): each.facts for each in relations} == wanted
    assert [each.facts for each in relations] == sorted(wanted.values(), reverse=True)
    for each in relations:
        ends = {
            fact.object_id if each.forward else fact.subject_id
            for fact in reported
            if (fact.predicate, fact.subject_id == entity) == (each.predicate, each.forward)
        }
        assert set(each.entity_ids) == ends and len(each.entity_ids) == len(ends)


def test_facts_between_two_are_the_same_from_either_side(sample_workspace: Workspace) -> None:
    entity = hub(sample_workspace)
    other = next(iter(drawn(sample_workspace)[entity]))
    facts = sample_workspace.graph.facts_between(entity, other)
    assert facts == sample_workspace.graph.facts_between(other, entity)
    assert facts and all({fact.subject_id, fact.object_id} == {entity, other} for fact in facts)
    assert all(fact.triples for fact in facts)
    assert sample_workspace.graph.facts_between(entity, "nobody") == []


def test_paths_are_the_shortest_of_the_drawn_graph(sample_workspace: Workspace) -> None:
    graph, entity = drawn_facts(sample_workspace), hub(sample_workspace)
    far = next(id for id, away in nx.single_source_shortest_path_length(graph, entity).items() if away == 3)
    found = sample_workspace.graph.paths_between(entity, far, most=10_000, longest=3)
    wanted = {tuple(path) for path in nx.all_shortest_paths(graph, entity, far)}
    assert {path.entity_ids for path in found.paths} == wanted and not found.more
    for path in found.paths:
        for step, one, other in zip(path.steps, path.entity_ids[:-1], path.entity_ids[1:], strict=True):
            assert {step.subject_id, step.object_id} == {one, other} and 0 < step.strength < 1
            text = sample_workspace.passages.get(step.passage_id).text
            assert 0 <= step.start < step.end <= len(text)
    assert len(sample_workspace.graph.paths_between(entity, far, most=1).paths) == 1


def test_who_is_gone_has_no_relations_and_no_paths(sample_workspace: Workspace) -> None:
    entity = hub(sample_workspace)
    for act in (
        lambda: sample_workspace.graph.relations_of("nobody"),
        lambda: sample_workspace.graph.paths_between(entity, "nobody"),
    ):
        with pytest.raises(BadInput):
            act()


def test_a_part_of_the_graph_has_the_facts_among_its_entities(sample_workspace: Workspace) -> None:
    entity, view = hub(sample_workspace), sample_workspace.graph.view()
    graph = nx.Graph([(view.ids[one], view.ids[other]) for one, other in view.edges.tolist()])
    some = {entity, *list(graph[entity])[:5]}
    part = sample_workspace.graph.part([*some, "nobody"])
    assert set(part.ids) == some
    reported = {frozenset((part.ids[one], part.ids[other])) for one, other in part.edges.tolist()}
    assert reported == {frozenset(pair) for pair in graph.subgraph(some).edges}
