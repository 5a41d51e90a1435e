"""Cuts a question into what a table knows: columns, values, conditions, comparisons and the words around them."""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from core.answering.tables.comparisons import Comparison, comparisons
from core.answering.tables.typed import TypedTable, fold, spellings, words
from core.text.cell_values import ColumnKind
from core.text.stems import stem
from core.types import DocumentTable

_TOKEN = re.compile(r"[^\W_]+")
_LONGEST = 24  # words of a name or a value that a question repeats
LONGEST_ACTION = 3  # words
_FARTHEST = 120  # characters of a value that follows its column
_BEAM = 32  # cheapest ways to cut the words so far
_SHORT = 3  # letters of a code in capitals, which is no word in small letters
_CONNECTOR = re.compile(
    r"[\s)\]\"'”’»]*(?:(?:is|are|was|were|of|as|equals|equal to|the value|the)\s+|[=:]\s*)*[\"'“‘«]?",
    re.IGNORECASE,
)
_CONNECTING = frozenset({"equals", "equal", "to", "value"})
_NEAR_FIGURE = 3  # words
_ENDS = re.compile(r"(?=[\s?!.,;:\"'”’»]|$)")
_BEFORE_COLUMN = frozenset({"as", "for", "in", "the"})  # "7 as team seed"
_AFTER_VALUE = re.compile(r"[\s?!.,;:\"'”’»]*")
# Words that carry no content in a question about a table.
PLAIN = frozenset(
    "a an the of in on at to for from by with and or is are was were be been do does did has have had there this that "
    "these those which what who whom whose where when how much all any each every whole it its their they his "
    "her as per than not no please tell me give show list name find according table register sheet file record row "
    "entry listed recorded belong come go call made make get hold two both out other counting us can you "
    "one into under over about also if then so s".split()
)
PLAIN_STEMS = frozenset(stem(word) for word in ("row", "record", "entry", "item", "line"))


class Action(StrEnum):
    LOOK_UP = "look up"
    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    MOST = "most"
    LEAST = "least"
    LIST = "list"


ACTIONS: dict[str, Action] = {
    phrase: action
    for action, phrases in {
        Action.COUNT: "how many|how much|number|count|tally",
        Action.SUM: "total|sum|sum up|sums up to|add up|adds up|add up to|adds up to|altogether|combined|overall|"
        "together|in all|amount to|amounts to",
        Action.MEAN: "average|on average|mean",
        Action.MOST: "most|highest|largest|biggest|greatest|maximum|max|top|longest|tallest|latest|newest|last|"
        "heaviest|fastest|deepest|ahead|higher|larger|bigger|greater|more|longer",
        Action.LEAST: "least|lowest|smallest|minimum|min|fewest|shortest|earliest|first|oldest|lightest|slowest|"
        "cheapest|youngest|lower|smaller|fewer|less|shorter|worst",
    }.items()
    for phrase in phrases.split("|")
}  # fmt: skip
_ACTING = frozenset(word for phrase in ACTIONS for word in phrase.split())


class Role(StrEnum):
    COLUMN = "column"  # named whole
    PART = "part"  # a word of a column's name
    VALUE = "value"  # a cell's whole text
    CONDITION = "condition"  # a column's name and one of its values
    COMPARISON = "comparison"
    ACTION = "action"
    TITLE = "title"  # what the table is called
    ABOUT = "about"  # a part of that
    PLAIN = "plain"
    LEFT = "left"  # nothing explains it


# What a segment of each role costs: few long segments before many short ones, everything before what is left over.
_COST = {
    Role.COLUMN: 10, Role.VALUE: 10, Role.CONDITION: 12, Role.COMPARISON: 6, Role.ACTION: 11, Role.PART: 14,
    Role.TITLE: 5, Role.ABOUT: 11, Role.PLAIN: 4, Role.LEFT: 1000,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Segment:
    """Tokens [first, last) of the question. `rows` by column, of values and conditions."""

    role: Role
    first: int
    last: int
    columns: tuple[int, ...] = ()
    rows: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    comparison: Comparison | None = None
    action: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    lower: str
    stem: str
    start: int
    end: int


def tokens_of(question: str) -> list[Token]:
    return [Token(m[0], m[0].lower(), stem(m[0]), m.start(), m.end()) for m in _TOKEN.finditer(question)]


Spellings = tuple[frozenset[str], frozenset[str]]


@dataclass(frozen=True, slots=True)
class TableWords:
    """The words of a table, read without its structure: enough to see that it does not answer a question."""

    stems: frozenset[str]  # of the names of its columns, of the table and of its document
    names: str  # of its columns, case-folded, each in one piece
    cells: frozenset[str]  # case-folded

    def has_cell(self, spellings: Spellings) -> bool:
        """Return whether words of a token, all of the first and one of the second, stand in cells."""
        first, last = spellings
        return self.cells >= first and not self.cells.isdisjoint(last)


def words_of_table(table: DocumentTable, text: str, about: Sequence[str]) -> TableWords:
    """Return the words of a table in its document's `text`; `about`: what it is called, and its document."""
    names = [words(name) for name in table.columns]
    called = [word for name in about for word in fold(name).split()]
    stems = frozenset(stem(word) for word in (*itertools.chain(*names), *called))
    start, end = (table.cells[:, 2].min(), table.cells[:, 3].max()) if len(table.cells) else (0, 0)
    cells = frozenset(_TOKEN.findall(text[start:end].casefold()))
    return TableWords(stems, " ".join("".join(name) for name in names).casefold(), cells)


def may_answer(question: str, table: TableWords) -> bool:
    """Return False where a question has more words that a table lacks than any reading leaves unexplained.

    That is one word, and only beside a value or a figure. A cheap test: where in doubt, it returns True.
    """
    content, every, has_figure = _content_of(question)
    unknown = 0
    for token, word, written in content:
        is_known = token.stem in table.stems or word in table.names
        unknown += not (is_known or table.has_cell(written))
        if unknown > 1:
            return False
    return unknown == 0 or has_figure or any(map(table.has_cell, every))


@lru_cache(maxsize=8)
def _content_of(question: str) -> tuple[list[tuple[Token, str, Spellings]], list[Spellings], bool]:
    """Return the words that a table must know, with their spellings; those of all words; whether one is a figure."""
    tokens = tokens_of(question)
    figures = [at for at, token in enumerate(tokens) if any(map(str.isdigit, token.text))]
    every = [_spellings_of(token) for token in tokens]
    # Words near a figure may be those of a comparison, a date or a unit.
    content = [
        (token, token.text.casefold(), every[at])
        for at, token in enumerate(tokens)
        if not any(abs(at - figure) <= _NEAR_FIGURE for figure in figures)
        and not (token.lower in PLAIN or token.stem in PLAIN_STEMS)
        and token.lower not in _ACTING | _CONNECTING
    ]
    return content, every, bool(figures)


def _spellings_of(token: Token) -> Spellings:
    """Return the words of a token as cells have them, which casefolding may split; without the ending of a plural."""
    *first, last = fold(token.text).split()
    return frozenset(first), frozenset((last, last.removesuffix("s")))


def segmentations(
    question: str,
    tokens: Sequence[Token],
    table: TypedTable,
    about: Sequence[str],
) -> list[tuple[int, tuple[Segment, ...]]]:
    """(cost, segments) of the cheapest ways to cut the question, the cheapest first."""
    starts: dict[int, list[Segment]] = {at: [] for at in range(len(tokens))}
    for segment in _known(question, tokens, table, about):
        starts[segment.first].append(segment)
    best: list[list[tuple[int, tuple[Segment, ...]]]] = [[] for _ in range(len(tokens) + 1)]
    best[0] = [(0, ())]
    for at in range(len(tokens)):
        best[at] = heapq.nsmallest(_BEAM, best[at], key=lambda way: way[0])
        follow = starts[at] or [Segment(Role.LEFT, at, at + 1)]
        if all(segment.last > at + 1 for segment in follow):
            follow = [*follow, Segment(Role.LEFT, at, at + 1)]
        for cost, way in best[at]:
            for segment in follow:
                best[segment.last].append((cost + _COST[segment.role], (*way, segment)))
    return heapq.nsmallest(_BEAM, best[-1], key=lambda way: way[0])


def _known(
    question: str,
    tokens: Sequence[Token],
    table: TypedTable,
    about: Sequence[str],
) -> Iterator[Segment]:
    """Every run of tokens that means something."""
    stems = {s for column in table.columns for s in column.stems}
    titles = [[stem(word) for word in fold(name).split()] for name in about]
    called = {s for title in titles for s in title}
    for found in comparisons(question):
        inside = [at for at, token in enumerate(tokens) if found.start <= token.start < found.end]
        if inside:
            yield Segment(Role.COMPARISON, inside[0], inside[-1] + 1, comparison=found)
    for first, token in enumerate(tokens):
        plain = token.lower in PLAIN or token.stem in PLAIN_STEMS
        for last in range(first + 1, min(len(tokens), first + LONGEST_ACTION) + 1):
            if action := ACTIONS.get(" ".join(token.lower for token in tokens[first:last])):
                yield Segment(Role.ACTION, first, last, action=action)
        if plain:
            yield Segment(Role.PLAIN, first, first + 1)
        elif token.stem in stems:
            yield Segment(Role.PART, first, first + 1)
        if token.stem in called and not plain:
            yield Segment(Role.ABOUT, first, first + 1)
        for last in range(first + 1, min(len(tokens), first + _LONGEST) + 1):
            span = tokens[first:last]
            columns = _columns(span, table)
            if columns:
                yield Segment(Role.COLUMN, first, last, columns)
                yield from _conditions(question, tokens, first, last, columns, table)
            run = [token.stem for token in span]
            if run in titles:
                yield Segment(Role.TITLE, first, last)
            elif last > first + 1 and any(_stands_in(run, title) for title in titles):
                yield Segment(Role.ABOUT, first, last)
            if rows := _values(question, span, table, plain=plain and last == first + 1):
                yield Segment(Role.VALUE, first, last, tuple(rows), rows)
            elif token.text[0].isdigit() and last < len(tokens):
                yield from _figures(question, tokens, first, last, table)


def _columns(span: Sequence[Token], table: TypedTable) -> tuple[int, ...]:
    """As written, else by the stems of the words."""
    names = (table.named.get(key) for key in spellings([token.text for token in span]))
    return next((columns for columns in names if columns), ())


def _stands_in(stems: Sequence[str], title: Sequence[str]) -> bool:
    return any(title[at : at + len(stems)] == stems for at in range(len(title) - len(stems) + 1))


def _values(
    question: str, span: Sequence[Token], table: TypedTable, *, plain: bool
) -> dict[int, tuple[int, ...]]:
    """Rows by column where a cell says just this; figures that are measured name no record, those that all differ may.

    A word of any question is a value only in capitals ("IN", "OR"), a code in capitals only where the cell has them.
    """
    text = " ".join(token.text.casefold() for token in span)
    places = table.found.get(text) or table.found.get(text.removesuffix("s")) or {}
    written = question[span[0].start : span[-1].end]
    if not places or ((plain or len(text) < 2) and (not written.isupper() or written in {"I", "A"})):
        return {}
    coded = len(text) <= _SHORT and written.isupper() and not question.isupper()
    matches: dict[int, tuple[int, ...]] = {}
    for column, rows in places.items():
        about = table.columns[column]
        identifies = column == table.key or (about.distinct == about.filled and len(text) >= _SHORT)
        if about.kind is ColumnKind.NUMBER and not identifies:
            continue
        if coded:
            rows = tuple(row for row in rows if table.rows[row][column].text.isupper())
        if rows := _as_written(question.casefold(), column, rows, table):
            matches[column] = rows
    return matches


def _as_written(question: str, column: int, rows: tuple[int, ...], table: TypedTable) -> tuple[int, ...]:
    """Of rows whose texts have the same words ("C", "C++") those whose text stands in the question."""
    texts = {row: table.rows[row][column].text.casefold() for row in rows}
    if len(set(texts.values())) == 1:
        return rows
    longest = max((text for text in texts.values() if text in question), key=len, default="")
    return tuple(row for row, text in texts.items() if text == longest) if longest else rows


def _conditions(
    question: str, tokens: Sequence[Token], first: int, last: int, columns: Sequence[int], table: TypedTable
) -> Iterator[Segment]:
    """A column's name with one of its values behind it: "team seed 16b", "win odds is --", "colour: none"."""
    lead = _CONNECTOR.match(question, tokens[last - 1].end)
    begin = lead.end() if lead else tokens[last - 1].end
    stated = bool(lead and lead[0].strip(" )"))
    ends = [m.start() for m in _ENDS.finditer(question, begin, min(len(question), begin + _FARTHEST))]
    if len(question) - begin <= _FARTHEST:
        ends.append(len(question))
    for column in columns:
        for exact, end in itertools.product((True, False), reversed(ends)):
            written = question[begin:end].strip()
            if rows := _rows_with(written, column, table, exact=exact, stated=stated):
                rest = _AFTER_VALUE.match(question, end)
                after = rest.end() if rest else end
                at = next((n for n, token in enumerate(tokens) if token.start >= after), len(tokens))
                if at >= last:
                    yield Segment(Role.CONDITION, first, at, (column,), {column: rows})
                break


def _figures(
    question: str, tokens: Sequence[Token], first: int, last: int, table: TypedTable
) -> Iterator[Segment]:
    """A figure before its column's name: "4 seats", "7 as team seed"."""
    begin = last
    while begin < len(tokens) - 1 and tokens[begin].lower in _BEFORE_COLUMN:
        begin += 1
    for end in range(begin + 1, min(len(tokens), begin + _LONGEST) + 1):
        for column in _columns(tokens[begin:end], table):
            written = question[tokens[first].start : tokens[last - 1].end]
            if rows := _rows_with(written, column, table):
                yield Segment(Role.CONDITION, first, end, (column,), {column: rows})


def _rows_with(
    written: str, column: int, table: TypedTable, *, exact: bool = False, stated: bool = True
) -> tuple[int, ...]:
    """Rows whose cell in the column says or measures this, to the letter where `exact`.

    Where nothing states that a value follows, "state in" is not the state "IN".
    """
    cells = {row: table.rows[row][column].text for row in table.found.get(fold(written), {}).get(column, ())}
    same = tuple(row for row, text in cells.items() if text.casefold() == written.casefold())
    if not stated and written.lower() in PLAIN:
        return tuple(row for row in same if cells[row] == written)
    if same or exact:
        return same
    if cells and table.columns[column].kind is ColumnKind.TEXT:
        return tuple(cells)
    value = table.columns[column].notation.value(written)
    if value is None:
        return ()
    return tuple(row for row, entry in table.rows.items() if column in entry and entry[column].value == value)
