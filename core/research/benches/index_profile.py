"""Processor time of indexing a folder, by part and by child process."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial, wraps

from core.ingest.reading_process import ReadingProcess

# (part, module, its class or "", function). Calls from one part to another count for the outer one.
_PARTS = (
    ("chunking", "core.ingest.chunking", "SentenceChunker", "passages"),
    ("repetition", "core.ingest.folder", "", "settle_repetition"),
    ("passages encoded", "core.models.minilm", "MiniLMEncoder", "embed_spans"),
    ("names encoded", "core.models.minilm", "MiniLMEncoder", "embed"),
    ("passages stored", "core.ingest.pipeline", "Pipeline", "_finish"),
    ("names: senses, labels", "core.ingest.derive", "", "disambiguate"),
    ("names: senses, labels", "core.ingest.derive", "", "label_names"),
    ("names resolved", "core.ingest.resolving", "Resolver", "resolve"),
    ("synonyms", "core.ingest.linking", "Linker", "link"),
    ("communities", "core.ingest.derive", "", "group_all"),
    ("layout", "core.ingest.derive", "", "force_layout"),
    ("reports", "core.workspace.stages", "", "write_changed"),
    ("snapshot", "core.workspace.retrieval", "RetrievalApi", "keep_snapshot"),
)
_INNER = {"passages encoded", "names encoded"}  # counted separately wherever they are called
_PATIENCE = 30  # seconds


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        counted = not self._running or (name in _INNER and self._running[-1] not in _INNER)
        if not counted:
            yield
            return
        self._turn()
        self._running.append(name)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def _turn(self) -> None:
        now = time.process_time()
        if self._running:
            name = self._running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now


def profiled(index: Callable[[], object]) -> dict[str, float]:
    """Return the processor seconds of each part of `index`, which is called once, including its child processes."""
    clock = _Clock()
    read = 0.0

    @contextmanager
    def reader_ends() -> Iterator[None]:
        nonlocal read
        before = _of_ended()
        yield
        read += _of_ended() - before

    with ExitStack() as stack:
        for part, module, owner, name in _PARTS:
            place = importlib.import_module(module)
            _clocked(stack, getattr(place, owner) if owner else place, name, partial(clock.part, part))
        _clocked(stack, ReadingProcess, "close", reader_ends)
        begin, before = time.process_time(), children()
        index()
        here, child_time = time.process_time() - begin, children() - before
    seconds = {"files read": read, "names and facts extracted": child_time - read, **clock.seconds}
    return {**seconds, "all else": here - sum(clock.seconds.values())}


def children() -> float:
    """Return the processor seconds of all child processes; waits for those that are about to end."""
    for process in multiprocessing.active_children():
        process.join(_PATIENCE)
    return _of_ended()


def _of_ended() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _clocked(
    stack: ExitStack, owner: object, name: str, part: Callable[[], AbstractContextManager[None]]
) -> None:
    """Have `part` entered around each call of the function until `stack` closes."""
    function = getattr(owner, name)

    @wraps(function)
    def clocked(*arguments: object, **named: object) -> object:
        with part():
            return function(*arguments, **named)

    setattr(owner, name, clocked)
    stack.callback(setattr, owner, name, function)
