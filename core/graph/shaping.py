"""What of a graph passes a person's filter, and the graph that is left. Pure, for any thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.types import Foldable, GraphColumns, GraphFilter, GraphShape, GraphView
from core.types.edges import EDGE_KINDS
from core.types.review import STATES

Mask = NDArray[np.bool_]


def passing(
    graph: Foldable, wanted: GraphFilter, columns: GraphColumns | None, dated: Mask | None = None
) -> tuple[Mask, Mask]:
    """Which entities, (n,), and which edges, (m,), pass; see `GraphFilter`. `columns` may be None where nothing is
    asked of facts; `dated`, (f,), which facts lie in its dates."""
    view = graph.view
    nodes, edges = np.ones(len(view.ids), np.bool_), np.ones(len(view.edges), np.bool_)
    derived = view.kinds is not None
    if wanted.labels:
        nodes &= np.isin(np.array(view.labels, dtype=np.str_), wanted.labels)
    if wanted.communities:
        nodes &= inside_communities(graph, wanted.communities)
    if wanted.degree:
        nodes &= view.degree >= wanted.degree
    if wanted.of_facts and columns is not None:
        facts = _facts(wanted, columns, dated)
        edges[:] = False
        if derived:
            own = columns.derived_facts[_of_kinds(columns, wanted.edges)]
            known = np.isin(own, columns.keys[facts])
            edges[:] = known.any(axis=1) & (known | (own < 0)).all(axis=1)
        else:
            edges[columns.edge[facts]] = True
    if wanted.facts_only:
        edges &= view.common_passages == 0
    if derived or wanted.facts_only or (wanted.of_facts and columns is not None):
        touched = np.zeros(len(nodes), np.bool_)
        touched[view.edges[edges].ravel()] = True
        nodes &= touched
    return nodes, edges


def _of_kinds(columns: GraphColumns, kinds: tuple[str, ...]) -> Mask:
    """Which edges that follow from others are of these kinds, (g,)."""
    rows = [EDGE_KINDS.index(kind) for kind in kinds if kind in EDGE_KINDS]
    return np.isin(columns.derived_kinds, rows)


def followed(graph: Foldable, kinds: tuple[str, ...], columns: GraphColumns) -> Foldable:
    """The graph with the edges of these kinds, which follow from others, in place of its facts."""
    mask = _of_kinds(columns, kinds)
    ends, own = columns.derived_ends[mask], columns.derived_kinds[mask]
    view = replace(
        graph.view,
        edges=ends,
        weights=np.ones(len(ends), np.float32),
        common_passages=np.zeros(len(ends), np.int32),
        kinds=own,
    )
    return replace(graph, view=view)


def inside_communities(graph: Foldable, communities: tuple[int, ...]) -> Mask:
    """Which entities lie in one of these communities, of whatever level, (n,)."""
    wanted = np.isin([community.id for community in graph.communities], communities)
    for row, above in enumerate(graph.parent.tolist()):  # parents come first
        wanted[row] |= above >= 0 and wanted[above]
    return np.where(graph.home >= 0, wanted[graph.home] if len(wanted) else False, False)


def _facts(wanted: GraphFilter, columns: GraphColumns, dated: Mask | None) -> Mask:
    """Which facts pass, (f,)."""
    found = columns.probability >= np.float32(wanted.probability)
    if wanted.states:
        found &= np.isin(columns.state, [STATES.index(state) for state in wanted.states])
    if wanted.documents:
        rows = np.flatnonzero(np.isin(np.array(columns.document_ids, dtype=np.str_), wanted.documents))
        found &= _mark_facts_from(columns, np.isin(columns.source, rows))
    if dated is not None:
        found &= dated
    return found


def _mark_facts_from(columns: GraphColumns, sources: Mask) -> Mask:
    """Which facts, (f,), have a source among these, (k,)."""
    found = np.zeros(len(columns.edge), np.bool_)
    found[columns.source_fact[sources]] = True
    return found


def reduced(graph: Foldable, nodes: Mask, edges: Mask, pinned: Mapping[str, tuple[float, float]]) -> Foldable:
    """The graph of these entities and edges; communities keep their places and hold what is left of them.

    Entities keep their places, but for the `pinned` ones, which stand where they were put.
    """
    view = graph.view
    if nodes.all() and edges.all() and view.kinds is None:
        subview, left = view, graph
    else:
        edges = edges & nodes[view.edges].all(axis=1) if len(edges) else edges
        rows, number = np.flatnonzero(nodes), np.cumsum(nodes, dtype=np.int32) - 1
        pairs = number[view.edges[edges]].reshape(-1, 2).astype(np.int32)
        names = (view.ids, view.names, view.labels)
        ids, words, labels = (tuple(map(column.__getitem__, rows.tolist())) for column in names)
        degree = np.bincount(pairs.ravel(), minlength=len(rows)).astype(np.int32)
        own = (
            view.community[rows],
            view.positions[rows],
            pairs,
            view.weights[edges],
            view.common_passages[edges],
        )
        kinds = None if view.kinds is None else view.kinds[edges]
        subview = GraphView(ids, words, labels, degree, *own, kinds)
        left = _less(graph, subview, graph.home[rows])
    if not pinned:
        return left
    places = subview.positions.copy()
    for row, id in enumerate(subview.ids):
        if (place := pinned.get(id)) is not None:
            places[row] = place
    return replace(left, view=replace(subview, positions=places))


def _less(graph: Foldable, view: GraphView, home: NDArray[np.int32]) -> Foldable:
    """The communities over what is left."""
    view_ids = frozenset(view.ids)
    communities = tuple(
        replace(each, entity_ids=tuple(id for id in each.entity_ids if id in view_ids))
        for each in graph.communities
    )
    drawn = np.array([len(each.entity_ids) for each in communities], np.int32)
    return replace(graph, view=view, communities=communities, home=home, drawn=drawn)


def shaped(
    graph: Foldable, shape: GraphShape, columns: GraphColumns | None, dated: Mask | None = None
) -> tuple[Foldable, Mask]:
    """The graph as a person shaped it, and which entities of the whole it has, (n,)."""
    if shape.filter.edges and columns is not None:
        graph = followed(graph, shape.filter.edges, columns)
    nodes, edges = passing(graph, shape.filter, columns, dated)
    if shape.hidden:
        nodes &= ~np.fromiter((id in shape.hidden for id in graph.view.ids), np.bool_, len(nodes))
    return reduced(graph, nodes, edges, {id: (x, y) for id, x, y in shape.pinned}), nodes
