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
class ControlConfig:
    """The loop that checks an answer before it is given. A2RAG III-B."""

    rounds: int = setting(2, "times that a question is asked again in other words", "rounds", 0, 5)
    gate: float = setting(
        0.1, "least cosine to the summary of any document; below it nothing is looked for", "", 0.0, 1.0
    )
    relevance: float = setting(
        0.5, "how surely the passages must speak of the question's names", "", 0.0, 1.0
    )
    grounding: float = setting(1.0, "share of the answer's sentences that passages must carry", "", 0.0, 1.0)
    last_resort: float = setting(
        0.2, "least support for an answer that no further round betters", "", 0.0, 1.0
    )


@dataclass(frozen=True, slots=True)
class WatchConfig:
    """When changes of a watched folder are told."""

    quiet: float = setting(2.0, "nothing may happen in the folder for this long before changes are read", "s")
    stable: float = setting(1.0, "between two looks that must find the same sizes and times", "s")
    longest: float = setting(300.0, "files that are written without end are read after this long", "s")
    poll: float = setting(10.0, "between two looks where the system tells of no changes", "s")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The language model, and how patient Clew is with it. Only `host` is ever contacted."""

    host: str = setting("http://127.0.0.1:11434", "where Ollama answers; no other host is contacted")
    model: str = setting("", "the model, as `clew models` lists it; empty for none")
    window: int = setting(4_096, "context window that prompt and reply share", "tokens", 512, 1_048_576)
    max_output: int = setting(1_024, "longest reply", "tokens", 16, 131_072)
    temperature: float = setting(0.0, "0: the likeliest word each time, so that runs repeat", "", 0.0, 2.0)
    seed: int = setting(7, "seed of the model's choices", "", 0)
    keep_alive: float = setting(600.0, "how long the server keeps the model in memory", "s", 0.0)
    connect_seconds: float = setting(5.0, "longest wait for the server to take a call", "s", 0.1)
    first_token_seconds: float = setting(
        300.0, "longest wait for the first token; the model may have to be loaded", "s", 0.1
    )
    token_seconds: float = setting(30.0, "longest wait for each further token", "s", 0.1)
    retries: int = setting(3, "times that a call is tried again after a fault that can pass", "", 0, 20)
    retry_wait: float = setting(0.5, "wait before the first of them; doubled for each further one", "s", 0.0)
    parallel: int = setting(2, "calls at a time while indexing", "calls", 1, 64)
    mixed_below: int = setting(
        2, "mixed extraction asks the model where the rules find fewer triples", "triples", 0
    )


@dataclass(frozen=True, slots=True)
class CapConfig:
    """What answering one question may cost; 0 means without limit."""

    calls: int = setting(12, "most calls to the model for one question", "calls", 0)
    tokens: int = setting(40_000, "most tokens, in and out, for one question", "tokens", 0)
    seconds: float = setting(180.0, "most time that the model may take for one question", "s", 0.0)


@dataclass(frozen=True, slots=True)
class Config:
    """All stages. Each room is handed only its own part."""

    chunking: ChunkingConfig = ChunkingConfig()
    graph: GraphConfig = GraphConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    routing: RoutingConfig = RoutingConfig()
    answer: AnswerConfig = AnswerConfig()
    control: ControlConfig = ControlConfig()
    watch: WatchConfig = WatchConfig()
    models: ModelConfig = ModelConfig()
    caps: CapConfig = CapConfig()


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
