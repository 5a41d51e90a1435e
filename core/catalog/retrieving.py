"""The parts that retrieve: what ranks passages, what chooses the best of them anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.catalog.choice import choose
from core.catalog.reading import LANGUAGE_MODELS
from core.catalog.routes import AUTO
from core.config import (
    AgenticConfig,
    Config,
    HierarchyConfig,
    RetrievalConfig,
    RoutingConfig,
    with_settings,
)
from core.errors import BadInput
from core.extraction.names import normalise, without_disambiguation
from core.graph.pagerank import Walker
from core.progress import TaskContext
from core.protocols import Embedder, LanguageModel, Retriever, SecondStage
from core.providers.cross_encoder import CrossEncoderStage, pair_logits
from core.retrieval.agentic.facts import FactReader, Tell
from core.retrieval.agentic.needs import Language
from core.retrieval.agentic.retriever import AgenticRetriever
from core.retrieval.composing_parts import ComposingParts
from core.retrieval.compositions import SETTLED
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
from core.retrieval.joined import LISTS, Weigh
from core.retrieval.lexical import LexicalRetriever, Search
from core.retrieval.ppr import GraphRetriever
from core.retrieval.scoring.reading import Relevance
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.selector import Pools, Selector
from core.retrieval.selection.wording import Texts, Wording
from core.translation import mark, tr

_ALL_FACTS = 1_000  # that a reranker ranked


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


def second_stage(parts: RetrievalParts) -> SecondStage | None:
    if parts.config.reranker:
        return CrossEncoderStage(Path(parts.config.reranker), parts.texts)
    return None if parts.selection is None else Selector(pools(parts), parts.selection)


def _meaning(parts: RetrievalParts) -> Retriever:
    return DenseRetriever(parts.corpus, parts.embedder)


def _words(parts: RetrievalParts) -> Retriever:
    return LexicalRetriever(parts.search)


def walk(parts: RetrievalParts) -> Retriever:
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


def _document_words(parts: RetrievalParts) -> Retriever:
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
    makers = {"lexical": _words if route == "lexical" else _document_words, "dense": _meaning}
    lists = {name: make(parts).retrieve(question, wide, context).hits for name, make in makers.items()}
    walker = Walker(parts.corpus.graph)
    dialled = DialParts(parts.corpus, normalise, weigh_under, parts.documents, second_stage(parts), walker)
    return LaidOpen(question, route, dialled, vector, lists, facts)


def _strength(parts: RetrievalParts) -> Retriever:
    return HybridRetriever(parts.corpus, parts.embedder, parts.facts, parts.config, normalise)


def _stages(parts: RetrievalParts) -> Retriever:
    return AgenticRetriever(
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


def _tree(parts: RetrievalParts) -> Retriever:
    return HierarchicalRetriever(parts.corpus, parts.embedder, parts.tree, normalise, parts.hierarchy)


# What ranks passages, but for paths (`core.retrieval.compositions.RANKERS`).
RANKERS: dict[str, Callable[[RetrievalParts], Retriever]] = {
    "words": _words,
    "document-words": _document_words,
    "meaning": _meaning,
    "walk": walk,
    "strength": _strength,
    "stages": _stages,
    "tree": _tree,
}


def composing(parts: RetrievalParts) -> ComposingParts:
    """What compositions are made of: make it once for all that are compared, with one `Memo` for all of them."""
    (provider,) = LANGUAGE_MODELS  # alone it names the model that is configured

    def under(settings: Sequence[str]) -> ComposingParts:
        config = Config(retrieval=parts.config, agentic=parts.agentic, hierarchy=parts.hierarchy)
        config = with_settings(config, settings, SETTLED)
        changed = replace(parts, config=config.retrieval, agentic=config.agentic, hierarchy=config.hierarchy)
        return composing(changed)

    return ComposingParts(
        corpus=parts.corpus,
        graph=parts.facts,
        embedder=parts.embedder,
        config=parts.config,
        normalise=normalise,
        reader=FactReader(parts.tell, parts.language.stems),
        relevance=parts.relevance,
        model=(lambda: parts.language_model(provider)) if parts.has_model else None,
        second=second_stage(parts) if parts.config.second_stage else None,
        rankers={name: partial(make, parts) for name, make in RANKERS.items()},
        further=parts.agentic.further,
        weigh=parts.weigh,
        documents=parts.documents,
        under=under,
    )
