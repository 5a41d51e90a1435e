"""How many threads numpy multiplies matrices with."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_limit = contextlib.ExitStack()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """For many small multiplications: threads that wait for each other after each take fifty times as long where
    other programs take a core now and then. Holds for the whole process until all that are inside have left."""
    global _inside
    with _lock:
        if not _inside:
            _limit.enter_context(_controller().limit(limits=1, user_api="blas"))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.close()


@cache
def _controller() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
