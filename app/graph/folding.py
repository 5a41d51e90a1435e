"""What a person does with communities that are single nodes: turn them on, open, close, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from app.answers.communities_model import name_of
from app.graph.canvas.canvas import GraphCanvas
from app.graph.folded import FoldedGraph, community_of, node_id
from app.look import theme
from app.look.plain_text import button_words, tooltip
from app.session import operations
from app.session.session import Session

KEYS = "Ctrl+G"
_LONGEST = 40  # characters of a title in a menu


class GraphFolding(QObject):
    """`changed` asks that the graph be drawn again: with where everything was, None for all of it anew."""

    changed = Signal(object)
    chosen = Signal(bool)  # the person turned it on or off

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._session, self._canvas = session, canvas
        self.folds = FoldedGraph()
        self.shown = False  # whether the canvas shows communities as single nodes now
        self.toggle = QAction(theme.icon("circles-three"), "Communities as single &nodes", self)
        self.toggle.setCheckable(True)
        self.toggle.triggered.connect(self._choose)
        self.close_button = QPushButton("Close all")
        self.close_button.setProperty("kind", "quiet")
        self.close_button.setAccessibleName("Close all open communities")
        self.close_button.clicked.connect(self.close_all)
        canvas.close_requested.connect(self.close_innermost)
        canvas.escaped.connect(self._escape)
        canvas.menu_requested.connect(self._menu)
        self.say()

    def why_not(self) -> str:
        """Why communities cannot be single nodes now; "" where they can."""
        if self.folds.possible and not self._session.indexing.running:
            return ""
        why = "not while indexing runs" if self.folds.possible else "there are none yet"
        return f"Communities as single nodes: {why}"

    def say(self) -> None:
        """Show on the button what can be done now, and why not."""
        why = self.why_not()
        self.toggle.setToolTip(tooltip(why or f"Communities as single nodes, which open in place  {KEYS}"))
        self.toggle.setEnabled(not why)
        self.toggle.setChecked(self.folds.wanted)
        self.close_button.setVisible(self.shown and bool(self.folds.opened))

    def set_choice(self, choice: bool | None) -> None:
        """What the person chose once; None: by the size of the graph."""
        self.folds.choice = choice
        self.say()

    def _choose(self, on: bool) -> None:
        before = self.folds.places() if self.shown else None
        self.folds.choice = on
        self.chosen.emit(on)
        self.changed.emit(before)

    # ------------------------------------------------------------ open and close

    def open(self, community: int) -> None:
        """Let a community give way to what is right below it."""
        before = self.folds.places()
        if self.folds.open(community):
            self.changed.emit(before)
            self._canvas.show_open(node_id(community))

    def open_selected(self) -> None:
        current = self._session.selection.current
        if self.shown and current is not None and current.kind == "community":
            self.open(int(current.id))

    def reveal(self, entities: Iterable[str]) -> None:
        """Open what holds these entities, so that they are seen."""
        before = self.folds.places()
        if self.folds.reveal(entities):
            self.changed.emit(before)

    def reveal_community(self, community: int) -> None:
        """Open what holds a community, so that its disc is seen."""
        before = self.folds.places()
        if self.folds.reveal_community(community):
            self.changed.emit(before)

    def close(self, community: int) -> None:
        """Let a community be one node again; what was selected within it is selected no more, but it is."""
        current, before = self._session.selection.current, self.folds.places()
        inside = current is not None and current.kind == "community" and int(current.id)
        held = inside is not False and self.folds.holds(community, inner=inside)
        if self.folds.close(community):
            self.changed.emit(before)
            if held and inside != community:
                operations.select_community(self._session, community)
            around = [id for id in self.folds.opened if self.folds.holds(id, inner=community)]
            self._canvas.step_back(node_id(around[-1]) if around else "")

    def close_innermost(self) -> None:
        if not self.shown:
            return
        current = self._session.selection.current
        entity = current.id if current is not None and current.kind == "entity" else ""
        community = int(current.id) if current is not None and current.kind == "community" else None
        found = self.folds.innermost(entity, community)
        if found is not None:
            self.close(found)

    def close_all(self) -> None:
        before = self.folds.places() if self.shown else None
        if before is not None and self.folds.close_all():
            self.changed.emit(before)
            self._canvas.step_back()
            self._canvas.setFocus()

    def _escape(self) -> None:
        """Esc lets go of what is selected first; with nothing selected it closes what is open."""
        if self._session.selection.current is None:
            self.close_innermost()

    # ------------------------------------------------------------ menu

    def _menu(self, node: str, place: QPoint) -> None:
        if self.shown:
            menu = self.menu(node, place)
            if menu.actions():
                menu.popup(self._canvas.mapToGlobal(place))

    def menu(self, node: str, place: QPoint) -> QMenu:
        """What can be done at a place: open the disc there, close what is open around it."""
        menu = QMenu(self._canvas)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        disc = community_of(node)
        if disc is not None:
            _add(menu, f"Open {self._title(disc)}", partial(self.open, disc), "arrows-out")
        around = [community_of(id) for id in self._canvas.open_at(place)]
        for community in reversed(around):
            if community is not None:
                _add(menu, f"Close {self._title(community)}", partial(self.close, community), "arrows-in")
        if self.folds.opened:
            _add(menu, "Close all communities", self.close_all)
        return menu

    def _title(self, community: int) -> str:
        known = self.folds.get(community)
        title = name_of(known) if known is not None else ""
        short = title if len(title) <= _LONGEST else f"{title[:_LONGEST].rstrip()}..."
        return button_words(short)


def _add(menu: QMenu, words: str, act: Callable[[], object], icon: str = "") -> None:
    action = menu.addAction(words)
    if icon:
        action.setIcon(theme.icon(icon))
    action.triggered.connect(lambda: act())
