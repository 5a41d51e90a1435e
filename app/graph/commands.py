"""What can be done with the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.look.translation import tr
from app.session.commands import Command
from app.session.session import Session

if TYPE_CHECKING:
    from app.graph.folding import GraphFolding
    from app.graph.panel import GraphPanel

_CHOOSE = tr("Select an entity first, in the graph or by the search box.")
_NO_HEAT = tr("Ask a question first: the heat is that of an answer.")


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
        return "" if folding.shown else tr("Communities are not shown as single nodes.")

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
