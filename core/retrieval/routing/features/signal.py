"""One measured property of a question, before it is weighed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.extraction.question import ParsedQuestion, Token
from core.text.translation import mark, tr, trn

_NUMBERS = (mark("no"), mark("one"), mark("two"), mark("three"), mark("four"), mark("five"), mark("six"))


@dataclass(frozen=True, slots=True)
class Signal:
    """`value` is 0 when the property is absent.

    `description` is for people, or a function that makes it: of many signals few are displayed.
    """

    name: str
    value: float
    description: str | Callable[[], str]

    @property
    def words(self) -> str:
        return self.description if isinstance(self.description, str) else self.description()


def counted(count: int, one: str, many: str) -> str:
    """'two names' for "{number} name", "{number} names"; numbers past six in digits."""
    return trn(one, many, count, number=tr(_NUMBERS[count]) if count < len(_NUMBERS) else str(count))


def tally(name: str, count: int, one: str, many: str) -> Signal:
    """A count as a signal, in words as `counted` has them."""
    return Signal(name, float(count), partial(counted, count, one, many))


def share(name: str, value: float, words: str) -> Signal:
    """A part of a whole, said in percent: "{share} of the words nouns"."""
    return Signal(name, value, lambda: tr(words, share=f"{value:.0%}"))


def flag(name: str, value: bool, yes: str, no: str, **values: object) -> Signal:
    """A property that is there or not; `values` stand in the words of both."""
    return Signal(name, float(value), partial(tr, yes if value else no, **values))


def plain(value: float) -> str:
    """A number as people write it: at most one decimal, none where it is 0."""
    return f"{value:.1f}".removesuffix(".0")


def named_tokens(question: ParsedQuestion) -> frozenset[int]:
    """Indices of the tokens inside names."""
    return frozenset(i for name in question.names for i in range(name.first, name.last))


def word_indices(tokens: tuple[Token, ...]) -> list[int]:
    """Indices of tokens that are words: no punctuation, no blanks."""
    return [i for i, t in enumerate(tokens) if t.pos not in ("PUNCT", "SPACE")]


def children_of(tokens: tuple[Token, ...]) -> list[list[int]]:
    """Indices of every token's dependents, in reading order."""
    children: list[list[int]] = [[] for _ in tokens]
    for i, t in enumerate(tokens):
        if t.head != i:
            children[t.head].append(i)
    return children
