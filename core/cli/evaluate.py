"""`clew eval`: measure retrieval on a question set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.output import print_json, shown_progress

if TYPE_CHECKING:
    from core.evaluation.runner import EvalReport

DEFAULT_ROUTES = ("dense", "lexical", "graph", "fusion", "auto")


@click.command("eval")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--route", "routes", multiple=True, help="auto, dense, lexical, graph or fusion; may be repeated."
)
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option(
    "--triples",
    type=click.Path(path_type=Path),
    help="JSON lines of entities and triples a passage, in the place of our own extraction.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def evaluate(dataset: Path, routes: tuple[str, ...], limit: int, triples: Path | None, as_json: bool) -> int:
    """Measure how well each route finds the gold passages of DATASET (corpus.jsonl, questions.jsonl)."""
    from core.catalog import RETRIEVERS, choose
    from core.evaluation.datasets import read_dataset
    from core.evaluation.given import GivenExtractor, read_given
    from core.evaluation.runner import evaluate as run
    from core.evaluation.runner import open_cached
    from core.models import Models

    wanted = list(routes or DEFAULT_ROUTES)
    for route in wanted:
        choose("route", route, dict.fromkeys(("auto", *RETRIEVERS)))
    questions = read_dataset(dataset, limit)
    given = GivenExtractor(read_given(triples, questions.passages)) if triples else None
    with shown_progress(as_json) as context:
        workspace, seconds = open_cached(questions, context, Models(), given)
        try:
            report = run(workspace, questions, wanted, seconds, context)
        finally:
            workspace.close()
    if as_json:
        print_json(as_object(report))
    else:
        tell(report)
    return 0


def as_object(report: EvalReport) -> dict[str, object]:
    """The object that `eval --json` promises."""
    routes: dict[str, object] = {}
    for name, route in report.routes.items():
        kinds: dict[str, object] = {
            kind: {"questions": row.questions, **row.measures, "latency_ms": {"p50": row.p50, "p95": row.p95}}
            for kind, row in route.kinds.items()
        }
        routes[name] = {**kinds, "shares": route.shares} if route.shares else kinds
    return {
        "dataset": report.dataset,
        "passages": report.passages,
        "index_seconds": report.index_seconds,
        "routes": routes,
    }


def tell(report: EvalReport) -> None:
    """A table a kind."""
    from rich.console import Console
    from rich.table import Table

    console = Console(width=max(100, Console().width))
    indexed = f", indexed in {report.index_seconds:.0f} s" if report.index_seconds else ""
    console.print(f"{report.dataset}: {report.passages:,} passages{indexed}", highlight=False)
    kinds = sorted({kind for route in report.routes.values() for kind in route.kinds})
    if len(kinds) == 2:
        kinds.remove("all")  # the same questions as the one kind there is
    for kind in kinds:
        table = Table(title=kind, title_justify="left")
        table.add_column("route", no_wrap=True)
        first = next(iter(report.routes.values())).kinds[kind]
        for name in (*first.measures, "p50 ms", "p95 ms"):
            table.add_column(name, justify="right", no_wrap=True)
        for name, route in report.routes.items():
            row = route.kinds[kind]
            values = [f"{value:.3f}" for value in row.measures.values()]
            table.add_row(name, *values, f"{row.p50:.0f}", f"{row.p95:.0f}")
        console.print(table)
        console.print(f"{first.questions} questions", highlight=False)
    for name, route in report.routes.items():
        if route.shares:
            parts = ", ".join(f"{way} {share:.0%}" for way, share in route.shares.items())
            console.print(f"{name} took: {parts}", highlight=False)
