"""Pictures for a person to look at, in every look that the window has."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication

from app.look import theme
from app.shell.main_window import MainWindow
from tests.e2e.test_first_session import picture
from tests.waiting import process_events

SIZES = ((1440, 900), (2560, 1440))


def pictures(window: MainWindow, name: str, ready: Callable[[], object] = process_events) -> None:
    """In light and dark, on a usual and on a large screen; `ready` is called before each. Ends as it began."""
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
