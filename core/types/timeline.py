"""When facts, passages and documents are of. A day is its number, as `datetime.date.toordinal` gives it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class DayRows:
    """Dates of things that are rows of another table: a thing has as many as it is told with. Columns of one length.

    A year or a month is all of its days: `first` to `last`, both inclusive.
    """

    rows: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class InTime:
    """What is told between two days, both inclusive. The masks are those of a `Timeline`."""

    since: str  # as it was asked for
    until: str
    days: tuple[int, int]  # an open end lies before or behind all
    entities: NDArray[np.bool_]  # (e,) at an end of such a fact, or named in such a passage and in no fact
    facts: NDArray[np.bool_]  # (f,)
    passages: NDArray[np.bool_]  # (p,)
    timeline: Timeline

    @property
    def visible_days(self) -> tuple[int, int]:
        """The range as far as anything is dated."""
        first, last = self.timeline.span or self.days
        return max(self.days[0], first), min(self.days[1], last)

    @cached_property
    def entity_ids(self) -> frozenset[str]:
        return frozenset(compress(self.timeline.entity_ids, self.entities.tolist()))


@dataclass(frozen=True, eq=False)
class Timeline:
    """All of a workspace by its dates: e entities, f facts between them, p passages, d documents.

    `told` is what the facts' own words say, or else their sentences. A fact that was read from a passage (`loose`:
    fact, passage) in a sentence without a date is of the passage's dates: all that the passage tells, or where it tells
    none when its turns were said, or else when its document was made (`of_passages`).
    """

    entity_ids: tuple[str, ...]
    fact_keys: NDArray[np.int64]  # (f,) ascending
    ends: NDArray[np.int32]  # (f, 2) rows of entities
    fact_days: DayRows  # of facts
    loose: NDArray[np.int32]  # (n, 2) rows of facts and passages
    passage_keys: NDArray[np.int64]  # (p,) ascending
    passage_days: DayRows
    document_ids: tuple[str, ...]
    document_days: DayRows  # of documents, at most one each
    lonely: NDArray[np.int32]  # (n, 2) rows of entities that no fact tells of, and of passages that name them
    undated_facts: int  # of no date at all
    passage_documents: NDArray[np.int64]  # (p,) keys of their documents

    @cached_property
    def span(self) -> tuple[int, int] | None:
        """The first and the last day of all; None where nothing is dated."""
        found = [days for days in (self.fact_days, self.passage_days, self.document_days) if len(days)]
        if not found:
            return None
        return min(int(days.first.min()) for days in found), max(int(days.last.max()) for days in found)
