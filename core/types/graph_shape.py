"""How a person shapes the graph: what is let through, hidden, pinned, and what colours and sizes tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]

# What colours and sizes can tell of an entity. Those of the first row are names, the others numbers.
NAMED = ("community", "label", "review")
NUMBERED = ("degree", "importance", "mentions", "documents", "date")
REVIEWED = (
    "open",
    "partly",
    "approved",
    "disputed",
)  # of an entity, by its facts; rows of `GraphColumns.review`


@dataclass(frozen=True, slots=True)
class GraphFilter:
    """What of the graph is let through; a part that names nothing lets all through.

    An entity passes by its label, its community (of any level) and its links in the whole graph; where anything is
    asked of facts, one of its facts must pass, by all of that at once. A link passes where one of its facts does.
    A fact is dated as in a `Timeline`; one without a date passes no range of dates.
    """

    labels: tuple[str, ...] = ()
    communities: tuple[int, ...] = ()
    degree: int = 0  # least links
    since: str = ""  # ISO dates, YYYY, YYYY-MM or YYYY-MM-DD, both inclusive; "" for open
    until: str = ""
    probability: float = 0.0  # least, 0 to 1
    documents: tuple[str, ...] = ()  # ids
    states: tuple[str, ...] = ()  # of review: open, approved, disputed; rejected facts are never drawn
    edges: tuple[str, ...] = ()  # of EDGE_KINDS: these are seen in place of the facts, between their ends
    facts_only: bool = False  # without ties of what only stands together

    @property
    def of_facts(self) -> bool:
        """Whether anything is asked of facts."""
        return bool(self.since or self.until or self.probability or self.documents or self.states)


@dataclass(frozen=True, slots=True)
class GraphShape:
    """What a person made of the graph; entities are named by ids, places are in the units of the layout."""

    filter: GraphFilter = GraphFilter()
    hidden: frozenset[str] = frozenset()
    pinned: tuple[tuple[str, float, float], ...] = ()  # (entity, x, y), each entity once
    colour: str = "community"  # of NAMED or NUMBERED
    size: str = "degree"  # of NUMBERED


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view of the graph that a person keeps by its name."""

    name: str
    shape: GraphShape = GraphShape()
    folds: bool | None = None  # communities as single nodes; None: by the size of the graph
    opened: tuple[int, ...] = ()  # communities, each after those that hold it
    camera: tuple[float, float, float] | None = None  # x and y of the middle, pixels a unit; None: all of it


@dataclass(frozen=True, slots=True, eq=False)
class GraphColumns:
    """What is known of the n entities and m edges of a `GraphView`, by its rows. Dates are numbers, 20210304; 0: none.

    Of the f facts behind its edges: the edge, its key, the probability, the state of review (a row of `STATES`),
    and its documents as rows of `document_ids`.
    """

    mentions: Ints  # (n,)
    documents: Ints  # (n,) that name it
    importance: NDArray[np.float32]  # (n,) PageRank, summing to 1
    first: Ints  # (n,) earliest date of its facts
    review: Ints  # (n,) rows of REVIEWED
    edge: Ints  # (f,) ascending
    keys: NDArray[np.int64]  # (f,) of the facts
    probability: NDArray[np.float32]  # (f,)
    state: Ints  # (f,)
    source_fact: Ints  # (k,) rows of facts, ascending, beside
    source: Ints  # (k,) the documents that tell them
    document_ids: tuple[str, ...]
    document_titles: tuple[str, ...]
    document_facts: Ints  # (d,) facts of the view that it tells
    derived_kinds: NDArray[np.int8]  # (g,) rows of EDGE_KINDS, of edges that follow from others
    derived_ends: Ints  # (g, 2) from and to
    derived_facts: NDArray[np.int64]  # (g, 2) keys of the facts that each follows from, -1: none
