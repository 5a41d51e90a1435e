"""An answer with its evidence and its trace, and the scope of the question."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.text.translation import mark, tr
from core.types.generation import Claim, Round, Usage
from core.types.reading import Passage, Sentence
from core.types.stages import Feature, Hit, PassageLabel, ScopeCoverage, Stage

# The ranked lists that are joined, and what people call them.
LISTS_CALLED = {"lexical": mark("words"), "dense": mark("meaning"), "graph": mark("graph")}


@dataclass(frozen=True, slots=True)
class Scope:
    """Some of a workspace, by ids; a kind that names nothing asks for nothing.

    A passage is in scope where it is of one of the documents, or names one of the entities, or one that a community
    holds (any of the three, where any is named), and where its dates meet the range.
    """

    entities: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    communities: tuple[int, ...] = ()
    since: str = ""  # ISO dates, YYYY, YYYY-MM or YYYY-MM-DD, both inclusive; "" for open
    until: str = ""

    @property
    def all(self) -> bool:
        """Whether nothing is left out."""
        return self == Scope()

    @property
    def dated(self) -> bool:
        return bool(self.since or self.until)


EVERYTHING = Scope()


@dataclass(frozen=True, slots=True)
class Complexity:
    """How much of the search a question leaves to the graph, 0..1, between the thresholds low < high. EA-GraphRAG 3.3.

    `weights` are those with which the ranked lists are joined, by name, summing to 1; from the high threshold on the
    graph stands alone.
    """

    score: float
    low: float
    high: float
    features: tuple[Feature, ...]
    weights: dict[str, float] = field(default_factory=dict)
    source: str = "learned"  # or "equal", where no model tells


class Way(StrEnum):
    """How a question is answered, by its structure: what EA-GraphRAG 3.3 calls its complexity."""

    DIRECT = "direct"  # from the passages that are ranked for it
    STEPS = "steps"  # what it describes is asked for first
    RELATION = "relation"  # by the paths between its names
    PROFILE = "profile"  # by the sentences that say most of whom it names
    TABLE = "table"
    PART = "part"  # the numbered part of a document that it names
    OVERVIEW = "overview"  # by the themes and reports of all documents


@dataclass(frozen=True, slots=True)
class Route:
    """The way a question takes; `forced` when a person chose it."""

    name: str  # dense, lexical, fusion, graph
    complexity: Complexity
    forced: bool = False
    reason: str = ""  # what of the question decided on the way: "names Grey Petrel"; "" for a direct one
    way: Way = Way.DIRECT

    @property
    def is_ranked(self) -> bool:
        """Whether lists were joined for it; traces saved before there were ways name the global route alone."""
        return self.way in (Way.DIRECT, Way.STEPS) and self.name != "global"


@dataclass(frozen=True, slots=True)
class Seed:
    """Where the walk over the graph starts, and why."""

    entity_id: str
    name: str
    weight: float  # share of the restart mass, 0 to 1
    reason: str  # "named in the question", "fact: A owns B"


@dataclass(frozen=True, slots=True)
class Brought:
    """What led the graph route to a passage: facts and nodes, and the stage that found them first."""

    stage: str  # local, bridge, global
    facts: tuple[str, ...] = ()  # in words: "Otto Kask born in Tartu"
    nodes: tuple[str, ...] = ()  # names of entities


@dataclass(frozen=True, slots=True)
class Beam:
    """One level of a search from the top communities down: how many were looked at, and who stayed."""

    level: int
    considered: int
    chosen: tuple[tuple[int, float], ...]  # (community, score), best first


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Ranked passages; `heat` maps entity id to personalised PageRank mass (graph routes only).

    `ranks` maps passage id to its rank by each part of the route, for routes that join several.
    `brought` maps passage id to its provenance, and `ended` names the stage at which the evidence was
    enough (local, bridge, global, or fail), on the graph route only.
    `facts` are those that tell most of what is asked, for a language model to read.
    """

    hits: tuple[Hit, ...]
    stages: tuple[Stage, ...] = ()
    heat: dict[str, float] = field(default_factory=dict)
    seeds: tuple[Seed, ...] = ()
    ranks: dict[str, dict[str, int]] = field(default_factory=dict)
    brought: dict[str, Brought] = field(default_factory=dict)
    ended: str = ""
    complexity: Complexity | None = None  # where lists were joined
    beam: tuple[Beam, ...] = ()  # of lab:hierarchical only, the top level first
    facts: tuple[PathStep, ...] = ()


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

    @property
    def words(self) -> str:
        """Return the fact on one line: subject, predicate, object."""
        return " ".join(f"{self.subject} {self.predicate} {self.object}".split())


@dataclass(frozen=True, slots=True)
class FactPath:
    """Entities, none twice, each tied to the next by a fact, of several the one that tells most."""

    entity_ids: tuple[str, ...]
    steps: tuple[PathStep, ...]  # between them, as they are told: one less
    worth: float = 0.0  # how much it tells, 0 to 1

    @property
    def words(self) -> str:
        """Return its facts on one line."""
        return "; ".join(step.words for step in self.steps)


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
    brought: Brought | None = None  # on the graph route


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
    place: str = ""  # the name of the place where the format has one: "Payments!A12:F12"
    community: int | None = None  # whose report told it, in an answer about all documents
    marked: tuple[int, int] | None = None  # in the quote: the words that answer, where they are fewer
    date: str = ""  # of the document, ISO 8601, as it states it; "" where it states none


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences that may give different values for the same thing, each marked; `likelihood` from 0 to 1."""

    one: Citation
    other: Citation
    likelihood: float


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
    """All that the trace and ask panels draw. `passages` by id are named where a trace is shown or kept."""

    question: str
    route: Route
    stages: tuple[Stage, ...]
    seeds: tuple[Seed, ...]
    heat: dict[str, float]
    hits: tuple[Hit, ...]
    seconds: float
    rounds: tuple[Round, ...] = ()  # of the control loop
    beam: tuple[Beam, ...] = ()  # of lab:hierarchical
    passages: dict[str, PassageLabel] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)  # what was looked in

    @property
    def coverage(self) -> ScopeCoverage | None:
        """How much was looked in; None for all."""
        return next((each.data for each in self.stages if isinstance(each.data, ScopeCoverage)), None)


@dataclass(frozen=True, slots=True)
class CitedCommunity:
    """A community whose report an answer about all documents rests on."""

    id: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another answer that the passages might give, with the place that would carry it."""

    text: str
    probability: float  # that it is right, 0 to 1
    citation: Citation
    documents: int = 1  # that say so
    holds: bool = True  # not only at another time than the question asks for


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """Something that a question describes, which was asked for first. `following` is the question with it in place.

    One that is not `sure` stands in no question: the person says whether to go on with it.
    """

    question: str
    text: str
    confidence: float  # that it is right
    sure: bool
    following: str
    citation: Citation | None


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` is the short answer or the first sentence; one citation a sentence, in order.

    `confidence` is the probability that it is right. From the bar on it is an answer; below it `guess` is set:
    the passages are shown first and the text under them; below the second bar it is `abstained`.
    """

    text: str
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    trace: Trace
    abstained: bool = False
    missing: str = ""  # what is missing and what to try, when abstained; of a guess what would be
    confidence: float = 0.0
    guess: bool = False
    literal: bool | None = (
        None  # whether its sentence states literally what is asked; None where it is read from none
    )
    # Whether it takes a step that no sentence states: what the question describes, or a verdict that rests on none.
    is_indirect: bool = False
    failed_check: str = (
        ""  # relevance, grounding or resolution: the first check that it failed; it is a guess then
    )
    steps: tuple[AnswerStep, ...] = ()  # in the order in which they were asked
    documents: int = 0  # that say what `text` says, where the reader found it
    alternatives: tuple[Alternative, ...] = ()  # the likeliest first; without the answer itself
    conflicts: tuple[
        Alternative, ...
    ] = ()  # other values, that other documents give; not among the alternatives
    claims: tuple[Claim, ...] = ()  # one a sentence, in order
    usage: Usage = field(default_factory=Usage)  # of the language model
    dropped: int = 0  # citations that pointed to nothing and were taken out
    communities: tuple[CitedCommunity, ...] = ()  # of an answer about all documents, the largest first
    # One a citation: "approved", "unreviewed", or "" where no fact was read from the place.
    rests_on: tuple[str, ...] = ()
    rests_words: str = ""  # the same for people
    left_out: int = 0  # citations that rest on nothing approved, where only that counts
    # Of a table's answer or a list over facts, for people: why it is not sure, how many of its rows are shown.
    table_note: str = ""
    put_as: str = ""  # in words, that the sentence does not say so itself, and who does
    instead_of: str = (
        ""  # the model whose own words no passage carried, or none came: these are quotes in their place
    )
    is_silent: bool = False  # whether that model began no answer in its time
    is_declined: bool = False  # whether that model said that the passages do not tell it
    is_confirmed: bool = False  # whether a model and the reader say the same, each by itself
    unasked: bool = False  # what was typed asks nothing by itself: abstained, `missing` says what to type
    paths: tuple[FactPath, ...] = ()  # of an answer on how names are related: those that tell most first
    # Of an answer in quotes about all documents, whose `text` is "{lead}: {listed}.", or "{lead}." with nothing listed.
    lead: str = ""
    listed: tuple[str, ...] = ()

    @property
    def main_citation(self) -> Citation | None:
        """The citation whose sentence holds the answer's own words; None where the answer is not read from one."""
        text = " ".join(self.text.split())
        for citation in self.citations:
            start, end = citation.marked or (0, 0)
            if start < end and " ".join(citation.quote[start:end].split()) == text:
                return citation
        return None

    def withdrawn(self, missing: str = "", alternatives: tuple[Alternative, ...] = ()) -> Answer:
        """That it is not told, with what was found; `missing` "": what was missing before."""
        return replace(
            self, text="", sentences=(), citations=(), claims=(), guess=False, abstained=True,
            missing=missing or self.missing, literal=None, alternatives=alternatives, conflicts=(), documents=0,
            rests_on=(), rests_words="", put_as="",
            lead="", listed=(),
        )  # fmt: skip


_CHECKS = {
    "relevance": tr("Possible only: the passages found may be about something else."),
    "grounding": tr("Possible only: the quoted sentence holds little of what is asked."),
    "resolution": tr(
        "Possible only: it may be of another kind than is asked for, or something that the question describes has to "
        "be found first."
    ),
}


def check_words(answer: Answer) -> str:
    """Return for people what the check says that an answer failed; "" for none."""
    return "" if answer.abstained else _CHECKS.get(answer.failed_check, "")


def model_words(answer: Answer) -> str:
    """Return for people what a model had to do with an answer beside writing it; "" for nothing."""
    model = answer.instead_of.removeprefix("ollama:")
    if answer.is_silent:
        return tr("{model} did not begin to answer in time; these are quotes.", model=model)
    if answer.is_declined:
        return tr("{model} found no answer in these passages; the reader did.", model=model)
    if model:
        return tr("No passage carries what {model} wrote; these are quotes.", model=model)
    return tr("Found twice, independently: by the model and by the reader.") if answer.is_confirmed else ""
