"""Garbage is collected on the GUI thread only, where Qt objects may die.

Python collects on whatever thread happens to allocate; a cycle with a widget or a timer in it that
is collected on a worker thread takes the window down: its destructor runs there, beside whatever Qt does on
this one. So automatic collection is off while a session or a thread of it lives, and a timer does the same by the
same thresholds. Off is a threshold of 0, not `gc.disable`: srsly, by which spaCy reads its files, calls `gc.enable`.

A pass looks at all that was made since the one before, and nobody else runs meanwhile: half a million objects
that another thread reads stop the window for 0.2 s. So there is none while much is read, and what was read is left out.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QObject, QTimer

LOOK_MS = 400
GROWN = 1.25  # times the memory after the last full pass, before the next: Python's own rule, for these take 0.1 s
FLOOD = 20_000  # objects that one reading leaves: fewer are looked at in a few milliseconds
_guard = threading.Lock()
_holding = 0


@contextmanager
def pause_collection() -> Iterator[None]:
    """Suspend garbage collection by a session, on any thread; later passes skip the objects made meanwhile.

    For whatever makes many objects that stay: models, the whole graph.
    """
    global _holding
    with _guard:
        _holding += 1
    try:
        yield
    finally:
        with _guard:
            _holding -= 1
            if gc.get_count()[0] > FLOOD:
                gc.freeze()


class GuiCollector(QObject):
    """Collects on the thread that it lives on until `close`. One at a time does the work."""

    _working = 0
    _thresholds = gc.get_threshold()  # of Python, while they are ours

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._open = self._owns_gc = True
        self._after = 0  # blocks of memory that the last full pass left
        self._passes = 0  # of the middle generation, when these blocks were counted last
        with _guard:
            if gc.get_threshold()[0]:  # else it was not handed back yet
                GuiCollector._thresholds = gc.get_threshold()
                gc.set_threshold(0)
            GuiCollector._working += 1
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> int:
        """Collect the oldest generation that is due; return its number, or -1 where none was."""
        if _holding:
            return -1
        counts, thresholds = gc.get_count(), GuiCollector._thresholds
        for generation in (2, 1, 0):
            if not thresholds[generation] or counts[generation] <= thresholds[generation]:
                continue
            if generation == 2 and not self._grown(counts[2]):
                continue
            gc.collect(generation)
            if generation == 2:
                self._after, self._passes = sys.getallocatedblocks(), 0
            return generation
        return -1

    def _grown(self, passes: int) -> bool:
        """Return whether memory has grown well beyond what the last full pass left; counting is slow."""
        counted, self._passes = self._passes, passes
        return passes != counted and sys.getallocatedblocks() > GROWN * self._after

    def close(self) -> None:
        """Stop collecting; `let_go` is to follow. Safe to call twice."""
        if self._open:
            self._open = False
            self._timer.stop()
            gc.collect(1)

    def let_go(self) -> None:
        """Hand collection back to Python with the last one, once no thread runs Python any more. From any thread, safe
        twice.

        On the GUI thread only, and never where that looks for events no more: whichever thread makes an object next
        collects all that has waited.
        """
        with _guard:
            if not self._owns_gc:
                return
            self._owns_gc = False
            GuiCollector._working -= 1
        if (app := QCoreApplication.instance()) is not None:
            QTimer.singleShot(0, app, _hand_back)


def _hand_back() -> None:
    gc.collect(1)  # nothing is due for whoever makes an object next
    with _guard:
        if GuiCollector._working == 0:
            gc.set_threshold(*GuiCollector._thresholds)
