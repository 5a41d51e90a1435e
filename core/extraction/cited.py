"""Which of the works at hand an entry of a list of references cites: by title, and by little else.

An entry cites a work whose whole title stands in it between marks of punctuation, up to a few letters that a scan read
otherwise. A short title may be that of many works: then the entry must name an author, or the year, as well.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

_ALIKE = 94.0  # per cent of letters, of a title that is not there letter by letter
_WORD_ALIKE = 70.0  # of each of its words
_WORDS, _LETTERS = 4, 24  # of a title that stands for itself
_SHORTEST = 2  # words of any title
_WORD = re.compile(r"[^\W_]+")
_BROKEN = re.compile(r"(?<=[^\W\d_])-\s*\n\s*(?=[^\W\d_])")  # a word at the end of a line
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_MARKS = frozenset(".,;:?!\"'“”‘’„«»()[]{}*_–—-/")


@dataclass(frozen=True, slots=True)
class Work:
    """What is known of a document that may be cited; "" where nothing is."""

    title: str
    author: str = ""
    year: str = ""


class Works:
    """All works at hand, to be found in entries. Each is looked for only where the rarest word of its title stands."""

    def __init__(self, works: Sequence[Work]) -> None:
        self._works = works
        self._titles = [" ".join(work.title.casefold().split()) for work in works]
        words = [frozenset(_WORD.findall(title)) for title in self._titles]
        common = Counter(word for title_words in words for word in title_words)
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, title_words in enumerate(words):
            if len(_WORD.findall(self._titles[number])) >= _SHORTEST:
                # Of two, so that one may be misread.
                for word in sorted(title_words, key=lambda word: (common[word], -len(word), word))[:2]:
                    self._by_word[word].append(number)

    def cited(self, entry: str) -> int | None:
        """The row of the work that an entry cites; None where it is none of them, or one cannot tell which."""
        text = " ".join(_BROKEN.sub("", entry).casefold().split())
        words = frozenset(_WORD.findall(text))
        near = {number for word in words for number in self._by_word.get(word, ())}
        found = [number for number in sorted(near) if self._names(text, words, number)]
        if not found:
            return None
        longest = max(len(self._titles[number]) for number in found)
        best = [number for number in found if len(self._titles[number]) == longest]
        if len(best) > 1:
            best = [number for number in best if self._certain(words, number)]
        return best[0] if len(best) == 1 else None

    def _names(self, text: str, words: frozenset[str], number: int) -> bool:
        title = self._titles[number]
        length = len(_WORD.findall(title))
        if not _stands_in(title, text, exactly=length < _WORDS or len(title) < _LETTERS):
            return False
        return (length >= _WORDS and len(title) >= _LETTERS) or self._certain(words, number)

    def _certain(self, words: frozenset[str], number: int) -> bool:
        """Whether the entry names an author of the work, and no other year."""
        work = self._works[number]
        years = {word[:4] for word in words if _YEAR.match(word)}
        surnames = {name for name in _WORD.findall(work.author.casefold()) if len(name) > 2}
        if work.year and years and work.year not in years:
            return False
        return bool(surnames & words) or (not surnames and bool(work.year) and work.year in years)


def _stands_in(title: str, text: str, exactly: bool) -> bool:
    """Whether the title stands in the text as a whole: a mark before it, and one behind."""
    at = text.find(title)
    while at >= 0:
        if _apart(text, at, at + len(title)):
            return True
        at = text.find(title, at + 1)
    if exactly:
        return False
    found = fuzz.partial_ratio_alignment(title, text, score_cutoff=_ALIKE)
    if found is None:
        return False
    start, end = found.dest_start, found.dest_end
    # To the borders of words, which an alignment may miss by a letter.
    while start > 0 and text[start - 1].isalnum() and found.dest_start - start < 2:
        start -= 1
    while end < len(text) and text[end].isalnum() and end - found.dest_end < 2:
        end += 1
    # Word for word: "Graph retrieval: a survey" is not "Han, Retrieval: a survey", however many letters they share.
    words, others = _WORD.findall(title), _WORD.findall(text[start:end])
    if len(words) != len(others) or any(
        fuzz.ratio(one, other) < _WORD_ALIKE for one, other in zip(words, others, strict=True)
    ):
        return False
    return _apart(text, start, end)


def _apart(text: str, start: int, end: int) -> bool:
    before, behind = text[:start].rstrip(), text[end:].lstrip()
    return (not before or before[-1] in _MARKS or not text[start].isalnum()) and (
        not behind or behind[0] in _MARKS or not text[end - 1].isalnum()
    )


def years(dates: Iterable[str]) -> list[str]:
    """The year that each date begins with, or ""."""
    return [date[:4] if _YEAR.fullmatch(date[:4]) else "" for date in dates]
