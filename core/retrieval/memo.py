"""What modules made for questions, kept for the compositions that share them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar

from core.types.cost import Cost, measured

_REMEMBERED = 5_000  # results of modules
_Made = TypeVar("_Made")


class Memo:
    """What modules made, by all that it was made of: two compositions that share a module run it once for a question.

    Of one snapshot only. Safe from several threads, of which two may make the same at once. `peaks`: whether to measure
    memory, where one thread works alone.
    """

    def __init__(self, most: int = _REMEMBERED, peaks: bool = False) -> None:
        self._most, self._peaks = most, peaks
        self._held: dict[Hashable, tuple[object, Cost]] = {}
        self._lock = Lock()
        self.shared = 0  # times that something was at hand

    def get(self, key: Hashable, make: Callable[[], _Made]) -> tuple[_Made, Cost, bool]:
        """What `make` makes, what that cost when it was made, and whether it was at hand."""
        with self._lock:
            if (held := self._held.get(key)) is not None:
                self.shared += 1
                return held[0], held[1], True  # type: ignore[return-value] # a key is of one kind of result
        made, spent = measured(make, self._peaks)
        with self._lock:
            while len(self._held) >= self._most:
                self._held.pop(next(iter(self._held)))
            self._held[key] = made, spent
        return made, spent, False
