"""One step of an answer, and what went into it and came out: a record a kind of step.

Each record has its `kind`, by which it is known again in JSON. Lists hold at most MOST rows; `count` is how many were
looked at in all, `taken` how many of these went on to the next step. `rejected` says why one did not, "" for what did.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.text.translation import tr, trn
from core.types.generation import Claim, LeftOut, Validation

MOST = 200  # rows of a list that are kept
_NAMED = 5  # parts of a scope that are told one by one


@dataclass(frozen=True, slots=True)
class Feature:
    """One named part of a complexity score: its value and the push it gave (in logits)."""

    name: str
    value: float
    contribution: float
    words: str  # "two named entities"


@dataclass(frozen=True, slots=True)
class Hit:
    passage_id: str
    score: float
    rank: int  # from 1


@dataclass(frozen=True, slots=True)
class Word:
    """A token of the question; `pos` is its universal part of speech, such as "NOUN"."""

    text: str
    lemma: str
    pos: str
    named: bool = False  # part of a name


@dataclass(frozen=True, slots=True)
class QuestionRead:
    """What was read of the question: `form` by its question word, `focus` the noun that is asked for, "" for none."""

    words: tuple[Word, ...]
    names: tuple[str, ...]
    form: str
    focus: str
    features: tuple[Feature, ...]
    kind: Literal["question"] = "question"


@dataclass(frozen=True, slots=True)
class Gated:
    """The nearest document and its similarity to the question, of which `needed` opens the gate. A2RAG eq. 1.

    Below that one of three may open it, each asked where those before do not: `named` by the question, the cosine of
    the `nearest` sentence, or another `reason` in words.
    """

    document: str
    similarity: float
    needed: float
    shut: bool
    named: str = ""
    nearest: float | None = None
    reason: str = ""
    kind: Literal["gate"] = "gate"


@dataclass(frozen=True, slots=True)
class ScopePart:
    """One thing that a question was kept to: `part` is entity, document, community or dates.

    `passages` are of it alone; `rejected` says why it adds none.
    """

    part: str
    id: str
    name: str
    passages: int
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class ScopeCoverage:
    """What was looked in: `taken` of `count` passages."""

    parts: tuple[ScopePart, ...]
    taken: int
    count: int
    kind: Literal["scope"] = "scope"

    @property
    def words(self) -> str:
        """One line: "12 of 133 passages: Calder Reach Trading"."""
        return trn(
            "{count} of {all} passages: {parts}",
            "{count} of {all} passages: {parts}",
            self.taken,
            all=f"{self.count:,}",
            parts=self.names,
        )

    @property
    def names(self) -> str:
        """The names of the parts, and of each that is gone that it is."""
        names = [
            tr("{name} ({why})", name=part.name, why=part.rejected) if part.rejected else part.name
            for part in self.parts[:_NAMED]
        ]
        if len(self.parts) > _NAMED:
            names.append(trn("{count} more", "{count} more", len(self.parts) - _NAMED))
        return tr(", ").join(names)


@dataclass(frozen=True, slots=True)
class NearFact:
    """A fact near the question, by the sentence that tells it; `rank` as chosen, None where it was not."""

    words: str
    clause: str
    cosine: float
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class NearFacts:
    facts: tuple[NearFact, ...]  # the nearest first
    taken: int
    count: int
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True, slots=True)
class NearSentence:
    """A sentence near the question: its number in its passage, from 0, and the entities that it names."""

    passage_id: str
    number: int
    cosine: float
    names: tuple[str, ...]
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class SeedCandidate:
    """An entity at which the walk might start; `entity_id` "" where no entity bears the name.

    `words` are those of the question that name it, "" where a sentence or fact brought it. `weight` is its share of
    the restart mass, 0 to 1.
    """

    entity_id: str
    name: str
    words: str
    weight: float
    reason: str
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class SeedCandidates:
    candidates: tuple[SeedCandidate, ...]  # the heaviest first, those rejected last
    sentences: tuple[NearSentence, ...]  # the nearest first; () where facts were chosen instead
    taken: int
    count: int
    kind: Literal["seeds"] = "seeds"


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranked list before it is joined with others; `words` are those that were searched for, if any."""

    name: str  # lexical, dense, graph, ...
    hits: tuple[Hit, ...]
    taken: int
    count: int
    words: tuple[str, ...] = ()
    kind: Literal["ranked"] = "ranked"


@dataclass(frozen=True, slots=True)
class JoinedPassage:
    passage_id: str
    ranks: dict[str, int]  # by list, from 1; without those that do not hold it
    score: float
    rank: int
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """Several lists as one; `weights` by list."""

    weights: dict[str, float]
    passages: tuple[JoinedPassage, ...]
    taken: int
    count: int
    kind: Literal["joined"] = "joined"


@dataclass(frozen=True, slots=True)
class Reordered:
    """A candidate of the second stage: rank and score before and after, `values` in the order of the signals."""

    passage_id: str
    before: int
    after: int
    score_before: float
    score_after: float
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class SecondStageOrder:
    signals: tuple[str, ...]  # names; () where the model tells none
    passages: tuple[Reordered, ...]  # as they stand afterwards
    taken: int  # how many changed their place
    count: int
    kind: Literal["reordered"] = "reordered"


@dataclass(frozen=True, slots=True)
class Gathered:
    """A passage that a stage of the graph route found first, with the facts and names that led to it."""

    passage_id: str
    facts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GatheredPassages:
    passages: tuple[Gathered, ...]
    taken: int
    count: int
    kind: Literal["gathered"] = "gathered"


@dataclass(frozen=True, slots=True)
class Packed:
    """A passage as it was handed on. `size` in characters."""

    passage_id: str
    rank: int
    size: int
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Packing:
    """What went to the reader or to a language model, `to`; tokens as its server counts, 0 for the reader."""

    to: str
    passages: tuple[Packed, ...]
    taken: int
    count: int
    tokens_in: int = 0
    tokens_out: int = 0
    left_out: tuple[LeftOut, ...] = ()
    kind: Literal["packing"] = "packing"


@dataclass(frozen=True, slots=True)
class DistilledPiece:
    """A sentence that might be read: `start` and `end` in the text of its passage. `number` by which it is cited, from
    1, 0 where it is not read. `section` is fact, community, entity or passage."""

    passage_id: str
    start: int
    end: int
    words: str
    section: str
    tokens: int
    number: int = 0
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class Integration:
    """What was distilled of the passages for whoever writes, in the order in which it is read, then what was left out.
    `before` tokens of all that was gathered, `after` of what is read, as the encoder counts."""

    pieces: tuple[DistilledPiece, ...]
    before: int
    after: int
    taken: int
    count: int
    kind: Literal["integration"] = "integration"


@dataclass(frozen=True, slots=True)
class PassageReading:
    """What the reader saw in a passage: its best span, "" for none.

    `margin`: logits by which that is likelier than that the passage does not tell; `probability` among its spans;
    `answer_kind` the likeliest, with `kind_probability`; `relevance`: that it is about what is asked.
    """

    passage_id: str
    span: str
    margin: float
    probability: float
    answer_kind: str
    kind_probability: float
    relevance: float
    rejected: str = ""


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """An answer that the passages might give, and the probability that it is right."""

    text: str
    answer_kind: str
    probability: float
    passage_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    passages: tuple[PassageReading, ...]  # as ranked
    answers: tuple[AnswerCandidate, ...]  # the likeliest first
    taken: int  # passages in which the answer stands
    count: int
    kind: Literal["reading"] = "reading"


@dataclass(frozen=True, slots=True)
class ChosenStatement:
    """A sentence that an answer about all documents rests on; `weight` 0 to 1."""

    passage_id: str
    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class ChosenStatements:
    statements: tuple[ChosenStatement, ...]
    taken: int
    count: int
    kind: Literal["statements"] = "statements"


@dataclass(frozen=True, slots=True)
class Explained:
    passage_id: str
    words: str
    strength: float  # of the chain of facts, 0 to 1; 0 without one


@dataclass(frozen=True, slots=True)
class Explanations:
    passages: tuple[Explained, ...]
    taken: int  # by a chain of facts
    count: int
    kind: Literal["explained"] = "explained"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks said to an answer, `answer` "" for none."""

    answer: str
    validations: tuple[Validation, ...]
    claims: tuple[Claim, ...]
    taken: int  # that hold
    count: int
    kind: Literal["checks"] = "checks"


StageData = (
    QuestionRead
    | Gated
    | ScopeCoverage
    | NearFacts
    | SeedCandidates
    | Ranked
    | Joined
    | SecondStageOrder
    | GatheredPassages
    | Packing
    | Integration
    | Reading
    | ChosenStatements
    | Explanations
    | Checked
)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of an answer, with the time that it took and, where it is recorded, what went in and came out.

    `detail` is for people alone: nothing reads it back.
    """

    name: str
    seconds: float
    detail: str = ""
    data: StageData | None = None
    shared: bool = False  # found for another composition before, and taken from there


@dataclass(frozen=True, slots=True)
class PassageLabel:
    """A passage as people know it; `sentences` those that a trace speaks of, by number."""

    title: str
    document: str  # path relative to the folder
    page: int | None = None
    number: int = 0  # of the passage in its document, from 1; 0 where nobody knows
    sentences: dict[int, str] = field(default_factory=dict)
