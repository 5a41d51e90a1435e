"""Many short texts, and a table of names, as arrays: no object of Python for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Bytes = NDArray[np.uint8]


class Texts(Sequence[str]):
    """Texts one behind the other in `blob`, (b,), text i from `starts[i]` to `starts[i + 1]`, (n + 1,); UTF-8."""

    def __init__(self, starts: Numbers, blob: Bytes) -> None:
        self.starts, self.blob = starts, blob

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        # Lone surrogates stand in names of files that are no UTF-8.
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return cls(starts, np.frombuffer(b"".join(parts), np.uint8))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return tuple(self[row] for row in range(*at.indices(len(self))))
        count = len(self)
        at = int(at) + count if at < 0 else int(at)
        if not 0 <= at < count:
            raise IndexError(at)
        return self._text(int(self.starts[at]), int(self.starts[at + 1]))

    def __iter__(self) -> Iterator[str]:
        starts, raw = self.starts.tolist(), self.blob.tobytes()
        for first, end in pairwise(starts):
            yield raw[first:end].decode("utf-8", "surrogatepass")

    def _text(self, first: int, end: int) -> str:
        return self.blob[first:end].tobytes().decode("utf-8", "surrogatepass")


class Ids(Texts):
    """Texts that are all different, and their rows: `hashes` of the texts, (n,) ascending, and the `places` of their
    texts in that order, (n,); found out where they are not given."""

    def __init__(
        self,
        starts: Numbers,
        blob: Bytes,
        hashes: NDArray[np.uint64] | None = None,
        places: NDArray[np.int32] | None = None,
    ) -> None:
        super().__init__(starts, blob)
        if hashes is None or places is None:
            found = np.fromiter(map(_hashed, self), np.uint64, len(self))
            places = np.argsort(found, kind="stable").astype(np.int32)
            hashes = found[places]
        self.hashes, self.places = hashes, places

    @property
    def rows(self) -> Mapping[str, int]:
        """Row by text."""
        return _RowsByText(self)


class _RowsByText(Mapping[str, int]):
    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __getitem__(self, text: str) -> int:
        ids, wanted = self._ids, np.uint64(_hashed(text))
        at = int(np.searchsorted(ids.hashes, wanted))
        while at < len(ids.hashes) and ids.hashes[at] == wanted:
            if ids[row := int(ids.places[at])] == text:
                return row
            at += 1
        raise KeyError(text)


class RowsByKey(Mapping[int, int]):
    """Rows of `keys`, (n,) ascending."""

    def __init__(self, keys: Numbers) -> None:
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys.tolist())

    def __getitem__(self, key: int) -> int:
        row = int(np.searchsorted(self._keys, key))
        if row < len(self._keys) and self._keys[row] == key:
            return row
        raise KeyError(key)


K = TypeVar("K")
V = TypeVar("V")


class ByRow(Mapping[K, V]):
    """What stands in a column, by what its row is found by."""

    def __init__(self, rows: Mapping[K, int], column: Callable[[int], V]) -> None:
        self._rows, self._column = rows, column

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[K]:
        return iter(self._rows)

    def __getitem__(self, key: K) -> V:
        return self._column(self._rows[key])


class Coded(Sequence[str]):
    """Texts of which many are the same: text i is `words[codes[i]]`."""

    def __init__(self, codes: NDArray[np.int32], words: Sequence[str]) -> None:
        self.codes, self.words = codes, tuple(words)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Coded:
        words = tuple(dict.fromkeys(texts))
        place = {word: at for at, word in enumerate(words)}
        return cls(np.fromiter((place[text] for text in texts), np.int32, len(texts)), words)

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return Coded(self.codes[at], self.words)
        return self.words[int(self.codes[at])]

    def __iter__(self) -> Iterator[str]:
        return map(self.words.__getitem__, self.codes.tolist())


class NameTable(Mapping[str, tuple[int, ...]]):
    """Rows by name: `hashes` of the names, (n,) ascending, the `names` in that order, and the rows of name i from
    `starts[i]` to `starts[i + 1]` of `rows`."""

    def __init__(self, hashes: NDArray[np.uint64], names: Texts, starts: Numbers, rows: Numbers) -> None:
        self.hashes, self.names, self.starts, self.rows = hashes, names, starts, rows

    @classmethod
    def of(cls, table: Mapping[str, Sequence[int]]) -> NameTable:
        hashes = np.fromiter(map(_hashed, table), np.uint64, len(table))
        order = np.argsort(hashes, kind="stable").tolist()
        held = list(table.items())
        counts = [len(held[at][1]) for at in order]
        rows = [row for at in order for row in held[at][1]]
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
        names = Texts.of(held[at][0] for at in order)
        return cls(hashes[order], names, starts, np.array(rows, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.hashes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> tuple[int, ...]:
        if (at := self.place(name)) < 0:
            raise KeyError(name)
        return tuple(self.rows[int(self.starts[at]) : int(self.starts[at + 1])].tolist())

    def place(self, name: str) -> int:
        """Where the name stands; -1 for one that is not there."""
        wanted = np.uint64(_hashed(name))
        at = int(np.searchsorted(self.hashes, wanted))
        while at < len(self.hashes) and self.hashes[at] == wanted:
            if self.names[at] == name:
                return at
            at += 1
        return -1


def _hashed(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
