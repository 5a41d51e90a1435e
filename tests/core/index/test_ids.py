"""Rows by id and by key without an object of Python for each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.texts import Ids


@given(st.lists(st.text(max_size=6), unique=True, max_size=40), st.text(max_size=6))
def test_rows_by_id_are_those_of_a_dict(texts: list[str], other: str) -> None:
    ids, slow = Ids.of(texts), {text: row for row, text in enumerate(texts)}
    for held in (ids, Ids(ids.starts, ids.blob, ids.hashes, ids.places)):
        assert dict(held.rows) == slow
        assert held.rows.get(other) == slow.get(other)
        assert (other in held.rows) == (other in slow)
        assert held.rows_of(texts[::-1]).tolist() == [slow[text] for text in texts[::-1]]
        assert held.at(held.rows_of(texts)) == texts
        if other not in slow:
            with pytest.raises(KeyError):
                held.rows_of([*texts, other])
