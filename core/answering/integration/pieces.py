"""What was retrieved as pieces with their places, and what an integrator makes of them. Deep GraphRAG, algorithm 1,
phase 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Section(IntEnum):
    """In the order in which the text has them: facts, then what is distilled (2.1.2: summaries of communities, then
    details of entities)."""

    FACT = 0
    COMMUNITY = 1
    ENTITY = 2
    PASSAGE = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence with its place: offsets in the text of its passage. `tokens` as the encoder counts them."""

    passage_id: str
    title: str
    start: int
    end: int
    text: str
    section: Section
    tokens: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """All there is to distil for one question. Rows of the arrays are the pieces.

    Vectors are unit vectors of d dimensions; a piece of no community has zeros there. `rank` is that of the piece's
    passage, from 1, 0 where it was not retrieved; `score` the passage's, 1 for the best.
    """

    pieces: tuple[Piece, ...]
    question: Vectors  # (d,)
    vectors: Vectors  # (n, d)
    communities: Vectors  # (n, d) of the community that the piece's entities lie in
    evidence: NDArray[np.bool_]  # (n,) whether a fact of an entity was read from it
    rank: NDArray[np.int64]  # (n,)
    score: NDArray[np.float64]  # (n,)

    def __len__(self) -> int:
        return len(self.pieces)

    @property
    def tokens(self) -> NDArray[np.int64]:
        return np.array([piece.tokens for piece in self.pieces], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of a distilled text, and the piece that it stands on."""

    text: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Distilled:
    """A distilled text: its sentences in the order in which they are read."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        return " ".join(part.text for part in self.parts)

    def by_passage(self) -> tuple[tuple[str, str, str], ...]:
        """(passage id, title, text) of what is told of each passage, in the order of the parts."""
        order = {part.piece.passage_id: number for number, part in reversed(list(enumerate(self.parts)))}
        parts = sorted(self.parts, key=lambda part: (order[part.piece.passage_id], part.piece.start))
        return tuple(
            (passage, own[0].piece.title, " ".join(part.text for part in own))
            for passage, group in groupby(parts, key=lambda part: part.piece.passage_id)
            if (own := list(group))
        )


class Integrator(Protocol):
    """Distils what was retrieved."""

    def integrate(self, question: str, pieces: Pieces, budget: int) -> Distilled:
        """A text of `budget` tokens at most, of sentences with their places; empty where nothing fits."""
        ...


def chosen(pieces: Pieces, rows: Sequence[int]) -> Distilled:
    """These pieces as they stand: by section, those of a passage in its order, passages as they were ranked."""
    last = int(pieces.rank.max(initial=0)) + 1  # what was not retrieved itself comes after what was

    def place(row: int) -> tuple[int, int, str, int]:
        piece = pieces.pieces[row]
        return int(piece.section), int(pieces.rank[row]) or last, piece.passage_id, piece.start

    return Distilled(
        tuple(Part(pieces.pieces[row].text, pieces.pieces[row]) for row in sorted(rows, key=place))
    )
