"""Finds the words of a page again in the document's text, which was cleaned, joined and unhyphenated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from core.ingest.cleaning import plain
from core.types import Boxes, Page

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HYPHENS = re.compile("[-\u00ad\u2010\x02\ufffe\ue000]+")  # may come, go or change on the way
STORED_LETTERS = re.compile("[^-\u00ad\u2010\\s]+")
NEAR = 4_000  # letters within which a word is looked for where a page's words do not simply go on
AHEAD = 4  # words that are looked for at once


@dataclass(frozen=True, slots=True)
class WordsOfPage:
    """The text of a page before cleaning, and its words in order: one line of a word each."""

    number: int
    text: str
    spans: Sequence[tuple[int, int]]  # in `text`
    corners: NDArray[np.float32]  # (n, 4): left, top, right, bottom in points from the shown page's top left
    weights: NDArray[np.int32] | None = (
        None  # (n,): how heavy the words' letters are, 400 for most; None: unknown
    )

    def without(self, gone: NDArray[np.bool_]) -> WordsOfPage:
        """Return the page with spaces for these words, (n,)."""
        letters = list(self.text)
        for (start, end), is_gone in zip(self.spans, gone, strict=True):
            if is_gone:
                end += self.text.startswith("\x02", end)  # the hyphen at a line's end
                letters[start:end] = " " * (end - start)
        spans = [span for span, is_gone in zip(self.spans, gone, strict=True) if not is_gone]
        weights = None if self.weights is None else self.weights[~gone]
        return WordsOfPage(self.number, "".join(letters), spans, self.corners[~gone], weights)


def boxes_of(text: str, placed: Sequence[Page], pages: Sequence[WordsOfPage]) -> Boxes | None:
    """Boxes in offsets of `text`, in which `placed` tells where each page lies; None when there are none."""
    import numpy as np

    by_number = {page.number: page for page in pages}
    spans: list[NDArray[np.int32]] = []
    corners: list[NDArray[np.float32]] = []
    for place in placed:
        page = by_number.get(place.number)
        found = _found(text[place.start : place.end], page) if page is not None else []
        if page is None or not found:
            continue
        rows = np.array(found, dtype=np.int32)
        corners.append(page.corners[rows[:, 0]])
        rows[:, :2] = rows[:, 1:] + place.start
        rows[:, 2] = place.number
        spans.append(rows)
    return Boxes(np.concatenate(spans), np.concatenate(corners)) if spans else None


def _found(cleaned: str, page: WordsOfPage) -> list[tuple[int, int, int]]:
    """(index of the word, start, end in `cleaned`) of every word that is still there."""
    words = [page.text[start:end] for start, end in page.spans]
    # Most pages need no cleaning.
    plainly = page.text.isascii() and all(map(str.isprintable, words))
    words = [word.replace("-", "") for word in words] if plainly else [_letters(word) for word in words]
    runs = list(STORED_LETTERS.finditer(cleaned))
    pieces = [run[0] for run in runs]
    letters = "".join(pieces)
    if not letters:
        return []
    # Cleaning drops lines at the edges of a page only, so what is left is one run of its letters.
    first = "".join(words).find(letters)
    numbers = _going_on(words, -first, len(letters)) if first >= 0 else _searched(words, letters)
    ends = list(accumulate(map(len, pieces)))  # numbers of letters up to the end of each run
    gaps = [run.end() - end for run, end in zip(runs, ends, strict=True)]  # what else stands before it
    found = []
    at = 0
    for index, begin, end in numbers:
        while ends[at] <= begin:
            at += 1
        start = begin + gaps[at]
        while ends[at] < end:
            at += 1
        found.append((index, start, end + gaps[at]))
    return found


def _going_on(words: Sequence[str], at: int, length: int) -> list[tuple[int, int, int]]:
    """(index of the word, its first letter, end) of words that follow each other from letter `at` on."""
    numbers = []
    for index, word in enumerate(words):
        end = at + len(word)
        if word and at >= 0 and end <= length:
            numbers.append((index, at, end))
        at = end
    return numbers


def _searched(words: Sequence[str], letters: str) -> list[tuple[int, int, int]]:
    """As `_going_on`, for a page whose lines were moved or changed: one run of words after the other."""
    numbers: list[tuple[int, int, int]] = []
    taken = bytearray(len(letters))
    index = at = 0
    while index < len(words):
        begin = _place("".join(words[index : index + AHEAD]), letters, at, taken)
        if begin < 0:
            begin = _place(words[index], letters, at, taken)
        if begin < 0:
            index += 1
            continue
        at, begun = begin, index
        while index < len(words) and letters.startswith(words[index], at):
            end = at + len(words[index])
            if 1 in taken[at:end]:
                break
            if end > at:
                numbers.append((index, at, end))
                taken[at:end] = b"\1" * (end - at)
            at = end
            index += 1
        index += index == begun
    return sorted(numbers, key=lambda number: number[1])


def _place(run: str, letters: str, at: int, taken: bytearray) -> int:
    """Where a run of letters stands that no word has yet: behind `at`, else before it, not far away; -1: nowhere."""
    for start, stop in ((at, at + NEAR), (max(0, at - NEAR), at)):
        begin = letters.find(run, start, stop) if run else -1
        if begin >= 0 and not taken[begin]:
            return begin
    return -1


def _letters(word: str) -> str:
    """The word as cleaning leaves it, without hyphens."""
    if word.isascii() and word.isprintable():  # most
        return word.replace("-", "")
    return HYPHENS.sub("", plain(word))
