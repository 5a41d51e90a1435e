"""Communities of the graph at up to three levels that nest, and what is told of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.types.answers import Citation
from core.types.generation import Usage


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that facts and ties join. Level 1 is the finest; the top level has no parent."""

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


@dataclass(frozen=True, slots=True)
class ModelWriting:
    """What a language model said in reports, and what of it was of use."""

    statements: int = 0  # that it said
    accepted: int = field(default=0, metadata={"key": "kept"})  # of these, told
    uncarried: int = 0  # dropped: the sentences that they name do not carry them, or they name none
    titles: int = 0  # of its own that were taken
    unread: int = 0  # replies that could not be read, or prompts that did not fit: the rules wrote
    usage: Usage = field(default_factory=Usage)  # of the replies that were read


@dataclass(frozen=True, slots=True)
class Written:
    """How many reports were written, by whom, and what became of the others."""

    written: int = 0  # by rules and by the model
    by_model: int = 0
    unchanged: int = field(default=0, metadata={"key": "kept"})  # nothing of theirs changed
    stale: int = 0  # a model wrote them, and what they tell of has changed since
    removed: int = 0  # their communities are gone
    model: ModelWriting = field(
        default_factory=ModelWriting, compare=False
    )  # what it cost, not what came of it
