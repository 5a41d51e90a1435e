"""Rows of a query as arrays and columns, many at a time, and the one text for all rows or those of some keys."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

_KEYS_AT_ONCE = 8192  # over which a query is read as one text
_ROWS_AT_ONCE = 1 << 15  # fetched from a cursor together


def in_clause(column: str, keys: Iterable[int] | None, number: int = 1) -> tuple[str, tuple[str, ...]]:
    """What follows a WHERE clause, and its value, the statement's `number`-th: `column` is one of the keys, however
    many. Nothing for None."""
    if keys is None:
        return "", ()
    return f" AND {column} IN (SELECT value FROM json_each(?{number:d}))", (
        json.dumps([int(key) for key in keys]),
    )


def number_rows(
    connection: sqlite3.Connection, sql: str, most: int, integers: Sequence[str], reals: Sequence[str]
) -> NDArray[np.float64]:
    """Columns of a query of keys from ?1 to below ?2, of all up to `most`, (n, columns): whole numbers, then others to
    17 digits.

    SQLite puts them together as text. Row by row Python takes its interpreter lock for each, which while other threads
    are at work takes seven times as long.
    """
    numbers = " ".join([*["%d"] * len(integers), *["%!.17g"] * len(reals)])
    together = f"SELECT group_concat(format('{numbers}', {', '.join((*integers, *reals))}), ' ') FROM ({sql})"
    found = [np.zeros(0)]
    for first in range(0, most + 1, _KEYS_AT_ONCE):
        (text,) = connection.execute(together, (first, first + _KEYS_AT_ONCE)).fetchone()
        found.append(np.fromstring(text or "", sep=" "))
    return np.concatenate(found).reshape(-1, len(integers) + len(reals))


def text_columns(
    connection: sqlite3.Connection, sql: str, most: int, columns: Sequence[str]
) -> list[list[Any]]:
    """Columns of a query of keys from ?1 to below ?2, of all up to `most`, in its order; read as `number_rows` does."""
    together = f"SELECT {', '.join(f'json_group_array({column})' for column in columns)} FROM ({sql})"
    found: list[list[Any]] = [[] for _ in columns]
    for first in range(0, most + 1, _KEYS_AT_ONCE):
        for column, text in zip(
            found, connection.execute(together, (first, first + _KEYS_AT_ONCE)).fetchone(), strict=True
        ):
            column += json.loads(text)
    return found


def integer_rows(cursor: Any, width: int) -> NDArray[np.int64]:
    """All rows of a query for `width` whole numbers, (n, width)."""
    found = [np.zeros(0, np.int64)]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        found.append(np.fromiter(chain.from_iterable(rows), np.int64, width * len(rows)))
    return np.concatenate(found).reshape(-1, width)


def weighted_numbers(cursor: Any, width: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Of a query for `width` whole numbers, (n, width), and a real one behind them, (n,)."""
    found, weights = [np.zeros((0, width), np.int64)], [np.zeros(0, np.float64)]
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        part = np.fromiter(chain.from_iterable(rows), np.float64, (width + 1) * len(rows))
        part = part.reshape(-1, width + 1)
        found.append(part[:, :width].astype(np.int64))
        weights.append(part[:, width].copy())
    return np.concatenate(found), np.concatenate(weights)
