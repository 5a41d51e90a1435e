"""Short movements, and whether things may move at all: of a wish for less motion Qt 6.10 tells nothing."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEasingCurve, QObject, QProcess, QSettings, QStandardPaths, QVariantAnimation

_SPI_GETCLIENTAREAANIMATION = 0x1042
MOTION_MS = 160  # every movement stays under 200 ms
_system = {"less": False}  # as it said when it was asked last
_person: dict[str, bool | None] = {"wanted": None}  # None: as the system has it


def may_move() -> bool:
    """Return whether things may move: not where the system asks for less motion, or after `set_motion(False)`."""
    wanted = _person["wanted"]
    return not _system["less"] if wanted is None else wanted


def set_motion(wanted: bool | None) -> None:
    """Force motion on or off; None follows the system."""
    _person["wanted"] = wanted


def ask_system(owner: QObject) -> None:
    """Ask it now; GNOME answers a moment later, from a process of its own."""
    _system["less"] = _system_reduces_motion()
    program = QStandardPaths.findExecutable("gsettings")
    if not program or "GNOME" not in os.environ.get("XDG_CURRENT_DESKTOP", ""):
        return
    asked = QProcess(owner)
    asked.finished.connect(lambda: _take(asked))
    asked.start(program, ["get", "org.gnome.desktop.interface", "enable-animations"])


def _take(asked: QProcess) -> None:
    _system["less"] = bytes(asked.readAllStandardOutput().data()).strip() == b"false"
    asked.deleteLater()


def _system_reduces_motion() -> bool:
    if sys.platform == "win32":
        enabled = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(_SPI_GETCLIENTAREAANIMATION, 0, ctypes.byref(enabled), 0)
        return not enabled.value
    if sys.platform == "darwin":
        plist = Path.home() / "Library/Preferences/com.apple.universalaccess.plist"
        return bool(int(str(QSettings(str(plist), QSettings.Format.NativeFormat).value("reduceMotion", 0))))
    place = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation))
    plasma = QSettings(str(place / "kdeglobals"), QSettings.Format.IniFormat)
    gtk = QSettings(str(place / "gtk-3.0/settings.ini"), QSettings.Format.IniFormat)
    moves = str(gtk.value("Settings/gtk-enable-animations", "true")).lower()
    return str(plasma.value("KDE/AnimationDurationFactor", "1")) == "0" or moves in ("false", "0")


class Glide(QObject):
    """Runs one movement at a time: `step(share)` is called with 0..1 eased; the last call has 1."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._animation.valueChanged.connect(self._stepped)
        self._step: Callable[[float], None] | None = None

    @property
    def running(self) -> bool:
        return self._animation.state() == QVariantAnimation.State.Running

    def run(self, step: Callable[[float], None], milliseconds: int) -> None:
        """Start, in place of a movement that is under way; at once with 0 ms or without motion."""
        self._animation.stop()
        if milliseconds <= 0 or not may_move():
            self._step = None
            step(1.0)
            return
        self._step = step
        self._animation.setDuration(milliseconds)
        self._animation.start()

    def finish(self) -> None:
        """Jump to the end."""
        if self.running and self._step is not None:
            step = self._step
            self._animation.stop()
            step(1.0)

    def _stepped(self, share: float) -> None:
        if self._step is not None and self.running:
            self._step(float(share))
