"""One frozen dataclass a stage; field metadata feeds the command line, the dialogs and the docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from core.errors import BadInput


def setting(
    default: Any, words: str, unit: str = "", low: float | None = None, high: float | None = None
) -> Any:
    """A configuration field with the words that people see; `low` to `high` is what it may be."""
    return field(default=default, metadata={"words": words, "unit": unit, "low": low, "high": high})


@dataclass(frozen=True, slots=True)
class ChunkingConfig:
    """How documents are cut into passages."""

    max_tokens: int = setting(200, "longest passage; the encoder reads at most 256", "tokens")
    overlap: int = setting(1, "sentences that a passage repeats from the one before", "sentences")
    max_file_mb: int = setting(200, "larger files are listed, not read", "MB")
    max_seconds: int = setting(120, "longest time for reading one file without a sign of life", "s")
    max_memory_mb: int = setting(2_000, "most memory for reading one file", "MB")
    ocr_language: str = setting("eng", "languages of scanned pages, as Tesseract names them: eng+deu")


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
    synonymy: bool = setting(True, "walk over synonymy edges, too")
    rrf_k: int = setting(60, "smoothing constant of reciprocal rank fusion, eq. 8")
    hybrid_dense: float = setting(0.3, "weight of the cosine in the hybrid score")
    hybrid_path: float = setting(0.7, "weight of the strongest path in the hybrid score")
    candidates: int = setting(100, "passages each retriever hands on", "passages")
    second_stage: bool = setting(True, "choose the best passages anew, each for what it adds")
    pool: int = setting(40, "passages that the second stage chooses from", "passages")
    reranker: str = setting("", "folder of a cross-encoder; empty for the selection that Clew comes with")


@dataclass(frozen=True, slots=True)
class AgenticConfig:
    """How far the agentic retriever goes, and when it has enough. A2RAG III-C."""

    aligned: float = setting(
        0.85,
        "least mean of edit similarity and cosine for a name that is in no entity word for word",
        "",
        0,
        1,
    )
    related: float = setting(
        1.0, "least cosine between a relation and a predicate that shares no word; 1 compares none", "", 0, 1
    )
    enough: float = setting(
        1.0, "least coverage of names, relations and answer type at which a stage is the last", "", 0, 1
    )
    facts: int = setting(200, "strongest facts of an entity that are looked at", "facts", 1, 5_000)
    steps: int = setting(4, "relations followed one after the other", "relations", 1, 8)
    found: int = setting(4, "names found by one step that the next begins at", "names", 1, 50)
    hops: int = setting(2, "facts between a seed and a bridge", "facts", 1, 4)
    reached: int = setting(2_000, "most nodes visited around one seed", "nodes", 1, 100_000)
    bridges: int = setting(12, "most bridges", "nodes", 0, 200)
    paths: int = setting(2, "shortest paths from a bridge to one seed", "paths", 1, 20)
    nodes: int = setting(
        60, "heaviest nodes of the walk that are mapped back to their passages", "nodes", 1, 5_000
    )
    passages: int = setting(8, "most passages that one seed or name brings", "passages", 1, 200)
    first: int = setting(3, "passages of telling facts that go before those of the walk", "passages", 0, 100)
    further: int = setting(
        10, "passages of the evidence beyond the walk's that the second stage sees", "passages", 0, 100
    )


@dataclass(frozen=True, slots=True)
class RoutingConfig:
    """Thresholds of the complexity score. EA-GraphRAG 3.3."""

    router: str = setting("learned", "learned, or rules; a trained router brings its own thresholds")
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
class WatchConfig:
    """When changes of a watched folder are told."""

    quiet: float = setting(2.0, "nothing may happen in the folder for this long before changes are read", "s")
    stable: float = setting(1.0, "between two looks that must find the same sizes and times", "s")
    longest: float = setting(300.0, "files that are written without end are read after this long", "s")
    poll: float = setting(10.0, "between two looks where the system tells of no changes", "s")


@dataclass(frozen=True, slots=True)
class Config:
    """All stages. Each room is handed only its own part."""

    chunking: ChunkingConfig = ChunkingConfig()
    graph: GraphConfig = GraphConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    agentic: AgenticConfig = AgenticConfig()
    routing: RoutingConfig = RoutingConfig()
    answer: AnswerConfig = AnswerConfig()
    watch: WatchConfig = WatchConfig()


def with_settings(config: Config, wanted: Sequence[str]) -> Config:
    """`wanted` such as "retrieval.damping=0.5". Raises BadInput that names what there is."""
    for item in wanted:
        name, equals, text = item.partition("=")
        part, _, field_name = name.partition(".")
        stages = {f.name for f in fields(config)}
        known = {f.name for f in fields(getattr(config, part))} if part in stages else set()
        if not equals or field_name not in known:
            choices = sorted(known) if known else [f"{stage}.NAME" for stage in sorted(stages)]
            raise BadInput(f"There is no setting {name!r}.", f"Choose one of: {', '.join(choices)}.")
        stage = getattr(config, part)
        value = _read(text, getattr(stage, field_name), name)
        _check_range(value, next(f for f in fields(stage) if f.name == field_name).metadata, name)
        config = replace(config, **{part: replace(stage, **{field_name: value})})
    return config


def _read(text: str, like: object, name: str) -> object:
    """`text` in the type of the present value."""
    try:
        if isinstance(like, bool):
            return {"true": True, "false": False}[text.lower()]
        return type(like)(text)  # type: ignore[call-arg]
    except (KeyError, ValueError) as error:
        raise BadInput(
            f"{text!r} does not fit {name}.", f"Its value now is {like!r}; give one of that kind."
        ) from error


def _check_range(value: object, metadata: Mapping[str, Any], name: str) -> None:
    low, high, unit = metadata["low"], metadata["high"], metadata["unit"]
    if not isinstance(value, int | float):
        return
    if (low is not None and value < low) or (high is not None and value > high):
        least, most = ("" if edge is None else f"{edge:,g}" for edge in (low, high))
        words = (
            f"from {least} to {most}"
            if least and most
            else f"at least {least}"
            if least
            else f"at most {most}"
        )
        raise BadInput(f"{value:g} does not fit {name}.", f"Give {words} {unit}".rstrip() + ".")


def described(part: object) -> list[tuple[str, object, str, str]]:
    """Rows (name, value, words, unit) of one configuration part, in order."""
    return [
        (f.name, getattr(part, f.name), f.metadata["words"], f.metadata["unit"])
        for f in fields(part)  # type: ignore[arg-type]
    ]
