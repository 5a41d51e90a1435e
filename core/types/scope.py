"""What a question, the graph and its communities are kept to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Some of a workspace, by ids; a kind that names nothing asks for nothing.

    A passage is in scope where it is of one of the documents, or names one of the entities, or one that a community
    holds (any of the three, where any is named), and where its dates meet the range.
    """

    entities: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    communities: tuple[int, ...] = ()
    since: str = ""  # ISO dates, YYYY, YYYY-MM or YYYY-MM-DD, both inclusive; "" for open
    until: str = ""

    @property
    def all(self) -> bool:
        """Whether nothing is left out."""
        return self == Scope()

    @property
    def dated(self) -> bool:
        return bool(self.since or self.until)


EVERYTHING = Scope()
