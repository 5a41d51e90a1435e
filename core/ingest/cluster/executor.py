"""Reading, extraction and encoding on the nodes of a cluster, as jobs of its pools."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.cluster.nodes import FileRead, FileRefused, PassagesRead
from core.ingest.cluster.pool import Job, Pool
from core.ingest.executors import BATCH, Encoded, EncodingFault
from core.ingest.source_files import read_source
from core.progress import NodeShare, TaskContext
from core.protocols import Loader, Spans
from core.text.translation import tr
from core.types import Extraction, LoadedPart, Passage

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


# ------------------------------------------------------------ reading


FEW = 8  # files: they are read here before a node has a process for them
BYTES = 64_000_000  # of files that are sent ahead

_State = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Sent:
    """A file that was sent, the state in which it was then, and its size in bytes."""

    job: Job
    state: _State
    size: int


class RayLoader:
    """A Loader that sends files ahead; those that it was not told of it leaves to `here`."""

    def __init__(
        self, here: Loader, open_pool: Callable[[], Pool], config: ReadingConfig, context: TaskContext
    ) -> None:
        """The pool is opened once there is enough to read."""
        self.version = here.version
        self._here = here
        self._open_pool = open_pool
        self._config = config
        self._context = context
        self._pool: Pool | None = None
        self._expected: deque[Path] = deque()  # not sent yet
        self._inside: Path | None = None
        self._sent: dict[Path, _Sent] = {}  # in the order in which they will be asked for

    def __enter__(self) -> RayLoader:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.close()

    def expect(self, paths: Sequence[Path], inside: Path | None) -> None:
        """The files that `parts` will be asked for, in that order; some of them may be left out."""
        if len(paths) > FEW:
            self._pool = self._open_pool()
            self._expected, self._inside = deque(paths), inside
            self._send_ahead()

    def shares(self) -> tuple[NodeShare, ...]:
        return self._pool.shares() if self._pool is not None else ()

    def parts(
        self, path: Path, inside: Path | None = None, encodings: Mapping[str, str] | None = None
    ) -> tuple[LoadedPart, ...]:
        """The file's documents, as `ReadingProcess.parts` gives them; what has an encoding of its own is read here."""
        if self._pool is None:
            return self._here.parts(path, inside, encodings)
        self._leave_out_until(path)
        sent = self._sent.pop(path, None)
        self._send_ahead()
        # What was written since is read as it is now: the caller has hashed it after it was sent.
        if sent is None or encodings or inside != self._inside or _state(path) != sent.state:
            return self._here.parts(path, inside, encodings)
        found = self._pool.wait(sent.job, self._context)
        if isinstance(found, FileRefused):
            raise DocumentError(found.reason, found.remedy, found.raw)
        if not isinstance(found, FileRead):
            raise DocumentError(
                tr("The process that read this file ended unexpectedly."),
                tr("Index again, or split the file."),
            )
        return found.parts

    def _leave_out_until(self, path: Path) -> None:
        """Forget what will not be asked for any more."""
        if path in self._sent:
            for earlier in list(self._sent):
                if earlier == path:
                    return
                del self._sent[earlier]

    def _send_ahead(self) -> None:
        pool = self._pool
        assert pool is not None
        while self._expected and len(self._sent) < pool.room:
            if self._sent and sum(sent.size for sent in self._sent.values()) > BYTES:
                return
            path = self._expected.popleft()
            state = _state(path)
            try:
                data = read_source(path, self._inside, self._config.max_file_mb)
            except DocumentError:
                continue  # read here, once it is asked for, which tells why it cannot be
            self._sent[path] = _Sent(pool.submit(path.name, data), state, len(data))


def _state(path: Path) -> _State:
    """Changes when somebody writes to the file."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0, 0, 0)
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
