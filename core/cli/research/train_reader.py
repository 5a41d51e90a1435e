"""`clew research train reader|calibration` and `score reader`: the model that reads, and how sure it may be."""

from __future__ import annotations

import errno
import json
import random
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import PATH, json_option
from core.cli.output import print_json, progress_bar, say
from core.cli.research.training import datasets_argument, limit_option, print_trained, read_sets

if TYPE_CHECKING:
    from core.models.reader_examples import Example

_SIZES: dict[str, dict[str, int]] = {
    "minilm": {},
    "mpnet": {"longest": 256, "batch": 3_072},
}  # in memory of 8 GB
_WEIGHTS = click.option("--reader", "weights", type=PATH, help="Weights of a reader; those that ship.")


@click.command("reader")
@click.argument("datasets", nargs=-1, required=True, type=PATH, metavar="DATASETS...")
@click.option("--out", required=True, type=PATH, help="Where the weights go.")
@click.option("--base", default="minilm", type=click.Choice(("minilm", "mpnet")), help="The transformer.")
@click.option("--start", type=PATH, help="Weights to go on from; those of the encoder.")
@click.option(
    "--keep",
    default=0.0,
    type=click.FloatRange(0, 1),
    help="Share of --start in the weights that are written.",
)
@click.option(
    "--epochs", default=1, type=click.IntRange(1, 100), help="Times that the data are gone through."
)
@click.option("--most", default=9_000, type=click.IntRange(1), help="Examples of one source in an epoch.")
@click.option("--cap", "caps", multiple=True, metavar="NAME=N", help="Take N examples of the file NAME only.")
@click.option(
    "--rate", default=3e-4, type=click.FloatRange(0, 1, min_open=True), help="Highest learning rate."
)
@click.option("--seed", default=7, help="The same seed, data and processor give the same reader.")
@json_option
def train_reader(
    datasets: tuple[Path, ...],
    out: Path,
    base: str,
    start: Path | None,
    keep: float,
    epochs: int,
    most: int,
    caps: tuple[str, ...],
    rate: float,
    seed: int,
    as_json: bool,
) -> int:
    """Train a reader on DATASETS: files of questions with their texts, one a line, or in the layout of SQuAD.

    Stopped and started again with the same words it goes on where it was.
    """
    from core.models.reader_network import averaged, load, save  # slow to import
    from core.research.training.reader import Plan, train

    if keep and start is None:
        raise click.UsageError("--keep goes with --start.")
    _check_place(out)
    plan = Plan(base=base, epochs=epochs, most=most, rate=rate, seed=seed, **_SIZES[base])
    state = out.with_name(f"{out.name}.training")
    with progress_bar(as_json) as context:
        trained = train(_capped(datasets, caps, seed), plan, state, context, load(start) if start else None)
    report = {
        "steps": trained.steps,
        "loss": trained.loss,
        "examples": trained.examples,
        "keep": keep,
        **asdict(plan),
    }
    weights = averaged(load(start), trained.weights, keep) if start else trained.weights
    save(weights, out, {"report": json.dumps(report)})
    shutil.rmtree(state, ignore_errors=True)  # what a stopped training goes on from

    def show() -> None:
        for name, count in trained.examples.items():
            say(f"{name:<16} {count:>7,}")
        say(f"{trained.steps:,} steps, loss {trained.loss:.3f}")

    return print_trained(out, None, report, as_json, show)


@click.command("reader")
@click.argument("file", type=PATH)
@click.option("--limit", default=0, type=click.IntRange(0), help="Questions; 0 for all.")
@_WEIGHTS
@json_option
def score_reader(file: Path, limit: int, weights: Path | None, as_json: bool) -> int:
    """Measure a reader on FILE: questions that are given with their text."""
    from core.models.reader import SMALL, Reader
    from core.research.training.reader_score import read_all

    examples = _examples([file])
    with progress_bar(as_json) as context:
        found = read_all(examples[: limit or None], Reader(weights or SMALL.weights), context)
    if as_json:
        print_json({"file": str(file), **asdict(found)})
    else:
        summary = f"{found.questions:,} questions: F1 {found.f1:.3f}, exact {found.exact:.3f}"
        here = "" if found.here_auc is None else f", told from not told: AUC {found.here_auc:.3f}"
        say(f"{summary}{here}, {found.milliseconds:.0f} ms each")
    return 0


@click.command("calibration")
@datasets_argument
@click.option("--out", required=True, type=PATH, help="Where the calibration goes.")
@click.option("--report", "report_file", type=PATH, help="Where its figures go.")
@limit_option
@_WEIGHTS
@json_option
def train_calibration(
    datasets: tuple[Path, ...],
    out: Path,
    report_file: Path | None,
    limit: int,
    weights: Path | None,
    as_json: bool,
) -> int:
    """Fit how likely an answer is right, on DATASET folders that the reader was not trained on.

    Each is judged by a fit without the folders of its family: those whose names begin alike, up to a hyphen.
    """
    from core.answering.comprehension import Comprehension, write
    from core.answering.models import Models
    from core.errors import BadInput
    from core.models.reader import SMALL, Reader
    from core.research.training.reader_score import calibrated, judged_questions

    for place in (out, *([report_file] if report_file is not None else [])):
        _check_place(place)
    read = read_sets(datasets, limit)
    models, comprehension = Models(), Comprehension(reader=Reader(weights or SMALL.weights))
    with progress_bar(as_json) as context:
        judged = {dataset.name: judged_questions(dataset, models, comprehension, context) for dataset in read}
    try:
        calibration, report = calibrated(judged)
    except ValueError as error:
        raise BadInput(
            f"Nothing can be fitted: {error}.", "Give question sets with answers, two or more."
        ) from error
    write(calibration, out)
    if report_file is not None:
        report_file.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return print_trained(out, None, report, as_json, lambda: say(json.dumps(report, indent=1)))


def _check_place(path: Path) -> None:
    """Return whether a file can be written there, found out before an hour of work. Raises BadInput."""
    from core.errors import BadInput

    probe = path.with_name(f"{path.name}.new")
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        probe.touch()
        probe.unlink()
    except OSError as fault:
        raise BadInput(f"{path} cannot be written: {fault.strerror}.", "Choose another --out.") from fault


def _capped(files: Iterable[Path], caps: Iterable[str], seed: int) -> list[Example]:
    """Cut the named files to so many examples, by chance; keep all of the others."""
    from core.errors import BadInput

    most: dict[str, int] = {}
    for cap in caps:
        name, _, number = cap.partition("=")
        if not number.isdecimal():
            raise BadInput(f"--cap {cap} names no number.", "Write it as NAME=N, such as qamr=2000.")
        most[name] = int(number)
    found: list[Example] = []
    for file in files:
        every = _examples([file])
        taken = random.Random(seed).sample(every, min(len(every), most.get(file.stem, len(every))))
        found.extend(sorted(taken, key=lambda example: example.id))
    return found


def _examples(files: Iterable[Path]) -> list[Example]:
    from core.errors import BadInput
    from core.models.reader_examples import read_examples

    found: list[Example] = []
    for file in files:
        before = len(found)
        found.extend(read_examples(file))
        if len(found) == before:
            raise BadInput(f"{file} holds no question.", "Give a reading set, a question a line.")
    return found
