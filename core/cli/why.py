"""`clew why`: which stage lost a passage that a question should have found, and which change would have kept it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from itertools import count as count_from
from pathlib import Path
from typing import TYPE_CHECKING

import click

from core.cli.options import json_option, setting_option, workspace_argument
from core.cli.output import announce_hosts, print_json, say, shown_progress
from core.cli.scope import scope_of, scope_options
from core.errors import BadInput
from core.progress import TaskContext
from core.text.jsonable import fields_of
from core.types import Miss, MissChange, MissMark, MissPins, MissTrial, StepState

if TYPE_CHECKING:
    from core.workspace import Workspace

_SIGNS = {StepState.PASSED: "+", StepState.WEAK: "-", StepState.LOST: "X", StepState.UNREACHED: " "}


@click.command()
@workspace_argument
@click.argument("question")
@click.option("--passage", default="", metavar="ID", help="The passage that should have been found.")
@click.option(
    "--document", default="", metavar="PATH", help="The document or file that should have been found."
)
@click.option(
    "--quote", default="", metavar="TEXT", help="Words that should have been found, in it or anywhere."
)
@click.option("--route", default="auto", show_default=True, help="As for clew ask.")
@click.option(
    "-k", "count", default=5, show_default=True, type=click.IntRange(1, 100), help="As for clew ask."
)
@click.option("--generator", default="extractive", show_default=True, help="As for clew ask.")
@click.option(
    "--try/--no-try", "trying", default=True, help="Try the changes that may have kept it.  [default: try]"
)
@click.option(
    "--pins", "pinned", type=int, metavar="N", help="Tell what change N would do to pinned questions."
)
@click.option("--keep", type=int, metavar="N", help="Have the settings of change N hold for WORKSPACE.")
@scope_options
@setting_option
@json_option
def why(
    workspace: Path,
    question: str,
    passage: str,
    document: str,
    quote: str,
    route: str,
    count: int,
    generator: str,
    trying: bool,
    pinned: int | None,
    keep: int | None,
    kept: tuple[str, ...],
    since: str,
    until: str,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Tell which stage of QUESTION lost what should have been found in WORKSPACE, and which change would have kept it.

    Mark it by --passage, --document, --quote, or a document with a quote.
    """
    from core.workspace import Workspace

    mark = MissMark(passage, document, quote=quote)
    with Workspace.open(workspace, settings=settings) as opened, shown_progress(as_json) as context:
        announce_hosts(opened, generator, opened.encoder.choice.encoder)
        scope = scope_of(opened, kept, since, until)
        found = opened.misses.why(question, mark, context, route, count, generator, scope)
        trials: list[MissTrial] = []
        if not as_json:
            _print(found)
        if trying and pinned is None and keep is None:
            trials = opened.misses.try_all(found, context, None if as_json else _counter())
        effect = _effect(opened, found, pinned, context) if pinned is not None else None
        if keep is not None:
            opened.misses.keep(_chosen(opened, found, keep, settings=True))
    if as_json:
        print_json({**_object(found), "trials": [_trial(each) for each in trials], "pins": effect})
    else:
        _print_end(found, trials, trying, effect, keep)
    return 0


def _counter() -> Callable[[MissTrial], None]:
    """Tells each change as it was tried, with the number by which it is chosen."""
    numbers = count_from(1)

    def tell(trial: MissTrial) -> None:
        say(f"  {next(numbers)}. [{trial.outcome}] {trial.change.words}")
        say(f"     {trial.words}", prose=True)

    return tell


def _chosen(opened: Workspace, found: Miss, number: int, settings: bool = False) -> MissChange:
    """Raises BadInput for no such change, or for one that is none of settings where that is wanted."""
    every = opened.misses.changes(found)
    if not 1 <= number <= len(every):
        raise BadInput(f"There is no change {number}.", "Choose a number that `clew why` tells.")
    change = every[number - 1]
    if settings and not change.settings:
        raise BadInput("This change is no setting.", _by_hand(change))
    return change


def _by_hand(change: MissChange) -> str:
    """What a person does to have it hold."""
    if change.names:
        return f"Give the name: clew names WORKSPACE ENTITY --alias {shlex.quote(change.names.value)}"
    if change.read_again:
        return "Index again: clew retry WORKSPACE, then clew index FOLDER --workspace WORKSPACE."
    if change.unscoped:
        return "Ask without --in, --since and --until."
    return "Ask so: " + " ".join(
        filter(
            None, (f"--route {change.route}" if change.route else "", f"-k {change.k}" if change.k else "")
        )
    )


def _print(found: Miss) -> None:
    say(" ".join(filter(None, (found.words, found.said))), prose=True, bold=True)
    if found.document:
        say(f"Marked, in {found.document}: {found.quote}", prose=True)
    for step in found.steps:
        say(f"  {_SIGNS[step.state]} {step.stage.value:<12} {step.figure:>10}  {step.words}", prose=True)
    if found.answer is not None:
        answer_text = found.answer.text or "no answer"
        say(f"The answer: {' '.join(answer_text.split())} ({found.answer.confidence:.0%})", prose=True)


def _print_end(
    found: Miss, trials: Sequence[MissTrial], trying: bool, effect: MissPins | None, keep: int | None
) -> None:
    if trying and found.lost is not None and not trials and effect is None and keep is None:
        say("No change is known that would help.")
    if effect is not None:
        sums = ", ".join(f"{effect.count(name)} {name}" for name in ("better", "worse", "changed"))
        moved = f", {moved} the same from other passages" if (moved := effect.count("same")) else ""
        say(f"Pinned questions: {sums}{moved}, {effect.same} the same, of {effect.total}.")
        for pin in effect.affected:
            change = pin.change
            before = change.before.answer if change.before else ""
            say(
                f"  {change.outcome}: {change.now.question}: {before or '-'} -> {change.now.answer or '-'}",
                prose=True,
            )
    if keep is not None:
        say("Kept: it holds for this workspace from now on.")


def _object(found: Miss) -> dict[str, object]:
    names = ("question", "route", "k", "generator", "mark", "lost", "words", "steps")
    answer = found.answer.text if found.answer else ""
    rest = fields_of(found, "passage_id", "document", "quote", "standing")
    return {**fields_of(found, *names), **rest, "answer": answer}


def _trial(trial: MissTrial) -> dict[str, object]:
    fields = fields_of(trial, "change", "outcome", "rank_before", "rank", "words", "seconds")
    return {**fields, "answer": trial.answer.text if trial.answer else ""}


def _effect(opened: Workspace, found: Miss, number: int, context: TaskContext) -> MissPins:
    return opened.misses.effect_on_pins(_chosen(opened, found, number), context)
