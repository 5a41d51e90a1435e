"""Finds the rows of a table that are no records: totals, averages, headings of groups, notes.

Structure tells most: a figure that is the sum or the mean of those above, and cells that all records fill and this row
does not. A word for a total alone makes a row doubtful, and what rests on it is not shown as sure.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from core.text.cell_values import ColumnKind, notation_of, number_of
from core.text.stems import stem
from core.types import DocumentTable

# As rows of totals begin or end in the languages that sheets of Clew's readers are written in.
_WORDS = frozenset(
    "total totals totalling subtotals sum sums summe gesamt insgesamt "
    "somme totaux totale totali subtotale somma totaal subtotaal suma summa summen toplam razem łącznie celkem "
    "yhteensä összesen итого всего сумма σύνολο 合計 小計 总计 合计 小计 합계 "
    "average averages mean median avg durchschnitt mittelwert mittel schnitt moyenne media promedio gemiddelde "
    "gennemsnitt gjennomsnitt medelvärde среднее 平均 平均值 평균".split()
)
_COMPOUND = re.compile(r"gesamt.+|.+summe|.+total|.+somma")
_PHRASES = ("sous total", "sub total", "i alt", "à reporter", "carried forward", "brought forward", "in all")
_WORD = re.compile(r"[^\W\d_]+")
_FIGURE = re.compile(r" \[(-?[\d.]+%?)\]")  # as sheets are written out: behind a rounded one
_LONGEST = 4  # words of a label
_MOSTLY = 0.8  # share of the rows that fill a column which records fill
_NOTE = 5  # words from which a cell alone is a note
_SAME = 1e-9
_GAP = 2  # rows on, where an empty row stands between
_LARGE = 100  # units of the last decimal
_HEADING = 3  # rows on, where a heading stands between, too


@dataclass(frozen=True, slots=True)
class Summaries:
    """`apart`: rows that are surely no records; `doubtful`: rows that may be none.

    `parts`: the records are of several kinds that nothing adds up: incomes and expenses, goods and their delivery.
    """

    apart: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    parts: bool = False


@dataclass(slots=True)
class _Sums:
    """Of one column: since the last total, of all records, and of the totals themselves."""

    group: float = 0.0
    grouped: int = 0
    all: float = 0.0
    count: int = 0
    totals: float = 0.0
    subtotals: int = 0
    least: float = math.inf  # of all records
    most: float = -math.inf

    def add(self, value: float) -> None:
        self.group, self.grouped = self.group + value, self.grouped + 1
        self.all, self.count = self.all + value, self.count + 1
        self.least, self.most = min(self.least, value), max(self.most, value)

    def addends(self, value: float, rounding: float, *, means: bool = True) -> int:
        """How many figures it is the sum or mean of; 0 for none."""
        sums = ((self.group, self.grouped), (self.all, self.count), (self.totals, self.subtotals))
        for total, count in sums:
            if count > 1 and _same(value, total, rounding * count):
                return count
        for total, count in sums[: 2 * means]:
            if count > 1 and _same(value, total / count, rounding):
                return count
        return 0

    def is_sum(self, value: float, rounding: float, *, large: bool = True) -> bool:
        """Whether a large figure, or any, is the sum of three and more since the last total."""
        exact = not large or abs(value) >= _LARGE * 2 * rounding
        return exact and self.grouped > 2 and _same(value, self.group, rounding * self.grouped)

    def reach(self, value: float, rounding: float) -> int:
        """How many records a total is of: all so far, or those since the last one."""
        over_all = self.all, self.totals, self.all / max(1, self.count)
        return self.count if any(_same(value, each, rounding * self.count) for each in over_all) else 0

    def end_group(self, value: float) -> None:
        if self.grouped:
            self.totals, self.subtotals = self.totals + value, self.subtotals + 1
        self.group, self.grouped = 0.0, 0


@dataclass(frozen=True, slots=True)
class Grid:
    """Texts by row and column in order, the values of the columns that are measured, and half a unit of their last
    decimal."""

    texts: Mapping[int, Mapping[int, str]]
    values: Mapping[int, Mapping[int, float]]
    rounding: Mapping[int, float]
    measured: frozenset[int] = field(default_factory=frozenset)
    names: frozenset[str] = frozenset()  # stems of the words that name the columns


@dataclass(slots=True)
class _Totals:
    """Rows that are `apart` or `doubtful`, in what order the rows were read; `equal`: some are sums or means."""

    apart: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    equal: bool = False
    parts: bool = False  # no total is of all


def written_cells(
    table: DocumentTable, text: str
) -> tuple[list[tuple[int, int, int, int, str]], dict[tuple[int, int], str]]:
    """(row, column, start, end, text) of each cell, and the figures behind rounded ones, by row and column."""
    places = [
        (row, column, start, end, text[start:end].strip()) for row, column, start, end in table.cells.tolist()
    ]
    figures = {
        (row, column): match[1]
        for row, column, _, end, _ in places
        if (match := _FIGURE.match(text, end)) is not None
    }
    return places, figures


def summaries_of(table: DocumentTable, text: str) -> Summaries:
    """The rows that are no records, of a table that stands in its document's `text`."""
    places, figures = written_cells(table, text)
    written: dict[int, dict[int, str]] = defaultdict(dict)
    texts: dict[int, dict[int, str]] = defaultdict(dict)
    for row, column, _, _, content in places:
        texts[row][column] = content
        written[column][row] = figures.get((row, column), content)
    values: dict[int, dict[int, float]] = defaultdict(dict)
    rounding: dict[int, float] = {}
    for column, cells in written.items():
        notation = notation_of(list(cells.values()))
        if notation.kind is not ColumnKind.NUMBER:
            continue
        rounding[column] = 0.5 * 10.0 ** -max(map(notation.decimals, cells.values()))
        for row, content in cells.items():
            if (value := notation.value(content)) is not None:
                values[row][column] = value
    names = frozenset(stem(word) for name in table.columns for word in _WORD.findall(name))
    return _summaries(Grid(texts, values, rounding, frozenset(rounding), names))


def _summaries(grid: Grid) -> Summaries:
    rows = list(grid.texts)
    if len(rows) < 2:
        return Summaries()
    filled = Counter(column for row in rows if len(grid.texts[row]) > 1 for column in grid.texts[row])
    records = sum(len(cells) > 1 for cells in grid.texts.values())
    typical = {column for column, count in filled.items() if count >= _MOSTLY * (records - 1)}
    totals = _totals(rows, grid, typical)
    # Totals may stand above what they are the sum of.
    if not totals.equal and (above := _totals(rows[::-1], grid, typical, means=False)).equal:
        totals = above
    apart, doubtful = totals.apart, totals.doubtful
    alone = [row for row in rows if len(grid.texts[row]) == 1 < len(typical) and not grid.values.get(row)]
    sure = len(typical) > 2 and (len(alone) > 1 or alone[:1] == rows[:1])  # of two columns one may be missing
    for row in alone:
        text = next(iter(grid.texts[row].values()))
        (apart if sure or len(text.split()) >= _NOTE else doubtful).add(row)
    doubtful |= set(_after_gaps(rows, grid))
    if _is_turned(grid):
        doubtful |= set(rows)
    return Summaries(frozenset(apart), frozenset(doubtful - apart), totals.parts or _is_headed_late(rows))


def _totals(rows: Sequence[int], grid: Grid, typical: Set[int], *, means: bool = True) -> _Totals:
    """Rows that may be totals of those before them in `rows`; `typical`: columns that records fill."""
    found = _Totals()
    worded = typical - grid.measured
    sums = {column: _Sums() for column in grid.measured}
    again = _sums_again(rows, grid)
    reaches: list[dict[int, int]] = []  # of each total, by column: of how many records it is one
    for at, row in enumerate(rows):
        texts, values = grid.texts[row], grid.values.get(row, {})
        if len(texts) == 1 < len(typical) and not values:
            continue  # the heading of a group, or a note
        label = any(_is_label(text) for column, text in texts.items() if column not in values)
        ends = at + 1 == len(rows) or abs(rows[at + 1] - row) >= _GAP
        addends = [sums[c].addends(v, grid.rounding.get(c, 0.0), means=means) for c, v in values.items() if v]
        equal = bool(addends) and (any if label else all)(addends)
        # "Number of dishes" in a table with a column "Dishes"; two figures make up a third by chance, too.
        named = equal and any(grid.names & _stems(t) for c, t in texts.items() if c not in values)
        if named and not label:
            sums_of = [
                sums[c].addends(v, grid.rounding.get(c, 0.0), means=False) for c, v in values.items() if v
            ]
            named, label = all(sums_of), min(sums_of) > 2
        first = next(iter(texts))
        sparse = len(worded) > 1 and not any(column in worded and column != first for column in texts)
        sparse = sparse or bool(worded) and not any(column in worded for column in texts)
        if values and ((label and (equal or sparse)) or (equal and sparse)):
            found.apart.add(row)
            if equal:
                found.equal = True
                reaches.append(
                    {c: sums[c].reach(v, grid.rounding.get(c, 0.0)) for c, v in values.items() if v}
                )
            for column, value in values.items():
                sums[column].end_group(value)
            continue
        # "Q1" below three months: no chance would have it so in figures that are large enough, or twice.
        summed = row in again or (
            bool(values) and all(sums[c].is_sum(v, grid.rounding.get(c, 0.0)) for c, v in values.items())
        )
        # The largest or the smallest of all, below their mean or sum.
        extreme = (
            at > 0
            and rows[at - 1] in found.apart | found.doubtful
            and found.equal
            and any(
                all(v == bound for v, bound in zip(values.values(), bounds, strict=True))
                for bounds in ([sums[c].most for c in values], [sums[c].least for c in values])
                if bounds
            )
        )
        if extreme:
            found.doubtful.add(row)
            continue
        last = named or (equal and ends and min(addends) > 2 and len(worded) < 2)
        if label or summed or last:
            found.doubtful.add(row)
            found.equal |= summed or last
        for column, value in values.items():
            (sums[column].end_group if summed else sums[column].add)(value)
    found.parts = bool(reaches) and not any(
        reach == sums[column].count for total in reaches for column, reach in total.items()
    )
    return found


def _sums_again(rows: Sequence[int], grid: Grid) -> Set[int]:
    """Rows that are the sums of three and more rows since the last such one; none where that is so only once."""
    sums = {column: _Sums() for column in grid.measured}
    found = set[int]()
    for row in rows:
        values = grid.values.get(row, {})
        if any(values.values()) and all(
            sums[c].is_sum(v, grid.rounding.get(c, 0.0), large=False) for c, v in values.items()
        ):
            found.add(row)
        for column, value in values.items():
            (sums[column].end_group if row in found else sums[column].add)(value)
    return found if len(found) > 1 else set()


def _is_headed_late(rows: Sequence[int]) -> bool:
    """Whether a heading stands between records of which the first ones have none."""
    return any(after - before >= _HEADING for before, after in pairwise(rows))


def _is_turned(grid: Grid) -> bool:
    """Whether the records stand in columns: rows are figures or words throughout, and rows of both kinds are there."""
    left = min(column for texts in grid.texts.values() for column in texts)
    kinds = [
        {number_of(text) is not None for column, text in texts.items() if column != left}
        for texts in grid.texts.values()
        if len(texts) > 2
    ]
    return all(len(kind) == 1 for kind in kinds) and {True} in kinds and {False} in kinds


def _after_gaps(rows: Sequence[int], grid: Grid) -> Iterator[int]:
    """Rows below an empty one in which nothing is measured: they may be another table, whose names are words, too."""
    blocks: list[list[int]] = []
    for at, row in enumerate(rows):
        if not at or row - rows[at - 1] >= _GAP:
            blocks.append([])
        blocks[-1].append(row)
    for block in blocks[1:]:
        if not any(grid.values.get(row) for row in block):
            yield from block


def _is_label(text: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(text)]
    if not words or len(words) > _LONGEST:
        return False
    return (
        any(word in _WORDS or _COMPOUND.fullmatch(word) for word in (words[0], words[-1]))
        or " ".join(words[:2]) in _PHRASES
    )


def _stems(label: str) -> frozenset[str]:
    words = _WORD.findall(label)
    return frozenset(map(stem, words)) if len(words) <= _LONGEST else frozenset()


def _same(one: float, other: float, rounding: float) -> bool:
    return math.isclose(one, other, rel_tol=_SAME, abs_tol=rounding + _SAME)
