"""What a question needs before it can be answered, as plain values: names, relations, kind of answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing that facts must tell. `labels` are those of what it leads to, () for any."""

    word: str  # as people read it: "director"
    clues: frozenset[str]  # stems, any of which tells it
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A name of the question; `key` is normalised, without "(1945 film)"."""

    text: str
    key: str


@dataclass(frozen=True, slots=True)
class Needs:
    """`steps` lead, in order, to what is not named; `asked` must be told of their end, in any order.

    Without `each`, all `starts` must meet in one thing; with it (a comparison) the relations must be
    told of each of them.
    """

    names: tuple[Named, ...] = ()
    starts: tuple[Named, ...] = ()
    steps: tuple[Relation, ...] = ()
    asked: tuple[Relation, ...] = ()
    labels: tuple[str, ...] = ()  # that an answer may carry, () for any
    each: bool = False

    @property
    def relations(self) -> tuple[Relation, ...]:
        return (*self.steps, *self.asked)
