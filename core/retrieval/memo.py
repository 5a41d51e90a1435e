"""What modules made for questions, kept for the compositions that share them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar

from core.types.cost import Cost, measured

_REMEMBERED = 5_000  # results of modules
_Result = TypeVar("_Result")


class Memo:
    """What modules made, by all that it was made of: two compositions that share a module run it once for a question.

    Of one snapshot only. Safe from several threads, of which two may make the same at once. `peaks`: whether to measure
    memory, where one thread works alone.
    """

    def __init__(self, most: int = _REMEMBERED, peaks: bool = False) -> None:
        self._most, self._peaks = most, peaks
        self._cache: dict[Hashable, tuple[object, Cost]] = {}
        self._lock = Lock()
        self.shared = 0  # times that something was at hand

    def get(self, key: Hashable, make: Callable[[], _Result]) -> tuple[_Result, Cost, bool]:
        """What `make` makes, what that cost when it was made, and whether it was at hand."""
        with self._lock:
            if (entry := self._cache.get(key)) is not None:
                self.shared += 1
                return entry[0], entry[1], True  # type: ignore[return-value] # a key is of one kind of result
        result, spent = measured(make, self._peaks)
        with self._lock:
            while len(self._cache) >= self._most:
                self._cache.pop(next(iter(self._cache)))
            self._cache[key] = result, spent
        return result, spent, False
