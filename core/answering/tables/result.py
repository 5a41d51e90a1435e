"""Runs a query over a table: the words of the answer and the cells that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.answering.tables.doubts import doubt_of
from core.answering.tables.question import Action, Query
from core.answering.tables.typed import Cell, TypedTable, parts_of
from core.text.cell_values import Notation
from core.text.translation import tr, trn

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


def run(query: Query, table: TypedTable) -> TableResult | None:
    """None where the rows do not carry one answer: no cell, or look-ups that differ too much."""
    result = _run(query, table)
    return None if result is None else replace(result, doubt=doubt_of(query, table))


def _run(query: Query, table: TypedTable) -> TableResult | None:
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


def _where(what: str, query: Query) -> str:
    return tr("{what} where {condition}", what=what, condition=query.said) if query.said else what


def _figure(value: float, cells: Sequence[Cell], notation: Notation, *, finer: bool) -> str:
    """With as many decimals as the cells have; `finer`: with one more, as a mean needs."""
    places = [notation.decimals(cell.text) for cell in cells]
    decimals = max(places, default=0)
    if value != round(value) and (finer or not decimals):
        decimals = max(2, decimals + 1)
    percent = "%" if cells and all(cell.text.endswith("%") for cell in cells) else ""
    return f"{value:,.{min(decimals, _DECIMALS)}f}{percent}"
