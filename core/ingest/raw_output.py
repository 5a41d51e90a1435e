"""What a reader said about a file that it could not read: kept for whoever wants to know more than the reason."""

from __future__ import annotations

import traceback

from core.errors import DocumentError

MOST = 4_000  # characters that are kept
LONGEST_MESSAGE = 1_000  # characters of one error's message; parsers quote the file in theirs
KEPT = "\n\t"


def said_by(error: DocumentError) -> str:
    """Its raw output, else class and message of the errors that led to it, the nearest first; "" for neither.

    Only stated causes (`raise ... from`) count: the words of `error` itself are told as the reason.
    """
    if error.raw:
        return error.raw
    lines: list[str] = []
    cause = error.__cause__
    while cause is not None and len(lines) < 10:
        lines.append(named(cause))
        cause = cause.__cause__
    return "\n".join(lines)


def named(error: BaseException) -> str:
    """ "PdfiumError: Failed to load document"."""
    message = str(error).strip()[:LONGEST_MESSAGE]
    return f"{type(error).__name__}: {message}".rstrip(": ")


def traced(error: BaseException) -> str:
    """The end of the error's traceback."""
    return "".join(traceback.format_exception(error)).strip()[-MOST:]


def joined(said: str, printed: bytes) -> str:
    """What was said and the last of what was printed, at most MOST characters, harmless on a terminal."""
    words = _harmless(said.strip())[:MOST]
    room = MOST - len(words) - 1
    tail = _harmless(printed.decode("utf-8", "replace").strip())
    if len(tail) > room:
        tail = tail[len(tail) - max(0, room) :].partition("\n")[2]  # whole lines
    return "\n".join(part for part in (words, tail) if part)


def _harmless(text: str) -> str:
    """Without escape sequences, and such that UTF-8 can hold it."""
    text = text.replace("\r\n", "\n")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in KEPT else c.encode("unicode_escape").decode() for c in text)
