"""Understands a question as a query over one table: what to tell of which records, or nothing at all."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.answering.tables.comparisons import JOINTS, YEAR, Word
from core.answering.tables.comparisons import bounds as find_bounds
from core.answering.tables.typed import Column, ColumnKind, TypedTable, fold
from core.answering.words import stem

_TOKEN = re.compile(r"\d[\d.,'’]*\d|[^\W_]+")
_LONGEST_VALUE = 10  # words of a cell that a question repeats
_SHORT = 3  # letters of a code in capitals, which is no word in small letters
_SPECIFIC = 0.02  # for each word of its name that is repeated: "Major category" before "Major"
_NAMED = 0.5  # share of a column's name, by rarity of its words, that a question must repeat
# Words that carry no content in a question about a table.
_PLAIN = frozenset(
    "a an the of in on at to for from by with and or is are was were be been do does did has have had there this that "
    "these those which what who whom whose where when how much many all any each every whole it its their they his "
    "her as per than not no please tell me give show list name find according table register sheet file record row "
    "entry listed recorded belong come go call made make get hold two both out other counting us can you "
    "one into under over about also if then so s".split()
)
_PLAIN_STEMS = frozenset(stem(word) for word in ("row", "record", "entry", "item", "line"))
_MOST = frozenset("most highest largest biggest greatest maximum max top longest tallest latest newest oldest "
                  "heaviest fastest deepest ahead higher larger bigger greater more longer".split())  # fmt: skip
_LEAST = frozenset("least lowest smallest minimum min fewest shortest earliest lightest slowest cheapest youngest "
                   "lower smaller fewer less shorter worst".split())  # fmt: skip
_FIRST_DATES = frozenset({"oldest", "earliest", "first"})  # of dates and years the smallest
_LAST_DATES = frozenset({"youngest", "latest", "newest", "last"})
_SUM = frozenset("total sum altogether combined overall together".split())
_MEAN = frozenset("average mean".split())
_ASKED_KINDS = {"when": (ColumnKind.DATE, ColumnKind.YEAR)}
_ORDINAL = re.compile(r"(?<!\w)(\d+)(?:st|nd|rd|th)$")


class Action(StrEnum):
    LOOK_UP = "look up"
    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    MOST = "most"
    LEAST = "least"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Query:
    """`column` is told of the rows (of MOST and LEAST: compared); -1 for none. `said`: the conditions in words."""

    action: Action
    column: int
    rows: tuple[int, ...]
    said: str
    explained: float  # 0 to 1: share of the question's content that the table explains
    matched: int  # words that name a column or stand in a cell


@dataclass(frozen=True, slots=True)
class _Value:
    """A cell's text that the question repeats: words [first, last)."""

    first: int
    last: int
    text: str
    columns: dict[int, tuple[int, ...]]  # rows by column


def understand(question: str, table: TypedTable, about: str) -> Query | None:
    """The query, or None. `about`: what the table is called, its sheet, its document."""
    words = [
        Word(text, stem(text), m.start())
        for m in _TOKEN.finditer(question)
        if (text := _ORDINAL.sub(r"\1", m[0]))
    ]
    if not words or not table.rows:
        return None
    named = _named_columns(words, table)
    bounds = list(find_bounds(question, table, words, named))
    values = _values(words, table, named)
    action = _action(words, values, table)
    known = {stem(word) for word in fold(about).split()}
    for word in words:
        if not word.used and (word.text.lower() in _PLAIN or word.stem in _PLAIN_STEMS or word.stem in known):
            word.used = "plain"
    rows, said = _rows(table, values, bounds, named)
    if not rows:
        return None
    column = _told(words, table, named, values, action, [b[0] for b in bounds])
    if action is Action.COUNT and not _counted(words, table, column):
        column = -1
    settled = _settled(action, column, table, values, rows)
    if settled is None:
        return None
    action = settled
    if action in {Action.COUNT, Action.SUM, Action.MEAN} and not (values or bounds):
        # A column is named and not what is told of it: "with colour --".
        told = set(table.columns[column].stems) if column >= 0 else set()
        if any(share >= 1.0 and not told.issuperset(table.columns[c].stems) for c, share in named.items()):
            return None
    record = action in {Action.LOOK_UP, Action.LIST} and column != table.key
    left = _left_over(words, excused=not record and bool(values or bounds or action is not Action.COUNT))
    content = sum(word.used != "plain" for word in words)
    explained = 1.0 - len(left) / max(1, content)
    if left and not (len(left) == 1 and (values or bounds) and action in {Action.LOOK_UP, Action.LIST}):
        return None
    if (
        not values
        and not bounds
        and action not in {Action.MOST, Action.LEAST, Action.SUM, Action.MEAN, Action.COUNT}
    ):
        return None
    matched = sum(word.used in {"column", "value", "bound"} for word in words)
    return Query(action, column, rows, said, explained, matched)


def _named_columns(words: Sequence[Word], table: TypedTable) -> dict[int, float]:
    """Columns that the question names, with the share of their name that it repeats; their words are taken."""
    often = Counter(stem for column in table.columns for stem in set(column.stems))
    asked = {word.stem for word in words if word.text.lower() not in _PLAIN}
    short = {word.text[2:]: word for word in words if YEAR.fullmatch(word.text)}  # "00_14" for 2000 to 2014
    asked |= short.keys()
    shares: dict[int, float] = {}
    for at, column in enumerate(table.columns):
        weights = {s: 1.0 / math.sqrt(often[s]) for s in column.stems if s not in JOINTS}
        if total := sum(weights.values()):
            share = sum(weight for s, weight in weights.items() if s in asked) / total
            if share >= _NAMED or column.folded in asked:
                shares[at] = max(share, float(column.folded in asked)) + _SPECIFIC * len(
                    weights.keys() & asked
                )
    stems = {s for at in shares for s in (*table.columns[at].stems, table.columns[at].folded)}
    for word in words:
        in_short = word.text[2:] in stems and short.get(word.text[2:]) is word
        if (word.stem in stems and word.text.lower() not in _PLAIN) or in_short:
            word.used = word.used or "column"
    return shares


def _values(words: Sequence[Word], table: TypedTable, named: dict[int, float]) -> list[_Value]:
    """Cells that the question repeats, the longest first; figures of measured columns are no names of records."""
    found: list[_Value] = []
    taken = [False] * len(words)
    for length in range(min(_LONGEST_VALUE, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            span = words[first : first + length]
            if any(taken[first : first + length]) or any(word.used == "bound" for word in span):
                continue
            text = fold(" ".join(word.text for word in span))
            places = _places(text, span[0].text, table, named, _sign(span))
            whole_name = length == sum(word.used == "column" for word in span)
            if (
                not places
                or (length == 1 and (text in _PLAIN or len(text) < 2) and not _sign(span))
                or (whole_name and (not _capital(span) or _beside(words, first, first + length)))
            ):
                continue
            taken[first : first + length] = [True] * length
            found.append(_Value(first, first + length, text, places))
            for word in span:
                word.used = "value"
    return found


def _places(
    text: str, written: str, table: TypedTable, named: dict[int, float], sign: str
) -> dict[int, tuple[int, ...]]:
    """Rows by column where the text stands; a figure that is measured only where its column is named whole."""
    places = table.found.get(text) or table.found.get(text.removesuffix("s")) or {}
    return {
        c: rows
        for c, rows in places.items()
        if (table.columns[c].kind is not ColumnKind.NUMBER or c == table.key or named.get(c, 0.0) >= 1.0)
        and (not sign or (c == table.key and table.rows[rows[0]][c].text == sign))
        and (len(text) > _SHORT or not written.isupper() or table.rows[rows[0]][c].text == written)
    }


def _sign(span: Sequence[Word]) -> str:
    """A word in capitals that may be a record's sign ("T", "ALL"), though it looks like one of any question."""
    word = span[0].text if len(span) == 1 else ""
    plain = word.lower() in _PLAIN or len(word) < 2
    return word if plain and word.isupper() and word not in {"I", "A"} else ""


def _beside(words: Sequence[Word], first: int, last: int) -> bool:
    """Whether the words next to words[first:last] name a column, too: these go on with its name."""
    around = [*words[max(0, first - 1) : first], *words[last : last + 1]]
    return any(word.used == "column" for word in around)


def _capital(span: Sequence[Word]) -> bool:
    return all(word.text[:1].isupper() or word.text[:1].isdigit() for word in span)


def _action(words: Sequence[Word], values: Sequence[_Value], table: TypedTable) -> Action:
    """What is asked, by the words that say so."""
    lower = [word.text.lower() for word in words]
    action = Action.LOOK_UP
    for at, word in enumerate(lower):
        if words[at].used in {"value", "bound"}:
            continue
        if word in _SUM | _MEAN:
            action = Action.SUM if word in _SUM else Action.MEAN
        elif word in _MOST | _LEAST | _FIRST_DATES | _LAST_DATES and action is Action.LOOK_UP:
            action = Action.MOST if word in _MOST | _LAST_DATES else Action.LEAST
            if word in _FIRST_DATES:
                action = Action.LEAST if _timely(table) else Action.MOST
        else:
            continue
        words[at].used = "action"
    counted = any(a == "how" and b == "many" for a, b in itertools.pairwise(lower)) or "number" in lower
    if counted and action is Action.LOOK_UP:
        action = Action.COUNT
        for at, word in enumerate(lower):
            if word == "number" and not words[at].used:
                words[at].used = "action"
    if action is Action.LOOK_UP and lower[0] in {"list", "which", "name", "what"} and not values:
        action = Action.LIST
    return action


def _timely(table: TypedTable) -> bool:
    return any(column.kind in {ColumnKind.DATE, ColumnKind.YEAR} for column in table.columns)


def _rows(
    table: TypedTable,
    values: Sequence[_Value],
    bounds: Sequence[tuple[int, float, float, str]],
    named: dict[int, float],
) -> tuple[tuple[int, ...], str]:
    """Rows that fulfil all conditions (of values in one column: any), and the conditions in words."""
    by_column: dict[int, set[int]] = {}
    said: dict[int, list[str]] = {}
    for value in values:
        column = _column_of(value, table, named)
        by_column.setdefault(column, set()).update(value.columns[column])
        cell = table.rows[value.columns[column][0]][column]
        said.setdefault(column, []).append(cell.text)
    rows = set(table.rows)
    for matching in by_column.values():
        rows &= matching
    told = [f"{table.columns[c].name} is {' or '.join(texts)}" for c, texts in said.items()]
    for column, low, high, words in bounds:
        rows = {
            row
            for row in rows
            if (bounded := table.rows[row].get(column))
            and bounded.value is not None
            and low <= bounded.value <= high
        }
        told.append(words)
    return tuple(sorted(rows)), " and ".join(told)


def _column_of(value: _Value, table: TypedTable, named: dict[int, float]) -> int:
    """Of the columns that hold the value the one that is named, else that of the records."""
    return max(value.columns, key=lambda c: (named.get(c, 0.0), c == table.key, -c))


def _told(
    words: Sequence[Word],
    table: TypedTable,
    named: dict[int, float],
    values: Sequence[_Value],
    action: Action,
    bounded: Sequence[int],
) -> int:
    """The column that is asked for; -1 where nothing tells."""
    conditions = {_column_of(value, table, named) for value in values}
    taken = Counter(
        s for c in {*conditions, *bounded} if named.get(c, 0.0) >= 1.0 for s in table.columns[c].stems
    )
    left = Counter(word.stem for word in words) - taken  # a word names one column
    free = {
        c: share - 0.5 * sum(left[s] == 0 for s in table.columns[c].stems if s in taken)
        for c, share in named.items()
        if c not in conditions and c not in bounded
    }
    free = {c: share for c, share in free.items() if share >= _NAMED}
    measured = action in {Action.SUM, Action.MEAN, Action.MOST, Action.LEAST}
    if measured:
        free = {c: share for c, share in free.items() if table.columns[c].kind is not ColumnKind.TEXT}
    if free:
        worded = {stem(word) for word in _SUM | _MEAN}
        return max(free, key=lambda c: (not worded.issuperset(table.columns[c].stems), free[c], -c))
    asked = words[0].text.lower()
    kinds = _ASKED_KINDS.get(asked, ())
    fits = [c for c, column in enumerate(table.columns) if column.kind in kinds and c not in conditions]
    if measured:
        fits = [
            c for c, column in enumerate(table.columns) if _compares(column, words) and c not in conditions
        ]
    if len(fits) == 1:
        return fits[0]
    if action is Action.LIST or (action is Action.LOOK_UP and asked in {"which", "who", "list"}):
        return table.key if table.key not in conditions else -1
    return -1


def _compares(column: Column, words: Sequence[Word]) -> bool:
    """Whether superlatives of age or time go by this column."""
    timely = any(word.text.lower() in _FIRST_DATES | _LAST_DATES for word in words)
    return timely and column.kind in {ColumnKind.DATE, ColumnKind.YEAR}


def _counted(words: Sequence[Word], table: TypedTable, column: int) -> bool:
    """Whether "how many" asks for the column's figures ("how many seats"), not for rows."""
    lower = [word.text.lower() for word in words]
    at = lower.index("many") + 1 if "many" in lower else len(words)
    name = table.columns[column] if column >= 0 else None
    return name is not None and any(word.stem in (*name.stems, name.folded) for word in words[at : at + 2])


def _settled(
    action: Action, column: int, table: TypedTable, values: Sequence[_Value], rows: Sequence[int]
) -> Action | None:
    """The action that the columns allow: "how many seats" of one record is a look-up, of several no count of rows."""
    kind = table.columns[column].kind if column >= 0 else None
    if action is Action.COUNT and kind is ColumnKind.NUMBER:
        return Action.LOOK_UP if len(rows) == 1 else Action.SUM
    if action in {Action.SUM, Action.MEAN}:
        if kind is ColumnKind.NUMBER:
            return Action.LOOK_UP if len(rows) == 1 and values else action
        return Action.COUNT if action is Action.SUM and column < 0 else None
    if action in {Action.MOST, Action.LEAST}:
        return action if kind is not None and kind is not ColumnKind.TEXT and table.key >= 0 else None
    if action in {Action.LOOK_UP, Action.LIST} and column < 0:
        return None
    return action


def _left_over(words: Sequence[Word], *, excused: bool) -> list[Word]:
    """Words that nothing explains; where `excused`, not the kind of record that is meant ("how many aircraft")."""
    left = [at for at, word in enumerate(words) if not word.used]
    if left and excused:
        lower = [word.text.lower() for word in words]
        leads = {"many", "which", "what", "number", "list", "all"}
        before = lower[left[0] - 1] if left[0] else "which"
        if before in {"of", "the"} and left[0] > 1 and lower[left[0] - 2] in {"number", "all"}:
            before = "number"
        if before in leads:
            run = left[:1]
            left = left[len(run) :]
    return [words[at] for at in left]
