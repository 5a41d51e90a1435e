"""`clew research eval`: measure retrieval and answers on question sets, and compare two measurements.

`clew eval` is the part of it that a person needs for a folder of documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.cli.options import PATH, json_option, setting_option
from core.cli.output import print_json, progress_bar, say
from core.errors import CoreError

if TYPE_CHECKING:
    from core.research.datasets import Dataset
    from core.research.report import EvalReport
    from core.research.results_file import ReportComparison
    from core.research.runner import Plan

ALWAYS = ("lexical", "dense")  # what every other route is held against
DEFAULT_ROUTES = ("graph", "fusion", "auto")


def _flag(name: str, words: str, *more: str) -> click.Option:
    return click.Option([name, *more], is_flag=True, help=words)


OPTIONS: list[click.Parameter] = [
    click.Argument(["dataset"], type=PATH, required=False),
    click.Option(["--questions"], type=PATH, help="JSON lines about the documents of the folder DATASET."),
    click.Option(["--suite"], type=PATH, help="Measure every question set in this folder, a row each."),
    click.Option(["--only"], multiple=True, metavar="NAME", help="Of --suite this one; may be repeated."),
    click.Option(
        ["--route", "routes"],
        multiple=True,
        help="auto or a retriever's name, beside lexical (BM25) and dense; may be repeated.",
    ),
    click.Option(["--limit"], default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all."),
    click.Option(
        ["--triples"],
        type=PATH,
        help="JSON lines of entities and triples, in the place of our own extraction.",
    ),
    click.Option(
        ["--set", "settings"],
        multiple=True,
        metavar="NAME=VALUE",
        help="Another setting or parameter for this run, such as retrieval.second_stage=false; see core/config.py.",
    ),
    _flag("--plain", "Ask in lower case and without question marks, as somebody in a hurry types."),
    _flag("--fresh", "Index anew, though the cache holds it; tells how long that takes."),
    _flag("--no-answers", "Leave the answers out, which is quicker."),
    click.Option(
        ["--generator"],
        default="extractive",
        show_default=True,
        help="Who writes the answers: extractive or ollama:MODEL.",
    ),
    click.Option(
        ["--out"],
        type=PATH,
        help="Write a report that keeps every question's row; of --suite, a file or a folder for one each.",
    ),
    click.Option(
        ["--compare"], type=PATH, nargs=2, metavar="A B", help="Compare two reports of --out: B minus A."
    ),
    _flag("--verdicts", "DATASET is a workspace: ask again what was judged right or wrong in its window."),
    _flag("--json", "Print one object for machines.", "as_json"),
]


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """The options, as they are named on the command line."""

    dataset: Path | None
    questions: Path | None = None
    suite: Path | None = None
    only: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    limit: int = 0
    triples: Path | None = None
    settings: tuple[str, ...] = ()
    plain: bool = False
    fresh: bool = False
    no_answers: bool = False
    generator: str = "extractive"
    out: Path | None = None
    compare: tuple[Path, Path] | None = None
    verdicts: bool = False
    as_json: bool = False


@click.command("eval", params=OPTIONS)
def evaluate(**arguments: Any) -> int:
    """Measure how well each route finds what answers a set of questions.

    DATASET is a folder with corpus.jsonl and questions.jsonl, or any folder of documents, with --questions. Answers are
    scored on `auto`, or on the routes that are asked for with --route.
    """
    wanted = EvalRequest(**arguments)
    if wanted.compare:
        if wanted != EvalRequest(None, compare=wanted.compare, as_json=wanted.as_json):
            raise click.UsageError("--compare takes two reports, and besides them only --json.")
        _compare(wanted.compare, wanted.as_json)
        return 0
    if wanted.suite is not None:
        if wanted.dataset or wanted.questions or wanted.triples:
            raise click.UsageError("--suite goes with no DATASET, --questions or --triples.")
        return _measure_suite(wanted.suite, wanted)
    if wanted.dataset is None:
        raise click.UsageError("Missing argument 'DATASET'.")
    if wanted.verdicts:
        if wanted.questions or wanted.triples or wanted.only or wanted.fresh:
            raise click.UsageError("--verdicts takes a workspace, whose judged answers are its questions.")
        _measure_verdicts(wanted.dataset, wanted)
        return 0
    if wanted.only or (wanted.questions and wanted.triples):
        raise click.UsageError("--only goes with --suite, --triples with a DATASET of passages.")
    measure_folder(wanted.dataset, wanted)
    return 0


@click.command("eval")
@click.argument("folder", type=PATH)
@click.option(
    "--questions",
    type=PATH,
    required=True,
    help="JSON lines, each a question with its answers and documents.",
)
@click.option("--route", "routes", multiple=True, help="auto or another route; may be repeated.")
@click.option("--plain", is_flag=True, help="Ask in lower case and without question marks.")
@click.option("--out", type=PATH, help="Write a report that keeps every question's row.")
@setting_option
@json_option
def evaluate_folder(
    folder: Path,
    questions: Path,
    routes: tuple[str, ...],
    plain: bool,
    out: Path | None,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Measure how well each route finds, in the documents of FOLDER, what answers the questions of a file.

    Answers are scored on `auto`, or on the routes that are asked for with --route.
    """
    request = EvalRequest(
        folder,
        questions=questions,
        routes=routes,
        plain=plain,
        out=out,
        settings=settings,
        as_json=as_json,
    )
    measure_folder(folder, request)
    return 0


def measure_folder(folder: Path, wanted: EvalRequest) -> None:
    """Measure one question set and print it. Raises BadInput, Cancelled."""
    from core.research.datasets import read_corpus, read_documents
    from core.research.results_file import check_writable

    plan = _plan(wanted, DEFAULT_ROUTES)
    if wanted.out is not None:
        check_writable(wanted.out)
    if wanted.questions is not None:
        dataset = read_documents(folder, wanted.questions, wanted.limit)
    else:
        dataset = read_corpus(folder, wanted.limit)
    _write_and_print(_measured(dataset, plan, wanted), wanted)


def _measure_verdicts(place: Path, wanted: EvalRequest) -> None:
    """Ask again what was judged: gold are the right answers and the places that they cite."""
    from core.cli.lab_questions import VERDICTS, asked
    from core.research.datasets import Dataset
    from core.research.results_file import check_writable
    from core.research.runner import evaluate as run

    plan = _plan(wanted, ("auto",))
    if wanted.out is not None:
        check_writable(wanted.out)
    with (
        progress_bar(wanted.as_json) as context,
        asked(place, VERDICTS, 0, wanted.limit or None, context, wanted.settings) as (workspace, questions),
    ):
        report = run(workspace, Dataset(place.resolve().name, (), questions, ""), plan, context)
    _write_and_print(report, wanted)


def _write_and_print(report: EvalReport, wanted: EvalRequest) -> None:
    """Write the report where it is wanted, and print it."""
    from core.research.results_file import as_object, write_report

    if wanted.out is not None:
        write_report(wanted.out, report)
    if wanted.as_json:
        print_json(as_object(report))
    else:
        from core.cli.research.evaluation_tables import print_report

        print_report(report)


def _plan(wanted: EvalRequest, default: tuple[str, ...]) -> Plan:
    """Raise BadInput for a route, setting or generator that there is none of."""
    from core.answering.writers import check_generator
    from core.models.hosts import own_config
    from core.research.runner import Plan
    from core.retrieval.routes import check_route

    for route in wanted.routes:
        check_route(route, "auto")
    config = own_config(wanted.settings)
    check_generator(wanted.generator, config.models)
    return Plan(
        routes=tuple(dict.fromkeys((*ALWAYS, *(wanted.routes or default)))),
        answers=() if wanted.no_answers else wanted.routes or ("auto",),
        config=config,
        plain=wanted.plain,
        fresh=wanted.fresh,
        generator=wanted.generator,
    )


def _measured(dataset: Dataset, plan: Plan, wanted: EvalRequest) -> EvalReport:
    from dataclasses import replace

    from core.answering.models import Models
    from core.research.external_triples import ExternalExtractor, read_external
    from core.research.runner import measure

    if wanted.triples is not None:
        if dataset.folder is not None:
            raise click.UsageError("--triples goes with a DATASET of passages.")
        read = read_external(wanted.triples, dataset.passages)
        source = wanted.triples.name
        if read.skipped:
            source += f" ({read.skipped:,} triples without three parts left out)"
        plan = replace(plan, extractor=ExternalExtractor(read), extraction=source)
    with progress_bar(wanted.as_json) as context:
        return measure(dataset, plan, Models(), context)


def _measure_suite(folder: Path, wanted: EvalRequest) -> int:
    """Return 1 if a question set failed; the others are told of all the same."""
    from dataclasses import replace

    from core.answering.models import Models
    from core.research.datasets import corpora, read_corpus
    from core.research.report import ROUTES
    from core.research.results_file import check_suite_writable, suite_object, write_suite
    from core.research.runner import measure

    plan = _plan(wanted, ROUTES)
    plan = replace(plan, routes=tuple(dict.fromkeys((*ROUTES, *plan.routes))))
    if plan.answers:
        plan = replace(plan, answers=tuple(dict.fromkeys(("auto", *plan.answers))))
    found = corpora(folder, wanted.only)
    if wanted.out is not None:
        check_suite_writable(wanted.out)
    reports: dict[str, EvalReport] = {}
    failed: dict[str, CoreError] = {}
    models = Models()
    for path in found:
        say(f"{path.name} ...", err=True)
        try:
            with progress_bar(wanted.as_json) as context:
                reports[path.name] = measure(read_corpus(path, wanted.limit), plan, models, context)
        except CoreError as error:
            failed[path.name] = error
            say(f"{path.name}: {error}", err=True)
            continue
        if wanted.out is not None:
            # After each: a run of hours that is stopped keeps what it has.
            write_suite(wanted.out, reports, failed)
    if wanted.as_json:
        print_json(suite_object(reports, failed))
    else:
        from core.cli.research.evaluation_tables import print_suite

        print_suite(reports, failed)
    return 1 if failed else 0


def _compare(paths: tuple[Path, Path], as_json: bool) -> None:
    from core.research.results_file import compare_reports, read_report

    found = compare_reports(read_report(paths[0]), read_report(paths[1]))
    if as_json:
        print_json(_comparison_object(found))
    else:
        from core.cli.research.evaluation_tables import print_comparison

        print_comparison(found)


def _comparison_object(found: ReportComparison) -> dict[str, object]:
    """Return the object that `eval --compare --json` promises."""
    from core.research.results_file import as_difference

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
