"""`clew router train`: learn from question sets which questions are worth a walk over the graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.output import print_json, say, shown_progress, terminal

if TYPE_CHECKING:
    from core.evaluation.datasets import Dataset
    from core.extraction.question import ParsedQuestion
    from core.models import Models
    from core.progress import TaskContext
    from core.routing.records import RoutedQuestion

_DEPTHS = (2, 5)  # the quality of a route is the mean recall at these


@click.group()
def router() -> None:
    """The router that picks a route for each question."""


@router.command()
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the adapter goes.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option(
    "--price",
    default=0.01,
    show_default=True,
    type=click.FloatRange(0.0, 1.0),
    help="Recall given up for the latency of the slowest route.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train(datasets: tuple[Path, ...], out: Path, limit: int, price: float, as_json: bool) -> int:
    """Train on DATASET folders (corpus.jsonl, questions.jsonl): run the routes, learn where they differ."""
    from core.evaluation.datasets import read_dataset
    from core.models import Models
    from core.routing.adapter import checked_place, write
    from core.routing.train import TrainSettings
    from core.routing.train import train as learn

    place = checked_place(out)
    read = [read_dataset(folder, limit) for folder in datasets]
    models = Models()
    with shown_progress(as_json) as context:
        records = [record for dataset in read for record in collect(dataset, models, context)]
        trained = learn(records, _remembered(models), context, TrainSettings(price=price))
    report = {"datasets": [dataset.name for dataset in read], "limit": limit, **trained.report}
    beside = write(
        place,
        trained.tensors,
        trained.names,
        trained.standard,
        trained.calibration,
        trained.thresholds,
        report,
    )
    if as_json:
        print_json({"adapter": str(place), "report": str(beside), **report})
    else:
        tell(report)
        say(f"Written: {place} and {beside}")
    return 0


@router.command("train-scope")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the model goes.")
@click.option("--questions", type=click.Path(path_type=Path), help="Labelled questions; those of Clew.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train_scope(out: Path, questions: Path | None, as_json: bool) -> int:
    """Train the model that tells questions about all documents, on the dev half of labelled questions."""
    from core.evaluation.bench_recogniser import labelled_questions, scope_trained, trained_on
    from core.models import Models
    from core.routing.adapter import checked_place
    from core.routing.corpuswide_model import write

    place = checked_place(out)
    rows = trained_on(labelled_questions(questions) if questions is not None else labelled_questions())
    with shown_progress(as_json) as context:
        trained = scope_trained(rows, Models(), context)
    write(place, trained.model, trained.report)
    thresholds = {"open": trained.model.open, "narrowed": trained.model.narrowed}
    if as_json:
        print_json({"model": str(place), **thresholds, **trained.report})
    else:
        for name, value in {**thresholds, **trained.report}.items():
            say(f"{name:<10} {value:g}" if value >= 10 else f"{name:<10} {value:.3f}")
        say(f"Written: {place}")
    return 0


@router.command()
@click.argument("question")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def units(question: str, as_json: bool) -> int:
    """Count the syntactic units of QUESTION by its dependencies, and by Stanza's trees where they are installed."""
    from core.models import Models
    from core.routing.features.constituency import constituency_parser
    from core.routing.features.units import UNIT_NAMES, counts, units_of

    own = dict(zip(UNIT_NAMES, counts(units_of(Models().parse(question))), strict=True))
    by_trees = constituency_parser()
    trees = dict(zip(UNIT_NAMES, counts(by_trees(question)), strict=True)) if by_trees is not None else None
    if as_json:
        print_json({"dependencies": own, "trees": trees})
        return 0
    for name, count in own.items():
        say(f"{name:<3} {count:>3}" + ("" if trees is None else f" {trees[name]:>3}"))
    if trees is None:
        say("Stanza's English constituency model is not on this disk: nothing to compare with.")
    return 0


def collect(dataset: Dataset, models: Models, context: TaskContext) -> list[RoutedQuestion]:
    """Ask every question on every route, encoding and parsing included each time, as a person would."""
    from core.evaluation.cached import each_question
    from core.evaluation.metrics import mean, recall_at
    from core.routing.records import ROUTES, WALK, RoutedQuestion

    found = []
    for workspace, question in each_question(dataset, models, context):
        quality: dict[str, float] = {}
        spent: dict[str, float] = {}
        for route in ROUTES:
            workspace.forget_questions()
            begin = time.perf_counter()
            _, retrieval = workspace.retrieve(question.question, context, route, max(_DEPTHS))
            spent[route] = time.perf_counter() - begin
            ranked = [hit.passage_id for hit in retrieval.hits]
            quality[route] = mean([recall_at(ranked, question.supporting, k) for k in _DEPTHS])
        walked = workspace.selection_pools(question.question, context)["graph"][0]
        quality[WALK] = mean([recall_at(walked, question.supporting, k) for k in _DEPTHS])
        group = f"{dataset.name} {question.kind}"
        found.append(RoutedQuestion(question.question, quality, spent, group))
    return found


def _remembered(models: Models) -> Callable[[str], ParsedQuestion]:
    """Parsing that forgets nothing: training looks at every question more than once."""
    known: dict[str, ParsedQuestion] = {}

    def parse(question: str) -> ParsedQuestion:
        if question not in known:
            known[question] = models.parse(question)
        return known[question]

    return parse


def tell(report: dict[str, object]) -> None:
    """What was learned from and what it is worth, for people."""
    from rich.table import Table

    console = terminal(width=max(100, terminal().width))
    table = Table(title="mean of recall@2 and recall@5, on questions not trained on", title_justify="left")
    quality = report["quality"]
    assert isinstance(quality, dict)
    table.add_column("questions", no_wrap=True)
    for name in next(iter(quality.values())):
        table.add_column("number" if name == "questions" else name, justify="right", no_wrap=True)
    for group, row in quality.items():
        number, *values = row.values()
        table.add_row(group, f"{number:.0f}", *(f"{value:.3f}" for value in values))
    console.print(
        f"{report['questions']} questions; dense and graph differ on {report['disagreement']}: graph is better "
        f"on {report['graph_better']}, dense on {report['dense_better']}.",
    )
    console.print(table)
    for name in ("learned", "rules"):
        judged = report[name]
        assert isinstance(judged, dict)
        figures = ", ".join(f"{key.replace('_', ' ')} {value:.3f}" for key, value in judged.items())
        console.print(f"{name}: {figures}")
    low, high = report["thresholds"]  # type: ignore[misc]
    shares = report["shares"]
    assert isinstance(shares, dict)
    taken = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    features = report["features"]
    assert isinstance(features, list)
    console.print(f"{len(features)} features; thresholds {low:.3f} and {high:.3f}: {taken}")  # type: ignore[has-type]
