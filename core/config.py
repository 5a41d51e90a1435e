"""One frozen dataclass a stage; field metadata feeds the command line, the dialogs and the docs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from core.errors import BadInput
from core.text.translation import tr

Span = tuple[float, float]
SHARE: Span = (0, 1)


def setting(
    default: Any, words: str, unit: str = "", span: Span | None = None, form: str = "", key: str = ""
) -> Any:
    """Return a field that a person moves, with the words that they see.

    `span`: least and most of a number, which must have one. `form`: a regular expression that a text
    matches as a whole; "" for any text. `key` is its name in files, where that is not the field's.
    """
    metadata = {"words": words, "unit": unit, "span": span, "form": form}
    return field(default=default, metadata={**metadata, "key": key} if key else metadata)


def parameter(default: Any, span: Span | None = None, form: str = "") -> Any:
    """Return a field that compositions, trials and measurements vary, and no person: it has no words."""
    return setting(default, "", span=span, form=form)


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
    max_memory_mb: int = parameter(2_000, (50, 1_000_000))  # for reading one file
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
    overlap: int = parameter(1, (0, 10))  # sentences that a passage repeats from the one before


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """How the graph is built. EA-GraphRAG 3.1, HippoRAG 2."""

    synonymy_threshold: float = parameter(0.8, SHARE)  # least cosine between the names of synonyms
    synonymy_neighbours: int = parameter(8, (0, 1_000))  # nearest names compared with each entity


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
    # Who chooses the facts that seed the walk: "" for the nearest sentences, ollama:MODEL or cross-encoder:FOLDER.
    fact_reranker: str = parameter("")
    # Whether facts are found by vectors of their own words, not by the nearest sentences.
    fact_vectors: bool = parameter(False)
    fact_candidates: int = parameter(20, (1, 200))  # nearest facts that a reranker chooses from
    walk_seeds: int = parameter(0, (0, 1_000))  # heaviest entities of facts that seed the walk; 0 for all
    top_seeds: int = parameter(12, (0, 1_000))  # seeds that a trace lists, and that lab:hybrid starts from
    name_share: float = setting(0.4, "share of the restart for entities that the question names", span=SHARE)
    fact_share: float = setting(0.4, "share of the restart for entities of the nearest sentences", span=SHARE)
    passage_share: float = setting(0.2, "share of the restart for passages by dense similarity", span=SHARE)
    passage_sharpness: float = setting(
        10.0, "power that sharpens the passages' similarities", span=(0, 1_000)
    )
    hub_power: float = setting(
        0.7, "how strongly entities of many passages are held down as seeds", span=(0, 10)
    )
    synonymy: bool = parameter(True)  # whether the walk takes synonymy edges, too
    # Weights of derived edges in the walk: before and after; organisation, besides their facts; citations. 0: none.
    temporal_edges: float = parameter(0.0, (0, 10))
    hierarchy_edges: float = parameter(0.0, (0, 10))
    citation_edges: float = parameter(0.0, (0, 10))
    least_strength: float = parameter(0.0, SHARE)  # of the facts between two entities; weaker ones are pruned
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
    # lab:hybrid: weights of the cosine and of the strongest path; whether an entity counts its PageRank on a path, not
    # more the fewer facts it has.
    hybrid_dense: float = parameter(0.3, (0, 1_000))
    hybrid_path: float = parameter(0.7, (0, 1_000))
    hybrid_pagerank: bool = parameter(False)
    candidates: int = parameter(100, (1, 100_000))  # passages that each retriever hands on
    second_stage: bool = setting(True, "choose the best passages anew, each for what it adds")
    pool: int = setting(40, "passages that the second stage chooses from", "passages", (1, 1_000))
    # Vectors up to which a question is compared with all of them; above, with those of the nearest lists.
    exact_up_to: int = parameter(20_000, (0, 10_000_000))
    reranker: str = setting(
        "",
        "folder of a cross-encoder, or file of `clew research train selector`; empty for what Clew comes with",
    )


@dataclass(frozen=True, slots=True)
class HierarchyConfig:
    """How the hierarchy of communities is searched. Deep GraphRAG 2.1.2."""

    width: int = parameter(3, (1, 100))  # communities that stay in the beam at each level
    reranked: int = parameter(12, (1, 1_000))  # nearest communities that are ranked again by their sentences
    named: float = parameter(
        0.5, (0, 10)
    )  # what a community or entity gains that has all named in the question
    entities: int = parameter(40, (1, 1_000))  # best entities whose passages are read
    # Whether entities count by D(v), their sentences joined with their community's vector, not by the nearest sentence.
    entity_vectors: bool = parameter(False)


@dataclass(frozen=True, slots=True)
class AgenticConfig:
    """How far the graph route goes, and when it has enough. A2RAG III-C."""

    aligned: float = parameter(0.85, SHARE)  # least mean of edit similarity and cosine of two names
    # Whether only facts that state what the question asks for are followed, not any that lead to an answer.
    relations: bool = parameter(True)
    # Least cosine between a relation and a predicate that shares no word; 1 compares none.
    related: float = parameter(0.45, SHARE)
    facts: int = parameter(200, (1, 5_000))  # strongest facts of an entity that are read
    found: int = parameter(4, (1, 50))  # names found by one step that the next begins at
    hops: int = parameter(2, (1, 4))  # facts between a seed and a bridge
    reached: int = parameter(2_000, (1, 100_000))  # most nodes visited around one seed
    bridges: int = parameter(12, (0, 200))
    paths: int = parameter(2, (1, 20))  # shortest paths from a bridge to one seed
    map_back: bool = parameter(
        False
    )  # rank passages by the heaviest nodes that they name, not by their own mass
    passages: int = parameter(8, (1, 200))  # that one seed or name brings, at most


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
        0.6,
        "least probability of an answer; one that takes a step which no sentence states needs more, a whole sentence "
        "that passes the checks 0.2 less",
        span=SHARE,
    )
    min_probability: float = setting(
        0.22, "least probability of a possible answer; below it Clew says that none was found", span=SHARE
    )
    distilled: str = setting(
        "auto",
        "a language model reads the sentences of ten passages that say most, each with its place, not whole passages: "
        "true, false, or auto: where it runs on a processor",
        form="auto|true|false",
    )
    write_themes: bool = setting(
        False, "a language model sums up the themes of an answer about all documents, a call for each of five"
    )
    first_words: float = parameter(120.0, (0.1, 86_400))  # longest wait for a model's; then quotes stand
    distilled_share: float = parameter(0.4, (0.01, 1))  # their tokens, of those of the first five passages
    # File of `clew research train integrator` that chooses them; "" for the one that Clew comes with.
    integrator: str = parameter("")


@dataclass(frozen=True, slots=True)
class ControlConfig:
    """The loop that checks an answer before it is given. A2RAG III-B."""

    rounds: int = parameter(2, (0, 5))  # times that a question is asked again in other words
    gate: float = parameter(
        0.25, SHARE
    )  # least cosine to the summary of any document; below it Clew abstains
    relevance: float = parameter(0.54, SHARE)  # least cosine of the question to the nearest sentence
    grounding: float = parameter(0.5, SHARE)  # share of a written answer's claims that passages must carry
    aligned: float = parameter(
        0.2, SHARE
    )  # share of what is asked, rare words counting most, in what is quoted
    resolution: float = parameter(
        0.3, SHARE
    )  # least probability that a passage states the answer, not another
    widest: str = parameter("")  # the route of a question whose own found nothing near; "" for none


@dataclass(frozen=True, slots=True)
class WatchConfig:
    """When changes of a watched folder are told."""

    quiet: float = setting(
        2.0, "nothing may happen in the folder for this long before changes are read", "s", (0, 3_600)
    )
    stable: float = parameter(1.0, (0, 3_600))  # seconds between two scans that must find the same
    longest: float = parameter(300.0, (0, 86_400))  # seconds after which a file written without end is read
    poll: float = parameter(
        10.0, (0.1, 3_600)
    )  # seconds between two scans where the system reports no changes


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

    reader: str = setting(
        "large",
        "what reads passages: large, or small (a third of the time, fewer answers)",
        form="large|small",
    )
    host: str = setting("http://127.0.0.1:11434", "where Ollama answers; no other host is contacted")
    model: str = setting("", "the model, as `clew models` lists it; empty for none")
    window: int = setting(4_096, "context window that prompt and reply share", "tokens", (512, 1_048_576))
    max_output: int = setting(1_024, "longest reply", "tokens", (16, 131_072))
    temperature: float = setting(0.0, "0: the likeliest word each time, so that runs repeat", span=(0, 2))
    connect_seconds: float = parameter(5.0, (0.1, 3_600))  # longest wait for the server to take a call
    first_token_seconds: float = setting(
        300.0, "longest wait for the first token; the model may have to be loaded", "s", (0.1, 86_400)
    )
    token_seconds: float = parameter(30.0, (0.1, 86_400))  # longest wait for each later token
    retries: int = parameter(3, (0, 20))  # times that a call is tried again after a fault that can pass
    silent_retries: int = parameter(1, (0, 20))  # the same where no first token came
    retry_wait: float = parameter(
        0.5, (0, 3_600)
    )  # seconds before the first of them; doubled for each later one
    parallel: int = setting(2, "calls at a time while indexing", "calls", (1, 64))


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

    @property
    def longest_silence(self) -> float:
        """Return the seconds after which a model that has not begun an answer gives way to quotes."""
        return min(self.models.first_token_seconds, self.answer.first_words)


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
    words: str  # "" for a parameter
    unit: str
    least: float | None  # of a number
    most: float | None


def described(config: Config, stages: Sequence[str] = STAGES) -> list[Setting]:
    """Return every setting of these stages, in order, and parameters that are not at their defaults."""
    return [each for each in every_setting(config, stages) if each.words or each.value != each.default]


def every_setting(config: Config, stages: Sequence[str] = STAGES) -> Iterator[Setting]:
    """Yield settings and parameters, in order."""
    for name in stages:
        part = getattr(config, name)
        for item in fields(part):
            least, most = item.metadata["span"] or (None, None)
            words, unit = item.metadata["words"], item.metadata["unit"]
            value = getattr(part, item.name)
            yield Setting(f"{name}.{item.name}", value, item.default, words, unit, least, most)


def with_settings(
    config: Config, wanted: Sequence[str], stages: Sequence[str] = STAGES, *, parameters: bool = True
) -> Config:
    """Return `config` with settings such as "retrieval.damping=0.5", of these stages, and `parameters` if allowed.

    Raises BadInput that names what there is.
    """
    names = [each.name for each in every_setting(config, stages) if parameters or each.words]
    for item in wanted:
        name, equals, text = item.partition("=")
        part, _, field_name = name.partition(".")
        if name not in names:
            choices = [each for each in names if each.partition(".")[0] == part]
            choices = choices or [
                f"{stage}.NAME" for stage in dict.fromkeys(n.partition(".")[0] for n in names)
            ]
            raise BadInput(
                tr("There is no setting {name} here.", name=repr(name)),
                tr("Choose one of: {names}.", names=", ".join(choices)),
            )
        if not equals:
            raise BadInput(
                tr("No value is given for {name}.", name=name), tr("Write {name}=VALUE.", name=name)
            )
        stage = getattr(config, part)
        [known] = [each for each in fields(stage) if each.name == field_name]
        config = replace(config, **{part: replace(stage, **{field_name: _read(text.strip(), name, known)})})
    return config


def changed(config: Config, stages: Sequence[str] = STAGES) -> list[str]:
    """What differs from the defaults, as `with_settings` reads it; nothing that is the person's own."""
    found = [s for s in every_setting(config, stages) if s.name not in PERSONAL]
    return [f"{s.name}={s.value}" for s in found if s.value != s.default]


def dials_of(config: Config) -> list[str]:
    """Where all DIALS stand, as `with_settings` reads it."""
    return [f"{each.name}={each.value}" for each in described(config) if each.name in DIALS]


def saved_config(lines: Sequence[str]) -> Config:
    """The defaults, but for what `changed` told of another one."""
    config = Config()
    for line in lines:
        if line.partition("=")[0] in PERSONAL:
            continue
        # Nobody could set a parameter of indexing back; one of asking comes from a change that was tried.
        parameters = line.partition(".")[0] in ASKED_BY
        with contextlib.suppress(BadInput):  # a setting of another version of Clew
            config = with_settings(config, [line], parameters=parameters)
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
