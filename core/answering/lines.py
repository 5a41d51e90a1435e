"""A sentence as it is asked, and the things in it that could answer."""

from __future__ import annotations

from dataclasses import dataclass

from core.answering.words import Word
from core.types import Sentence


@dataclass(frozen=True, slots=True)
class Span:
    """Something in a sentence that could be an answer; offsets in the passage's text."""

    text: str
    key: str
    label: str
    start: int
    end: int
    role: str = ""  # birth or death: its place inside "(1901 - 1980)"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a candidate, ready to be asked."""

    candidate: int
    sentence: Sentence
    text: str
    words: tuple[Word, ...]
    spans: tuple[Span, ...]
    stems: frozenset[str]
    cosine: float
