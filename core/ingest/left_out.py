"""Names in a folder that are no documents: hidden, locks, and what programs leave while they write."""

from __future__ import annotations

from pathlib import PurePath

SYSTEM = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
DOWNLOADS = frozenset({".part", ".partial", ".crdownload", ".download", ".opdownload", ".aria2", ".filepart"})
SCRATCH = frozenset({".tmp", ".temp", ".swp", ".swx", ".swo"})


def left_out(name: str) -> bool:
    """Whether a file or folder of this name (no path) is none of the person's documents."""
    low = name.lower()
    return (
        low.startswith((".", "~$"))
        or low.endswith("~")
        or (low.startswith("#") and low.endswith("#"))
        or low in SYSTEM
        or PurePath(low).suffix in DOWNLOADS | SCRATCH
    )


def is_download(name: str) -> bool:
    """Whether a file of this name (no path) is a download on its way."""
    return PurePath(name.lower()).suffix in DOWNLOADS
