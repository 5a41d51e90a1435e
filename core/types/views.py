"""What is shown of a workspace: counts, the graph, its growth, what a search found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of a workspace; `digest` is a hash of its logical content."""

    documents: int
    passages: int
    entities: int
    facts: int
    triples: int
    communities: int
    failed: int
    pending: int
    digest: str


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
    """Where an entity is drawn, and its community: -1 for one without facts."""

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
