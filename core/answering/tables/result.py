"""Runs a query over a table: the words of the answer and the cells that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.tables.question import Action, Query
from core.answering.tables.typed import Cell, TypedTable
from core.answering.tables.values import Notation

LONGEST_LIST = 30  # records that are listed
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class TableResult:
    """`cells` in the order of the table: those that were counted, summed, compared or told."""

    text: str
    sentence: str
    cells: tuple[Cell, ...]


def run(query: Query, table: TypedTable) -> TableResult | None:
    """None where the rows do not carry one answer: no cell, or look-ups that differ too much."""
    told = [cell for row in query.rows if (cell := table.rows[row].get(query.column))]
    keys = [cell for row in query.rows if (cell := table.rows[row].get(table.key))]
    where = f" where {query.said}" if query.said else ""
    name = table.columns[query.column].name if query.column >= 0 else ""
    place = f" of {table.name}" if table.name else ""
    if query.action is Action.COUNT:
        count = len({cell.text.casefold() for cell in told}) if query.column >= 0 else len(query.rows)
        noun = "row" if count == 1 else "rows"
        noun = f"different {name}" if query.column >= 0 else noun
        first = [cell for row in query.rows if (cell := next(iter(table.rows[row].values()), None))]
        return TableResult(f"{count:,}", f"{count:,} {noun}{place}{where}.", tuple(told or keys or first))
    if query.action in {Action.LOOK_UP, Action.LIST}:
        texts = list(dict.fromkeys(cell.text for cell in told))
        if not texts or len(texts) > LONGEST_LIST:
            return None
        text = ", ".join(texts)
        return TableResult(text, f"{name}{where}: {text}.", tuple(told))
    measured = [(cell.value, cell) for cell in told if cell.value is not None]
    if not measured:
        return None
    if query.action in {Action.SUM, Action.MEAN}:
        total = sum(value for value, _ in measured)
        value = total if query.action is Action.SUM else total / len(measured)
        text = _figure(value, told, table.columns[query.column].notation)
        word = "Sum" if query.action is Action.SUM else "Average"
        return TableResult(text, f"{word} of {name}{where} over {len(measured):,} rows: {text}.", tuple(told))
    best = (max if query.action is Action.MOST else min)(value for value, _ in measured)
    rows = [cell.row for value, cell in measured if value == best]
    if len(rows) > LONGEST_LIST:
        return None
    names = [table.rows[row][table.key] for row in rows if table.key in table.rows[row]]
    text = ", ".join(dict.fromkeys(cell.text for cell in names))
    shown = next(cell.text for value, cell in measured if value == best)
    word = "highest" if query.action is Action.MOST else "lowest"
    cells = sorted([*names, *(table.rows[row][query.column] for row in rows)], key=lambda cell: cell.start)
    return (
        TableResult(text, f"{text} has the {word} {name}{where}: {shown}.", tuple(cells)) if names else None
    )


def _figure(value: float, cells: Sequence[Cell], notation: Notation) -> str:
    """With as many decimals as the cells have."""
    places = [notation.decimals(cell.text) for cell in cells]
    decimals = max(places, default=0)
    if value != round(value) and not decimals:
        decimals = 2
    return f"{value:,.{min(decimals, _DECIMALS)}f}"
