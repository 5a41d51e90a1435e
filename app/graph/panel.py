"""Where I look: the graph, growing while documents are read, with heat, search and neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.graph.canvas.canvas import NO_GRAPH, GraphCanvas
from app.graph.commands import graph_commands
from app.graph.drawing import FullGraph, Neighbourhood, community_of, node_id
from app.graph.edge_facts import EdgeLegend, EdgeReader
from app.graph.entity_card import GraphCard
from app.graph.export import GraphExport
from app.graph.filters import ShapeBar
from app.graph.node_actions import GraphFolding, MultiSelection
from app.graph.paths import GraphPaths, GraphRelations
from app.graph.scene import GraphFeed, LiveScene
from app.graph.shapes import GraphShaping, ShapeKeys
from app.graph.time_band import TimeBand, TimePreviewer
from app.graph.view_card import ShapeCard
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.changes import Following
from app.session.indexing import IndexingState
from app.session.overlay import Overlay
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.accessible import plain_words
from app.widgets.buttons import push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from core.progress import TaskContext
from core.types import NameChange

if TYPE_CHECKING:
    from core.types import Changed, GraphView, Growth
    from core.workspace import Workspace


WAIT_MS = 150  # after the last key
NEIGHBOURS = 40
ROOM_FOR_CARDS = 1000  # pixels of the canvas at 100 %; on a narrower one two cards leave nothing of a path
MANY = 2_000  # entities; after more than these changed all are read


class GraphFind(QObject):
    """A field and the number of matches. `lit` carries the ids that match; `wanted` the one to go to."""

    lit = Signal(list)
    wanted = Signal(str)

    def __init__(self, find: Callable[[str], list[str]], parent: QObject) -> None:
        super().__init__(parent)
        self._search = find
        self.field, self.found = QLineEdit(), PlainLabel()
        self._matches: list[str] = []
        self._at = -1
        self.field.setAccessibleName(tr("Find in the graph"))
        self.field.setClearButtonEnabled(True)
        theme.follow(self.field, lambda: self.field.setMaximumWidth(theme.px(240)))
        self.field.setMinimumWidth(120)
        self.found.setProperty("kind", "small")
        self.found.setMinimumWidth(40)
        self._timer = QTimer(self, interval=WAIT_MS, singleShot=True)
        self._timer.timeout.connect(self._find)
        self.field.textChanged.connect(lambda _: self._timer.start())
        self.field.returnPressed.connect(self._next)

    def focus(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _find(self) -> None:
        text = self.field.text().strip()
        self._matches, self._at = (self._search(text) if text else []), -1
        self.lit.emit(self._matches)
        self.found.setText(tr("{count} found", count=str(len(self._matches))) if text else "")

    def _next(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._find()
        if self._matches:
            self._at = (self._at + 1) % len(self._matches)
            of = str(len(self._matches))
            self.found.setText(tr("{number} of {count}", number=str(self._at + 1), count=of))
            self.wanted.emit(self._matches[self._at])


class GraphPanel(QWidget):
    """The canvas with a thin bar above it and the card of the selected entity upon it."""

    folds_chosen = Signal(bool)  # the person turned communities as single nodes on or off

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._alone = 0  # names of things that nothing joins to another
        self._outdated = False  # whether what is shown is of an older state, and is read again
        self.canvas = GraphCanvas()
        tip = tr("Names of things that no fact and no tie joins to another are not drawn. Press to list them")
        self.alone = push_button("", partial(session.names_wanted.emit, "alone"), kind="chip", tip=tip)
        self.canvas.lay(self.alone)
        self.live = LiveScene(session, self.canvas)
        self.shaping = GraphShaping(session, self.canvas, self.live)
        TimePreviewer(session, self.live, self.shaping)
        self.edge_legend = EdgeLegend(self.canvas, self.live)
        self.feed = GraphFeed(self.canvas)
        self._card = GraphCard(
            session, self.canvas, lambda id: self.live.now.draws(id) or self.canvas.draws([id])
        )
        self.card = self._card.card
        self.crumb = push_button(tr("Whole graph"), kind="quiet")
        self.crumb.setIcon(theme.icon("arrow-left", "accent"))
        self.place = ElidedLabel(kind="muted", end=True)
        self.folding = GraphFolding(session, self.canvas, self.live)
        self.shape_card = ShapeCard(session, self.shaping, self.canvas)
        self.shape_bar = ShapeBar(session, self.shaping, self.live)
        self.shape_keys = ShapeKeys(session, self.shaping, self.live, self.canvas, self.folding)
        self._hand()
        self.finder = GraphFind(self._find, self)
        self.search, self.found = self.finder.field, self.finder.found
        self.heat = tool_button("fire", tr("Show the heat"), role="text", checkable=True)
        self.view_button = tool_button("funnel", tr("View"), role="text", checkable=True)
        self.fold = tool_button(words=tr("Communities as single nodes"))
        self._lay_out()
        self._connect()
        self._on_overlay(session.overlay.current)
        session.commands.add(self, *graph_commands(self, session))
        session.commands.press(self.view_button, "graph.view")
        self.shape_card.opened.connect(self.view_button.setChecked)
        session.commands.press(self.shape_bar.clear, "graph.clear")
        session.commands.press(self.multi_selection.bar.paths, "graph.paths")
        session.commands.describe(self.paths.before, "graph.previous_path")
        session.commands.describe(self.paths.after, "graph.next_path")
        session.commands.press(self.card.along, "graph.relations")
        buttons = (self.crumb, self.heat, self.folding.close_button, self.card.expand)
        for button, act in zip(buttons, ("whole", "heat", "close_all", "expand"), strict=True):
            session.commands.describe(button, f"graph.{act}")
        self.search.setPlaceholderText(
            tr("Find in the graph   {keys}", keys=session.commands.keys("graph.find"))
        )
        self.entrance = self.canvas

    def _hand(self) -> None:
        """Set up what is done with several entities, with relations, paths and edges."""
        session, canvas = self._session, self.canvas
        self.multi_selection = MultiSelection(session, canvas, self.live)
        self.relations = GraphRelations(session, canvas, self.multi_selection.name)
        self.paths = GraphPaths(session, canvas, self.multi_selection.name, self._find)
        self.edge_reader = EdgeReader(session, canvas, lambda: self.live.now.selected)
        self.export = GraphExport(session, canvas)
        self.live.redrawn.connect(self.edge_reader.redrawn)
        self.relations.along.connect(self._expand_along)
        self.paths.drawn.connect(self._show_path)
        parts = (self.relations, self.paths, self.multi_selection)
        self.folding.more += [part.add_to_menu for part in parts]

    def _lay_out(self) -> None:
        self.heat.setEnabled(False)
        self.fold.setDefaultAction(self.folding.toggle)
        self.folding.toggle.changed.connect(self._describe_fold)
        self._describe_fold()
        self.bar = QWidget()
        parts = (self.crumb, (self.place, 1), self.folding.close_button, self.found, (self.search, 1))
        row(*parts, self.view_button, self.fold, self.heat, margins=(12, 4, 8, 4), on=self.bar)
        theme.follow(self.bar, self._fit_bar)
        layout = column(self.bar, self.shape_bar, (self.canvas, 1), spacing=0, on=self)
        self.time = TimeBand(self._session, self)  # made now, so that Tab comes to it behind the canvas
        layout.addWidget(self.time)
        self._say_place()

    def _describe_fold(self) -> None:
        self.fold.setAccessibleDescription(plain_words(self.folding.toggle.toolTip()))

    def _fit_bar(self) -> None:
        # Buttons that come and go do not move the canvas.
        tallest = max(part.sizeHint().height() for part in self.bar.findChildren(QWidget))
        self.bar.setMinimumHeight(tallest + 8)

    def _connect(self) -> None:
        session, canvas = self._session, self.canvas
        canvas.node_selected.connect(self._select)
        canvas.node_expand_requested.connect(self._expand_node)
        canvas.close_requested.connect(self._leave)
        canvas.selection_cleared.connect(session.selection.clear)
        canvas.community_chosen.connect(self._on_community_chosen)
        canvas.category_chosen.connect(self._on_category_chosen)
        canvas.node_dropped.connect(self._on_dropped)
        self.live.redrawn.connect(self._on_redrawn)
        self.card.expand_wanted.connect(self.expand)
        self._card.found.connect(self._on_found)
        self.crumb.clicked.connect(self.show_full_graph)
        self.folding.chosen.connect(self.folds_chosen)
        self.finder.lit.connect(self._light)
        self.finder.wanted.connect(self._go_to)
        self.heat.clicked.connect(self._paint_heat)
        self._following = Following(
            self, session, self._read, self._show_graph, concerns=_concerns, lane=Lane.GRAPH
        )
        session.workspace_closed.connect(self._clear)
        session.changes.published.connect(self._look_around_again)
        session.growth.connect(self._on_growth)
        session.indexing_changed.connect(self._on_indexing)
        session.overlay.changed.connect(self._on_overlay)
        session.selection.changed.connect(self._on_selection)

    # ------------------------------------------------------------ the graph

    def refresh(self) -> None:
        """Read the graph as it was laid out, off the window's thread."""
        self._following.again()

    def _read(self, workspace: Workspace, changed: Changed, _: TaskContext) -> tuple[FullGraph, bool, int]:
        """Return all of it at first, as it was seen last where that takes long, and after that what changed; whether it
        is of now, and how many names of things are not in it."""
        before, graph, of_now = self.shaping.base, workspace.graph, True
        if before is None and not self._outdated and (known := graph.at_hand()) is not None:
            found, of_now = known[0], known[2]
        elif before is None or changed.everything or len(changed.entities) > MANY:
            found = graph.overview()
        else:
            view = graph.renewed_view(before.view, changed)
            communities = graph.renewed_communities(list(before.graph.communities), changed)
            found = graph.foldable(view, communities)
        return FullGraph(found, graph.fold), of_now, graph.count_nodes() - len(found.view.ids)

    def _show_graph(self, read: tuple[FullGraph, bool, int]) -> None:
        """Show the graph that was read; what is open stays so where it still exists."""
        graph, of_now, self._alone = read
        self._outdated = not of_now
        if self._outdated:
            QTimer.singleShot(0, self, self.refresh)
        scene, running = self.live.now, self._session.indexing.running
        if running and not graph.view.ids:
            return  # nothing was laid out yet: what grows on screen is more
        self.shaping.show(graph, opened=graph.restrict_open(scene.opened), growing=scene.growing and running)
        self.folding.say()

    def _on_redrawn(self) -> None:
        scene = self.live.now
        graph = scene.near or scene.full_graph
        self.feed.begin(graph.view.ids if graph is not None else ())
        self._say_place()

    def _clear(self) -> None:
        self.live.change(base=None, full_graph=None, near=None, opened=(), growing=False)
        self.feed.begin(())
        self.canvas.clear()  # of what grew
        self.folding.say()
        self.search.clear()
        self._card.hide()
        self._say_place()

    def _on_growth(self, growth: Growth) -> None:
        if self.live.now.near is not None:
            return
        if growth.nodes and not self.live.now.growing:
            self.live.change(growing=True)
        self.feed.take(growth)

    def _on_indexing(self, state: IndexingState) -> None:
        if state is IndexingState.IDLE:
            self.feed.stop()
            self.canvas.set_empty_text(*NO_GRAPH)  # where nothing was read, nobody reads any more
        else:
            headline = (
                tr("Reading the first documents...") if state is IndexingState.RUNNING else tr("Paused")
            )
            self.canvas.set_empty_text(headline, tr("The graph grows here while documents are read."))
        self.folding.say()

    def _say_place(self) -> None:
        """Show where in the graph one is, in the breadcrumb, and how many names are not drawn."""
        scene, near = self.live.now, self.live.now.near
        is_full = scene.full_graph is not None and not scene.full_graph.filtered and not scene.growing
        words = trn("{count} more stands alone", "{count} more stand alone", self._alone)
        is_counted = near is None and is_full and self._alone > 0
        if (words, is_counted) != (self.alone.text(), not self.alone.isHidden()):
            self.alone.setText(words)
            self.alone.setVisible(is_counted)
            self.canvas.arrange()
        self.crumb.setVisible(near is not None)
        if near is not None:
            ids = near.view.ids
            words = trn(
                "{name} and its {count} strongest neighbour", "{name} and its {count} strongest neighbours",
                len(ids) - 1, name=near.view.names[ids.index(near.entity)],
            )  # fmt: skip
            if near.grown:
                words = trn(
                    "{name} and {count} other entity", "{name} and {count} other entities",
                    len(ids) - 1, name=near.view.names[ids.index(near.entity)],
                )  # fmt: skip
            self.place.setText(words)
            return
        self.place.setText(tr("Whole graph"))

    # ------------------------------------------------------------ neighbourhoods

    def expand(self, entity_id: str) -> None:
        """Show an entity with its strongest neighbours."""
        operations.expand(self._session, self._tasks, entity_id, self._show_around, NEIGHBOURS)

    def expand_selected(self) -> None:
        current = self._session.selection.current
        if current is not None and current.kind == "entity":
            self.expand(current.id)

    def _show_around(self, entity_id: str, view: GraphView) -> None:
        self._draw_around(entity_id, view)
        self.canvas.fit(animate=False)
        current = self._session.selection.current
        if current is None or entity_id not in (current.id, self._card.entity_id):
            operations.select_entity(self._session, entity_id)

    def _draw_around(self, entity_id: str, view: GraphView) -> None:
        self.live.change(near=Neighbourhood(entity_id, view))

    def _expand_along(self, entity: str, others: Sequence[str]) -> None:
        """A neighbourhood grows by the neighbours of a relation; in the whole graph they come to the front."""
        near = self.live.now.near
        if near is None:
            self.folding.reveal((entity, *others))
            self._session.overlay.change(marks=(entity, *others), communities=(), neighbours=False)
            self.live.change(partial(self._show_nodes, (entity, *others)))
            return

        def done(view: GraphView) -> None:
            if self.live.now.near is near:  # it may have been left meanwhile
                self.live.change(near=Neighbourhood(near.entity, view, grown=True))
                self.canvas.fit()

        operations.expand_along(
            self._session, self._tasks, list(dict.fromkeys((*near.view.ids, entity, *others))), done
        )

    def _show_nodes(self, entities: Sequence[str], chain: bool = False) -> None:
        card = self.card.geometry() if self.card.isVisible() else None
        self.canvas.show_clear(list(dict.fromkeys(self.live.now.drawing.nodes_of(entities))), chain, card)

    def _show_path(self, path: Sequence[str]) -> None:
        """A path is seen on the whole graph, in open communities; where there is little room without the card."""
        self._leave()
        if self.canvas.width() < theme.px(ROOM_FOR_CARDS):
            self._card.hide()
        self.folding.reveal(path)
        self.live.change(partial(self._show_nodes, path, chain=True))

    def _look_around_again(self, changed: Changed) -> None:
        """Refresh the displayed neighbourhood, which may have changed or gone."""
        near = self.live.now.near
        if near is not None and (changed.everything or changed.entities.intersection(near.view.ids)):
            if near.grown:
                operations.expand_along(
                    self._session, self._tasks, near.view.ids, partial(self._draw_grown, near.entity)
                )
                return
            gone, again = lambda _: self.show_full_graph(), self._draw_around
            operations.expand(self._session, self._tasks, near.entity, again, NEIGHBOURS, gone)

    def _draw_grown(self, entity_id: str, view: GraphView) -> None:
        if entity_id in view.ids:
            self.live.change(near=Neighbourhood(entity_id, view, grown=True))
        else:
            self.show_full_graph()

    def show_full_graph(self) -> None:
        """Leave a neighbourhood for the full graph."""
        if self.live.now.near is None:
            self.canvas.fit()
            return
        self.live.change(partial(self.canvas.fit, animate=False), near=None)
        if self.live.now.full_graph is None or self._session.indexing.running:
            self.refresh()

    def _leave(self) -> None:
        """Leave the neighbourhood, where one is displayed."""
        if self.live.now.near is not None:
            self.show_full_graph()

    # ------------------------------------------------------------ what is drawn upon it

    def _on_overlay(self, overlay: Overlay) -> None:
        if overlay.heat is self.live.now.overlay.heat:
            self.live.change(overlay=overlay)
            return
        self.heat.setEnabled(bool(overlay.heat))
        self.heat.setChecked(bool(overlay.heat))
        self.live.change(overlay=overlay)
        self._paint_heat()
        if overlay.heat:
            self._leave()  # it is seen on the whole graph, not in somebody's neighbourhood

    def _paint_heat(self) -> None:
        hot = self.heat.isChecked()
        self.live.change(hot=hot, heat_came_last=hot)

    def _light(self, ids: list[str]) -> None:
        """Bring what was found to the front."""
        communities = [community_of(id) for id in ids]
        entities = tuple(id for id, community in zip(ids, communities, strict=True) if community is None)
        found = tuple(community for community in communities if community is not None)
        self._session.overlay.change(marks=entities, communities=found, neighbours=False)

    # ------------------------------------------------------------ what is selected

    def _select(self, id: str) -> None:
        """Select the node that was chosen."""
        community = community_of(id)
        if community is not None:
            operations.select_community(self._session, community)
        else:
            operations.select_entity(self._session, id)

    def _on_selection(self, selected: Selected | None) -> None:
        """Show what is selected; a passage leaves the entity as it is, and shows the chain that leads to it."""
        path = self._session.overlay.current.path
        if selected is None:
            self.live.change(entity="", community=None)
        elif selected.kind == "entity":
            self._show_entity(selected.id)
            self._card.load(selected.id)
        elif selected.kind == "community":
            self._leave()
            community = int(selected.id)
            self.folding.reveal_community(community)
            self.live.change(self._go_to_disc, entity="", community=community, lit=True, heat_came_last=False)
        else:
            self.live.change(lit=False)
            if path:
                self._leave()
                self.folding.reveal(path)
                self.live.change(self._go_to_path)
        if selected is None or selected.kind == "community":
            self._card.hide()

    def _show_entity(self, id: str) -> None:
        """Mark an entity; a closed community that holds it opens."""
        go = partial(self._go_to_entity, self.canvas.selected())
        self.folding.reveal([id])
        self.live.change(go, entity=id, community=None)

    def _go_to_entity(self, clicked: str) -> None:
        """Look at the selected entity; what was clicked lies under the pointer and stays there."""
        scene = self.live.now
        node = scene.selected
        if not scene.folded or scene.full_graph is None:
            self.canvas.select(node)
        elif node and node != clicked:
            self.canvas.select(node)
            around = scene.full_graph.innermost(scene.opened, scene.entity)
            if around is not None:
                self.canvas.show_open(node_id(around))

    def _go_to_disc(self) -> None:
        node = self.live.now.selected
        if node and not self.canvas.sees(node):
            self.canvas.select(node)

    def _go_to_path(self) -> None:
        if self.live.now.folded:
            self.canvas.show_all(self.live.now.path)

    def _on_found(self, id: str) -> None:
        """The selected name is one of this entity's."""
        if id != self.live.now.entity:
            self._show_entity(id)

    def _expand_node(self, id: str) -> None:
        """A disc opens in place; an entity shows its neighbourhood."""
        community = community_of(id)
        if community is not None:
            self.folding.open(community)
        else:
            self.expand(id)

    def _on_community_chosen(self, colour: int) -> None:
        graph = self.live.now.full_graph
        if graph is not None and colour in graph.tops:
            operations.select_community(self._session, graph.tops[colour].id)
        else:
            self._session.selection.clear()

    def _on_category_chosen(self, category: int) -> None:
        """Bring the entities of one colour of the legend to the front."""
        graph = self.live.now.full_graph
        own = graph.tint.categories if graph is not None else None
        if graph is not None and own is not None:
            rows = (own == category).nonzero()[0] if category >= 0 else ()
            self._light([graph.view.ids[row] for row in rows])

    def _on_dropped(self, one: str, other: str) -> None:
        self._session.name_change_wanted.emit(NameChange("merge", (one, other)))

    # ------------------------------------------------------------ finding

    def set_folds(self, choice: bool | None) -> None:
        """Show communities as single nodes, as the person chose once; None: by the size of the graph."""
        self.folding.set_choice(choice)

    def _find(self, text: str) -> list[str]:
        scene = self.live.now
        return (
            scene.full_graph.find(text)
            if scene.folded and scene.full_graph is not None
            else self.canvas.find(text)
        )

    def _go_to(self, id: str) -> None:
        """Go to what was found; what holds an entity opens."""
        self._select(id)
        self.live.change(partial(self.canvas.locate, id))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape and self.search.hasFocus():
            self.search.clear()
            self.canvas.setFocus()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self.time.set_room(self.height())
        if self.card.isVisible():
            QTimer.singleShot(0, self.card.place)


def _concerns(changed: Changed) -> bool:
    return bool(changed.entities or changed.communities or changed.reports)


PANEL = PanelSpec("graph", tr("Graph"), Area.CENTER, GraphPanel)
