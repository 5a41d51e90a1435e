"""What answers, and what will: the next revision is opened beside the one that questions are asked of."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from core.text.translation import mark, tr
from core.types import Answer, Stage

T = TypeVar("T")

PATIENCE = 10.0  # seconds that a question waits for the last change; then it is asked of what was before


@dataclass(frozen=True, slots=True)
class RevisionValue(Generic[T]):
    """A value built from a revision; `is_current` if that was the revision of the workspace when it was asked for."""

    value: T
    revision: int
    is_current: bool


def before_the_change(answer: Answer) -> Answer:
    """The answer, with a stage that says of what it was asked."""
    words = tr("the last change is still being read; asked of what was there before it")
    stages = (Stage(mark("revision"), 0.0, words), *answer.trace.stages)
    return replace(answer, trace=replace(answer.trace, stages=stages))


class Renewal(Generic[T]):
    """Holds one thing made of a revision, and makes the next on a thread of its own. Safe from every thread.

    Who was given one keeps it, whatever comes after; the lock is held for no longer than a look takes.
    """

    def __init__(self, make: Callable[[], T], patience: float = PATIENCE) -> None:
        self._make, self._patience = make, patience
        self._lock = threading.Lock()
        self._latest: RevisionValue[T] | None = None
        self._next: tuple[int, Future[T]] | None = None

    @property
    def latest(self) -> RevisionValue[T] | None:
        """What was made last, of whatever revision."""
        return self._latest

    def forget(self) -> None:
        """Have it made anew when it is asked for next; what is being made meanwhile is of no use."""
        with self._lock:
            self._latest = self._next = None

    def get(self, revision: int, however_long: bool = False) -> RevisionValue[T]:
        """Of this revision; where that takes long and an earlier one is there, the earlier one, unless it is waited
        for `however_long` it takes. Raises what making raises."""
        with self._lock:
            cached = self._latest
            if cached is not None and cached.revision == revision:
                return cached
            if self._next is None or self._next[0] != revision:
                self._next = revision, self._begun(revision)
            found = self._next[1]
        try:
            value = found.result(None if cached is None or however_long else self._patience)
        except TimeoutError:
            assert cached is not None
            return RevisionValue(cached.value, cached.revision, is_current=False)
        return RevisionValue(value, revision, is_current=True)

    def _begun(self, revision: int) -> Future[T]:
        future: Future[T] = Future()

        def work() -> None:
            try:
                value = self._make()
            except BaseException as error:  # noqa: BLE001  who waits raises it
                with self._lock:
                    if self._next == (revision, future):
                        self._next = None  # the next question tries again
                future.set_exception(error)
                return
            with self._lock:
                if self._next == (revision, future):
                    self._latest, self._next = RevisionValue(value, revision, is_current=True), None
            future.set_result(value)

        threading.Thread(target=work, name="opening a revision", daemon=True).start()
        return future
