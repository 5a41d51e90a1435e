"""`clew trace`: how an answer came about, kept as a file, shown, and compared with another."""

from __future__ import annotations

from pathlib import Path

import click

from core.cli.events import stoppable_progress
from core.cli.options import json_option, setting_option, workspace_argument
from core.cli.output import announce_hosts, announce_waiting, print_json, say
from core.types import SavedTrace, StageChange

_FILE = click.Path(path_type=Path)


@click.group()
def trace() -> None:
    """Keep, show and compare traces: every stage of an answer with what went in and came out."""


@trace.command()
@workspace_argument
@click.argument("question")
@click.option("--out", "target", required=True, type=_FILE, help="The JSON file to write.")
@click.option("--route", default="auto", show_default=True, help="As of clew ask.")
@click.option(
    "-k", "count", default=5, show_default=True, type=click.IntRange(1, 100), help="Passages shown."
)
@click.option("--generator", default="extractive", show_default=True, help="extractive or ollama:MODEL.")
@click.option("--replace", is_flag=True, help="Also where the file is there already.")
@setting_option
@json_option
def save(
    workspace: Path,
    question: str,
    target: Path,
    route: str,
    count: int,
    generator: str,
    replace: bool,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask QUESTION of WORKSPACE, without its private documents, and keep the trace of the answer."""
    from core.text.question_text import checked
    from core.workspace import Workspace

    question = checked(question)
    with (
        stoppable_progress(as_json) as context,
        Workspace.open(workspace, settings=settings) as opened,
        opened.public_part(context) as part,
    ):
        announce_hosts(part, generator, part.encoder.choice.encoder)
        announce_waiting(part, generator)
        record = part.traces.of(part.ask(question, context, route, count, generator=generator))
        part.write_trace(record, target, context, replace)
    if as_json:
        print_json({"path": str(target), "answer": record.answer, "stages": len(record.trace.stages)})
        return 0
    say(record.answer or "No answer.", prose=True, bold=True)
    say(f"Trace with {len(record.trace.stages)} stages in {target}.")
    return 0


@trace.command()
@click.argument("source", metavar="FILE", type=_FILE)
@json_option
def show(source: Path, as_json: bool) -> int:
    """Show the stages of the trace in FILE, of this or an older Clew."""
    from core.workspace.traces import TracesApi

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
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
@json_option
def compare(before: Path, after: Path, as_json: bool) -> int:
    """Say what changed from the trace in BEFORE to that in AFTER."""
    from core.workspace.traces import TracesApi

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


def _print_head(kept: SavedTrace) -> None:
    say(kept.trace.question, prose=True, bold=True)
    route = kept.trace.route.name
    say(f"  {kept.answer or 'No answer'}; route {route}, {kept.trace.seconds * 1000:.0f} ms", prose=True)


def _print_stage(stage: StageChange) -> None:
    details = [each.detail if each else "not run" for each in (stage.before, stage.after)]
    say(f"  {stage.name}: {details[0]} -> {details[1]}")


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _rank(value: int | None) -> str:
    return "-" if value is None else str(value)
