"""The `clew` command: with a subcommand it calls core.cli and never imports Qt; alone it opens the window."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from pathlib import Path

LIBRARIES = "libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libxcb-cursor0"


def main(argv: list[str] | None = None) -> int:
    """Exit code 0 on success, 1 on a failure told in one line, 2 on bad usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] not in ("open", "--workspace"):
        from core.cli import main as command

        atexit.register(gc.freeze)  # no last look for cycles: a fifth of a second where models were loaded
        return int(command(arguments) or 0)
    return _open(arguments)


def _open(arguments: list[str]) -> int:
    """`open [WORKSPACE]` or `--workspace WORKSPACE` or nothing."""
    rest = [word for word in arguments if word not in ("open", "--workspace")]
    if any(word in ("-h", "--help") for word in rest):
        print("Usage: clew open [WORKSPACE]\n\n  Open the workbench, on a workspace if one is given.")
        return 0
    if len(rest) > 1 or any(word.startswith("-") for word in rest):
        print("Usage: clew open [WORKSPACE]", file=sys.stderr)
        return 2
    if not has_display():
        print(
            "There is no display to open a window on. Use `clew ask`, or start Clew from a desktop session.",
            file=sys.stderr,
        )
        return 1
    try:
        from app.shell.start import run
    except ImportError as error:
        print(
            f"The window cannot start: {error}. On Debian: apt-get install {LIBRARIES}",
            file=sys.stderr,
        )
        return 1
    return run(Path(rest[0]).expanduser() if rest else None)


def has_display() -> bool:
    """Return whether a window can be shown; Qt would abort where it cannot."""
    if sys.platform in ("win32", "darwin") or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
