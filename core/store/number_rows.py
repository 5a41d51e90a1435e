"""Many rows at a time, for pictures."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 8192  # keys


def number_rows(
    connection: sqlite3.Connection, sql: str, most: int, whole: Sequence[str], real: Sequence[str]
) -> NDArray[np.float64]:
    """Columns of a query of keys from ?1 to below ?2, of all up to `most`, (n, columns): whole numbers, then others to
    17 digits.

    SQLite puts them together as text. Row by row Python takes its interpreter lock for each, which while other threads
    are at work takes seven times as long.
    """
    numbers = " ".join([*["%d"] * len(whole), *["%!.17g"] * len(real)])
    together = f"SELECT group_concat(format('{numbers}', {', '.join((*whole, *real))}), ' ') FROM ({sql})"
    found = [np.zeros(0)]
    for first in range(0, most + 1, _AT_ONCE):
        (text,) = connection.execute(together, (first, first + _AT_ONCE)).fetchone()
        found.append(np.fromstring(text or "", sep=" "))
    return np.concatenate(found).reshape(-1, len(whole) + len(real))


def text_columns(
    connection: sqlite3.Connection, sql: str, most: int, columns: Sequence[str]
) -> list[list[Any]]:
    """Columns of a query of keys from ?1 to below ?2, of all up to `most`, in its order; read as `number_rows` does."""
    together = f"SELECT {', '.join(f'json_group_array({column})' for column in columns)} FROM ({sql})"
    found: list[list[Any]] = [[] for _ in columns]
    for first in range(0, most + 1, _AT_ONCE):
        for column, text in zip(
            found, connection.execute(together, (first, first + _AT_ONCE)).fetchone(), strict=True
        ):
            column += json.loads(text)
    return found
