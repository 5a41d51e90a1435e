"""`clew index`: bring a workspace in line with a folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import click

from core.cli.events import Control, Events
from core.cli.output import print_json, shown_progress
from core.errors import CoreError
from core.progress import Cancelled, TaskContext
from core.types import Document, State, Status


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--workspace", "-w", type=click.Path(path_type=Path), required=True, help="Where the index is kept."
)
@click.option("--extractor", default="rules", show_default=True, help="What finds names and triples.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Another setting of reading from now on, such as reading.max_seconds=60; `clew settings` lists them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one object for machines.")
@click.option(
    "--events", is_flag=True, hidden=True, help="Tell every step as a line of JSON; read words on stdin."
)
def index(
    folder: Path, workspace: Path, extractor: str, settings: tuple[str, ...], as_json: bool, events: bool
) -> int:
    """Read FOLDER and build its graph; only what changed is done again."""
    control = Control()
    control.catch_signals()
    run = partial(_run, folder, workspace, extractor, settings)
    if events:
        return _with_events(run, control)
    begin = time.monotonic()
    failed: dict[str, Document] = {}

    def note(document: Document) -> None:
        if document.state is State.FAILED:
            failed[document.path] = document

    with shown_progress(as_json, control.cancelled) as context:
        status = run(context, None, note)
    if as_json:
        problems = [{"path": d.path, "reason": d.reason, "remedy": d.remedy} for d in failed.values()]
        print_json({**_counts(status), "seconds": time.monotonic() - begin, "problems": problems})
    else:
        _tell(status, list(failed.values()), time.monotonic() - begin)
    return 0


def _run(
    folder: Path,
    workspace: Path,
    extractor: str,
    settings: Sequence[str],
    context: TaskContext,
    growth: object,
    note: object,
) -> Status:
    from core.config import INDEXING, Config, with_settings
    from core.workspace import Workspace

    with_settings(Config(), settings, INDEXING)  # what cannot be set is told before a workspace is made
    opened = Workspace.open(workspace, create=True)
    try:
        if settings:
            opened.configure(settings)
        return opened.index(folder, context, growth, note, extractor, digest=False)  # type: ignore[arg-type]
    finally:
        opened.close()


def _with_events(run: Callable[..., Status], control: Control) -> int:
    events = Events()
    control.listen()
    context = TaskContext(events.progress, control.cancelled)
    try:
        status = run(context, events.growth, events.document)
    except Cancelled as stop:
        events.cancelled(str(stop))
        return 0
    except CoreError as error:
        events.failed(error)
        return 1
    events.finished(status)
    return 0


def _counts(status: Status) -> dict[str, object]:
    return {name: getattr(status, name) for name in Status.__slots__ if name != "digest"}


def _tell(status: Status, failed: list[Document], seconds: float) -> None:
    click.echo(
        f"{status.documents} documents, {status.passages} passages, {status.entities} entities, "
        f"{status.facts} facts, {status.communities} communities in {seconds:.0f} s."
    )
    for document in failed:
        click.echo(f"Not read: {document.path}: {document.reason} {document.remedy}")
    if not status.passages:
        click.echo(
            "No document could be read, so there is nothing to ask yet. Put documents into the folder and index again."
        )
