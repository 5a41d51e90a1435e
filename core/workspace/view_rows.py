"""What is looked at rather than asked: the drawable graph, communities."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import place_of
from core.errors import BadInput
from core.graph.overview import (
    join_parallel,
    read_overview,
    renewed_communities,
    renewed_view,
    visible_edges,
)
from core.store.entities import EntityRow
from core.store.layout import Placed
from core.store.map_edges import EdgeColumns
from core.store.store import Store
from core.text.translation import tr
from core.types import Changed, Citation, Community, CommunityReport, GraphView

_LABEL_NAMES = 3


def graph_view(store: Store, limit: int) -> GraphView:
    """Entities with facts or ties and the edges between them; the `limit` most connected, 0 for all."""
    rows = store.entities.rows()
    keys = np.array([row.key for row in rows], dtype=np.int64)
    edges = _join(keys, visible_edges(store, store.map_edges.edges()))
    degree = np.bincount(edges.ends.ravel(), minlength=len(rows))
    keep = degree > 0
    if limit and int(keep.sum()) > limit:
        best = np.argsort(-degree, kind="stable")[:limit]
        keep = np.zeros(len(rows), dtype=bool)
        keep[best] = True
    return _view(store.layout.all(), rows, edges, keep)


def neighbourhood(store: Store, entity_id: str, limit: int) -> GraphView:
    """The entity and at most `limit` neighbours, strongest edges first. Raises BadInput when gone."""
    (centre,) = store.entities.keys_of([store.entities.get(entity_id).id])
    touching = visible_edges(store, store.map_edges.columns_touching([centre]))
    best = np.argsort(-touching.weights, kind="stable")[:limit]
    keep = {centre, *touching.ends[best].ravel().tolist()}
    return _view_of(store, keep)


def part_of_graph(store: Store, entity_ids: Collection[str]) -> GraphView:
    """These entities, of those that are there, and the facts among them."""
    keys = set(store.entities.keys_of(entity_ids))
    return _view_of(store, keys)


def renewed_graph(store: Store, view: GraphView, changed: Changed, limit: int) -> GraphView:
    """The graph view, of which only the changed entities are read again, with what their facts tie them to."""
    keys = store.entities.keys_of(changed.entities)
    columns = visible_edges(store, store.map_edges.columns_touching(keys))
    around = _view_of(store, set(columns.ends.ravel().tolist()), columns)
    return renewed_view(view, around, changed.entities, limit)


def _view_of(store: Store, keys: Collection[int], columns: EdgeColumns | None = None) -> GraphView:
    """These entities and the edges between two of them, of those that `columns` has."""
    rows = store.entities.rows(keys)
    present = np.array([row.key for row in rows], dtype=np.int64)
    edges = _join(present, visible_edges(store, columns or store.map_edges.columns_touching(keys)))
    return _view(store.layout.all(keys), rows, edges, np.ones(len(rows), dtype=bool))


def renewed(store: Store, known: Sequence[Community], changed: Changed) -> list[Community]:
    """All communities, of which only those that changed are read again."""
    if store.candidates.entities() is not None:  # a first approved fact brings all that hold it into view
        return list(read_overview(store).foldable.communities)
    wanted = changed.communities | changed.reports
    rows = {row.key: row for key in wanted if (row := store.communities.get(key)) is not None}
    finest = [key for key, row in rows.items() if row.level == 1]
    members = store.communities.entities(finest)
    entities = {
        row.key: row for row in store.entities.rows(key for group in members.values() for key in group)
    }
    titles = store.reports.titles(rows)
    labels = {one.id: one.label for one in known}
    now = {}
    for key, row in rows.items():
        group = [entities[each] for each in members.get(key, ()) if each in entities]
        label = (
            titles.get(key) or ", ".join(each.name for each in group[:_LABEL_NAMES]) or labels.get(key, "")
        )
        now[key] = Community(key, row.level, row.parent, tuple(each.id for each in group), label, row.number)
    return renewed_communities(known, now, wanted - rows.keys())


def community_report(store: Store, community_id: int) -> CommunityReport:
    """What is told of a community. Raises BadInput when it is gone, or its report is not written yet."""
    report = store.reports.get(community_id)
    if report is None:
        known = store.communities.get(community_id) is not None
        raise BadInput(
            tr("This community has no report yet.")
            if known
            else tr("This community is no longer in the workspace."),
            tr("Index the folder again: reports are written at the end.")
            if known
            else tr("Choose another one."),
        )
    return _placed(store, report)


def _placed(store: Store, report: CommunityReport) -> CommunityReport:
    """The report with the cells or the named place of each citation, as answers tell them."""
    known: dict[Citation, Citation] = {}

    def placed(citation: Citation) -> Citation:
        if citation not in known:
            regions = store.documents.regions(citation.document_id, citation.start, citation.end)
            place = place_of(regions, citation.start, citation.end)
            known[citation] = replace(citation, place=place) if place else citation
        return known[citation]

    return replace(
        report,
        statements=tuple(replace(s, citations=tuple(map(placed, s.citations))) for s in report.statements),
        facts=tuple(replace(fact, citation=placed(fact.citation)) for fact in report.facts),
        timeline=tuple(replace(dated, citation=placed(dated.citation)) for dated in report.timeline),
    )


@dataclass(frozen=True, slots=True)
class _Edges:
    """Edges between rows of entities, `ends` (m, 2), with weights and passages, (m,); see `GraphView`."""

    ends: NDArray[np.int64]
    weights: NDArray[np.float64]
    common_passages: NDArray[np.int32]


def _join(keys: NDArray[np.int64], columns: EdgeColumns) -> _Edges:
    """Return each edge between two of the entities `keys`, ascending, once."""
    inside = np.asarray(np.isin(columns.ends, keys).all(axis=1))
    edges, common_passages = join_parallel(np.searchsorted(keys, columns.ends[inside]), columns.at(inside))
    return _Edges(edges.ends, edges.weights, common_passages)


def _view(
    placed: Placed,
    rows: list[EntityRow],
    joined: _Edges,
    keep: NDArray[np.bool_],
) -> GraphView:
    chosen = np.flatnonzero(keep)
    inside = keep[joined.ends].all(axis=1) if len(joined.ends) else np.zeros(0, dtype=bool)
    edges = np.searchsorted(chosen, joined.ends[inside])
    found, at = _located(placed.keys, np.array([rows[row].key for row in chosen], dtype=np.int64))
    community = np.full(len(chosen), -1, dtype=np.int32)
    positions = np.zeros((len(chosen), 2), dtype=np.float32)
    community[found], positions[found] = placed.communities[at], placed.positions[at]
    return GraphView(
        ids=tuple(rows[row].id for row in chosen),
        names=tuple(rows[row].name for row in chosen),
        labels=tuple(rows[row].label for row in chosen),
        degree=np.bincount(edges.ravel().astype(np.int64), minlength=len(chosen)).astype(np.int32),
        community=community,
        positions=positions,
        edges=edges.reshape(-1, 2).astype(np.int32),
        weights=joined.weights[inside].astype(np.float32),
        common_passages=joined.common_passages[inside],
    )


def _located(
    keys: NDArray[np.int64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which of the wanted are among the sorted keys, (n,), and where those are."""
    at = np.searchsorted(keys, wanted)
    found = at < len(keys)
    found[found] = keys[at[found]] == wanted[found]
    return found, at[found]
