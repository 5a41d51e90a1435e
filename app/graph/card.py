"""The entity's card upon the graph: loaded off this thread, kept in step, and what its lines open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.graph.canvas.canvas import GraphCanvas
from app.graph.entity_card import EDGES, FACTS, PASSAGES, EntityCard, EntityDetails
from app.graph.entity_names import EntityNames
from app.session import operations
from app.session.about import ask_about
from app.session.session import Session
from app.session.tasks import Lane
from core.errors import CoreError
from core.progress import TaskContext
from core.types import EDGE_KINDS, Changed, DerivedEdge, EdgeSource, Fact, Passage, Scope

TASK, _EDGES = "entity card", "edges of the entity card"  # not shown


class GraphCard(QObject):
    """Shows one entity on `card`, which lies where the canvas has its map."""

    found = Signal(str)  # id of the entity that was asked for by one of its names, before it is shown

    def __init__(self, session: Session, canvas: GraphCanvas, drawn: Callable[[str], bool]) -> None:
        super().__init__(canvas)
        self._session, self._canvas = session, canvas
        self._drawn = drawn  # whether the graph as drawn has an entity
        self._tasks = session.tasks.owned_by(self)
        self._wanted = ""  # id that was asked for last, "" when the card is hidden
        self._shown: tuple[EntityDetails, bool] | None = None
        self.card = EntityCard(canvas, EntityNames(session))
        self.card.closed.connect(session.selection.clear)
        self.card.fact_wanted.connect(self._open_fact)
        self.card.passage_wanted.connect(self._open_passage)
        self.card.source_wanted.connect(self._open_source)
        self.card.ask_wanted.connect(lambda id: ask_about(session, Scope(entities=(id,))))
        self.card.community_wanted.connect(partial(operations.select_community, session))
        session.changes.told.connect(self._on_changed)

    @property
    def entity_id(self) -> str:
        """Of the entity that is shown, "" for none. A selected name may be only one of its names."""
        return self.card.entity_id if self.card.isVisible() else ""

    def hide(self) -> None:
        self._tasks.drop(TASK)
        self._tasks.drop(_EDGES)
        self._wanted = ""
        if self.card.isVisible():
            self.card.hide()
            self._canvas.set_map_room(True)

    def load(self, entity_id: str) -> None:
        """Show an entity, by its id or by that of any of its names."""
        self._wanted = entity_id
        self._load(entity_id, self._session.tell_error)

    def _on_changed(self, changed: Changed) -> None:
        if self._wanted and (changed.everything or self._concerns(changed)):
            self._load(self._wanted, lambda _: self.hide())  # it may have gone with its documents

    def _concerns(self, changed: Changed) -> bool:
        """Whether a change is seen on the card: of the entity, of its facts, or of its community."""
        details = self._shown[0] if self._shown is not None else None
        if details is None or {self._wanted, details.entity.id} & (changed.entities | changed.names):
            return True
        home = {details.community[0]} if details.community is not None else set()
        facts, documents = (
            {f.id for f in (*details.facts, *details.unasserted)},
            {p.document_id for p in details.passages},
        )
        changed_home = home & (changed.communities | changed.reports)
        return bool(changed_home or facts & changed.facts or documents & changed.documents)

    def _load(self, entity_id: str, failed: Callable[[CoreError], None]) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(context: TaskContext) -> EntityDetails:
            entity = workspace.graph.entity(entity_id)
            context.check()
            facts = workspace.graph.facts_of(entity.id, FACTS)
            passages = workspace.passages.of_entity(entity.id, PASSAGES)
            merges, home = (
                tuple(workspace.names.merges_of(entity.id)),
                workspace.graph.community_of(entity.id),
            )
            unasserted = workspace.graph.unasserted_facts(entity.id, FACTS)
            return EntityDetails(entity, tuple(facts), tuple(passages), merges, home, tuple(unasserted))

        self._tasks.start(TASK, work, self._show, failed=failed)

    def _show(self, details: EntityDetails) -> None:
        found = details.entity.id
        if found != self._wanted:
            self.found.emit(found)
        content = (details, self._drawn(found))
        if not self.card.isVisible() or content != self._shown:  # what the person reads does not jump
            self._shown = content
            self._canvas.set_map_room(False)
            self.card.show_details(*content)
            self._load_edges(found)

    def _load_edges(self, entity_id: str) -> None:
        """What follows from facts comes later: of a large workspace it takes a while at first."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> list[DerivedEdge]:
            graph = workspace.graph
            edges = graph.derived_edges(now=False)  # after one decision all are not made anew
            kinds = (graph.edge_rows(edges, kind, entity_id)[:EDGES] for kind in EDGE_KINDS)
            return graph.edges_told(edges, [row for rows in kinds for row in rows])

        def done(edges: list[DerivedEdge]) -> None:
            if edges and self.card.entity_id == entity_id:
                self.card.show_edges(edges)

        self._tasks.start(_EDGES, work, done, failed=lambda _: None, lane=Lane.WHOLE)  # it may have gone

    def _open_passage(self, passage: Passage) -> None:
        operations.select_passage(self._session, passage.id, passage.document_id)

    def _open_source(self, source: EdgeSource) -> None:
        operations.select_place(self._session, source.passage_id, source.start, source.end)

    def _open_fact(self, fact: Fact) -> None:
        if fact.triples:
            best = max(fact.triples, key=lambda triple: triple.confidence)
            operations.select_place(self._session, best.passage_id, best.start, best.end)
