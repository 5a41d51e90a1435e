"""Where extraction and encoding run: in this process, in one beside it so that both cores work, or in threads."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from core.errors import CoreError, ModelFault
from core.ingest.process_limits import end_with
from core.models.minilm import Vectors
from core.progress import Cancelled, NodeShare, TaskContext
from core.protocols import Encoder, Extractor, Spans
from core.text.translation import tr
from core.types import Extraction, Passage, context_line

MakeExtractor = Callable[[], Extractor]
BATCH = 32  # passages
AHEAD = 4  # batches
_POLL_SECONDS, _THREAD_POLL_SECONDS = 0.01, 0.02
_DEATHS = 4  # passages of a batch that may end their process before the run is given up


@dataclass(frozen=True, slots=True)
class EncodingFault:
    """Why a passage has no vectors, and what the fault said."""

    reason: str
    raw: str


Encoded = tuple[Vectors, Vectors] | EncodingFault  # of the passage, (dimension,), and of its sentences


def passage_spans(passage: Passage) -> Spans:
    """The passage as it is encoded: title and headings, newline, text."""
    context = context_line(passage.title, passage.headings)
    shift = len(context) + 1
    return Spans(
        f"{context}\n{passage.text}",
        tuple((s.start + shift, s.end + shift) for s in passage.sentences),
    )


def encode_each(encoder: Encoder, texts: Sequence[Spans], context: TaskContext) -> list[Encoded]:
    """Vectors of each text, in order; what the encoder stumbles over is told in their place.

    Raises CoreError for what concerns all texts, such as a model that is missing.
    """
    try:
        text_vectors, sentences = encoder.embed_spans(texts, context)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is told and costs one passage
        if isinstance(error, CoreError) and not isinstance(error, ModelFault):
            raise
        if len(texts) == 1:
            words = tr(
                "The passage could not be encoded ({kind}: {error}).",
                kind=type(error).__name__,
                error=error,
            )
            return [EncodingFault(words, traceback.format_exc())]
        return [found for text in texts for found in encode_each(encoder, [text], context)]
    return list(zip(text_vectors, sentences, strict=True))


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


class ThreadExecutor:
    """As many passages at a time as the server is to be given; results come in the order of the batches."""

    ahead = AHEAD

    def __init__(self, extractor: Extractor, parallel: int) -> None:
        """The extractor must be safe in several threads."""
        self.batch = max(4, 2 * parallel)  # a transaction each, so that something is seen soon
        self._extractor = extractor
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="extract")
        self._batches: list[list[Future[list[Extraction]]]] = []
        self._stop = threading.Event()
        self._outer: TaskContext | None = None
        self._context = TaskContext(cancelled=self._stopped)

    def submit(self, passages: Sequence[Passage]) -> None:
        self._batches.append(
            [
                self._pool.submit(extract_each, self._extractor, [passage], self._context)
                for passage in passages
            ]
        )

    def waiting(self) -> int:
        return len(self._batches)

    def next_result(self, context: TaskContext) -> list[Extraction]:
        """Wait for the oldest batch. Raises CoreError where no passage would fare better, and Cancelled."""
        self._outer = context
        batch = self._batches[0]
        while (done := sum(future.done() for future in batch)) < len(batch):
            for future in batch:
                if future.done():
                    future.result()  # to wait for the others would be in vain
            context.report("extract", done, len(batch))
            time.sleep(_THREAD_POLL_SECONDS)
        self._batches.pop(0)
        return [extraction for future in batch for extraction in future.result()]

    def close(self) -> None:
        """Stop what runs, which takes a fraction of a second, and drop what waits: it is pending in the store."""
        self._stop.set()
        self._batches.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _stopped(self) -> bool:
        """Whether to stop; waits while the person pauses, as the run itself does."""
        if self._stop.is_set():
            return True
        try:
            if self._outer is not None:
                self._outer.check()
        except Cancelled:
            return True
        return False


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
        time.sleep(_POLL_SECONDS)
    return future.result()


_extractor: Extractor | None = None


def _begin(make: MakeExtractor, parent: int) -> None:
    """Set the worker up: one thread, deaf to Ctrl+C (its parent tells it), gone with its parent."""
    global _extractor
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent, with_group=False)
    _extractor = make()


def _extract(passages: list[Passage]) -> list[Extraction]:
    if _extractor is None:
        raise RuntimeError("The worker was not set up.")
    return extract_each(_extractor, passages, TaskContext())
