"""Why a result of a table is not sure: "" where nothing speaks against it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.answering.tables.question import Action, Query
from core.answering.tables.typed import TypedTable, parts_of
from core.text.cell_values import ColumnKind
from core.text.translation import tr, trn

_COMPARED = frozenset({Action.MOST, Action.LEAST})
_OVER_ALL = frozenset({Action.COUNT, Action.SUM, Action.MEAN})
_COMPUTED = frozenset({Action.SUM, Action.MEAN, *_COMPARED})


def doubt_of(query: Query, table: TypedTable) -> str:
    """The first reason, in words for people, by the structure of the table and by the cells that were used."""
    return next(_doubts(query, table), "")


def _doubts(query: Query, table: TypedTable) -> Iterator[str]:
    rows = set(query.rows)
    column = table.columns[query.column] if query.column >= 0 else None
    if query.action is Action.LOOK_UP:
        rows = {row for row in rows if query.column in table.rows[row]}
    if rows & table.doubtful:
        yield tr("some of the rows may be totals, headings or another table")
    if table.parts and query.action in _OVER_ALL and not query.conditions:
        yield tr("the table has parts that are not added up")
    if column is not None and query.action is Action.COUNT and column.kind is ColumnKind.NUMBER:
        yield tr("the figures of {column} may be names or amounts", column=column.name)
    if column is not None and query.action is Action.COUNT and column.ranged:
        yield tr("cells of {column} stand for several", column=column.name)
    if column is not None and query.action is Action.COUNT:
        if any(_is_word(table.rows[row][query.column].text) for row in column.nameless & rows):
            yield tr("some cells of {column} may name none", column=column.name)
        if query.column == table.key and column.distinct < column.filled:
            yield tr("{column} comes again in some rows", column=column.name)
    if (
        query.asks_count
        and column is not None
        and 2 * column.distinct <= column.filled
        and table.counts_things(query.column)
    ):
        yield tr("the figures of {column} may be names or amounts", column=column.name)
    first = table.columns[0]
    if query.action in _OVER_ALL and any(_is_word(table.rows[row][0].text) for row in first.nameless & rows):
        yield tr("some rows may be parts of those above them")
    rows_alone = query.action is Action.COUNT and column is None and table.key < 0
    if rows_alone and any(map(table.counts_things, range(len(table.columns)))):
        yield tr("each row may stand for several")
    if column is not None and query.per_row:
        yield tr("each row may stand for several, or for one ({column})", column=column.name)
    if column is not None and query.action in _OVER_ALL and column.running:
        yield tr("the figures of {column} are running totals", column=column.name)
    if column is not None and query.action in _COMPUTED:
        if unread := len(column.unread & rows):
            yield _unread(column.name, unread)
        units = {cell.text for row in rows if (cell := table.rows[row].get(table.units)) is not None}
        if column.unlike or len(units) > 1:
            yield tr("the figures of {column} are not of one kind", column=column.name)
        if any(_is_part(row, query, table) for row in rows):
            yield tr("a figure of {column} stands for more rows than these", column=column.name)
    if query.action in _COMPARED:
        if table.is_parted(table.key if query.named_by < 0 else query.named_by, query.column):
            yield tr("the table may be two tables")
        if query.named_by >= 0 and _is_other_by_sum(query, table):
            yield tr("several rows belong to one of {column}", column=table.columns[query.named_by].name)
    yield from _of_conditions(query, table)


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _is_other_by_sum(query: Query, table: TypedTable) -> bool:
    """Whether rows with one name together come to another result than the rows one by one."""
    single: dict[str, list[float]] = {}
    for row in query.rows:
        name, cell = table.rows[row].get(query.named_by), table.rows[row].get(query.column)
        if name is not None and cell is not None and cell.value is not None:
            single.setdefault(name.text.casefold(), []).append(cell.value)
    if all(len(values) == 1 for values in single.values()) or not single:
        return False
    best = max if query.action is Action.MOST else min
    by_row = {name: best(values) for name, values in single.items()}
    by_sum = {name: sum(values) for name, values in single.items()}
    winners = [{n for n, v in values.items() if v == best(values.values())} for values in (by_row, by_sum)]
    return winners[0] != winners[1]


def _unread(name: str, count: int) -> str:
    return trn(
        "{column} holds no plain number in {count} row",
        "{column} holds no plain number in {count} rows",
        count,
        column=name,
    )


def _is_part(row: int, query: Query, table: TypedTable) -> bool:
    """Whether the row's figure is of a merged cell that begins above the rows in question, or left of the column."""
    cell = table.rows[row].get(query.column)
    if cell is None or not cell.again:
        return False
    left = table.rows[row].get(query.column - 1)
    if left is not None and left.text == cell.text:
        return True
    for above in sorted((other for other in table.rows if other < row), reverse=True):
        origin = table.rows[above].get(query.column)
        if origin is not None and not origin.again:
            return above not in query.rows
    return True


def _of_conditions(query: Query, table: TypedTable) -> Iterator[str]:
    for at, rows in query.conditions:
        column = table.columns[at]
        if at in query.compared:
            if column.unread:
                yield _unread(column.name, len(column.unread))
            if column.unlike:
                yield tr("the figures of {column} are not of one kind", column=column.name)
        elif query.action is not Action.LOOK_UP and rows:
            values = {table.rows[row][at].text.casefold() for row in rows}
            others = (cells[at].text for row, cells in table.rows.items() if row not in rows and at in cells)
            if any(part.casefold() in values for text in others for part in parts_of(text)):
                yield tr("cells of {column} stand for several", column=column.name)
        if (
            at == 0
            and column.filled < len(table.rows)
            and any(a in rows and at not in table.rows[b] for a, b in pairwise(table.rows))
        ):
            yield tr("rows without {column} may belong to the row above", column=column.name)
        if query.column >= 0 and table.is_parted(at, query.column):
            yield tr("the table may be two tables")
