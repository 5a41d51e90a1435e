"""What stands out on the graph: the selected, what the mouse points at elsewhere, the chain to a passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.graph.canvas.canvas import GraphCanvas
from app.graph.card import GraphCard
from app.graph.folded import community_of, node_id
from app.graph.folding import GraphFolding
from app.graph.ways import path_to
from app.session import operations
from app.session.selection import Selected
from app.session.session import Session
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.types import Community

_REST = 60  # ms; the mouse may only pass by


class GraphMarks(QObject):
    """Follows the session's selection and pointer. `whole` leaves a neighbourhood, where one is shown."""

    def __init__(
        self,
        session: Session,
        canvas: GraphCanvas,
        folding: GraphFolding,
        card: GraphCard,
        whole: Callable[[], None],
    ) -> None:
        super().__init__(canvas)
        self._session, self.canvas, self._card = session, canvas, card
        self.folding, self.folds = folding, folding.folds
        self._leave = whole
        self.communities: dict[int, Community] = {}
        self._point_timer = QTimer(self, interval=_REST, singleShot=True)
        self._point_timer.timeout.connect(self._point)
        self._pointed: Selected | None = None
        self._gives_way = False  # to a heat that came after the community was chosen
        card.found.connect(self._on_found)
        session.selection.changed.connect(self._on_selection)
        session.pointed_at.connect(self._on_pointed)

    def renew(self) -> None:
        """Another graph is drawn: what stood out stands out again."""
        current = self._session.selection.current
        if current is not None and current.kind == "entity":
            self._select_entity(self._card.entity_id or current.id, centre=False)
        elif current is not None and current.kind == "community":
            self._select_community(int(current.id), centre=False)
        self.show_path(current)

    def _on_found(self, id: str) -> None:
        """The selected name is one of this entity's."""
        if self.folding.shown and not self.canvas.draws([id]):
            self._select_entity(id)

    def give_way(self, heat: bool) -> None:
        """A community that was chosen before does not drown a heat; without one it is lit again."""
        self._gives_way = heat
        current = self._session.selection.current
        if not self.folding.shown and current is not None and current.kind == "community":
            self._select_community(int(current.id), centre=False)

    def choose(self, id: str) -> None:
        community = community_of(id)
        if community is not None:
            operations.select_community(self._session, community)
        else:
            operations.select_entity(self._session, id)

    def _on_selection(self, selected: Selected | None) -> None:
        self._gives_way = False
        self.show_path(selected, go=True)
        self.canvas.highlight(())
        self.canvas.mark_open("")
        if selected is not None and selected.kind == "entity":
            self._select_entity(selected.id)
            self._card.load(selected.id)
            return
        if selected is not None and selected.kind == "community":
            self._leave()
            self._select_community(int(selected.id))
        if selected is None:
            self.canvas.select("")
        if selected is None or selected.kind == "community":
            self._card.hide()

    def _select_entity(self, id: str, centre: bool = True) -> None:
        """Mark an entity; a closed community that holds it opens, unless the graph is only drawn again."""
        if not self.folding.shown:
            self.canvas.select(id, centre)
            return
        clicked = self.canvas.selected()
        if centre:
            self.folding.reveal([id])
        node = next(iter(self.folds.nodes_of([id])), "")
        # What was clicked lies under the pointer and stays there.
        go = centre and node != clicked
        self.canvas.select(node, go)
        around = self.folds.innermost(entity=id) if go and node else None
        if around is not None:
            self.canvas.show_open(node_id(around))

    def _select_community(self, id: int, centre: bool = True) -> None:
        """Mark a community: its disc, the outline of an open one, or its entities."""
        community = self.communities.get(id)
        if not self.folding.shown:
            self.canvas.select("")
            lit = community.entity_ids if community is not None and not self._gives_way else ()
            self.canvas.highlight(lit)
            return
        if centre:
            self.folding.reveal_community(id)
        disc = node_id(id) if self.folds.closed(id) else ""
        self.canvas.select(disc, centre and not self.canvas.sees(disc))
        if not disc and id in self.folds.opened:
            self.canvas.mark_open(node_id(id), self.folds.nodes_in(id))

    def light(self, ids: Sequence[str]) -> None:
        """Bring entities to the front, or the discs in which they stand."""
        self.canvas.highlight(self._nodes(ids))

    def _nodes(self, ids: Sequence[str]) -> list[str]:
        if not self.folding.shown:
            return list(ids)
        entities = [id for id in ids if community_of(id) is None]
        return [*self.folds.nodes_of(entities), *(id for id in ids if community_of(id) is not None)]

    def show_path(self, chosen: Selected | None, go: bool = False) -> None:
        """Light the chain of facts that leads to a passage of the answer, on the whole graph.

        Chosen, it opens what it passes through; pointed at, it is seen between the discs that hold it.
        """
        ids: Sequence[str] = path_to(chosen, self._session.answer)
        if ids and go:
            self._leave()
        if ids and go and self.folding.shown:
            self.folding.reveal(ids)
        if self.folding.shown:
            ids = self.folds.path(ids)
        # A chain with a node missing would be drawn as a fact that nobody states.
        self.canvas.set_path(ids if self.canvas.draws(ids) else ())
        if go and self.folding.shown:
            self.canvas.show_all(ids)

    # ------------------------------------------------------------ pointing

    def _on_pointed(self, pointed: Selected | None) -> None:
        self._pointed = pointed
        self._point_timer.start()  # the mouse may only pass by

    def _point(self) -> None:
        pointed, workspace = self._pointed, self._session.workspace
        self.show_path(pointed or self._session.selection.current)
        self._session.tasks.drop("pointed")
        if pointed is None or workspace is None:
            self._let_go()
        elif pointed.kind == "entity":
            nodes = self._nodes([pointed.id])
            self.canvas.highlight(
                [*nodes, *(near for node in nodes for near in self.canvas.neighbours(node))]
            )
        elif pointed.document_id:
            answer = self._session.answer
            seeds = [seed.entity_id for seed in answer.trace.seeds] if answer else []

            def work(_: TaskContext) -> list[str]:
                mentions = workspace.documents.mentions(pointed.document_id)
                return list(dict.fromkeys(m.entity_id for m in mentions if m.passage_id == pointed.id))

            self._session.tasks.start("pointed", work, lambda ids: self.light([*ids, *seeds]))

    def _let_go(self) -> None:
        """Back to what is selected."""
        current = self._session.selection.current
        chosen = current is not None and current.kind == "community" and not self.folding.shown
        community = self.communities.get(int(current.id)) if chosen and current is not None else None
        self.canvas.highlight(community.entity_ids if community is not None else ())
