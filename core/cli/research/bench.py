"""`clew research bench NAME`: measure, beside what it is compared with in the same run."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.options import PATH, json_option
from core.cli.output import print_json, progress_bar, terminal
from core.research.benches.harness import BENCHES, Arguments, Figures, parse_sizes, report, run_bench


def _help() -> str:
    """Return the table of benches, a line each; \b keeps click from joining them."""
    lines = ["Run the benchmark NAME, one of these:", "", "\b"]
    for name, bench in BENCHES.items():
        lines.append(f"{name:<12}{bench.help}")
        if bench.data:
            lines.append(f"{'':<12}  DATASET: {bench.data}")
        if bench.sizes:
            lines.append(f"{'':<12}  --sizes: {bench.sizes}")
    return "\n".join(lines)


@click.command(help=_help())
@click.argument("name", metavar="NAME", type=click.Choice(tuple(BENCHES)))
@click.argument("dataset", metavar="[DATASET]", type=PATH, required=False)
@click.option("--sizes", default="", metavar="N[,N...]", help="Other sizes than those that it is made for.")
@json_option
def bench(name: str, dataset: Path | None, sizes: str, as_json: bool) -> int:
    with progress_bar(as_json) as context:
        figures = run_bench(name, Arguments(dataset, parse_sizes(sizes), context))
    if as_json:
        print_json(report(name, figures))
    else:
        _print(name, figures)
    return 0


def _print(name: str, figures: Figures) -> None:
    from core.cli.research.evaluation_tables import plain_table

    table = plain_table(f"bench {name}", ("figure", "value", "unit", "baseline", "goal"))
    for words in (table.columns[0], table.columns[-1]):
        words.no_wrap = False  # where the terminal is narrow, they give way and not the numbers
    for label, figure in figures.items():
        baseline = "" if figure.baseline is None else _number(figure.baseline)
        table.add_row(label, _number(figure.value), figure.unit, baseline, figure.goal)
    terminal().print(table)


def _number(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1000 and value != int(value) else f"{value:,.0f}"
