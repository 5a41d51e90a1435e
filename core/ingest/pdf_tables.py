"""Finds tables in PDF pages by their drawn rules: rows come one a line, cells a tab apart, with their places.

Columns go by upright rules, else by the white between the words; rows by level rules, else by lines of words.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as api

from core.ingest.headers import form_labels, header_of, is_stacked_form
from core.ingest.layout import PDFIUM_HYPHEN
from core.ingest.plain_text import runs_on
from core.ingest.right_to_left import is_right_to_left
from core.ingest.word_boxes import WordsOfPage
from core.types import Boxes, DocumentTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAR = 3.0  # points within which rules touch, or are one
LEAST_GAP = 8.0  # points of white between columns without rules
MOST_RULES = 1_500  # of a page: more are a drawing
MOST_SEGMENTS = 4_000
LEAST_LENGTH = 8.0  # points of a rule
MOST_BETWEEN = 150  # characters of heads and feet between the parts of a table on two pages
FILLED = 0.5  # share of a table's cells that hold words, at least
PROSE = 0.15  # share of a table's cells that go on in the row below, from which on it is none
CUT = 0.3  # share of its lines that a table may cut between words, at most
FILLED_WITHOUT = 0.8  # the same where no rules part its columns


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of a page: words, by their corners' bytes, of each cell of each row."""

    page: int
    sides: tuple[float, ...]  # of its columns, from the left
    rows: tuple[tuple[tuple[bytes, ...], ...], ...]


def rules_of(page: Any) -> NDArray[np.float32]:
    """Level and upright lines and sides of rectangles, (n, 4) in the page's own space: left, bottom, right, top."""
    import numpy as np

    found: list[tuple[float, float, float, float]] = []
    for item in islice(page.get_objects(filter=[api.FPDF_PAGEOBJ_PATH], max_depth=3), MOST_SEGMENTS):
        found += _segments(item.raw)
        if len(found) > MOST_SEGMENTS:
            return np.zeros((0, 4), dtype=np.float32)
    return np.array(found, dtype=np.float32).reshape(-1, 4)


def _segments(path: Any) -> Iterator[tuple[float, float, float, float]]:
    """A path's straight lines along the page's sides, its own matrix applied."""
    matrix = api.FS_MATRIX()
    if not api.FPDFPageObj_GetMatrix(path, matrix):
        return
    x, y = ctypes.c_float(), ctypes.c_float()
    begin = last = (0.0, 0.0)
    for at in range(min(api.FPDFPath_CountSegments(path), MOST_SEGMENTS)):
        segment = api.FPDFPath_GetPathSegment(path, at)
        api.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = api.FPDFPathSegment_GetType(segment)
        ends = [(last, point)] if kind == api.FPDF_SEGMENT_LINETO else []
        begin = point if kind == api.FPDF_SEGMENT_MOVETO else begin
        if api.FPDFPathSegment_GetClose(segment):
            ends.append((point, begin))
        for (ax, ay), (bx, by) in ends:
            if abs(ax - bx) < 1 or abs(ay - by) < 1:
                yield min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)
        last = point


def with_tables(
    found: WordsOfPage, rules: NDArray[np.float32], columns: NDArray[np.bool_] | None = None
) -> tuple[WordsOfPage, list[Grid]]:
    """The page with the words of its tables row by row. `rules` as the page is shown: left, top, right, bottom.

    `columns`, (n,): words of columns of prose, which are cells only between upright rules.
    """
    import numpy as np

    rules = rules[np.maximum(rules[:, 2] - rules[:, 0], rules[:, 3] - rules[:, 1]) >= LEAST_LENGTH]
    rules = np.unique(np.round(rules), axis=0)
    if len(rules) < 3 or len(rules) > MOST_RULES or len(found.spans) < 4:
        return found, []
    taken = np.zeros(len(found.spans), dtype=bool)
    tables: list[list[list[list[int]]]] = []
    grids: list[Grid] = []
    for group in _groups(rules):
        upright = (group[:, 2] - group[:, 0] < 1).any()
        read = _table(found, group, taken if upright or columns is None else taken | columns)
        if read is not None:
            sides, rows = read
            taken[[word for row in rows for cell in row for word in cell]] = True
            tables.append(rows)
            keys = tuple(
                tuple(tuple(found.corners[word].tobytes() for word in cell) for cell in row) for row in rows
            )
            grids.append(Grid(found.number, sides, keys))
    grids.sort(key=lambda grid: float(np.frombuffer(next(filter(None, grid.rows[0]))[0], np.float32)[1]))
    return (_in_rows(found, tables), grids) if tables else (found, [])


def _groups(rules: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """Rules that touch, and level ones of one length below each other; the smallest area first."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    low, high = rules[:, :2] - NEAR, rules[:, 2:] + NEAR
    touch = (low[:, None] <= high[None]).all(axis=2)
    touch &= touch.T
    level = rules[:, 3] - rules[:, 1] < 1
    level &= ~(touch & ~level[None]).any(axis=1)  # without uprights
    alike = (np.abs(rules[:, None, [0, 2]] - rules[None, :, [0, 2]]) <= NEAR).all(axis=2)
    touch |= alike & level[:, None] & level[None]
    count, labels = connected_components(touch, directed=False)
    groups = [rules[labels == label] for label in range(count)]
    yield from sorted(
        (group for group in groups if len(group) >= 3),
        key=lambda group: float(np.prod(group[:, 2:].max(axis=0) - group[:, :2].min(axis=0))),
    )


def _table(
    found: WordsOfPage, rules: NDArray[np.float32], taken: NDArray[np.bool_]
) -> tuple[tuple[float, ...], list[list[list[int]]]] | None:
    """Column sides, and the words of each cell of each row; None where these rules hold no table."""
    import numpy as np

    left, top = rules[:, :2].min(axis=0)
    right, bottom = rules[:, 2:].max(axis=0)
    middles = (found.corners[:, :2] + found.corners[:, 2:]) / 2
    inside = (middles > (left - NEAR, top)).all(axis=1) & (middles < (right + NEAR, bottom)).all(axis=1)
    words = np.flatnonzero(inside & ~taken)
    if len(words) < 4:
        return None
    uprights = _distinct(rules[rules[:, 2] - rules[:, 0] < 1, 0])
    levels = _distinct(rules[rules[:, 3] - rules[:, 1] < 1, 1])
    lines = _lines(found.corners[words])
    sides = uprights if len(uprights) > 2 else _gutters(found.corners[words], float(left), float(right))
    if len(uprights) in (1, 2) and len(levels) < 3:
        return None  # a frame
    by_rules = np.searchsorted(levels, middles[words, 1])
    # Three level rules alone stand above, below and under the names.
    ruled = len(levels) > 3 or len(uprights) > 2
    ruled = ruled and len(set(by_rules.tolist())) >= 0.5 * (lines.max() + 1)
    numbers = by_rules if ruled else lines
    columns = np.clip(np.searchsorted(sides, middles[words, 0]) - 1, 0, max(0, len(sides) - 2))
    drawn = rules[rules[:, 2] - rules[:, 0] < 1]
    if len(uprights) > 2 and _cut(found.corners[words], lines, columns, sides, drawn) > CUT * (
        lines.max() + 1
    ):
        return None  # a frame and what is drawn within it
    backwards = is_right_to_left("".join(found.text[slice(*found.spans[word])] for word in words.tolist()))
    used_columns, columns = np.unique(columns, return_inverse=True)
    sides = sides[[*used_columns, -1]]  # without columns that hold nothing
    if backwards:
        columns = len(sides) - 2 - columns
    rows: list[list[list[int]]] = []
    across = words if backwards else found.corners[words, 0]
    order = np.lexsort((across, lines, columns, numbers))
    for number in np.unique(numbers):
        row: list[list[int]] = [[] for _ in range(len(sides) - 1)]
        for at in order[numbers[order] == number]:
            row[columns[at]].append(int(words[at]))
        if rows and not ruled and not row[0] and len(rows) > 1:  # a cell's second line
            for cell, more in zip(rows[-1], row, strict=True):
                cell += more
        else:
            rows.append(row)
    if not ruled and _is_prose(found, rows):
        return None  # columns with a rule between or around them
    filled = sum(bool(cell) for row in rows for cell in row)
    least = FILLED if len(uprights) > 2 else FILLED_WITHOUT
    if len(sides) < 3 or len(rows) < 2 or filled < least * len(rows) * (len(sides) - 1):
        return None
    return tuple(float(side) for side in sides), rows


def _is_prose(found: WordsOfPage, rows: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Whether sentences go on from row to row in two columns."""
    pairs, continuing = 0, [0] * len(rows[0])
    for row, below in pairwise(rows):
        for column, (cell, following) in enumerate(zip(row, below, strict=True)):
            if cell and following:
                last, first = found.spans[cell[-1]], found.spans[following[0]]
                hyphen = "-" if found.text.startswith(PDFIUM_HYPHEN, last[1]) else ""
                pairs += 1
                continuing[column] += runs_on(found.text[slice(*last)] + hyphen, found.text[slice(*first)])
    return sum(times > 1 for times in continuing) > 1 and sum(continuing) >= PROSE * pairs


def _cut(
    corners: NDArray[np.float32],
    lines: NDArray[np.int64],
    columns: NDArray[np.int64],
    sides: NDArray[np.float32],
    uprights: NDArray[np.float32],
) -> int:
    """How many lines are cut between words a space apart, where no rule is drawn."""
    import numpy as np

    order = np.lexsort((corners[:, 0], lines))
    before, after = order[:-1], order[1:]
    gaps = corners[after, 0] - corners[before, 2]
    near = gaps < 0.6 * (corners[before, 3] - corners[before, 1])
    cut = set()
    for left, right in zip(before[near].tolist(), after[near].tolist(), strict=True):
        if lines[left] != lines[right] or columns[left] == columns[right]:
            continue
        side, middle = sides[max(columns[left], columns[right])], corners[[left, right]][:, [1, 3]].mean()
        here = np.abs(uprights[:, 0] - side) <= NEAR
        if not (here & (uprights[:, 1] - NEAR <= middle) & (middle <= uprights[:, 3] + NEAR)).any():
            cut.add(int(lines[left]))
    return len(cut)


def _distinct(places: NDArray[np.float32]) -> NDArray[np.float32]:
    """Places in order; those that are nearly one are."""
    import numpy as np

    ordered = np.sort(places)
    return ordered[np.concatenate(([True], np.diff(ordered) > NEAR))] if len(ordered) else ordered


def _lines(corners: NDArray[np.float32]) -> NDArray[np.int64]:
    """The number of the line that each word stands on, from the top."""
    import numpy as np

    middles = (corners[:, 1] + corners[:, 3]) / 2
    height = float(np.median(corners[:, 3] - corners[:, 1]))
    order = np.argsort(middles, kind="stable")
    numbers = np.zeros(len(corners), dtype=np.int64)
    numbers[order] = np.concatenate(([0], np.cumsum(np.diff(middles[order]) > height / 2)))
    return numbers


def _gutters(corners: NDArray[np.float32], left: float, right: float) -> NDArray[np.float32]:
    """Sides of columns: the middle of each run of white that no word touches."""
    import numpy as np

    spans = corners[np.argsort(corners[:, 0])]
    reached = np.maximum.accumulate(spans[:, 2])
    gaps = np.flatnonzero(spans[1:, 0] - reached[:-1] >= LEAST_GAP)
    return np.array([left, *((reached[gaps] + spans[gaps + 1, 0]) / 2), right], dtype=np.float32)


def _in_rows(found: WordsOfPage, tables: Sequence[list[list[list[int]]]]) -> WordsOfPage:
    """The page's text with each table at the place of its first word, a row a line, a tab between cells."""
    table_of = {word: at for at, rows in enumerate(tables) for row in rows for cell in row for word in cell}
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    order: list[int] = []
    length = at = 0

    def put(text: str) -> None:
        nonlocal length
        pieces.append(text)
        length += len(text)

    def put_word(word: int) -> None:
        start, end = found.spans[word]
        spans.append((length, length + end - start))
        order.append(word)
        put(found.text[start:end])

    written: set[int] = set()
    for word, (start, end) in enumerate(found.spans):
        between = found.text[at:start]
        at = end
        if word not in table_of:
            put(between)
            put_word(word)
            continue
        put("\n" if "\n" in between else " ")
        if (number := table_of[word]) in written:
            continue
        written.add(number)
        put("\n\n")
        for row in tables[number]:
            for column, cell in enumerate(row):
                put("\t" if column else "")
                for place, inner in enumerate(cell):
                    put_word(inner)
                    hyphen = found.text.startswith(PDFIUM_HYPHEN, found.spans[inner][1])
                    put("" if place == len(cell) - 1 else PDFIUM_HYPHEN if hyphen else " ")
            put("\n")
        put("\n")
    put(found.text[at:])
    weights = None
    if found.weights is not None:  # no row is a heading, however bold
        weights = found.weights[order]
        weights[[word in table_of for word in order]] = 0
    return WordsOfPage(found.number, "".join(pieces), spans, found.corners[order], weights)


def placed_tables(grids: Sequence[Grid], text: str, boxes: Boxes | None) -> list[DocumentTable]:
    """Tables in the document's text; one that goes on over a page break is one."""
    import numpy as np

    if boxes is None or not grids:
        return []
    here = np.isin(boxes.spans[:, 2], [grid.page for grid in grids])
    places = {
        (page, corners.tobytes()): (start, end)
        for (start, end, page), corners in zip(boxes.spans[here].tolist(), boxes.corners[here], strict=True)
    }
    tables = []
    at = 0
    while at < len(grids):
        parts = [grids[at]]
        rows = _placed(grids[at], places)
        while at + len(parts) < len(grids) and _goes_on(parts[-1], grids[at + len(parts)]):
            more = _placed(grids[at + len(parts)], places)
            if not rows or not more or len(text[_end(rows) : _start(more)].strip()) > MOST_BETWEEN:
                break
            parts.append(grids[at + len(parts)])
            rows += more
        at += len(parts)
        if (table := _named(rows, text)) is not None:
            tables.append(table)
    return tables


def _placed(
    grid: Grid, places: Mapping[tuple[int, bytes], tuple[int, int]]
) -> list[dict[int, tuple[int, int]]]:
    return [cells for row in grid.rows if (cells := _cells(row, grid.page, places))]


def _start(rows: Sequence[Mapping[int, tuple[int, int]]]) -> int:
    return min(start for row in rows for start, _ in row.values())


def _end(rows: Sequence[Mapping[int, tuple[int, int]]]) -> int:
    return max(end for row in rows for _, end in row.values())


def _goes_on(grid: Grid, following: Grid) -> bool:
    """Whether a table goes on: the next page begins with one of the same columns."""
    same = len(grid.sides) == len(following.sides)
    return (
        same
        and following.page == grid.page + 1
        and all(abs(a - b) <= 2 * NEAR for a, b in zip(grid.sides, following.sides, strict=True))
    )


def _cells(
    row: Sequence[Sequence[bytes]], page: int, places: Mapping[tuple[int, bytes], tuple[int, int]]
) -> dict[int, tuple[int, int]]:
    """Start and end by column of the cells that stand in one piece."""
    found: dict[int, tuple[int, int]] = {}
    for column, cell in enumerate(row):
        spans = [places[page, word] for word in cell if (page, word) in places]
        if spans and all(b[0] - a[1] <= 1 for a, b in pairwise(spans)):
            found[column] = spans[0][0], spans[-1][1]
    return found


def _named(rows: Sequence[Mapping[int, tuple[int, int]]], text: str) -> DocumentTable | None:
    """The table of these cells, where its first rows name the columns."""
    import numpy as np

    words = [{column: text[start:end] for column, (start, end) in row.items()} for row in rows]
    if form_labels(words) or is_stacked_form(words):
        return None
    head = header_of(words, max(map(len, words), default=0))
    if head is None or head.row + 1 >= len(rows):
        return None
    cells = [
        (number, column, start, end)
        for number, (row, row_words) in enumerate(zip(rows, words, strict=True))
        if number > head.row and row_words not in head.cells
        for column, (start, end) in row.items()
    ]
    places = np.array(sorted(cells, key=lambda cell: cell[2]), dtype=np.int32).reshape(-1, 4)
    columns = tuple(head.names.get(column, "") for column in range(max(head.names) + 1))
    places = places[places[:, 1] < len(columns)]
    if len(places):
        places[:, 0] = np.concatenate(([0], np.cumsum(np.diff(places[:, 0]) != 0)))
    return DocumentTable("", _start(rows), _end(rows), columns, places)
