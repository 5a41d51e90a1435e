"""Where I look: the graph, growing while documents are read, with heat, search and neighbourhoods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.answers.wording import heat_title
from app.graph.canvas.canvas import NO_GRAPH, GraphCanvas
from app.graph.card import GraphCard
from app.graph.commands import graph_commands
from app.graph.feed import GraphFeed
from app.graph.find import GraphFind
from app.graph.folded import community_of
from app.graph.folding import GraphFolding
from app.graph.marks import GraphMarks
from app.graph.ways import around
from app.look import theme
from app.look.counting import counted
from app.session import operations
from app.session.indexing import IndexingState
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.widgets.elided_label import ElidedLabel
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.types import Answer, Community, Foldable, GraphView, Growth

MOST = 20_000  # nodes that are drawn
NEIGHBOURS = 40
ENTITIES, LINKS = ("entity", "entities"), ("link", "links")
WITH_FACTS = ("entity with facts", "entities with facts")
LINK_TIP = "A link joins two entities, whatever the number of facts between them."
FACTS_TIP = f"Entities without a fact that joins them to another are not drawn. {LINK_TIP}"
FOLDED_TIP = f"All entities of the communities, those without facts too. {LINK_TIP}"


class GraphPanel(QWidget):
    """The canvas with a thin bar above it and the card of the selected entity upon it."""

    shown = Signal(str)  # "whole" or the id of the entity whose neighbourhood is shown

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._view: GraphView | None = None  # the whole graph as last read
        self._around = ""  # entity whose neighbourhood is shown, or ""
        self._tops: dict[int, int] = {}  # community by its number on the map
        self._heat: dict[str, float] = {}
        self.canvas = GraphCanvas()
        self.feed = GraphFeed(self.canvas, MOST)
        self._card = GraphCard(session, self.canvas)
        self.card = self._card.card
        self.crumb = QPushButton("Whole graph")
        self.place = ElidedLabel(end=True)
        self.folding = GraphFolding(session, self.canvas)
        self.folds = self.folding.folds
        self._grown = False  # indexing added to what is drawn: entities are shown until it is read again
        self.finder = GraphFind(self._find, self)
        self.search, self.found = self.finder.field, self.finder.found
        self.heat, self.fold = QToolButton(), QToolButton()
        self._lay_out()
        self.marks = GraphMarks(session, self.canvas, self.folding, self._card, self._leave)
        self._connect()
        session.commands.add(self, *graph_commands(self, session))
        buttons = (self.crumb, self.heat, self.folding.close_button, self.card.expand)
        for button, act in zip(buttons, ("whole", "heat", "close_all", "expand"), strict=True):
            session.commands.describe(button, f"graph.{act}")
        self.search.setPlaceholderText(f"Find in the graph   {session.commands.keys('graph.find')}")
        self.entrance = self.canvas

    def _lay_out(self) -> None:
        self.crumb.setProperty("kind", "quiet")
        self.crumb.setIcon(theme.icon("arrow-left", "accent"))
        self.place.setProperty("kind", "muted")
        self.heat.setIcon(theme.icon("fire"))
        self.heat.setCheckable(True)
        self.heat.setEnabled(False)
        self.heat.setAccessibleName("Show the heat")
        self.fold.setDefaultAction(self.folding.toggle)
        self.fold.setAccessibleName("Communities as single nodes")
        self.bar = QWidget()
        row = QHBoxLayout(self.bar)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self.crumb)
        row.addWidget(self.place, 1)
        row.addWidget(self.folding.close_button)
        row.addWidget(self.found)
        row.addWidget(self.search, 1)
        row.addWidget(self.fold)
        row.addWidget(self.heat)
        theme.follow(self.bar, self._fit_bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.canvas, 1)
        self._say_place()

    def _fit_bar(self) -> None:
        # Buttons that come and go do not move the canvas.
        tallest = max(part.sizeHint().height() for part in self.bar.findChildren(QWidget))
        self.bar.setMinimumHeight(tallest + 8)

    def _connect(self) -> None:
        session, canvas = self._session, self.canvas
        canvas.node_selected.connect(self.marks.choose)
        canvas.node_expand_requested.connect(self._expand_node)
        canvas.close_requested.connect(self._leave)
        self.folding.changed.connect(self._draw_again)
        canvas.selection_cleared.connect(session.selection.clear)
        canvas.community_chosen.connect(self._on_community_chosen)
        self.card.expand_wanted.connect(self.expand)
        self.crumb.clicked.connect(self.show_whole)
        self.finder.lit.connect(self.marks.light)
        self.finder.wanted.connect(self._go_to)
        self.heat.toggled.connect(lambda _: self._paint_heat(new=True))
        self.feed.full.connect(self._say_place)
        session.workspace_opened.connect(lambda _: self.refresh())
        session.workspace_closed.connect(self._clear)
        session.content_changed.connect(self._look_around_again)
        session.growth.connect(self._on_growth)
        session.indexing_changed.connect(self._on_indexing)
        session.heat_changed.connect(self.set_heat)
        session.answered.connect(self._on_answer)

    # ------------------------------------------------------------ the graph

    def refresh(self) -> None:
        """Read the graph as it was laid out, off this thread."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> tuple[GraphView, list[Community], Foldable]:
            view, communities = workspace.graph.view(MOST), workspace.graph.communities()
            return view, communities, workspace.graph.foldable(view, communities)

        def done(found: tuple[GraphView, list[Community], Foldable]) -> None:
            self.folds.set_whole(found[2], workspace.graph.fold)
            self.show_view(*found[:2])

        self._session.tasks.start("graph", work, done)

    def show_view(self, view: GraphView, communities: list[Community]) -> None:
        """Show the whole graph."""
        self._view, self._grown = view, self._grown and self._session.indexing.running
        self.marks.communities = {community.id: community for community in communities}
        # The map shows the top communities, by number.
        self._tops = {c.colour: c.id for c in communities if c.parent_id is None}
        self.canvas.set_community_labels(
            {c.colour: c.label for c in communities if c.parent_id is None and c.label}
        )
        if self._session.indexing.running and not len(view.ids):
            return  # nothing was laid out yet: what grows on screen is more
        if not self._around:
            self._draw_whole()

    def _draw_whole(self, before: NDArray[np.float32] | None = None) -> None:
        """The whole graph. `before`: where its entities were seen a moment ago, from which they come."""
        view = self._view
        if view is None:
            return
        if not self.folds.wanted or self._grown:
            self._draw(view, view.positions, before)
            return
        drawing = self.folds.drawing(before)
        self.feed.begin(view.ids)
        self.canvas.set_graph(
            drawing.ids,
            drawing.names,
            drawing.communities,
            drawing.degrees,
            drawing.positions,
            drawing.edges,
            drawing.groups,
            drawing.origins,
        )
        self._drawn(True)

    def _draw_again(self, before: NDArray[np.float32] | None) -> None:
        """A community was opened or closed, or all were."""
        if self._around:
            self.folding.say()
        else:
            came = before if before is not None or self._view is None else self._view.positions
            self._draw_whole(came)

    def _draw(
        self, view: GraphView, positions: NDArray[np.float32], before: NDArray[np.float32] | None = None
    ) -> None:
        self.feed.begin(view.ids)
        whole = (view.ids, view.names, view.community, view.degree, positions, view.edges)
        self.canvas.set_graph(*whole, origins=before)
        self._drawn(False)

    def _drawn(self, folded: bool) -> None:
        """Another graph is on the canvas: what stands out stands out again."""
        self.folding.shown = folded
        tip, members = (FOLDED_TIP, ENTITIES) if folded else (FACTS_TIP, WITH_FACTS)
        self.canvas.set_units(WITH_FACTS, LINKS, tip, members)
        self.folding.say()
        self._paint_heat()
        self.marks.renew()
        self._say_place()

    def _clear(self) -> None:
        self.feed.begin(())
        self._view, self._around, self._tops, self.marks.communities = None, "", {}, {}
        self._grown = False
        self.folds.forget()
        self.folding.shown = False
        self.folding.say()
        self.set_heat({})
        self.search.clear()
        self._card.hide()
        self.canvas.clear()
        self._say_place()

    def _on_growth(self, growth: Growth) -> None:
        if self._around:
            return
        if self.folding.shown and growth.nodes and self._view is not None:
            self._grown = True  # what is new is seen among entities
            self._draw(self._view, self._view.positions, self.folds.places())
        if growth.nodes:  # these have their facts later, or none
            self.canvas.set_units(ENTITIES, LINKS, LINK_TIP)
        self.feed.take(growth)

    def _on_indexing(self, state: IndexingState) -> None:
        if state is IndexingState.IDLE:
            self.feed.stop()
            self._grown = False
            self.canvas.set_empty_text(*NO_GRAPH)  # where nothing was read, nobody reads any more
            self.refresh()
        else:
            headline = "Reading the first documents..." if state is IndexingState.RUNNING else "Paused"
            self.canvas.set_empty_text(headline, "The graph grows here while documents are read.")
        self.folding.say()

    def _say_place(self) -> None:
        """The bread crumb: where in the graph one is."""
        self.crumb.setVisible(bool(self._around))
        if self._around:
            return
        entities = self._session.indexing.running or self._view is None or len(self._view.ids) < MOST
        self.place.setText("Whole graph" + ("" if entities else f": the {MOST:,} best connected entities"))

    # ------------------------------------------------------------ neighbourhoods

    def expand(self, entity_id: str) -> None:
        """Show an entity with its strongest neighbours."""
        operations.expand(self._session, entity_id, self._show_around, NEIGHBOURS)

    def expand_selected(self) -> None:
        current = self._session.selection.current
        if current is not None and current.kind == "entity":
            self.expand(current.id)

    def _show_around(self, entity_id: str, view: GraphView) -> None:
        self._draw_around(entity_id, view)
        self.canvas.fit(animate=False)
        self.shown.emit(entity_id)
        current = self._session.selection.current
        if current is None or entity_id not in (current.id, self._card.entity_id):
            operations.select_entity(self._session, entity_id)

    def _draw_around(self, entity_id: str, view: GraphView) -> None:
        self._around = entity_id
        centre = view.ids.index(entity_id)
        self._draw(view, around(view, centre))
        self.place.setText(
            f"{view.names[centre]} and its {counted(len(view.ids) - 1, 'strongest neighbour')}"
        )

    def _look_around_again(self) -> None:
        """The neighbourhood that is shown may have changed, or have gone."""
        if self._around:
            gone, again = lambda _: self.show_whole(), self._draw_around
            operations.expand(self._session, self._around, again, NEIGHBOURS, gone)

    def show_whole(self) -> None:
        """Back from a neighbourhood."""
        if not self._around:
            self.canvas.fit()
            return
        self._around = ""
        if self._view is not None and not self._session.indexing.running:
            self._draw_whole()
        else:
            self.refresh()
        self.canvas.fit(animate=False)
        self.shown.emit("whole")

    # ------------------------------------------------------------ heat

    def set_heat(self, heat: dict[str, float]) -> None:
        """Heat of the last answer by entity id; none when its route did not walk the graph."""
        self._heat = heat
        self.heat.setEnabled(bool(heat))
        self.heat.blockSignals(True)
        self.heat.setChecked(bool(heat))
        self.heat.blockSignals(False)
        self._paint_heat(new=True)

    def toggle_heat(self) -> None:
        if self.heat.isEnabled():
            self.heat.toggle()

    def _paint_heat(self, new: bool = False) -> None:
        """Paint it, or take it off; `new`: not only another graph below it."""
        if new:
            self.marks.give_way(bool(self._heat) and self.heat.isChecked())
        if self._heat and self.heat.isChecked():
            heat = self.folds.heat(self._heat) if self.folding.shown else self._heat
            self.canvas.set_heat(heat, heat_title(self._session.answer))
        else:
            self.canvas.clear_heat()

    def _on_answer(self, answer: Answer) -> None:
        self.marks.show_path(self._session.selection.current)
        # The way of the answer is seen on the whole graph, not in somebody's neighbourhood.
        if answer.trace.heat and self._around:
            self.show_whole()

    # ------------------------------------------------------------ acts

    def _expand_node(self, id: str) -> None:
        """A disc opens in place; an entity shows its neighbourhood."""
        community = community_of(id)
        if community is not None:
            self.folding.open(community)
        else:
            self.expand(id)

    def _leave(self) -> None:
        """Back to the whole graph, where a neighbourhood is shown."""
        if self._around:
            self.show_whole()

    def _on_community_chosen(self, community: int) -> None:
        if community in self._tops:
            operations.select_community(self._session, self._tops[community])
        else:
            self._session.selection.clear()

    # ------------------------------------------------------------ finding

    def focus_search(self) -> None:
        self.finder.focus()

    def fit(self) -> None:
        self.canvas.fit()

    def choose_same(self) -> None:
        """Let the person choose the entity that is the same as the selected one."""
        self._card.choose_same()

    def _find(self, text: str) -> list[str]:
        return self.folds.find(text) if self.folding.shown else self.canvas.find(text)

    def _go_to(self, id: str) -> None:
        """To what was found: an entity opens what holds it."""
        self.marks.choose(id)
        self.canvas.locate(id)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape and self.search.hasFocus():
            self.search.clear()
            self.canvas.setFocus()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        if self.card.isVisible():
            QTimer.singleShot(0, self.card.place)


PANEL = PanelSpec("graph", "Graph", Area.CENTER, GraphPanel)
