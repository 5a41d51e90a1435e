"""`clew research train integrator`: train the part that distils what was retrieved, and measure it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from core.cli.events import Events, with_events
from core.cli.lab_questions import asked, question_options
from core.cli.options import PATH, json_option
from core.cli.output import print_json, progress_bar, say, terminal
from core.cli.research.training import datasets_argument, limit_option, print_trained, read_sets
from core.errors import BadInput
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.research.training.dw_grpo import Plan, Step


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
    judge = judge_of(models.comprehension)
    try:
        trained = learn(learned, models.comprehension, judge, plan, context, on_step=on_step)
    except ValueError as error:
        raise BadInput(str(error), "Train on questions for which something is found.") from error
    report = trained.report
    if holdout:
        report = with_figures(
            report, compared(holdout, trained.model, SHARE, models.comprehension, judge, context)
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
            judge = judge_of(models.comprehension)
            found[dataset.name] = compared(examples, model, share, models.comprehension, judge, context)
    if as_json:
        print_json({name: {way: row.record() for way, row in rows.items()} for name, rows in found.items()})
        return 0
    _print_ways({(name, way): row.record() for name, rows in found.items() for way, row in rows.items()})
    return 0


def _print_ways(ways: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """By question set and way: what the reader made of the text, and its rewards."""
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
