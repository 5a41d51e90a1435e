"""Where extraction runs: in this process, or in one beside it so that both cores work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from core.errors import CoreError
from core.progress import TaskContext
from core.protocols import Extractor
from core.types import Extraction, Passage

MakeExtractor = Callable[[], Extractor]
_POLL_SECONDS = 0.1


class Executor(Protocol):
    """Runs extraction over batches; results come in the order of the batches."""

    def submit(self, passages: Sequence[Passage]) -> None: ...

    def waiting(self) -> int: ...

    def next_result(self, context: TaskContext) -> list[Extraction]: ...

    def close(self) -> None: ...


class InlineExecutor:
    """Extracts when the result is asked for, in this process."""

    def __init__(self, make: MakeExtractor) -> None:
        self._extractor = make()
        self._batches: list[Sequence[Passage]] = []

    def submit(self, passages: Sequence[Passage]) -> None:
        self._batches.append(passages)

    def waiting(self) -> int:
        return len(self._batches)

    def next_result(self, context: TaskContext) -> list[Extraction]:
        return list(self._extractor.extract(self._batches.pop(0), context))

    def close(self) -> None:
        self._batches.clear()


class ProcessExecutor:
    """One process that extracts while this one encodes; it ends when its parent does."""

    def __init__(self, make: MakeExtractor) -> None:
        """`make` must be a plain function of a module, so that the new process can find it."""
        self._pool = ProcessPoolExecutor(
            max_workers=1,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(make, os.getpid()),
        )
        self._futures: list[Future[list[Extraction]]] = []

    def submit(self, passages: Sequence[Passage]) -> None:
        self._futures.append(self._pool.submit(_extract, list(passages)))

    def waiting(self) -> int:
        return len(self._futures)

    def ready(self) -> bool:
        """Whether the next result can be had without waiting."""
        return bool(self._futures) and self._futures[0].done()

    def next_result(self, context: TaskContext) -> list[Extraction]:
        """Wait for the oldest batch. Raises CoreError when the process died, Cancelled when asked to stop."""
        future = self._futures[0]
        while not future.done():
            context.check()
            time.sleep(_POLL_SECONDS / 10)
        self._futures.pop(0)
        try:
            return future.result()
        except BrokenProcessPool as error:
            raise CoreError(
                "The process that reads names and facts ended unexpectedly, perhaps for lack of memory.",
                "Index again: it goes on where it stopped.",
            ) from error

    def close(self) -> None:
        # What still waits is pending in the store; nothing is lost by dropping it.
        self._futures.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)


_extractor: Extractor | None = None


def _begin(make: MakeExtractor, parent: int) -> None:
    """Set the worker up: one thread, deaf to Ctrl+C (its parent tells it), gone with its parent."""
    global _extractor
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    _extractor = make()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(0)


def _extract(passages: list[Passage]) -> list[Extraction]:
    if _extractor is None:
        raise RuntimeError("The worker was not set up.")
    return list(_extractor.extract(passages, TaskContext()))
