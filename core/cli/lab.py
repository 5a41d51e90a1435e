"""`clew lab`: ways of retrieving as compositions of parts, compared on one's own documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.events import Control, Events
from core.cli.lab_questions import asked, chosen, question_options
from core.cli.lab_robustness import robustness_lab
from core.cli.lab_search import search_lab
from core.cli.options import json_option
from core.cli.output import print_json, say, shown_progress, terminal
from core.errors import CoreError
from core.progress import Cancelled, TaskContext

if TYPE_CHECKING:
    from core.lab.figures import LabFigures
    from core.lab.rows import LabRow

_PATH = click.Path(path_type=Path)
_QUALITY = ("recall@2", "recall@5", "all@5", "quote recall@5", "reach", "precision", "exact", "f1", "right")
_SIZES = ("entities", "facts", "paths", "tokens", "scored_tokens")
_MODULES = ("subgraph", "pruning", "paths", "all")


@click.group()
def lab() -> None:
    """Every way of retrieving as a composition of parts, compared on your own documents and questions."""


lab.add_command(search_lab)
lab.add_command(robustness_lab)


@lab.command("list")
@json_option
def list_compositions(as_json: bool) -> int:
    """List the compositions that Clew comes with, and what each is taken from."""
    from core.retrieval.compositions import shipped_compositions

    found = shipped_compositions()
    if as_json:
        print_json({"compositions": found})
        return 0
    for name, each in found.items():
        needs = "; needs a language model" if each.needs_model else ""
        say(f"{name:<20} {each.group:<6} {each.source}{needs}")
    return 0


@lab.command("run")
@click.argument("place", metavar="WORKSPACE|SET", type=_PATH)
@question_options
@click.option(
    "--instances", default="all", show_default=True, help="Names with commas between; all that need no model."
)
@click.option("--limit", type=click.IntRange(1), help="At most so many questions of each kind.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 64), help="Questions at once.")
@click.option("--out", type=_PATH, help="Keep every row here; a run that was stopped goes on from there.")
@click.option(
    "--events", is_flag=True, hidden=True, help="Tell progress as lines of JSON; read words on stdin."
)
@json_option
def run_lab(
    place: Path,
    questions: str | None,
    count: int,
    instances: str,
    limit: int | None,
    jobs: int,
    out: Path | None,
    events: bool,
    as_json: bool,
) -> int:
    """Run compositions on questions, each module once for all that share it, and tell what each found and cost."""
    import tempfile

    from core.evaluation.lab_run import run

    def rows(context: TaskContext) -> list[LabRow]:
        with (
            tempfile.TemporaryDirectory() as scratch,
            asked(place, questions, count, limit, context) as (workspace, wanted),
        ):
            kept = out or Path(scratch) / "run.jsonl"
            return run(
                workspace, wanted, chosen(instances, workspace.compositions.all()), kept, context, jobs
            )

    if events:
        return _with_events(rows)
    with shown_progress(as_json) as context:
        found = rows(context)
    return _tell(found, as_json)


def _with_events(rows: Callable[[TaskContext], object]) -> int:
    """For the window, which reads the rows where they are kept."""
    events, control = Events(), Control()
    control.catch_signals()
    control.listen()
    try:
        rows(TaskContext(events.progress, control.cancelled))
    except Cancelled as stop:
        events.cancelled(str(stop))
        return 1
    except CoreError as error:
        events.failed(error)
        return 1
    events.finished()
    return 0


@lab.command("report")
@click.argument("file", type=_PATH)
@json_option
def report(file: Path, as_json: bool) -> int:
    """Tell once more what a run that was kept says."""
    from core.lab.rows import read_run

    return _tell(read_run(file), as_json)


def _tell(rows: Sequence[LabRow], as_json: bool) -> int:
    from core.lab.figures import kinds, summarised

    groups = {"": summarised(rows)}
    if len(found := kinds(rows)) > 1:
        groups |= {kind: summarised(rows, kind) for kind in found}
    if as_json:
        print_json({"compositions": groups.pop(""), "kinds": groups})
        return 0
    for kind, figures in groups.items():
        _tables(kind or "all questions", figures)
    say(
        "±: 95 % confidence, bootstrap over the questions; *: p < 0.05 against the first row. Milliseconds: medians. "
        "Peak: memory above what was held before, for 95 of 100 questions; not known where questions run at once."
    )
    return 0


def _tables(title: str, rows: Sequence[LabFigures]) -> None:
    from core.cli.evaluation_tables import WIDTH, plain_table

    if not rows:
        return
    heading = f"{title}, {rows[0].questions:,}"
    shown = [name for name in _QUALITY if any(name in row.figures for row in rows)]
    found = plain_table(heading, ("composition", *shown))
    sizes = (name.replace("_", " ") for name in _SIZES)
    cost = plain_table("what it cost", ("composition", *sizes, "peak MB"))
    times = plain_table("milliseconds", ("composition", *_MODULES))
    for row in rows:
        found.add_row(row.composition, *(_cell(row, name) for name in shown))
        peak = "" if row.peak is None else f"{row.peak / 1e6:,.1f}"
        cost.add_row(row.composition, *(f"{getattr(row, name):,.0f}" for name in _SIZES), peak)
        spent = (f"{row.seconds[name] * 1000:.1f}" if name in row.seconds else "" for name in _MODULES)
        times.add_row(row.composition, *spent)
    for table in (found, cost, times):
        terminal(width=WIDTH).print(table)


def _cell(row: LabFigures, name: str) -> str:
    if (value := row.figures.get(name)) is None:
        return ""
    cell = f"{value:.3f}"
    if name == "recall@5":
        cell += f" ±{(row.sure.high - row.sure.low) / 2:.3f}" + ("*" if row.against < 0.05 else " ")
    return cell
