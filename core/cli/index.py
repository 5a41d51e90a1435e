"""`clew index`: bring a workspace in line with a folder."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from core.cli.options import PATH, json_option, setting_option
from core.cli.output import Control, Events, print_json, progress_bar, say
from core.errors import BadInput, CoreError
from core.progress import Cancelled, TaskContext
from core.text.translation import tr, trn
from core.types import Changed, Document, ModelWork, State, Status

_DIGESTS = ("digest", "derived_digest", "derived")  # they take a while, and `clew status` tells them


@click.command()
@click.argument("folder", type=PATH, required=False)
@click.option("--workspace", "-w", type=PATH, required=True, help="The workspace to write; created if new.")
@click.option(
    "--extractor",
    default="",
    help="What finds names and facts: rules, ollama:MODEL or mixed:MODEL. Default: the last one used, at first rules.",
)
@click.option(
    "--executor",
    default="",
    envvar="CLEW_EXECUTOR",
    metavar="ray[:ADDRESS]",
    help="Read, extract and encode on the nodes of a Ray cluster instead of this machine; see docs/cluster.md.",
)
@click.option(
    "--retry", is_flag=True, help="Also try again what failed. Without FOLDER: of the folder indexed last."
)
@click.option("--document", "names", multiple=True, help="With --retry: only this document; may be repeated.")
@setting_option
@json_option
@click.option("--events", is_flag=True, hidden=True, help="Print each step as a line of JSON; read stdin.")
def index(
    folder: Path | None, workspace: Path, extractor: str, executor: str, retry: bool, names: tuple[str, ...],
    settings: tuple[str, ...], as_json: bool, events: bool,
) -> int:  # fmt: skip
    """Read FOLDER and build its graph; only what changed is done again. The workspace keeps what --set changes."""
    if names and not retry:
        raise click.UsageError("--document needs --retry.")
    if folder is None and not retry:
        raise click.UsageError("Missing argument 'FOLDER'.")
    control = Control()
    control.catch_signals()
    run = partial(_run, folder, workspace, extractor, executor, names if retry else None, settings)
    if events:
        return _with_events(run, control)
    begin = time.monotonic()
    failed: dict[str, Document] = {}

    def note(document: Document) -> None:
        if document.state is State.FAILED:
            failed[document.path] = document

    with progress_bar(as_json, control.cancelled) as context:
        done = run(context, None, note)
    status, seconds = done.status, time.monotonic() - begin
    if as_json:
        problems = [{"path": d.path, "reason": d.reason, "remedy": d.remedy} for d in failed.values()]
        rest = {"seconds": seconds, "problems": problems, "model": done.model_work}
        print_json({**_counts(status), **rest, **({"tried": done.tried} if retry else {})})
    else:
        if retry:
            say(f"{done.tried:,} tried again." if done.tried else "Nothing had failed.")
        _print(status, list(failed.values()), seconds)
        if done.model_work is not None:
            _print_model(done.model_work, workspace)
    return int(_nothing_read(status))


@dataclass(frozen=True, slots=True)
class _Done:
    status: Status  # counts afterwards
    model_work: ModelWork | None  # what a language model did
    tried: int  # documents and passages that had failed


def _run(
    folder: Path | None,
    workspace: Path,
    extractor: str,
    executor: str,
    retry: Sequence[str] | None,
    settings: Sequence[str],
    context: TaskContext,
    growth: object,
    note: object,
    on_change: Callable[[Changed], None] | None = None,
) -> _Done:
    """Index; `retry` names the failed documents to try again, () all of them, None none."""
    from core.config import INDEXING, Config, with_settings
    from core.workspace import Workspace

    with_settings(Config(), settings, INDEXING)  # what cannot be set is refused before a workspace is made
    with Workspace.open(workspace, create=retry is None) as opened:
        tried = 0
        if retry is not None:
            ids = [document.id for document in opened.documents.find(retry)] if retry else None
            tried = opened.documents.retry(ids)
        folder = folder or opened.folder
        if folder is None:
            raise BadInput("No folder was indexed yet.", "Name it: clew index FOLDER --workspace WORKSPACE")
        if opened.counts().passages:  # nobody looks yet at what a first run changes
            opened.set_change_listener(on_change)
        calls = (context, growth, note, extractor)
        status = opened.index(folder, *calls, settings=settings, digest=False, executor=executor)  # type: ignore[arg-type]
        return _Done(status, opened.language_models.last_model_work(), tried)


def _with_events(run: Callable[..., _Done], control: Control) -> int:
    events = Events()
    control.listen()
    context = TaskContext(events.progress, control.cancelled)
    try:
        done = run(context, events.growth, events.document, events.changed)
    except Cancelled as stop:
        events.cancelled(str(stop))
        return 0
    except CoreError as error:
        events.failed(error)
        return 1
    events.finished(done.status)
    return 0


def _print_model(work: ModelWork, workspace: Path) -> None:
    usage = work.usage
    say(
        f"{work.model} read {work.passages:,} passages: {usage.calls:,} calls, "
        f"{usage.tokens_in:,} tokens in, {usage.tokens_out:,} out, {usage.seconds:,.0f} s in calls; "
        f"{work.rejected:,} names and triples rejected, which their passages do not hold."
    )
    if work.failed:
        say(
            f"{work.failed:,} passages were put aside. See why: clew status {shlex.quote(str(workspace))} --failures"
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
    """Return whether there are files, and none of them gave a text."""
    return bool(status.failed) and not status.passages
