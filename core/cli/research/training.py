"""The commands of `clew research train` and `score` for routing and integration, and what all of them share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from core.cli.lab_questions import asked, question_options
from core.cli.options import PATH, json_option
from core.cli.output import Events, print_json, progress_bar, say, terminal, with_events
from core.errors import BadInput
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.answering.models import Models
    from core.progress import TaskContext
    from core.research.datasets import Dataset
    from core.research.training.dw_grpo import Plan, Step

_Example = TypeVar("_Example")

datasets_argument = click.argument("datasets", nargs=-1, required=True, type=PATH, metavar="DATASET...")
out_option = click.option("--out", required=True, type=PATH, help="Where the model goes.")
limit_option = click.option(
    "--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all."
)


def read_sets(folders: Sequence[Path], limit: int) -> list[Dataset]:
    """Return the question sets. Raises BadInput."""
    from core.research.datasets import read_corpus

    return [read_corpus(folder, limit) for folder in folders]


@contextmanager
def learning(
    folders: Sequence[Path],
    limit: int,
    as_json: bool,
    collect: Callable[[Dataset, Models, TaskContext], list[_Example]],
) -> Iterator[tuple[list[_Example], TaskContext]]:
    """Yield the examples of all question sets. Raises BadInput, also for what cannot be learned from."""
    from core.answering.models import Models
    from core.errors import BadInput

    read, models = read_sets(folders, limit), Models()
    with progress_bar(as_json) as context:
        examples = [example for dataset in read for example in collect(dataset, models, context)]
        try:
            yield examples, context
        except ValueError as error:
            raise BadInput(str(error), "Train on questions whose passages can be found.") from error


def print_trained(
    place: Path,
    report_path: Path | None,
    report: Mapping[str, object],
    as_json: bool,
    show: Callable[[], None],
) -> int:
    """Print what was learned, and where it and its report are: as an object, or as `show` prints it."""
    files = {"model": str(place), **({"report": str(report_path)} if report_path is not None else {})}
    if as_json:
        print_json({**files, **report})
    else:
        show()
        say(f"Written: {' and '.join(files.values())}")
    return 0


Judged = Mapping[str, Mapping[str, float]]  # by corpus


@click.command("weights")
@datasets_argument
@out_option
@limit_option
@json_option
def train_weights(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Learn from DATASET folders what words, meaning and graph count for a question.

    Each holds questions.jsonl beside docs/ or corpus.jsonl. Folders whose names begin alike, up to a hyphen, are of
    one family: the report judges each family by weights that were learned without it.
    """
    from core.research.training.list_weights import collect, fit, left_out
    from core.retrieval.routing.weighing import checked_place, write

    place = checked_place(out)
    with learning(datasets, limit, as_json, collect) as (examples, context):
        model, judged = fit(examples, context), left_out(examples, context)
    report = {"measure": "recall@5 of gold documents", "limit": limit, "corpora": judged}
    return print_trained(place, write(place, model, report), report, as_json, lambda: print_scores(judged))


@click.command("adapter")
@datasets_argument
@out_option
@limit_option
@json_option
def train_adapter(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Learn from DATASET folders whether a question is one for the graph, by its own words alone.

    For the composition ea-graphrag-adapter, as EA-GraphRAG trains it: of questions that the reader answers from one
    of meaning and graph and not from the other, where there are a hundred of them, else of those found better by one.
    """
    from core.research.training.adapter import by_answers, fit, left_out
    from core.research.training.list_weights import collect_routes
    from core.retrieval.routing.adapter import write
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    with learning(datasets, limit, as_json, collect_routes) as (examples, context):
        adapter, judged = fit(examples, context), left_out(examples, context)
    labels = "answers" if by_answers(examples) else "recall@5 of gold documents"
    report = {"labels": labels, "thresholds": [adapter.low, adapter.high], "limit": limit, "corpora": judged}
    return print_trained(place, write(place, adapter, report), report, as_json, lambda: print_scores(judged))


@click.command("scope")
@out_option
@click.option("--questions", type=PATH, help="Labelled questions; those of Clew.")
@json_option
def train_scope(out: Path, questions: Path | None, as_json: bool) -> int:
    """Train the model that tells questions about all documents, on the dev half of labelled questions."""
    from core.answering.models import Models
    from core.research.training.corpuswide import labelled_questions, scope_trained, trained_on
    from core.retrieval.routing.corpuswide import write
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    rows = trained_on(labelled_questions(questions) if questions is not None else labelled_questions())
    with progress_bar(as_json) as context:
        trained = scope_trained(rows, Models(), context)
    write(place, trained.model, trained.report)

    def show() -> None:
        for name, value in trained.report.items():
            say(f"{name:<10} {value:g}" if value >= 10 else f"{name:<10} {value:.3f}")

    return print_trained(place, None, trained.report, as_json, show)


@click.command("names")
@click.argument("labels", nargs=-1, required=True, type=PATH, metavar="FILE...")
@out_option
@json_option
def train_names(labels: tuple[Path, ...], out: Path, as_json: bool) -> int:
    """Train the judge that tells which names are nodes of the map, on FILEs of labelled names (JSON lines: name, kind,
    and source, or workspace)."""
    from core.answering.models import Models
    from core.extraction.name_judge import pack_judge
    from core.research.training.name_judge import read_labels, train_judge
    from core.retrieval.routing.weighing import checked_place

    place = checked_place(out)
    with progress_bar(as_json) as context:
        judge, judged = train_judge(read_labels(labels), Models(), context)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(pack_judge(judge, {}))

    def show() -> None:
        for source, row in judged.items():
            say(f"{Path(source).name:<24} " + ", ".join(f"{name} {value:.3g}" for name, value in row.items()))

    return print_trained(place, None, judged, as_json, show)


@click.command("selector")
@datasets_argument
@out_option
@limit_option
@json_option
def train_selector(datasets: tuple[Path, ...], out: Path, limit: int, as_json: bool) -> int:
    """Train which passage to take next on DATASET folders (corpus.jsonl, questions.jsonl).

    The report is written beside the model. To try it: --set retrieval.reranker=FILE.
    """
    from core.research.training.selector import collect, train
    from core.retrieval.routing.weighing import checked_place
    from core.retrieval.selection.model import save_model

    place = checked_place(out)
    with learning(datasets, limit, as_json, collect) as (examples, context):
        model, report = train(examples, context)
    report = {"datasets": [folder.resolve().name for folder in datasets], "limit": limit, **report}
    place.parent.mkdir(parents=True, exist_ok=True)
    report_path = place.with_name(f"{place.stem}-report.json")
    save_model(model, place)
    report_path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return print_trained(place, report_path, report, as_json, lambda: print_recalls(report))


@click.command("hybrid")
@datasets_argument
@limit_option
@json_option
def train_hybrid(datasets: tuple[Path, ...], limit: int, as_json: bool) -> int:
    """Fit lab:hybrid's two weights, cosine and path, to DATASET folders."""
    from core.research.training.list_weights import weighed_rows
    from core.retrieval.hybrid import fit_weights

    with learning(datasets, limit, as_json, weighed_rows) as (rows, _):
        dense, path = (round(weight, 3) for weight in fit_weights(rows))
    if as_json:
        print_json({"hybrid_dense": dense, "hybrid_path": path, "rows": len(rows)})
    else:
        say(f"dense {dense:.3f}, path {path:.3f}, fitted to {len(rows):,} passages of questions.")
        say(f"To try: --set retrieval.hybrid_dense={dense} --set retrieval.hybrid_path={path}")
    return 0


@click.command("units")
@click.argument("question")
@json_option
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


def print_scores(judged: Judged) -> None:
    """Print what each list finds, and what the weights do that were learned on other families."""
    from core.cli.research.evaluation_tables import plain_table
    from core.config import RoutingConfig

    if not judged:
        say("One family of corpora: there is none to judge by that was not learned from.")
        return
    low = f"{RoutingConfig().low:g}"
    # Of the thresholds that were tried only the one that holds; the report has all.
    columns = dict.fromkeys(name for row in judged.values() for name in row)
    names = [name for name in columns if name.rpartition(" ")[0] not in ("auto", "asked")]
    names += [name for name in (f"auto {low}", f"asked {low}") if name in columns]
    table = plain_table("recall@5; learned: on families of corpora not trained on", ("corpus", *names))
    for corpus, row in judged.items():
        shares = (f"{row[name]:.3f}" if name in row else "" for name in names[1:])
        table.add_row(corpus, f"{row[names[0]]:.0f}", *shares)
    terminal(width=max(100, terminal().width)).print(table)


def print_recalls(report: Mapping[str, object]) -> None:
    """Recall before and after, on questions that were not trained on."""
    from core.cli.research.evaluation_tables import plain_table

    before, after = report["first_stage"], report["cross_validated"]
    assert isinstance(before, dict) and isinstance(after, dict)
    columns = ("questions and first stage", "recall@2", "recall@5", "recall@10")
    table = plain_table("recall on questions not trained on", columns)
    for group, row in before.items():
        table.add_row(group, *(f"{value:.3f} to {after[group][name]:.3f}" for name, value in row.items()))
    terminal(width=max(100, terminal().width)).print(table)


@click.command("integrator")
@click.argument("places", nargs=-1, required=True, type=PATH, metavar="WORKSPACE|DATASET...")
@question_options
@click.option("--steps", default=60, type=click.IntRange(0, 10_000), help="Steps of learning by rewards.")
@click.option("--static", is_flag=True, help="Leave the weights of the rewards as they are.")
@click.option("--printed", is_flag=True, help="Take equation 5 of the paper to the letter, which unlearns.")
@click.option("--limit", default=100, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option("--seed", default=7, help="The same seed, data and processor give the same model.")
@click.option(
    "--apart",
    "every",
    default=0,
    type=click.IntRange(0),
    help="Keep every so many questions apart and measure on them; 0 for none.",
)
@click.option("--out", required=True, type=PATH, help="Where the model goes.")
@click.option(
    "--events", is_flag=True, hidden=True, help="Tell progress as lines of JSON; read words on stdin."
)
@json_option
def train_integrator(
    places: tuple[Path, ...],
    questions: str | None,
    count: int,
    steps: int,
    static: bool,
    printed: bool,
    limit: int,
    seed: int,
    every: int,
    out: Path,
    events: bool,
    as_json: bool,
) -> int:
    """Train first by what the reader answers from, then by the rewards of DW-GRPO: on DATASET folders, or with
    --questions on those of a WORKSPACE."""
    from core.research.training.dw_grpo import Plan, rows

    if out.suffix != ".safetensors" or not out.parent.is_dir():
        raise BadInput(
            f"{out} is no place for a model.", "Let --out end in .safetensors, in a folder that exists."
        )
    if questions is not None and len(places) != 1:
        raise BadInput(
            "--questions are of one workspace.", "Give one, or DATASET folders without --questions."
        )
    plan = Plan(steps=steps, dynamic=not static, printed=printed, seed=seed)
    wish = _Wish(places, questions, count, limit, every)

    def work(context: TaskContext, on_step: Callable[[Step], None] | None = None) -> str:
        return _trained(wish, plan, out, context, on_step)

    if events:
        stream = Events()
        return with_events(stream, lambda context: work(context, lambda step: stream.step(rows([step])[0])))
    with progress_bar(as_json) as context:
        report = json.loads(work(context))
    return print_trained(out, None, report, as_json, lambda: _print_report(report))


@dataclass(frozen=True, slots=True)
class _Wish:
    """What to train on."""

    places: tuple[Path, ...]
    questions: str | None
    count: int
    limit: int
    apart: int


def _trained(
    wish: _Wish, plan: Plan, out: Path, context: TaskContext, on_step: Callable[[Step], None] | None
) -> str:
    """Write the model; its report. Raises BadInput, Cancelled."""
    from core.answering.integration.model import save_model
    from core.answering.models import Models
    from core.research.training.integrator import apart, with_figures
    from core.research.training.integrator import train as learn
    from core.research.training.integrator_score import SHARE, collect, collect_own, compared, judge_of

    models = Models()
    if wish.questions is None:
        read = read_sets(wish.places, wish.limit)
        examples = [example for dataset in read for example in collect(dataset, models, context)]
    else:
        with asked(wish.places[0], wish.questions, wish.count, wish.limit or None, context) as (own, wanted):
            examples = collect_own(own, wanted, models, context)
    learned, holdout = apart(examples, wish.apart)
    judge = judge_of(models.comprehension())
    try:
        trained = learn(learned, models.comprehension(), judge, plan, context, on_step=on_step)
    except ValueError as error:
        raise BadInput(str(error), "Train on questions for which something is found.") from error
    report = trained.report
    if holdout:
        report = with_figures(
            report, compared(holdout, trained.model, SHARE, models.comprehension(), judge, context)
        )
    save_model(trained.model, out, report)
    return report


@click.command("integrator")
@datasets_argument
@click.option("--model", "file", type=PATH, help="Trained by this command; the shipped one.")
@click.option(
    "--share",
    default=0.4,
    type=click.FloatRange(0, 1, min_open=True),
    help="Of the passages' tokens, at most.",
)
@limit_option
@json_option
def score_integrator(
    datasets: tuple[Path, ...], file: Path | None, share: float, limit: int, as_json: bool
) -> int:
    """Tokens saved and right answers of the reader, beside the whole passages and simpler ways, on DATASET folders."""
    from core.answering.integration.model import SHIPPED, load_model
    from core.answering.models import Models
    from core.research.training.integrator_score import collect, compared, judge_of

    model, _ = load_model(file or SHIPPED)
    read, models = read_sets(datasets, limit), Models()
    found = {}
    with progress_bar(as_json) as context:
        for dataset in read:
            examples = collect(dataset, models, context)
            judge = judge_of(models.comprehension())
            found[dataset.name] = compared(examples, model, share, models.comprehension(), judge, context)
    if as_json:
        print_json({name: {way: row.record() for way, row in rows.items()} for name, rows in found.items()})
        return 0
    _print_ways({(name, way): row.record() for name, rows in found.items() for way, row in rows.items()})
    return 0


def _print_ways(ways: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """Print by question set and way: what the reader made of the text, and its rewards."""
    from core.cli.research.evaluation_tables import plain_table

    rewarded = ("relevance", "faithfulness", "conciseness")
    table = plain_table("", ("question set", "way", "questions", "right", "tokens kept", *rewarded))
    for (name, way), row in ways.items():
        rewards = (f"{row['rewards'][reward]:.3f}" for reward in rewarded)
        table.add_row(name, way, str(row["questions"]), f"{row['right']:.3f}", f"{row['kept']:.3f}", *rewards)
    terminal(width=max(110, terminal().width)).print(table)


def _print_report(report: dict[str, Any]) -> None:
    from core.cli.research.evaluation_tables import plain_table

    if holdout := report.get("held"):
        _print_ways({("kept apart", way): row for way, row in holdout.items()})
    steps = report.get("steps", [])
    if not steps:
        say("Trained by imitation alone.")
        return
    table = plain_table("", ("step", *steps[0]))
    every = max(1, len(steps) // 20)
    for number in range(0, len(steps), every):
        table.add_row(str(number + 1), *(f"{value:.3f}" for value in steps[number].values()))
    terminal(width=max(120, terminal().width)).print(table)
