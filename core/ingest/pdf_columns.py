"""Find columns and the numbers of lines on a page by where its words stand, where the order of drawing runs across.

pdfium reads what stands on one level as one line. Where the same white parts lines below each other, the page has
columns: of prose, which is read one column after the other, or of a table without rules, whose cells a tab parts.
Prose is known by its sentences, which go on in the line below.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from core.ingest.layout import PDFIUM_HYPHEN
from core.ingest.plain_text import LEAST_NUMBERED, goes_on, is_numbered, runs_on
from core.ingest.right_to_left import is_right_to_left
from core.ingest.word_boxes import WordsOfPage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GAP = 0.5  # heights of the letters; where words lie so far apart, they may be of two columns
WIDE = 1.5  # the same, where they hardly are of one sentence
GUTTER = 6.0  # points of white between columns
LEAST_ROWS = 3  # rows with words on both sides of a gutter
LEAST_WIDE = 2  # of them that are wide; white that runs down through justified lines never is
FLUSH = 0.6  # share of the lines of a column that begin at one place
MOST_GAPS = 12  # of a row that are tried
PITCH = 1.6  # times the distance of the rows of a block; what lies further below is none of them
PROSE = 0.25  # share of a column's lines that go on in the next one, from which on it is prose
CELLS = 0.1  # the same, up to which the lines are rows of a table
DENSE = 0.7  # share of the rows of a table with cells on both sides
ALIGNED = 2.5  # points
MARKER = re.compile(
    r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[^\W\d_]{1,4})[.)\]]|\W{1,2}|\d{1,3}|[(\[]?[^\W\d_][)\]]?"
)
ITEM = re.compile(r"\(?(\d{1,3})[.)]")
DIGITS = re.compile(rf"(?<![^\s{PDFIUM_HYPHEN}])\d{{1,3}}(?![^\s{PDFIUM_HYPHEN}])")
DEEPEST = 8

Put = Callable[..., None]
Sides = Sequence[Sequence[float]]  # left and right of each word


@dataclass(slots=True)
class _Row:
    """Words on one level, in the order of the text; places in points from the page's top left corner."""

    words: list[int]
    top: float
    bottom: float
    left: float
    right: float
    gaps: list[tuple[float, float]]  # wide ones: from, to


@dataclass(frozen=True, slots=True)
class Columns:
    """A page read by columns, the words that were, and whether their order is a guess."""

    page: WordsOfPage
    words: NDArray[np.bool_]
    guessed: bool


def without_line_numbers(found: WordsOfPage, edge: float | None = None) -> tuple[WordsOfPage, float | None]:
    """Return the page without the numbers of its lines, as pleadings and transcripts have them in the margin, and
    where these end.

    `edge` is where those of a page before ended: what counts there counts lines, however little stands on them.
    """
    import numpy as np

    starts = [match.start() for match in DIGITS.finditer(found.text)]
    if len(starts) < LEAST_NUMBERED:  # most pages
        return found, edge
    words = {start: word for word, (start, _) in enumerate(found.spans)}
    numbers = [words[start] for start in starts if start in words]
    if len(numbers) < LEAST_NUMBERED:
        return found, edge
    column = max((_numbering(found, numbers, side) for side in (2, 0)), key=len)  # flush right, or left
    if not column:
        return found, edge
    ends = float(found.corners[column, 2].max())
    known = edge is not None and abs(ends - edge) <= ALIGNED
    if not _numbers_prose(found, column, known):
        return found, edge
    gone = np.zeros(len(found.spans), dtype=bool)
    gone[column] = True
    return found.without(gone), ends


def _numbering(found: WordsOfPage, numbers: Sequence[int], side: int) -> list[int]:
    """The longest run of aligned numbers that count the lines at even distances."""
    import numpy as np

    edges = found.corners[numbers, side]
    order = np.argsort(edges, kind="stable")
    cuts = np.flatnonzero(np.diff(edges[order]) > ALIGNED) + 1
    best: list[int] = []
    for group in np.split(order, cuts):
        if len(group) < max(LEAST_NUMBERED, len(best) + 1):
            continue
        column = sorted(
            (numbers[at] for at in group.tolist()), key=lambda word: float(found.corners[word, 1])
        )
        if not is_numbered([int(found.text[slice(*found.spans[word])]) for word in column]):
            continue
        steps = np.diff(found.corners[column, 1])
        if steps.min() > 0.5 * np.median(steps) and steps.max() < 2.5 * np.median(steps):
            best = column
    return best


def _numbers_prose(found: WordsOfPage, column: Sequence[int], known: bool) -> bool:
    """Whether the lines right of the numbers go on into each other, as rows of a table do not."""
    import numpy as np

    corners = found.corners
    right, heights = corners[column, 2].max(), corners[column, 3] - corners[column, 1]
    top, bottom = corners[column[0], 1], corners[column[-1], 3]
    middles = (corners[:, 1] + corners[:, 3]) / 2
    others = (middles > top) & (middles < bottom)
    others[list(column)] = False
    if (others & (corners[:, 0] < right)).sum() > 0.05 * max(1, others.sum()):
        return False
    if known:
        return True
    centres = (corners[column, 1] + corners[column, 3]) / 2
    places = np.flatnonzero(others)
    nearest = np.abs(centres[:, None] - middles[places][None]).argmin(axis=0) if len(places) else places
    lines: list[str] = []
    for at in range(len(column)):
        words = places[nearest == at]
        words = words[np.abs(middles[words] - centres[at]) < heights[at]]
        words = words[np.argsort(corners[words, 0], kind="stable")]
        lines.append(" ".join(found.text[slice(*found.spans[w])] for w in words.tolist()))
        if len(words) and found.text.startswith(PDFIUM_HYPHEN, found.spans[words[-1]][1]):
            lines[-1] += "-"
    return goes_on(lines)


def in_columns(found: WordsOfPage, rules: NDArray[np.float32]) -> Columns:
    """Return the page with its columns one after the other. `rules` as shown: left, top, right, bottom."""
    import numpy as np

    taken = np.zeros(len(found.spans), dtype=bool)
    if not _may_have_columns(found.corners):  # most pages
        return Columns(found, taken, False)
    rows = _rows(found)
    sides = found.corners[:, :3:2].tolist()
    level = rules[rules[:, 3] - rules[:, 1] < 1]
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    order: list[int] = []
    length = at = 0

    def put(text: str, word: int | None = None) -> None:
        nonlocal length
        if word is not None:
            spans.append((length, length + len(text)))
            order.append(word)
        pieces.append(text)
        length += len(text)

    def copy(end: int) -> None:
        """Add the words up to `end` as they stand."""
        nonlocal at
        if (first := len(order)) < end:
            shift, begin, at = length - at, at, found.spans[end - 1][1]
            spans.extend((start + shift, stop + shift) for start, stop in found.spans[first:end])
            order.extend(range(first, end))
            put(found.text[begin:at])

    guessed = False
    for start, end, gutter in _blocks(rows):
        block = rows[start:end]
        columns = _split([row.words for row in block], found, sides, gutter)
        is_prose = _is_prose(found, sides, columns, block, level)
        if not is_prose and not (
            _wide(block, gutter) >= DENSE * len(block) and _is_table(found, columns, block)
        ):
            continue
        first, last = block[0].words[0], block[-1].words[-1]
        copy(first)
        put(found.text[at : found.spans[first][0]])
        if is_prose:
            guessed = True
            taken[first : last + 1] = True
            text = "".join(found.text[slice(*found.spans[word])] for word in range(first, last + 1))
            lines = [
                [line]
                for column in (columns[::-1] if is_right_to_left(text) else columns)
                for line in column
                if line
            ]
        else:
            lines = [[column[number] for column in columns] for number in range(len(block))]
        for cells in lines:
            _put_line(found, [cell for cell in cells if cell], put)
        at = found.spans[last][1]
        at += found.text.startswith(PDFIUM_HYPHEN, at)
    if not order:
        return Columns(found, taken, False)
    copy(len(found.spans))
    put(found.text[at:])
    weights = None if found.weights is None else found.weights[order]
    page = WordsOfPage(found.number, "".join(pieces), spans, found.corners[order], weights)
    return Columns(page, taken[order], guessed)


def _may_have_columns(corners: NDArray[np.float32]) -> bool:
    """Whether the white between words of one level covers one place in enough rows, wide in enough of them."""
    import numpy as np

    before, word = corners[:-1], corners[1:]
    height = np.maximum(before[:, 3] - before[:, 1], word[:, 3] - word[:, 1])
    level = abs(word[:, 1] + word[:, 3] - before[:, 1] - before[:, 3]) < height
    low = np.minimum(before[:, 2], word[:, 2])
    high = np.maximum(before[:, 0], word[:, 0])
    apart = level & (high - low >= GUTTER)
    wide = apart & (high - low > WIDE * height)
    return _most_covering(low, high, wide) >= LEAST_WIDE and _most_covering(low, high, apart) >= LEAST_ROWS


def _most_covering(low: NDArray[np.float32], high: NDArray[np.float32], wanted: NDArray[np.bool_]) -> int:
    """How many of these intervals cover one place at most."""
    import numpy as np

    begins, ends = np.sort(low[wanted]), np.sort(high[wanted])
    reached = np.arange(1, len(begins) + 1) - np.searchsorted(ends, begins, side="right")
    return int(reached.max(initial=0))


def _put_line(found: WordsOfPage, cells: Sequence[Sequence[int]], put: Put) -> None:
    """A line of words: a tab between its cells, a space after the label of a value."""
    before = -2
    for number, cell in enumerate(cells):
        for place, word in enumerate(cell):
            start, end = found.spans[word]
            if number and not place:
                put(" " if found.text[found.spans[before][1] - 1] == ":" else "\t")
            elif place:
                between = found.text[found.spans[before][1] : start] if word == before + 1 else " "
                put(" " if not between or "\n" in between or PDFIUM_HYPHEN in between else between)
            put(found.text[start:end], word)
            before = word
    if cells:
        put(PDFIUM_HYPHEN if found.text.startswith(PDFIUM_HYPHEN, found.spans[before][1]) else "\n")


def _rows(found: WordsOfPage) -> list[_Row]:
    """The page's lines; those that pdfium parted though they stand beside each other are one."""
    rows: list[_Row] = []
    corners = found.corners.tolist()
    words: list[int] = []
    gaps: list[tuple[float, float]] = []
    begin = top = end = bottom = 0.0  # of the row: left, top, right, bottom
    for word, (left, high, right, low) in enumerate(corners):
        height = low - high
        twice = high + low
        if words and 2 * top < twice < 2 * bottom and abs(top + bottom - twice) < height:
            gap = left - end if left > end else begin - right
            if gap > 0 or not _breaks(found, word):
                if gap > GUTTER and gap > GAP * height:
                    gaps.append((end, left) if left >= end else (right, begin))
                words.append(word)
                begin, end = left if left < begin else begin, right if right > end else end
                top, bottom = high if high < top else top, low if low > bottom else bottom
                continue
        if words:
            rows.append(_Row(words, top, bottom, begin, end, gaps))
        words, gaps = [word], []
        begin, top, end, bottom = left, high, right, low
    if words:
        rows.append(_Row(words, top, bottom, begin, end, gaps))
    for row in rows:
        if row.gaps and MARKER.fullmatch(found.text, *found.spans[row.words[0]]):
            row.gaps = [gap for gap in row.gaps if gap[0] != corners[row.words[0]][2]]
    return rows


def _breaks(found: WordsOfPage, word: int) -> bool:
    between = found.text[found.spans[word - 1][1] : found.spans[word][0]]
    return "\n" in between or PDFIUM_HYPHEN in between


def _blocks(rows: Sequence[_Row]) -> Iterator[tuple[int, int, tuple[float, float]]]:
    """Runs of rows (start, end) that the same white parts, from which x to which."""
    at = 0
    while at < len(rows):
        best = (0, at + 1, (0.0, 0.0))
        for gap in rows[at].gaps[:MOST_GAPS]:
            best = max(best, _run(rows, at, gap), key=lambda run: run[0])
        mixed, end, gutter = best
        if mixed >= LEAST_ROWS and _wide(rows[at:end], gutter) >= LEAST_WIDE:
            yield at, end, gutter
            at = end
        else:
            at += 1


def _wide(rows: Sequence[_Row], gutter: tuple[float, float]) -> int:
    """How many rows have wide white at the gutter."""
    middle = sum(gutter) / 2
    return sum(
        any(low < middle < high and high - low > WIDE * (row.bottom - row.top) for low, high in row.gaps)
        for row in rows
    )


def _run(rows: Sequence[_Row], at: int, gutter: tuple[float, float]) -> tuple[int, int, tuple[float, float]]:
    """How many rows from `at` on a gutter parts, where its block ends, and what is left of it."""
    low, high = gutter
    mixed, end, pitch = 1, at + 1, 0.0
    for number in range(at + 1, len(rows)):
        row, before = rows[number], rows[number - 1]
        step = row.top - before.top
        if step <= 0 or step > max(3 * (before.bottom - before.top), PITCH * pitch):
            break
        here = [(max(low, a), min(high, b)) for a, b in row.gaps[:MOST_GAPS]]
        fits = next((gap for gap in here if gap[1] - gap[0] >= GUTTER), None)
        if fits is not None:
            (low, high), mixed, pitch = fits, mixed + 1, max(pitch, step)
        elif row.right + GUTTER <= high:
            low = max(low, row.right)
        elif row.left - GUTTER >= low:
            high = min(high, row.left)
        else:
            break
        if fits is None and pitch and step > PITCH * pitch:
            break
        end = number + 1
    return mixed, end, (low, high)


def _split(
    rows: Sequence[Sequence[int]],
    found: WordsOfPage,
    sides: Sides,
    gutter: tuple[float, float],
    depth: int = 0,
) -> list[list[list[int]]]:
    """The columns, from the left: of each the words of each row, also of those that are empty there."""
    twice = sum(gutter)
    left: list[list[int]] = []
    right: list[list[int]] = []
    for row in rows:
        parts: tuple[list[int], list[int]] = [], []
        for word in row:
            begin, end = sides[word]
            parts[begin + end >= twice].append(word)
        left.append(parts[0])
        right.append(parts[1])
    columns: list[list[list[int]]] = []
    for side in (left, right):
        inner = _gutter(side, found, sides, side is left) if depth < DEEPEST else None
        columns += [side] if inner is None else _split(side, found, sides, inner, depth + 1)
    return columns


def _gutter(
    rows: Sequence[Sequence[int]], found: WordsOfPage, sides: Sides, leads: bool
) -> tuple[float, float] | None:
    """White that no word of these rows touches, with words on both sides in enough of them.

    Where they lead the page's rows (`leads`), what is left of it is more than the markers of a list.
    """
    places = sorted((sides[word][0], sides[word][1]) for row in rows for word in row)
    if len(places) < 2 * LEAST_ROWS:
        return None
    reached = accumulate((right for _, right in places), max)
    for low, (high, _) in zip(reached, places[1:], strict=False):
        if high - low < GUTTER:
            continue
        lefts = [[w for w in row if sides[w][0] < low] for row in rows]
        both = [left for left, row in zip(lefts, rows, strict=True) if 0 < len(left) < len(row)]
        markers = sum(leads and len(left) == 1 and _is_marker(found, left[0]) for left in both)
        if len(both) >= LEAST_ROWS and 2 * markers < len(both):
            return low, high
    return None


def _is_marker(found: WordsOfPage, word: int) -> bool:
    return MARKER.fullmatch(found.text, *found.spans[word]) is not None


def _is_prose(
    found: WordsOfPage,
    sides: Sides,
    columns: Sequence[Sequence[Sequence[int]]],
    block: Sequence[_Row],
    level: NDArray[np.float32],
) -> bool:
    """Whether the columns are read one after the other: sentences, or the numbers of points, go on down each."""
    top, bottom = block[0].top, block[-1].bottom
    across = level[(level[:, 1] > top) & (level[:, 1] < bottom + (bottom - top) / len(block))]
    heights = sorted(across[:, 1].tolist())
    counted = _count_on(found, columns)
    if len(heights) > 1 and not counted:  # a table: its rules lie around it
        outside = sum(not heights[0] < (row.top + row.bottom) / 2 < heights[-1] for row in block)
        if 2 * outside < len(block):
            return False
    continuing = pairs = running = 0
    for column in columns:
        lines = [(row, words) for row, words in zip(block, column, strict=True) if words]
        here = 0
        for (row, words), (below, following) in pairwise(lines):
            if bisect_right(heights, row.top) < bisect_left(heights, below.top):
                continue  # a rule lies between
            last, first = found.spans[words[-1]], found.spans[following[0]]
            hyphen = "-" if found.text.startswith(PDFIUM_HYPHEN, last[1]) else ""
            here += runs_on(found.text[slice(*last)] + hyphen, found.text[slice(*first)])
            pairs += 1
        continuing += here
        running += here > 0
    if not all(_is_flush(sides, column) for column in columns):
        return False
    if running == 0 and _is_caseless(found, block):
        return _are_full(sides, columns)
    return counted or (running > 1 and continuing > 2 and continuing >= PROSE * pairs)


def _is_flush(sides: Sides, column: Sequence[Sequence[int]]) -> bool:
    """Whether most lines of a column begin, or end, at one place."""
    lines = [words for words in column if words]
    begins = sorted(min(sides[word][0] for word in words) for words in lines)
    ends = sorted(max(sides[word][1] for word in words) for words in lines)
    for edges in (begins, ends):
        near = (bisect_right(edges, edge + ALIGNED) - at for at, edge in enumerate(edges))
        if max(near, default=0) >= FLUSH * len(edges):
            return True
    return False


def _count_on(found: WordsOfPage, columns: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Whether numbers of points go on from the foot of a column to the head of the next."""
    numbers: list[list[int]] = []
    for column in columns:
        firsts = [found.text[slice(*found.spans[words[0]])] for words in column if words]
        numbers.append([int(match[1]) for word in firsts if (match := ITEM.fullmatch(word))])
    every = [number for column in numbers for number in column]
    return all(numbers) and len(every) > 2 and every == list(range(every[0], every[0] + len(every)))


def _is_caseless(found: WordsOfPage, block: Sequence[_Row]) -> bool:
    """Whether the script has no small letters that tell where a sentence goes on."""
    text = "".join(found.text[slice(*found.spans[word])] for row in block for word in row.words)
    return not any(letter.islower() or letter.isupper() for letter in text)


def _are_full(sides: Sides, columns: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Whether most lines of each column reach across it, as prose does and cells do not."""
    for column in columns:
        lines = [words for words in column if words]
        widths = [
            max(sides[word][1] for word in words) - min(sides[word][0] for word in words) for words in lines
        ]
        if sum(len(words) for words in lines) < 2 * len(lines):
            return False
        if sum(width > 0.8 * max(widths) for width in widths) < 0.6 * len(widths):
            return False
    return True


def _is_table(found: WordsOfPage, columns: Sequence[Sequence[Sequence[int]]], block: Sequence[_Row]) -> bool:
    """Whether the rows hold cells: nearly all have some on both sides, and hardly any sentence goes on below."""
    filled = sum(sum(bool(column[row]) for column in columns) > 1 for row in range(len(block)))
    lines = [
        [found.text[slice(*found.spans[words[0]])] for words in column if words] for column in columns[1:]
    ]
    small = sum(word[0].islower() for column in lines for word in column)
    return filled >= DENSE * len(block) and small <= CELLS * sum(map(len, lines))
