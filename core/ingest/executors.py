"""Where extraction runs: in this process, or in one beside it so that both cores work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol, runtime_checkable

from core.errors import CoreError
from core.ingest.encoding import Encoded
from core.progress import Cancelled, NodeShare, TaskContext
from core.protocols import Extractor, Spans
from core.text.translation import tr
from core.types import Extraction, Passage

MakeExtractor = Callable[[], Extractor]
BATCH = 32  # passages
AHEAD = 4  # batches
_POLL_SECONDS = 0.1
_DEATHS = 4  # passages of a batch that may end their process before the run is given up


class Executor(Protocol):
    """Runs extraction over batches; results come in the order of the batches."""

    batch: int  # most passages of a batch, which is committed whole: what a kill can lose

    @property
    def ahead(self) -> int:
        """Most batches that wait in it, the one whose result is asked for included."""
        ...

    def submit(self, passages: Sequence[Passage]) -> None: ...

    def waiting(self) -> int: ...

    def next_result(self, context: TaskContext) -> list[Extraction]: ...

    def close(self) -> None: ...


@runtime_checkable
class NodeExecutor(Protocol):
    """An executor that works on several machines, and tells what each has done."""

    def shares(self) -> tuple[NodeShare, ...]: ...


@runtime_checkable
class EncodingExecutor(Protocol):
    """An executor that makes the vectors, too, where it extracts."""

    def submit_texts(self, passages: Sequence[Passage], texts: Sequence[Spans]) -> None:
        """In place of `submit`; `texts` are the passages as they are encoded."""
        ...

    def next_vectors(self, context: TaskContext) -> list[Encoded]:
        """Those of the batch whose result comes next, before that is taken."""
        ...


class InlineExecutor:
    """Extracts when the result is asked for, in this process."""

    batch = BATCH
    ahead = AHEAD

    def __init__(self, make: MakeExtractor) -> None:
        self._extractor = make()
        self._batches: list[Sequence[Passage]] = []

    def submit(self, passages: Sequence[Passage]) -> None:
        self._batches.append(passages)

    def waiting(self) -> int:
        return len(self._batches)

    def next_result(self, context: TaskContext) -> list[Extraction]:
        return extract_each(self._extractor, self._batches.pop(0), context)

    def close(self) -> None:
        self._batches.clear()


class ProcessExecutor:
    """Processes that extract while this one encodes; they end when their parent does.

    A process that dies costs the passage that killed it: the batch is done again one by one.
    """

    batch = BATCH
    ahead = AHEAD

    def __init__(self, make: MakeExtractor, workers: int = 1) -> None:
        """`make` must be a plain function of a module, so that the new processes can find it."""
        self._make = make
        self._workers = workers
        self._pool = self._new_pool()
        self._batches: list[list[Passage]] = []
        self._futures: list[Future[list[Extraction]]] = []

    def submit(self, passages: Sequence[Passage]) -> None:
        self._batches.append(list(passages))
        try:
            self._futures.append(self._pool.submit(_extract, list(passages)))
        except BrokenProcessPool:  # told when its turn comes
            broken: Future[list[Extraction]] = Future()
            broken.set_exception(BrokenProcessPool())
            self._futures.append(broken)

    def waiting(self) -> int:
        return len(self._futures)

    def ready(self) -> bool:
        """Whether the next result can be had without waiting."""
        return bool(self._futures) and self._futures[0].done()

    def next_result(self, context: TaskContext) -> list[Extraction]:
        """Wait for the oldest batch. Raises CoreError when processes keep dying, Cancelled when asked to stop."""
        try:
            found = _awaited(self._futures[0], context)
        except BrokenProcessPool:
            found = self._one_by_one(self._batches[0], context)
            self._futures[1:] = [self._pool.submit(_extract, batch) for batch in self._batches[1:]]
        self._futures.pop(0)
        self._batches.pop(0)
        return found

    def close(self) -> None:
        # What still waits is pending in the store; nothing is lost by dropping it.
        self._futures.clear()
        self._batches.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _one_by_one(self, batch: Sequence[Passage], context: TaskContext) -> list[Extraction]:
        self._pool = self._new_pool()
        found: list[Extraction] = []
        deaths = 0
        for passage in batch:
            try:
                found += _awaited(self._pool.submit(_extract, [passage]), context)
            except BrokenProcessPool as error:
                deaths += 1
                if deaths > _DEATHS:
                    raise CoreError(
                        tr(
                            "The process that reads names and facts ends again and again, perhaps for lack of memory."
                        ),
                        tr("Close other programs and index again: it goes on where it stopped."),
                    ) from error
                self._pool = self._new_pool()
                found.append(
                    Extraction(
                        (), (), tr("The process that read this passage ended unexpectedly."), repr(error)
                    )
                )
        return found

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            max_workers=self._workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(self._make, os.getpid()),
        )


def extract_each(extractor: Extractor, passages: Sequence[Passage], context: TaskContext) -> list[Extraction]:
    """One Extraction a passage; a passage that the extractor stumbles over tells it as its failure.

    Raises CoreError for what concerns all passages, such as a model that is missing.
    """
    try:
        return list(extractor.extract(passages, context))
    except (CoreError, Cancelled):
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is told and costs one passage
        if len(passages) == 1:
            words = tr(
                "Names and facts could not be read here ({kind}: {error}).",
                kind=type(error).__name__,
                error=error,
            )
            return [Extraction((), (), words, traceback.format_exc())]
        return [found for passage in passages for found in extract_each(extractor, [passage], context)]


def _awaited(future: Future[list[Extraction]], context: TaskContext) -> list[Extraction]:
    while not future.done():
        context.check()
        time.sleep(_POLL_SECONDS / 10)
    return future.result()


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
    return extract_each(_extractor, passages, TaskContext())
