"""`clew lab`: ways of retrieving as compositions of parts, compared on one's own documents."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.lab_peers import ask_peers
from core.cli.lab_questions import asked, question_options
from core.cli.lab_search import search_lab
from core.cli.lab_tables import chosen, tell
from core.cli.options import json_option
from core.cli.output import print_json, say, shown_progress

_PATH = click.Path(path_type=Path)


@click.group()
def lab() -> None:
    """Every way of retrieving as a composition of parts, compared on your own documents and questions."""


lab.add_command(search_lab)
lab.add_command(ask_peers)


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
@json_option
def run_lab(
    place: Path,
    questions: str | None,
    count: int,
    instances: str,
    limit: int | None,
    jobs: int,
    out: Path | None,
    as_json: bool,
) -> int:
    """Run compositions on questions, each module once for all that share it, and tell what each found and cost."""
    import tempfile

    from core.evaluation.lab_run import run

    with (
        shown_progress(as_json) as context,
        tempfile.TemporaryDirectory() as scratch,
        asked(place, questions, count, limit, context) as (workspace, wanted),
    ):
        kept = out or Path(scratch) / "run.jsonl"
        rows = run(workspace, wanted, chosen(instances, workspace.compositions.all()), kept, context, jobs)
    return tell(rows, as_json)


@lab.command("report")
@click.argument("file", type=_PATH)
@json_option
def report(file: Path, as_json: bool) -> int:
    """Tell once more what a run that was kept says."""
    from core.lab.rows import read_run

    return tell(read_run(file), as_json)
