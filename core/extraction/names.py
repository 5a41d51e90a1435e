"""Names: the key that all spellings of one share, a name in a text, and the label of one over all its mentions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.types import ExtractedMention
from core.types.kinds import NOUN, VALUES

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
_UNSURE = frozenset({"OTHER", "WORK"})  # a name by its form alone, or by its place as a title
_RECOGNISED_SHARE = 1 / 3  # of the mentions as a name, recognised: least that the recogniser's label needs
_OUTWEIGHED = 2  # how many words in lower case a recognised mention outweighs, besides its own
_WEAK_MENTIONS = 4  # mentions that may as well be words, to each that is a name
_LOWER_WORD = re.compile(r"(?<![\w@./-])[^\W\d_]{2,}(?![\w@/]|[.-]\w)")


@dataclass(frozen=True, slots=True)
class Name:
    """A mention: source offsets `start`, `end`; parsed tokens `first` to `last`, both inclusive.

    A name that was read in an aside has no tokens: first == last == -1.
    """

    text: str
    label: str
    start: int
    end: int
    first: int = -1
    last: int = -1
    weak: bool = False  # its capital says nothing: it begins a sentence, or all around it is in capitals

    def mention(self, offset: int) -> ExtractedMention:
        label = NOUN if self.weak else self.label
        return ExtractedMention(self.text, label, self.start + offset, self.end + offset)


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


def lower_words(text: str) -> list[str]:
    """The words that stand in the text in lower case, each once, by alphabet; not within addresses and paths."""
    return sorted({word for word in _LOWER_WORD.findall(text) if word.islower()})


def vote_label(normal: str, labels: Mapping[str, int], lower: int) -> str:
    """The label of a name whose mentions carry `labels`; `lower` passages write it in lower case.

    A candidate that is written with a capital only where every word is (at the beginning of a sentence, in a heading),
    or that the documents mostly write in lower case, is a word: its label is NOUN.
    Values are what most mentions say. Names are what the recogniser says of a third of them at least; else OTHER.
    Ties by alphabet.
    """
    most = _most_voted(labels)
    if most in VALUES:
        return most
    named = {label: count for label, count in labels.items() if label != NOUN and label not in VALUES}
    sure = {label: count for label, count in named.items() if label not in _UNSURE}
    total, recognised = sum(named.values()), sum(sure.values())
    if lower > total + _OUTWEIGHED * recognised or labels.get(NOUN, 0) > _WEAK_MENTIONS * total:
        return NOUN
    return _most_voted(sure) if recognised >= _RECOGNISED_SHARE * total else _most_voted(named)


def _most_voted(labels: Mapping[str, int]) -> str:
    return min(labels, key=lambda label: (-labels[label], label)) if labels else NOUN
