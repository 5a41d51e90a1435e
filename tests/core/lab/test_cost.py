"""Work is charged what it cost itself."""

from __future__ import annotations

import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from core.types.cost import measured, spend

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the peak")
MB = 1_000_000


def test_tokens_are_those_of_the_innermost_work() -> None:
    def inner() -> str:
        spend(5)
        return "made"

    def outer() -> int:
        spend(2)
        _, cost = measured(inner)
        spend(1)
        return cost.tokens

    spend(100)  # of nobody
    told, cost = measured(outer)
    assert (told, cost.tokens, cost.peak) == (5, 3, None)
    assert cost.seconds > 0


def test_tokens_of_another_thread_are_not_charged() -> None:
    def work() -> None:
        thread = Thread(target=spend, args=(7,))
        thread.start()
        thread.join()

    assert measured(work)[1].tokens == 0


@contextmanager
def held(megabytes: int) -> Iterator[None]:
    """Memory that is the system's again after, whatever the allocator keeps."""
    with mmap.mmap(-1, megabytes * MB) as pages:
        for start in range(0, len(pages), mmap.PAGESIZE):
            pages[start] = 1
        yield


def allocated(megabytes: int) -> None:
    with held(megabytes):
        pass


@LINUX
def test_a_peak_is_what_was_held_at_once_and_is_gone_after() -> None:
    _, most = measured(lambda: (allocated(80), allocated(40)), peaks=True)
    _, less = measured(lambda: allocated(40), peaks=True)
    assert most.peak is not None and 70 * MB < most.peak < 120 * MB
    assert less.peak is not None and 30 * MB < less.peak < 60 * MB, "the peak before does not count"


@LINUX
def test_a_peak_holds_those_of_the_work_within() -> None:
    def outer() -> tuple[int | None, int | None]:
        with held(30):
            first = measured(lambda: allocated(60), peaks=True)[1].peak
            second = measured(lambda: allocated(10), peaks=True)[1].peak
            return first, second

    (first, second), whole = measured(outer, peaks=True)
    assert first is not None and second is not None and whole.peak is not None
    assert 50 * MB < first < 75 * MB and 5 * MB < second < 25 * MB
    assert 80 * MB < whole.peak < 110 * MB
