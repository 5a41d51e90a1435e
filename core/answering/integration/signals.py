"""What the extractive integrator sees of each piece, given what it has chosen, and of its own state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.answering.integration.pieces import Pieces, Section
from core.index.lexical import STOP_WORDS
from core.text.search_words import words_of
from core.text.stems import strip_ending

Matrix = NDArray[np.float64]

ALONE = (
    "nearness",  # cosine with the question
    "behind",  # how much less than the nearest piece's
    "passage",  # cosine of the mean of its passage's pieces with the question
    "beside",  # cosine of the nearer neighbour in its passage
    "score",  # of its passage, 1 for the best
    "rank",  # 1 over that of its passage, 0 where it was not retrieved
    "first",  # whether it begins its passage
    "position",  # 0 for the first piece of its passage, 1 for the last
    "length",  # logarithm of its tokens
    "words",  # share of the question's words that it holds
    "titled",  # share of them in its title
    "number",  # whether a digit stands in it
    "community",  # cosine of its community with the question
    "typical",  # cosine with its community
    "evidence",  # whether a fact was read from it
    "summary",  # whether it sums up a community
    "detail",  # whether it is a detail of an entity
)
CONDITIONAL = (
    "likeness",  # greatest cosine with what was chosen
    "opened",  # whether something of its passage was chosen
    "after",  # whether the piece before it was
    "before",  # whether the piece after it was
    "missing",  # share of the question's words that it holds and nothing chosen does
    "bridge",  # words that it shares with what was chosen and not with the question, 3 at most
    "title told",  # whether what was chosen holds all words of its title
)
STATE = (
    "spent",  # share of the budget
    "number chosen",  # in tens
    "best left",  # cosine of the nearest piece that is left
    "best chosen",  # and of the nearest that was chosen
    "covered",  # share of the question's words in what was chosen
    "mean chosen",  # mean cosine of what was chosen
)
SIGNALS = ALONE + CONDITIONAL + STATE


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that say something."""
    return frozenset(strip_ending(word) for word in words_of(text.lower()) if word not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Features:
    """All of a question's pieces that does not change with what is chosen; `alone` (n, len(ALONE))."""

    pieces: Pieces
    alone: Matrix
    likeness: Matrix  # (n, n) cosines
    products: NDArray[np.float32]  # (n, d) question vector times piece vector, element by element
    asked: frozenset[str]
    words: tuple[frozenset[str], ...]
    titles: tuple[frozenset[str], ...]
    passage: NDArray[np.int64]  # (n,) number of its passage
    neighbours: NDArray[np.int64]  # (n, 2) rows of the pieces before and after it, -1 for none
    tokens: NDArray[np.int64]


def see(question: str, pieces: Pieces) -> Features:
    asked = content_words(question)
    words = tuple(content_words(piece.text) for piece in pieces.pieces)
    by_title = {piece.title: content_words(piece.title) for piece in pieces.pieces}
    numbers = {name: at for at, name in enumerate(dict.fromkeys(p.passage_id for p in pieces.pieces))}
    passage = np.array([numbers[piece.passage_id] for piece in pieces.pieces], dtype=np.int64)
    neighbours, position = _neighbours(pieces, passage)
    titles = tuple(by_title[piece.title] for piece in pieces.pieces)
    alone = _alone(pieces, asked, words, titles, passage, neighbours, position)
    likeness = np.asarray(pieces.vectors @ pieces.vectors.T, dtype=np.float64)
    products = pieces.vectors * pieces.question
    return Features(
        pieces, alone, likeness, products, asked, words, titles, passage, neighbours, pieces.tokens
    )


def signals(features: Features, taken: Sequence[int], budget: int) -> tuple[Matrix, Matrix]:
    """(n, len(SIGNALS)) of the pieces after those `taken`, and (len(STATE),) of the state itself."""
    n = len(features.pieces)
    dynamic = np.zeros((n, len(CONDITIONAL)))
    nearness = features.alone[:, 0]
    chosen = list(taken)
    covered: frozenset[str] = frozenset().union(*(features.words[row] for row in chosen))
    total = max(1, len(features.asked))
    if chosen:
        mask = np.zeros(n + 1, dtype=bool)  # the last one stands for no neighbour
        mask[chosen] = True
        dynamic[:, 0] = features.likeness[:, chosen].max(1)
        dynamic[:, 1] = np.isin(features.passage, features.passage[chosen])
        dynamic[:, 2:4] = mask[features.neighbours]
        new = covered - features.asked
        dynamic[:, 5] = [min(3, len(words & new)) for words in features.words]
        dynamic[:, 6] = [bool(title) and title <= covered for title in features.titles]
    missing = features.asked - covered
    dynamic[:, 4] = [len(words & missing) / total for words in features.words]
    left = np.ones(n, dtype=bool)
    left[chosen] = False
    state = np.array(
        [
            features.tokens[chosen].sum() / max(1, budget),
            len(chosen) / 10,
            nearness[left].max(initial=0.0),
            nearness[chosen].max(initial=0.0),
            len(features.asked & covered) / total,
            nearness[chosen].mean() if chosen else 0.0,
        ]
    )
    return np.hstack([features.alone, dynamic, np.broadcast_to(state, (n, len(STATE)))]), state


def _neighbours(pieces: Pieces, passage: NDArray[np.int64]) -> tuple[NDArray[np.int64], Matrix]:
    starts = np.array([piece.start for piece in pieces.pieces])
    order = np.lexsort((starts, passage))
    neighbours = np.full((len(order), 2), -1, dtype=np.int64)
    position = np.zeros(len(order))
    for one, other in pairwise(order.tolist()):
        if passage[one] == passage[other]:
            neighbours[other, 0], neighbours[one, 1] = one, other
    for number in np.unique(passage):
        own = order[passage[order] == number]
        position[own] = np.linspace(0, 1, len(own)) if len(own) > 1 else 0.0
    return neighbours, position


def _alone(
    pieces: Pieces,
    asked: frozenset[str],
    words: Sequence[frozenset[str]],
    titles: Sequence[frozenset[str]],
    passage: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    position: Matrix,
) -> Matrix:
    nearness = np.asarray(pieces.vectors @ pieces.question, dtype=np.float64)
    adjacent = np.append(nearness, 0.0)[neighbours].max(1)
    means = np.stack([pieces.vectors[passage == number].mean(0) for number in range(passage.max() + 1)])
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    total = max(1, len(asked))
    section = np.array([piece.section for piece in pieces.pieces])
    columns = (
        nearness,
        nearness.max() - nearness,
        (means @ pieces.question)[passage],
        adjacent,
        pieces.score,
        np.where(pieces.rank > 0, 1 / np.maximum(pieces.rank, 1), 0.0),
        neighbours[:, 0] < 0,
        position,
        np.log(np.maximum(pieces.tokens, 1)),
        [len(own & asked) / total for own in words],
        [len(own & asked) / total for own in titles],
        [any(sign.isdigit() for sign in piece.text) for piece in pieces.pieces],
        pieces.communities @ pieces.question,
        (pieces.communities * pieces.vectors).sum(1),
        pieces.evidence,
        section == Section.COMMUNITY,
        section == Section.ENTITY,
    )
    return np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
