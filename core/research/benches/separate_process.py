"""Measurements in a process of their own, so that no memory, file or module of another part counts."""

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
    """Resident bytes of a process, 0 where the system does not report them.

    `own` are private, `mapped` belong to mapped files, which the system may drop; `peak` is the largest sum of
    both, `own_peak` the largest of `own`.
    """

    own: int
    mapped: int
    own_peak: int
    peak: int


@dataclass(frozen=True, slots=True)
class Apart(Generic[T]):
    """The result of the work, its seconds without process start, and the memory at its end."""

    result: T
    seconds: float
    memory: Memory


def apart(context: TaskContext, work: Callable[..., T], *arguments: object) -> Apart[T]:
    """Call `work(*arguments)` in a process of its own. Raises CoreError where it fails, Cancelled."""
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
    """Return bytes of this process by name, as in /proc/self/status; {} where there is none."""
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
    """Samples the private memory of the process while it works; the system records no peak of it."""

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
