"""Waiting for what must come, and handling all that lies ready: no test sleeps for a fixed time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.session.tasks import TaskRunner

PATIENCE = 240.0  # seconds; far more than is needed, and never part of what a test asserts


def wait_until(condition: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Look again and again until the condition holds; fails when it never does."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, f"not within {patience:g} s"
        time.sleep(0.01)


def process_events() -> bool:
    """Handle all that lies ready in the event loop: late results, layouts, timers that are due, widgets to delete.

    False, so that a condition can begin with it: `process_events() or ...`.
    """
    from PySide6.QtCore import QCoreApplication, QEvent

    for _ in range(5):  # what is handled posts more: a resize a layout, a layout another resize
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return False


@dataclass(slots=True)
class Clock:
    """A clock that goes on only when it is told to; stands for `time.monotonic`."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def wait_until_landed(tasks: TaskRunner) -> None:
    """Return once every call that was started has ended, dropped ones too, and what was to land has landed."""
    ended = threading.Event()
    tasks.after_running(ended.set)
    wait_until(lambda: process_events() or ended.is_set())
    wait_until(lambda: process_events() or not tasks.has_results())
