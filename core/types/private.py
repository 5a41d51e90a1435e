"""What a person keeps private, and who may see it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

OWNER = "owner"  # the profile that sees all
GUEST = "guest"  # the profile that there is when something was marked
PRIVATE = "private"  # what a mark is called where nobody says otherwise


@dataclass(frozen=True, slots=True)
class PrivateMark:
    """A document, or a folder with all that lies in it, by its path in the workspace; "" is every document."""

    path: str
    name: str = PRIVATE


class PrivateReason(StrEnum):
    """Why a document is private: its own mark, that of a folder, what it holds, or what stood at its path."""

    MARK = "mark"
    FOLDER = "folder"
    CONTENT = "content"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class PrivateDocument:
    """A document that a mark keeps private; `source` is the path of the mark, or of the document that it copies."""

    id: str
    path: str
    name: str
    reason: PrivateReason
    source: str


@dataclass(frozen=True, slots=True)
class Profile:
    """Somebody who sees what is not private, and what is by these marks alone."""

    name: str
    sees: tuple[str, ...] = ()
