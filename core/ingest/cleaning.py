"""Makes extracted text plain: one form of each letter, no control characters, no layout remains."""

from __future__ import annotations

import re
import unicodedata

BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Controls, soft hyphens, zero-width and direction marks, lone surrogates. Joiners U+200C/D carry meaning and stay.
DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff]"
)
SPACES = re.compile(r"(?: {2,}|[^\S\n\t ])[^\S\n\t]*")  # single spaces are left alone, for speed
# Accents on one letter beyond what Unicode's stream-safe form allows (UAX 15, section 13): sorting them is quadratic.
MARK = (
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0730-\u074a\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ufe20-\ufe2f]"
)
STACKED = re.compile(f"({MARK}{{30}}){MARK}+")
BLANK_LINES = re.compile(r"\n{3,}")


def clean(text: str) -> str:
    """NFC, line breaks as \\n, at most one blank line in a row, single spaces, tabs kept within lines."""
    text = BREAKS.sub("\n", text)
    text = DROPPED.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", STACKED.sub(r"\1", text))
    text = SPACES.sub(" ", text)
    text = "\n".join(line.rstrip(" \t").lstrip(" ") for line in text.split("\n"))
    return BLANK_LINES.sub("\n\n", text).strip()


def one_line(text: str) -> str:
    """Cleaned and on one line: for titles, names and cells."""
    return " ".join(clean(text).split())
