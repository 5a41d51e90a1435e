"""Where I look: the graph, growing while documents are read, with heat, search and neighbourhoods."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from app import operations, theme
from app.indexing import IndexingState
from app.panels.graph_card import GraphCard
from app.panels.graph_feed import GraphFeed
from app.selection import Selected
from app.session import Session
from app.widgets.elided_label import ElidedLabel
from app.widgets.graph_canvas import GraphCanvas
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.types import Answer, Community, GraphView, Growth

MOST = 20_000  # nodes that are drawn
NEIGHBOURS = 40


class GraphPanel(QWidget):
    """The canvas with a thin bar above it and the card of the selected entity upon it."""

    shown = Signal(str)  # "whole" or the id of the entity whose neighbourhood is shown

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._view: GraphView | None = None  # the whole graph as last read
        self._around = ""  # entity whose neighbourhood is shown, or ""
        self._communities: dict[int, Community] = {}
        self._tops: dict[int, int] = {}  # community by its number on the map
        self._heat: dict[str, float] = {}
        self.canvas = GraphCanvas()
        self.canvas.set_units("entities", "facts")
        self.feed = GraphFeed(self.canvas, MOST)
        self._card = GraphCard(session, self.canvas)
        self.card = self._card.card
        self.crumb = QPushButton("Whole graph")
        self.place = ElidedLabel("", mode=Qt.TextElideMode.ElideRight)
        self.search = QLineEdit()
        self.found = QLabel()
        self.heat = QToolButton()
        self._matches: list[str] = []
        self._at = -1
        self._lay_out()
        self._find_timer = QTimer(self, interval=150, singleShot=True)
        self._find_timer.timeout.connect(self._find)
        self._point_timer = QTimer(self, interval=60, singleShot=True)
        self._point_timer.timeout.connect(self._point)
        self._pointed: Selected | None = None
        self._connect()
        self.setFocusProxy(self.canvas)

    def _lay_out(self) -> None:
        self.crumb.setProperty("kind", "quiet")
        self.crumb.setIcon(theme.icon("arrow-left", "accent"))
        self.crumb.setToolTip("Back to the whole graph  Ctrl+Backspace")
        self.place.setProperty("kind", "muted")
        self.search.setPlaceholderText("Find in the graph   Ctrl+F")
        self.search.setAccessibleName("Find in the graph")
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(240)
        self.search.setMinimumWidth(120)
        self.found.setProperty("kind", "small")
        self.found.setMinimumWidth(40)
        self.heat.setIcon(theme.icon("fire"))
        self.heat.setCheckable(True)
        self.heat.setEnabled(False)
        self.heat.setAccessibleName("Show the heat")
        self.heat.setToolTip("Heat: where the last answer's relevance lies (personalised PageRank)  Ctrl+H")
        self.bar = QWidget()
        row = QHBoxLayout(self.bar)
        row.setContentsMargins(12, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self.crumb)
        row.addWidget(self.place, 1)
        row.addWidget(self.found)
        row.addWidget(self.search, 1)
        row.addWidget(self.heat)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.canvas, 1)
        self._say_place()

    def _connect(self) -> None:
        session, canvas = self._session, self.canvas
        canvas.node_selected.connect(partial(operations.select_entity, session))
        canvas.node_expand_requested.connect(self.expand)
        canvas.selection_cleared.connect(session.selection.clear)
        canvas.community_chosen.connect(self._on_community_chosen)
        self.card.expand_wanted.connect(self.expand)
        self.crumb.clicked.connect(self.show_whole)
        self.search.textChanged.connect(lambda _: self._find_timer.start())
        self.search.returnPressed.connect(self._next_match)
        self.heat.toggled.connect(lambda _: self._paint_heat())
        self.feed.full.connect(self._say_place)
        session.workspace_opened.connect(lambda _: self.refresh())
        session.workspace_closed.connect(self._clear)
        session.content_changed.connect(self._look_around_again)
        session.growth.connect(self._on_growth)
        session.indexing_changed.connect(self._on_indexing)
        session.heat_changed.connect(self.set_heat)
        session.answered.connect(self._on_answer)
        session.selection.changed.connect(self._on_selection)
        session.pointed_at.connect(self._on_pointed)

    # ------------------------------------------------------------ the graph

    def refresh(self) -> None:
        """Read the graph as it was laid out, off this thread."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> tuple[GraphView, list[Community]]:
            return workspace.graph_view(MOST), workspace.communities()

        self._session.tasks.start("graph", work, lambda found: self.show_view(*found))

    def show_view(self, view: GraphView, communities: list[Community]) -> None:
        """Show the whole graph."""
        self._view = view
        self._communities = {community.id: community for community in communities}
        # The map shows the top communities, by number.
        self._tops = {c.colour: c.id for c in communities if c.parent_id is None}
        self.canvas.set_community_labels(
            {c.colour: c.label for c in communities if c.parent_id is None and c.label}
        )
        if self._session.indexing.running and not len(view.ids):
            return  # nothing was laid out yet: what grows on screen is more
        if not self._around:
            self._draw(view, view.positions)

    def _draw(self, view: GraphView, positions: NDArray[np.float32]) -> None:
        self.feed.begin(view.ids)
        self.canvas.set_graph(view.ids, view.names, view.community, view.degree, positions, view.edges)
        self._paint_heat()
        current = self._session.selection.current
        if current is not None and current.kind == "entity":
            self.canvas.select(self._card.entity_id or current.id, centre=False)
        self._show_path(current)
        self._say_place()

    def _clear(self) -> None:
        self.feed.begin(())
        self._view, self._around, self._communities, self._tops = None, "", {}, {}
        self.set_heat({})
        self.search.clear()
        self._card.hide()
        self.canvas.clear()
        self._say_place()

    def _on_growth(self, growth: Growth) -> None:
        if not self._around:
            self.feed.take(growth)

    def _on_indexing(self, state: IndexingState) -> None:
        if state is IndexingState.IDLE:
            self.feed.stop()
            self.refresh()
        else:
            headline = "Reading the first documents..." if state is IndexingState.RUNNING else "Paused"
            self.canvas.set_empty_text(headline, "The graph grows here while documents are read.")

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
        self.place.setText(f"{view.names[centre]} and its {len(view.ids) - 1:,} strongest neighbours")

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
            self._draw(self._view, self._view.positions)
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
        self._paint_heat()

    def toggle_heat(self) -> None:
        if self.heat.isEnabled():
            self.heat.toggle()

    def _paint_heat(self) -> None:
        if self._heat and self.heat.isChecked():
            self.canvas.set_heat(self._heat, "Relevance (share of PageRank)")
        else:
            self.canvas.clear_heat()

    def _on_answer(self, answer: Answer) -> None:
        self._show_path(self._session.selection.current)
        # The way of the answer is seen on the whole graph, not in somebody's neighbourhood.
        if answer.trace.heat and self._around:
            self.show_whole()

    # ------------------------------------------------------------ selection

    def _on_selection(self, selected: Selected | None) -> None:
        self._show_path(selected, go=True)
        if selected is not None and selected.kind == "entity":
            self.canvas.highlight(())
            self.canvas.select(selected.id)
            self._card.load(selected.id)
            return
        if selected is not None and selected.kind == "community":
            community = self._communities.get(int(selected.id))
            if self._around:
                self.show_whole()
            self.canvas.highlight(community.entity_ids if community is not None else ())
        else:
            self.canvas.highlight(())
        if selected is None or selected.kind == "community":
            self.canvas.select("")
            self._card.hide()

    def _show_path(self, chosen: Selected | None, go: bool = False) -> None:
        """Light the chain of facts that leads to a passage of the answer, on the whole graph."""
        ids = path_to(chosen, self._session.answer)
        if ids and go and self._around:
            self.show_whole()
        # A chain with a node missing would be drawn as a fact that nobody states.
        self.canvas.set_path(ids if self.canvas.draws(ids) else ())

    def _on_community_chosen(self, community: int) -> None:
        if community in self._tops:
            operations.select_community(self._session, self._tops[community])
        else:
            self._session.selection.clear()

    # ------------------------------------------------------------ pointing

    def _on_pointed(self, pointed: Selected | None) -> None:
        self._pointed = pointed
        self._point_timer.start()  # the mouse may only pass by

    def _point(self) -> None:
        pointed, workspace = self._pointed, self._session.workspace
        self._show_path(pointed or self._session.selection.current)
        self._session.tasks.drop("pointed")
        if pointed is None or workspace is None:
            self._let_go()
        elif pointed.kind == "entity":
            self.canvas.highlight([pointed.id, *self.canvas.neighbours(pointed.id)])
        elif pointed.document_id:
            answer = self._session.answer
            seeds = [seed.entity_id for seed in answer.trace.seeds] if answer else []

            def work(_: TaskContext) -> list[str]:
                mentions = workspace.document_mentions(pointed.document_id)
                return list(dict.fromkeys(m.entity_id for m in mentions if m.passage_id == pointed.id))

            self._session.tasks.start("pointed", work, lambda ids: self.canvas.highlight([*ids, *seeds]))

    def _let_go(self) -> None:
        """Back to what is selected."""
        current = self._session.selection.current
        community = (
            self._communities.get(int(current.id)) if current and current.kind == "community" else None
        )
        self.canvas.highlight(community.entity_ids if community is not None else ())

    # ------------------------------------------------------------ finding

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def fit(self) -> None:
        self.canvas.fit()

    def choose_same(self) -> None:
        """Let the person choose the entity that is the same as the selected one."""
        self._card.choose_same()

    def _find(self) -> None:
        text = self.search.text().strip()
        self._matches, self._at = (self.canvas.find(text) if text else []), -1
        self.canvas.highlight(self._matches)
        self.found.setText(f"{len(self._matches)} found" if text else "")

    def _next_match(self) -> None:
        if self._find_timer.isActive():
            self._find_timer.stop()
            self._find()
        if self._matches:
            self._at = (self._at + 1) % len(self._matches)
            self.found.setText(f"{self._at + 1} of {len(self._matches)}")
            operations.select_entity(self._session, self._matches[self._at])
            self.canvas.locate(self._matches[self._at])

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


def path_to(chosen: Selected | None, answer: Answer | None) -> tuple[str, ...]:
    """Entity ids from the question to a passage of the answer; () when no facts lead there."""
    if chosen is None or answer is None or chosen.kind not in ("passage", "citation"):
        return ()
    whys = (row.why for row in answer.evidence if row.passage.id == chosen.id)
    return next((why.entity_ids for why in whys if why is not None and why.path), ())


def around(view: GraphView, centre: int) -> NDArray[np.float32]:
    """Positions (n, 2): one node in the middle, the others on rings, communities side by side."""
    others = [row for row in range(len(view.ids)) if row != centre]
    others.sort(key=lambda row: (int(view.community[row]), -int(view.degree[row])))
    positions = np.zeros((len(view.ids), 2), np.float32)
    rings = max(1, math.ceil(len(others) / 16))
    for number, row in enumerate(others):
        angle = 2 * math.pi * number / max(len(others), 1)
        radius = 1.0 + 0.55 * (number % rings)
        positions[row] = (radius * math.cos(angle), radius * math.sin(angle))
    return positions
