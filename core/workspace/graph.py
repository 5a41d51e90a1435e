"""The graph of a workspace: views, communities and their reports, saved views, and the timeline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.answering.reports.writing import write_reports
from core.errors import BadInput
from core.extraction.terms import FORMS, SURE, find_definitions
from core.graph.connections import paths_between, relations
from core.graph.folding import fold, foldable
from core.graph.layout import common_layout
from core.graph.overview_cache import OverviewCache
from core.graph.shaping import shaped
from core.index.vector import IndexFolder
from core.ingest.derive import note_forms
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.retrieval.derived_edges import derived_edges, describe_edges, edge_source, edges_around
from core.retrieval.timeline import facts_between, inside, timeline_of
from core.store.layout import GraphViews
from core.store.store import Store
from core.store.workspace_files import DERIVED
from core.text.translation import mark, tr
from core.types import (
    Changed,
    CommonLayout,
    CommonPlace,
    Community,
    CommunityQuality,
    CommunityReport,
    DerivedEdge,
    DerivedEdges,
    EdgeSource,
    Entity,
    Fact,
    FactPaths,
    Foldable,
    FoldedView,
    GraphColumns,
    GraphShape,
    GraphView,
    InTime,
    Relation,
    SavedView,
    Timeline,
    Written,
)
from core.types.kinds import CONCEPT, VALUES, without_sense
from core.workspace.graph_columns import graph_columns
from core.workspace.handle import WorkspaceHandle
from core.workspace.view_rows import (
    community_report,
    graph_view,
    neighbourhood,
    part_of_graph,
    renewed,
    renewed_graph,
)

_DEFINING = 1_000  # passages of an entity in which its definition is looked for


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

    def definition(self, entity_id: str) -> EdgeSource | None:
        """Return the sentence by which a document defines a term, the surest and first; None where none does."""
        label = self._store.entities.get(entity_id).label
        if label in VALUES or label == "PERSON":
            return None
        forms = FORMS if label == CONCEPT else SURE
        names = [without_sense(normal) for normal in self._store.name_changes.names_of(entity_id)]
        ids = self._store.name_changes.passages_of(entity_id)[:_DEFINING]
        found = [
            (rank, stored.path, stored.passage.ordinal, edge_source(stored, start, end))
            for stored in self._store.passages.by_ids(ids)
            for rank, start, end in find_definitions(stored.passage.text, names, forms)
        ]
        return min(found, key=lambda one: one[:3])[3] if found else None

    def facts_between(self, one_id: str, other_id: str, limit: int = 50) -> list[Fact]:
        """Either way, strongest first, with the triples that support them; none where one of them is gone."""
        return self._store.facts.between(one_id, other_id, limit)

    def common_places(self, one_id: str, other_id: str, limit: int = 50) -> list[CommonPlace]:
        """The places that name both entities, in the order of the documents."""
        return self._store.map_edges.common_places(one_id, other_id, limit)

    def relations_of(self, entity_id: str) -> list[Relation]:
        """The predicates of its facts, by direction, those with most facts first. Raises BadInput when it is gone."""
        return relations(self._store, entity_id)

    def paths_between(
        self, one: str, other: str, most: int = 20, longest: int = 5, context: TaskContext | None = None
    ) -> FactPaths:
        """At most `most` simple paths of at most `longest` facts, whichever way these are told, those that tell most
        first.

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

    def describe_edges(self, edges: DerivedEdges, rows: Sequence[int]) -> list[DerivedEdge]:
        """Edges in words, with the places that they follow from; without those whose sources are gone by now."""
        return describe_edges(self._store, edges, rows)

    # ------------------------------------------------------------ drawing

    def view(self, limit: int = 0) -> GraphView:
        """Entities with facts or ties and the edges between them; the `limit` most connected, 0 for all."""
        return graph_view(self._store, limit)

    def count_nodes(self) -> int:
        """How many entities the map would draw if each were joined to another; `view` has those that are."""
        edges, among = self._store.map_edges, self._store.candidates.entities()
        return edges.count_nodes() if among is None else len(edges.among_nodes(among))

    def overview(self) -> Foldable:
        """The view of all, with the communities of all levels put upon it."""
        return self._picture.now().foldable

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

    def fold(self, foldable: Foldable, opened: Collection[int]) -> FoldedView:
        """What is seen while the communities with these ids are open, all others closed."""
        return fold(foldable, opened)

    def columns(self, view: GraphView, context: TaskContext) -> GraphColumns:
        """What is known of the entities and links of a view of the whole. Raises Cancelled."""
        return graph_columns(self._store, view, context)

    def shaped(
        self, foldable: Foldable, shape: GraphShape, columns: GraphColumns | None
    ) -> tuple[Foldable, NDArray[np.bool_]]:
        """The graph as a person shaped it, and which of its entities that has, (n,).

        `columns` may be None where nothing is asked of facts. Raises BadInput for what is no date.
        """
        wanted, dated_facts = shape.filter, None
        if columns is not None and (wanted.since or wanted.until):
            dated_facts = facts_between(self._store, columns.keys, wanted.since, wanted.until)
        return shaped(foldable, shape, columns, dated_facts)

    # ------------------------------------------------------------ communities

    def communities(self, level: int | None = None) -> list[Community]:
        """Of a level, 1 the finest, or of all from the top down; the largest first within a level."""
        found = self._picture.now().foldable.communities
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
        """Return what `overview` and `community_quality` gave last, in any process, and whether nothing changed since.

        None where they gave nothing yet. Quick, also where `overview` takes long.
        """
        found = self._picture.at_hand()
        return (found[0].foldable, list(found[0].quality), found[1]) if found is not None else None

    def keep_picture(self) -> None:
        """Have what `overview` gives lie beside the database, for the next process; one that is older is enough."""
        self._picture.keep()


# ------------------------------------------------------------ timeline


class TimelineApi:
    """`workspace.timeline`. Changes nothing; safe from every thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def columns(self) -> Timeline:
        """Dates of all facts, passages and documents; read once until the content changes, which may take seconds."""
        return timeline_of(self._store)

    def inside(self, since: str, until: str) -> InTime:
        """What is told in a range: ISO 8601 with or without month and day, both inclusive, "" for open.

        Milliseconds, once the columns were read. Raises BadInput for what is no date.
        """
        return inside(self.columns(), since, until)


# ------------------------------------------------------------ saved views


class GraphViewsApi:
    """`workspace.graph_views`. Safe from every thread.

    Nothing of the documents follows from them, so that they need trust but no lock: one can be kept while another
    process indexes. All that writes raises Untrusted, and WorkspaceError where nothing can be written.
    """

    def __init__(self, opened: WorkspaceHandle) -> None:
        self._views = GraphViews(opened.store.settings)
        self._store = opened.store
        self._check_trusted = opened.check_trusted

    def all(self) -> list[SavedView]:
        """By name, whatever its case."""
        return sorted(self._views.all(), key=lambda view: (view.name.casefold(), view.name))

    def keep(self, view: SavedView) -> None:
        """Keep a view, in place of the one of its name. Raises BadInput without a name."""
        name = view.name.strip()
        if not name:
            raise BadInput(tr("A view needs a name."), tr("Type one."))
        self._change(lambda views: [*_without(views, name), replace(view, name=name)])

    def rename(self, name: str, other: str) -> None:
        """Raises BadInput where there is none of that name, or one of the other, or no other name."""
        other = other.strip()
        if not other:
            raise BadInput(tr("A view needs a name."), tr("Type one."))
        names = [view.name for view in self.all()]
        if name not in names:
            raise BadInput(tr("There is no view called “{name}”.", name=name))
        if other != name and other in names:
            raise BadInput(
                tr("There is a view called “{name}” already.", name=other), tr("Take another name.")
            )
        self._change(lambda views: [replace(one, name=other) if one.name == name else one for one in views])

    def forget(self, name: str) -> None:
        """One that is not kept is passed by."""
        self._change(lambda views: _without(views, name))

    def _change(self, act: Callable[[list[SavedView]], list[SavedView]]) -> None:
        self._check_trusted()
        with self._store.database.transaction():
            self._views.set(act(self._views.all()))


def _without(views: list[SavedView], name: str) -> list[SavedView]:
    return [view for view in views if view.name != name]


# ------------------------------------------------------------ reports of communities


RULES = "extractive"  # who writes without a language model, as `clew ask` calls it


class ReportsApi:
    """`workspace.reports`. Reading is safe from every thread."""

    def __init__(self, opened: WorkspaceHandle, language_model: Callable[[str], LanguageModel]) -> None:
        """`language_model` gives the one called "ollama:MODEL", or raises BadInput."""
        self._store = opened.store
        self._writing = opened.writing
        self._language_model = language_model

    def get(self, community_id: int) -> CommunityReport:
        """The report of a community. Raises BadInput when the community is gone or has none yet."""
        return community_report(self._store, community_id)

    def write(
        self,
        context: TaskContext,
        generator: str = RULES,
        *,
        level: int | None = None,
        again: bool = False,
        only: Collection[int] | None = None,
    ) -> Written:
        """Reports of the communities, of one level or `only` these: those that are wanting, or `again` all.

        `generator` is "extractive", the rules, or "ollama:MODEL"; without a model what one wrote stays as long
        as it holds. Raises BadInput for what there is none of, WorkspaceError while another process writes,
        Cancelled, ModelUnavailable and ModelFault with what was written kept.
        """
        levels = self._store.communities.levels()
        if level is not None and not 1 <= level <= levels:
            raise BadInput(
                tr("This workspace has no communities of level {level}.", level=level),
                tr("There are levels 1 to {last}.", last=levels)
                if levels
                else tr("There are no communities yet."),
            )
        model = None if generator == RULES else self._language_model(generator)
        with self._writing(mark("given its reports")):
            note_forms(self._store, context)
            return write_reports(self._store, context, level=level, model=model, again=again, only=only)
