"""What a person does with nodes: open and close communities, choose several; by mouse, keys and menu."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QPaintEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton

from app.answers.communities_model import name_of
from app.graph.canvas.canvas import GraphCanvas
from app.graph.drawing import Opened, community_of, node_id
from app.graph.scene import LiveScene
from app.look import theme
from app.look.painting import rounded, smooth
from app.look.plain_text import button_words, tooltip
from app.look.translation import tr, trn
from app.session import operations
from app.session.scope import about_action, ask_about
from app.session.selection import MOST_CHOSEN
from app.session.session import Session
from app.widgets.accessible import announce
from app.widgets.buttons import tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.layout import row
from core.types import Scope

KEYS = "Ctrl+G"
_LONGEST = 40  # characters of a title in a menu
NAMED = 4  # that are told by name
_WIDE = 420  # pixels at 100 %


def add_action(menu: QMenu, words: str, act: Callable[[], object], icon: str = "") -> None:
    """Add an entry to a menu; `words` as `button_words` gives them where they hold a name."""
    action = menu.addAction(words)
    if icon:
        action.setIcon(theme.icon(icon))
    action.triggered.connect(lambda: act())


class GraphFolding(QObject):
    """The button, the menu and the keys of the communities in a scene."""

    chosen = Signal(bool)  # the person turned it on or off

    def __init__(self, session: Session, canvas: GraphCanvas, live: LiveScene) -> None:
        super().__init__(canvas)
        self._session, self._canvas, self._live = session, canvas, live
        self.more: list[Callable[[QMenu, str, QPoint], None]] = []  # what others add to the menu of a place
        self.toggle = QAction(theme.icon("circles-three"), tr("Communities as single &nodes"), self)
        self.toggle.setCheckable(True)
        self.toggle.triggered.connect(self._choose)
        self.close_button = QPushButton(tr("Close all"))
        self.close_button.setProperty("kind", "quiet")
        self.close_button.setAccessibleName(tr("Close all open communities"))
        self.close_button.clicked.connect(self.close_all)
        canvas.close_requested.connect(self.close_innermost)
        canvas.escaped.connect(self._escape)
        canvas.menu_requested.connect(self._menu)
        live.redrawn.connect(self.say)
        self.say()

    @property
    def folded(self) -> bool:
        """Return whether communities are single nodes, or are about to be."""
        return self._live.now.plan.folded

    def why_not(self) -> str:
        """Return why communities cannot be single nodes now; "" where they can."""
        graph = self._live.now.full_graph
        if graph is None or not graph.possible:
            return tr("Communities as single nodes: there are none yet")
        return (
            tr("Communities as single nodes: not while indexing runs")
            if self._session.indexing.running
            else ""
        )

    def say(self) -> None:
        """Show on the button what can be done now, and why not."""
        why, scene = self.why_not(), self._live.now
        tip = tr("Communities as single nodes, which open in place  {keys}", keys=KEYS)
        self.toggle.setToolTip(tooltip(why or tip))
        self.toggle.setEnabled(not why)
        self.toggle.setChecked(scene.folding)
        self.close_button.setVisible(self.folded and bool(scene.opened))

    def set_choice(self, choice: bool | None) -> None:
        """Set what the person chose once; None: by the size of the graph."""
        self._live.change(folds=choice)
        self.say()

    def _choose(self, on: bool) -> None:
        self.set_choice(on)
        self.chosen.emit(on)

    # ------------------------------------------------------------ open and close

    def open(self, community: int) -> None:
        """Replace a community with what is right below it."""
        if (graph := self._live.now.full_graph) is not None:
            opened = graph.open_communities(self._live.now.opened, graph.around(community=community))
            self._change(opened, partial(self._canvas.show_open, node_id(community)))

    def _change(self, opened: Opened, then: Callable[[], object] | None = None) -> bool:
        """Let these be open; False if nothing changes."""
        changed = opened != self._live.now.opened
        if changed:
            self._live.change(then, opened=opened)
        return changed

    def open_selected(self) -> None:
        community = self._live.now.community
        if self.folded and community is not None:
            self.open(community)

    def reveal(self, entities: Iterable[str]) -> None:
        """Open what holds these entities, so that they are visible."""
        if (graph := self._live.now.full_graph) is not None and self.folded:
            self._change(graph.reveal_entities(self._live.now.opened, entities))

    def reveal_community(self, community: int) -> None:
        """Open what holds a community, so that its disc is visible."""
        if (graph := self._live.now.full_graph) is not None and self.folded:
            self._change(
                graph.open_communities(self._live.now.opened, graph.around(community=community)[:-1])
            )

    def close(self, community: int) -> None:
        """Let a community be one node again; what was selected within it is selected no more, but it is."""
        scene = self._live.now
        if (graph := scene.full_graph) is None or not self._change(
            graph.close_community(scene.opened, community)
        ):
            return
        if scene.community != community and community in graph.around(community=scene.community):
            operations.select_community(self._session, community)
        around = [id for id in graph.around(community=community) if id in self._live.now.opened]
        self._live.change(partial(self._canvas.step_back, node_id(around[-1]) if around else ""))

    def close_innermost(self) -> None:
        scene = self._live.now
        if scene.full_graph is not None and self.folded:
            found = scene.full_graph.innermost(scene.opened, scene.entity, scene.community)
            if found is not None:
                self.close(found)

    def close_all(self) -> None:
        if self.folded and self._change((), self._canvas.step_back):
            self._canvas.setFocus()

    def _escape(self) -> None:
        """Clear the selection at Esc; with nothing selected, close what is open."""
        if self._session.selection.current is None and not self._session.chosen.current:
            self.close_innermost()

    # ------------------------------------------------------------ menu

    def _menu(self, node: str, place: QPoint) -> None:
        menu = self.menu(node, place)
        if menu.actions():
            menu.popup(self._canvas.mapToGlobal(place))

    def menu(self, node: str, place: QPoint) -> QMenu:
        """What can be done at a place: ask about what is there, open the disc, close what is open around it."""
        menu = QMenu(self._canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        disc = community_of(node) if self.folded else None
        if disc is not None:
            add_action(
                menu, tr("Open {title}", title=self._title(disc)), partial(self.open, disc), "arrows-out"
            )
        around = [community_of(id) for id in self._canvas.open_at(place)]
        for community in reversed(around):
            if community is not None:
                words = tr("Close {title}", title=self._title(community))
                add_action(menu, words, partial(self.close, community), "arrows-in")
        if self.folded and self._live.now.opened:
            add_action(menu, tr("Close all communities"), self.close_all)
        if node:
            about_action(self._session, menu, self._about(node, disc))
        for add in self.more:
            add(menu, node, place)
        return menu

    def _about(self, node: str, disc: int | None) -> Scope:
        """Return the community, the entity, or all chosen entities where it is one of them."""
        if disc is not None:
            return Scope(communities=(disc,))
        chosen = self._session.chosen.current
        return Scope(entities=chosen if node in chosen else (node,))

    def _title(self, community: int) -> str:
        graph = self._live.now.full_graph
        known = graph.get(community) if graph is not None else None
        title = name_of(known) if known is not None else ""
        short = title if len(title) <= _LONGEST else f"{title[:_LONGEST].rstrip()}..."
        return button_words(short)


class ChosenBar(QFrame):
    """`3 entities: Ines Holm, Calder Reach, Oriel`, and a button that lets go of them."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self.setAccessibleName(tr("Chosen entities"))
        self.words = ElidedLabel(end=True)
        self.paths = tool_button("path", tr("Paths between the two"), role="text")
        self.ask = tool_button("chat-circle-dots", tr("Ask about these"), role="text")
        self.clear = tool_button("x", tr("Choose nothing (Esc)"), act)
        self.clear.setAccessibleName(tr("Choose nothing"))
        row((self.words, 1), self.ask, self.paths, self.clear, spacing=4, margins=(10, 3, 4, 3), on=self)

    def sizeHint(self) -> QSize:
        return QSize(min(super().sizeHint().width() + 4, theme.px(_WIDE)), super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        rounded(smooth(self), self.rect(), "accent", "surface")


class MultiSelection(QObject):
    """Keeps `session.chosen` and the canvas in step."""

    def __init__(self, session: Session, canvas: GraphCanvas, live: LiveScene) -> None:
        super().__init__(canvas)
        self._session, self._canvas, self._live = session, canvas, live
        self.bar = ChosenBar(self.clear)
        self.bar.ask.clicked.connect(lambda: ask_about(session, Scope(entities=session.chosen.current)))
        canvas.lay(self.bar)
        canvas.nodes_gathered.connect(self._gather)
        canvas.escaped.connect(self.clear)
        session.chosen.changed.connect(self._on_chosen)
        self._on_chosen(session.chosen.current)

    def entities_of(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """Return the entities that nodes stand for."""
        if not self._live.now.folded:
            return tuple(dict.fromkeys(nodes))
        graph, found = self._live.now.full_graph, list[str]()
        for node in nodes:
            community = community_of(node)
            group = graph.get(community) if graph is not None and community is not None else None
            found += group.entity_ids if group is not None else () if community is not None else (node,)
        return tuple(dict.fromkeys(found))

    def name(self, entity: str) -> str:
        """As the graph tells it, "" where it is not in it."""
        graph = self._live.now.full_graph
        at = graph.row_of.get(entity) if graph is not None else None
        return graph.view.names[at] if graph is not None and at is not None else self._canvas.name_of(entity)

    def _gather(self, nodes: tuple[str, ...], how: str) -> None:
        chosen, some = self._session.chosen, self.entities_of(nodes)
        if how == "remove" or (how == "toggle" and set(some) <= set(chosen.current)):
            chosen.remove(some)
            return
        wanted = tuple(dict.fromkeys((*chosen.current, *some)))
        if len(wanted) > MOST_CHOSEN:
            self._session.notify(
                tr("So many cannot be chosen: the {count} best connected are.", count=MOST_CHOSEN), "warning"
            )
        chosen.set(wanted[:MOST_CHOSEN])

    def turn(self, entity: str) -> None:
        """Add an entity to the chosen ones, or remove it."""
        self._gather((entity,), "toggle")

    def turn_selected(self) -> None:
        selected = self._session.selection.current
        if selected is not None and selected.kind in ("entity", "community"):
            self._gather((self._live.now.selected or selected.id,), "toggle")

    def choose_all(self) -> None:
        """Choose all that is drawn."""
        self._gather(self._canvas.drawn_ids(), "all")

    def clear(self) -> None:
        self._session.chosen.clear()

    def _on_chosen(self, chosen: tuple[str, ...]) -> None:
        words = self.words(chosen)
        should_announce = bool(chosen) or not self.bar.isHidden()
        self.bar.words.setText(words)
        self.bar.setVisible(bool(chosen))
        self.bar.paths.setVisible(len(chosen) == 2)
        self._canvas.arrange()
        self._live.change(chosen=chosen)
        if should_announce:
            announce(self._canvas, words or tr("Nothing is chosen"))

    def words(self, chosen: tuple[str, ...]) -> str:
        """Return how many there are, and some of them by name."""
        if not chosen:
            return ""
        names = [name for id in chosen[: 2 * NAMED] if (name := self.name(id))][:NAMED]
        count = trn("{count} entity", "{count} entities", len(chosen))
        listed, more = tr(", ").join(names), len(chosen) - len(names)
        if not names:
            return count
        if more:
            return tr("{entities}: {names} and {more} more", entities=count, names=listed, more=more)
        return tr("{entities}: {names}", entities=count, names=listed)

    def add_to_menu(self, menu: QMenu, node: str, _: QPoint) -> None:
        """What can be done with a node of the graph."""
        if not node:
            return
        some = set(self.entities_of([node]))
        inside = bool(some) and some <= set(self._session.chosen.current)
        words = tr("Take it from the chosen") if inside else tr("Add it to the chosen")
        add_action(menu, words, lambda: self._gather((node,), "toggle"), "selection-plus")
