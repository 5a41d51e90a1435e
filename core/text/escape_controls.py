"""Keep hostile text harmless: escape control characters, and check what a person typed."""

from __future__ import annotations

import os
import re
from typing import TypeVar

from core.errors import BadInput
from core.text.translation import tr

# Controls (C0, DEL, C1), line and paragraph separators, halves of surrogate pairs: bytes of a name that are no text.
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
# Marks that turn the direction of what follows: a program's name would read as that of a PDF.
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_UNSEEN = re.compile(f"[{_CONTROLS}{DIRECTIONS}]")
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")  # would begin another cell or row
# What a spreadsheet takes for a formula, also in quotes, which it takes off, and as a full-width sign.
_FORMULA = re.compile(r"[\s\"'\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:e[+-]?\d+)?\s?%?", re.IGNORECASE)


def escape_controls(text: str, keep: str = "") -> str:
    r"""`text` with controls and marks of direction as escapes, but for those in `keep`.

    For names, paths and lines of output: "a\nb" -> "a\\nb", an override of direction -> "\\u202e". What it gives
    it leaves alone when it is given it again.
    """
    return _UNSEEN.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), text)


def spreadsheet_cell(text: str, harmless: bool = True) -> str:
    """Return one cell on one line; with `harmless` an apostrophe stands before what is no number and begins as a
    formula does."""
    words = _BREAKS.sub(" ", text)
    runs = harmless and _FORMULA.match(words) and not _NUMBER.fullmatch(words.strip())
    return f"'{words}" if runs else words


def readable(name: str) -> str:
    r"""Return a name of a file system as UTF-8 can hold it: bytes that are none as "\xff"."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _escaped(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is no UTF-8, as `readable` writes it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]


LONGEST_QUESTION = 2_000  # characters
_T = TypeVar("_T")


def checked(question: str) -> str:
    """The question without outer white space. Raises BadInput when it is empty or too long."""
    # Lone surrogates stand in arguments that are no UTF-8.
    clean = " ".join(question.encode("utf-8", "replace").decode().split())
    if not clean:
        raise BadInput(tr("The question is empty."), tr("Type what you want to know."))
    if len(clean) > LONGEST_QUESTION:
        raise BadInput(
            tr(
                "The question has {count} characters; at most {longest_question} are read.",
                count=len(clean),
                longest_question=LONGEST_QUESTION,
            ),
            tr("Shorten it to what you want to know."),
        )
    return clean


def choose(what: str, name: str, table: dict[str, _T]) -> _T:
    """The entry `name` of a table. Raises BadInput that names the choices."""
    if name not in table:
        raise BadInput(
            tr("There is no {what} called {name}.", what=tr(what), name=repr(name)),
            tr("Choose one of: {names}.", names=", ".join(sorted(table))),
        )
    return table[name]
