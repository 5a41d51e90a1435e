"""How long work tells where it stands and learns that it should stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import CoreError
from core.text.translation import tr, trn

_NAMED = 4  # nodes in words


class Cancelled(CoreError):
    """The person asked to stop; nothing that was committed is lost."""

    def __init__(self) -> None:
        super().__init__(tr("Stopped."), tr("What was done so far is kept; start again to go on from there."))


@dataclass(frozen=True, slots=True)
class NodeShare:
    """How much of a stage one machine of a cluster has done so far, in the stage's units."""

    node: str
    done: int


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` units of `stage`; `total` 0 means not known yet. `nodes`: where it runs on several machines."""

    stage: str
    done: int
    total: int
    detail: str = ""
    nodes: tuple[NodeShare, ...] = ()

    @property
    def by_node(self) -> str:
        """The nodes in words, those that did most first: "gpu1 320, gpu2 288"; "" where there are none."""
        most = sorted(self.nodes, key=lambda share: (-share.done, share.node))
        parts = [f"{share.node} {share.done:,}" for share in most[:_NAMED]]
        if len(most) > _NAMED:
            left = sum(share.done for share in most[_NAMED:])
            count = len(most) - _NAMED
            parts.append(trn("{count} other {done}", "{count} others {done}", count, done=f"{left:,}"))
        return ", ".join(parts)


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

    def report(
        self, stage: str, done: int, total: int, detail: str = "", nodes: tuple[NodeShare, ...] = ()
    ) -> None:
        """Tell progress. Raises Cancelled when asked to stop."""
        self.check()
        if self._on_progress is None:
            return
        now = time.monotonic()
        edge = stage != self._stage or (total and done >= total)
        if edge or now - self._last >= self._interval:
            self._last, self._stage = now, stage
            self._on_progress(Progress(stage, done, total, detail, nodes))

    def check(self) -> None:
        """Raises Cancelled when asked to stop."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled
