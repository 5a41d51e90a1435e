"""`clew research train weights`: learn from question sets what words, meaning and graph count for a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.output import print_json, say, shown_progress, terminal

if TYPE_CHECKING:
    from core.answering.models import Models
    from core.progress import TaskContext
    from core.research.datasets import Dataset
    from core.research.training.list_weights import Example

    Collect = Callable[[Dataset, Models, TaskContext], list[Example]]


@click.command("weights")
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the weights go.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train_weights(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Learn from DATASET folders what words, meaning and graph count for a question.

    Each holds questions.jsonl beside docs/ or corpus.jsonl. Folders whose names begin alike, up to a hyphen, are of
    one family: the report judges each family by weights that were learned without it.
    """
    from core.research.training.list_weights import fit, left_out
    from core.research.training.routing_examples import collect
    from core.retrieval.routing.weighing import write

    with learning(datasets, out, limit, as_json, collect) as (place, examples, context):
        model, judged = fit(examples, context), left_out(examples, context)
    report = {"measure": "recall@5 of gold documents", "limit": limit, "corpora": judged}
    tell(place, write(place, model, report), report, judged, as_json)
    return 0


@click.command("adapter")
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the adapter goes.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train_adapter(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Learn from DATASET folders whether a question is one for the graph, by its own words alone.

    For the composition ea-graphrag-adapter, as EA-GraphRAG trains it: of questions that the reader answers from one
    of meaning and graph and not from the other, where there are a hundred of them, else of those found better by one.
    """
    from core.research.training.adapter import by_answers, fit, left_out
    from core.research.training.routing_examples import collect_routes
    from core.retrieval.routing.adapter import write

    with learning(datasets, out, limit, as_json, collect_routes) as (place, examples, context):
        adapter, judged = fit(examples, context), left_out(examples, context)
    labels = "answers" if by_answers(examples) else "recall@5 of gold documents"
    report = {"labels": labels, "thresholds": [adapter.low, adapter.high], "limit": limit, "corpora": judged}
    tell(place, write(place, adapter, report), report, judged, as_json)
    return 0


@click.command("scope")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the model goes.")
@click.option("--questions", type=click.Path(path_type=Path), help="Labelled questions; those of Clew.")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def train_scope(out: Path, questions: Path | None, as_json: bool) -> int:
    """Train the model that tells questions about all documents, on the dev half of labelled questions."""
    from core.answering.models import Models
    from core.research.training.corpuswide import labelled_questions, scope_trained, trained_on
    from core.retrieval.routing.corpuswide_model import write
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    rows = trained_on(labelled_questions(questions) if questions is not None else labelled_questions())
    with shown_progress(as_json) as context:
        trained = scope_trained(rows, Models(), context)
    write(place, trained.model, trained.report)
    if as_json:
        print_json({"model": str(place), **trained.report})
    else:
        for name, value in trained.report.items():
            say(f"{name:<10} {value:g}" if value >= 10 else f"{name:<10} {value:.3f}")
        say(f"Written: {place}")
    return 0


@click.command("units")
@click.argument("question")
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
def count_units(question: str, as_json: bool) -> int:
    """Count the syntactic units of QUESTION by its dependencies, and by Stanza's trees where they are installed."""
    from core.answering.models import Models
    from core.retrieval.routing.features.constituency import constituency_parser
    from core.retrieval.routing.features.units import UNIT_NAMES, counts, units_of

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


@contextmanager
def learning(
    datasets: Sequence[Path], out: Path, limit: int, as_json: bool, collect: Collect
) -> Iterator[tuple[Path, list[Example], TaskContext]]:
    """The place of a model and the examples of all DATASETs. Raises BadInput, also for what cannot be learned from."""
    from core.answering.models import Models
    from core.errors import BadInput
    from core.research.datasets import read_corpus
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    read = [read_corpus(folder, limit) for folder in datasets]
    models = Models()
    with shown_progress(as_json) as context:
        examples = [example for dataset in read for example in collect(dataset, models, context)]
        try:
            yield place, examples, context
        except ValueError as error:
            raise BadInput(str(error), "Train on questions whose passages can be found.") from error


def tell(
    place: Path,
    beside: Path,
    report: Mapping[str, object],
    judged: dict[str, dict[str, float]],
    as_json: bool,
) -> None:
    """What was learned, for people or for machines."""
    if as_json:
        print_json({"model": str(place), "report": str(beside), **report})
    else:
        print_scores(judged)
        say(f"Written: {place} and {beside}")


def print_scores(judged: dict[str, dict[str, float]]) -> None:
    """What each list finds, and what the weights do that were learned on other families."""
    from rich.table import Table

    from core.config import RoutingConfig

    if not judged:
        say("One family of corpora: there is none to judge by that was not learned from.")
        return
    low = f"{RoutingConfig().low:g}"
    table = Table(title="recall@5; learned: on families of corpora not trained on", title_justify="left")
    table.add_column("corpus", no_wrap=True)
    # Of the thresholds that were tried only the one that holds; the report has all.
    columns = dict.fromkeys(name for row in judged.values() for name in row)
    names = [name for name in columns if name.rpartition(" ")[0] not in ("auto", "asked")]
    names += [name for name in (f"auto {low}", f"asked {low}") if name in columns]
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for corpus, row in judged.items():
        shares = (f"{row[name]:.3f}" if name in row else "" for name in names[1:])
        table.add_row(corpus, f"{row[names[0]]:.0f}", *shares)
    terminal(width=max(100, terminal().width)).print(table)
