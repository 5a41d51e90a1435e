"""Extraction that waits for a server: several passages at a time, each in a thread of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from core.ingest.executors import AHEAD, extract_each
from core.progress import Cancelled, TaskContext
from core.protocols import Extractor
from core.types import Extraction, Passage

_POLL_SECONDS = 0.02


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
            time.sleep(_POLL_SECONDS)
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
