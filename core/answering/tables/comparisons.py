"""Comparisons in a question ("more than 50,000", "between 1980 and 1990") as bounds of a column."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.answering.tables.typed import TypedTable
from core.text.cell_values import ColumnKind, date_of, number_of
from core.text.dates import read_cell

_NUMBER = (
    r"(?P<{0}>\d{{1,2}}\.?\s[^\W\d_]{{3,}}\s\d{{4}}|[^\W\d_]{{3,}}\s\d{{1,2}},?\s\d{{4}}|"
    r"[-−]?[$€£]?\d[\w.,/'’-]*%?)"
)
_ABOVE = r"more than|over|above|greater than|higher than|larger than|at least|no less than|from|since|after"
_BELOW = r"less than|fewer than|under|below|lower than|smaller than|at most|no more than|up to|before|until|earlier"
_BETWEEN = re.compile(
    rf"\b(?:between|from) {_NUMBER.format('low')} (?:and|to|until) {_NUMBER.format('high')}", re.IGNORECASE
)
_BOUND = re.compile(
    rf"(?:\b(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW})) |(?P<sign>[<>]=?)\s?){_NUMBER.format('bound')}",
    re.IGNORECASE,
)
_DURING = re.compile(r"\b(?:in|during|of|for) (?P<bound>(?:1[0-9]|20)\d\d)\b", re.IGNORECASE)
_INCLUDED = frozenset(
    {"at least", "no less than", "from", "since", "at most", "no more than", "up to", "until"}
)
YEAR = re.compile(r"(?:1[0-9]|20)\d\d")


@dataclass(frozen=True, slots=True)
class Comparison:
    """As written at [start, end) of the question; `low` and `high` are "" where there is no such bound."""

    start: int
    end: int
    text: str
    low: str
    high: str
    included: bool
    during: bool = False  # "in 1999"


def comparisons(question: str) -> Iterator[Comparison]:
    taken: list[tuple[int, int]] = []
    for match in [*_BETWEEN.finditer(question), *_BOUND.finditer(question), *_DURING.finditer(question)]:
        if any(start <= match.start() < end for start, end in taken):
            continue
        taken.append(match.span())
        found = {name: (text or "").rstrip(".,?") for name, text in match.groupdict().items()}
        place = match.start(), match.end(), match[0].rstrip(".,?")
        if match.re is _BETWEEN:
            yield Comparison(*place, found["low"], found["high"], True)
        elif match.re is _DURING:
            yield Comparison(*place, found["bound"], found["bound"], True, True)
        else:
            sign = found["sign"]
            included = (found["above"] or found["below"]).lower() in _INCLUDED or "=" in sign
            above = bool(found["above"]) or sign.startswith(">")
            bound = found["bound"]
            yield Comparison(*place, bound if above else "", "" if above else bound, included)


def kinds_of(comparison: Comparison) -> frozenset[ColumnKind]:
    """Kinds of columns that it may be about."""
    written = comparison.low or comparison.high
    if comparison.during:  # a year that stands in a column of years is a value like others
        return frozenset({ColumnKind.DATE})
    if YEAR.fullmatch(written):
        return frozenset({ColumnKind.DATE, ColumnKind.YEAR, ColumnKind.NUMBER})
    dated = read_cell(written) is not None and number_of(written) is None
    return frozenset({ColumnKind.DATE if dated else ColumnKind.NUMBER})


def rows_within(comparison: Comparison, column: int, table: TypedTable) -> tuple[int, ...] | None:
    """Rows whose cell lies within the bounds; None where the bounds are none of the column's size."""
    kind = table.columns[column].kind
    low, high = (_number(end, column, table) for end in (comparison.low, comparison.high))
    if (comparison.low and low is None) or (comparison.high and high is None):
        return None
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    if comparison.low and comparison.high:
        least, most = min(least, most), max(least, most)
        most = _end_of(comparison.high, most, kind)
    elif comparison.low and not comparison.included:
        least = math.nextafter(_end_of(comparison.low, least, kind), math.inf)
    elif comparison.high:
        most = (
            _end_of(comparison.high, most, kind) if comparison.included else math.nextafter(most, -math.inf)
        )
    values = {
        row: c.value for row, cells in table.rows.items() if (c := cells.get(column)) and c.value is not None
    }
    stated = [bound for bound in (low, high) if bound is not None]
    if kind is ColumnKind.NUMBER and not any(
        min(values.values(), default=math.inf) <= bound <= max(values.values(), default=-math.inf)
        for bound in stated
    ):
        return None
    return tuple(row for row, value in values.items() if least <= value <= most)


def _number(text: str, column: int, table: TypedTable) -> float | None:
    """A bound as the column counts: days for dates (a year alone: its first day)."""
    notation = table.columns[column].notation
    if not text:
        return None
    if notation.kind is ColumnKind.DATE:
        found = date_of(text, notation.month_first) or (
            date_of(f"{text}-01-01") if YEAR.fullmatch(text) else None
        )
        return None if found is None else float(found.toordinal())
    return number_of(text, notation.decimal)


def _end_of(text: str, value: float, kind: ColumnKind) -> float:
    """The last day that a bound means: of a year, its last."""
    if kind is ColumnKind.DATE and YEAR.fullmatch(text):
        last = date_of(f"{text}-12-31")
        return float(last.toordinal()) if last else value
    return value
