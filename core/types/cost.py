"""What a piece of work costs: seconds, tokens, memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

_PROCESS = Path("/proc/self")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Cost:
    """`tokens` that language models and the trained reader's relevance read and wrote. `peak`: resident bytes of the
    process above what it held before; None where that was not measured, or the system does not tell."""

    seconds: float
    tokens: int = 0
    peak: int | None = None


@dataclass(slots=True)
class _Meter:
    tokens: int = 0
    high: int = 0  # bytes


_meter: ContextVar[_Meter | None] = ContextVar("meter", default=None)


def spend(tokens: int) -> None:
    """Counts them for the innermost work of this thread that is measured."""
    if (meter := _meter.get()) is not None:
        meter.tokens += tokens


def measured(work: Callable[[], _Result], peaks: bool = False) -> tuple[_Result, Cost]:
    """What the work makes, and its cost.

    Within it other work may be measured, whose tokens and whose seconds are its own, but only the tokens are left out
    here. `peaks` measures memory, which is the whole process's: nothing else should run meanwhile. Pages that the
    allocator kept from before count as held, so that a peak is a lower bound, exact to some 100 kB.
    """
    outer, own = _meter.get(), _Meter()
    baseline = _reset_peak(outer) if peaks else None
    token = _meter.set(own)
    begin = time.perf_counter()
    try:
        result = work()
    finally:
        seconds = time.perf_counter() - begin
        _meter.reset(token)
    if baseline is None:
        return result, Cost(seconds, own.tokens)
    high = max(own.high, _peak() or 0)
    if outer is not None:
        outer.high = max(outer.high, high)
    return result, Cost(seconds, own.tokens, max(0, high - baseline))


def _reset_peak(outer: _Meter | None) -> int | None:
    """The peak begins anew at what is held now, which is given. None where the system does not tell (not Linux)."""
    if outer is not None:
        outer.high = max(outer.high, _peak() or 0)
    try:
        (_PROCESS / "clear_refs").write_text("5", encoding="ascii")  # proc(5): resets VmHWM
    except OSError:
        return None
    return _peak()


def _peak() -> int | None:
    """Resident bytes at the most, since the last reset."""
    try:
        status = (_PROCESS / "status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), None)
    return None if line is None else int(line.split()[1]) * 1024
