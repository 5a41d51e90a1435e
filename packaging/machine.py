"""This machine: the libraries and compiler that it lacks, its display, and signs of life for the person who waits."""

import ctypes
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

QT_LIBRARIES = {  # what Qt loads -> the Debian package that holds it
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libgthread-2.0.so.0": "libglib2.0-0",
}
DISPLAY_LIBRARIES = {  # what it needs besides to open a window on an X display
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
TEST_PROGRAMS = {
    "tesseract": "tesseract-ocr"
}  # its package brings English; without it tests of OCR are skipped


def environment() -> dict[str, str]:
    """This process's variables, without those that would lead .venv's Python to other packages."""
    drop = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {name: value for name, value in os.environ.items() if name not in drop} | {"PYTHONNOUSERSITE": "1"}


def system_packages(ready: bool, tests: bool = False) -> list[str]:
    """Debian names of what the system lacks: libraries for Qt and, before the first setup, a compiler.

    With `tests` also programs that only the tests need.
    """
    if not sys.platform.startswith("linux"):
        return []
    libraries = QT_LIBRARIES | DISPLAY_LIBRARIES
    missing = [package for library, package in libraries.items() if not loads(library)]
    if tests:
        missing += [package for program, package in TEST_PROGRAMS.items() if shutil.which(program) is None]
    if not ready:
        minor = sys.version_info[1]
        if compiler() is None:
            missing.append("g++")
        if not headers().exists():
            missing.append(f"python3.{minor}-dev")
        if importlib.util.find_spec("ensurepip") is None:
            missing.append(f"python3.{minor}-venv")
    return missing


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def compiler() -> str | None:
    return next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)


def headers() -> Path:
    return Path(sysconfig.get_paths()["include"]) / "Python.h"


def can_compile() -> bool:
    """Whether hnswlib can be built. Elsewhere than on Linux only trying tells."""
    return not sys.platform.startswith("linux") or (compiler() is not None and headers().exists())


def install_system_packages(names: list[str]) -> list[str]:
    """Install with apt-get as root on Debian and its children. Returns what is still missing."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        print(f"Missing on this system: {', '.join(names)}. {how_to_install(names)}", flush=True)
        return names
    quiet = environment() | {"DEBIAN_FRONTEND": "noninteractive"}
    with step(f"Installing system packages: {' '.join(names)}") as say:
        for words in (["update"], ["install", "-y", "--no-install-recommends", *names]):
            command = ["apt-get", "-q", *words]
            done = subprocess.run(
                command, env=quiet, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            if done.returncode != 0 and words != ["update"]:
                lines = done.stderr.strip().splitlines() or ["apt-get said nothing"]
                say(f"failed: {lines[-1]}")
    importlib.invalidate_caches()
    return [name for name in system_packages(ready=False, tests=True) if name in names]


def how_to_install(names: list[str]) -> str:
    """The one command that installs them, or what to look for on other systems."""
    if shutil.which("apt-get"):
        return f"Run: sudo apt-get install {' '.join(names)}"
    libraries = [file for file, package in (QT_LIBRARIES | DISPLAY_LIBRARIES).items() if package in names]
    others = ["a C++ compiler"] if "g++" in names else []
    others += ["Python's headers"] if any(name.endswith("-dev") for name in names) else []
    others += ["Python's venv module"] if any(name.endswith("-venv") for name in names) else []
    others += [program for program, package in TEST_PROGRAMS.items() if package in names]
    return f"Install with your system's package manager: {', '.join(libraries + others)}."


def has_display() -> bool:
    """Whether a person would see a window."""
    if os.environ.get("QT_QPA_PLATFORM", "").split(":")[0] in ("offscreen", "minimal", "vnc"):
        return False
    if sys.platform in ("win32", "darwin") or os.environ.get("WAYLAND_DISPLAY"):
        return True
    display = os.environ.get("DISPLAY", "")
    if not display.startswith(":"):
        return bool(display)
    # A display that nobody serves any more would end the window with an abort.
    address = "/tmp/.X11-unix/X" + display[1:].split(".")[0]
    for name in (address, "\0" + address):
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(name) == 0:
                return True
    return False


@contextmanager
def step(words: str) -> "Iterator[Say]":
    """Say what is going on, that it still goes on, and how long it took."""
    begin = time.monotonic()
    over = threading.Event()
    say = Say()
    print(f"  {words} ...", end="", flush=True)
    ticker = threading.Thread(target=_tick, args=(words, begin, over), daemon=True)
    ticker.start()
    try:
        yield say
    except BaseException:
        say("failed")
        raise
    finally:
        over.set()
        ticker.join()
        again = f"\r  {words} ..." if sys.stdout.isatty() else ""
        print(f"{again} {say.outcome} ({time.monotonic() - begin:.0f} s)", flush=True)


class Say:
    """How a step ended, if not simply done."""

    outcome = "done"

    def __call__(self, outcome: str) -> None:
        self.outcome = outcome


def _tick(words: str, begin: float, over: threading.Event) -> None:
    terminal = sys.stdout.isatty()
    while not over.wait(1 if terminal else 30):
        seconds = f"{time.monotonic() - begin:.0f} s"
        print(f"\r  {words} ... {seconds}" if terminal else f" {seconds} ...", end="", flush=True)
