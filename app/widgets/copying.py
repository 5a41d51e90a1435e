"""Rows on their way to the clipboard, from where they may go into a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PySide6.QtGui import QGuiApplication

_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]")  # would begin another cell or row
# What a spreadsheet takes for a formula, also in quotes, which it takes off, and as a full-width sign.
_FORMULA = re.compile(r"[\s\"'\u200b\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d[\d.,]*(?:e[+-]?\d+)?\s?%?", re.IGNORECASE)


class _Setting:
    harmless = True


def set_harmless(wanted: bool) -> None:
    """Whether cells that a spreadsheet would run are copied as text; the person's setting."""
    _Setting.harmless = wanted


def cell(text: str, harmless: bool = True) -> str:
    """One cell on one line. `harmless`: an apostrophe before what is no number and begins as a formula does."""
    words = _BREAKS.sub(" ", text)
    runs = harmless and _FORMULA.match(words) and not _NUMBER.fullmatch(words.strip())
    return f"'{words}" if runs else words


def copy_rows(rows: Iterable[Sequence[str]]) -> None:
    """Rows of cells as text with tabs."""
    lines = ("\t".join(cell(text, _Setting.harmless) for text in row) for row in rows)
    QGuiApplication.clipboard().setText("\n".join(lines))
