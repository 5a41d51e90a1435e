"""How long work tells where it stands and learns that it should stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import CoreError
from core.translation import tr


class Cancelled(CoreError):
    """The person asked to stop; nothing that was committed is lost."""

    def __init__(self) -> None:
        super().__init__(tr("Stopped."), tr("What was done so far is kept; start again to go on from there."))


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` units of `stage`; `total` 0 means not known yet."""

    stage: str
    done: int
    total: int
    detail: str = ""


class TaskContext:
    """Last argument of every long core function. Reporting is the cancel point.

    `report` forwards at most one progress every `interval` seconds (the first and the last of a
    stage always); `cancelled` is asked at every call, however often.
    """

    def __init__(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        interval: float = 0.1,
    ) -> None:
        self._on_progress = on_progress
        self._cancelled = cancelled
        self._interval = interval
        self._last = 0.0
        self._stage = ""

    def report(self, stage: str, done: int, total: int, detail: str = "") -> None:
        """Tell progress. Raises Cancelled when asked to stop."""
        self.check()
        if self._on_progress is None:
            return
        now = time.monotonic()
        edge = stage != self._stage or (total and done >= total)
        if edge or now - self._last >= self._interval:
            self._last, self._stage = now, stage
            self._on_progress(Progress(stage, done, total, detail))

    def check(self) -> None:
        """Raises Cancelled when asked to stop."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
