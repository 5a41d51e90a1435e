"""Ties by association: names that stand together in sentences and passages more often than chance.

Dunning 1993 (log-likelihood ratio of a two by two table). A pair counts as often as passages name both; that one
sentence does is worth more than that one passage does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CROWD = 40  # names of a passage beyond which it is a register, which ties nobody
_CHANCE = 3.84  # log-likelihood ratio that one pair in twenty reaches by chance
_MOST = 16  # ties of a name: the strongest, and those that are among the strongest of the other name
_IN_PASSAGE = 0.3  # of what a sentence that names both is worth, a passage
_HALF = 8.0  # log-likelihood ratio at which a tie is half as strong as it can be
_STEP = 0.05  # strengths are multiples of it, so that a little more evidence changes few of them

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ties:
    """`ends` (m, 2) of names, the smaller first, sorted; `passages` (m,) that name both; `strengths` (m,), 0 to 1."""

    ends: Ints
    passages: Ints
    strengths: NDArray[np.float64]


def associate(names: Ints, passages: Ints, sentences: Ints, total: int) -> Ties:
    """Return the ties among the names whose mentions these are, (k,) each.

    `names` are numbers from 0; `sentences` are numbers of sentences, which no two passages share; `total` is more than
    there are passages, so that a name of every passage has ties, too. Parts that no tie joins are joined by the best
    pair of names that one passage names, so that the graph is connected where the texts are.
    """
    fits = _is_uncrowded(names, passages)
    names, passages, sentences = names[fits], passages[fits], sentences[fits]
    width = 1 + int(names.max(initial=0))
    of_name = np.bincount(np.unique(passages * width + names) % width, minlength=width)
    codes, together = np.unique(_pairs(names, passages, width), return_counts=True)
    sentence_codes, in_both = np.unique(_pairs(names, sentences, width), return_counts=True)
    in_sentence = np.zeros(len(codes), dtype=np.int64)
    in_sentence[np.searchsorted(codes, sentence_codes)] = in_both
    ends = np.stack(np.divmod(codes, width), axis=1)
    ratio = log_likelihood(together, of_name[ends[:, 0]], of_name[ends[:, 1]], total)
    is_tie = (ratio > _CHANCE) & ((together > 1) | (in_sentence > 0))
    worth = np.minimum(1.0, in_sentence / together) * (1 - _IN_PASSAGE) + _IN_PASSAGE
    strengths = np.clip(np.round(worth * ratio / (np.abs(ratio) + _HALF) / _STEP) * _STEP, _STEP, 1.0)
    rows = np.flatnonzero(is_tie)
    rows = rows[_strongest(ends[rows], ratio[rows] * worth[rows], _MOST)]
    others = np.setdiff1d(np.arange(len(ends)), rows)
    bridges = _bridges(ends[rows], ends[others], ratio[others], width)
    rows = np.union1d(rows, others[bridges])
    return Ties(ends[rows], together[rows], np.round(strengths[rows], 2))


def log_likelihood(both: Ints, one: Ints, other: Ints, total: int) -> NDArray[np.float64]:
    """Return the log-likelihood ratio of standing together, negative where chance would put them together more often.

    `both`, `one` and `other` count the places that name both, the one and the other, (m,), of `total` places.
    """
    cells = np.stack([both, one - both, other - both, total - one - other + both]).astype(np.float64)
    rows = np.stack([one, one, total - one, total - one]).astype(np.float64)
    columns = np.stack([other, total - other, other, total - other]).astype(np.float64)
    expected = rows * columns / total
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(cells > 0, cells * np.log(cells / expected), 0.0)
    ratio: NDArray[np.float64] = 2 * terms.sum(axis=0)
    return np.where(both * total >= one * other, ratio, -ratio)


def _is_uncrowded(names: Ints, passages: Ints) -> NDArray[np.bool_]:
    """Return which mentions stand in passages of at most `_CROWD` names, (k,)."""
    pairs = np.unique(np.stack([passages, names], axis=1), axis=0)
    known, counts = np.unique(pairs[:, 0], return_counts=True)
    return np.asarray(np.isin(passages, known[counts <= _CROWD]))


def _pairs(names: Ints, places: Ints, width: int) -> Ints:
    """Return a number for each pair of names in each place: the smaller name times `width` plus the larger."""
    once = np.unique(places * width + names)
    place, name = np.divmod(once, width)
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]]) if len(place) else np.zeros(0, np.int64)
    sizes = np.diff(np.r_[starts, len(place)])
    found = [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes[sizes > 1]).tolist():
        group = name[starts[sizes == size][:, None] + np.arange(size)]
        left, right = np.triu_indices(size, 1)
        found.append((group[:, left] * width + group[:, right]).ravel())
    return np.concatenate(found)


def _strongest(ends: Ints, worth: NDArray[np.float64], most: int) -> Ints:
    """Return the rows of the `most` best ties of each name, ascending."""
    rows = np.tile(np.arange(len(ends)), 2)
    names = ends.T.ravel()
    order = np.lexsort((rows, -worth[rows], names))
    first = np.searchsorted(names[order], names[order])
    chosen: Ints = np.unique(rows[order[np.arange(len(order)) - first < most]])
    return chosen


def _bridges(tied: Ints, ends: Ints, worth: NDArray[np.float64], width: int) -> Ints:
    """Return the rows of `ends` (m, 2) that connect parts which the pairs `tied` (k, 2) leave apart, the best of
    all choices: a spanning forest of the parts (Kruskal 1956)."""
    from scipy.sparse import coo_matrix  # slow to import, and needed while a graph is built only
    from scipy.sparse.csgraph import minimum_spanning_tree

    pairs = np.concatenate([tied, ends])
    codes = pairs.min(axis=1) * width + pairs.max(axis=1)
    # What is joined costs next to nothing, so that a spanning forest takes it first; 0 would be no edge. No two others
    # cost the same: the choice does not hang on the order in which they come.
    ranks = np.empty(len(ends))
    ranks[np.lexsort((codes[len(tied) :], -worth))] = np.arange(2, len(ends) + 2)
    costs = np.concatenate([np.full(len(tied), 1e-9), ranks])
    _, first = np.unique(codes, return_index=True)
    graph = coo_matrix((costs[first], (pairs[first, 0], pairs[first, 1])), shape=(width, width))
    tree = minimum_spanning_tree(graph.tocsr()).tocoo()
    chosen = np.minimum(tree.row, tree.col).astype(np.int64) * width + np.maximum(tree.row, tree.col)
    return np.flatnonzero(np.isin(codes[len(tied) :], chosen[tree.data > 1.0]))
