"""Questions that a person pinned, and what became of their answers from run to run."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.types.judged import JudgedPlace

RECALL_AT = 5  # passages


@dataclass(frozen=True, slots=True)
class Pin:
    """A question with the places that are expected among its passages, and its right answer.

    `right_answer` "" is one that is not known; without places it means that the documents do not tell.
    """

    id: str
    question: str
    right_answer: str
    places: tuple[JudgedPlace, ...]
    route: str  # "auto", or the one that the person chose
    created: str = field(metadata={"key": "made"})  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class PinPassage:
    """A place that is expected of an answer, or a passage that its last answer rests on."""

    place: JudgedPlace  # as it is in the documents of now
    passage_id: str  # that holds it; "" where none does
    title: str
    page: int | None
    expected: bool
    found: bool | None  # cited by the last answer, or in a passage of its first five; None: not known


@dataclass(frozen=True, slots=True)
class SinceRun:
    """What changed since pinned questions were run last; false where nothing did."""

    number: int  # of the run
    content: bool  # documents, or decisions on facts and names
    settings: tuple[tuple[str, str, str], ...]  # as of PinComparison
    unasked: int  # questions that were pinned since

    def __bool__(self) -> bool:
        return self.content or bool(self.settings) or self.unasked > 0


@dataclass(frozen=True, slots=True)
class PinResult:
    """What one run gave for a pinned question."""

    pin_id: str
    question: str
    route: str  # that was taken
    score: float  # how much of the search was left to the graph, 0 to 1
    ranks: tuple[int | None, ...]  # of each expected place, from 1; None: not among the first ten passages
    answer: str
    kind: str  # answer, guess, refusal
    confidence: float  # probability that it is right, 0 to 1
    correct: float | None  # 1, .5 for a guess that is right, 0; None: the right answer is not known
    rests_on: str  # "approved", "unreviewed", "both", or "" for no fact

    @property
    def best_rank(self) -> int | None:
        return min((rank for rank in self.ranks if rank is not None), default=None)

    @property
    def recall(self) -> float | None:
        """Share of the expected places among the first five passages; None where none is expected."""
        found = sum(rank is not None and rank <= RECALL_AT for rank in self.ranks)
        return found / len(self.ranks) if self.ranks else None


@dataclass(frozen=True, slots=True)
class PinRun:
    """All pinned questions, asked at one go."""

    number: int
    created: str = field(metadata={"key": "made"})  # ISO 8601, UTC
    revision: int  # of the workspace
    settings: tuple[str, ...]  # NAME=VALUE: what answers follow from beside the documents and decisions
    results: tuple[PinResult, ...] = ()  # in the order in which questions were pinned

    @property
    def recall(self) -> float | None:
        """Mean over the questions with expected places."""
        found = [result.recall for result in self.results if result.recall is not None]
        return sum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True)
class PinChange:
    """One question in two runs. `gains` and `losses` name what got better and worse: "answer", "recall", "rank"."""

    before: PinResult | None
    now: PinResult
    gains: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """new, worse in anything, better, changed without either, or same."""
        if self.before is None:
            return "new"
        if self.losses or self.gains:
            return "worse" if self.losses else "better"
        signatures = [(r.route, r.answer, r.kind, r.ranks, r.rests_on) for r in (self.before, self.now)]
        return "same" if signatures[0] == signatures[1] else "changed"


@dataclass(frozen=True, slots=True)
class AffectedPin:
    """A pinned question whose answer something that was tried out would change."""

    change: PinChange
    parts: tuple[str, ...]  # what would be another one: "answer", "route", "passages"
    passages_before: tuple[str, ...]  # ids of the first five and of those that are cited, the best first
    passages_now: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PinComparison:
    """Two runs, question by question; `settings`: those that differ, before and now."""

    before: PinRun | None
    now: PinRun
    changes: tuple[PinChange, ...]
    settings: tuple[tuple[str, str, str], ...] = ()  # (name, value before, value now), "" for none

    def count(self, outcome: str) -> int:
        return sum(change.outcome == outcome for change in self.changes)


@dataclass(frozen=True, slots=True)
class TunedSetting:
    """A setting that a person's own questions would change."""

    name: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class TunedBar:
    """The least probability of an answer, by judged answers: how many it shows, and how many of them are right."""

    judged: int
    before: float
    now: float
    count_before: int
    right_before: int
    count_now: int
    right_now: int


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a person's own questions would change; no settings where nothing holds up on questions left out.

    Recall is the share of the expected places among the first five passages, 0 to 1.
    """

    pinned: int  # questions
    judged: int  # others, whose answer was judged right
    settings: tuple[TunedSetting, ...]
    recall: float
    tuned_recall: float
    left_out_recall: float  # each question by settings that were chosen without it
    gains: tuple[str, ...]  # questions that find more
    losses: tuple[str, ...]
    bar: TunedBar | None = None  # None: too few answers were judged

    @property
    def lines(self) -> list[str]:
        """Return the settings as a workspace keeps them."""
        return [f"{each.name}={each.now}" for each in self.settings]
