"""`clew trace` and `clew pack`: the files that `clew ask --trace` and `clew ask --pack` write."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.options import PATH, json_option
from core.cli.output import print_json, say
from core.types import SavedTrace, StageChange


@click.group()
def trace() -> None:
    """Show and compare traces: every stage of an answer with its input and output. `clew ask --trace` writes them."""


@trace.command()
@click.argument("source", metavar="FILE", type=PATH)
@json_option
def show(source: Path, as_json: bool) -> int:
    """Print the stages of the trace in FILE, written by this or an older Clew."""
    from core.workspace.answers import TracesApi

    record = TracesApi.read(source)
    if as_json:
        print_json(record)
        return 0
    _print_head(record)
    for stage in record.trace.stages:
        counts = getattr(stage.data, "count", None)
        took = f" ({stage.data.taken} of {counts} taken)" if counts is not None else ""  # type: ignore[union-attr]
        say(f"{stage.seconds * 1000:>9.1f} ms  {stage.name:<14}  {stage.detail}{took}".rstrip())
    for name in record.ignored:
        say(f"Not known to this Clew, left out: {name}.")
    return 0


@trace.command()
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@json_option
def compare(before: Path, after: Path, as_json: bool) -> int:
    """Print what changed from the trace in BEFORE to the one in AFTER."""
    from core.workspace.answers import TracesApi

    found = TracesApi.compare(TracesApi.read(before), TracesApi.read(after))
    if as_json:
        print_json(found)
        return 0
    for record in (found.before, found.after):
        _print_head(record)
    for weight in found.weights:
        say(f"  weight of {weight.name}: {_figure(weight.before)} to {_figure(weight.after)}")
    for seed in found.seeds:
        if seed.before is None or seed.after is None:
            say(f"  seed {'gained' if seed.before is None else 'lost'}: {seed.name}")
    for passage in found.passages:
        if passage.before != passage.after:
            title = passage.label.title if passage.label else passage.passage_id
            say(f"  {_rank(passage.before):>4} to {_rank(passage.after):<4}  {title}")
    for stage in found.stages:
        if stage.changed:
            _print_stage(stage)
    return 0


def _print_head(saved: SavedTrace) -> None:
    say(saved.trace.question, prose=True, bold=True)
    route = saved.trace.route.name
    say(f"  {saved.answer or 'No answer'}; route {route}, {saved.trace.seconds * 1000:.0f} ms", prose=True)


def _print_stage(stage: StageChange) -> None:
    details = [each.detail if each else "not run" for each in (stage.before, stage.after)]
    say(f"  {stage.name}: {details[0]} -> {details[1]}")


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _rank(value: int | None) -> str:
    return "-" if value is None else str(value)


@click.group()
def pack() -> None:
    """Check evidence packs: an answer with its passages, pages and documents. `clew ask --pack` writes them."""


@pack.command()
@click.argument("source", metavar="FILE", type=PATH)
@click.option("--workspace", type=PATH, help="Also check whether its documents are still as packed.")
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="FINGERPRINT",
    help="A key you trust besides your own; may be repeated.",
)
@json_option
def verify(source: Path, workspace: Path | None, keys: tuple[str, ...], as_json: bool) -> int:
    """Find any change in the pack FILE since it was written.

    The exit code is 1 if there is one, if the key is unknown, or, with --workspace, if documents changed.
    """
    from core.workspace import Workspace

    checks = Workspace.verify_pack(source.expanduser(), keys)
    if workspace is not None and all(check.ok or check.name == "key" for check in checks):
        with Workspace.open(workspace, read_only=True) as opened:
            checks += opened.compare_pack(source.expanduser())
    ok = all(check.ok for check in checks)
    if as_json:
        print_json({"ok": ok, "checks": checks})
        return 0 if ok else 1
    for check in checks:
        say(f"{'ok' if check.ok else 'FAIL':<6}  {check.name}: {check.detail}")
        if not check.ok:
            say(f"        {check.remedy}")
    return 0 if ok else 1
