"""Names in a folder that are no documents: hidden, locks, and what programs leave while they write."""

from __future__ import annotations

import os.path

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
        or os.path.splitext(low)[1] in _UNFINISHED
    )


def is_download(name: str) -> bool:
    """Whether a file of this name (no path) is a download on its way."""
    return os.path.splitext(name.lower())[1] in DOWNLOADS
