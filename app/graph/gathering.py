"""The chosen entities: what lasso, Ctrl+click and keys gather on the graph, and the bar that says what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QFrame, QMenu

from app.graph.canvas.canvas import GraphCanvas
from app.graph.live_scene import LiveScene
from app.graph.whole import community_of
from app.look import theme
from app.look.painting import rounded, smooth
from app.look.translation import tr, trn
from app.session.about import ask_about
from app.session.session import Session
from app.widgets.accessible import announce
from app.widgets.buttons import tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.layout import row
from core.types import Scope

MOST = 5_000  # entities that are chosen at once
NAMED = 4  # that are told by name
_WIDE = 420  # pixels at 100 %


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


class Gathering(QObject):
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
        """The entities that nodes stand for."""
        if not self._live.now.folded:
            return tuple(dict.fromkeys(nodes))
        graph, found = self._live.now.whole, list[str]()
        for node in nodes:
            community = community_of(node)
            group = graph.get(community) if graph is not None and community is not None else None
            found += group.entity_ids if group is not None else () if community is not None else (node,)
        return tuple(dict.fromkeys(found))

    def name(self, entity: str) -> str:
        """As the graph tells it, "" where it is not in it."""
        graph = self._live.now.whole
        at = graph.row_of.get(entity) if graph is not None else None
        return graph.view.names[at] if graph is not None and at is not None else self._canvas.name_of(entity)

    def _gather(self, nodes: tuple[str, ...], how: str) -> None:
        chosen, some = self._session.chosen, self.entities_of(nodes)
        if how == "remove" or (how == "toggle" and set(some) <= set(chosen.current)):
            chosen.remove(some)
            return
        wanted = tuple(dict.fromkeys((*chosen.current, *some)))
        if len(wanted) > MOST:
            self._session.tell(
                tr("So many cannot be chosen: the {count} best connected are.", count=MOST), "warning"
            )
        chosen.set(wanted[:MOST])

    def turn(self, entity: str) -> None:
        """Add an entity, or take it away."""
        self._gather((entity,), "toggle")

    def turn_selected(self) -> None:
        selected = self._session.selection.current
        if selected is not None and selected.kind in ("entity", "community"):
            self._gather((self._live.now.selected or selected.id,), "toggle")

    def choose_all(self) -> None:
        """All that is drawn."""
        self._gather(self._canvas.drawn_ids(), "all")

    @property
    def any_drawn(self) -> bool:
        return self._canvas.node_count > 0

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
        """How many there are, and some of them by name."""
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
        action = menu.addAction(tr("Take it from the chosen") if inside else tr("Add it to the chosen"))
        action.setIcon(theme.icon("selection-plus"))
        action.triggered.connect(lambda: self._gather((node,), "toggle"))
