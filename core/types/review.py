"""Facts that a person decides on, and the log of what people decided."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.types.knowledge import Fact

STATES = ("open", "approved", "rejected", "disputed")
POLICIES = ("all", "sure", "approved")
ANSWER = "answer"  # proposes what the sentences behind a verified answer tell; it counts once it is approved


@dataclass(frozen=True, slots=True)
class Policy:
    """Which facts count, beside those that were approved: "all" but the rejected, "sure" ones, or none ("approved").

    `bar`: least probability of a sure one, 0 to 1.
    """

    counts: str = "all"
    bar: float = 0.7


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts to decide on; "" for any. `words` stand in subject, predicate or object."""

    state: str = "open"
    document_id: str = ""
    entity_id: str = ""
    predicate: str = ""
    proposer: str = ""
    words: str = ""
    family: str = ""  # of the predicate, see core.text.predicates


@dataclass(frozen=True, slots=True)
class CandidateFact:
    """A fact as somebody proposed it. `subject_facts` and `object_facts`: further facts of the ends that count."""

    fact: Fact  # with its triples, the surest first
    state: str
    counts: bool
    probability: float  # that it is right, 0 to 1
    priority: float  # what is to be decided first has the most
    proposers: tuple[str, ...]
    subject_facts: int
    object_facts: int
    questions: tuple[str, ...] = ()  # whose answers led to it


@dataclass(frozen=True, slots=True)
class ReviewAct:
    """What a person did at one go."""

    id: str
    created: str = field(metadata={"key": "made"})  # ISO 8601, UTC
    person: str
    verb: str  # approve, reject, reopen, same, different, undo, redo...
    why: str
    about: str  # the act that this one undoes or does again; else ""
    undone: bool
    # Of what is decided on; of an act about another one, what that decides on, and its verb.
    items: int
    subject: str  # one of the items, in words
    about_verb: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What one act made of one subject. `saw`: the acts that held on it then."""

    act_id: str
    person: str
    created: str = field(metadata={"key": "made"})
    outcome: str
    saw: frozenset[str]
    undone: bool


@dataclass(frozen=True, slots=True)
class FactWords:
    """What a person makes of a fact; "" leaves an end, the predicate or a label as it is, or to the names' own."""

    subject: str = ""
    predicate: str = ""
    object: str = ""
    subject_label: str = ""  # PERSON, ORG, ...: only asked for where the name is new
    object_label: str = ""
    date: str = ""  # ISO 8601, or in words

    @property
    def turned(self) -> FactWords:
        """In the other direction."""
        return FactWords(
            self.object, self.predicate, self.subject, self.object_label, self.subject_label, self.date
        )


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that a person stated, or an answer led to, and the quote that it rests on. Offsets in the document."""

    subject: str
    predicate: str
    object: str
    subject_label: str
    object_label: str
    quote: str
    path: str
    sha256: str
    start: int
    end: int
    date: str
    proposer: str

    @property
    def words(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"
