"""Work that is measured in a process of its own, so that no memory, file or module of another part counts."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.errors import CoreError
from core.progress import TaskContext

T = TypeVar("T")

_LOOK = 0.02  # seconds between two looks at the memory
_POLL = 0.2  # seconds between two looks at the cancel flag


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident bytes of a process, 0 where the system does not tell: of its own, and of mapped files, which the
    system may drop; `peak` is the most of both together, `own_peak` of its own."""

    own: int
    mapped: int
    own_peak: int
    peak: int


@dataclass(frozen=True, slots=True)
class Apart(Generic[T]):
    """What the work returned, its seconds without the start of the process, and the memory at its end."""

    result: T
    seconds: float
    memory: Memory


def apart(context: TaskContext, work: Callable[..., T], *arguments: object) -> Apart[T]:
    """Call `work(*given)` in a process of its own. Raises CoreError where it fails, Cancelled."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe(duplex=False)
    # No daemon: reading a folder starts a process of its own.
    process = spawning.Process(target=_serve, args=(theirs, work, arguments), name="clew research bench")
    process.start()
    theirs.close()
    try:
        while not ours.poll(_POLL):
            context.check()
        found: Apart[T] = ours.recv()
    except EOFError as error:
        raise CoreError(
            f"The measurement {work.__name__!r} failed.",
            "Read what it printed above; where that is nothing, there was not enough memory.",
        ) from error
    except BaseException:
        process.kill()
        raise
    finally:
        ours.close()
        process.join()
    return found


def memory_now() -> dict[str, int]:
    """Bytes by name of this process, as /proc/self/status tells them; {} where there is none."""
    found = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name in ("RssAnon", "RssFile", "VmHWM"):
                found[name] = int(value.split()[0]) * 1024
    return found


def _serve(to: Connection, work: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    with _Watched() as watched:
        begin = time.perf_counter()
        result = work(*arguments)
        seconds = time.perf_counter() - begin
    now = memory_now()
    memory = Memory(now.get("RssAnon", 0), now.get("RssFile", 0), watched.most, now.get("VmHWM", 0))
    to.send(Apart(result, seconds, memory))


class _Watched:
    """Looks how much memory the process has of its own while it works; the system keeps no peak of that."""

    def __init__(self) -> None:
        self.most = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> _Watched:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()

    def _follow(self) -> None:
        while True:
            self.most = max(self.most, memory_now().get("RssAnon", 0))
            if self._done.wait(_LOOK):
                return
