"""What a person does with communities that are single nodes: turn them on, open, close, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from app.answers.communities_model import name_of
from app.graph.canvas.canvas import GraphCanvas
from app.graph.live_scene import LiveScene
from app.graph.whole import Opened, community_of, node_id
from app.look import theme
from app.look.plain_text import button_words, tooltip
from app.look.translation import tr
from app.session import operations
from app.session.about import about_action
from app.session.session import Session
from core.types import Scope

KEYS = "Ctrl+G"
_LONGEST = 40  # characters of a title in a menu


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
    def shown(self) -> bool:
        """Whether communities are single nodes, or are about to be."""
        return self._live.now.plan.folded

    def why_not(self) -> str:
        """Why communities cannot be single nodes now; "" where they can."""
        graph = self._live.now.whole
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
        self.close_button.setVisible(self.shown and bool(scene.opened))

    def set_choice(self, choice: bool | None) -> None:
        """What the person chose once; None: by the size of the graph."""
        self._live.change(folds=choice)
        self.say()

    def _choose(self, on: bool) -> None:
        self.set_choice(on)
        self.chosen.emit(on)

    # ------------------------------------------------------------ open and close

    def open(self, community: int) -> None:
        """Let a community give way to what is right below it."""
        if (graph := self._live.now.whole) is not None:
            opened = graph.opening(self._live.now.opened, graph.around(community=community))
            self._change(opened, partial(self._canvas.show_open, node_id(community)))

    def _change(self, opened: Opened, then: Callable[[], object] | None = None) -> bool:
        """Let these be open; False if nothing changes."""
        changed = opened != self._live.now.opened
        if changed:
            self._live.change(then, opened=opened)
        return changed

    def open_selected(self) -> None:
        community = self._live.now.community
        if self.shown and community is not None:
            self.open(community)

    def reveal(self, entities: Iterable[str]) -> None:
        """Open what holds these entities, so that they are seen."""
        if (graph := self._live.now.whole) is not None and self.shown:
            self._change(graph.revealing(self._live.now.opened, entities))

    def reveal_community(self, community: int) -> None:
        """Open what holds a community, so that its disc is seen."""
        if (graph := self._live.now.whole) is not None and self.shown:
            self._change(graph.opening(self._live.now.opened, graph.around(community=community)[:-1]))

    def close(self, community: int) -> None:
        """Let a community be one node again; what was selected within it is selected no more, but it is."""
        scene = self._live.now
        if (graph := scene.whole) is None or not self._change(graph.closing(scene.opened, community)):
            return
        if scene.community != community and community in graph.around(community=scene.community):
            operations.select_community(self._session, community)
        around = [id for id in graph.around(community=community) if id in self._live.now.opened]
        self._live.change(partial(self._canvas.step_back, node_id(around[-1]) if around else ""))

    def close_innermost(self) -> None:
        scene = self._live.now
        if scene.whole is not None and self.shown:
            found = scene.whole.innermost(scene.opened, scene.entity, scene.community)
            if found is not None:
                self.close(found)

    def close_all(self) -> None:
        if self.shown and self._change((), self._canvas.step_back):
            self._canvas.setFocus()

    def _escape(self) -> None:
        """Esc lets go of what is selected first; with nothing selected it closes what is open."""
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
        disc = community_of(node) if self.shown else None
        if disc is not None:
            _add(menu, tr("Open {title}", title=self._title(disc)), partial(self.open, disc), "arrows-out")
        around = [community_of(id) for id in self._canvas.open_at(place)]
        for community in reversed(around):
            if community is not None:
                words = tr("Close {title}", title=self._title(community))
                _add(menu, words, partial(self.close, community), "arrows-in")
        if self.shown and self._live.now.opened:
            _add(menu, tr("Close all communities"), self.close_all)
        if node:
            about_action(self._session, menu, self._about(node, disc))
        for add in self.more:
            add(menu, node, place)
        return menu

    def _about(self, node: str, disc: int | None) -> Scope:
        """The community, the entity, or all that are chosen where it is one of them."""
        if disc is not None:
            return Scope(communities=(disc,))
        chosen = self._session.chosen.current
        return Scope(entities=chosen if node in chosen else (node,))

    def _title(self, community: int) -> str:
        graph = self._live.now.whole
        known = graph.get(community) if graph is not None else None
        title = name_of(known) if known is not None else ""
        short = title if len(title) <= _LONGEST else f"{title[:_LONGEST].rstrip()}..."
        return button_words(short)


def _add(menu: QMenu, words: str, act: Callable[[], object], icon: str = "") -> None:
    action = menu.addAction(words)
    if icon:
        action.setIcon(theme.icon(icon))
    action.triggered.connect(lambda: act())
