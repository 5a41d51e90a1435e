"""Hide and pin by keys, mouse and menu, and the commands that shape the graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.graph.canvas.canvas import GraphCanvas
from app.graph.folding import GraphFolding
from app.graph.live_scene import LiveScene
from app.graph.shaping import GraphShaping
from app.graph.whole import community_of, node_id
from app.look import theme
from app.look.translation import tr, trn
from app.session.commands import Command
from app.session.session import Session

if TYPE_CHECKING:
    from app.graph.shape_card import ShapeCard

_NOTHING = tr("Select an entity or a community in the graph first.")
_ENTITY = tr("Select an entity in the graph first.")


class ShapeKeys(QObject):
    """What is done with the selected node, or with the one under the pointer."""

    def __init__(
        self,
        session: Session,
        shaping: GraphShaping,
        live: LiveScene,
        canvas: GraphCanvas,
        folding: GraphFolding,
    ) -> None:
        super().__init__(canvas)
        self._session, self._shaping, self._live, self._canvas = session, shaping, live, canvas
        canvas.shape_wanted.connect(lambda act: session.commands.run(f"graph.{act}"))
        canvas.node_placed.connect(shaping.pin)
        folding.more.append(self._offer)

    def node(self) -> str:
        """The selected node: an entity or the disc of a community, open or closed; "" for none."""
        selected, community = self._canvas.selected(), self._live.now.community
        return selected or (node_id(community) if community is not None else "")

    def nodes(self) -> tuple[str, ...]:
        """What was gathered, else the selected node."""
        return self._session.chosen.current or tuple(filter(None, [self.node()]))

    def hide(self) -> None:
        self._hide(*self.nodes())

    def _hide(self, *nodes: str) -> None:
        self._session.selection.clear()
        self._session.chosen.clear()
        self._shaping.hide(nodes)

    def entity(self) -> str:
        selected = self._canvas.selected()
        return selected if selected and community_of(selected) is None else ""

    def pin(self) -> None:
        """Pin the selected entity where it is, or let go of it."""
        self._pin(self.entity())

    def _pin(self, id: str) -> None:
        place = self._canvas.place_of(id)
        if self._shaping.pinned(id):
            self._shaping.unpin([id])
        elif place is not None:
            self._shaping.pin(id, *place)

    def _offer(self, menu: QMenu, node: str, _: QPoint) -> None:
        """Add to the menu of a place what can be done with the node there."""
        shaping, shape = self._shaping, self._shaping.shape
        if node:
            community = community_of(node)
            if community is not None:
                act = partial(shaping.filter, communities=(community,))
                _add(menu, "funnel", tr("Show only this community"), act)
            else:
                words = tr("Unpin") if shaping.pinned(node) else tr("Pin here")
                _add(menu, "push-pin", words, partial(self._pin, node))
            _add(menu, "eye-slash", tr("Hide"), partial(self._hide, node))
        if shape.hidden:
            words = trn(
                "Show {count} hidden entity again", "Show {count} hidden entities again", len(shape.hidden)
            )
            _add(menu, "eye", words, shaping.show_hidden)


def _add(menu: QMenu, icon: str, words: str, act: object) -> None:
    menu.addAction(theme.icon(icon), words).triggered.connect(lambda: act())  # type: ignore[operator]


def shape_commands(
    shaping: GraphShaping, card: ShapeCard, keys: ShapeKeys, session: Session
) -> tuple[Command, ...]:
    def shaped() -> str:
        return "" if shaping.filtered else tr("All of the graph is shown.")

    return (
        Command(
            "graph.view", tr("&View: filters, colours, kept views"), card.turn, "F8", "funnel",
            checked=card.isVisible, tip=tr("View: filters, colours and sizes, kept views"),
        ),
        Command(
            "graph.clear", tr("Clear the filter of the &graph"), shaping.clear, "Shift+F8", "eraser", shaped,
            tip=tr("Show all of the graph again"),
        ),
        Command(
            "graph.hide", tr("&Hide what is selected in the graph"), keys.hide, "H", "eye-slash",
            lambda: "" if keys.nodes() else _NOTHING, bound=False,
        ),
        Command(
            "graph.show", tr("&Show what is hidden again"), shaping.show_hidden, "Shift+H", "eye",
            lambda: "" if shaping.shape.hidden else tr("Nothing is hidden."), bound=False,
        ),
        Command(
            "graph.pin", tr("&Pin the selected entity in its place, or unpin it"), keys.pin, "P", "push-pin",
            lambda: "" if keys.entity() else _ENTITY, bound=False,
        ),
        Command(
            "graph.undo", tr("&Undo the last change of the view"), shaping.undo, "Alt+Z",
            "arrow-counter-clockwise",
            lambda: "" if shaping.can_undo else tr("No change of the view to undo."),
        ),
        Command(
            "graph.redo", tr("&Redo the change of the view"), shaping.redo, "Alt+Shift+Z", "arrow-clockwise",
            lambda: "" if shaping.can_redo else tr("No change of the view to do again."),
        ),
        Command(
            "graph.keep_view", tr("&Keep this view by a name"), card.name_view, "Alt+S", "bookmark-simple",
            lambda: session.shut,
        ),
    )  # fmt: skip
