"""Pictures for a person to look at, of every look that the window has: saved where CLEW_SCREENSHOTS names a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.look import theme
from app.shell.main_window import MainWindow
from tests.waiting import process_events

FOLDER = os.environ.get("CLEW_SCREENSHOTS", "")
SIZES = ((1440, 900), (2560, 1440))


def picture(window: MainWindow, name: str) -> None:
    """As the window is now."""
    if FOLDER:
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        assert window.grab().save(str(Path(FOLDER, f"{name}.png")))


def pictures(window: MainWindow, name: str, ready: Callable[[], object] = process_events) -> None:
    """In light and dark, on a usual and on a large screen; `ready` is called before each. Ends as it began."""
    if not FOLDER:
        ready()
        return
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = window.size()
    for width, height in SIZES:
        window.resize(width, height)
        for look in ("light", "dark"):
            theme.apply(app, look)
            process_events()
            ready()
            process_events()
            picture(window, f"{name}-{look}-{width}x{height}")
    theme.apply(app, "light")
    window.resize(before)
    process_events()
