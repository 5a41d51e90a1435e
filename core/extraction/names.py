"""Names as keys: two spellings of one name must fall on the same string."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LONGEST_NAME = 120  # characters; longer "names" are parse errors
# Only articles: "My First Love" and "This Is Us" are names.
DETERMINERS = frozenset({"a", "an", "the"})

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-"}
)
_EDGES = "\"'`.,;:!?()[]{}<>*_|/\\-~= \t\n"
_CLOSING = {"(": ")", "[": "]"}
_HYPHEN_SPACE = re.compile(r"(?<=[^\W\d])(?:- (?!(?:and|or|to)\b)| -)(?=[^\W\d])")
_DOTTED = re.compile(r"(?:[^\W\d_]\.){2,}")
_DISAMBIGUATION = re.compile(r"\s*\([^()]*\)\s*$")


@lru_cache(maxsize=32_768)
def normalise(name: str) -> str:
    """Key of a name: NFKC, casefolded, without determiner, possessive and outer punctuation.

    Digits are kept, so dates and amounts stay themselves. The key of a key is the key itself.
    A name of punctuation only gives "".
    """
    key = unicodedata.normalize("NFKC", name).translate(_QUOTES).casefold()
    key = _HYPHEN_SPACE.sub("-", " ".join(unicodedata.normalize("NFKC", key).split()))
    while True:
        stripped = _strip_determiner(_strip_possessive(strip_edges(key).rstrip(".")))
        if stripped == key:
            return key
        key = stripped


@lru_cache(maxsize=32_768)
def clean(name: str) -> str:
    """The name as people read it: one line, no determiner, possessive or outer punctuation."""
    text = _HYPHEN_SPACE.sub("-", " ".join(name.split()))
    while True:
        stripped = _strip_determiner(_strip_possessive(strip_edges(text)))
        if stripped == text:
            return text
        text = stripped


def without_disambiguation(title: str) -> str:
    """'Get Low (song)' -> 'Get Low'. A title that is nothing but a bracket is kept."""
    return _DISAMBIGUATION.sub("", title) or title


def strip_edges(text: str) -> str:
    """Without outer punctuation; a bracket, or the full stop of an initial, that belongs to the name stays."""
    start, end = 0, len(text)
    while start < end and text[start] in _EDGES and not _opens_inside(text[start:end]):
        start += 1
    while end > start and text[end - 1] in _EDGES and not _closes_inside(text[start:end]):
        end -= 1
    return text[start:end]


def _opens_inside(text: str) -> bool:
    closing = _CLOSING.get(text[0])
    return closing is not None and closing in text and not text.endswith(closing)


def _closes_inside(text: str) -> bool:
    last = text[-1]
    if last == "!" or last == "?":
        return False
    if last == ".":  # "Jr.", "Inc.", "J. R."
        word = text.rsplit(None, 1)[-1].lstrip("(")
        if _DOTTED.fullmatch(word):  # "D.C.", "U.S."
            return True
        return " " in text and len(word) <= 4 and word[0].isupper() and word[:-1].replace(".", "").isalpha()
    return any(last == closing and opening in text[1:] for opening, closing in _CLOSING.items())


def _strip_possessive(text: str) -> str:
    for ending in ("'s", "’s"):
        if text.endswith(ending) and len(text) > len(ending):
            return text[: -len(ending)]
    return text


def _strip_determiner(text: str) -> str:
    first, _, rest = text.partition(" ")
    if first in {"A", "a"} and rest[:1].isalpha() and rest[1:2] == " ":
        return text  # "A B B Ltd"
    return rest if rest and first.lower() in DETERMINERS and any(c.isalnum() for c in rest) else text
