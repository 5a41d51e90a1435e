"""Makes text storable as its author wrote it, and plain where words are compared: in titles, names, a printed page."""

from __future__ import annotations

import re
import unicodedata

BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, byte order marks, marks between lines, lone surrogates; overrides, which show a text as another one.
DROPPED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202d\u202e\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]")
# Soft hyphens, zero-width spaces, direction marks. Joiners U+200C/D carry meaning and are no part of it.
INVISIBLE = "[\xad\u061c\u200b\u200e\u200f\u202a-\u202c\u2060-\u2064\u2066-\u2069]"
SPACES = r"(?: {2,}|[^\S\n\t ])[^\S\n\t]*"  # single spaces are left alone, for speed
UNPLAIN = re.compile(f"{INVISIBLE}+|{SPACES}")
# Accents on one letter beyond what Unicode's stream-safe form allows (UAX 15, section 13): sorting them is quadratic.
MARK = (
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0730-\u074a\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe20-\ufe2f]"
)
STACKED = re.compile(f"({MARK}{{30}}){MARK}+")
BLANK_LINES = re.compile(r"\n{3,}")
INDENT = " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"


def clean(text: str) -> str:
    """Every letter and space as written, in NFC; line breaks as \\n, at most one blank line in a row.

    White space at the ends of a line goes, but for tabs at its beginning.
    """
    return _in_lines(_letters(text))


def plain(text: str) -> str:
    """Cleaned, without characters that nobody sees, and with single spaces."""
    return _in_lines(re.sub(SPACES, " ", _letters(re.sub(INVISIBLE, "", text))))


def _letters(text: str) -> str:
    text = DROPPED.sub("", BREAKS.sub("\n", text))
    return text if text.isascii() else unicodedata.normalize("NFC", STACKED.sub(r"\1", text))


def _in_lines(text: str) -> str:
    text = "\n".join(line.rstrip().lstrip(INDENT) for line in text.split("\n"))
    return BLANK_LINES.sub("\n\n", text).strip()


def one_line(text: str) -> str:
    """Plain and on one line: for titles and names."""
    return " ".join(plain(text).split())


def joined_lines(text: str) -> str:
    """Cleaned, its lines joined by spaces: for cells and list items."""
    return " ".join(filter(None, clean(text).split("\n")))
