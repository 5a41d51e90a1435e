"""`clew eval`: measure retrieval and answers on a question set, and compare two measurements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.output import print_json, shown_progress

if TYPE_CHECKING:
    from core.evaluation.compare import ReportComparison
    from core.evaluation.report import EvalReport

DEFAULT_ROUTES = ("dense", "lexical", "graph", "fusion", "hybrid", "auto")
_FILE = click.Path(path_type=Path)


@click.command("eval")
@click.argument("dataset", type=_FILE, required=False)
@click.option("--route", "routes", multiple=True, help="auto or a retriever's name; may be repeated.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option(
    "--triples", type=_FILE, help="JSON lines of entities and triples, in the place of our own extraction."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another setting for this run, such as retrieval.second_stage=false; `clew settings` lists them.",
)
@click.option("--no-answers", is_flag=True, help="Leave the extractive answers out, which is quicker.")
@click.option("--out", type=_FILE, help="Write a report that keeps every question's row.")
@click.option(
    "--compare", type=_FILE, nargs=2, metavar="A B", help="Compare two reports of --out: B minus A."
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def evaluate(
    dataset: Path | None,
    routes: tuple[str, ...],
    limit: int,
    triples: Path | None,
    settings: tuple[str, ...],
    no_answers: bool,
    out: Path | None,
    compare: tuple[Path, Path] | None,
    as_json: bool,
) -> int:
    """Measure how well each route finds the gold passages of DATASET (corpus.jsonl, questions.jsonl).

    Answers are scored on `auto`, or on the routes that are asked for with --route.
    """
    if compare:
        if dataset or routes or limit or triples or no_answers or out:
            raise click.UsageError("--compare takes two reports, and besides them only --json.")
        _compare(compare, as_json)
        return 0
    if dataset is None:
        raise click.UsageError("Missing argument 'DATASET'.")
    answering = () if no_answers else routes or ("auto",)
    report = _measure(
        dataset,
        list(dict.fromkeys(routes or DEFAULT_ROUTES)),
        answering,
        limit,
        triples,
        settings,
        out,
        as_json,
    )
    if as_json:
        from core.evaluation.saved import as_object

        print_json(as_object(report))
    else:
        from core.cli.evaluation_tables import tell_report

        tell_report(report)
    return 0


def _measure(
    dataset: Path,
    routes: list[str],
    answers: tuple[str, ...],
    limit: int,
    triples: Path | None,
    settings: tuple[str, ...],
    out: Path | None,
    quiet: bool,
) -> EvalReport:
    from core.catalog.asking import RETRIEVERS
    from core.catalog.choice import choose
    from core.evaluation.datasets import read_dataset
    from core.evaluation.given import GivenExtractor, read_given
    from core.evaluation.runner import evaluate as run
    from core.evaluation.runner import open_cached
    from core.evaluation.saved import check_writable, write_report
    from core.hosts import own_config
    from core.models import Models

    for route in routes:
        choose("route", route, dict.fromkeys(("auto", *RETRIEVERS)))
    if out is not None:
        check_writable(out)
    config = own_config(settings)
    questions = read_dataset(dataset, limit)
    given, source = None, "rules"
    if triples is not None:
        read = read_given(triples, questions.passages)
        given, source = GivenExtractor(read), triples.name
        if read.skipped:
            source += f" ({read.skipped:,} triples without three parts left out)"
    with shown_progress(quiet) as context:
        workspace, seconds = open_cached(questions, context, Models(), given, config)
        try:
            report = run(workspace, questions, routes, seconds, context, answers, source)
        finally:
            workspace.close()
    if out is not None:
        write_report(out, report)
    return report


def _compare(paths: tuple[Path, Path], as_json: bool) -> None:
    from core.evaluation.compare import compare_reports
    from core.evaluation.saved import read_report

    found = compare_reports(read_report(paths[0]), read_report(paths[1]))
    if as_json:
        print_json(_comparison_object(found))
    else:
        from core.cli.evaluation_tables import tell_comparison

        tell_comparison(found)


def _comparison_object(found: ReportComparison) -> dict[str, object]:
    """The object that `eval --compare --json` promises."""
    from core.evaluation.saved import as_difference

    routes: dict[str, dict[str, object]] = {}
    for pairing in found.pairings:
        measures = {
            name: {"before": change.before, "after": change.after, **as_difference(change.difference)}
            for name, change in pairing.measures.items()
        }
        routes.setdefault(pairing.route, {})[pairing.kind] = {
            "questions": pairing.questions,
            **measures,
            "latency_ms": {"p50": {"before": pairing.p50[0], "after": pairing.p50[1]}},
        }
    return {
        "dataset": found.before.dataset,
        "before": str(found.before.path),
        "after": str(found.after.path),
        "routes": routes,
        "unpaired": found.unpaired,
    }
