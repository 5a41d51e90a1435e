"""`clew status`: what a workspace holds."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from core.cli.options import json_option, workspace_argument
from core.cli.output import print_json, say
from core.types import Failure, Status


@click.command()
@workspace_argument
@click.option(
    "--failures", is_flag=True, help="Only list what failed, with the stage and what parser or model said."
)
@json_option
def status(workspace: Path, failures: bool, as_json: bool) -> int:
    """Print counts of WORKSPACE, what failed, what is pending, and digests of its content and of what is derived."""
    from core.workspace import Workspace

    if failures:
        with Workspace.open(workspace, read_only=True) as opened:
            return _list_failures(opened.documents.failures(), as_json)
    with Workspace.open(workspace, read_only=True) as opened:
        found = opened.status()
        failed = [d for d in opened.documents.all() if d.reason]
        explained = opened.answers.explanation_sums()
        folder, origin, encoder = opened.folder, opened.origin, opened.encoder
    if as_json:
        trusted = origin is None or origin.trusted
        print_json({**as_object(found), "trusted": trusted, "encoder": encoder, "explanations": explained})
        return 0
    say(f"Workspace {workspace}" + (f" of {folder}" if folder else ""))
    if origin is not None and not origin.trusted:
        say(
            f"Not trusted. {origin.words} Nothing is written to it before: clew trust {shlex.quote(str(workspace))}"
        )
    for name in ("documents", "passages", "entities", "facts", "triples", "communities", "failed", "pending"):
        say(f"  {name:<12} {getattr(found, name):>9,}")
    say(f"  encoder      {encoder.model}, {encoder.dimension} dimensions")
    say(f"  digest       {found.digest}")
    say(f"  derived      {found.derived_digest}")
    if explained.count:
        say(
            f"  explanations {explained.count:,} judged, {explained.supporting:,} support the answer; "
            f"of {explained.chains:,} by chains of facts {explained.chains_supporting:,}"
        )
    if found.unfinished:
        say(
            "Not finished: what changed, or was taken out, is still to be worked into the graph. To go on: "
            f"clew index {shlex.quote(str(folder)) if folder else 'FOLDER'} --workspace {shlex.quote(str(workspace))}"
        )
    for document in failed:
        say(f"Not read: {document.path}: {document.reason} {document.remedy}")
    return 0


def _list_failures(failures: Sequence[Failure], as_json: bool) -> int:
    if as_json:
        print_json({"failures": failures})
        return 0
    for failure in failures:
        say(f"{failure.path} ({failure.stage}): {failure.reason} {failure.remedy}".rstrip())
        for line in failure.raw.split("\n") if failure.raw else ():
            say(f"    {line}", prose=True)
    if not failures:
        say("Nothing failed.")
    return 0


def as_object(found: Status) -> dict[str, object]:
    """Return the object of `status --json`, without whether it is trusted."""
    return {name: getattr(found, name) for name in Status.__slots__}
