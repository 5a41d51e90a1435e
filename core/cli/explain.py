"""`clew ask --explain`: the stage that lost a passage, and the change that would have found it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from itertools import count as count_from
from typing import TYPE_CHECKING

import click

from core.cli.output import print_json, progress_bar, say
from core.errors import BadInput
from core.text.jsonable import fields_of
from core.types import Miss, MissChange, MissMark, MissTrial, Scope, StepState

if TYPE_CHECKING:
    from core.workspace import Workspace

_SIGNS = {StepState.PASSED: "+", StepState.WEAK: "-", StepState.LOST: "X", StepState.UNREACHED: " "}


def explain(
    opened: Workspace,
    query: tuple[str, str, int, str, Scope],
    targets: Sequence[str],
    no_try: bool,
    keep: int | None,
    as_json: bool,
) -> int:
    """Print which stage of a question lost `targets`, and try the changes that may find it, or keep one of them.

    `query`: question, route, number of passages, generator and scope.
    """
    question, route, k, generator, scope = query
    trials: list[MissTrial] = []
    with progress_bar(as_json) as context:
        found = opened.misses.why(question, _mark(targets), context, route, k, generator, scope)
        if not as_json:
            _print(found)
        if keep is not None:
            opened.misses.keep(_pick_change(opened, found, keep))
        elif not no_try:
            trials = opened.misses.try_all(found, context, None if as_json else _counter())
    if as_json:
        print_json({**_object(found), "trials": [_trial(each) for each in trials]})
    elif keep is not None:
        say("Kept: it holds for this workspace from now on.")
    elif found.lost is not None and not trials and not no_try:
        say("No change is known that would help.")
    return 0


def _mark(targets: Sequence[str]) -> MissMark:
    """Return the mark that the values of --explain mean."""
    marks: dict[str, str] = {}
    for what in targets:
        kind, _, value = what.partition(":")
        name = {"passage": "passage_id", "text": "quote"}.get(kind, "document")
        if name in marks or marks and "passage_id" in (name, *marks):
            raise click.UsageError("Give --explain one document, one passage:ID, or one text:WORDS.")
        marks[name] = what if name == "document" else value
    return MissMark(**marks)  # type: ignore[arg-type]


def _counter() -> Callable[[MissTrial], None]:
    """Return what prints each change as it was tried, with the number by which it is chosen."""
    numbers = count_from(1)

    def show(trial: MissTrial) -> None:
        say(f"  {next(numbers)}. [{trial.outcome}] {trial.change.words}")
        say(f"     {trial.words}", prose=True)

    return show


def _pick_change(opened: Workspace, found: Miss, number: int) -> MissChange:
    """Raise BadInput for a number that no change has, or whose change is not a setting."""
    every = opened.misses.changes(found)
    if not 1 <= number <= len(every):
        raise BadInput(
            f"There is no change {number}.", "Choose a number that is printed without --keep and --no-try."
        )
    change = every[number - 1]
    if not change.settings:
        raise BadInput("This change is not a setting.", _by_hand(change))
    return change


def _by_hand(change: MissChange) -> str:
    """Return what a person does to make the change."""
    if change.names:
        return f"Give the name: clew names alias WORKSPACE ENTITY {shlex.quote(change.names.value)}"
    if change.read_again:
        return "Index again: clew index --workspace WORKSPACE --retry."
    if change.unscoped:
        return "Ask without --in, --since and --until."
    options = (f"--route {change.route}" if change.route else "", f"-k {change.k}" if change.k else "")
    return "Ask so: " + " ".join(filter(None, options))


def _print(found: Miss) -> None:
    say(" ".join(filter(None, (found.words, found.reason))), prose=True, bold=True)
    if found.document and found.quote:
        say(f"Marked, in {found.document}: {found.quote}", prose=True)
    for step in found.steps:
        say(f"  {_SIGNS[step.state]} {step.stage.value:<12} {step.figure:>10}  {step.words}", prose=True)
    if found.answer is not None:
        answer_text = found.answer.text or "no answer"
        say(f"The answer: {' '.join(answer_text.split())} ({found.answer.confidence:.0%})", prose=True)


def _object(found: Miss) -> dict[str, object]:
    names = ("question", "route", "k", "generator", "mark", "lost", "words", "steps")
    answer = found.answer.text if found.answer else ""
    rest = {**fields_of(found, "passage_id", "document", "quote"), "standing": found.ranks}
    return {**fields_of(found, *names), **rest, "answer": answer}


def _trial(trial: MissTrial) -> dict[str, object]:
    fields = fields_of(trial, "change", "outcome", "rank_before", "rank", "words", "seconds")
    return {**fields, "answer": trial.answer.text if trial.answer else ""}
