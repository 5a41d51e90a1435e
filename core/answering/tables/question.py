"""Understands a question as a query over one table: what to tell of which records, or nothing at all.

Every way to read the question is tried, the plainest first; where equally plain ones tell otherwise, none is taken.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.answering.restrictions import is_measure
from core.answering.tables.comparisons import kinds_of, rows_within
from core.answering.tables.segments import (
    ACTIONS,
    LONGEST_ACTION,
    PLAIN,
    Action,
    Role,
    Segment,
    Token,
    segmentations,
    tokens_of,
)
from core.answering.tables.typed import TypedTable, spellings, words
from core.text.cell_values import ColumnKind
from core.text.stems import stem
from core.text.translation import both, tr

_AFTER_HEAD = re.compile(r"\s(?:of|in|at|by|to|for|from|on|per|with)\s|[(\[,;:]")
_NAMED = 0.5  # share of a column's name, by rarity of its words, that a question must repeat
_MOST_TOKENS = 80  # longer questions are about no table
_READINGS = 16  # of one way to cut the question
_TIMELY = frozenset({ColumnKind.DATE, ColumnKind.YEAR})


_OLD = frozenset({"oldest", "earliest", "first"})  # of dates and years the smallest
_NEW = frozenset({"youngest", "latest", "newest", "last"})
_ASKING = frozenset({"which", "what", "whose"})
_FIGURES = frozenset({"what", "how"})  # "what is the highest price": no record is asked for
_LISTING = frozenset({"which", "what", "name", "show", "give"})
_ALL = frozenset({"list", "all", "every", "each"})
_PLURAL = frozenset({"are", "were", "have", "had", "with"})
_COMPUTED = frozenset({Action.SUM, Action.MEAN})
_COMPARED = frozenset({Action.MOST, Action.LEAST})


@dataclass(frozen=True, slots=True)
class TableQuery:
    """`column` is told of the rows (of MOST and LEAST: compared; of COUNT: its different texts); -1 for none.

    `where`: the conditions in words. `matched`: words that the table knows. `conditions`: those columns, with the rows
    that hold the value or, where `compared` has the column, lie within the bounds.
    """

    action: Action
    column: int
    rows: tuple[int, ...]
    where: str
    explained: float  # 0 to 1: share of the question's content that the table explains
    matched: int
    cost: int  # of the segments: the plainer the reading, the less
    conditions: tuple[tuple[int, frozenset[int]], ...] = ()
    compared: frozenset[int] = frozenset()
    named_by: int = (
        -1
    )  # of MOST and LEAST: the column that names the record, -1 where the figure itself is asked for
    asks_count: bool = False  # where the result is a sum of figures: "how many seats"
    per_row: bool = False  # of how many each row may stand for: "how many chairs" of rows with a quantity
    counts_unnamed: bool = False  # rows that nothing says to be what is counted


@dataclass(frozen=True, slots=True)
class _Condition:
    column: int
    rows: frozenset[int]
    where: str
    equal: bool  # to a value: of two for one column either holds


def understand(question: str, table: TypedTable, about: Sequence[str]) -> list[list[TableQuery]]:
    """Queries that the question may mean, equally plain ones together, the plainest first.

    `about`: what the table is called, and its document.
    """
    tokens = tokens_of(question)
    if not tokens or len(tokens) > _MOST_TOKENS or not table.rows or _asks_for_reasons(tokens):
        return []
    tiers: dict[int, list[TableQuery]] = {}
    for cost, segments in segmentations(question, tokens, table, about):
        for query in itertools.islice(_Reading(tokens, segments, cost, table).queries(), _READINGS):
            if query not in tiers.setdefault(cost, []):
                tiers[cost].append(query)
    return [tiers[cost] for cost in sorted(tiers) if tiers[cost]]


def _asks_for_reasons(tokens: Sequence[Token]) -> bool:
    """No row says why or how something came about."""
    first, second = (token.lower for token in (*tokens[:2], tokens[0])[:2])
    return first == "why" or (first == "how" and second not in {"many", "much"})


def asks_to_compute(question: str) -> bool:
    """Whether it asks for a count, a sum, a mean or a list of all, whatever of."""
    lower = [token.lower for token in tokens_of(question)]
    if lower[:1] == ["list"] or (lower and lower[0] in _LISTING and "all" in lower[:4]):
        return True
    spans = itertools.combinations(range(len(lower) + 1), 2)
    phrases = {" ".join(lower[first:last]) for first, last in spans if last - first <= LONGEST_ACTION}
    actions = set(map(ACTIONS.get, phrases - {"how much"}))  # that may ask for what one row says
    return bool(actions & {Action.COUNT, *_COMPUTED})


class _Reading:
    """One way to cut the question."""

    def __init__(
        self, tokens: Sequence[Token], segments: Sequence[Segment], cost: int, table: TypedTable
    ) -> None:
        self._tokens = tokens
        self._cost = cost
        self._segments = segments
        self._table = table
        self._parts = _named_in_part([tokens[s.first].stem for s in segments if s.role is Role.PART], table)
        self._action = self._asked_for()

    def queries(self) -> Iterator[TableQuery]:
        left = self._left()
        if left is None or self._denies():
            return
        named = [s for s in self._segments if s.role is Role.COLUMN]
        choices = [list(self._bound(s, named)) for s in self._segments if s.role in _BINDING]
        for chosen in itertools.product(*choices):
            rows, text = _rows(self._table, [condition for condition, _ in chosen])
            if not rows or self._values_touch(chosen):
                continue
            used = {id(segment) for _, segment in chosen if segment is not None}
            free = [s for s in named if id(s) not in used]
            taken = {condition.column for condition, _ in chosen}
            for action, column in self._actions(free, taken, rows, bool(chosen)):
                named_by = self._named_by(free, column) if action in _COMPARED else -1
                if named_by == column >= 0 or not self._is_explained({column, named_by, *taken}):
                    continue  # a figure names no record
                content = sum(s.role is not Role.PLAIN for s in self._segments)
                matched = sum(s.last - s.first for s in self._segments if s.role in _MATCHED)
                conditions = tuple((each.column, each.rows) for each, _ in chosen)
                compared = frozenset(each.column for each, _ in chosen if not each.equal)
                explained = 1.0 - left / max(1, content)
                counted = action is Action.SUM and self._action is Action.COUNT
                unnamed = action is Action.COUNT and self._role_at(self._counted_at()) is Role.LEFT
                if action is Action.COUNT and self._is_stated(column, unnamed, chosen):
                    continue
                yield TableQuery(
                    action, column, rows, text, explained, matched, self._cost, conditions, compared, named_by,
                    counted, counted and self._counts_value(), unnamed,
                )  # fmt: skip

    def _values_touch(self, chosen: Sequence[tuple[_Condition, Segment | None]]) -> bool:
        """Whether two values of one column stand side by side: parts of a name that the table does not have."""
        binding = [s for s in self._segments if s.role in _BINDING]
        return any(
            one.last == other.first and a.column == b.column
            for (one, (a, _)), (other, (b, _)) in itertools.pairwise(zip(binding, chosen, strict=True))
        )

    def _asked_for(self) -> Action:
        by_action = {s.action: s for s in self._segments if s.role is Role.ACTION}
        timely = any(column.kind in _TIMELY for column in self._table.columns)
        for action in (Action.SUM, Action.MEAN):
            if action in by_action:
                return action
        for action in (Action.MOST, Action.LEAST):
            if action in by_action:
                word = self._tokens[by_action[action].first].lower
                turned = not timely and word in _OLD | _NEW  # of ages the oldest is the largest
                return action if not turned else Action.MOST if word in _OLD else Action.LEAST
        if Action.COUNT in by_action:
            return Action.COUNT
        first = self._tokens[0].lower
        values = any(s.role in {Role.VALUE, Role.CONDITION} for s in self._segments)
        return Action.LIST if first in {"list", "which", "name", "what"} and not values else Action.LOOK_UP

    def _counted_at(self) -> int:
        """The token behind "how many" or "number of the"; -1 where nothing is counted."""
        at = next((s.last for s in self._segments if s.action == Action.COUNT), -1)
        while 0 < at < len(self._tokens) and self._tokens[at].lower in {"of", "all", "the"}:
            at += 1
        return at

    def _denies(self) -> bool:
        """Whether "not" stands in the question, and is no part of a value: no row says what it is not."""
        return any(s.role is Role.PLAIN and self._tokens[s.first].lower == "not" for s in self._segments)

    def _heads(self, token: int, column: int) -> bool:
        """Whether the word names a column: "home port", "port of call", but not "record of port calls"."""
        name = _AFTER_HEAD.split(self._table.columns[column].name.strip())[0]
        return bool(last := words(name)[-1:]) and stem(last[0].casefold()) == self._tokens[token].stem

    def _role_at(self, token: int) -> Role | None:
        return next((s.role for s in self._segments if s.first == token), None)

    def _is_stated(
        self, column: int, unnamed: bool, chosen: Sequence[tuple[_Condition, Segment | None]]
    ) -> bool:
        """Whether what is counted is stated by a figure and is no number of rows: tonnes, or what one record has."""
        counted = self._counted_at()
        if column < 0 <= counted < len(self._tokens) and is_measure(self._tokens[counted].lower):
            return True
        columns = self._table.columns
        return unnamed and any(
            each.equal and columns[each.column].distinct == columns[each.column].filled for each, _ in chosen
        )

    def _counts_one(self, counted: int) -> bool:
        """Whether what is counted is the name of a single record: "how many bolts M8" asks for a figure of it."""
        columns = self._table.columns
        return any(
            s.first == counted and s.role is Role.VALUE
            and all(columns[c].distinct == columns[c].filled for c in s.rows)
            for s in self._segments
        )  # fmt: skip

    def _counted_columns(self, free: Sequence[Segment], at: int) -> tuple[int, ...]:
        """The columns that are named there, also where the table is called so and its rows are no such things: "how
        many eggs" of a table "Eggs" with figures in a column "Eggs"."""
        table = self._table
        for each in self._segments:
            if each.first == at and each.role in {Role.TITLE, Role.PLAIN}:
                names = spellings([token.text for token in self._tokens[at : each.last]])
                columns = {c: table.columns[c] for name in names for c in table.named.get(name, ())}
                if each.role is Role.PLAIN:
                    return tuple(columns)
                word = self._tokens[at].lower
                called = {c for c, of in columns.items() if of.name and word.startswith(of.name.lower())}
                if table.key in called and table.repeats(table.key):
                    return (table.key, -1)  # the rows, or what they name: that is no answer
                measured = (c for c, of in enumerate(table.columns) if of.kind is ColumnKind.NUMBER)
                if not columns and (
                    parts := [c for c in measured if word in table.columns[c].name.lower().split()]
                ):
                    return (*parts, -1)  # "Eggs in", "Number of eggs": the rows, or these figures
                return tuple(
                    c
                    for c, of in columns.items()
                    if of.kind is ColumnKind.NUMBER or of.nameless or c in called - {table.key}
                )
        return next((each.columns for each in free if each.first == at), ())

    def _counts_value(self) -> bool:
        """Whether what is counted is what rows say, not what they are: "how many chairs" of a column "Article", or of
        a unit behind the figures ("bags")."""
        at, key, table = self._counted_at(), self._table.key, self._table
        return any(
            s.first == at
            and s.role is Role.VALUE
            and (key < 0 or min(s.rows) <= key or any(c and table.counts_things(c - 1) for c in s.rows))
            for s in self._segments
        )

    def _left(self) -> int | None:
        """How many words nothing explains: none, or the one that says what the records are ("how many aircraft")."""
        left = [s for s in self._segments if s.role is Role.LEFT]
        if not left:
            return 0
        at = left[0].first
        before = [token.lower for token in self._tokens[max(0, at - 2) : at]]
        follows = next((s.role for s in self._segments if s.first == at + 1), Role.PLAIN)
        after = self._tokens[at + 1].lower if at + 1 < len(self._tokens) else ""
        # "Which planes are", but not "which warranty does": that asks for the warranty.
        leads = (before[-1:] == ["which"] and after in _PLURAL) or before in (["all", "the"], ["of", "all"])
        leads = leads or at == self._counted_at()
        conditions = any(s.role in _BINDING for s in self._segments)
        if (
            len(left) == 1
            and leads
            and conditions
            and follows not in {Role.COLUMN, Role.TITLE, Role.ABOUT, Role.PART}
        ):
            return 1
        # "Which aircraft cost more than 50,000 EUR?"
        compared = any(s.role is Role.COMPARISON and s.first == at + 1 for s in self._segments)
        return 1 if len(left) == 1 and compared and self._action is Action.LIST else None

    def _bound(
        self, segment: Segment, named: Sequence[Segment]
    ) -> Iterator[tuple[_Condition, Segment | None]]:
        """What a value or comparison may ask of which column, and the segment that names that column."""
        table = self._table
        if segment.comparison is not None:
            comparison, kinds = segment.comparison, kinds_of(segment.comparison)
            fits = [c for c, column in enumerate(table.columns) if column.kind in kinds]
            for column, name in self._nearest(segment, fits, named, timely=bool(kinds & _TIMELY)):
                if (rows := rows_within(comparison, column, table)) is not None:
                    wording = f"{table.columns[column].name} {comparison.text}"
                    yield _Condition(column, frozenset(rows), wording, False), name
            return
        for column, name in self._holding(segment, named):
            rows = segment.rows[column]
            name_of, value = table.columns[column].name, table.rows[rows[0]][column].text
            wording = tr("{column} is {value}", column=name_of, value=value) if name_of else value
            yield _Condition(column, frozenset(rows), wording, True), name

    def _nearest(
        self, segment: Segment, fits: Sequence[int], named: Sequence[Segment], *, timely: bool
    ) -> list[tuple[int, Segment | None]]:
        """The column that a comparison is about: named nearest to it, else the only one of its kind."""
        near = sorted(
            (abs(name.first - segment.first) + (name.first > segment.first), column, name)
            for name in named
            for column in name.columns
            if column in fits
        ) if named else []  # fmt: skip
        if near:
            return [(near[0][1], near[0][2])]
        in_part = [column for column in fits if column in self._parts]
        timed = [column for column in fits if self._table.columns[column].kind in _TIMELY]
        only = in_part or (timed if timely else fits)
        if len(only) > 1 and in_part:
            best = max(self._parts[column] for column in in_part)
            only = [column for column in in_part if self._parts[column] == best]
        return [(only[0], None)] if len(only) == 1 else []

    def _holding(self, segment: Segment, named: Sequence[Segment]) -> list[tuple[int, Segment | None]]:
        """Columns that a value may stand in: those that are named, else that of the records, else any."""
        if segment.role is Role.CONDITION:
            return [(segment.columns[0], None)]
        by_name = [(column, name) for name in named for column in name.columns if column in segment.rows]
        if by_name:
            nearest = min(by_name, key=lambda each: abs(each[1].first - segment.first))
            return [nearest, *((column, None) for column in segment.rows if column == self._table.key)]
        in_part = [column for column in segment.rows if column in self._parts]
        if in_part:
            return [(column, None) for column in in_part]
        if self._table.key in segment.rows:
            return [(self._table.key, None)]
        columns = self._table.columns
        unlike = [c for c in segment.rows if columns[c].distinct == columns[c].filled]
        return [(column, None) for column in unlike or segment.rows]

    def _actions(
        self, free: Sequence[Segment], taken: set[int], rows: Sequence[int], filtered: bool
    ) -> Iterator[tuple[Action, int]]:
        """(action, column) that the columns allow which are named and in no condition."""
        table, action = self._table, self._action
        counted = self._counted_at()
        if action is Action.COUNT:
            if self._counts_one(counted):
                return
            noun = [s for s in free if s.first == counted]
            if len(free) > len(noun):
                return
            if not free and self._counts_value():
                amounts = [c for c in range(len(table.columns)) if c not in taken and table.counts_things(c)]
                if len(amounts) == 1:
                    yield Action.SUM, amounts[0]
                    return
            in_part = [c for c in self._parts if counted < len(self._tokens) and c not in taken
                       and self._tokens[counted].stem in table.columns[c].stems
                       and (table.columns[c].kind is ColumnKind.NUMBER or self._heads(counted, c))]  # fmt: skip
            shares = {self._parts[c] for c in in_part}
            if len(in_part) > 1 and len(shares) == 1:
                return  # "ships" of "ships in" and "ships out"
            in_part = sorted(in_part, key=lambda c: -self._parts[c])
            for column in self._counted_columns(free, counted) or in_part[:1] or (-1,):
                kind = table.columns[column].kind if column >= 0 else None
                if kind is ColumnKind.NUMBER and table.numbers_records(column):  # "how many rooms"
                    yield Action.COUNT, column
                elif kind is ColumnKind.NUMBER:  # "how many seats"
                    yield (Action.LOOK_UP if len(rows) == 1 else Action.SUM), column
                elif "much" not in (token.lower for token in self._tokens[:2]):  # that asks for an amount
                    of = table.columns[column]
                    names_all = column == table.key and of.distinct == len(table.rows) and not of.nameless
                    yield Action.COUNT, -1 if column in taken or names_all else column
            return
        columns = list(dict.fromkeys(column for segment in free for column in segment.columns))
        if action in _COMPARED:
            asked = self._asked_column(free)
            measured = [c for c in columns if table.columns[c].kind is not ColumnKind.TEXT and c not in asked]
            measured = measured or ([] if set(columns) - set(asked) else self._compared(taken | set(asked)))
            if len(measured) == 1 and table.key >= 0:
                yield action, measured[0]
            return
        if len(free) > 1:
            return
        if not free:
            columns = self._unnamed(taken)
        for column in columns:
            kind = table.columns[column].kind
            if action in _COMPUTED:
                if kind is ColumnKind.NUMBER or (kind is ColumnKind.YEAR and action is Action.MEAN):
                    yield action, column
            elif column in taken and action is Action.LOOK_UP:
                continue  # what the question itself says is no answer to it
            elif (filtered or (free and self._lists_all())) and (
                action is Action.LIST or kind is not ColumnKind.NUMBER or self._alike(column, rows)
            ):
                yield action, column

    def _asked_column(self, free: Sequence[Segment]) -> tuple[int, ...]:
        """The column behind "which": it names the record that has most."""
        return next((s.columns for s in free if s.first and self._tokens[s.first - 1].lower in _ASKING), ())

    def _named_by(self, free: Sequence[Segment], compared: int) -> int:
        """The column that names the record of the highest figure; -1 where that figure is asked for."""
        columns = self._table.columns
        texts = [c for s in free for c in s.columns if c != compared and columns[c].kind is ColumnKind.TEXT]
        asked = [c for c in (*self._asked_column(free), *texts) if c != compared]
        if asked:
            return asked[0]
        figure = self._tokens[0].lower in _FIGURES and any(compared in s.columns for s in free)
        return -1 if figure else self._table.key

    def _lists_all(self) -> bool:
        """Whether all records are asked for: "list the owners", "which are all the owners"."""
        return self._action is Action.LIST and any(token.lower in _ALL for token in self._tokens)

    def _alike(self, column: int, rows: Sequence[int]) -> bool:
        """Whether all rows have one figure: several are no answer to a look-up."""
        return len({cell.text for row in rows if (cell := self._table.rows[row].get(column))}) == 1

    def _compared(self, taken: set[int]) -> list[int]:
        """The column by which superlatives go: named in part, or that of ages and times."""
        kinds = [(c, column.kind) for c, column in enumerate(self._table.columns) if c not in taken]
        in_part = {c: self._parts[c] for c, kind in kinds if kind is not ColumnKind.TEXT and c in self._parts}
        if in_part:
            return [c for c, share in in_part.items() if share == max(in_part.values())]
        timely = any(token.lower in _OLD | _NEW for token in self._tokens)
        return [c for c, kind in kinds if timely and kind in _TIMELY]

    def _unnamed(self, taken: set[int]) -> list[int]:
        """The column that is asked for where none is named whole."""
        in_part = {c: share for c, share in self._parts.items() if c not in taken}
        if in_part:
            return [c for c, share in in_part.items() if share == max(in_part.values())]
        first = self._tokens[0].lower
        timely = [
            c for c, column in enumerate(self._table.columns) if column.kind in _TIMELY and c not in taken
        ]
        if first == "when" and len(timely) == 1:
            return timely
        # "Who is Ada Hale?" asks for no record of hers.
        is_specific = any(s.role not in {Role.VALUE, Role.PLAIN, Role.ACTION} for s in self._segments)
        asked = self._action is Action.LIST or (
            self._action is Action.LOOK_UP and first in {"which", "who", "list"}
        )
        key = self._table.key
        return [key] if is_specific and asked and key >= 0 and key not in taken else []

    def _is_explained(self, columns: set[int]) -> bool:
        """Whether each word of a column's name is one of these columns'."""
        known = {s for c in columns if c >= 0 for s in self._table.columns[c].stems}
        return all(self._tokens[s.first].stem in known for s in self._segments if s.role is Role.PART)


_BINDING = frozenset({Role.VALUE, Role.CONDITION, Role.COMPARISON})
_MATCHED = frozenset({Role.COLUMN, Role.PART, Role.TITLE, Role.ABOUT, *_BINDING})


def _named_in_part(stems: Sequence[str], table: TypedTable) -> dict[int, float]:
    """Columns with the share of their name, by the rarity of its words among the names, that these words make up."""
    often = Counter(stem for column in table.columns for stem in set(column.stems))
    shares: dict[int, float] = {}
    for at, column in enumerate(table.columns):
        weights = {s: 1.0 / math.sqrt(often[s]) for s in column.stems if s not in PLAIN}
        share = sum(weight for s, weight in weights.items() if s in stems) / (sum(weights.values()) or 1.0)
        if share >= _NAMED:
            shares[at] = share
    return shares


def _rows(table: TypedTable, conditions: Sequence[_Condition]) -> tuple[tuple[int, ...], str]:
    """Rows that fulfil all conditions (of values in one column: any), and the conditions in words."""
    rows = set(table.rows)
    equal: dict[int, set[int]] = {}
    for condition in conditions:
        if condition.equal:
            equal.setdefault(condition.column, set()).update(condition.rows)
        else:
            rows &= condition.rows
    for matching in equal.values():
        rows &= matching
    return tuple(sorted(rows)), both(list(dict.fromkeys(condition.where for condition in conditions)))
