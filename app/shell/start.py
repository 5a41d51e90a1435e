"""From a workspace path to a running window, with nothing heavy on the way to the first paint."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import cast

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.look import theme
from app.look.motion import set_motion
from app.session import operations
from app.session.errors import ErrorHandler
from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow

FIRST_PAINT = "CLEW_FIRST_PAINT"  # set by the benchmark: tell the moment of the first paint and quit
SETTINGS = "CLEW_SETTINGS"  # a file for the window's settings instead of the person's own


def run(workspace: Path | None = None) -> int:
    """Open the window and stay until it is closed. Returns the exit code."""
    QCoreApplication.setApplicationName("Clew")  # not shown
    QCoreApplication.setOrganizationName("Clew")  # not shown
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    QApplication.setDesktopFileName("clew")
    settings = os.environ.get(SETTINGS)
    preferences = Preferences(Path(settings) if settings else None)
    theme.apply(app, cast(theme.Mode, preferences.theme), preferences.text_size)
    set_motion(False if preferences.less_motion else None)
    session = Session()
    handler = ErrorHandler()
    handler.install()
    window = MainWindow(session, preferences, handler)
    if os.environ.get(FIRST_PAINT):
        watch = FirstPaint(window.start.sample)
        watch.setParent(app)
    window.show()
    if workspace is not None:
        QTimer.singleShot(0, lambda: operations.open_workspace(session, workspace))
    code = app.exec()
    session.close()
    handler.uninstall()
    return int(code)


class FirstPaint(QObject):
    """Prints one JSON line when a widget is painted for the first time, then quits.

    `at` is the system's monotonic clock in seconds, `heavy` the heavy modules imported by then.
    """

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self._watched = watched
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if watched is self._watched and event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self._report)  # once the paint has run
        return False

    def _report(self) -> None:
        heavy = [name for name in ("torch", "spacy", "sentence_transformers") if name in sys.modules]
        print(json.dumps({"at": time.monotonic(), "heavy": heavy}), flush=True)
        QTimer.singleShot(0, QApplication.quit)
