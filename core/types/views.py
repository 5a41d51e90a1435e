"""Rows and columns that lists and pictures display, and the results of backups, checks and exports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.types.answers import FactPath
from core.types.communities import Community
from core.types.reading import Document, Notice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of a workspace; `digest` is a hash of its logical content: documents and what they say.

    `derived_digest` is one of what follows from that, `derived` one of each part of it. `pending` counts the
    passages that wait for a stage, and one more where what follows is `unfinished`.
    """

    documents: int
    passages: int
    entities: int
    facts: int
    triples: int
    communities: int
    failed: int
    pending: int
    digest: str
    derived_digest: str = ""
    derived: Mapping[str, str] = field(default_factory=dict)
    unfinished: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that could not be read, or a passage at which a stage failed; put aside until retried."""

    document_id: str
    path: str
    stage: str  # "read", "embed" or "extract"
    reason: str
    remedy: str = ""
    raw: str = ""  # what the model, the parser or the fault said, word for word
    passage_id: str = ""  # "": the whole document


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document with the numbers of its passages, and of those at which a stage `failed`."""

    document: Document
    passages: int
    failed: int
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentListing:
    """Which documents are listed, by id and in order; of `total` some `failed`, wholly (`unread`) or in part."""

    ids: tuple[str, ...] = ()
    total: int = 0
    failed: int = 0
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes when documents are removed: all that only they support."""

    documents: int
    passages: int
    mentions: int
    triples: int
    facts: int
    entities: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an entity is drawn, and its community: -1 for one that nothing joins."""

    community: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GraphView:
    """The drawable graph. Rows of all node arrays correspond; edges index into them."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    degree: NDArray[np.int32]  # (n,)
    community: NDArray[np.int32]  # (n,)
    positions: NDArray[np.float32]  # (n, 2)
    edges: NDArray[np.int32]  # (m, 2)
    weights: NDArray[np.float32]  # (m,)
    common_passages: NDArray[np.int32]  # (m,) passages that name both ends of what no fact joins; 0 for facts
    kinds: NDArray[np.int8] | None = (
        None  # (m,) rows of EDGE_KINDS of derived edges, from end to end; None: facts and ties
    )


@dataclass(frozen=True, slots=True)
class NameRow:
    """An entity in the table of names; the map may not draw it. Dates are ISO 8601, "" for none."""

    id: str
    name: str
    kind: str  # in words
    mentions: int  # places in the texts; a title that no text repeats has none
    documents: int  # that name it, or whose title it is
    facts: int  # that count
    ties: int  # names with which it stands together more often than by chance
    first: str  # the earliest date of its facts or, where it has none, of the passages that name it
    last: str
    review: str  # of REVIEWED, by its facts; "" without facts
    on_map: str  # "drawn", "alone": a node that nothing joins to another, or "none"


@dataclass(frozen=True, slots=True)
class Relation:
    """The facts of one predicate that lead from an entity (`forward`: it is their subject), or to it."""

    predicate: str
    forward: bool
    entity_ids: tuple[str, ...]  # of the other ends, the strongest first, each once
    facts: int


@dataclass(frozen=True, slots=True)
class FactPaths:
    """Paths between two entities, those that tell most first. `more`: whether there are others as short as asked."""

    paths: tuple[FactPath, ...]
    more: bool


@dataclass(frozen=True, slots=True)
class Foldable:
    """A graph view and the communities that its entities lie in, so that any of them can be one node.

    Rows of `communities` and of all arrays of shape (c, ...) correspond: parents before those in them.
    """

    view: GraphView
    communities: tuple[Community, ...]
    parent: NDArray[np.int32]  # (c,) row of the community that holds it, -1: none
    home: NDArray[np.int32]  # (n,) row of the finest community of each entity of the view, -1: none
    drawn: NDArray[np.int32]  # (c,) how many of its entities are in the view
    positions: NDArray[np.float32]  # (c, 2) in the view's units; meaningless where nothing is drawn
    radii: NDArray[np.float32]  # (c,) in the view's units; areas are in proportion to the entities
    outlines: NDArray[np.float32]  # (c, k, 2) convex polygon around all that is drawn of it


@dataclass(frozen=True, slots=True)
class FoldedView:
    """What is seen of a `Foldable` while some communities are open: n nodes and m gathered edges.

    Each entity of the view stands in exactly one node: itself, or the closed community that holds it.
    """

    community: NDArray[np.int32]  # (n,) row in Foldable.communities, -1: the node is an entity
    entity: NDArray[np.int32]  # (n,) row in the view, -1: the node is a community
    node_of: NDArray[np.int32]  # (entities of the view,) the node in which each stands
    positions: NDArray[np.float32]  # (n, 2)
    edges: NDArray[np.int32]  # (m, 2) pairs of different nodes, the smaller row first, each once
    facts: NDArray[np.int32]  # (m,) how many edges of the view each stands for
    inside: NDArray[np.int32]  # (n,) edges of the view with both ends in the node
    opened: NDArray[np.int32]  # (o,) rows of the communities that are open and seen, parents first
    is_tie: NDArray[np.bool_]  # (m,) whether no fact joins the nodes: entities in them only stand together


@dataclass(frozen=True, slots=True)
class Growth:
    """What one batch of indexing added: new nodes (id, name, label), new edges by entity id."""

    nodes: tuple[tuple[str, str, str], ...]
    edges: tuple[tuple[str, str], ...]
    documents: int  # totals so far
    passages: int
    entities: int
    facts: int
    reading: str = ""  # the passage being read: title and its first words
    communities: dict[str, int] = field(default_factory=dict)  # entity id -> community, when recomputed


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One line of the search box. `kind` is entity, document, community, fact or passage; `id` is text."""

    kind: str
    id: str
    title: str
    detail: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a workspace as it stood at one moment."""

    path: str
    size: int  # bytes
    seconds: float
    documents: int
    passages: int
    pending: int  # passages that indexing had not reached yet; indexing the copy goes on from there
    digest: str  # of the copy; "" for a workspace of an older Clew


@dataclass(frozen=True, slots=True)
class Check:
    """One invariant. `count` is how many things break it, `detail` says in words what was found."""

    name: str
    ok: bool
    count: int
    detail: str
    remedy: str = ""
    repaired: bool = False  # it was broken, and was mended now


@dataclass(frozen=True, slots=True)
class Exported:
    """A graph written for other programs: where, and how much of what."""

    path: str
    documents: int
    entities: int
    facts: int
    edges: int  # that follow from others
