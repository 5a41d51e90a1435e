"""Tells which lines of a PDF are headings: by its outline, else by the size and weight of their letters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.ingest.layout import DEEPEST_MARK, heading_mark, without_marks
from core.ingest.running_lines import LINES, PART
from core.ingest.word_boxes import WordsOfPage

LARGER = 1.12  # times the height of the body's letters
HEAVIER = 1.3  # times their weight
GAP = 1.5  # heights of the letters; where words lie so far apart, they are cells
FAR = 3.0  # the same at the edges of a page, where they are two lines
LONGEST = 120  # characters of a line that may be a heading
MOST = 0.2  # share of a text's characters; where more are larger, size says nothing
LEAST_MATCHED = 3  # headings of the outline that are found, from which on it is believed alone
ANYTHING_ELSE = re.compile(r"[\W_]+")
NUMBER = re.compile(r"\W*(?:\d+|[ivxlc]+|[a-z])(?:\.\d+)*[.):]?\s+", re.IGNORECASE)
DEPTH = re.compile(r"\d{1,3}((?:\.\d{1,3}){1,5})\.?\s")


class Bookmark(NamedTuple):
    """An entry of a PDF's outline."""

    level: int  # from 1
    title: str
    page: int  # its number


class Line(NamedTuple):
    """A line of a page."""

    start: int
    text: str
    height: float  # of its letters in points
    weight: int  # of its lightest word; 0: unknown
    cells: bool  # whether words lie as far apart as in a table
    parts: tuple[int, ...]  # where words stand far right of the one before


def marked_pages(
    pages: Sequence[WordsOfPage], outline: Sequence[Bookmark], scanned: Collection[int]
) -> list[tuple[int, str]]:
    """(number, text) of the pages, a mark of its level before each heading; see `layout.heading_mark`.

    At the edges of a page PART stands before words far right of the one before.

    `scanned` are the numbers of pages whose letters were measured by OCR, word by word, so their size says nothing.
    """
    lines = [list(_lines(page)) for page in pages]
    levels = _by_outline(pages, lines, outline)
    if sum(map(len, levels)) < LEAST_MATCHED:
        levels = _by_size(
            [[] if page.number in scanned else line for page, line in zip(pages, lines, strict=True)]
        )
    marked = []
    for page, line, found in zip(pages, lines, levels, strict=True):
        marks = {start: PART for row in (*line[:LINES], *line[-LINES:]) for start in row.parts}
        marks |= {start: heading_mark(level) for start, level in found.items()}
        marked.append((page.number, _marked(page.text, marks)))
    return marked


def _marked(text: str, marks: Mapping[int, str]) -> str:
    """`marks` by their places in the text."""
    pieces: list[str] = []
    at = 0
    for start, mark in sorted(marks.items()):
        pieces += [without_marks(text[at:start]), mark]
        at = start
    return "".join([*pieces, without_marks(text[at:])])


def _lines(page: WordsOfPage) -> Iterator[Line]:
    """Lines with words, each as high as most of its first, middle and last one: a raised mark makes a word higher."""
    starts = [start for start, _ in page.spans]
    heights = (page.corners[:, 3] - page.corners[:, 1]).tolist()
    gaps = (page.corners[1:, 0] - page.corners[:-1, 2]).tolist()
    weights = None if page.weights is None else page.weights.tolist()
    at = 0
    for text in page.text.splitlines(keepends=True):
        first, last = bisect_left(starts, at), bisect_left(starts, at + len(text))
        if first < last:
            height = sorted((heights[first], heights[(first + last) // 2], heights[last - 1]))[1]
            weight = 0 if weights is None else min(weights[first:last])
            cells = max(gaps[first : last - 1], default=0.0) > GAP * height
            parts = (starts[at + 1] for at in range(first, last - 1) if gaps[at] > FAR * height)
            yield Line(starts[first], text.strip(), height, weight, cells, tuple(parts) if cells else ())
        at += len(text)


def _by_outline(
    pages: Sequence[WordsOfPage], lines: Sequence[Sequence[Line]], outline: Sequence[Bookmark]
) -> list[dict[int, int]]:
    """Lines that the outline names, on the pages that it names."""
    wanted: dict[int, dict[str, int]] = {}
    for mark in outline:
        wanted.setdefault(mark.page, {}).setdefault(_letters(mark.title), min(mark.level, DEEPEST_MARK))
    levels: list[dict[int, int]] = []
    for page, found in zip(pages, lines, strict=True):
        names = wanted.get(page.number, {})
        here: dict[int, int] = {}
        for index, line in enumerate(found if names else ()):
            if not _has_letters(line.text):
                continue  # the page's number
            for rows in (found[index : index + 1], found[index : index + 2]):
                words = " ".join(row.text for row in rows)
                level = names.get(_letters(words)) or names.get(_letters(NUMBER.sub("", words, count=1)))
                if level:
                    here.update((row.start, level) for row in rows)
        levels.append(here)
    return levels


def _letters(text: str) -> str:
    return ANYTHING_ELSE.sub("", text).casefold()


def _by_size(lines: Sequence[Sequence[Line]]) -> list[dict[int, int]]:
    """Short lines in letters larger than those of the body, or heavier; the larger, the higher."""
    heights: Counter[float] = Counter()
    weights: Counter[int] = Counter()
    for line in (line for page in lines for line in page):
        heights[round(2 * line.height) / 2] += len(line.text)
        weights[line.weight] += len(line.text) * (line.weight > 0)
    body = max(heights, key=lambda height: (heights[height], height), default=0.0)
    usual = max(weights, key=lambda weight: (weights[weight], weight), default=0)
    short = [[line for line in page if _may_be(line)] for page in lines]
    larger = [[line for line in page if line.height >= LARGER * body] for page in short]
    either = [
        [line for line in page if line.height >= LARGER * body or _is_bold(line, body, usual)]
        for page in short
    ]
    for found in (either, larger):
        if sum(len(line.text) for page in found for line in page) <= MOST * heights.total():
            sizes = sorted({round(line.height) for page in found for line in page}, reverse=True)
            return [{line.start: _level(line, sizes) for line in page} for page in found]
    return [{} for _ in lines]


def _may_be(line: Line) -> bool:
    return 1 < len(line.text) <= LONGEST and "\t" not in line.text and _has_letters(line.text)


def _is_bold(line: Line, body: float, usual: int) -> bool:
    """A line that is bold as a whole, but no sentence, label or row of a table."""
    return (
        line.weight >= HEAVIER * usual > 0
        and line.height >= body / LARGER
        and line.text[-1] not in ".:,;"
        and not line.text[0].islower()
        and not line.cells
    )


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _level(line: Line, sizes: Sequence[int]) -> int:
    """By its number ("3.2.1" is the third level), else by its size."""
    if numbered := DEPTH.match(line.text):
        return min(1 + numbered[1].count("."), DEEPEST_MARK)
    return min(1 + sizes.index(round(line.height)), DEEPEST_MARK)
