"""How questions went over time, how well names are linked, and how far documents moved since the graph was made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One answered question without a word of it."""

    made: str  # ISO 8601, UTC
    route: str
    forced: bool  # by the person
    own: bool  # by the composition that the workspace adopted
    kind: str  # answer, guess, refusal
    score: float  # share of the graph, 0 to 1
    seconds: float
    tokens: int  # of the passages shown, estimated, and those that a language model read
    documents: int  # that the evidence is from
    communities: int  # likewise, of the finest level


@dataclass(frozen=True, slots=True)
class AskedTogether:
    """Questions of one day, one week, or all; shares are of 0..1, means and medians 0 where there is no question."""

    begin: str  # ISO date of the first day, in local time; "" for none
    count: int = 0
    routes: tuple[tuple[str, int], ...] = ()  # the most taken first
    median: float = 0.0  # seconds
    slow: float = 0.0  # seconds that 95 % of the answers stay within
    refused: float = 0.0
    guessed: float = 0.0
    own: float = 0.0  # by the adopted composition
    forced: float = 0.0  # by a person
    tokens: float = 0.0  # mean
    documents: float = 0.0  # mean of those with evidence
    communities: float = 0.0  # likewise
    score: float = 0.0  # mean

    def share(self, route: str) -> float:
        return dict(self.routes).get(route, 0) / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class Monitoring:
    """All questions that are kept, and the same by days or weeks, the oldest first.

    `one_sided` names a route that takes more than 80 % of those whose route nobody chose (triple-layer 7.1.3); "" for
    none, or where there are too few to tell.
    """

    all: AskedTogether
    over_time: tuple[AskedTogether, ...] = ()
    one_sided: str = ""
    one_sided_share: float = 0.0


@dataclass(frozen=True, slots=True)
class LinkedMention:
    """A name in its sentence, the entity it is linked to, and what a person said of that: right, wrong or "".

    `mark` lies in `sentence`, `start` in the passage, `place` in the document's text.
    """

    passage_id: str
    document_id: str
    document: str
    start: int
    place: tuple[int, int]
    sentence: str
    mark: tuple[int, int]
    entity_id: str
    entity: str
    label: str
    others: tuple[str, ...] = ()  # other names of the entity, a few
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class LinkingSample:
    """Mentions drawn at random, and the share of links found right in all verdicts that still hold.

    `low` and `high` bound it with 95 % confidence (Wilson 1927).
    """

    seed: int
    mentions: tuple[LinkedMention, ...] = ()
    right: int = 0
    wrong: int = 0
    low: float = 0.0
    high: float = 1.0

    @property
    def judged(self) -> int:
        return self.right + self.wrong


@dataclass(frozen=True, slots=True)
class GraphUpdate:
    """One bringing in step of the graph. `changed`: facts since the communities were last made anew, of `facts`."""

    made: str  # ISO 8601, UTC
    changed: int
    facts: int
    anew: bool

    @property
    def share(self) -> float:
        return self.changed / max(1, self.facts)


@dataclass(frozen=True, slots=True)
class Drift:
    """How far documents and facts moved since communities and places were last made anew.

    `known` is False where that was before this was kept. `limit`: share of the facts beyond which an update makes all
    anew (triple-layer 7.1.3).
    """

    limit: float
    documents: int = 0  # of now
    added: int = 0
    changed: int = 0
    removed: int = 0
    facts_changed: int = 0
    facts: int = 0
    known: bool = False
    updates: tuple[GraphUpdate, ...] = ()  # the newest first

    @property
    def share(self) -> float:
        """Of the documents of then and now together, those that are not the same."""
        moved = self.added + self.changed + self.removed
        return moved / max(1, self.documents + self.removed)

    @property
    def facts_share(self) -> float:
        return self.facts_changed / max(1, self.facts)
