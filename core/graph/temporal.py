"""Which of an entity's dated facts come one after the other: edges of before and after (triple-layer 4.3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DatedFacts:
    """f facts between two entities, each of one date: a year is all of its days, both inclusive."""

    ends: Ints  # (f, 2) rows of entities, of which a fact ties two
    first: Ints  # (f,) days, not negative
    last: Ints  # (f,)
    strengths: NDArray[np.float64]  # (f,)


@dataclass(frozen=True, slots=True)
class Following:
    """Pairs of facts, rows of `DatedFacts`: what happened to `subjects` in `earlier` was over before `later` began."""

    subjects: Ints  # (k,) entities
    earlier: Ints  # (k,)
    later: Ints  # (k,)


def following(facts: DatedFacts, names: Mask) -> Following:
    """Of each of the `names`, (n,), its moments in order, each with the next: fewer pairs than it has dates.

    A moment is all that an entity does or undergoes at one date, told by one fact: the strongest whose other end is a
    name, else the strongest. What lies within a year is neither before that year nor after it, so the next moment is
    the first that begins when this one is over. A pair whose facts lead to the same other end says nothing.
    """
    own, fact = facts.ends.T.ravel(), np.tile(np.arange(len(facts.first)), 2)
    other = facts.ends[:, ::-1].T.ravel()
    is_name = names[own]
    own, fact, other = own[is_name], fact[is_name], other[is_name]
    first, last = facts.first[fact], facts.last[fact]
    order = np.lexsort((fact, -facts.strengths[fact], ~names[other], last, first, own))
    own, fact, other, first, last = (column[order] for column in (own, fact, other, first, last))
    same = np.zeros(len(own), np.bool_)
    same[1:] = (own[1:] == own[:-1]) & (first[1:] == first[:-1]) & (last[1:] == last[:-1])
    own, fact, other, first, last = (column[~same] for column in (own, fact, other, first, last))
    if not len(own):
        return Following(own, fact, fact)
    width = int(last.max()) + 2
    at = np.searchsorted(own * width + first, own * width + last, "right")
    there = at < len(own)
    there[there] = own[at[there]] == own[there]
    now, then = np.flatnonzero(there), at[there]
    differs = other[now] != other[then]
    return Following(own[now][differs], fact[now][differs], fact[then][differs])
