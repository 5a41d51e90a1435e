"""All that a report of one community is written from, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.types import Citation, DocumentShare
from core.types.kinds import stable_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = "3"  # of what is gathered and how reports are written by rules: another one, and all are stale


@dataclass(frozen=True, slots=True)
class Member:
    """An entity of the community. `centrality` is its share of the community's, 0 to 1; all sum to 1.

    Centrality is the degree weighted by the strength of the facts inside the community; where no fact
    is inside, the number of sentences that mention the entity. `cited`: only lists of references name it.
    """

    entity_id: str
    name: str
    label: str
    centrality: float
    cited: bool = False


@dataclass(frozen=True, slots=True)
class InnerFact:
    """A fact between two entities of the community, or of one of them with a date.

    `weight` is the strength times the centrality of both ends; `sentence` the number of its surest evidence
    in the material's sentences; `date` when the fact is dated: "1930", "1930-05" or "1930-05-04".
    """

    fact_id: str
    words: str
    strength: float
    weight: float
    sentence: int
    date: str = ""
    inside: bool = True  # both ends are entities of the community


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence of a document. `centrality` is the sum of the centrality of the entities it tells of, 0 to 1.

    `passage_key` and `ordinal` lead to its vector; they are the store's own and tell nothing of its content.
    """

    citation: Citation
    text: str  # in one line
    centrality: float
    passage_key: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Material:
    """What one community's report is written from; the most central first everywhere.

    The first `candidates` of the sentences may become statements; `tokens` (as the encoder counts) and
    `vectors` are theirs, unit vectors, float32, shape (candidates, dimension); () and (0, 0) while they are
    not read. The other sentences are evidence of facts. `cited_only`: lists of references name its members, and
    nothing else does; its sentences are entries of them, and nothing is told.
    """

    community_id: int
    level: int
    members: tuple[Member, ...]
    facts: tuple[InnerFact, ...]
    sentences: tuple[Spoken, ...]
    candidates: int
    documents: tuple[DocumentShare, ...]
    source: str
    tokens: tuple[int, ...]
    vectors: NDArray[np.float32]
    cited_only: bool = False


def source_of(
    level: int,
    members: tuple[Member, ...],
    facts: tuple[InnerFact, ...],
    sentences: tuple[Spoken, ...],
    documents: tuple[DocumentShare, ...],
) -> str:
    """Hash of the content by stable ids, the same in every run over the same documents.

    A passage's id is a hash of its place and text, so that offsets stand for the words there.
    """
    parts = [VERSION, str(level)]
    parts += [f"{m.entity_id} {m.name} {m.label} {m.centrality:.6f} {m.cited}" for m in members]
    parts += [f"{f.fact_id} {f.words} {f.strength:.6f} {f.sentence} {f.date} {f.inside}" for f in facts]
    parts += [
        f"{s.citation.passage_id} {s.citation.start} {s.citation.end} {s.citation.document}"
        for s in sentences
    ]
    parts += [f"{d.document_id} {d.title} {d.passages}" for d in documents]
    return stable_id("report", *parts)
