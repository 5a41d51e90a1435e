"""Edges that follow from others, and that no document states as such: what came before, stands above, is cited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.text.translation import mark

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Keys = NDArray[np.int64]

BEFORE, HIERARCHY, CITATION = EDGE_KINDS = ("before", "hierarchy", "citation")
EDGES_CALLED = {
    BEFORE: mark("before and after"),
    HIERARCHY: mark("organisation"),
    CITATION: mark("citations"),
}


@dataclass(frozen=True, slots=True)
class EdgeSource:
    """Where an edge follows from: words of a passage, by offsets in its text."""

    passage_id: str
    document_id: str
    document: str  # path
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class CommonPlace:
    """A passage that names two entities, by its title, and where in its text they stand next to each other."""

    passage_id: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DerivedEdge:
    """One edge in words, from `source` to `target`.

    before: what a fact of `subject` (an entity) leads to, and what a later one does; `dates` in ISO 8601 and the
    sources are those of the two facts, `predicates` what these say. hierarchy: the lower end and the upper one.
    citation: two documents, whose ids stand in the place of entities' where no entity goes by their title.
    """

    kind: str  # of EDGE_KINDS
    relation: str  # "before", "cites", or as in core.extraction.organisation
    source_id: str
    source: str
    target_id: str
    target: str
    sources: tuple[EdgeSource, ...]
    subject_id: str = field(default="", metadata={"key": "of_id"})
    subject: str = field(default="", metadata={"key": "of"})
    dates: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class DerivedEdges:
    """All of a workspace as columns of k edges, ordered by kind; keys are those of the store, -1: none."""

    kinds: NDArray[np.int8]  # (k,) rows of EDGE_KINDS
    relations: NDArray[np.int8]  # (k,) rows of `labels`
    labels: tuple[str, ...]
    ends: Keys  # (k, 2) entities, from and to
    subjects: Keys  # (k,) entities
    facts: Keys  # (k, 2) the facts that an edge follows from
    days: Keys  # (k, 2, 2) first and last day of either fact
    documents: Keys  # (k, 2) the citing and the cited
    places: Keys  # (k, 3) passage, and where in it the entry begins and ends

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def counts(self) -> dict[str, int]:
        """Edges of each kind."""
        return {kind: int((self.kinds == row).sum()) for row, kind in enumerate(EDGE_KINDS)}

    def rows(self, kind: str) -> NDArray[np.intp]:
        """Rows of one kind, ascending."""
        found: NDArray[np.intp] = (self.kinds == EDGE_KINDS.index(kind)).nonzero()[0]
        return found
