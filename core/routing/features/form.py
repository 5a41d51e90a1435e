"""Family: length and form of the question."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion
from core.routing.features.signal import Signal, named_tokens

_USUAL = 8.0  # words of a plain question, a name counted as one
_SPAN = 8.0


def measure(question: ParsedQuestion) -> list[Signal]:
    """Signals: length (-1 to 2: words beyond the usual), depth (levels of the parse beyond the usual)."""
    inside = named_tokens(question)
    words = sum(t.pos not in ("PUNCT", "SPACE") for i, t in enumerate(question.tokens) if i not in inside)
    words += len(question.names)
    length = min(max((words - _USUAL) / _SPAN, -1.0), 2.0)
    kind = (
        "short question"
        if words <= _USUAL
        else "long question"
        if words >= 14
        else "question of middle length"
    )
    depth = _depth(question)
    return [
        Signal("length", length, kind),
        Signal(
            "depth", min(max((depth - 4) / 4.0, -0.5), 1.5), "deep grammar" if depth > 4 else "flat grammar"
        ),
    ]


def _depth(question: ParsedQuestion) -> int:
    """Longest way from a word to the root, in arcs."""
    tokens = question.tokens
    deepest = 0
    for i in range(len(tokens)):
        steps, at = 0, i
        while tokens[at].head != at and steps <= len(tokens):
            at, steps = tokens[at].head, steps + 1
        deepest = max(deepest, steps)
    return deepest
