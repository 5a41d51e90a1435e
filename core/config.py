"""One frozen dataclass a stage; field metadata feeds the command line, the dialogs and the docs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from core.errors import BadInput
from core.text.translation import tr

Span = tuple[float, float]
SHARE: Span = (0, 1)


def setting(default: Any, words: str, unit: str = "", span: Span | None = None, form: str = "") -> Any:
    """A configuration field with the words that people see.

    `span`: least and most of a number, which must have one. `form`: a regular expression that a text
    matches as a whole; "" for any text.
    """
    return field(default=default, metadata={"words": words, "unit": unit, "span": span, "form": form})


@dataclass(frozen=True, slots=True)
class ReadingConfig:
    """Which files are read, how, and what one may cost. Only the languages change what is read of a file."""

    max_file_mb: int = setting(200, "larger files are listed, not read", "MB", (1, 2_000))
    max_seconds: int = setting(
        120,
        "longest time without a sign of life for a file of up to 10 MB; a larger one is given more, by its size",
        "s",
        (1, 86_400),
    )
    max_memory_mb: int = setting(2_000, "most memory for reading one file", "MB", (50, 1_000_000))
    ocr_language: str = setting(
        "eng", "languages of scanned pages, as Tesseract names them: eng+deu", form=r"\w+(\+\w+)*"
    )
    follow_links: bool = setting(False, "read also what links lead to outside of the folder")


@dataclass(frozen=True, slots=True)
class ChunkingConfig:
    """How documents are cut into passages."""

    max_tokens: int = setting(
        200,
        "longest passage; never more than the encoder reads, which is 256 for minilm",
        "tokens",
        (32, 8_192),
    )
    overlap: int = setting(1, "sentences that a passage repeats from the one before", "sentences", (0, 10))


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """How the graph is built. EA-GraphRAG 3.1, HippoRAG 2."""

    synonymy_threshold: float = setting(0.8, "least cosine between the names of synonyms", span=SHARE)
    synonymy_neighbours: int = setting(8, "nearest names looked at for each entity", "names", (0, 1_000))
    seed: int = setting(7, "seed of every random choice, so that runs repeat", span=(0, 2**31 - 1))


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """How passages are found. EA-GraphRAG 3.4."""

    damping: float = setting(0.6, "share of the mass that walks on at each step", span=(0, 0.99))
    top_facts: int = setting(
        3,
        "sentences nearest to the question, or facts that were reranked, whose entities may seed the walk",
        "sentences",
        (0, 1_000),
    )
    fact_reranker: str = setting(
        "",
        "who chooses the facts that seed the walk: empty for the nearest sentences, ollama:MODEL, or "
        "cross-encoder:FOLDER",
    )
    fact_vectors: bool = setting(
        False, "seed the walk from the facts nearest to the question by vectors of their own words"
    )
    fact_candidates: int = setting(20, "nearest facts that a reranker chooses from", "facts", (1, 200))
    walk_seeds: int = setting(
        0, "heaviest entities of sentences or facts that seed the walk; 0 for all", "entities", (0, 1_000)
    )
    top_seeds: int = setting(
        12, "seeds that are shown, and that paths of lab:hybrid start from", "entities", (0, 1_000)
    )
    name_share: float = setting(0.4, "share of the restart for entities that the question names", span=SHARE)
    fact_share: float = setting(0.4, "share of the restart for entities of the nearest sentences", span=SHARE)
    passage_share: float = setting(0.2, "share of the restart for passages by dense similarity", span=SHARE)
    passage_sharpness: float = setting(
        10.0, "power that sharpens the passages' similarities", span=(0, 1_000)
    )
    hub_power: float = setting(
        0.7, "how strongly entities of many passages are held down as seeds", span=(0, 10)
    )
    synonymy: bool = setting(True, "walk over synonymy edges, too")
    temporal_edges: float = setting(
        0.0, "weight of edges of before and after in the walk; 0 walks none", span=(0, 10)
    )
    hierarchy_edges: float = setting(
        0.0,
        "weight that edges of organisation have in the walk besides their facts'; 0 adds none",
        span=(0, 10),
    )
    citation_edges: float = setting(
        0.0, "weight in the walk of edges between documents that cite each other; 0 walks none", span=(0, 10)
    )
    least_strength: float = setting(
        0.0, "least strength of the facts between two entities that are walked; 0 prunes none", span=SHARE
    )
    rrf_k: int = setting(20, "smoothing constant of reciprocal rank fusion, eq. 8", span=(0, 1_000_000))
    crowding: float = setting(
        0.95, "what a passage of joined lists counts for each better one of its document", span=SHARE
    )
    lexical_weight: float = setting(
        1.0, "what the list by words counts, times what the question decides", span=(0, 100)
    )
    dense_weight: float = setting(
        1.0, "what the list by meaning counts, times what the question decides", span=(0, 100)
    )
    graph_weight: float = setting(
        1.0, "what the list by the graph counts, times what the question decides", span=(0, 100)
    )
    hybrid_dense: float = setting(0.3, "weight of the cosine in the hybrid score", span=(0, 1_000))
    hybrid_path: float = setting(0.7, "weight of the strongest path in the hybrid score", span=(0, 1_000))
    hybrid_pagerank: bool = setting(
        False, "an entity counts its PageRank on paths of lab:hybrid, not more the fewer facts it has"
    )
    candidates: int = setting(100, "passages each retriever hands on", "passages", (1, 100_000))
    second_stage: bool = setting(True, "choose the best passages anew, each for what it adds")
    pool: int = setting(40, "passages that the second stage chooses from", "passages", (1, 1_000))
    exact_up_to: int = setting(
        20_000,
        "vectors up to which a question is compared with all of them; above, with those of the nearest lists",
        "vectors",
        (0, 10_000_000),
    )
    reranker: str = setting(
        "",
        "folder of a cross-encoder, or file of `clew research train selector`; empty for what Clew comes with",
    )


@dataclass(frozen=True, slots=True)
class HierarchyConfig:
    """How the hierarchy of communities is searched. Deep GraphRAG 2.1.2."""

    width: int = setting(3, "communities that stay in the beam at each level", "communities", (1, 100))
    reranked: int = setting(
        12, "nearest communities that are ranked again by their sentences", "communities", (1, 1_000)
    )
    named: float = setting(
        0.5, "what a community or entity gains that holds all that the question names", span=(0, 10)
    )
    entities: int = setting(40, "best entities whose passages are read", "entities", (1, 1_000))
    entity_vectors: bool = setting(
        False,
        "entities count by what is said of them and their community's vector, joined, not by their nearest sentence",
    )
    whole_up_to: int = setting(
        50_000,
        "sentences up to which the question is compared with all of them",
        "sentences",
        (0, 10_000_000),
    )


@dataclass(frozen=True, slots=True)
class AgenticConfig:
    """How far the graph route goes, and when it has enough. A2RAG III-C."""

    aligned: float = setting(
        0.85,
        "least mean of edit similarity and cosine for a name that is in no entity word for word",
        span=SHARE,
    )
    relations: bool = setting(
        True, "follow the facts that tell what the question asks for, not any that lead to what can answer it"
    )
    related: float = setting(
        0.45,
        "least cosine between a relation and a predicate that shares no word; 1 compares none",
        span=SHARE,
    )
    enough: float = setting(
        1.0, "least coverage of names, relations and answer type at which a stage is the last", span=SHARE
    )
    facts: int = setting(200, "strongest facts of an entity that are looked at", "facts", (1, 5_000))
    steps: int = setting(4, "relations followed one after the other", "relations", (1, 8))
    found: int = setting(4, "names found by one step that the next begins at", "names", (1, 50))
    hops: int = setting(2, "facts between a seed and a bridge", "facts", (1, 4))
    reached: int = setting(2_000, "most nodes visited around one seed", "nodes", (1, 100_000))
    bridges: int = setting(12, "most bridges", "nodes", (0, 200))
    paths: int = setting(2, "shortest paths from a bridge to one seed", "paths", (1, 20))
    nodes: int = setting(
        60, "heaviest nodes of the walk that are mapped back to their passages", "nodes", (1, 5_000)
    )
    map_back: bool = setting(
        False, "rank passages by the heaviest nodes that they name, not by the mass that they hold themselves"
    )
    passages: int = setting(8, "most passages that one seed or name brings", "passages", (1, 200))
    first: int = setting(
        3,
        "passages of telling facts that go first, of those that the walk ranks highest",
        "passages",
        (0, 100),
    )


@dataclass(frozen=True, slots=True)
class RoutingConfig:
    """When a question is one for the graph. EA-GraphRAG 3.3."""

    low: float = setting(0.35, "the share of the graph at or below which it is not asked", span=SHARE)
    high: float = setting(0.5, "the graph's share at or above which it is heard alone", span=SHARE)


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """When an extractive answer is given, how long it is, and what a language model reads for one."""

    sentences: int = setting(3, "most sentences of an answer", "sentences", (1, 100))
    sure: float = setting(
        0.7,
        "least probability of an answer; below it the passages come first and a guess after them",
        span=SHARE,
    )
    told: float = setting(
        0.22, "least probability of a guess; below it Clew says that these documents do not tell", span=SHARE
    )
    distilled: bool = setting(
        False,
        "a language model reads the sentences of ten passages that say most, each with its place, not whole passages",
    )
    distilled_share: float = setting(
        0.4, "tokens of these sentences, as a share of those of the first five passages", span=(0.01, 1)
    )
    integrator: str = setting(
        "",
        "file of clew research train integrator that chooses the sentences; empty for the one that Clew comes with",
    )


@dataclass(frozen=True, slots=True)
class ControlConfig:
    """The loop that checks an answer before it is given. A2RAG III-B."""

    rounds: int = setting(2, "times that a question is asked again in other words", "rounds", (0, 5))
    gate: float = setting(
        0.25, "least cosine to the summary of any document; below it nothing is looked for", span=SHARE
    )
    relevance: float = setting(0.54, "least cosine of the question to the nearest sentence", span=SHARE)
    grounding: float = setting(0.5, "share of a written answer's claims that passages must carry", span=SHARE)
    aligned: float = setting(
        0.2,
        "share of what is asked, rare words counting most, that must stand where it is quoted",
        span=SHARE,
    )
    resolution: float = setting(
        0.3,
        "least probability that a passage tells the answer's words rather than others or none",
        span=SHARE,
    )
    widest: str = setting(
        "",
        "the route that a question takes where its own found nothing near, such as graph; empty for none",
    )


@dataclass(frozen=True, slots=True)
class WatchConfig:
    """When changes of a watched folder are told."""

    quiet: float = setting(
        2.0, "nothing may happen in the folder for this long before changes are read", "s", (0, 3_600)
    )
    stable: float = setting(1.0, "between two looks that must find the same sizes and times", "s", (0, 3_600))
    longest: float = setting(
        300.0, "files that are written without end are read after this long", "s", (0, 86_400)
    )
    poll: float = setting(10.0, "between two looks where the system tells of no changes", "s", (0.1, 3_600))


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The encoder and the language model, and how patient Clew is with it. Only `host` is ever contacted."""

    encoder: str = setting(
        "",
        "what compares texts by meaning: minilm, folder:PATH (a folder of sentence-transformers) or ollama:MODEL; "
        "empty for the one that the workspace was made with, at first minilm",
    )
    question_prefix: str = setting(
        "", 'put before questions for such an encoder, as in "query:"; empty for what its folder says'
    )
    passage_prefix: str = setting(
        "", 'put before passages for such an encoder, as in "passage:"; empty for what its folder says'
    )

    host: str = setting("http://127.0.0.1:11434", "where Ollama answers; no other host is contacted")
    model: str = setting("", "the model, as `clew models` lists it; empty for none")
    window: int = setting(4_096, "context window that prompt and reply share", "tokens", (512, 1_048_576))
    max_output: int = setting(1_024, "longest reply", "tokens", (16, 131_072))
    temperature: float = setting(0.0, "0: the likeliest word each time, so that runs repeat", span=(0, 2))
    seed: int = setting(7, "seed of the model's choices", span=(0, 2**31 - 1))
    keep_alive: float = setting(600.0, "how long the server keeps the model in memory", "s", (0, 604_800))
    connect_seconds: float = setting(5.0, "longest wait for the server to take a call", "s", (0.1, 3_600))
    first_token_seconds: float = setting(
        300.0, "longest wait for the first token; the model may have to be loaded", "s", (0.1, 86_400)
    )
    token_seconds: float = setting(30.0, "longest wait for each further token", "s", (0.1, 86_400))
    retries: int = setting(3, "times that a call is tried again after a fault that can pass", span=(0, 20))
    retry_wait: float = setting(
        0.5, "wait before the first of them; doubled for each further one", "s", (0, 3_600)
    )
    parallel: int = setting(2, "calls at a time while indexing", "calls", (1, 64))
    mixed_below: int = setting(
        2, "mixed extraction asks the model where the rules find fewer triples", "triples", (0, 1_000)
    )


@dataclass(frozen=True, slots=True)
class CapConfig:
    """What answering one question may cost; 0 means without limit."""

    calls: int = setting(12, "most calls to the model for one question", "calls", (0, 1_000))
    tokens: int = setting(40_000, "most tokens, in and out, for one question", "tokens", (0, 100_000_000))
    seconds: float = setting(180.0, "most time that the model may take for one question", "s", (0, 86_400))


@dataclass(frozen=True, slots=True)
class Config:
    """All stages. Each room is handed only its own part."""

    reading: ReadingConfig = ReadingConfig()
    chunking: ChunkingConfig = ChunkingConfig()
    graph: GraphConfig = GraphConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    hierarchy: HierarchyConfig = HierarchyConfig()
    agentic: AgenticConfig = AgenticConfig()
    routing: RoutingConfig = RoutingConfig()
    answer: AnswerConfig = AnswerConfig()
    control: ControlConfig = ControlConfig()
    watch: WatchConfig = WatchConfig()
    models: ModelConfig = ModelConfig()
    caps: CapConfig = CapConfig()


PERSONAL = frozenset({"models.host"})  # the person's own: no workspace keeps it or is believed about it
# Kept with the vectors that they make, see core.store.settings.
ENCODING = ("models.encoder", "models.question_prefix", "models.passage_prefix")
STAGES = tuple(stage.name for stage in fields(Config))
INDEXING = ("reading", "chunking", "models")  # what a workspace keeps, so that every later run reads alike
ASKED_BY = tuple(
    stage for stage in STAGES if stage not in INDEXING
)  # what answers follow from beside the index
# What may be turned while one looks at a ranking, and a workspace keeps where a person wants it to.
DIALS = tuple(
    f"retrieval.{name}"
    for name in "damping name_share fact_share passage_share top_facts hub_power passage_sharpness "
    "lexical_weight dense_weight graph_weight rrf_k crowding second_stage pool".split()
)
DIALS += ("routing.low", "routing.high")


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of a configuration as people are told of it."""

    name: str  # "reading.max_seconds"
    value: object
    default: object
    words: str
    unit: str
    least: float | None  # of a number
    most: float | None


def described(config: Config, stages: Sequence[str] = STAGES) -> list[Setting]:
    """Every setting of these stages, in order."""
    found = []
    for name in stages:
        part = getattr(config, name)
        for item in fields(part):
            least, most = item.metadata["span"] or (None, None)
            words, unit = item.metadata["words"], item.metadata["unit"]
            value = getattr(part, item.name)
            found.append(Setting(f"{name}.{item.name}", value, item.default, words, unit, least, most))
    return found


def with_settings(config: Config, wanted: Sequence[str], stages: Sequence[str] = STAGES) -> Config:
    """`wanted` such as "retrieval.damping=0.5", of these stages. Raises BadInput that names what there is."""
    for item in wanted:
        name, equals, text = item.partition("=")
        part, _, field_name = name.partition(".")
        known = {f.name: f for f in fields(getattr(config, part))} if part in stages else {}
        if field_name not in known:
            choices = [f"{part}.{found}" for found in known] or [f"{stage}.NAME" for stage in stages]
            raise BadInput(
                tr("There is no setting {name} here.", name=repr(name)),
                tr("Choose one of: {names}.", names=", ".join(choices)),
            )
        if not equals:
            raise BadInput(
                tr("No value is given for {name}.", name=name), tr("Write {name}=VALUE.", name=name)
            )
        stage = getattr(config, part)
        value = _read(text.strip(), name, known[field_name])
        config = replace(config, **{part: replace(stage, **{field_name: value})})
    return config


def changed(config: Config, stages: Sequence[str] = STAGES) -> list[str]:
    """What differs from the defaults, as `with_settings` reads it; nothing that is the person's own."""
    found = [s for s in described(config, stages) if s.name not in PERSONAL]
    return [f"{s.name}={s.value}" for s in found if s.value != s.default]


def dials_of(config: Config) -> list[str]:
    """Where all DIALS stand, as `with_settings` reads it."""
    return [f"{each.name}={each.value}" for each in described(config) if each.name in DIALS]


def kept(lines: Sequence[str]) -> Config:
    """The defaults, but for what `changed` told of another one."""
    config = Config()
    for line in lines:
        if line.partition("=")[0] in PERSONAL:
            continue
        with contextlib.suppress(BadInput):  # a setting of another version of Clew
            config = with_settings(config, [line])
    return config


def _read(text: str, name: str, item: Field[Any]) -> object:
    """`text` in the type of the field's default. Raises BadInput in words when it does not fit."""
    like = item.default
    try:
        if isinstance(like, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(like, str):
            if re.fullmatch(item.metadata["form"] or ".*", text) is None:
                raise ValueError(text)
            return text
        least, most = item.metadata["span"]
        value = float(text) if isinstance(like, float) else int(text)
        if not least <= value <= most:  # "nan" is out, too
            raise ValueError(text)
    except (KeyError, ValueError) as error:
        raise BadInput(
            tr("{text} does not fit {name}.", text=repr(text), name=name), _fitting(item)
        ) from error
    return value


def _fitting(item: Field[Any]) -> str:
    """What would fit, in words."""
    like, unit = item.default, item.metadata["unit"]
    if isinstance(like, bool):
        return tr("Give true or false.")
    if isinstance(like, str):
        return tr("It takes: {words}.", words=item.metadata["words"])
    least, most = item.metadata["span"]
    values = {"least": f"{least:,}", "most": f"{most:,}", "unit": unit}
    if isinstance(like, float):
        if unit:
            return tr("Give a number from {least} to {most} {unit}.", **values)
        return tr("Give a number from {least} to {most}.", **values)
    if unit:
        return tr("Give a whole number from {least} to {most} {unit}.", **values)
    return tr("Give a whole number from {least} to {most}.", **values)
