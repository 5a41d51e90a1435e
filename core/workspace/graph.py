"""The graph of a workspace: entities, the facts between them, the communities that they form."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from core.graph.connections import paths_between, relations
from core.graph.folding import fold, foldable
from core.graph.layout import common_layout
from core.graph.overview_cache import OverviewCache
from core.graph.shaping import shaped
from core.index.vector import IndexFolder
from core.progress import TaskContext
from core.retrieval.derived_edges import derived_edges, describe_edges, edges_around
from core.retrieval.timeline import facts_between
from core.store.workspace_files import DERIVED
from core.types import (
    Changed,
    CommonLayout,
    Community,
    CommunityQuality,
    DerivedEdge,
    DerivedEdges,
    Entity,
    Fact,
    FactPaths,
    Foldable,
    FoldedView,
    GraphColumns,
    GraphShape,
    GraphView,
    Relation,
)
from core.workspace.graph_columns import graph_columns
from core.workspace.handle import WorkspaceHandle
from core.workspace.view_rows import (
    graph_view,
    neighbourhood,
    part_of_graph,
    renewed,
    renewed_graph,
)


class GraphApi:
    """`workspace.graph`. Changes nothing; safe from every thread."""

    def __init__(self, opened: WorkspaceHandle) -> None:
        self._store = opened.store
        folder = IndexFolder(opened.path / DERIVED, opened.store.database.read_only)
        self._picture = OverviewCache(opened.store, folder)

    def entity(self, entity_id: str) -> Entity:
        """Raises BadInput when it is gone."""
        return self._store.entities.get(entity_id)

    def entities(self, limit: int = 0) -> list[Entity]:
        """Most mentioned first; `limit` 0 means all."""
        return self._store.entities.all(limit)

    def fact(self, fact_id: str) -> Fact:
        """With the triples that support it, the surest first. Raises BadInput when it is gone."""
        return self._store.facts.get(fact_id)

    def facts_of(self, entity_id: str, limit: int = 50) -> list[Fact]:
        """Strongest first, with the triples that support them."""
        return self._store.facts.of_entity(entity_id, limit)

    def unasserted_facts(self, entity_id: str, limit: int = 50) -> list[Fact]:
        """What the documents deny, suppose, plan or report of an entity: no facts that count; the surest first."""
        return self._store.candidates.unasserted(entity_id, limit)

    def facts_between(self, one_id: str, other_id: str, limit: int = 50) -> list[Fact]:
        """Either way, strongest first, with the triples that support them; none where one of them is gone."""
        return self._store.facts.between(one_id, other_id, limit)

    def relations_of(self, entity_id: str) -> list[Relation]:
        """The predicates of its facts, by direction, those with most facts first. Raises BadInput when it is gone."""
        return relations(self._store, entity_id)

    def paths_between(
        self, one: str, other: str, most: int = 20, longest: int = 5, context: TaskContext | None = None
    ) -> FactPaths:
        """At most `most` simple paths of at most `longest` facts, whichever way these are told, the shortest first.

        Ids of entities, or of any of their names. Raises BadInput when one is gone.
        """
        return paths_between(self._store, one, other, most, longest, context or TaskContext())

    # ------------------------------------------------------------ edges that follow from others

    def derived_edges(self, now: bool = True) -> DerivedEdges:
        """Before and after, organisation, citations; made once until the content changes, which may take seconds;
        without `now` those that were made last."""
        return derived_edges(self._store, now)

    def edge_rows(self, edges: DerivedEdges, kind: str = "", entity_id: str = "") -> list[int]:
        """Rows of a kind, and of an entity: at an end of which it stands, or of whose facts they are; "" for any.

        Raises BadInput when the entity is gone.
        """
        rows = np.arange(len(edges)) if not kind else edges.rows(kind)
        if entity_id:
            (key,) = self._store.entities.keys_of([self._store.entities.get(entity_id).id])
            rows = rows[np.isin(rows, edges_around(edges, key))]
        return [int(row) for row in rows]

    def edges_told(self, edges: DerivedEdges, rows: Sequence[int]) -> list[DerivedEdge]:
        """Edges in words, with the places that they follow from; without those whose sources are gone by now."""
        return describe_edges(self._store, edges, rows)

    # ------------------------------------------------------------ drawing

    def view(self, limit: int = 0) -> GraphView:
        """Entities with facts and the edges between them; the `limit` most connected, 0 for all."""
        return graph_view(self._store, limit)

    def whole(self) -> Foldable:
        """The view of all, with the communities of all levels put upon it."""
        return self._picture.now().whole

    def neighbourhood(self, entity_id: str, limit: int = 40) -> GraphView:
        """The entity and its strongest neighbours, with the facts among them. Raises BadInput when it is gone."""
        return neighbourhood(self._store, entity_id, limit)

    def part(self, entity_ids: Collection[str]) -> GraphView:
        """These entities, of those that are there, and the facts among them."""
        return part_of_graph(self._store, entity_ids)

    def renewed_view(self, view: GraphView, changed: Changed, limit: int = 0) -> GraphView:
        """A view of the whole that was read before `changed`, as it is now; only what changed is read again."""
        return renewed_graph(self._store, view, changed, limit)

    @staticmethod
    def common_layout(first: GraphView, second: GraphView | None = None) -> CommonLayout:
        """Two views, also of two workspaces, on the layout of the first; one alone as it is."""
        return common_layout(first, second)

    def foldable(self, view: GraphView, communities: Sequence[Community]) -> Foldable:
        """Prepare a view for `fold`: the communities of all levels, put upon it."""
        return foldable(view, communities)

    def fold(self, whole: Foldable, opened: Collection[int]) -> FoldedView:
        """What is seen while the communities with these ids are open, all others closed."""
        return fold(whole, opened)

    def columns(self, view: GraphView, context: TaskContext) -> GraphColumns:
        """What is known of the entities and links of a view of the whole. Raises Cancelled."""
        return graph_columns(self._store, view, context)

    def shaped(
        self, whole: Foldable, shape: GraphShape, columns: GraphColumns | None
    ) -> tuple[Foldable, NDArray[np.bool_]]:
        """The graph as a person shaped it, and which of its entities that has, (n,).

        `columns` may be None where nothing is asked of facts. Raises BadInput for what is no date.
        """
        wanted, dated_facts = shape.filter, None
        if columns is not None and (wanted.since or wanted.until):
            dated_facts = facts_between(self._store, columns.keys, wanted.since, wanted.until)
        return shaped(whole, shape, columns, dated_facts)

    # ------------------------------------------------------------ communities

    def communities(self, level: int | None = None) -> list[Community]:
        """Of a level, 1 the finest, or of all from the top down; the largest first within a level."""
        found = self._picture.now().whole.communities
        return [community for community in found if level is None or community.level == level]

    def renewed_communities(self, known: Sequence[Community], changed: Changed) -> list[Community]:
        """The communities of all levels that were read before `changed`; only what changed is read again."""
        return renewed(self._store, known, changed)

    def community_of(self, entity_id: str) -> tuple[int, str] | None:
        """Id and title ("" without a report) of the finest community that holds an entity; None: none does."""
        home = self._store.communities.home_of(entity_id)
        return (home, self._store.reports.titles([home]).get(home, "")) if home is not None else None

    def community_quality(self) -> list[CommunityQuality]:
        """How good the partition of each level is, the top level first."""
        return list(self._picture.now().quality)

    def at_hand(self) -> tuple[Foldable, list[CommunityQuality], bool] | None:
        """What `whole` and `community_quality` gave last, also in another process, and whether nothing changed since.

        None where they gave nothing yet. Quick, also where `whole` takes long.
        """
        found = self._picture.at_hand()
        return (found[0].whole, list(found[0].quality), found[1]) if found is not None else None

    def keep_picture(self) -> None:
        """Have what `whole` gives lie beside the database, for the next process; one that is older is enough."""
        self._picture.keep()
