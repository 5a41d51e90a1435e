"""Reads files in a process of its own: a bomb, a hang or a crash costs one file and not the run."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.process_limits import end_child
from core.ingest.reading import NO_TEXT, reader_version
from core.ingest.reading_replies import OUTGROWN, Began, Ended, Read, Refused, Reply, join_output, lost_name
from core.text.translation import tr
from core.types import LoadedPart

UNSTRETCHED = (
    10_000_000  # bytes up to which the time limit is as configured; ten times what plain text needs at worst
)
LONGEST = 15  # times the time limit: what a file may take that goes on giving signs of life
DEATHS = 8  # parts of one file that may end the process before the rest is given up
POLL_SECONDS = 0.2
PRINTED = 4096  # last bytes of what the native parsers print that are kept
NO_MEMORY = (b"memory allocation of", b"bad_alloc", b"ut of memory")
SPLIT = tr("Open it in its own program and save it again, or split it.")


@dataclass(frozen=True, slots=True)
class Lost:
    """The process had to be ended, or ended itself, at what `key` stands for (None: before the first).

    `again`: what earlier files left in it may be to blame, so a fresh one deserves a try.
    """

    key: str | None
    reason: str
    remedy: str
    again: bool
    raw: str = ""


class ReadingProcess:
    """A Loader that reads in one spawned process: `ReadingProcess(config.chunking, check=context.check)`.

    The process starts with the first file, lives until `close` (or until this one ends) and is
    replaced when it dies. `check` is called several times a second while a file is read; what it
    raises (Cancelled) ends the reading. Not for several threads at once.
    """

    def __init__(self, config: ReadingConfig | None = None, check: Callable[[], None] | None = None) -> None:
        self._config = config or ReadingConfig()
        self._check = check or _never
        self._worker: _Worker | None = None
        self.version = reader_version(self._config)

    def __enter__(self) -> ReadingProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def parts(
        self, path: Path, inside: Path | None = None, encodings: Mapping[str, str] | None = None
    ) -> tuple[LoadedPart, ...]:
        """The documents of the file; a part that cannot be read carries its reason.

        Raises DocumentError when nothing of the file can be read: among the reasons are that it
        takes longer than the time limit, needs more memory than allowed or crashes its parser.
        """
        found: list[LoadedPart] = []
        done: set[str] = set()
        lost = Lost(None, "", "", again=False)
        for _ in range(DEATHS):
            worker, fresh = self._ready()
            try:
                end = worker.read((path, inside, encodings or {}), found, done, self._check)
            except BaseException:
                self.close()  # in the middle of a file it is of no use to anybody
                raise
            if isinstance(end, Refused):
                raise DocumentError(end.reason, end.remedy, end.raw)
            if isinstance(end, Ended):
                if end.tired:
                    self.close()
                return _readable(found)
            lost = end
            self.close()
            if lost.again and not fresh:
                continue
            if lost.key is None:
                raise DocumentError(lost.reason, lost.remedy, lost.raw)
            name = lost_name(lost.key, {part.name for part in found})
            found.append(LoadedPart(name, None, lost.reason, lost.remedy, lost.raw))
            done.add(lost.key)
            if lost.key == "/":
                return _readable(found)
        return (*found, LoadedPart("unread parts", None, lost.reason, lost.remedy, lost.raw))  # not shown

    def close(self) -> None:
        """End the process; the next file starts another."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _ready(self) -> tuple[_Worker, bool]:
        """The process, and whether it has read nothing yet."""
        if self._worker is not None and self._worker.alive():
            return self._worker, False
        self.close()
        self._worker = _Worker(self._config)
        return self._worker, True


def _readable(found: list[LoadedPart]) -> tuple[LoadedPart, ...]:
    """The parts; raises the reason of a file that is one unreadable part, or none at all."""
    if not found:
        raise NO_TEXT
    if len(found) == 1 and found[0].document is None:
        raise DocumentError(found[0].reason, found[0].remedy, found[0].raw)
    return tuple(found)


class _Worker:
    """One running process, seen from outside."""

    def __init__(self, config: ReadingConfig) -> None:
        context = multiprocessing.get_context("spawn")
        self._config = config
        self._connection, theirs = context.Pipe()
        self._stderr, printed = context.Pipe(duplex=False)
        self._printed = b""
        # daemon: ends with this process even when nobody calls close.
        self._process = context.Process(
            target=_serve, args=(theirs, printed, config, os.getpid()), name="clew reading", daemon=True
        )
        self._process.start()
        theirs.close()
        printed.close()

    def alive(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        """End it and what it started, at once."""
        end_child(self._process)
        self._connection.close()
        self._stderr.close()

    def read(
        self,
        place: tuple[Path, Path | None, Mapping[str, str]],
        found: list[LoadedPart],
        done: set[str],
        check: Callable[[], None],
    ) -> Ended | Refused | Lost:
        """Append the parts that are not done, with their keys in `done`; how it ended."""
        key: str | None = None
        seconds = seconds_for(place[0], self._config)
        began = time.monotonic()
        self._printed = b""
        try:
            self._connection.send((*place, frozenset(done), seconds))
            replied_at = began
            while True:
                left = min(replied_at + seconds, began + LONGEST * seconds) - time.monotonic()
                if left <= 0:
                    return self._too_slow(key, seconds)
                reply = self._next(min(left, POLL_SECONDS))
                check()
                if reply is None:
                    continue
                replied_at = time.monotonic()
                if isinstance(reply, Began):
                    key = reply.key
                elif isinstance(reply, Read):
                    part = self._with_printed(reply.part)
                    found.append(part)
                    done.add(key if key is not None and part.document is None else part.name)
                elif isinstance(reply, Refused):
                    return replace(reply, raw=join_output(reply.raw, self._all_printed()))
                elif isinstance(reply, Ended):
                    return reply
        except (EOFError, ConnectionError):
            return self._crashed(key)

    def _next(self, seconds: float) -> Reply | None:
        """The next reply, or None when none came. Raises EOFError when the process died."""
        if self._stderr in wait([self._connection, self._stderr], seconds):
            # A pipe that nobody empties would stop the parsers that print into it.
            self._keep(os.read(self._stderr.fileno(), 65536))
        if self._connection.poll():
            reply: Reply = self._connection.recv()
            return reply
        return None

    def _keep(self, printed: bytes) -> None:
        self._printed = (self._printed + printed)[-PRINTED:]

    def _all_printed(self) -> bytes:
        """The last of what the process has printed up to now."""
        while wait([self._stderr], 0) and (printed := os.read(self._stderr.fileno(), 65536)):
            self._keep(printed)
        return self._printed

    def _with_printed(self, part: LoadedPart) -> LoadedPart:
        """An unread part, with what was printed since the part before it; others as they are."""
        if part.document is None:
            part = replace(part, raw=join_output(part.raw, self._all_printed()))
        self._printed = b""
        return part

    def _too_slow(self, key: str | None, seconds: int) -> Lost:
        words = tr("Reading took longer than {seconds} seconds and was given up.", seconds=seconds)
        return Lost(key, words, SPLIT, again=False, raw=join_output("", self._all_printed()))

    def _outgrown(self, key: str | None) -> Lost:
        words = tr(
            "Reading needs more memory than the {memory_mb} MB that are allowed.",
            memory_mb=self._config.max_memory_mb,
        )
        return Lost(
            key, words, tr("Split it into smaller files."), True, join_output("", self._all_printed())
        )

    def _crashed(self, key: str | None) -> Lost:
        """Why, by what it printed last and by how it ended."""
        self._process.join(5.0)
        printed, code = self._all_printed(), self._process.exitcode
        if code == OUTGROWN or any(words in printed for words in NO_MEMORY):
            return self._outgrown(key)
        name = _ending(code)
        words, remedy = (
            tr("It crashes its reader ({name}).", name=name),
            tr("It is probably damaged. Open it in its own program and save it again, or split it."),
        )
        return Lost(key, words, remedy, again=True, raw=join_output("", printed))


def seconds_for(path: Path, config: ReadingConfig) -> int:
    """The time limit of a file without a sign of life: a large one is owed more than a small one."""
    try:
        size = min(path.stat().st_size, config.max_file_mb * 1_000_000)
    except OSError:
        size = 0  # whoever opens it tells why
    return math.ceil(config.max_seconds * max(1.0, size / UNSTRETCHED))


def _ending(code: int | None) -> str:
    """ "SIGSEGV", "code 1"."""
    if code is not None and code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return tr("signal {value}", value=-code)
    return tr("code {code}", code=code)


def _serve(connection: Connection, stderr: Connection, config: ReadingConfig, parent: int) -> None:
    """Where the process begins; only there are the readers loaded."""
    from core.ingest.reading_worker import serve

    serve(connection, stderr, config, parent)


def _never() -> None:
    """Nobody asks to stop."""
