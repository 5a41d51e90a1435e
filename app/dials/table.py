"""The settings that can be turned: their words, what they are in the papers, and how far a slider goes."""

from __future__ import annotations

from dataclasses import dataclass

from app.look.translation import tr
from core.config import Config


@dataclass(frozen=True, slots=True)
class Dial:
    """A number of `core.config.DIALS`. `least`, `most` and `step` of its slider; whole numbers where `step` is 1."""

    name: str
    words: str
    tip: str
    least: float
    most: float
    step: float
    unit: str = "{number}"  # how a value is shown

    def value(self, config: Config) -> float:
        stage, _, field = self.name.partition(".")
        return float(getattr(getattr(config, stage), field))

    def place(self, value: float) -> int:
        """Of a value on the slider, which counts steps; values beyond its ends are at the end."""
        steps = round((value - self.least) / self.step)
        return min(max(steps, 0), self.steps)

    @property
    def steps(self) -> int:
        return round((self.most - self.least) / self.step)

    def at(self, place: int) -> float:
        return round(self.least + place * self.step, 6)

    def line(self, value: float) -> str:
        """As settings are written."""
        return f"{self.name}={value:g}" if self.step < 1 else f"{self.name}={value:.0f}"

    def shown(self, value: float) -> str:
        number = f"{value:.0f}" if self.step >= 1 else f"{value:.2f}"
        return self.unit.format(number=number)


_TIMES = tr("\u00d7 {number}")

WALK = (
    Dial(
        "retrieval.damping", tr("Damping"),
        tr("How far the walk goes: the share of the mass that walks on at each step. Low stays near the names of the "
           "question, high lets well connected entities win. The d of personalised PageRank, EA-GraphRAG eq. 6."),
        0.05, 0.95, 0.01,
    ),
    Dial(
        "retrieval.name_share", tr("Start: names"),
        tr("Share of the walk's start for entities that the question names. EA-GraphRAG 3.4.2."), 0, 1, 0.01,
    ),
    Dial(
        "retrieval.fact_share", tr("Start: sentences"),
        tr("Share of the walk's start for entities of the sentences nearest to the question, or of the facts that a "
           "reranker chose. EA-GraphRAG eq. 4 and 5."), 0, 1, 0.01,
    ),
    Dial(
        "retrieval.passage_share", tr("Start: passages"),
        tr("Share of the walk's start for passages, by their nearness to the question. HippoRAG 2, section 3."),
        0, 1, 0.01,
    ),
    Dial(
        "retrieval.top_facts", tr("Seed sentences"),
        tr("How many of the nearest sentences, or chosen facts, give seeds: the k of EA-GraphRAG eq. 5."), 0, 30, 1,
    ),
    Dial(
        "retrieval.hub_power", tr("Hold hubs down"),
        tr("How strongly entities of many passages are held down as seeds; 0 not at all. EA-GraphRAG eq. 5 divides "
           "by the number of passages: 1."), 0, 2, 0.05,
    ),
    Dial(
        "retrieval.passage_sharpness", tr("Nearest only"),
        tr("Power that sharpens the passages' nearness: 0 gives every passage the same start, high only the nearest."),
        0, 30, 0.5,
    ),
)  # fmt: skip
LISTS = (
    Dial(
        "retrieval.lexical_weight", tr("Words"),
        tr("What the list by words (BM25) counts, times what the question decides."), 0, 4, 0.05, _TIMES,
    ),
    Dial(
        "retrieval.dense_weight", tr("Meaning"),
        tr("What the list by meaning (cosine) counts, times what the question decides."), 0, 4, 0.05, _TIMES,
    ),
    Dial(
        "retrieval.graph_weight", tr("Graph"),
        tr("What the list by the graph counts, times what the question decides."), 0, 4, 0.05, _TIMES,
    ),
    Dial(
        "retrieval.rrf_k", tr("Smoothing"),
        tr("How much the first ranks of a list stand out: low very much, high hardly. The k of reciprocal rank fusion, "
           "EA-GraphRAG eq. 8."), 0, 100, 1,
    ),
    Dial(
        "retrieval.crowding", tr("Same document"),
        tr("What a passage counts for each better one of its document: 1 lets one document fill the list."),
        0.5, 1, 0.01,
    ),
)  # fmt: skip
SECOND = (
    Dial(
        "retrieval.pool", tr("Pool"),
        tr("Passages of the walk from which the second stage chooses; what lies below keeps the walk's order."),
        1, 100, 1,
    ),
)  # fmt: skip
THRESHOLDS = (
    Dial(
        "routing.low", tr("Lower"),
        tr("The graph's share at or below which a route is named for words or meaning. It changes the route's name, "
           "not the ranking. EA-GraphRAG 3.3."), 0, 1, 0.01,
    ),
    Dial(
        "routing.high", tr("Upper"),
        tr("The graph's share at or above which the graph alone is heard. EA-GraphRAG 3.3."), 0, 1, 0.01,
    ),
)  # fmt: skip
GROUPS = (
    (tr("The walk"), WALK),
    (tr("What the lists count"), LISTS),
    (tr("Second stage"), SECOND),
    (tr("Thresholds of the graph's share"), THRESHOLDS),
)
