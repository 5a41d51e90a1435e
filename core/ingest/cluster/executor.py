"""Extraction, and encoding where it is minilm's, on the nodes of a cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from core.ingest.cluster.nodes import PassagesRead
from core.ingest.cluster.pool import Job, Pool
from core.ingest.executors import BATCH, Encoded, EncodingFault
from core.progress import NodeShare, TaskContext
from core.protocols import Spans
from core.text.translation import tr
from core.types import Extraction, Passage

_Batch = tuple[Sequence[Passage], Sequence[Spans]]


class RayExecutor:
    """Extracts on the nodes. A process there that dies costs at most the passage that killed it."""

    batch = BATCH

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._jobs: deque[tuple[Job, _Batch]] = deque()

    @property
    def ahead(self) -> int:
        return self._pool.room

    def submit(self, passages: Sequence[Passage]) -> None:
        self._send(list(passages), [])

    def waiting(self) -> int:
        return len(self._jobs)

    def next_result(self, context: TaskContext) -> list[Extraction]:
        """Wait for the oldest batch. Raises CoreError for what a node refuses, Cancelled when asked to stop."""
        return self._next(context).extractions

    def shares(self) -> tuple[NodeShare, ...]:
        return self._pool.shares()

    def close(self) -> None:
        # What still waits is pending in the store; nothing is lost by dropping it.
        self._jobs.clear()
        self._pool.close()

    def _send(self, passages: Sequence[Passage], texts: Sequence[Spans]) -> None:
        job = self._pool.submit(passages, texts, size=len(passages))
        self._jobs.append((job, (passages, texts)))

    def _next(self, context: TaskContext) -> PassagesRead:
        job, batch = self._jobs[0]
        found = self._pool.wait(job, context)
        if found is None:
            found = self._one_by_one(batch, context)
        assert isinstance(found, PassagesRead)
        self._jobs.popleft()
        return found

    def _one_by_one(self, batch: _Batch, context: TaskContext) -> PassagesRead:
        """A batch in which a passage ends the process that reads it: the others are read without that one."""
        passages, texts = batch
        each = [
            self._pool.submit([passage], texts[place : place + 1]) for place, passage in enumerate(passages)
        ]
        found = PassagesRead([], [])
        for job in each:
            read = self._pool.wait(job, context)
            if isinstance(read, PassagesRead):
                found.extractions.extend(read.extractions)
                found.encoded.extend(read.encoded)
                continue
            words = tr("The process that read this passage ended unexpectedly.")
            found.extractions.append(Extraction((), (), words, words))
            if texts:
                found.encoded.append(EncodingFault(words, words))
        return found


class RayEncodingExecutor(RayExecutor):
    """Encodes on the nodes, too."""

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self._read: PassagesRead | None = None  # the batch whose vectors were taken, and nothing else yet

    def submit_texts(self, passages: Sequence[Passage], texts: Sequence[Spans]) -> None:
        self._send(list(passages), list(texts))

    def next_vectors(self, context: TaskContext) -> list[Encoded]:
        self._read = self._next(context)
        return self._read.encoded

    def next_result(self, context: TaskContext) -> list[Extraction]:
        read = self._read or self._next(context)
        self._read = None
        return read.extractions
