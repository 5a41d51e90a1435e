"""Whether the desktop asks for less motion. Qt 6.10 tells of contrast and colours, not of this."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QSettings, QStandardPaths

_SPI_GETCLIENTAREAANIMATION = 0x1042
_wish = {"less": False}


def system_wants_less() -> bool:
    """As the system said when it was asked last."""
    return _wish["less"]


def ask_system(owner: QObject) -> None:
    """Ask it now; GNOME answers a moment later, from a process of its own."""
    _wish["less"] = _system_reduces_motion()
    program = QStandardPaths.findExecutable("gsettings")
    if not program or "GNOME" not in os.environ.get("XDG_CURRENT_DESKTOP", ""):
        return
    asked = QProcess(owner)
    asked.finished.connect(lambda: _take(asked))
    asked.start(program, ["get", "org.gnome.desktop.interface", "enable-animations"])


def _take(asked: QProcess) -> None:
    _wish["less"] = bytes(asked.readAllStandardOutput().data()).strip() == b"false"
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
