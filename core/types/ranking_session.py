"""The ranking of one question under settings that are being tried, and a passage's record in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.types.answers import Complexity, Seed
from core.types.stages import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """What a question finds under some settings.

    `lists` are what was joined, by name (lexical, dense, graph); `candidates` are the graph's before its second stage.
    `complexity` tells what each list counts, None on a route of one list. `mass` is the walk's, (n_nodes,), entities
    first, and `exact` whether it is walked to the end, as for an answer.
    """

    hits: tuple[Hit, ...]
    lists: Mapping[str, tuple[Hit, ...]]
    candidates: tuple[Hit, ...]
    complexity: Complexity | None
    heat: Mapping[str, float]  # by entity id, heaviest first
    seeds: tuple[Seed, ...]
    mass: NDArray[np.float64]
    restart: NDArray[np.float64]  # (n_nodes,), summing to 1
    exact: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class ListRank:
    """A passage's rank in one list or stage, named by `part`; `rank` None where it is not in it."""

    part: str  # words, meaning, graph walk, second stage, joined; or what was left out
    rank: int | None
    score: float | None = None
    note: str = ""  # for people: why it is not there, what leaving it out means


@dataclass(frozen=True, slots=True)
class RankingRecord:
    """A passage in all lists and stages of one question's ranking, and what keeps it from a higher rank."""

    passage_id: str
    places: tuple[ListRank, ...]  # in the order in which they come about
    without: tuple[ListRank, ...]  # its rank at the end with one part of the evidence left out
    above: str = ""  # id of the passage just above; "" for the first, and for one that was not found
    reasons: tuple[str, ...] = ()  # for people, what weighs most first

    @property
    def rank(self) -> int | None:
        """At the end."""
        return self.places[-1].rank if self.places else None


@dataclass(frozen=True, slots=True)
class Source:
    """What one seed gave to a node: `share` of all that it has, 0 to 1.

    `entity_id` is "" for the passages near the question, all together, and for `itself`: what the passage has for
    being near the question.
    """

    entity_id: str
    name: str
    share: float
    reason: str
    itself: bool = False


@dataclass(frozen=True, slots=True)
class Attributed:
    """How much of the walk's mass a passage or entity has, 0 to 1, and from where, most first."""

    id: str
    name: str  # of the entity, or the passage's title
    mass: float
    sources: tuple[Source, ...] = field(default=())
