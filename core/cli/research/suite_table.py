"""What a suite of question sets gave, as one table for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.cli.output import terminal
from core.cli.research.evaluation_tables import WIDTH, plain_table, short

if TYPE_CHECKING:
    from core.errors import CoreError
    from core.research.report import EvalReport

_AUTO = {
    "several": "several",
    "quote recall@5": "quotes",
    "exact": "exact",
    "f1": "f1",
    "answered": "answered",
    "abstained": "abstained",
    "s/MB": "s/MB",
}
_ROUTE_WIDTH = 13  # of a column that --route asks for
_NAMES = {"lexical": "BM25"}


def print_suite(reports: Mapping[str, EvalReport], failed: Mapping[str, CoreError]) -> None:
    """A row a question set, then the mean, and where BM25 is better than `auto`."""
    from core.research.suite import below_bm25, mean_figures, suite_row

    routes = max((len(report.routes) for report in reports.values()), default=0)
    console = terminal(width=WIDTH + _ROUTE_WIDTH * max(0, routes - 4))
    for name, report in reports.items():
        for problem in report.problems:
            console.print(f"{name}: gold {problem}.", soft_wrap=True)
    rows = [suite_row(report) for report in reports.values()]
    mean = mean_figures(rows)
    ranking = {name: name.removeprefix("recall@5 ") for name in mean if name.startswith("recall@5 ")}
    columns = {**{name: _NAMES.get(route, route) for name, route in ranking.items()}, **_AUTO}
    headings = {name: words for name, words in columns.items() if name in mean}
    table = plain_table("recall@5 by route; of auto", ("corpus", "asked", "passages", *headings.values()))
    table.padding = (0, 0, 0, 0)
    for row in rows:
        cells = [_cell(name, row.figures) for name in headings]
        table.add_row(row.name, f"{row.questions:,}", f"{row.passages:,}", *cells)
    if rows:
        table.add_section()
        table.add_row("mean", "", "", *(_cell(name, mean) for name in headings))
        console.print(table)
        below = below_bm25(rows)
        names = f": {', '.join(below)}" if below else ""
        console.print(f"auto finds less than BM25 on {len(below)} of {len(rows)}{names}", soft_wrap=True)
    for name, error in failed.items():
        console.print(f"{name} failed: {error}", soft_wrap=True)


def _cell(name: str, figures: Mapping[str, float]) -> str:
    if name not in figures:
        return ""
    return f"{figures[name]:.1f}" if name == "s/MB" else short(figures[name])
