"""Many short texts, and a table of names, as arrays: no object of Python for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice, pairwise
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 1 << 16  # texts that are objects at one time
_MOVED = 1 << 24  # bytes moved at once

Numbers = NDArray[np.int64]
Bytes = NDArray[np.uint8]


class Texts(Sequence[str]):
    """Texts one behind the other in `blob`, (b,), text i from `starts[i]` to `starts[i + 1]`, (n + 1,); UTF-8."""

    def __init__(self, starts: Numbers, blob: Bytes) -> None:
        self.starts, self.blob = starts, blob

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        lengths, blobs, rest = [np.zeros(1, np.int64)], list[bytes](), iter(texts)
        while parts := [_encoded(text) for text in islice(rest, _AT_ONCE)]:
            lengths.append(np.fromiter(map(len, parts), np.int64, len(parts)))
            blobs.append(b"".join(parts))
        return cls(np.cumsum(np.concatenate(lengths)), np.frombuffer(b"".join(blobs), np.uint8))

    @classmethod
    def joined(cls, parts: Sequence[Texts]) -> Self:
        """Those of all parts, one part behind the other."""
        lengths = [np.zeros(1, np.int64), *(np.diff(part.starts) for part in parts)]
        blobs = [np.zeros(0, np.uint8), *(part.blob for part in parts)]
        return cls(np.cumsum(np.concatenate(lengths)), np.concatenate(blobs))

    def take(self, rows: Numbers) -> Texts:
        """Those of `rows`, (m,), in that order; moved some megabytes at a time."""
        lengths = (self.starts[1:] - self.starts[:-1])[rows]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        blob, at = np.empty(int(starts[-1]), np.uint8), 0
        while at < len(rows):
            end = max(at + 1, int(np.searchsorted(starts, starts[at] + _MOVED, side="right")) - 1)
            shift = np.repeat(self.starts[rows[at:end]] - starts[at:end], lengths[at:end])
            blob[starts[at] : starts[end]] = self.blob[np.arange(starts[at], starts[end]) + shift]
            at = end
        return Texts(starts, blob)

    def at(self, rows: Numbers) -> list[str]:
        """Those of `rows`, (m,), in that order: one after the other takes four times as long."""
        blob = self.blob.data
        spans = zip(self.starts[rows].tolist(), self.starts[rows + 1].tolist(), strict=True)
        return [str(blob[first:end], "utf-8", "surrogatepass") for first, end in spans]

    def raw(self) -> Iterator[bytes]:
        """Each as it is encoded."""
        for first in range(0, len(self), _AT_ONCE):
            starts = self.starts[first : first + _AT_ONCE + 1].tolist()
            raw = self.blob[starts[0] : starts[-1]].tobytes()
            for begin, end in pairwise(starts):
                yield raw[begin - starts[0] : end - starts[0]]

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
        for raw in self.raw():
            yield raw.decode("utf-8", "surrogatepass")

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
            found = _hashes(self)
            places = np.argsort(found, kind="stable").astype(np.int32)
            hashes = found[places]
        self.hashes, self.places = hashes, places

    @property
    def rows(self) -> Mapping[str, int]:
        """Row by text."""
        return _RowsByText(self)

    def rows_of(self, texts: Sequence[str]) -> Numbers:
        """Row of each, (m,), all at once. Raises KeyError for one that is not there."""
        wanted = _hashes(texts)
        at = np.searchsorted(self.hashes, wanted).clip(max=max(0, len(self.hashes) - 1))
        found = self.places[at].astype(np.int64) if len(self) else np.zeros(0, np.int64)
        if self.at(found) != list(texts):  # two of one hash, or one that is not there
            found = np.array([self.rows[text] for text in texts], np.int64)
        return found


class _RowsByText(Mapping[str, int]):
    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __getitem__(self, text: str) -> int:
        ids, wanted = self._ids, _hash_of(text)
        at = int(np.searchsorted(ids.hashes, wanted))
        while at < len(ids.hashes) and ids.hashes[at] == wanted:
            if ids[row := int(ids.places[at])] == text:
                return row
            at += 1
        raise KeyError(text)


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
        hashes = _hashes(Texts.of(table))
        order = np.argsort(hashes, kind="stable").tolist()
        entries = list(table.items())
        counts = [len(entries[at][1]) for at in order]
        rows = [row for at in order for row in entries[at][1]]
        starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
        names = Texts.of(entries[at][0] for at in order)
        return cls(hashes[order], names, starts, np.array(rows, dtype=np.int64))

    @classmethod
    def of_pairs(cls, names: Texts, rows: Numbers, ranks: Numbers) -> NameTable:
        """Name i leads to `rows[i]`, (n,); of one name those of the least rank, `ranks` (n,), first. A row has one rank
        and no other row has it; a pair may stand there twice."""
        hashes = _hashes(names)
        kinds = _kinds(names, hashes)
        order = np.lexsort((ranks, kinds, hashes))
        hashes, kinds, ranks = hashes[order], kinds[order], ranks[order]
        other = np.ones(len(order), np.bool_)  # another name than the one before
        other[1:] = (hashes[1:] != hashes[:-1]) | (kinds[1:] != kinds[:-1])
        own = other.copy()
        own[1:] |= ranks[1:] != ranks[:-1]
        first, starts = np.flatnonzero(other), np.flatnonzero(other[own])
        return cls(hashes[first], names.take(order[first]), np.append(starts, own.sum()), rows[order[own]])

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
        wanted = _hash_of(name)
        at = int(np.searchsorted(self.hashes, wanted))
        while at < len(self.hashes) and self.hashes[at] == wanted:
            if self.names[at] == name:
                return at
            at += 1
        return -1


def _kinds(names: Texts, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Numbers by which different names of one hash differ, (n,): hardly ever another than 0."""
    kinds = np.zeros(len(names), np.int32)
    order = np.argsort(hashes, kind="stable")
    again = np.flatnonzero(hashes[order][1:] == hashes[order][:-1]) + 1
    by_hash: dict[int, list[str]] = {}
    for at in again.tolist():
        known = by_hash.setdefault(int(hashes[order[at]]), [names[int(order[at - 1])]])
        name = names[int(order[at])]
        if name not in known:
            known.append(name)
        kinds[order[at]] = known.index(name)
    return kinds


def _hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Of each, (n,)."""
    found = [np.zeros(0, np.uint64)]
    rest = texts.raw() if isinstance(texts, Texts) else map(_encoded, texts)
    while part := b"".join(map(_hashed, islice(rest, _AT_ONCE))):
        found.append(np.frombuffer(part, "<u8"))
    return np.concatenate(found)


def _hash_of(text: str) -> np.uint64:
    return np.uint64(np.frombuffer(_hashed(_encoded(text)), "<u8")[0])


def _encoded(text: str) -> bytes:
    # Lone surrogates stand in names of files that are no UTF-8.
    return text.encode("utf-8", "surrogatepass")


def _hashed(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=8).digest()
