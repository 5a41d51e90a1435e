"""How a workspace came to be: the order of its passages, names, facts and merges, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from core.types.review import ReviewAct

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Event(IntEnum):
    """What came: a passage was read, it brought a name or a fact, two names became one entity, two entities were
    joined as near in meaning, a person decided."""

    PASSAGE = 0
    NAME = 1
    FACT = 2
    MERGE = 3
    SYNONYM = 4
    ACT = 5


@dataclass(frozen=True, slots=True)
class Built:
    """What there was at one moment. `entities` are names less merges."""

    passages: int
    names: int
    facts: int
    merges: int
    synonyms: int
    acts: int

    @property
    def entities(self) -> int:
        return self.names - self.merges


@dataclass(frozen=True, slots=True, eq=False)
class Construction:
    """n events in order; event i is row `rows[i]` of the columns of its kind, whose rows stand in that order, too.

    Known: the order of passages (the one in which they were first read), of what each brought first among what is
    there now, and of people's acts with their times. Not kept, and so put behind the passages: when names were merged
    (by the later of the two) and when synonyms were found (the nearest first).
    """

    kinds: NDArray[np.uint8]  # (n,) an Event
    rows: NDArray[np.int32]  # (n,)
    places: tuple[NDArray[np.int32], ...]  # for each Event its places among the n, ascending
    passage_ids: tuple[str, ...]  # (p,)
    passage_titles: tuple[str, ...]  # (p,)
    name_ids: tuple[str, ...]  # (e,) of each name; of an entity of several names one is the entity's
    names: tuple[str, ...]  # (e,)
    heads: NDArray[np.int32]  # (e,) row of the name that it is told as now; its own where it was not merged
    name_passages: NDArray[np.int32]  # (e,) row of the passage that brought it, -1: a person did
    fact_ids: tuple[str, ...]  # (f,)
    predicates: tuple[str, ...]  # (f,)
    ends: NDArray[np.int32]  # (f, 2) rows of names: subject and object
    fact_passages: NDArray[np.int32]  # (f,) as name_passages
    merges: NDArray[np.int32]  # (m, 2) rows of names: the one that was merged, and into which
    merge_reasons: tuple[str, ...]  # (m,) in words
    synonyms: NDArray[np.int32]  # (s, 2) rows of names
    cosines: NDArray[np.float32]  # (s,)
    acts: tuple[ReviewAct, ...]
    # Passages that were extracted again after later ones: they stand where they were first read.
    extracted_again: int = 0
    rows_of: Mapping[str, int] = field(default_factory=dict)  # passage id -> row

    def __len__(self) -> int:
        return len(self.kinds)

    def built(self, upto: int) -> Built:
        """What there is once the first `upto` events have come."""
        return Built(*(int(places.searchsorted(upto)) for places in self.places))

    def passage_of(self, event: int) -> int:
        """Row of the passage that brought what came then, -1 for what none did."""
        kind, row = Event(int(self.kinds[event])), int(self.rows[event])
        if kind is Event.PASSAGE:
            return row
        if kind is Event.NAME:
            return int(self.name_passages[row])
        if kind is Event.FACT:
            return int(self.fact_passages[row])
        return -1

    def before(self, event: int) -> int:
        """Place of the last passage or act at or before an event, where its moment begins; 0 for none."""
        starts = (int(self.places[kind].searchsorted(event, "right")) for kind in (Event.PASSAGE, Event.ACT))
        found = [
            int(self.places[kind][at - 1])
            for kind, at in zip((Event.PASSAGE, Event.ACT), starts, strict=True)
            if at
        ]
        return max(found, default=0)
