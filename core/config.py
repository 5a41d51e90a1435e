"""One frozen dataclass a stage; field metadata feeds the command line, the dialogs and the docs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


def setting(default: Any, words: str, unit: str = "") -> Any:
    """A configuration field with the words that people see."""
    return field(default=default, metadata={"words": words, "unit": unit})


@dataclass(frozen=True, slots=True)
class ChunkingConfig:
    """How documents are cut into passages."""

    max_tokens: int = setting(200, "longest passage; the encoder reads at most 256", "tokens")
    overlap: int = setting(1, "sentences that a passage repeats from the one before", "sentences")
    max_file_mb: int = setting(200, "larger files are listed, not read", "MB")


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """How the graph is built. EA-GraphRAG 3.1, HippoRAG 2."""

    synonymy_threshold: float = setting(0.8, "least cosine between the names of synonyms")
    synonymy_neighbours: int = setting(8, "nearest names looked at for each entity", "names")
    seed: int = setting(7, "seed of every random choice, so that runs repeat")


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """How passages are found. EA-GraphRAG 3.4."""

    damping: float = setting(0.6, "share of the mass that walks on at each step")
    top_facts: int = setting(
        3, "sentences nearest to the question whose entities may seed the walk", "sentences"
    )
    top_seeds: int = setting(12, "seeds that are shown", "entities")
    name_share: float = setting(0.4, "share of the restart for entities that the question names")
    fact_share: float = setting(0.4, "share of the restart for entities of the nearest sentences")
    passage_share: float = setting(0.2, "share of the restart for passages by dense similarity")
    passage_sharpness: float = setting(10.0, "power that sharpens the passages' similarities")
    hub_power: float = setting(0.7, "how strongly entities of many passages are held down as seeds")
    rrf_k: int = setting(60, "smoothing constant of reciprocal rank fusion, eq. 8")
    candidates: int = setting(100, "passages each retriever hands on", "passages")
    second_stage: bool = setting(True, "choose the best passages anew, each for what it adds")
    pool: int = setting(40, "passages that the second stage chooses from", "passages")


@dataclass(frozen=True, slots=True)
class RoutingConfig:
    """Thresholds of the complexity score. EA-GraphRAG 3.3."""

    low: float = setting(0.35, "at or below: dense")
    high: float = setting(0.65, "at or above: graph")


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """When an extractive answer is given and how long it is."""

    sentences: int = setting(3, "most sentences of an answer", "sentences")
    abstain_below: float = setting(
        0.35, "least support for an answer; below it Clew says that it does not know"
    )


@dataclass(frozen=True, slots=True)
class Config:
    """All stages. Each room is handed only its own part."""

    chunking: ChunkingConfig = ChunkingConfig()
    graph: GraphConfig = GraphConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    routing: RoutingConfig = RoutingConfig()
    answer: AnswerConfig = AnswerConfig()


def described(part: object) -> list[tuple[str, object, str, str]]:
    """Rows (name, value, words, unit) of one configuration part, in order."""
    return [
        (f.name, getattr(part, f.name), f.metadata["words"], f.metadata["unit"])
        for f in fields(part)  # type: ignore[arg-type]
    ]
