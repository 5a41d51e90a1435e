"""What every command shares: JSON and events for machines, progress for people, failures in one line."""

from __future__ import annotations

import codecs
import contextlib
import io
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from core.errors import CoreError
from core.files.faults import as_core_error
from core.progress import Cancelled, Progress, TaskContext
from core.text.escape_controls import DIRECTIONS, escape_controls, readable
from core.text.jsonable import to_jsonable
from core.text.translation import tr
from core.types import Changed, Document, Growth, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from core.workspace import Workspace

STAGE_WORDS = {
    "scan": "Looking for files",
    "read": "Reading documents",
    "index": "Building the graph",
    "names": "Comparing names",
    "synonyms": "Linking synonyms",
    "communities": "Finding communities",
    "layout": "Drawing the graph",
    "reports": "Telling of communities",
    "models": "Loading models",
    "extract": "Reading names and facts",
    "trial": "Trying the model",
    "questions": "Asking questions",
    "installing": "Installing other systems",
    "facts": "Gathering facts",
    "peers": "Asking other systems",
    "changes": "Trying changes",
    "training": "Training",
    "backup": "Copying",
    "pack": "Packing the evidence",
    "pages": "Drawing pages",
    "check": "Checking",
    "clean": "Giving unused space back",
}


class _Text(click.types.StringParamType):
    """Text of a person: bytes that are no UTF-8 as the names of documents have them, as \\xNN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return readable(super().convert(value, param, ctx))


def _take_any_bytes(command: click.Command) -> None:
    for param in command.params:
        if type(param.type) is click.types.StringParamType:
            param.type = _Text()
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _take_any_bytes(inner)


def place_words(document: str, page: int | None, place: str = "") -> str:
    """Return where something stands: `minutes.pdf, page 3`, or the document with a place of another name."""
    return ", ".join(filter(None, (document, place or (f"page {page}" if page else ""))))


def run_group(group: click.Group, argv: list[str] | None) -> int:
    """Run a click group; known failures become one line on stderr, and an object where --json was given."""
    arguments = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        # A terminal of another encoding, or of none, shows what it cannot as an escape.
        if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="backslashreplace")
    _take_any_bytes(group)
    try:
        code = group.main(args=list(arguments), prog_name="clew", standalone_mode=False)
        return int(code or 0)
    except click.ClickException as error:
        # It quotes names, which the shell may have filled in.
        error.message = escape_controls(error.message)  # type: ignore[misc]
        error.show()
        return 2
    except click.Abort:
        say("Stopped.", err=True)
        return 1
    except CoreError as error:
        if "--json" in arguments:
            print_json({"error": error.message, "remedy": error.remedy})
        say(str(error), err=True)
        return 1
    except BrokenPipeError:
        # The reader of our output has gone; that is its right.
        sys.stderr.close()
        return 0
    except OSError as error:
        known = as_core_error(error)
        if known is None:
            raise
        # What could not be written stays in the buffer, and would be tried and complained of again at the end.
        with contextlib.suppress(OSError):
            sys.stdout.close()
        say(str(known), err=True)
        return 1


def say(line: str = "", *, err: bool = False, prose: bool = False, bold: bool = False) -> None:
    """Print one line for people, in which no name or reply steers the terminal: what would is shown as an escape.

    prose: text of a document or model, whose tabs and marks of direction keep their meaning.
    """
    escaped = escape_controls(line, keep=f"\t{DIRECTIONS}" if prose else "")
    click.echo(click.style(escaped, bold=True) if bold else escaped, err=err)


def erase_lines(count: int) -> None:
    """Take the last lines on stderr, a terminal, away again."""
    click.echo(f"\x1b[{count}F\x1b[J", nl=False, err=True)


def terminal(err: bool = False, width: int | None = None) -> Console:
    """Return a console for tables and bars, without markup, and the same promise as `say`."""
    from rich.console import Console
    from rich.text import Text

    class Terminal(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(escape_controls(text, keep="\n"), **how)

    return Terminal(stderr=err, width=width, markup=False, highlight=False, emoji=False)


def announce_host(model: str, address: str) -> None:
    """Say where texts go, before they do, when a model on another machine writes or reads."""
    from core.extraction.extractors import MODEL_EXTRACTORS
    from core.models.hosts import host_at
    from core.models.loading import LANGUAGE_MODELS

    if model.partition(":")[0] not in {*LANGUAGE_MODELS, *MODEL_EXTRACTORS}:
        return
    host = host_at(address)
    if host.allowed and not host.here:
        say(f"Texts are sent to {host.model_label(model)}.", err=True)


def announce_hosts(workspace: Workspace, *models: str) -> None:
    """Announce the hosts that the workspace names; nobody is contacted for one that is not trusted."""
    for model in models if workspace.trusted else ():
        announce_host(model, workspace.config.models.host)


def announce_waiting(workspace: Workspace, generator: str) -> None:
    """Say whom the answer waits for, and for how long at most, when a model writes it."""
    from core.models.loading import LANGUAGE_MODELS

    kind, _, model = generator.partition(":")
    if workspace.trusted and kind in LANGUAGE_MODELS:
        config = workspace.config.models
        words = tr(
            "Waiting for {model} at {host}: it is given {seconds} s for its first word.",
            model=model or config.model,
            host=config.host,
            seconds=f"{config.first_token_seconds:g}",
        )
        say(words, err=True)


def print_json(value: object) -> None:
    """Print one object on one line; records become objects. Text that is no UTF-8 is escaped."""
    click.echo(json.dumps(to_jsonable(value), ensure_ascii=True))


def plain_fields(record: object) -> dict[str, object]:
    """Convert as `to_jsonable` what has fields or keys."""
    found = to_jsonable(record)
    assert isinstance(found, dict)
    return found


@contextlib.contextmanager
def progress_bar(quiet: bool, cancelled: Callable[[], bool] | None = None) -> Iterator[TaskContext]:
    """Yield a context whose progress is a bar on stderr, or nothing when `quiet`."""
    if quiet:
        yield TaskContext(cancelled=cancelled)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[nodes]}", markup=False),
    )
    console = terminal(err=True)
    with Bars(*columns, console=console, transient=not console.is_terminal) as bars:
        tasks: dict[str, int] = {}

        def show(progress: Progress) -> None:
            if progress.stage == "estimate":  # words that stay, not a bar
                console.print(progress.detail)
                return
            if progress.stage not in tasks:
                words = STAGE_WORDS.get(progress.stage, progress.stage)
                tasks[progress.stage] = bars.add_task(words, total=progress.total or None, nodes="")
            bars.update(
                tasks[progress.stage],  # type: ignore[arg-type]
                completed=progress.done,
                total=progress.total or None,
                nodes=escape_controls(progress.by_node),
            )

        yield TaskContext(show, cancelled)


CHANGED = ("documents", "entities", "names", "facts", "communities", "reports")  # of a Changed
MOST_CHANGED = 5_000  # ids; of more than these all is read again

_PAUSE_POLL = 0.2  # seconds


class Control:
    """Pause, resume and cancel, by words on stdin and by signals."""

    def __init__(self) -> None:
        self._cancel = threading.Event()
        self._running = threading.Event()
        self._running.set()

    def listen(self) -> None:
        """Read words from stdin in a thread. Its end means nothing, but that who paused will never say to go on."""
        threading.Thread(target=self._read, daemon=True).start()

    def catch_signals(self) -> None:
        """Turn interrupt and terminate into a request to stop at the next batch instead of tearing one apart."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)

    def cancelled(self) -> bool:
        """Return whether to stop; waits while paused, which makes every progress report a pause point."""
        while not self._running.wait(_PAUSE_POLL):
            if self._cancel.is_set():
                break
        return self._cancel.is_set()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._cancel.set()
        self._running.set()

    def _read(self) -> None:
        for line in sys.stdin:
            word = line.strip()
            if word == "pause":
                self._running.clear()
            elif word == "resume":
                self._running.set()
            elif word == "cancel":
                self._cancel.set()
                self._running.set()
        if not self._running.is_set():
            self._cancel.set()
            self._running.set()


@contextmanager
def stoppable_progress(quiet: bool) -> Iterator[TaskContext]:
    """Yield a context as `progress_bar` does; interrupt and terminate ask for a stop."""
    control = Control()
    control.catch_signals()
    with progress_bar(quiet, control.cancelled) as context:
        yield context


class Events:
    """Writes one JSON object a line. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def progress(self, progress: Progress) -> None:
        self._write({"event": "progress", **plain_fields(progress)})

    def growth(self, growth: Growth) -> None:
        self._write({"event": "growth", **plain_fields(growth)})

    def document(self, document: Document) -> None:
        names = ("id", "path", "state", "reason", "remedy")
        self._write({"event": "document", **{name: str(getattr(document, name)) for name in names}})

    def changed(self, changed: Changed) -> None:
        """Return what the run changed, id by id, where that is little enough to be looked at one by one."""
        ids = {name: sorted(getattr(changed, name)) for name in CHANGED}
        if sum(map(len, ids.values())) <= MOST_CHANGED:
            self._write({"event": "changed", **ids})

    def step(self, figures: Mapping[str, float]) -> None:
        """Report a step of a training."""
        self._write({"event": "step", **figures})

    def finished(self, status: Status | None = None) -> None:
        """`status` where the workspace changed."""
        self._write({"event": "finished", "status": to_jsonable(status)})

    def cancelled(self, message: str) -> None:
        self._write({"event": "cancelled", "message": message})

    def failed(self, error: CoreError) -> None:
        self._write({"event": "failed", "message": error.message, "remedy": error.remedy})

    def _write(self, event: dict[str, object]) -> None:
        with self._lock:
            sys.stdout.write(json.dumps(event) + "\n")
            sys.stdout.flush()


def with_events(events: Events, work: Callable[[TaskContext], object]) -> int:
    """Run work that the window follows and may cancel: how it ended is told, and is the exit code."""
    control = Control()
    control.catch_signals()
    control.listen()
    try:
        work(TaskContext(events.progress, control.cancelled))
    except Cancelled as stop:
        events.cancelled(str(stop))
        return 1
    except CoreError as error:
        events.failed(error)
        return 1
    events.finished()
    return 0
