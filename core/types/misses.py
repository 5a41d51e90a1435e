"""Where a passage was lost that should have been found, and what would have kept it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from core.types.answers import Answer, Scope
from core.types.knowledge import NameChange
from core.types.pins import AffectedPin


class MissStage(StrEnum):
    """The stages of the way from a file to a cited answer, in their order."""

    FILE = "file"  # the file is read and its document is there
    PASSAGE = "passage"  # the words stand in a passage; boilerplate does not
    INDEX = "index"  # the passage can be found at all
    SCOPE = "scope"  # it is in what the question is kept to
    WAY = "way"  # the question is answered from passages, not from a table or from reports
    GATE = "gate"  # some document is near enough to look
    NAMES = "names"  # the question names something that the passage names
    SEEDS = "seeds"  # the walk starts at a name of the passage
    WALK = "walk"  # share of the mass that comes to rest there
    SECOND = "second stage"
    WORDS = "words"
    MEANING = "meaning"
    JOIN = "join"
    CUT = "cut"  # so many passages are read
    PACK = "packing"  # what a language model is given
    READER = "reader"
    CHECKS = "checks"
    BAR = "bar"  # the least probability of an answer


class StepState(StrEnum):
    PASSED = "passed"
    WEAK = "weak"  # the passage did not come through here, but another way was open to it, or it came through after all
    LOST = "lost"
    UNREACHED = "unreached"


@dataclass(frozen=True, slots=True)
class MissMark:
    """What should have been found: a passage, a document or a file by its path, or words of it.

    `start` and `end` lie in the document's text; `quote` is looked for where they are 0, in any document for `document`
    "".
    """

    passage_id: str = ""
    document: str = ""
    start: int = 0
    end: int = 0
    quote: str = ""


@dataclass(frozen=True, slots=True)
class MissStep:
    """How the passage stood at one stage. `figure` is short ("14 of 812"), `words` a sentence or two."""

    stage: MissStage
    state: StepState
    figure: str
    words: str


@dataclass(frozen=True, slots=True)
class ReaderView:
    """What the reader says of one passage."""

    passage_id: str
    document: str
    text: str  # of its likeliest span; "" for none
    probability: float  # of that span among all of the passage, 0 to 1
    relevance: float  # that the passage is about what is asked, 0 to 1
    confidence: float  # that this is the answer, where it was among the readings; else 0


@dataclass(frozen=True, slots=True)
class PassageRanks:
    """The numbers of one passage on its way. Ranks from 1; None where it was not ranked."""

    passages: int = 0  # that are searched
    read: int = 0  # passages that an answer is looked for in
    route: str = ""
    words: int | None = None
    meaning: int | None = None
    walk: int | None = None
    mass: float = 0.0  # of the walk, of all passages' and entities' 1
    graph: int | None = None  # after the second stage
    joined: int | None = None
    weights: tuple[tuple[str, float], ...] = ()  # what each list counts, by the names of LISTS_CALLED
    depth: int = 0  # passages of each list
    pool: int = 0  # passages that the second stage chooses from
    names: tuple[str, ...] = ()  # of the question that are entities
    unknown: tuple[str, ...] = ()  # names of the question that no entity bears
    shared: tuple[str, ...] = ()  # of `names` that stand in the passage
    seeds: int = 0
    seeds_inside: tuple[str, ...] = ()  # entities of the passage where the walk starts
    passage_names: tuple[str, ...] = ()  # entities that the passage names
    passage_entities: tuple[str, ...] = ()  # their ids
    reader: ReaderView | None = None  # of the passage, read by itself where it was not among those read
    preferred: ReaderView | None = None  # of the passage that the answer, or its likeliest reading, rests on


@dataclass(frozen=True, slots=True)
class Miss:
    """Which stage lost the marked passage, and in `words` why. `lost` None: the answer rests on it."""

    question: str
    route: str  # as it was asked: "auto" or the forced one
    k: int
    generator: str
    mark: MissMark
    lost: MissStage | None
    words: str
    steps: tuple[MissStep, ...]
    passage_id: str  # "" where no passage holds it
    document: str  # path; "" for none
    quote: str  # the beginning of what was marked
    ranks: PassageRanks = field(metadata={"key": "standing"})
    answer: Answer | None  # None where no passage holds it: then nothing was asked
    again: str = ""  # the file that would have to be read again
    scope: Scope = field(default_factory=Scope)  # what the question was kept to
    place: tuple[int, int] | None = (
        None  # of the marked words in the document's text; None: all of the passage
    )

    @property
    def reason(self) -> str:
        """What the stage says that lost it; "" for none."""
        return next((step.words for step in self.steps if step.stage is self.lost), "")


@dataclass(frozen=True, slots=True)
class MissChange:
    """One change that may have kept the passage: settings as NAME=VALUE, or another way to ask, or another name."""

    words: str
    settings: tuple[str, ...] = ()
    route: str = ""
    k: int = 0
    question: str = ""
    names: NameChange | None = None
    read_again: str = ""  # path of a file
    unscoped: bool = False  # kept to no scope

    @property
    def saved_in(self) -> str:
        """Return where it can be saved: "settings", "names" or "library" (a file); "" for the question alone."""
        if self.settings:
            return "settings"
        return "names" if self.names else "library" if self.read_again else ""


@dataclass(frozen=True, slots=True)
class MissTrial:
    """A change as it turned out. `outcome`: cited, read, nearer, same, further, or failed."""

    change: MissChange
    outcome: str
    rank_before: int | None
    rank: int | None  # None: beyond the passages that were ranked
    words: str
    answer: Answer | None
    seconds: float


@dataclass(frozen=True, slots=True)
class MissPins:
    """What a change would do to the pinned questions."""

    total: int
    affected: tuple[AffectedPin, ...]

    def count(self, outcome: str) -> int:
        """Of better, worse and changed; "same": the same answer, but by another route or from other passages."""
        return sum(pin.change.outcome == outcome for pin in self.affected)

    @property
    def same(self) -> int:
        return self.total - len(self.affected)
