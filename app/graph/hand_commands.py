"""What a hand does on the graph by keys: choose several, expand along a relation, go along paths."""

from __future__ import annotations

from collections.abc import Callable

from app.graph.gathering import Gathering
from app.graph.paths import GraphPaths
from app.graph.relations import GraphRelations
from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session


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
        return "" if paths.shown is not None else tr("No path is shown.")

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
