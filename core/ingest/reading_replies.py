"""What the reading process says to the one that asked it. Kept apart from the readers, which take time to load."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import LoadedPart

OUTGROWN = 77  # exit code of the process when no memory was left


@dataclass(frozen=True, slots=True)
class Began:
    """Something is being opened or read (see `Walk`): what goes wrong from here on happened to it."""

    key: str


@dataclass(frozen=True, slots=True)
class Beat:
    """A sign of life within a long part, such as a page that was recognised."""


@dataclass(frozen=True, slots=True)
class Read:
    """A part, with its document or its reason."""

    part: LoadedPart


@dataclass(frozen=True, slots=True)
class Refused:
    """The file cannot be read at all; the process is well."""

    reason: str
    remedy: str
    raw: str


@dataclass(frozen=True, slots=True)
class Ended:
    """All of the file was read. `tired`: the process has grown and should be replaced."""

    tired: bool


Reply = Began | Beat | Read | Refused | Ended


def lost_name(key: str, taken: set[str]) -> str:
    """The name of the part that tells why what `key` stands for could not be read."""
    name = key.removesuffix("/")
    return name if name not in taken else "/".join(filter(None, (name, "unread parts")))
