"""Tables of which some rows are replaced: what stays is copied in long pieces, whatever it is a table of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.index.texts import Coded, Ids, Numbers, Texts

Rows = NDArray[np.int64]
S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Splice:
    """Pieces, one behind the other: rows `first` to `end`, each (k,), of the old table, or, where `anew`, of what was
    read anew."""

    anew: NDArray[np.bool_]
    first: Rows
    end: Rows

    @classmethod
    def of(cls, sources: Rows) -> Splice:
        """`sources` (n,): the old row that each is, or -1 for the next of those that were read anew."""
        is_new = sources < 0
        places = np.where(is_new, np.cumsum(is_new) - 1, sources)
        breaks = (is_new[1:] != is_new[:-1]) | (places[1:] != places[:-1] + 1)
        heads = np.concatenate([np.zeros(min(1, len(sources)), np.int64), np.flatnonzero(breaks) + 1])
        ends = np.append(heads[1:], len(sources)) - 1 if len(heads) else heads
        return cls(is_new[heads], places[heads], places[ends] + 1)

    def rows(self, old: NDArray[S], anew: NDArray[S]) -> NDArray[S]:
        """The new table, in the numbers of the old one."""
        anew = anew.astype(old.dtype, copy=False)
        pieces = zip(self.anew.tolist(), self.first.tolist(), self.end.tolist(), strict=True)
        parts = [(anew if new else old)[first:end] for new, first, end in pieces]
        return np.concatenate(parts) if parts else old[:0].copy()

    def runs(self, old: Numbers, anew: Numbers) -> tuple[Rows, Splice]:
        """Where the rows' own entries begin, (n + 1,), and how those come about, given where they began in both."""
        counts = self.rows(np.diff(old), np.diff(anew))
        starts = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        first = np.where(self.anew, _at(anew, self.first, self.anew), _at(old, self.first, ~self.anew))
        end = np.where(self.anew, _at(anew, self.end, self.anew), _at(old, self.end, ~self.anew))
        return starts, Splice(self.anew, first.astype(np.int64), end.astype(np.int64))

    def texts(self, old: Sequence[str], anew: Sequence[str]) -> Texts:
        old_texts, more = old if isinstance(old, Texts) else Texts.of(old), Texts.of(anew)
        starts, entries = self.runs(old_texts.starts, more.starts)
        return Texts(starts, entries.rows(old_texts.blob, more.blob))

    def ids(self, old: Ids, anew: Sequence[str]) -> Ids:
        """Their table of hashes follows: of what stays nothing is hashed again."""
        texts, sources = self.texts(old, anew), self.sources()
        moved = np.full(len(old), -1, np.int32)
        stays = sources >= 0
        moved[sources[stays]] = np.flatnonzero(stays)
        places = moved[old.places]
        hashes, places = old.hashes[places >= 0], places[places >= 0]
        more = Ids.of(anew)
        at = np.searchsorted(hashes, more.hashes)
        came = np.flatnonzero(~stays).astype(np.int32)[more.places]
        return Ids(texts.starts, texts.blob, np.insert(hashes, at, more.hashes), np.insert(places, at, came))

    def coded(self, old: Sequence[str], anew: Sequence[str]) -> Coded:
        old_coded = old if isinstance(old, Coded) else Coded.of(old)
        words = tuple(dict.fromkeys([*old_coded.words, *anew]))
        place = {word: at for at, word in enumerate(words)}
        more = np.fromiter((place[text] for text in anew), np.int32, len(anew))
        return Coded(self.rows(old_coded.codes, more), words)

    def sources(self) -> Rows:
        """The other way round: (n,) old rows, -1 for what was read anew."""
        lengths = self.end - self.first
        starts = np.cumsum(lengths) - lengths
        found: Rows = np.arange(int(lengths.sum())) + np.repeat(self.first - starts, lengths)
        found[np.repeat(self.anew, lengths)] = -1
        return found


@dataclass(frozen=True, slots=True)
class Keyed:
    """Rows by ascending key, some of which were read anew."""

    keys: Rows  # (n,)
    sources: Rows  # (n,) old row; -1 for what was read anew, had it been there before or not
    came: Rows  # (m,) rows of what was read anew
    moved: Rows  # (n_old,) the row with the same key now; -1 where there is none
    was: Rows  # (n,) the row with the same key then; -1 where there was none

    @classmethod
    def of(cls, old: Rows, gone: Rows, anew: Rows) -> Keyed:
        """Of the keys `old`, (n_old,), all that are `gone` go and those read `anew`, (m,) ascending, come."""
        survivors = np.flatnonzero(~np.isin(old, gone))
        at = np.searchsorted(old[survivors], anew)
        sources = np.insert(survivors, at, -1)
        came = at + np.arange(len(anew))
        moved = np.full(len(old), -1, np.int64)
        moved[survivors] = np.flatnonzero(sources >= 0)
        then, again = found_in(old, anew)
        moved[then] = came[again]
        was = sources.copy()
        was[came[again]] = then
        return cls(np.insert(old[survivors], at, anew), sources, came, moved, was)


def found_in(keys: Rows, wanted: Rows) -> tuple[Rows, Rows]:
    """Rows of `keys`, ascending, that are wanted, and where they stand in `wanted`."""
    if not len(keys):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    there = np.flatnonzero(keys[at] == wanted)
    return at[there], there


def run_entries(starts: NDArray[Any], rows: Rows) -> tuple[Rows, Rows]:
    """Places of all entries of these rows, and at which of `rows` each stands."""
    first = starts[rows].astype(np.int64)
    counts = starts[rows + 1].astype(np.int64) - first
    owners = np.repeat(np.arange(len(rows)), counts)
    return np.arange(len(owners)) + (first - np.cumsum(counts) + counts)[owners], owners


def run_of(starts: Rows, places: Rows) -> Rows:
    """Whose each of these entries is."""
    found: Rows = np.searchsorted(starts, places, side="right") - 1
    return found


def offsets(owners: Rows, count: int) -> Rows:
    """Where the entries of each of `count` owners begin, (count + 1,), among `owners`, ascending."""
    return np.searchsorted(owners, np.arange(count + 1)).astype(np.int64)


def _at(starts: Numbers, places: Rows, where: NDArray[np.bool_]) -> Numbers:
    """Elsewhere anything."""
    return starts[np.where(where, places, 0)]
