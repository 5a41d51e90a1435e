"""The parts that answer: retrievers, routers, generators, validators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.candidate import Candidate
from core.answering.control import Rewriter, Validators
from core.answering.extractive import ExtractiveGenerator
from core.answering.generate import ModelGenerator
from core.answering.rewriting import ModelRewriter
from core.answering.validators import ReaderValidators
from core.catalog.choice import choose
from core.catalog.reading import LANGUAGE_MODELS
from core.comprehension.comprehension import Comprehension
from core.config import (
    AgenticConfig,
    AnswerConfig,
    ControlConfig,
    HierarchyConfig,
    ModelConfig,
    RetrievalConfig,
    RoutingConfig,
)
from core.errors import BadInput
from core.extraction.names import normalise, without_disambiguation
from core.extraction.question import ParsedQuestion
from core.graph.pagerank import Walker
from core.progress import TaskContext
from core.protocols import Embedder, Generator, LanguageModel, Retriever, SecondStage
from core.providers.cross_encoder import CrossEncoderStage, pair_logits
from core.retrieval.agentic.facts import Tell
from core.retrieval.agentic.needs import Language
from core.retrieval.agentic.retriever import AgenticRetriever
from core.retrieval.corpus import Corpus
from core.retrieval.dense import DenseRetriever
from core.retrieval.dialled import DEPTH, DialParts, LaidOpen
from core.retrieval.document_words import DocumentWordsRetriever, Holders
from core.retrieval.fact_graph import FactGraph
from core.retrieval.fact_rerank import CrossEncoderFactReranker, ModelFactReranker
from core.retrieval.fact_seeds import FactChooser, FactReranker
from core.retrieval.hierarchy.retriever import HierarchicalRetriever
from core.retrieval.hierarchy.tree import Tree
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.joined import LISTS, JoinedRetriever, Weigh
from core.retrieval.lexical import LexicalRetriever, Search
from core.retrieval.ppr import GraphRetriever
from core.retrieval.scoring.reading import Relevance
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.selector import Pools, Selector
from core.retrieval.selection.wording import Texts, Wording
from core.retrieval.staged import StagedRetriever
from core.translation import mark, tr

AUTO = "fusion"  # what `auto` runs, where a question asks for something in particular
_ALL_FACTS = 1_000  # that a reranker ranked
GLOBAL = "global"  # the way of questions about all documents: no retriever, but the reports of communities


@dataclass(frozen=True, slots=True)
class RetrievalParts:
    """What retrievers are made of.

    `weigh(question, lists)` decides what each ranked list counts, `names(question)` gives the keys of its names,
    `wording` the words of passages, `texts` their titles and texts, `tell` what the `facts` of the snapshot
    say, `tree` the hierarchy of communities, `language` how a question's needs are read, `documents` the
    document of each passage, `holders` the passages that hold words, `owners` (n_passages,) the same as `documents`,
    `selection` the second stage's model, None for none; `relevance` is the trained reader's, of texts to a question;
    `has_model` tells whether a language model is configured that compositions may ask.
    """

    corpus: Corpus
    embedder: Embedder
    config: RetrievalConfig
    search: Search
    weigh: Weigh
    facts: FactGraph
    names: Callable[[str], tuple[str, ...]]
    wording: Wording
    texts: Texts
    tell: Tell
    language: Language
    agentic: AgenticConfig
    language_model: Callable[[str], LanguageModel]
    tree: Callable[[], Tree]
    hierarchy: HierarchyConfig
    documents: Mapping[str, int]
    holders: Holders
    owners: NDArray[np.int64]
    selection: SelectionModel | None = None
    relevance: Relevance | None = None
    has_model: bool = False


def name_key(name: str) -> str:
    """A name made comparable: normalised, without "(1945 film)"."""
    return without_disambiguation(normalise(name))


def pools(parts: RetrievalParts) -> Pools:
    """What the second stage chooses from."""
    return Pools(parts.corpus, parts.embedder, parts.wording, parts.names, normalise, name_key)


def _staged(first: Retriever, parts: RetrievalParts, further: int = 0) -> Retriever:
    """The retriever with its second stage, where there is a model and it is wanted.

    `further` candidates are chosen from besides the pool that is configured.
    """
    second = second_stage(parts) if parts.config.second_stage else None
    return first if second is None else StagedRetriever(first, second, parts.config.pool + further)


def second_stage(parts: RetrievalParts) -> SecondStage | None:
    if parts.config.reranker:
        return CrossEncoderStage(Path(parts.config.reranker), parts.texts)
    return None if parts.selection is None else Selector(pools(parts), parts.selection)


def _dense(parts: RetrievalParts) -> Retriever:
    return DenseRetriever(parts.corpus, parts.embedder)


def _lexical(parts: RetrievalParts) -> Retriever:
    return LexicalRetriever(parts.search)


def _walk(parts: RetrievalParts) -> Retriever:
    return GraphRetriever(parts.corpus, parts.embedder, parts.config, normalise, _fact_chooser(parts))


def _fact_chooser(parts: RetrievalParts) -> FactChooser | None:
    """Raises BadInput for a reranker that there is none of."""
    name = parts.config.fact_reranker
    if not name:
        return None
    kind, _, which = name.partition(":")
    make = choose(mark("reranker of facts"), kind, FACT_RERANKERS)
    if not which:
        raise BadInput(
            tr("The reranker {name} is not complete.", name=repr(name)),
            tr("Set ollama:MODEL or cross-encoder:FOLDER."),
        )
    reranker = make(name, parts)
    return FactChooser(parts.corpus, parts.facts, parts.tell, reranker, parts.config.fact_candidates)


def _model_facts(name: str, parts: RetrievalParts) -> FactReranker:
    return ModelFactReranker(name, lambda: parts.language_model(name))


def _cross_encoder_facts(name: str, parts: RetrievalParts) -> FactReranker:
    folder = Path(name.partition(":")[2]).expanduser()
    return CrossEncoderFactReranker(name, partial(pair_logits, folder))


# By what stands before the colon of the setting retrieval.fact_reranker.
FACT_RERANKERS: dict[str, Callable[[str, RetrievalParts], FactReranker]] = {
    "ollama": _model_facts,
    "cross-encoder": _cross_encoder_facts,
}


def _graph(parts: RetrievalParts) -> Retriever:
    return _staged(_walk(parts), parts)


def _fusion(parts: RetrievalParts) -> Retriever:
    lists: dict[str, Retriever] = {"lexical": _words(parts), "dense": _dense(parts), "graph": _graph(parts)}
    return JoinedRetriever(lists, parts.weigh, parts.config, parts.documents)


def _words(parts: RetrievalParts) -> Retriever:
    return DocumentWordsRetriever(
        parts.search,
        parts.holders,
        parts.corpus.graph.passage_keys,
        parts.owners,
        parts.corpus.passage_ids.rows,
    )


def laid_open(
    question: str,
    route: str,
    parts: RetrievalParts,
    weigh_under: Callable[[RoutingConfig], Weigh],
    context: TaskContext,
) -> LaidOpen:
    """A question of which the ranking is to be seen under other settings. Raises BadInput for a route without any."""
    route = AUTO if route == "auto" else route
    if route != AUTO and route not in LISTS:
        raise BadInput(
            tr("A ranking by this route cannot be laid open."),
            tr("Ask by the graph, by words, by meaning, or let Clew choose the route."),
        )
    vector = parts.embedder.embed_question(question)
    chooser, facts = _fact_chooser(parts), None
    if chooser is not None:
        near = parts.corpus.sentence_vectors.nearest(vector, chooser.wide)
        facts = chooser.choose(question, near, _ALL_FACTS, context)[0]
    wide = max(DEPTH, parts.config.candidates)
    makers = {"lexical": _lexical if route == "lexical" else _words, "dense": _dense}
    lists = {name: make(parts).retrieve(question, wide, context).hits for name, make in makers.items()}
    walker = Walker(parts.corpus.graph)
    dialled = DialParts(parts.corpus, normalise, weigh_under, parts.documents, second_stage(parts), walker)
    return LaidOpen(question, route, dialled, vector, lists, facts)


# What the second stage reorders, for its training.
FIRST_STAGES: dict[str, Callable[[RetrievalParts], Retriever]] = {"graph": _walk}


def _hybrid(parts: RetrievalParts) -> Retriever:
    return HybridRetriever(parts.corpus, parts.embedder, parts.facts, parts.config, normalise)


def _agentic(parts: RetrievalParts) -> Retriever:
    first = AgenticRetriever(
        parts.corpus,
        parts.embedder,
        parts.facts,
        parts.tell,
        parts.search,
        parts.wording,
        parts.language,
        normalise,
        parts.config,
        parts.agentic,
    )
    return _staged(first, parts, parts.agentic.further)


def _hierarchical(parts: RetrievalParts) -> Retriever:
    first = HierarchicalRetriever(parts.corpus, parts.embedder, parts.tree, normalise, parts.hierarchy)
    return _staged(first, parts)


RETRIEVERS: dict[str, Callable[[RetrievalParts], Retriever]] = {
    "dense": _dense,
    "lexical": _lexical,
    "graph": _graph,
    "fusion": _fusion,
    "hybrid": _hybrid,
    "agentic": _agentic,
    "hierarchical": _hierarchical,
}


GENERATORS: dict[str, Callable[[AnswerConfig, Comprehension], ExtractiveGenerator]] = {
    "extractive": ExtractiveGenerator
}


VALIDATORS: dict[str, Callable[[ControlConfig, AnswerConfig, Comprehension], Validators]] = {
    "reader": ReaderValidators
}


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, checks and rewrites while one question is answered."""

    generator: Generator[ParsedQuestion, Candidate]
    validators: Validators
    rewriter: Rewriter | None = None


def model_writer(model: LanguageModel, quoting: ExtractiveGenerator, validators: Validators) -> Writer:
    """A language model writes, the reader checks: one call where that holds."""
    return Writer(ModelGenerator(model, quoting), validators, ModelRewriter(model))


def check_generator(name: str, config: ModelConfig) -> None:
    """Raises BadInput where nothing of this name writes answers, or where it needs a model and none is named."""
    kind, _, model = name.partition(":")
    if kind not in LANGUAGE_MODELS:
        choose(mark("generator"), name, {**GENERATORS, **{f"{kind}:MODEL": None for kind in LANGUAGE_MODELS}})
    elif not (model or config.model):
        raise BadInput(
            tr("No model is named."),
            tr("Give {kind}:MODEL; clew models list tells what there is.", kind=kind),
        )
