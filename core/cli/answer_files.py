"""`clew trace` and `clew pack`: the files that `clew ask --trace` and `clew ask --pack` write."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.options import PATH, json_option, replace_option, workspace_argument
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
@workspace_argument
@click.argument("thread", required=False, type=int)
@click.option("--name", help="Give THREAD this name.")
@click.option("--out", type=PATH, help="Write THREAD to this Markdown file, without private documents.")
@replace_option
@json_option
def threads(
    workspace: Path, thread: int | None, name: str | None, out: Path | None, replace: bool, as_json: bool
) -> int:  # fmt: skip
    """List the threads of questions in WORKSPACE, or the questions of THREAD with their short answers.

    `clew ask --follow --thread THREAD` goes on with one.
    """
    from core.workspace import Workspace

    if thread is None and (name is not None or out is not None):
        raise click.UsageError("--name and --out need THREAD.")
    with Workspace.open(workspace) as opened:
        if thread is None:
            found = opened.threads.all()
            if as_json:
                print_json({"threads": found})
                return 0
            if not found:
                say("No question was asked yet.")
            for each in found:
                say(f"{each.id:>4}  {each.created[:10]}  {each.turns:>3}  {each.name}", prose=True)
            return 0
        record = opened.threads.get(thread) if name is None else opened.threads.rename(thread, name)
        turns = opened.threads.public_turns(thread) if out is not None else opened.threads.turns(thread)
        if out is not None:
            opened.threads.export(thread, out, replace)
    if as_json:
        print_json({"thread": record, "turns": turns})
        return 0
    say(record.name, prose=True, bold=True)
    for turn in turns:
        say(f"{turn.number:>4}. {turn.question}", prose=True)
        say(f"      {' '.join(turn.answer.split()) or 'No answer'}", prose=True)
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
