"""`clew index`: bring a workspace in line with a folder."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from core.cli.events import Control, Events
from core.cli.output import print_json, say, shown_progress
from core.errors import CoreError
from core.progress import Cancelled, TaskContext
from core.text.translation import tr, trn
from core.types import Changed, Document, ModelWork, State, Status

_DIGESTS = ("digest", "derived_digest", "derived")  # they take a while, and `clew status` tells them


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--workspace", "-w", type=click.Path(path_type=Path), required=True, help="Where the index is kept."
)
@click.option(
    "--extractor",
    default="",
    help="What finds names and triples: rules, ollama:MODEL or mixed:MODEL; the last one used, at first rules.",
)
@click.option(
    "--executor",
    default="",
    envvar="CLEW_EXECUTOR",
    metavar="ray[:ADDRESS]",
    help="Who reads, extracts and encodes: this machine, or the nodes of a Ray cluster; see docs/cluster.md.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another setting, kept unless the run fails: models.window=8192; `clew settings` lists them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
@click.option(
    "--events", is_flag=True, hidden=True, help="Tell every step as a line of JSON; read words on stdin."
)
def index(
    folder: Path,
    workspace: Path,
    extractor: str,
    executor: str,
    settings: tuple[str, ...],
    as_json: bool,
    events: bool,
) -> int:
    """Read FOLDER and build its graph; only what changed is done again."""
    control = Control()
    control.catch_signals()
    run = partial(_run, folder, workspace, extractor, executor, settings)
    if events:
        return _with_events(run, control)
    begin = time.monotonic()
    failed: dict[str, Document] = {}

    def note(document: Document) -> None:
        if document.state is State.FAILED:
            failed[document.path] = document

    with shown_progress(as_json, control.cancelled) as context:
        status, model_work = run(context, None, note)
    if as_json:
        problems = [{"path": d.path, "reason": d.reason, "remedy": d.remedy} for d in failed.values()]
        seconds = {"seconds": time.monotonic() - begin}
        print_json({**_counts(status), **seconds, "problems": problems, "model": model_work})
    else:
        _print(status, list(failed.values()), time.monotonic() - begin)
        if model_work is not None:
            _print_model(model_work, workspace)
    return int(_nothing_read(status))


def _run(
    folder: Path,
    workspace: Path,
    extractor: str,
    executor: str,
    settings: Sequence[str],
    context: TaskContext,
    growth: object,
    note: object,
    on_change: Callable[[Changed], None] | None = None,
) -> tuple[Status, ModelWork | None]:
    """Counts afterwards, and what a language model had to do with them."""
    from core.config import INDEXING, Config, with_settings
    from core.workspace import Workspace

    with_settings(Config(), settings, INDEXING)  # what cannot be set is told before a workspace is made
    with Workspace.open(workspace, create=True) as opened:
        if opened.counts().passages:  # nobody looks yet at what a first run changes
            opened.tell_changes(on_change)
        calls = (context, growth, note, extractor)
        status = opened.index(folder, *calls, settings=settings, digest=False, executor=executor)  # type: ignore[arg-type]
        return status, opened.language_models.said()


def _with_events(run: Callable[..., tuple[Status, ModelWork | None]], control: Control) -> int:
    events = Events()
    control.listen()
    context = TaskContext(events.progress, control.cancelled)
    try:
        status, _ = run(context, events.growth, events.document, events.changed)
    except Cancelled as stop:
        events.cancelled(str(stop))
        return 0
    except CoreError as error:
        events.failed(error)
        return 1
    events.finished(status)
    return 0


def _print_model(said: ModelWork, workspace: Path) -> None:
    usage = said.usage
    say(
        f"{said.model} read {said.passages:,} passages: {usage.calls:,} calls, "
        f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out, {usage.seconds:,.0f} s in calls; "
        f"{said.rejected:,} names and triples rejected, which their passages do not hold."
    )
    if said.failed:
        say(
            f"{said.failed:,} passages were put aside. See why: clew retry {shlex.quote(str(workspace))} --list --raw"
        )


def _counts(status: Status) -> dict[str, object]:
    return {name: getattr(status, name) for name in Status.__slots__ if name not in _DIGESTS}


def _print(status: Status, failed: list[Document], seconds: float) -> None:
    counts = (
        trn("{count} document", "{count} documents", status.documents),
        trn("{count} passage", "{count} passages", status.passages),
        trn("{count} entity", "{count} entities", status.entities),
        trn("{count} fact", "{count} facts", status.facts),
        trn("{count} community", "{count} communities", status.communities),
    )
    say(tr("{counts} in {seconds} s.", counts=", ".join(counts), seconds=f"{seconds:.0f}"))
    for document in failed:
        say(f"Not read: {document.path}: {document.reason} {document.remedy}")
    if _nothing_read(status):
        say(
            trn(
                "The file in the folder could not be read, so there is nothing to ask yet. Do what is said above and "
                "index again.",
                "None of the {count} files in the folder could be read, so there is nothing to ask yet. Do what is "
                "said above and index again.",
                status.failed,
            ),
            err=True,
        )
    elif not status.passages:
        say(
            tr(
                "The folder holds no documents, so there is nothing to ask yet. Put some into it and index again."
            )
        )


def _nothing_read(status: Status) -> bool:
    """Whether there are files, and none of them gave a text."""
    return bool(status.failed) and not status.passages
