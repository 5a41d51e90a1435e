"""Text as words that can be looked for, also of scripts that leave no space between words.

Those are read as overlapping pairs of signs, which find as well as words cut by a dictionary do (Nie et al. 2000, On
the Use of Words and N-grams for Chinese Information Retrieval; Lee and Ahn 1996 for Korean).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

# Soft hyphens, zero-width spaces and word joiners inside a word; what chooses between forms of one sign.
_UNSEEN = re.compile("[\xad\u200b\u2060\ufe00-\ufe0f]+")
_WIDE = re.compile("[\uff01-\uffdc]+")  # letters as wide as ideographs, and kana half as wide
_RUN = re.compile(
    "(["
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf"  # Thai, Lao
    "\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u17dc\u17dd"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7a3"  # Korean: spaces part phrases there
    "\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
    "]+)"
)
_MARKS = "".join(
    sign for sign in map(chr, range(0x300, 0x1D00)) if unicodedata.category(sign) in ("Mn", "Mc")
)
_WORD = re.compile(rf"[\w{_MARKS}]+")
_LATIN_WORD = re.compile(r"\w+")


def searchable(text: str) -> str:
    """What the full-text index reads in the place of `text`. A change here needs a migration that indexes anew."""
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0], closed=True))} ", _plain(text))


def words_of(text: str) -> list[str]:
    """The words of a question or passage in order, letter case as it is; of a run of signs its pairs."""
    if _is_latin(text):
        return _LATIN_WORD.findall(text)
    words: list[str] = []
    for at, part in enumerate(_RUN.split(_plain(text))):
        words += _pairs(part, closed=False) if at % 2 else _WORD.findall(part)
    return words


def parts_of(text: str) -> list[str]:
    """Return the words in order as they are written, runs of signs uncut."""
    parts = enumerate(_RUN.split(_plain(text)))
    return [word for at, part in parts for word in ([part] if at % 2 else _WORD.findall(part))]


def phrase_of(text: str) -> list[str]:
    """Return the words of `text` as the index has them side by side; the last run of signs may go on."""
    parts = parts_of(text)
    words: list[str] = []
    for at, part in enumerate(parts, start=1):
        words += _pairs(part, closed=at < len(parts)) if is_run(part) else [part]
    return words


def is_run(part: str) -> bool:
    """Return whether a part of `parts_of` is a run of signs, which the index cuts into pairs."""
    return _RUN.fullmatch(part) is not None


def is_sign(word: str) -> bool:
    """Whether a word of `words_of` is a single sign, which may begin a pair."""
    return _RUN.fullmatch(word) is not None and len(_signs(word)) == 1


def _is_latin(text: str) -> bool:
    """Whether there is no run, no mark and nothing unseen in it: soon told."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return "\xad" not in text


def _plain(text: str) -> str:
    if _is_latin(text):
        return text
    return _WIDE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), _UNSEEN.sub("", text))


def _pairs(run: str, closed: bool) -> list[str]:
    """Neighbouring signs; `closed` by the last one alone, so that every sign begins a word."""
    signs = _signs(run)
    pairs = [one + other for one, other in pairwise(signs)]
    return [*pairs, signs[-1]] if closed or not pairs else pairs


def _signs(run: str) -> list[str]:
    """Letters and ideographs, each with the vowels and tones that are written upon it."""
    signs: list[str] = []
    for letter in unicodedata.normalize("NFC", run):
        if signs and unicodedata.category(letter)[0] == "M":
            signs[-1] += letter
        else:
            signs.append(letter)
    return signs
