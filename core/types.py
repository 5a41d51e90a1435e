"""The records that cross room borders: frozen, without behaviour, named as on screen.

Offsets (`start`, `end`) are counted in characters (Python code points), half open, and always
refer to the text of the record that is named: a passage's offsets lie in its document's text, a
mention's and a triple's in its passage's text, a citation's in its document's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class State(StrEnum):
    """Where a document or a passage stands in one stage."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


# ---------------------------------------------------------------- what was read


@dataclass(frozen=True, slots=True)
class Document:
    """A file of the folder or a part of one. `id` is a hash of `path`, so a changed file keeps its id."""

    id: str
    path: str  # relative to the folder, with forward slashes; of a part: the file's path, "/", its name
    sha256: str  # of the file
    size: int  # bytes
    title: str
    media_type: str
    modified_ns: int = 0
    date: str | None = None  # ISO 8601, as the document states it
    author: str | None = None
    pages: int = 0  # 0: the format has no pages
    state: State = State.PENDING
    reason: str = ""  # why it failed, in words for people
    remedy: str = ""  # what to do about it
    file: str = ""  # path of the file that holds it; "" where it came from no file


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page lies in its document's text. `number` counts from 1."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Region:
    """A place within a document that has a name: `Payments!B12` for a cell, `Slide notes`."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Boxes:
    """Where runs of a document's text stand on its pages.

    `spans`, (n, 3) int32: start, end (document offsets, ascending), page number from 1. `corners`,
    (n, 4) float32: left, top, right, bottom in points (1/72 inch) from the page's top left corner.
    """

    spans: NDArray[np.int32]
    corners: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """What a loader makes of a file: plain text, its pages and what the file says of itself."""

    text: str
    title: str
    media_type: str
    date: str | None = None
    author: str | None = None
    pages: tuple[Page, ...] = ()
    regions: tuple[Region, ...] = ()
    boxes: Boxes | None = None
    metadata: tuple[tuple[str, str], ...] = ()  # (name, value), such as ("sender", "Ada <ada@example.org>")


@dataclass(frozen=True, slots=True)
class LoadedPart:
    """One document of a file: the file itself, a member of an archive, an attachment, a message.

    `name` is "" for the file itself, else its path within the file ("inner/a.pdf"). A part that could
    not be read has no document, but a reason and a remedy.
    """

    name: str
    document: LoadedDocument | None
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage; offsets in the passage's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of whole sentences that fits the encoder's window; offsets in the document's text."""

    id: str
    document_id: str
    ordinal: int  # 0, 1, 2... within the document
    title: str  # the document's
    text: str
    start: int
    end: int
    page: int | None = None  # page on which it starts, from 1
    sentences: tuple[Sentence, ...] = ()


# ---------------------------------------------------------------- what was extracted


@dataclass(frozen=True, slots=True)
class ExtractedMention:
    """A name in a passage, before it is resolved to an entity. Offsets in the passage's text.

    A document title that does not occur in the text is a mention with start == end == 0.
    """

    text: str
    label: str  # PERSON, ORG, GPE... as spaCy names them; WORK for titles; OTHER for noun chunks
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject, predicate, object: strings as extracted, with the evidence span they rest on."""

    subject: str
    predicate: str
    object: str
    passage_id: str
    start: int  # of the evidence (the clause or sentence) in the passage's text
    end: int
    confidence: float  # 0 to 1


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that an extractor found in one passage."""

    mentions: tuple[ExtractedMention, ...]
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A resolved thing. `id` is a hash of its normalised name."""

    id: str
    name: str
    label: str
    passages: int = 0  # how many passages mention it
    community: int = -1


@dataclass(frozen=True, slots=True)
class Mention:
    entity_id: str
    passage_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A resolved triple. `strength` is the sum of its triples' confidences."""

    id: str
    subject_id: str
    predicate: str
    object_id: str
    strength: float
    subject: str = ""  # names, for people
    object: str = ""
    triples: tuple[Triple, ...] = ()  # its provenance; empty where only the fact was asked for


@dataclass(frozen=True, slots=True)
class Community:
    id: int
    level: int
    parent_id: int | None
    entity_ids: tuple[str, ...]
    label: str = ""  # its most central entities, for people


# ---------------------------------------------------------------- what was asked


@dataclass(frozen=True, slots=True)
class Feature:
    """One named part of a complexity score: its value and the push it gave (in logits)."""

    name: str
    value: float
    contribution: float
    words: str  # "two named entities"


@dataclass(frozen=True, slots=True)
class Complexity:
    """Complexity score in 0..1 between the thresholds low < high. EA-GraphRAG 3.3."""

    score: float
    low: float
    high: float
    features: tuple[Feature, ...]
    source: str = "rules"  # which router spoke


@dataclass(frozen=True, slots=True)
class Route:
    """The way a question takes; `forced` when a person chose it."""

    name: str  # dense, fusion, graph
    complexity: Complexity
    forced: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    passage_id: str
    score: float
    rank: int  # from 1


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of an answer, with the time that it took."""

    name: str
    seconds: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Seed:
    """Where the walk over the graph starts, and why."""

    entity_id: str
    name: str
    weight: float  # share of the restart mass, 0 to 1
    reason: str  # "named in the question", "fact: A owns B"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Ranked passages; `heat` maps entity id to personalised PageRank mass (graph routes only).

    `ranks` maps passage id to its rank by each part of the route, for routes that join several.
    """

    hits: tuple[Hit, ...]
    stages: tuple[Stage, ...] = ()
    heat: dict[str, float] = field(default_factory=dict)
    seeds: tuple[Seed, ...] = ()
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PathStep:
    """One fact of a chain, as it is told: subject, predicate, object. Offsets in the passage's text."""

    subject_id: str
    subject: str
    predicate: str
    object_id: str
    object: str
    strength: float  # 0 to 1
    passage_id: str  # where the evidence stands
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Why:
    """Why a passage was found. Plain text from documents: never rendered as rich text.

    `entity_ids` run from the question's entity to the one that the passage names, `path` holds the
    facts between them in that order; a passage that names the question's entity itself needs none.
    """

    words: str  # one line for people
    path: tuple[PathStep, ...] = ()
    entity_ids: tuple[str, ...] = ()
    strength: float = 0.0  # of the path, 0 to 1; 0 without one. Triple-layer GraphRAG 4.5.2
    concepts: tuple[str, ...] = ()  # what question and best sentence share, in the question's words
    cosine: float | None = None  # of the nearest sentence to the question
    ranks: dict[str, int] = field(default_factory=dict)  # by part of the route, from 1


@dataclass(frozen=True, slots=True)
class Citation:
    """The place that carries a claim; `start` and `end` lie in the document's text."""

    passage_id: str
    document_id: str
    document: str  # path relative to the folder
    title: str
    page: int | None
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A ranked passage as shown to people, with its best sentence marked (passage offsets)."""

    hit: Hit
    passage: Passage
    document: str
    sentence: Sentence | None = None
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """All that the trace and ask panels draw."""

    question: str
    route: Route
    stages: tuple[Stage, ...]
    seeds: tuple[Seed, ...]
    heat: dict[str, float]
    hits: tuple[Hit, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is the short answer or the first sentence; one citation a sentence, in order."""

    text: str
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    trace: Trace
    abstained: bool = False
    missing: str = ""  # when abstained: what is missing and what to try
    confidence: float = 0.0


# ---------------------------------------------------------------- what is shown


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
    """One line of the search box. `kind` is entity, passage or document."""

    kind: str
    id: str
    title: str
    detail: str
