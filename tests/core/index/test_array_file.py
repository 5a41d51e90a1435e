"""A file of arrays: what goes in comes out mapped; what was changed, cut off or made elsewhere is not read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.array_file import fault, open_arrays, write_arrays
from core.index.texts import Coded, NameTable, Texts

STAMP = {"revision": 3, "model": "é"}
RNG = np.random.default_rng(5)
ARRAYS = {
    "vectors": RNG.standard_normal((7, 3), dtype=np.float32),
    "rows": np.arange(11, dtype=np.int64),
    "none": np.zeros((0, 4), np.int32),
    "turned": np.arange(12).reshape(3, 4).T,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "derived" / "x.arrays"
    write_arrays(path, STAMP, {"labels": ["a"]}, ARRAYS)
    return path


def test_what_was_written_is_mapped(path: Path) -> None:
    found = open_arrays(path, STAMP)
    assert found is not None and found.metadata == {"labels": ["a"]}
    assert open_arrays(path, {**STAMP, "revision": 4}) is open_arrays(path.with_name("y"), STAMP) is None
    assert found.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert np.array_equal(found.arrays[name], array) and found.arrays[name].dtype == array.dtype
    with pytest.raises(ValueError, match="read-only"):
        found.arrays["rows"][0] = 9
    assert not list(path.parent.glob("*.part")) and fault(path) == ""


def test_no_byte_may_change_but_those_of_large_arrays(path: Path) -> None:
    whole = path.read_bytes()
    at = whole.index(ARRAYS["vectors"].tobytes())
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        large = at <= place < at + ARRAYS["vectors"].nbytes
        # What lies between two arrays belongs to none.
        read = open_arrays(path, STAMP, ("vectors",))
        same = read is not None and all(
            np.array_equal(read.arrays[name], array) for name, array in ARRAYS.items() if name != "vectors"
        )
        assert same or read is None
        assert not large or fault(path)
        assert place >= at or read is None


@pytest.mark.parametrize("kept", [0, 31, 640])
def test_a_file_that_ends_too_soon_is_not_read(path: Path, kept: int) -> None:
    path.write_bytes(path.read_bytes()[:kept])
    whole = kept >= 400  # the head is there
    assert open_arrays(path, STAMP, ("vectors",)) is None and bool(fault(path)) is whole


def test_a_file_of_another_machine_is_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.index.array_file.machine_secret", lambda: b"another")
    assert open_arrays(path, STAMP) is None and fault(path) is None, "it is no fault: nobody reads it"


def test_only_numbers_are_read(tmp_path: Path) -> None:
    with pytest.raises((TypeError, ValueError)):
        write_arrays(tmp_path / "x", STAMP, {}, {"objects": np.array([{}], dtype=object)})
    assert not list(tmp_path.iterdir())


def test_a_link_is_not_followed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(target)
    assert open_arrays(path, STAMP) is None
    part = path.with_suffix(".part")
    part.symlink_to(target)
    write_arrays(path, STAMP, {}, ARRAYS)  # in place of the links, not through them
    assert target.read_bytes()[:8] == b"CLEWARR1" and not path.is_symlink()


TEXT = st.text(st.characters(codec=None), max_size=12)


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXT, max_size=30))
def test_texts_and_codes_are_a_sequence_like_any(texts: list[str]) -> None:
    for kept in (Texts.of(texts), Coded.of(texts)):
        assert list(kept) == texts and len(kept) == len(texts)
        assert [kept[at] for at in range(-len(texts), len(texts))] == [*texts, *texts]
        assert list(kept[1:4]) == texts[1:4]
        for text in texts[:3]:
            assert text in kept and kept.index(text) == texts.index(text)
    with pytest.raises(IndexError):
        Texts.of(texts)[len(texts)]


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(TEXT, st.lists(st.integers(0, 9), max_size=4), max_size=30), TEXT)
def test_a_table_of_names_is_a_mapping_like_any(table: dict[str, list[int]], other: str) -> None:
    kept = NameTable.of(table)
    assert dict(kept) == {name: tuple(rows) for name, rows in table.items()}
    assert kept.get(other) == (tuple(table[other]) if other in table else None)


PAIRS = st.lists(st.tuples(TEXT, st.integers(0, 12)), max_size=40)


@pytest.mark.parametrize("letters", [8, 0])  # of a hash: with none all names have the same
@given(pairs=PAIRS, ranks=st.permutations(range(13)))
def test_a_table_of_pairs_is_that_of_a_dictionary(
    letters: int, pairs: list[tuple[str, int]], ranks: list[int]
) -> None:
    slow: dict[str, set[int]] = {}
    for name, row in pairs:
        slow.setdefault(name, set()).add(row)
    ordered = {name: tuple(sorted(rows, key=ranks.__getitem__)) for name, rows in slow.items()}
    rows = np.array([row for _, row in pairs], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        if not letters:
            patch.setattr("core.index.texts._hashed", lambda raw: bytes(8))
        found = NameTable.of_pairs(Texts.of(name for name, _ in pairs), rows, np.array(ranks)[rows])
        assert dict(found) == dict(NameTable.of(ordered)) == ordered
        assert found.get("no such name") is None


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXT, max_size=20), st.lists(TEXT, max_size=20), st.data())
def test_texts_are_joined_and_taken(texts: list[str], more: list[str], data: st.DataObject) -> None:
    every = texts + more
    joined = Texts.joined([Texts.of(texts), Texts.of(more)])
    assert list(joined) == every and Texts.joined([]).starts.tolist() == [0]
    rows = data.draw(st.lists(st.sampled_from(range(len(every))), max_size=30)) if every else []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.index.texts._MOVED", data.draw(st.integers(1, 20)))
        patch.setattr("core.index.texts._AT_ONCE", data.draw(st.integers(1, 5)))
        assert list(joined.take(np.array(rows, np.int64))) == [every[row] for row in rows]
        assert list(joined) == every and list(Texts.of(every)) == every


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 19), max_size=30), st.slices(20))
def test_rows_are_read_as_they_are_mapped(rows: list[int], part: slice) -> None:
    whole = np.arange(60, dtype=np.int16).reshape(20, 3)
    with tempfile.TemporaryDirectory() as folder:
        write_arrays(Path(folder) / "x", STAMP, {}, {"before": np.ones(5), "whole": whole})
        file = open_arrays(Path(folder) / "x", STAMP, (), ["whole"])
    assert file is not None and "whole" not in file.arrays
    held = file.rows["whole"]
    assert len(held) == 20 and held.shape == whole.shape and held.dtype == whole.dtype
    assert np.array_equal(held[np.array(rows, np.int32)], whole[rows])
    assert np.array_equal(held[part], whole[part])


def test_rows_of_a_file_that_was_cut_are_told(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x", STAMP, {}, {"whole": np.ones((1000, 8))})
    file = open_arrays(tmp_path / "x", STAMP, ["whole"], ["whole"])
    assert file is not None
    with open(tmp_path / "x", "r+b") as cut:
        cut.truncate(2000)
    with pytest.raises(OSError, match="shorter"):
        file.rows["whole"][np.array([990])]
    assert open_arrays(tmp_path / "x", STAMP, ["whole"], ["whole"]) is None


def test_of_two_that_write_at_once_the_first_puts_nothing_in_place(path: Path) -> None:
    write, turns = os.fsync, iter([True])

    def race(file: int) -> None:
        if next(turns, False):
            write_arrays(path, {"by": "second"}, {}, {})
            path.with_suffix(".part").write_bytes(b"begun by a third")
        write(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.index.array_file.os.fsync", race)
        with pytest.raises(FileExistsError):
            write_arrays(path, {"by": "first"}, {}, ARRAYS)
    assert open_arrays(path, {"by": "second"}) is not None
