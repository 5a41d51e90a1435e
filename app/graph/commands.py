"""The commands of the graph, with their keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.graph.node_actions import Gathering
from app.graph.paths import GraphPaths, GraphRelations
from app.graph.shapes import GraphShaping, ShapeKeys
from app.graph.view_card import ShapeCard
from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session

if TYPE_CHECKING:
    from app.graph.node_actions import GraphFolding
    from app.graph.panel import GraphPanel


_CHOOSE = tr("Select an entity first, in the graph or by the search box.")
_NO_HEAT = tr("Ask a question first: the heat is that of an answer.")
_NOTHING = tr("Select an entity or a community in the graph first.")
_ENTITY = tr("Select an entity in the graph first.")


def graph_commands(panel: GraphPanel, session: Session) -> tuple[Command, ...]:
    def chosen() -> str:
        return "" if _kind(session) == "entity" else _CHOOSE

    return (
        Command("graph.find", tr("&Find in the graph"), panel.focus_search, "Ctrl+F", "magnifying-glass"),
        Command("graph.fit", tr("Fit to the &window"), panel.fit, "Ctrl+Shift+A", "arrows-out"),
        Command(
            "graph.heat",
            tr("Show the &heat"),
            panel.toggle_heat,
            "Ctrl+H",
            "fire",
            lambda: "" if panel.heat.isEnabled() else _NO_HEAT,
            panel.heat.isChecked,
            tr("Heat: where the last answer's relevance lies (personalised PageRank), or whom it names"),
        ),
        Command(
            "graph.expand",
            tr("&Expand the selected entity"),
            panel.expand_selected,
            "Ctrl+Shift+N",
            "share-network",
            chosen,
            tip=tr("The same as a double click on the entity"),
        ),
        Command(
            "graph.whole",
            tr("Back to the &whole graph"),
            panel.show_whole,
            "Ctrl+Backspace",
            "arrow-left",
            tip=tr("Back to the whole graph"),
        ),
        Command(
            "graph.time",
            tr("&Dates under the graph"),
            panel.time.toggle,
            "Ctrl+Shift+T",
            "clock",
            panel.time.why_not,
            lambda: panel.time.wanted,
            tr("When facts and documents are of; a range keeps graph, communities and answers to it"),
        ),
        *_of_folding(panel.folding, session),
    )


def _of_folding(folding: GraphFolding, session: Session) -> tuple[Command, ...]:
    def folded() -> str:
        return "" if folding.folded else tr("Communities are not shown as single nodes.")

    return (
        Command(
            "graph.folded",
            tr("Communities as single &nodes"),
            folding.toggle.trigger,
            "Ctrl+G",
            "circles-three",
            folding.why_not,
            folding.toggle.isChecked,
            tr("Communities as single nodes, which open in place"),
        ),
        Command(
            "graph.open",
            tr("&Open the selected community"),
            folding.open_selected,
            "Enter",  # not shown
            "arrows-out",
            lambda: folded() or ("" if _kind(session) == "community" else tr("Select a community first.")),
            bound=False,
        ),
        Command(
            "graph.close",
            tr("&Close the innermost open community"),
            folding.close_innermost,
            "Backspace",  # not shown
            "arrows-in",
            folded,
            bound=False,
        ),
        Command(
            "graph.close_all",
            tr("Close &all communities"),
            folding.close_all,
            "Ctrl+Shift+G",
            why_not=folded,
            tip=tr("Close every open community; Backspace closes the innermost"),
        ),
    )


def _kind(session: Session) -> str:
    current = session.selection.current
    return current.kind if current is not None else ""


def hand_commands(
    session: Session, gathering: Gathering, relations: GraphRelations, paths: GraphPaths
) -> tuple[Command, ...]:
    def of_kind(*kinds: str) -> Callable[[], str]:
        def why_not() -> str:
            current = session.selection.current
            fits = current is not None and current.kind in kinds
            return "" if fits else tr("Select an entity first, in the graph or by the search box.")

        return why_not

    def drawn() -> str:
        return "" if gathering.any_drawn else tr("There is no graph yet.")

    def chosen() -> str:
        return "" if session.chosen.current else tr("Nothing is chosen.")

    def open_path() -> str:
        return "" if paths.current is not None else tr("No path is shown.")

    return (
        Command(
            "graph.choose", tr("&Choose the selected entity too, or no more"), gathering.turn_selected,
            "Space", "selection-plus", of_kind("entity", "community"), bound=False,  # not shown
            tip=tr("As Ctrl and a click; a loop drawn with Ctrl chooses what is in it, with Shift it takes away"),
        ),
        Command(
            "graph.choose_all", tr("Choose all that is &drawn"), gathering.choose_all,
            "Ctrl+A", "selection-all", drawn, bound=False,
        ),
        Command("graph.choose_none", tr("Choose n&othing"), gathering.clear, "", "selection-slash", chosen),
        Command(
            "graph.relations", tr("Expand along a &relation..."), relations.show_selected,
            "Alt+Shift+R", "git-fork", of_kind("entity"),
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
