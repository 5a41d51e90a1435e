"""Columns that are read in parts are those of the rows."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.columns import integer_rows, weighted_numbers
from core.store.entities import counted

KEY = st.integers(0, 2**52)
PLACES = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(0, 99)), max_size=40)


def read(rows: list[tuple[float, ...]]) -> sqlite3.Cursor:
    # As parameters: SQLite reads the digits of very small numbers less exactly than they were written.
    marks = ", ".join(f"({', '.join('?' * len(row))})" for row in rows)
    values = [value for row in rows for value in row]
    return sqlite3.connect(":memory:").execute(
        f"VALUES {marks}" if rows else "SELECT 1, 1, 1 WHERE 0", values
    )


@given(st.lists(st.tuples(KEY, KEY, st.floats(0, 9)), max_size=20), st.integers(1, 5))
def test_numbers_are_those_of_the_rows(rows: list[tuple[int, int, float]], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.store.columns._ROWS_AT_ONCE", at_once)
        complete = integer_rows(read([row[:2] for row in rows]), 2)
        numbers, weights = weighted_numbers(read(list(rows)), 2)
    assert complete.dtype == numbers.dtype == np.int64 and complete.shape == numbers.shape == (len(rows), 2)
    assert complete.tolist() == numbers.tolist() == [list(row[:2]) for row in rows]
    assert weights.tolist() == [row[2] for row in rows]


@given(PLACES)
def test_places_are_counted_as_the_database_counts_them(places: list[tuple[int, int, int]]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE places (passage, entity, start)")
    connection.executemany("INSERT INTO places VALUES (?, ?, ?)", places)
    sql = "SELECT entity, passage, count(*) FROM places GROUP BY 1, 2 ORDER BY 1, 2"
    table = np.array(places, np.int64).reshape(-1, 3)
    assert counted(table).tolist() == [list(row) for row in connection.execute(sql)]
