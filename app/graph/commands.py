"""The commands of the graph, with their keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session

if TYPE_CHECKING:
    from app.graph.export import GraphExport
    from app.graph.node_actions import GraphFolding
    from app.graph.panel import GraphPanel


def graph_commands(panel: GraphPanel, session: Session) -> tuple[Command, ...]:
    """Return all of them; the panel has made its parts."""
    return (
        *_view_commands(panel, session),
        *_folding_commands(panel.folding, session),
        *_shape_commands(panel, session),
        *_hand_commands(panel, session),
        *_picture_commands(panel.export),
    )


def _unless_selected(session: Session, why: str, *kinds: str) -> Callable[[], str]:
    """Return why nothing can be done without a selection of these kinds; "" with one."""

    def why_not() -> str:
        current = session.selection.current
        return "" if current is not None and current.kind in kinds else why

    return why_not


def _view_commands(panel: GraphPanel, session: Session) -> tuple[Command, ...]:
    no_heat = tr("Ask a question first: the heat is that of an answer.")
    choose = tr("Select an entity first, in the graph or by the search box.")
    return (
        Command("graph.find", tr("&Find in the graph"), panel.finder.focus, "Ctrl+F", "magnifying-glass"),
        Command("graph.fit", tr("Fit to the &window"), panel.canvas.fit, "Ctrl+Shift+A", "arrows-out"),
        Command(
            "graph.heat", tr("Show the &heat"), panel.heat.click, "Ctrl+H", "fire",
            lambda: "" if panel.heat.isEnabled() else no_heat, panel.heat.isChecked,
            tr("Heat: where the last answer's relevance lies (personalised PageRank), or whom it names"),
        ),
        Command(
            "graph.expand", tr("&Expand the selected entity"), panel.expand_selected, "Ctrl+Shift+N",
            "share-network", _unless_selected(session, choose, "entity"),
            tip=tr("The same as a double click on the entity"),
        ),
        Command(
            "graph.whole", tr("Back to the &whole graph"), panel.show_full_graph, "Ctrl+Backspace", "arrow-left",
            tip=tr("Back to the whole graph"),
        ),
        Command(
            "graph.time", tr("&Dates under the graph"), panel.time.toggle, "Ctrl+Shift+T", "clock",
            panel.time.why_not, lambda: panel.time.wanted,
            tr("When facts and documents are of; a range keeps graph, communities and answers to it"),
        ),
    )  # fmt: skip


def _folding_commands(folding: GraphFolding, session: Session) -> tuple[Command, ...]:
    closed = _unless_selected(session, tr("Select a community first."), "community")

    def unfolded() -> str:
        return "" if folding.folded else tr("Communities are not shown as single nodes.")

    return (
        Command(
            "graph.folded", tr("Communities as single &nodes"), folding.toggle.trigger, "Ctrl+G",
            "circles-three", folding.why_not, folding.toggle.isChecked,
            tr("Communities as single nodes, which open in place"),
        ),
        Command(
            "graph.open", tr("&Open the selected community"), folding.open_selected, "Enter",  # not shown
            "arrows-out", lambda: unfolded() or closed(), bound=False,
        ),
        Command(
            "graph.close", tr("&Close the innermost open community"), folding.close_innermost,
            "Backspace", "arrows-in", unfolded, bound=False,  # not shown
        ),
        Command(
            "graph.close_all", tr("Close &all communities"), folding.close_all, "Ctrl+Shift+G",
            why_not=unfolded, tip=tr("Close every open community; Backspace closes the innermost"),
        ),
    )  # fmt: skip


def _shape_commands(panel: GraphPanel, session: Session) -> tuple[Command, ...]:
    shaping, card, keys = panel.shaping, panel.shape_card, panel.shape_keys
    nothing = tr("Select an entity or a community in the graph first.")
    no_entity = tr("Select an entity in the graph first.")

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
            lambda: "" if keys.nodes() else nothing, bound=False,
        ),
        Command(
            "graph.show", tr("&Show what is hidden again"), shaping.show_hidden, "Shift+H", "eye",
            lambda: "" if shaping.shape.hidden else tr("Nothing is hidden."), bound=False,
        ),
        Command(
            "graph.pin", tr("&Pin the selected entity in its place, or unpin it"), keys.pin, "P", "push-pin",
            lambda: "" if keys.entity() else no_entity, bound=False,
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


def _hand_commands(panel: GraphPanel, session: Session) -> tuple[Command, ...]:
    multi_selection, paths = panel.multi_selection, panel.paths
    choose = tr("Select an entity first, in the graph or by the search box.")
    no_node = _unless_selected(session, choose, "entity", "community")

    def drawn() -> str:
        return "" if panel.canvas.node_count else tr("There is no graph yet.")

    def chosen() -> str:
        return "" if session.chosen.current else tr("Nothing is chosen.")

    def open_path() -> str:
        return "" if paths.current is not None else tr("No path is shown.")

    return (
        Command(
            "graph.choose", tr("&Choose the selected entity too, or no more"), multi_selection.turn_selected,
            "Space", "selection-plus", no_node, bound=False,  # not shown
            tip=tr("As Ctrl and a click; a loop drawn with Ctrl chooses what is in it, with Shift it takes away"),
        ),
        Command(
            "graph.choose_all", tr("Choose all that is &drawn"), multi_selection.choose_all,
            "Ctrl+A", "selection-all", drawn, bound=False,
        ),
        Command("graph.choose_none", tr("Choose n&othing"), multi_selection.clear, "", "selection-slash", chosen),
        Command(
            "graph.relations", tr("Expand along a &relation..."), panel.relations.show_selected,
            "Alt+Shift+R", "git-fork", _unless_selected(session, choose, "entity"),
        ),
        Command(
            "graph.paths", tr("&Paths between two entities..."), paths.begin,
            "Alt+Shift+P", "path", paths.why_not,
            tip=tr("The short paths between the two chosen entities, or from the selected one to another"),
        ),
        Command("graph.next_path", tr("Next path"), lambda: paths.step(1), "Alt+.", "", open_path),
        Command("graph.previous_path", tr("Previous path"), lambda: paths.step(-1), "Alt+,", "", open_path),
        Command(
            "graph.next_fact", tr("Next fact of the path"), lambda: paths.step_facts(1), "F9", "", open_path
        ),
        Command(
            "graph.previous_fact", tr("Previous fact of the path"), lambda: paths.step_facts(-1),
            "Shift+F9", "", open_path,
        ),
    )  # fmt: skip


def _picture_commands(export: GraphExport) -> tuple[Command, ...]:
    return (
        Command(
            "graph.picture", tr("&Save the picture..."), export.choose, "Alt+Shift+S", "image", export.why_not,
            tip=tr("What is seen of the graph as PNG or SVG, with its legends"),
        ),
        Command("graph.copy_picture", tr("Cop&y the picture"), export.copy, "Alt+Shift+Y", "copy", export.why_not),
    )  # fmt: skip
