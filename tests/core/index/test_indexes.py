"""HNSW against exact search, exact search against sorting; questions as full-text queries."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index import vector
from core.index.lexical import match_query
from core.index.vector import ExactIndex, HnswIndex, IndexFolder, Stamp, index_fault, open_index

KEYS = np.arange(100)


def unit(n: int, d: int = 32, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_exact_is_a_full_sort() -> None:
    vectors, queries = unit(300), unit(5, seed=1)
    rows, scores = ExactIndex(vectors).search(queries, 10)
    for at, query in enumerate(queries):
        expected = sorted(range(300), key=lambda row: -float(vectors[row] @ query))[:10]
        assert rows[at].tolist() == expected
    assert (np.diff(scores, axis=1) <= 0).all()


def test_k_is_clamped_and_nothing_is_found_in_nothing() -> None:
    for index in (ExactIndex(unit(3)), HnswIndex(unit(3))):
        assert index.search(unit(1), 10)[0].shape == (1, 3)
    assert ExactIndex(np.zeros((0, 32), np.float32)).search(unit(1), 5)[0].shape == (1, 0)
    assert HnswIndex(np.zeros((0, 32), np.float32)).search(unit(1), 5)[0].shape == (1, 0)


def test_hnsw_finds_what_exact_finds() -> None:
    vectors, queries = unit(2000), unit(50, seed=1)
    exact, _ = ExactIndex(vectors).search(queries, 10)
    found, _ = HnswIndex(vectors).search(queries, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(exact.tolist(), found.tolist(), strict=True)]
    assert np.mean(shared) >= 9.5


def test_each_index_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "EXACT_UP_TO", 10)
    stamp = Stamp("m", 32, "ip", 1, 100)
    for seed, name in enumerate(vector.NAMES):
        open_index(unit(100, seed=seed), KEYS, stamp, IndexFolder(tmp_path), name)
    assert sorted(file.name for file in tmp_path.glob("*.hnsw")) == sorted(map(vector.file_of, vector.NAMES))
    for seed, name in enumerate(vector.NAMES):
        again = open_index(unit(100, seed=seed), KEYS, stamp, IndexFolder(tmp_path), name)
        assert again.search(unit(100, seed=seed)[:5], 1)[0].ravel().tolist() == list(range(5))
        assert index_fault(tmp_path, stamp, name) == ""


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Also what is small has a file."""
    monkeypatch.setattr(vector, "EXACT_UP_TO", 10)
    return monkeypatch


STAMP = Stamp("m", 32, "ip", 1, 100)


def finds(folder: Path, stamp: Stamp = STAMP) -> bool:
    vectors = unit(100)
    index = open_index(vectors, KEYS, stamp, IndexFolder(folder))
    return bool(index.search(vectors[5:6], 1)[0][0, 0] == 5)


def test_an_index_file_is_read_only_with_its_own_stamp(tmp_path: Path, always: pytest.MonkeyPatch) -> None:
    assert finds(tmp_path)
    file = tmp_path / "entities.hnsw"
    first = file.stat().st_mtime_ns
    assert finds(tmp_path) and file.stat().st_mtime_ns == first
    assert finds(tmp_path, Stamp("m", 32, "ip", 2, 100)) and file.stat().st_mtime_ns != first
    file.unlink()
    assert index_fault(tmp_path, STAMP) is None and finds(tmp_path)


def test_an_index_file_that_changed_or_is_another_machine_s_is_never_read(
    tmp_path: Path, always: pytest.MonkeyPatch
) -> None:
    """Native code would follow whatever stands in the file; whoever writes one can write its stamp, too."""
    with always.context() as theirs:
        theirs.setattr(vector, "machine_secret", lambda: b"theirs")
        assert finds(tmp_path)
    always.setattr(HnswIndex, "load", lambda *_: pytest.fail("it was read"))
    always.setattr(HnswIndex, "grown", lambda *_: pytest.fail("it was read"))
    assert index_fault(tmp_path, STAMP) and finds(tmp_path) and index_fault(tmp_path, STAMP) == ""
    file, note = tmp_path / "entities.hnsw", tmp_path / "entities.hnsw.json"
    for change in (
        lambda: file.write_bytes(file.read_bytes()[:-1]),
        lambda: file.write_bytes(file.read_bytes()[:500] + b"\xff" * 8 + file.read_bytes()[508:]),
        lambda: note.write_text(note.read_text()[:20]),
        lambda: note.write_text("{}"),
        lambda: note.write_text(note.read_text().replace('"deleted": []', '"deleted": [7]')),
        lambda: note.write_text(note.read_text().replace('"hash": "', '"hash": "é')),
    ):
        before = file.read_bytes(), note.read_bytes()
        change()
        assert (file.read_bytes(), note.read_bytes()) != before
        assert index_fault(tmp_path, STAMP) and finds(tmp_path) and index_fault(tmp_path, STAMP) == ""


def test_an_older_file_grows_and_shrinks_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "EXACT_UP_TO", 10)
    vectors, keys = unit(400), np.arange(400) * 3
    open_index(vectors[:300], keys[:300], Stamp("m", 32, "ip", 1, 300), IndexFolder(tmp_path))
    built: list[int] = []
    init = HnswIndex.__init__
    monkeypatch.setattr(HnswIndex, "__init__", lambda self, *a: built.append(len(a[0])) or init(self, *a))

    def holds(rows: np.ndarray, revision: int) -> None:
        """Opened twice, grown and then loaded, the index finds just these rows, each by its own vector."""
        stamp = Stamp("m", 32, "ip", revision, len(rows))
        for _ in range(2):
            index = open_index(vectors[rows], keys[rows], stamp, IndexFolder(tmp_path))
            found, similarities = index.search(vectors[rows], 1)
            assert (found[:, 0] == np.arange(len(rows))).mean() > 0.99
            assert similarities.max() == pytest.approx(1, abs=1e-4)
            assert index.search(vectors[:1], len(rows))[0].shape == (1, len(rows))

    holds(np.arange(350), 2)  # added
    holds(np.delete(np.arange(350), [0, 7, 349]), 3)  # deleted
    vectors[7] = unit(1, seed=99)[0]  # a key that is given again, to something else
    holds(np.delete(np.arange(400), [0]), 4)
    assert built == []
    holds(np.arange(100, 400), 5)  # so much is gone that it is built anew
    assert built == [300]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files here")
def test_a_full_disk_leaves_no_half_of_an_index(tmp_path: Path, always: pytest.MonkeyPatch) -> None:
    """hnswlib does not say that it could not write."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
    try:
        assert finds(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_an_index_is_not_written_through_a_link(tmp_path: Path, always: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    folder = tmp_path / "derived"
    folder.mkdir()
    for name in ("entities.part", "entities.hnsw", "entities.hnsw.json"):
        (folder / name).symlink_to(mine)
    assert finds(folder)
    assert mine.read_text(encoding="utf-8") == "mine"
    assert index_fault(folder, STAMP) == ""


def test_without_hnswlib_search_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "EXACT_UP_TO", 10)
    monkeypatch.setitem(__import__("sys").modules, "hnswlib", None)
    index = open_index(unit(100), KEYS, Stamp("m", 32, "ip", 1, 100), IndexFolder(tmp_path))
    assert isinstance(index, ExactIndex)


@given(st.text(max_size=200))
def test_any_question_is_a_valid_query(question: str) -> None:
    match = match_query(question)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x)")
    if match:
        connection.execute("SELECT * FROM t WHERE t MATCH ?", (match,)).fetchall()
