"""Comparisons in a question ("more than 50,000", "between 1980 and 1990") and the column that each is about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.answering.tables.typed import ColumnKind, TypedTable, date_of, number_of

_NUMBER = r"(?P<{0}>[$€£]?\d[\w.,/-]*(?:\s(?:[A-Z][a-z]+)\s\d{{4}})?%?)"
_ABOVE = r"more than|over|above|greater than|higher than|larger than|at least|no less than|from|since|after"
_BELOW = r"less than|fewer than|under|below|lower than|smaller than|at most|no more than|up to|before|until|earlier"
_BETWEEN = re.compile(
    rf"\b(?:between|from) {_NUMBER.format('low')} (?:and|to|until) {_NUMBER.format('high')}", re.IGNORECASE
)
_BOUND = re.compile(
    rf"\b(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW})) {_NUMBER.format('bound')}", re.IGNORECASE
)
_DURING = re.compile(r"\b(?:in|during|of|for) (?P<bound>(?:1[0-9]|20)\d\d)\b", re.IGNORECASE)
_INCLUDED = frozenset(
    {"at least", "no less than", "from", "since", "at most", "no more than", "up to", "until"}
)
JOINTS = frozenset("a an the of in on at to for from by with and or per".split())  # in names of columns
YEAR = re.compile(r"(?:1[0-9]|20)\d\d")


@dataclass(slots=True)
class Word:
    text: str
    stem: str
    start: int
    used: str = ""  # value, column, action, plain


def bounds(
    question: str, table: TypedTable, words: Sequence[Word], named: dict[int, float]
) -> Iterator[tuple[int, float, float, str]]:
    """(column, least, most, words) of comparisons; the column is the measured one that is named, or the only one."""
    taken: list[tuple[int, int]] = []
    for match in [*_BETWEEN.finditer(question), *_BOUND.finditer(question), *_DURING.finditer(question)]:
        if any(start <= match.start() < end for start, end in taken):
            continue
        groups = match.groupdict()
        during = match.re is _DURING
        ends = (
            [groups["low"], groups["high"]] if groups.get("low") else [groups["bound"]] * (2 if during else 1)
        )
        column = _measured(ends[0] or "", table, words, match.start(), named)
        # A year that stands in a column of years is a value like others.
        if column < 0 or (during and table.columns[column].kind is not ColumnKind.DATE):
            continue
        kind = table.columns[column].kind
        numbers = [_number(end or "", kind) for end in ends]
        if None in numbers or not _within(table, column, numbers[0] or 0.0):
            continue
        taken.append(match.span())
        for word in words:
            if match.start() <= word.start < match.end():
                word.used = "bound"
        low, high = -math.inf, math.inf
        if len(numbers) == 2:
            low, high = sorted(n for n in numbers if n is not None)
            high = _end_of(ends[1] or "", high, kind)
        else:
            bound = numbers[0] or 0.0
            sign = (groups["above"] or groups["below"]).lower()
            whole = _end_of(ends[0] or "", bound, kind)
            if groups["above"]:
                low = bound if sign in _INCLUDED else math.nextafter(whole, math.inf)
            else:
                high = whole if sign in _INCLUDED else math.nextafter(bound, -math.inf)
        yield column, low, high, f"{table.columns[column].name} {match[0]}"


def _measured(bound: str, table: TypedTable, words: Sequence[Word], at: int, named: dict[int, float]) -> int:
    """The column that a comparison is about: named nearest before it, else the only one of its kind."""
    year = bool(YEAR.fullmatch(bound))
    dated = date_of(bound) is not None
    wanted = (
        {ColumnKind.DATE}
        if dated
        else {ColumnKind.DATE, ColumnKind.YEAR, ColumnKind.NUMBER}
        if year
        else {ColumnKind.NUMBER}
    )
    fits = [c for c, column in enumerate(table.columns) if column.kind in wanted]
    stems = {word.stem: word.start for word in words}

    def nearness(c: int) -> float:
        places = [stems[s] for s in table.columns[c].stems if s in stems and s not in JOINTS]
        return min((abs(at - place) for place in places), default=math.inf)

    near = sorted(fits, key=lambda c: (-named.get(c, 0.0), nearness(c)))
    if near and nearness(near[0]) < math.inf:
        return near[0]
    timely = [c for c in fits if table.columns[c].kind is not ColumnKind.NUMBER]
    only = timely if year else fits
    return only[0] if len(only) == 1 else -1


def _within(table: TypedTable, column: int, bound: float) -> bool:
    """Whether a figure is of the column's size: a year is no bound of counts."""
    if table.columns[column].kind is not ColumnKind.NUMBER:
        return True
    values = [c.value for cells in table.rows.values() if (c := cells.get(column)) and c.value is not None]
    return bool(values) and min(values) <= bound <= max(values)


def _number(text: str, kind: ColumnKind) -> float | None:
    """A bound as the column counts: days for dates (a year alone: its first day)."""
    if kind is ColumnKind.DATE:
        found = date_of(text) or (date_of(f"{text}-01-01") if YEAR.fullmatch(text) else None)
        return None if found is None else float(found.toordinal())
    return number_of(text.rstrip(".,"))


def _end_of(text: str, value: float, kind: ColumnKind) -> float:
    """The last day that a bound means: of a year, its last."""
    if kind is ColumnKind.DATE and YEAR.fullmatch(text):
        last = date_of(f"{text}-12-31")
        return float(last.toordinal()) if last else value
    return value
