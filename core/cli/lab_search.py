"""`clew lab search`: which composition suits one's own documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.lab_questions import asked, question_options
from core.cli.options import json_option
from core.cli.output import print_json, say, shown_progress

if TYPE_CHECKING:
    from core.research.lab_search import Found
    from core.retrieval.compositions import Composition

_PATH = click.Path(path_type=Path)
_SHOWN = 5


@click.command("search")
@click.argument("place", metavar="WORKSPACE|SET", type=_PATH)
@question_options
@click.option(
    "--method", type=click.Choice(("grid", "random", "halving")), default="halving", show_default=True
)
@click.option(
    "--seconds", type=click.FloatRange(1), default=300.0, show_default=True, help="To choose in, at most."
)
@click.option(
    "--evaluations",
    type=click.IntRange(1),
    help="One composition on one question, at most so many: repeats to the last digit, if the seconds suffice.",
)
@click.option(
    "--half",
    type=click.Choice(("first", "second")),
    default="first",
    show_default=True,
    help="Which half of the questions chooses; the other one judges.",
)
@click.option("--seed", type=int, default=7, show_default=True)
@click.option("--limit", type=click.IntRange(1), help="At most so many questions of each kind.")
@json_option
def search_lab(
    place: Path,
    questions: str | None,
    count: int,
    method: str,
    seconds: float,
    evaluations: int | None,
    half: str,
    seed: int,
    limit: int | None,
    as_json: bool,
) -> int:
    """Search compositions for the one that suits these documents best, and say whether the default route does."""
    from core.research.lab_search import search

    with (
        shown_progress(as_json) as context,
        asked(place, questions, count, limit, context) as (workspace, wanted),
    ):
        found = search(workspace, wanted, context, method, seconds, evaluations or 0, seed, half == "second")
    return _tell(found, as_json)


def _tell(found: Found, as_json: bool) -> int:
    from core.research.lab_search import FIGURE
    from core.retrieval.compositions import as_toml

    toml = as_toml("found", found.composition)
    if as_json:
        print_json({"found": found, "toml": toml, "verdict": found.verdict})
        return 0
    stopped = ", when the time was up" if found.stopped else ""
    say(f"{found.evaluations:,} evaluations in {found.seconds:,.0f} s{stopped}. Best on the half that chose:")
    for each in found.tried[:_SHOWN]:
        say(
            f"  {FIGURE} {each.figure:.3f}, mrr {each.ties:.3f}, {each.questions} questions: {_parts(each.composition)}"
        )
    off = found.difference
    say(f"On the {found.held_out} questions that took no part in choosing, {FIGURE}:")
    say(f"  found {found.winner:.3f}, default graph route {found.default:.3f},")
    say(f"  difference {off.value:+.3f} (95 %: {off.low:+.3f} to {off.high:+.3f}, p {off.p:.3f}).")
    say(found.verdict)
    for line in ("", *toml.splitlines()):
        say(line)
    return 0


def _parts(composition: Composition) -> str:
    """In one line, without what plays no role."""
    from core.retrieval.compositions import PATHS

    if composition.rank != (PATHS,):
        second = ["second stage"] * composition.second_stage
        return ", ".join((" and ".join(composition.rank), *second, *composition.settings))
    pruning, paths, mapping = composition.pruning, composition.paths, composition.mapping
    parts = [composition.subgraph.kind]
    parts += [] if pruning.kind == "none" else [f"{pruning.kind} by {pruning.scorer}"]
    parts += [paths.kind if paths.kind == "shortest" else f"{paths.kind} by {paths.scorer}"]
    parts += [f"weights {mapping.facts:g} {mapping.entities:g} {mapping.dense:g}"]
    return ", ".join(parts + ["second stage"] * composition.second_stage)
