"""Which noun phrases of a folder are terms of its subject: "purchase order", "credit limit".

C-value (Frantzi, Ananiadou & Mima 2000) says how often a phrase stands for itself and not within longer ones,
specificity how much more often its words stand here than in English at large (Ahmad et al. 1999).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.models.minilm import model_folder

Ints = NDArray[np.int64]

MOST_TERMS = 300  # of a folder
BAR = 5.0  # least termhood of a term
_FEWEST, _APART = 3, 2  # passages, and uses apart from what longer phrases have of it
_SINGLE = 0.5  # of its termhood, for a single word, which means many things
_RARE = 14_000  # rank in English from which a single word may be a term
_UNKNOWN = 40_000  # rank of a word that English at large hardly has
_ZIPF, _SHIFT = 0.3, 2.7  # share of the word of a rank among those of noun phrases: _ZIPF / (rank + _SHIFT)
_USUAL = 1000  # passages of a folder in which a use counts once
_FIRST_WORD = 1996  # row of the vocabulary


@cache
def word_ranks() -> Mapping[str, int]:
    """Return the rank of English words by how often books and encyclopedias use them, from 1.

    The vocabulary of BERT, which the shipped encoder has, lists words by frequency. Raises ModelUnavailable.
    """
    rows = (model_folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")[_FIRST_WORD:]
    return {word: rank for rank, word in enumerate(rows, start=1) if word.isalpha()}


def choose_terms(phrases: Sequence[str], numbers: Ints, passages: Ints) -> dict[str, float]:
    """Return the termhood of those of the phrases that are terms, the best first, at most MOST_TERMS.

    `numbers` (k,) of phrases and `passages` (k,) are where they stand. Only phrases that stand alone somewhere count
    within longer ones.
    """
    if not len(numbers):
        return {}
    counts = np.bincount(numbers, minlength=len(phrases))
    wholes, parts = _nested(phrases)
    uses = np.bincount(parts, weights=counts[wholes], minlength=len(phrases))
    longer = (wholes != parts) & (uses[wholes] > 1)
    inside = np.bincount(parts[longer], weights=uses[wholes[longer]], minlength=len(phrases))
    around = inside / np.maximum(1, np.bincount(parts[longer], minlength=len(phrases)))
    spread = _spread(numbers, passages, wholes, parts, len(phrases))
    words: Counter[str] = Counter()
    for phrase, count in zip(phrases, counts.tolist(), strict=True):
        words.update(dict.fromkeys(phrase.split(" "), count))
    total, scale = words.total(), math.sqrt(_USUAL / len(np.unique(passages)))
    found: dict[str, float] = {}
    for at in np.flatnonzero(spread >= _FEWEST).tolist():
        own = phrases[at].split(" ")
        is_single = len(own) == 1
        if is_single and _rank(own[0]) < _RARE:
            continue
        apart = uses[at] - around[at]
        if apart < _APART:
            continue
        c_value = math.log2(max(len(own), 1.5)) * apart
        specificity = sum(
            math.log(words[word] / total * (_rank(word) + _SHIFT) / _ZIPF) for word in own
        ) / len(own)
        termhood = specificity * math.log1p(c_value * scale) * (_SINGLE if is_single else 1.0)
        if termhood >= BAR:
            found[phrases[at]] = termhood
    best = sorted(found, key=lambda phrase: (-found[phrase], phrase))[:MOST_TERMS]
    return {phrase: found[phrase] for phrase in best}


def _nested(phrases: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the numbers of phrases and of the phrases within each, itself among them, (m,) of both."""
    number = {phrase: at for at, phrase in enumerate(phrases)}
    pairs = [
        (whole, part)
        for whole, phrase in enumerate(phrases)
        for _, run in runs(phrase.split(" "))
        if (part := number.get(" ".join(run))) is not None
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def runs(words: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield where each run of the words begins, and the run; the longest first, then the first."""
    for size in range(len(words), 0, -1):
        for first in range(len(words) - size + 1):
            yield first, words[first : first + size]


def _spread(numbers: Ints, passages: Ints, wholes: Ints, parts: Ints, count: int) -> Ints:
    """Return in how many passages each phrase stands, alone or within longer ones, (count,)."""
    from scipy.sparse import csr_array  # slow to import, and needed while a folder is indexed only

    _, places = np.unique(passages, return_inverse=True)
    ones = np.ones(len(numbers), dtype=np.int32)
    stands = csr_array((ones, (numbers, places)), shape=(count, int(places.max()) + 1))
    within = csr_array((np.ones(len(parts), dtype=np.int32), (parts, wholes)), shape=(count, count))
    rows: Ints = (within @ stands).tocsr().indptr.astype(np.int64)
    return np.diff(rows)


def _rank(word: str) -> int:
    """Return the rank of a word, or of its plural; of words with hyphens that of the rarest part."""
    ranks = word_ranks()
    return max(min(ranks.get(part, _UNKNOWN), ranks.get(f"{part}s", _UNKNOWN)) for part in word.split("-"))
