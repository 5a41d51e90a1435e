"""A fact in one sentence: a language model's, or of those that it was read from the best. Deep GraphRAG 2.1.1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.text.statements import is_statement

_LONGEST = 400  # characters


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words that a fact was read from, and what a language model made of them; "" for none."""

    words: str
    confidence: float  # 0 to 1
    said: str = ""


def description(found: Iterable[Evidence]) -> str:
    """In this order: what a model said, whole sentences, the surest, the shortest; "" where there is no evidence.

    It does not depend on the order in which they come.
    """
    best = min(((_rank(one), _text(one)) for one in found), default=((), ""))
    return best[1]


def _rank(one: Evidence) -> tuple[bool, bool, float, int]:
    text = _text(one)
    return not one.said, not (one.said or is_statement(text)), -one.confidence, len(text)


def _text(one: Evidence) -> str:
    text = " ".join((one.said or one.words).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
