"""`clew reports`: what is told of the communities, by rules or by a language model."""

from __future__ import annotations

import time
from pathlib import Path

import click

from core.cli.events import stoppable_progress
from core.cli.options import json_option, setting_option, workspace_argument
from core.cli.output import announce_hosts, print_json, say
from core.text.jsonable import fields_of
from core.types import Written


@click.command()
@workspace_argument
@click.option(
    "--generator",
    default="extractive",
    show_default=True,
    help="What writes the reports: extractive (quotes, by rules) or ollama:MODEL.",
)
@click.option("--level", type=click.IntRange(1), help="Only those of one level, 1 the finest; else all.")
@click.option("--again", is_flag=True, help="Also those of which nothing changed.")
@setting_option
@json_option
def reports(
    workspace: Path,
    generator: str,
    level: int | None,
    again: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Write the reports of WORKSPACE's communities that are wanting, or whose community changed.

    A model also writes those that it did not write yet. It can be stopped, and goes on where it stood. Without a
    model what one wrote stays as long as all that it cites is there, and is marked where it is out of date.
    """
    from core.workspace import Workspace

    begin = time.monotonic()
    with Workspace.open(workspace, settings=settings) as opened:
        announce_hosts(opened, generator)
        with stoppable_progress(as_json) as context:
            found = opened.reports.write(context, generator, level=level, again=again)
    seconds = time.monotonic() - begin
    if as_json:
        print_json({**as_object(found), "generator": generator, "seconds": seconds})
    else:
        _print(found, generator, seconds)
    return 0


def as_object(found: Written) -> dict[str, object]:
    """The object that `reports --json` promises, without who wrote and how long."""
    return fields_of(found, *Written.__slots__)


def _print(found: Written, generator: str, seconds: float) -> None:
    by_rules = found.written - found.by_model
    say(
        f"{found.written:,} reports written ({found.by_model:,} by a model, {by_rules:,} by rules), "
        f"{found.kept:,} kept, {found.stale:,} out of date, {found.removed:,} removed in {seconds:.0f} s."
    )
    work = found.model
    if work.usage.calls or work.unread:
        say(
            f"{generator} said {work.statements:,} statements: {work.kept:,} told, {work.uncarried:,} dropped, which "
            f"the sentences that they name do not carry; {work.titles:,} titles of its own; {work.unread:,} replies of "
            f"no use; {work.usage.tokens_in:,} tokens in, {work.usage.tokens_out:,} out."
        )
    if not (found.written or found.kept or found.stale):
        say("There are no communities yet. Index a folder first: clew index FOLDER --workspace WORKSPACE")
