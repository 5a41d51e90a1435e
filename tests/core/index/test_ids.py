"""Rows by id and by key without an object of Python for each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.texts import ByRow, Ids, RowsByKey


@given(st.lists(st.text(max_size=6), unique=True, max_size=40), st.text(max_size=6))
def test_rows_by_id_are_those_of_a_dict(texts: list[str], other: str) -> None:
    ids, slow = Ids.of(texts), {text: row for row, text in enumerate(texts)}
    for held in (ids, Ids(ids.starts, ids.blob, ids.hashes, ids.places)):
        assert dict(held.rows) == slow
        assert held.rows.get(other) == slow.get(other)
        assert (other in held.rows) == (other in slow)


def test_ids_of_one_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.index.texts._hashed", lambda raw: bytes(8))
    ids = Ids.of(["a", "b", "c"])
    assert [ids.rows[text] for text in "abc"] == [0, 1, 2]
    assert "d" not in ids.rows


@given(st.sets(st.integers(0, 60)), st.integers(-1, 61))
def test_rows_by_key_are_those_of_a_dict(keys: set[int], other: int) -> None:
    ordered = sorted(keys)
    rows = RowsByKey(np.array(ordered, dtype=np.int64))
    assert dict(rows) == {key: row for row, key in enumerate(ordered)}
    assert rows.get(other) == (ordered.index(other) if other in keys else None)


def test_a_column_by_what_its_rows_are_found_by() -> None:
    found = ByRow(RowsByKey(np.array([3, 8])), ["c", "h"].__getitem__)
    assert dict(found) == {3: "c", 8: "h"} and found.get(4) is None
