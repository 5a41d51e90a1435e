"""`clew research bench NAME` and `papers`: measure Clew, and check it against the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from core.cli.options import PATH, json_option
from core.cli.output import print_json, progress_bar, say, terminal
from core.errors import BadInput
from core.research.benches.harness import BENCHES, Arguments, Figures, parse_sizes, report, run_bench

if TYPE_CHECKING:
    from core.research.papers.check import Outcome


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


@click.command("papers")
@click.option("--paper", metavar="NAME", help="One of them, such as a2rag; all by default.")
@click.option("--write", "page", type=PATH, help="Write the page of all papers to this file; check nothing.")
@json_option
def check_papers(paper: str | None, page: Path | None, as_json: bool) -> int:
    """Hold each equation, algorithm and module of the papers that Clew implements (docs/research/papers.md) against its
    definition; 1 where one is not what the paper says."""
    from core.research.papers.check import run
    from core.research.papers.every import PAPERS

    if paper is not None and paper not in PAPERS:
        raise BadInput(f"There is no paper {paper!r}.", f"Choose from: {', '.join(PAPERS)}.")
    if page is not None:
        return _write_page(page, as_json)
    checks = [each for name, own in PAPERS.items() if paper in (None, name) for each in own]
    with progress_bar(as_json) as context:
        outcomes = list(run(checks, context))
    if as_json:
        print_json({"places": [_plain(each) for each in outcomes], "states": _counts(outcomes)})
    else:
        _print_report(outcomes)
    return int(any(each.state == "fails" for each in outcomes))


def _write_page(page: Path, as_json: bool) -> int:
    from core.research.papers.page import render_page

    try:
        page.write_text(render_page(), encoding="utf-8")
    except OSError as fault:
        raise BadInput(f"{page} cannot be written: {fault.strerror}.", "Choose another file.") from fault
    if as_json:
        print_json({"page": str(page)})
    else:
        say(f"Written: {page}")
    return 0


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Count the items of each state, in the order of the states."""
    from core.research.papers.check import State

    found = Counter(each.state for each in outcomes)
    return {state: found[state] for state in get_args(State) if found[state]}


def _plain(each: Outcome) -> dict[str, object]:
    check = each.check
    check_fields = {"paper": check.paper, "place": check.place, "what": check.what, "where": check.where}
    return {
        **check_fields,
        "differs": check.differs,
        "tests": check.tests,
        "state": each.state,
        "seconds": each.seconds,
        "fault": each.fault,
    }


def _print_report(outcomes: Sequence[Outcome]) -> None:
    from core.cli.research.evaluation_tables import WIDTH, plain_table

    for paper in dict.fromkeys(each.check.paper for each in outcomes):
        own = [each for each in outcomes if each.check.paper == paper]
        say(f"{paper}: {_words(own)}", bold=True)
        table = plain_table("", ("place", "state", "differs", "seconds"))
        for each in own:
            seconds = f"{each.seconds:.2f}" if each.check.check is not None else ""
            table.add_row(each.check.place, each.state, "yes" if each.check.differs else "", seconds)
        terminal(width=WIDTH).print(table)
    for each in outcomes:
        if each.fault:
            say(f"{each.check.paper}, {each.check.place}: {each.fault}")
    say(f"{_words(outcomes)}; {sum(each.seconds for each in outcomes):.1f} s")
    say(
        "checked: against the paper's definition; tested: by tests of the suite alone; unverified: by neither; "
        "absent: not implemented. docs/research/papers.md says what differs."
    )


def _words(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(f"{count} {state}" for state, count in _counts(outcomes).items())
