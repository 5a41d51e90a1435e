"""The inside of the reading process: reads what it is told and replies part by part."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.ingest.process_limits import RESIDENT, bound_memory, end_after, end_with, memory
from core.ingest.reading_replies import (
    OUTGROWN,
    Beat,
    Began,
    Ended,
    Read,
    Refused,
    Reply,
    describe_error,
    lost_name,
    raw_of,
    traceback_end,
)
from core.text.translation import tr
from core.types import LoadedPart

RESERVE = 8_000_000  # bytes given back when there are no more, so that this can be told
TIRED_BYTES = 600_000_000  # resident memory after a file at which the process is replaced
GRACE_SECONDS = 5  # a process that is late by so much and was not ended (its parent died) ends itself
STUMBLES = 20  # parts of one file over which a parser may stumble before the rest is given up
BROKEN = tr("It is probably damaged: open it in its own program and save it again.")


def serve(connection: Connection, stderr: Connection, config: ReadingConfig, parent: int) -> None:
    """Read one file after the other until `connection` closes; ends with its parent, deaf to Ctrl+C.

    A request is (path, folder below which no link is followed or None, encodings that were chosen by the names of
    parts, keys of parts that are done, seconds that it may be silent).
    What the native parsers print goes to `stderr`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, so that it can be ended together with what it starts
    os.dup2(stderr.fileno(), 2)
    sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
    end_with(parent)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # arrays here are small
    bound_memory(config.max_memory_mb)

    seconds = config.max_seconds

    def reply_with(reply: Reply) -> None:
        connection.send(reply)
        end_after(0 if isinstance(reply, Ended | Refused) else seconds + GRACE_SECONDS)

    loader = DocumentLoader(config, beat=lambda: reply_with(Beat()))
    reserve = bytearray(RESERVE)
    while True:
        try:
            path, inside, encodings, done, seconds = connection.recv()
            end_after(seconds + GRACE_SECONDS)
            reply_with(_read(loader, (path, inside), encodings, done, reply_with))
        except (EOFError, ConnectionError):
            return  # nobody listens any more
        except MemoryError as error:
            reserve.clear()
            with contextlib.suppress(MemoryError):  # there may be too little left for a word
                os.write(2, describe_error(error).encode("utf-8", "replace"))
            os._exit(OUTGROWN)


def _read(
    loader: DocumentLoader,
    place: tuple[Path, Path | None],
    encodings: Mapping[str, str],
    done: frozenset[str],
    reply_with: Callable[[Reply], None],
) -> Ended | Refused:
    """Tell the parts of one file that are not done; how it ended."""
    finished = set(done)
    key: str | None = None

    def began(name: str) -> None:
        nonlocal key
        key = name
        reply_with(Began(name))

    for _ in range(STUMBLES):
        try:
            for part in loader.stream(*place, frozenset(finished), began, encodings):
                reply_with(Read(part))
                finished.add(part.name)
            return Ended(memory(RESIDENT) > TIRED_BYTES)
        except DocumentError as error:
            return Refused(error.message, error.remedy, raw_of(error))
        except (MemoryError, ConnectionError):
            raise
        except RecursionError as error:
            reason, raw = tr("It is nested too deeply."), describe_error(error)
        except Exception as error:  # noqa: BLE001  a stumbling parser costs one part, and the reason is told
            reason, raw = (
                tr("The reader stumbled over it ({kind}).", kind=type(error).__name__),
                traceback_end(error),
            )
        if key is None:
            return Refused(reason, BROKEN, raw)
        reply_with(Read(LoadedPart(lost_name(key, finished), None, reason, BROKEN, raw)))
        finished.add(key)
    return Ended(tired=True)
