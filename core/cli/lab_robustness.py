"""`clew lab robustness`: what compositions keep when a part of the graph is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.lab_questions import asked, chosen, question_options
from core.cli.options import json_option
from core.cli.output import print_json, say, shown_progress, terminal
from core.errors import BadInput

if TYPE_CHECKING:
    from core.research.lab_robustness import Kept

_PATH = click.Path(path_type=Path)


@click.command("robustness")
@click.argument("place", metavar="WORKSPACE|SET", type=_PATH)
@question_options
@click.option(
    "--instances", default="no-12,graph,agentic", show_default=True, help="Names with commas between."
)
@click.option("--lost", default="0.1,0.2,0.4", show_default=True, help="Shares, with commas between.")
@click.option(
    "--of",
    "part",
    type=click.Choice(("nodes", "edges", "both")),
    default="both",
    show_default=True,
    help="Entities with all that hangs on them, facts, or the share of each.",
)
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1, 100), help="Losses of a share.")
@click.option("--answers", is_flag=True, help="Also tell how many answers are right.")
@click.option("--limit", type=click.IntRange(1), help="At most so many questions of each kind.")
@json_option
def robustness_lab(
    place: Path,
    questions: str | None,
    count: int,
    instances: str,
    lost: str,
    part: str,
    seeds: int,
    answers: bool,
    limit: int | None,
    as_json: bool,
) -> int:
    """Tell what compositions keep when a random part of the graph is lost, in a copy in memory; passages stay."""
    from core.research.lab_robustness import robustness

    shares = _shares(lost)
    with (
        shown_progress(as_json) as context,
        asked(place, questions, count, limit, context) as (workspace, wanted),
    ):
        compositions = chosen(instances, workspace.compositions.all())
        found = robustness(workspace, wanted, compositions, shares, context, part, seeds, answers)
    if as_json:
        rows = [{**asdict(each), "value": each.value, "share": each.share} for each in found]
        print_json({"of": part, "questions": len(wanted), "kept": rows})
        return 0
    for figure in dict.fromkeys(each.figure for each in found):
        _print(f"{figure}, {part} lost, {len(wanted):,}", [each for each in found if each.figure == figure])
    say(f"Mean of {seeds} random losses; in brackets the share of its own that each keeps.")
    return 0


def _shares(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError as error:
        raise BadInput(f"--lost cannot be {text!r}.", "Give shares such as 0.1,0.2.") from error


def _print(title: str, rows: Sequence[Kept]) -> None:
    from core.cli.research.evaluation_tables import WIDTH, plain_table

    shares = list(dict.fromkeys(each.lost for each in rows))
    table = plain_table(title, ("composition", "nothing", *(f"{share:.0%}" for share in shares)))
    for name in dict.fromkeys(each.composition for each in rows):
        own = {each.lost: each for each in rows if each.composition == name}
        table.add_row(name, f"{own[shares[0]].whole:.3f}", *(_cell(own[share]) for share in shares))
    terminal(width=WIDTH).print(table)


def _cell(kept: Kept) -> str:
    return f"{kept.value:.3f}" + ("" if kept.share is None else f" ({kept.share:.3f})")
