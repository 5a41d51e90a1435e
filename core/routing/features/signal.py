"""One measured property of a question, before it is weighed."""

from __future__ import annotations

from dataclasses import dataclass

from core.extraction.question import ParsedQuestion

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True)
class Signal:
    """`value` is 0 when the property is absent; `words` say it as people read it."""

    name: str
    value: float
    words: str


def counted(count: int, one: str, many: str) -> str:
    """'two names'; numbers past six in digits."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {one if count == 1 else many}"


def named_tokens(question: ParsedQuestion) -> frozenset[int]:
    """Indices of the tokens inside names."""
    return frozenset(i for name in question.names for i in range(name.first, name.last))
