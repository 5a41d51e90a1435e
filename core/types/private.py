"""Private documents, and why they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PrivateReason(StrEnum):
    """Why a document is private: its own mark, that of a folder, its content, or what stood at its path before."""

    MARK = "mark"
    FOLDER = "folder"
    CONTENT = "content"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class PrivateDocument:
    """A private document; `source` is the path of the mark, or of the document that it copies."""

    id: str
    path: str
    reason: PrivateReason
    source: str
