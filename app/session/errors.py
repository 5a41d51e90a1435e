"""The one way of what goes wrong: known failures to the message bar, bugs to a report to copy."""

from __future__ import annotations

import platform
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import metadata
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QWidget,
)

from app.look.translation import tr
from app.widgets.buttons import push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from core.errors import CoreError, NothingIndexed, Untrusted
from core.progress import Cancelled

PACKAGES = ("PySide6_Essentials", "pyqtgraph", "numpy", "spacy", "torch", "hnswlib", "igraph", "kreuzberg")
OPEN_A_FOLDER = tr("Open a folder first: Workspace, Open a folder (Ctrl+O).")


class ErrorHandler(QObject):
    """Takes every exception that nobody caught, from any thread.

    `known` carries a CoreError for the message bar, `bug` the plain text of a report. Both arrive on
    the thread of this object.
    """

    known = Signal(object)
    bug = Signal(str)
    _caught = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._caught.connect(self._sort)
        self._restore: Callable[[], None] | None = None

    def install(self) -> None:
        """Take over the hooks of the interpreter. Undone by `uninstall`."""
        before = (sys.excepthook, threading.excepthook, sys.unraisablehook)

        def restore() -> None:
            sys.excepthook, threading.excepthook, sys.unraisablehook = before

        self._restore = restore
        sys.excepthook = self._on_exception
        threading.excepthook = lambda args: self.take(args.exc_value)
        sys.unraisablehook = lambda args: self.take(args.exc_value)

    def uninstall(self) -> None:
        if self._restore is not None:
            self._restore()
            self._restore = None

    def take(self, error: BaseException | None) -> None:
        """Handle an exception, from any thread: a known failure, or a bug."""
        if error is None or isinstance(error, SystemExit):
            return
        if not isinstance(error, CoreError):
            traceback.print_exception(error)  # a terminal, where there is one, sees it too
        try:
            self._caught.emit(error)
        except RuntimeError:  # at the end of the program the Qt object is gone; it was printed
            self.uninstall()

    def _on_exception(self, kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QGuiApplication.quit()
        else:
            self.take(error)

    def _sort(self, error: BaseException) -> None:
        if isinstance(error, Cancelled):
            return
        if isinstance(error, CoreError):
            self.known.emit(error)
        else:
            self.bug.emit(report(error))


def report(error: BaseException | None, more: str = "") -> str:
    """Return what a developer needs: the traceback and versions, and no text of documents."""
    lines = [f"Clew {_version('clew')} on {platform.platform()}"]  # not shown
    lines.append(f"Python {platform.python_version()}, Qt {qVersion()}")  # not shown
    lines.append(", ".join(f"{name} {_version(name)}" for name in PACKAGES))
    lines.append("")
    if error is not None:
        lines.append("".join(traceback.format_exception(error)))
    if more:
        lines.append(more)
    return "\n".join(lines).rstrip() + "\n"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"  # not shown


class BugDialog(QDialog):
    """A bug, told without blocking the window: what happened, and a report to copy."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Clew made a mistake"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self.resize(680, 420)
        heading = PlainLabel(tr("Something went wrong inside Clew"), "heading")
        words = PlainLabel(
            tr(
                "Your documents and the workspace are safe, and you can go on. The report below stays on this "
                "machine; copy it into an issue if you want it mended. Read it first: it may hold names of files."
            ),
            wrap=True,
        )
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        copy = QGuiApplication.clipboard().setText
        self.copy_button = push_button(tr("Copy the report"), lambda: copy(self.text.toPlainText()))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        column(heading, words, self.text, buttons, margins=24, on=self)

    def add(self, text: str) -> None:
        """Add another bug to the open dialog: one dialog, one report."""
        self.text.appendPlainText("\n" + "-" * 72 + "\n" + text)


def in_window(error: CoreError) -> CoreError:
    """Return the same failure with a remedy that can be followed in the window."""
    if isinstance(error, NothingIndexed):
        error.remedy = OPEN_A_FOLDER
    elif isinstance(error, Untrusted):
        error.remedy = tr("Trust it if it is yours: it is then brought up to date.")
    return error
