"""Communities of the graph at up to three levels that nest, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass

from core.types.answers import Citation


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that facts tie together. Level 1 is the finest; the top level has no parent."""

    id: int
    level: int
    parent_id: int | None
    entity_ids: tuple[str, ...]  # the most central first
    label: str = ""  # its most central entities, or the title of its report
    colour: int = -1  # number of the top community that holds it; it keeps it as long as it lives


@dataclass(frozen=True, slots=True)
class CommunityQuality:
    """How good the partition of a level is."""

    level: int
    communities: int
    smallest: int  # entities
    median: int
    largest: int
    modularity: float  # resolution 1
    coverage: float  # share of the facts' strength inside communities


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a report, and the places that carry it: at least one."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class KeyEntity:
    entity_id: str
    name: str
    label: str
    share: float  # of the community's centrality, 0 to 1


@dataclass(frozen=True, slots=True)
class KeyFact:
    fact_id: str
    words: str  # "Otto Kask commands the Northern Star"
    strength: float
    citation: Citation


@dataclass(frozen=True, slots=True)
class DatedFact:
    """A fact with its date: "1930", "1930-05" or "1930-05-04"."""

    date: str
    words: str
    citation: Citation


@dataclass(frozen=True, slots=True)
class DocumentShare:
    """How many passages of a document the community's facts stand in."""

    document_id: str
    title: str
    passages: int


@dataclass(frozen=True, slots=True)
class CommunityReport:
    """What a community is about. `written_by` is "rules", or the language model that wrote the statements.

    `stale`: the community's content changed since it was written.
    """

    community_id: int
    level: int
    title: str
    statements: tuple[Statement, ...]
    entities: tuple[KeyEntity, ...]
    facts: tuple[KeyFact, ...]
    timeline: tuple[DatedFact, ...]
    documents: tuple[DocumentShare, ...]
    written_by: str = "rules"
    stale: bool = False
