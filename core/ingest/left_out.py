"""Names in a folder that are no documents: hidden, locks, and what programs leave while they write."""

from __future__ import annotations

SYSTEM = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
DOWNLOADS = frozenset({".part", ".partial", ".crdownload", ".download", ".opdownload", ".aria2", ".filepart"})
SCRATCH = frozenset({".tmp", ".temp", ".swp", ".swx", ".swo"})
_UNFINISHED = DOWNLOADS | SCRATCH


def left_out(name: str) -> bool:
    """Whether a file or folder of this name (no path) is none of the person's documents."""
    low = name.lower()
    return (
        low.startswith((".", "~$"))
        or low.endswith("~")
        or (low.startswith("#") and low.endswith("#"))
        or low in SYSTEM
        or _ending(low) in _UNFINISHED
    )


def is_download(name: str) -> bool:
    """Whether a file of this name (no path) is a download on its way."""
    return _ending(name.lower()) in DOWNLOADS


def _ending(name: str) -> str:
    # No path is made of it: this is asked of every file in every run.
    return name[name.rfind(".") :] if "." in name else ""
