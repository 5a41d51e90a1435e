"""How the time of some work grows with what it is given; ratios, for absolute times differ between machines."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")
SHARE = 8  # the whole against its eighth: 8 where the time is linear, 64 where it is quadratic
LEAST = 0.25  # seconds, below which a ratio says nothing
FINE = 0.05  # for quick work: a quarter of the text shows what all of it would


def assert_linear(work: Callable[[str], object], text: str, least: float = LEAST) -> None:
    assert_grows_linearly(work, lambda size: text[:size], len(text), least)


def assert_grows_linearly(
    work: Callable[[T], object], make: Callable[[int], T], size: int, least: float = LEAST
) -> None:
    """Fail when the processor time of `work` grows faster than what `make` returns for a size.

    What else the machine does counts for nothing. `least`: seconds below which the whole may take any multiple.
    """
    small, large = make(size // SHARE), make(size)
    part = whole = 0.0
    for _ in range(3):  # a neighbour on the same core takes caches and clock from one of the two at times
        part = spent(lambda: work(small))
        whole = spent(lambda: work(large))
        if whole < 3 * SHARE * max(part, least / SHARE):
            return
    pytest.fail(f"{part:.3f} s for an eighth, {whole:.3f} s for all")


def spent(work: Callable[[], object], times: int = 1) -> float:
    """Processor seconds of this thread, the least of several times."""
    return min(_once(work) for _ in range(times))


def _once(work: Callable[[], object]) -> float:
    collects = gc.isenabled()
    gc.disable()  # it would go through all that the tests before this one left, which is none of this work
    try:
        begin = time.thread_time()
        work()
        return time.thread_time() - begin
    finally:
        if collects:
            gc.enable()
