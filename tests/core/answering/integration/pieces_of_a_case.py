"""A question with pieces whose vectors say which are near."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.answering.integration.model import DIMENSION
from core.answering.integration.pieces import Piece, Pieces, Section

QUESTION = "Where was the commander of the Northern Star born?"
TEXTS = (
    ("Northern Star", "Otto Kask commands the Northern Star."),
    ("Northern Star", "She was painted red in 1998."),
    ("Otto Kask", "Otto Kask was born in Parnu."),
    ("Otto Kask", "He likes plum cake."),
    ("Grain", "Grain prices rose in Odessa."),
    ("Grain", "Nobody knows why they rose."),
)
NEAR = (0.8, 0.1, 0.7, 0.0, 0.1, 0.0)  # cosine of each to the question


def pieces(near: Sequence[float] = NEAR, seed: int = 0) -> Pieces:
    """Three passages of two sentences each; the places are those in the passage."""
    random = np.random.default_rng(seed)
    question = np.zeros(DIMENSION, dtype=np.float32)
    question[0] = 1
    vectors = random.normal(size=(len(TEXTS), DIMENSION)).astype(np.float32)
    vectors[:, 0] = 0
    cosines = np.array(near, dtype=np.float32)
    vectors *= (np.sqrt(1 - cosines**2) / np.linalg.norm(vectors, axis=1))[:, None]
    vectors[:, 0] = cosines
    every = tuple(
        Piece(
            f"p{at // 2}",
            title,
            start := (0 if at % 2 == 0 else len(TEXTS[at - 1][1]) + 1),
            start + len(text),
            text,
            Section.PASSAGE,
            len(text.split()),
        )
        for at, (title, text) in enumerate(TEXTS)
    )
    return Pieces(
        every,
        question,
        vectors,
        np.zeros_like(vectors),
        np.array([True, False] * 3),
        np.array([1, 1, 2, 2, 3, 3]),
        np.array([1.0, 1.0, 0.8, 0.8, 0.5, 0.5]),
    )
