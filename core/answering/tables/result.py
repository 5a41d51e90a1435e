"""Runs a query over a table: the words of the answer and the cells that they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.answering.tables.question import TableQuery
from core.answering.tables.segments import Action
from core.answering.tables.typed import Cell, TypedTable, parts_of
from core.text.cell_values import ColumnKind, Notation
from core.text.translation import tr, trn

_COMPARED = frozenset({Action.MOST, Action.LEAST})
_OVER_ALL = frozenset({Action.COUNT, Action.SUM, Action.MEAN})
_COMPUTED = frozenset({Action.SUM, Action.MEAN, *_COMPARED})


def doubt_of(query: TableQuery, table: TypedTable) -> str:
    """The first reason, in words for people, by the structure of the table and by the cells that were used."""
    return next(_doubts(query, table), "")


def _doubts(query: TableQuery, table: TypedTable) -> Iterator[str]:
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
    if query.counts_unnamed:
        yield tr("nothing says that the rows are what is counted")
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


def _is_other_by_sum(query: TableQuery, table: TypedTable) -> bool:
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


def _is_part(row: int, query: TableQuery, table: TypedTable) -> bool:
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


def _of_conditions(query: TableQuery, table: TypedTable) -> Iterator[str]:
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


LONGEST_LIST = 30  # records that are listed
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class TableResult:
    """`cells` in the order of the table: those that were counted, summed, compared or told.

    `doubt`: why it is not sure, "" where it is. `left_out`: texts beyond those that `text` lists.
    """

    text: str
    sentence: str
    cells: tuple[Cell, ...]
    doubt: str = ""
    left_out: int = 0


def run(query: TableQuery, table: TypedTable) -> TableResult | None:
    """None where the rows do not carry one answer: no cell, or look-ups that differ too much."""
    result = _run(query, table)
    return None if result is None else replace(result, doubt=doubt_of(query, table))


def _run(query: TableQuery, table: TypedTable) -> TableResult | None:
    picked = [cell for row in query.rows if (cell := table.rows[row].get(query.column))]
    keys = [cell for row in query.rows if (cell := table.rows[row].get(table.key))]
    name = table.columns[query.column].name if query.column >= 0 else ""
    if query.action is Action.COUNT:
        count = len(query.rows)
        if query.column >= 0:
            column = table.columns[query.column]
            picked = [cell for cell in picked if cell.row not in column.nameless]
            named = (parts_of(cell.text) if column.ranged else [cell.text] for cell in picked)
            count = len({part.casefold() for parts in named for part in parts})
        what = trn("{count} row", "{count} rows", count)
        if query.column >= 0:
            what = tr("{count} different {name}", count=count, name=name)
        if table.name:
            what = tr("{what} of {table}", what=what, table=table.name)
        first = [cell for row in query.rows if (cell := next(iter(table.rows[row].values()), None))]
        return TableResult(
            f"{count:,}", tr("{what}.", what=_where(what, query)), tuple(picked or keys or first)
        )
    if query.action in {Action.LOOK_UP, Action.LIST}:
        texts = list(dict.fromkeys(cell.text for cell in picked))
        if not texts or (len(texts) > LONGEST_LIST and query.action is Action.LOOK_UP):
            return None
        text = tr(", ").join(texts[:LONGEST_LIST])
        sentence = tr("{what}: {value}.", what=_where(name, query), value=text)
        return TableResult(text, sentence, tuple(picked), left_out=max(0, len(texts) - LONGEST_LIST))
    if query.action in {Action.SUM, Action.MEAN}:
        picked = [cell for cell in picked if not cell.again]  # what is merged over rows counts once
    measured = [(cell.value, cell) for cell in picked if cell.value is not None]
    if not measured:
        return None
    if query.action in {Action.SUM, Action.MEAN}:
        total = sum(value for value, _ in measured)
        value = total if query.action is Action.SUM else total / len(measured)
        text = _figure(value, picked, table.columns[query.column].notation, finer=query.action is Action.MEAN)
        what, count = _where(name, query), len(measured)
        sentence = (
            trn(
                "Sum of {what} over {count} row: {value}.",
                "Sum of {what} over {count} rows: {value}.",
                count,
                what=what,
                value=text,
            )
            if query.action is Action.SUM
            else trn(
                "Average of {what} over {count} row: {value}.",
                "Average of {what} over {count} rows: {value}.",
                count,
                what=what,
                value=text,
            )
        )
        return TableResult(text, sentence, tuple(picked))
    best = (max if query.action is Action.MOST else min)(value for value, _ in measured)
    rows = [cell.row for value, cell in measured if value == best]
    if len(rows) > LONGEST_LIST:
        return None
    by = query.named_by if query.named_by >= 0 else table.key
    names = [table.rows[row][by] for row in rows if by in table.rows[row]]
    text = tr(", ").join(dict.fromkeys(cell.text for cell in names))
    best_text = next(cell.text for value, cell in measured if value == best)
    cells = sorted([*names, *(table.rows[row][query.column] for row in rows)], key=lambda cell: cell.start)
    what = _where(name, query)
    sentence = (
        tr("{names} has the highest {what}: {value}.", names=text, what=what, value=best_text)
        if query.action is Action.MOST
        else tr("{names} has the lowest {what}: {value}.", names=text, what=what, value=best_text)
    )
    return TableResult(text if query.named_by >= 0 else best_text, sentence, tuple(cells)) if names else None


def _where(what: str, query: TableQuery) -> str:
    return tr("{what} where {condition}", what=what, condition=query.where) if query.where else what


def _figure(value: float, cells: Sequence[Cell], notation: Notation, *, finer: bool) -> str:
    """With as many decimals as the cells have; `finer`: with one more, as a mean needs."""
    places = [notation.decimals(cell.text) for cell in cells]
    decimals = max(places, default=0)
    if value != round(value) and (finer or not decimals):
        decimals = max(2, decimals + 1)
    percent = "%" if cells and all(cell.text.endswith("%") for cell in cells) else ""
    return f"{value:,.{min(decimals, _DECIMALS)}f}{percent}"
