"""Vectors by row: what the quantised table finds is what comparing with all of them finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.quantising import vector_table
from core.index.vector_table import Exact, Quantised, VectorTable, blocks

D = 48


def topics(count: int, seed: int = 3) -> np.ndarray:
    """Unit vectors around some topics, unlike along some axes more than along others, as those of sentences are."""
    axes = np.linspace(1, 0, D) ** 2
    centres = np.random.default_rng(1).normal(size=(300, D)) * axes
    rng = np.random.default_rng(seed)
    found = centres[rng.integers(0, 300, count)] + 0.5 * rng.normal(size=(count, D)) * axes
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def table_of(vectors: np.ndarray, fine: bool = False, scratch: Path | None = None) -> Quantised:
    def read() -> Iterator[np.ndarray]:
        return (vectors[first : first + 700] for first in range(0, len(vectors), 700))

    made = vector_table(len(vectors), D, read, fine, 0, scratch)
    assert isinstance(made, Quantised)
    return made


def recall(table: VectorTable, exact: Exact, questions: np.ndarray, k: int) -> float:
    pairs = [(table.nearest(q, k), exact.nearest(q, k)) for q in questions]
    return float(np.mean([len(np.intersect1d(one.rows, other.rows)) / k for one, other in pairs]))


def test_it_finds_what_comparing_with_all_finds() -> None:
    vectors, questions = topics(12_000), topics(30, seed=9)
    exact = Exact(vectors)
    assert recall(table_of(vectors), exact, questions, 10) > 0.95
    assert recall(table_of(vectors, fine=True), exact, questions, 10) > 0.97


def test_cosines_are_near_enough_and_with_finer_codes_exact() -> None:
    vectors, question = topics(5_000), topics(1, seed=9)[0]
    wanted = vectors @ question
    for fine, off in ((False, 0.01), (True, 0.001)):
        table = table_of(vectors, fine)
        assert np.abs(table.cosines(question) - wanted).max() < off
        near = table.nearest(question, 30)
        assert np.abs(near.cosines - wanted[near.rows]).max() < off
        assert (np.diff(near.cosines) <= 0).all()
        assert wanted.min() - off <= near.low < np.median(wanted)
        assert np.abs(table[near.rows] - vectors[near.rows]).max() < off
    assert np.concatenate([part for _, part in blocks(table)]) == pytest.approx(vectors, abs=0.001)


@settings(max_examples=4, deadline=None)
@given(st.data())
def test_a_changed_table_is_the_table_of_what_it_holds_now(data: st.DataObject) -> None:
    """Rows go and others come, again and again; Exact is the oracle."""
    vectors = topics(600)
    table: VectorTable = table_of(vectors, fine=True)
    for step in range(data.draw(st.integers(1, 3))):
        gone = data.draw(st.sets(st.integers(0, len(vectors) - 1), max_size=500))
        kept = np.setdiff1d(np.arange(len(vectors)), sorted(gone))
        places = sorted(data.draw(st.lists(st.integers(0, len(kept)), max_size=20)))
        added = topics(len(places), seed=50 + step)
        table = table.changed(np.insert(kept, places, -1), added)
        vectors = np.insert(vectors[kept], places, added, axis=0)
        assert len(table) == len(vectors)
        assert isinstance(table, Quantised)
        coded = len(np.setdiff1d(table.places, np.arange(600, 10_000)))
        assert len(table.added) == len(table) - coded, "what was added and is gone is held no more"
        assert table.share_changed == pytest.approx((600 - coded + len(table.added)) / max(1, len(table)))
        assert table[np.arange(len(vectors))] == pytest.approx(vectors, abs=0.002)
        question = topics(1, seed=70 + step)[0]
        one, other = table.nearest(question, 5), Exact(vectors).nearest(question, 5)
        # Only what is near can be told apart: all lists of so few vectors are read.
        assert one.cosines == pytest.approx(other.cosines, abs=0.002)
        assert np.abs(vectors[one.rows] @ question - other.cosines).max(initial=0) < 0.002
        rows = np.arange(0, len(vectors), 3)
        assert table.of(rows, question) == pytest.approx(vectors[rows] @ question, abs=0.002)
        assert table.cosines(question) == pytest.approx(vectors @ question, abs=0.002)


def test_few_rows_of_many_are_found_however_they_lie() -> None:
    vectors = topics(30_000)
    kept = np.arange(7, 30_000, 901)
    cut = table_of(vectors).cut(kept)
    question = topics(1, seed=9)[0]
    assert cut.nearest(question, 5).rows.tolist() == Exact(vectors[kept]).nearest(question, 5).rows.tolist()


def test_of_equal_vectors_the_first_come_first() -> None:
    vectors = np.repeat(topics(3), 5, axis=0)
    for table in (Exact(vectors), table_of(vectors)):
        near = table.nearest(vectors[0], 3)
        assert near.rows.tolist() == [0, 1, 2]


def test_nothing_and_little() -> None:
    none = Exact(np.zeros((0, D), np.float32))
    assert not len(none.nearest(topics(1)[0], 5).rows)
    assert none.cosines(topics(1)[0]).shape == (0,)
    few = table_of(topics(3))
    assert len(few.nearest(topics(1)[0], 5).rows) == 3
    assert not len(few.changed(np.zeros(0, np.int64), topics(0)).nearest(topics(1)[0], 5).rows)


def test_who_asks_for_fewer_is_told_from_what_was_found() -> None:
    vectors = topics(3_000)
    table = table_of(vectors)
    asked = vectors[7]
    wide, few = table.nearest(asked, 150), table.nearest(asked, 4)
    assert few.rows.tolist() == wide.rows[:4].tolist() and few.low == wide.low
    gone = np.delete(np.arange(len(vectors)), int(few.rows[0]))
    assert table.changed(gone, vectors[:0]).nearest(asked, 4).rows[0] == gone.tolist().index(int(few.rows[1]))


def test_codes_made_in_a_scratch_file_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = topics(3_000)
    plain = table_of(vectors, fine=True)
    monkeypatch.setattr("core.index.quantising._LARGE", 1)
    made = table_of(vectors, True, tmp_path)
    assert not list(tmp_path.iterdir())
    assert isinstance(np.asarray(made.codes.heads).base, np.memmap)
    for name in ("heads", "tails", "fine", "scales", "starts"):
        assert np.array_equal(getattr(made.codes, name), getattr(plain.codes, name)), name
    assert np.array_equal(made.places, plain.places) and np.array_equal(made.rows, plain.rows)


def test_along_the_axes_of_a_table_vectors_are_as_far_apart() -> None:
    vectors = topics(3_000)
    rows = np.array([5, 2_999, 5, 17])
    for table in (
        table_of(vectors),
        Exact(vectors),
        table_of(vectors).changed(np.r_[:2_999, -1], vectors[:1]),
    ):
        along = table.along_axes(rows)
        assert np.allclose(along @ along.T, table[rows] @ table[rows].T, atol=1e-5)
        assert np.allclose(table.turned_back(along), table[rows], atol=1e-5)
