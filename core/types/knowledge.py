"""What extraction finds, what the graph holds, and what a person changes in its names."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from core.types.generation import Usage
from core.types.kinds import assertion_words


@dataclass(frozen=True, slots=True)
class ExtractedMention:
    """A name in a passage, before it is resolved to an entity. Offsets in the passage's text.

    A document title that does not occur in the text is a mention with start == end == 0.
    """

    text: str
    label: str  # PERSON, ORG, GPE... as spaCy names them; WORK for titles; OTHER for noun chunks
    start: int
    end: int


class Modality(StrEnum):
    """Whether a statement is put as so, or as what may be, is to be, or would be."""

    ACTUAL = "actual"
    POSSIBLE = "possible"
    PLANNED = "planned"
    CONDITIONAL = "conditional"


@dataclass(frozen=True, slots=True)
class Assertion:
    """How a text puts a statement; the default is that it is so, by the text itself."""

    denied: bool = False
    modality: Modality = Modality.ACTUAL
    reported: bool = False
    source: str = (
        ""  # who says, denies or doubts it, in the text's words; "" for the text itself or nobody named
    )

    @property
    def plain(self) -> bool:
        """Whether the text says that it is so, by itself."""
        return not self.denied and not self.reported and self.modality is Modality.ACTUAL

    @property
    def mark(self) -> str:
        """In a word: one of MARKS, "" for a plain statement."""
        if self.denied:
            return DENIED if self.modality is Modality.ACTUAL else DOUBTED
        if self.modality is not Modality.ACTUAL:
            return str(self.modality)
        return REPORTED if self.reported else ""


DENIED, DOUBTED, REPORTED = "denied", "doubted", "reported"
MARKS = (DENIED, DOUBTED, REPORTED, *(str(each) for each in Modality if each is not Modality.ACTUAL))


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
    description: str = ""  # in a sentence, by a language model that the passage bears out
    assertion: str = ""  # one of MARKS where the text does not say that it is so
    source: str = ""  # who says, denies or doubts it, in the text's words

    @property
    def put_predicate(self) -> str:
        """The predicate with how the text puts it, for people: "bought (denied)"."""
        return _put_predicate(self)


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that an extractor found in one passage; with a `failure` (in words), that it found nothing."""

    mentions: tuple[ExtractedMention, ...]
    triples: tuple[Triple, ...]
    failure: str = ""
    raw: str = ""  # what the extractor, or the fault, said
    phrases: tuple[ExtractedMention, ...] = ()  # noun phrases that may be terms


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
    description: str = ""  # in a sentence, see core.store.facts
    assertion: str = ""  # one of MARKS: the documents do not put it as so, and it does not count
    source: str = ""  # who says, denies or doubts it

    @property
    def put_predicate(self) -> str:
        """The predicate with how the documents put it, for people: "bought (denied)"."""
        return _put_predicate(self)


def _put_predicate(statement: Triple | Fact) -> str:
    how = assertion_words(statement.assertion, statement.source)
    return f"{statement.predicate} ({how})" if how else statement.predicate


@dataclass(frozen=True, slots=True)
class NameMerge:
    """Two names that are one entity, and why."""

    one_id: str
    one: str
    other_id: str
    other: str
    rule: (
        str  # "letters", "form", "acronym", "initials", "spelling", "meaning"; "person" when somebody said so
    )
    reason: str  # in words
    score: float  # 0 to 1


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a language model said of pairs of names that may be one entity: each of `asked` is one of the four."""

    asked: int = 0
    merged: int = 0
    separate: int = field(default=0, metadata={"key": "kept_apart"})
    unsure: int = 0  # left to people
    failed: int = 0  # no reply of use
    usage: Usage = field(default_factory=Usage)  # of the replies that were of use
    run: str = ""  # by which `workspace.review.undo` takes all of it back


NAME_CHANGES = ("rename", "retype", "alias", "merge", "part", "split")


@dataclass(frozen=True, slots=True)
class NameChange:
    """One of NAME_CHANGES. `merge` and `part` take two or more entities, the others one.

    `value`: the new name, the new label, the further name, or in words who is meant by mentions that are split off.
    `passage_ids`: where these stand.
    """

    kind: str
    entity_ids: tuple[str, ...]
    value: str = ""
    passage_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactSummary:
    """A fact between entities as it is told."""

    id: str
    subject_id: str
    subject: str
    predicate: str
    object_id: str
    object: str


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact before and after; None where it is not told. `joins`: it then says the same as another one."""

    before: FactSummary | None
    after: FactSummary | None
    joins: bool = False


@dataclass(frozen=True, slots=True)
class NamePreview:
    """What a change of names would change. `entities_before` and `entities_after`: those that differ."""

    entities_before: tuple[Entity, ...]
    entities_after: tuple[Entity, ...]
    facts: tuple[FactChange, ...]
    communities: tuple[int, ...]  # keys of those in which the entities stand
    document_ids: tuple[str, ...]  # in which the names stand
