"""What a person said of answers, and how well stated probabilities hold."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class JudgedPlace:
    """A place that a judged answer cited. Offsets in the document's text as it was then.

    `state` of the document now: same, changed (other content under its path), moved (its content under another
    path), gone.
    """

    document: str  # path relative to the folder
    sha256: str
    start: int
    end: int
    quote: str  # "" where the document was taken out since
    state: str = "same"


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """An answer as it was shown, and whether a person found it right."""

    question: str
    answer: str  # "": Clew said that the documents do not tell
    right: bool
    places: tuple[JudgedPlace, ...]
    probability: float  # as it was shown
    route: str  # that was taken
    forced: bool  # by the person
    version: str  # of Clew
    created: str = field(metadata={"key": "made"})  # ISO 8601, UTC
    right_answer: str = ""  # what the person gave in place of a wrong one


@dataclass(frozen=True, slots=True)
class JudgedExplanation:
    """Why a passage was shown with an answer, and whether a person found that it supports it."""

    question: str
    answer: str  # "": Clew said that the documents do not tell
    place: JudgedPlace  # of the marked sentence
    facts: int  # of the chain that was shown; 0: the sentence alone
    supports: bool
    why: str  # a word of the person; "" for none
    route: str
    version: str  # of Clew
    created: str = field(metadata={"key": "made"})  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class ExplanationSums:
    """How many explanations were judged and support their answers, of all and of those by chains of facts.

    `low` and `high` bound the share of all that do with 95 % confidence (Wilson 1927).
    """

    count: int = 0
    supporting: int = 0
    chains: int = 0
    chains_supporting: int = 0
    low: float = 0.0
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers whose probability lies in low..high: their share of all, and the share of them that is right."""

    low: float
    high: float
    share: float
    right: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """How stated probabilities hold: of the model that ships, and of answers that were judged here. () for unknown."""

    model: tuple[Bin, ...] = ()
    judged: tuple[Bin, ...] = ()
    answers: int = 0  # judged ones
