"""`clew integrate`: train the part that distils what was retrieved, look at its training, and measure it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import json_option
from core.cli.output import print_json, say, shown_progress, terminal
from core.errors import BadInput

if TYPE_CHECKING:
    from core.evaluation.datasets import Dataset


@click.group()
def integrate() -> None:
    """Knowledge integration: what was retrieved, distilled into few sentences with their places."""


@integrate.command()
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option("--steps", default=60, type=click.IntRange(0, 10_000), help="Steps of learning by rewards.")
@click.option("--static", is_flag=True, help="Leave the weights of the rewards as they are.")
@click.option("--printed", is_flag=True, help="Take equation 5 of the paper to the letter, which unlearns.")
@click.option("--limit", default=100, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@click.option("--seed", default=7, help="The same seed, data and processor give the same model.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the model goes.")
@json_option
def train(
    datasets: tuple[Path, ...],
    steps: int,
    static: bool,
    printed: bool,
    limit: int,
    seed: int,
    out: Path,
    as_json: bool,
) -> int:
    """Train on DATASET folders: first by what the reader answers from, then by the rewards of DW-GRPO."""
    from core.answering.integration.model import save_model
    from core.answering.integration.policy import Plan
    from core.evaluation.integrating import collect, judge_of
    from core.evaluation.integrator_training import train as learn
    from core.models import Models

    if out.suffix != ".safetensors" or not out.parent.is_dir():
        raise BadInput(
            f"{out} is no place for a model.", "Let --out end in .safetensors, in a folder that exists."
        )
    read, models = _read(datasets, limit), Models()
    plan = Plan(steps=steps, dynamic=not static, printed=printed, seed=seed)
    with shown_progress(as_json) as context:
        examples = [example for dataset in read for example in collect(dataset, models, context)]
        try:
            comprehension = models.comprehension
            trained = learn(examples, comprehension, judge_of(comprehension), plan, context)
        except ValueError as error:
            raise BadInput(str(error), "Train on questions for which something is found.") from error
    save_model(trained.model, out, trained.report)
    if as_json:
        print_json({"model": str(out), **json.loads(trained.report)})
    else:
        _tell(json.loads(trained.report))
        say(f"Written: {out}")
    return 0


@integrate.command()
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def show(file: Path, as_json: bool) -> int:
    """Rewards and their weights by step, as FILE was trained."""
    from core.answering.integration.model import load_model

    report = json.loads(load_model(file)[1])
    if as_json:
        print_json({"model": str(file), **report})
    else:
        _tell(report)
    return 0


@integrate.command("eval")
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DATASET...")
@click.option(
    "--model", "file", type=click.Path(path_type=Path), help="Trained by this command; the shipped one."
)
@click.option(
    "--share",
    default=0.4,
    type=click.FloatRange(0, 1, min_open=True),
    help="Of the passages' tokens, at most.",
)
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions of each kind; 0 for all.")
@json_option
def evaluate(datasets: tuple[Path, ...], file: Path | None, share: float, limit: int, as_json: bool) -> int:
    """Tokens saved and right answers of the reader, beside the whole passages and simpler ways, on DATASET folders."""
    from core.answering.integration.model import SHIPPED, load_model
    from core.evaluation.integrating import collect, compared, judge_of
    from core.models import Models

    model, _ = load_model(file or SHIPPED)
    read, models = _read(datasets, limit), Models()
    found = {}
    with shown_progress(as_json) as context:
        for dataset in read:
            examples = collect(dataset, models, context)
            judge = judge_of(models.comprehension)
            found[dataset.name] = compared(examples, model, share, models.comprehension, judge, context)
    if as_json:
        print_json({name: {way: asdict(row) for way, row in rows.items()} for name, rows in found.items()})
        return 0
    from rich.table import Table

    rewarded = ("relevance", "faithfulness", "conciseness")
    table = Table("question set", "way", "questions", "right", "tokens kept", *rewarded)
    for name, ways in found.items():
        for way, row in ways.items():
            rewards = (f"{value:.3f}" for value in row.rewards.values())
            table.add_row(name, way, str(row.questions), f"{row.right:.3f}", f"{row.kept:.3f}", *rewards)
    terminal(width=max(110, terminal().width)).print(table)
    return 0


def _read(datasets: tuple[Path, ...], limit: int) -> list[Dataset]:
    from core.evaluation.datasets import read_corpus

    return [read_corpus(folder, limit) for folder in datasets]


def _tell(report: dict[str, list[dict[str, float]]]) -> None:
    from rich.table import Table

    steps = report.get("steps", [])
    if not steps:
        say("Trained by imitation alone.")
        return
    table = Table("step", *steps[0])
    every = max(1, len(steps) // 20)
    for number in range(0, len(steps), every):
        table.add_row(str(number + 1), *(f"{value:.3f}" for value in steps[number].values()))
    terminal(width=max(120, terminal().width)).print(table)
