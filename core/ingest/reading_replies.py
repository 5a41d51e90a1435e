"""What the reading process replies to the one that asked it, and the raw output of what it could not read.

Apart from the readers, which take time to load.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass

from core.errors import DocumentError
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


MOST_RAW = 4_000  # characters that are kept
LONGEST_MESSAGE = 1_000  # characters of one error's message; parsers quote the file in theirs
_ALLOWED = "\n\t"


def raw_of(error: DocumentError) -> str:
    """Its raw output, else class and message of the errors that led to it, the nearest first; "" for neither.

    Only stated causes (`raise ... from`) count: the words of `error` itself are told as the reason.
    """
    if error.raw:
        return error.raw
    lines: list[str] = []
    cause = error.__cause__
    while cause is not None and len(lines) < 10:
        lines.append(describe_error(cause))
        cause = cause.__cause__
    return "\n".join(lines)


def describe_error(error: BaseException) -> str:
    """ "PdfiumError: Failed to load document"."""
    message = str(error).strip()[:LONGEST_MESSAGE]
    return f"{type(error).__name__}: {message}".rstrip(": ")


def traceback_end(error: BaseException) -> str:
    """The end of the error's traceback."""
    return "".join(traceback.format_exception(error)).strip()[-MOST_RAW:]


def join_output(stated: str, printed: bytes) -> str:
    """What was said and the last of what was printed, at most MOST_RAW characters, harmless on a terminal."""
    words = _harmless(stated.strip())[:MOST_RAW]
    room = MOST_RAW - len(words) - 1
    tail = _harmless(printed.decode("utf-8", "replace").strip())
    if len(tail) > room:
        tail = tail[len(tail) - max(0, room) :].partition("\n")[2]  # whole lines
    return "\n".join(part for part in (words, tail) if part)


def _harmless(text: str) -> str:
    """Without escape sequences, and such that UTF-8 can hold it."""
    text = text.replace("\r\n", "\n")
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _ALLOWED else c.encode("unicode_escape").decode() for c in text
    )
