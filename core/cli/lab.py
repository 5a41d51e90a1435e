"""`clew lab`: ways of retrieving as compositions of parts, compared on one's own documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.events import Events, with_events
from core.cli.lab_questions import asked, chosen, question_options
from core.cli.lab_robustness import robustness_lab
from core.cli.lab_search import search_lab
from core.cli.lab_tables import tell
from core.cli.options import json_option, setting_option
from core.cli.output import print_json, say, shown_progress
from core.progress import TaskContext

if TYPE_CHECKING:
    from core.lab.rows import LabRow

_PATH = click.Path(path_type=Path)


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
@click.option(
    "--jobs",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Questions at once; memory is measured at one.",
)
@click.option("--out", type=_PATH, help="Keep every row here; a run that was stopped goes on from there.")
@click.option(
    "--events", is_flag=True, hidden=True, help="Tell progress as lines of JSON; read words on stdin."
)
@setting_option
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
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run compositions on questions, each module once for all that share it, and tell what each found and cost."""
    import tempfile

    from core.research.lab_run import run

    def rows(context: TaskContext) -> list[LabRow]:
        with (
            tempfile.TemporaryDirectory() as scratch,
            asked(place, questions, count, limit, context, settings) as (workspace, wanted),
        ):
            run_path = out or Path(scratch) / "run.jsonl"
            return run(
                workspace, wanted, chosen(instances, workspace.compositions.all()), run_path, context, jobs
            )

    if events:
        return with_events(Events(), rows)
    with shown_progress(as_json) as context:
        found = rows(context)
    return tell(found, as_json)


@lab.command("report")
@click.argument("file", type=_PATH)
@json_option
def report(file: Path, as_json: bool) -> int:
    """Tell once more what a run that was kept says."""
    from core.lab.rows import read_run

    return tell(read_run(file), as_json)
