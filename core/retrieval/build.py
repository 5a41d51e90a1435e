"""The parts that retrieve: what ranks passages, what chooses the best of them anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.config import (
    RoutingConfig,
)
from core.errors import BadInput
from core.extraction.names import normalise, without_disambiguation
from core.models.cross_encoder import CrossEncoderStage, pair_logits
from core.progress import TaskContext
from core.protocols import LanguageModel, SecondStage
from core.retrieval.fact_rerank import CrossEncoderFactReranker, ModelFactReranker
from core.retrieval.fact_seeds import AsNear, FactChooser, FactReranker
from core.retrieval.fact_vectors import FactVectors
from core.retrieval.fusion import LISTS, Weigh
from core.retrieval.parts import RetrievalParts
from core.retrieval.rankers import RANKERS, graph_retriever
from core.retrieval.ranking_session import DEPTH, RankingParts, RankingSession
from core.retrieval.routes import AUTO, FUSION
from core.retrieval.routing.weighing import Weigher
from core.retrieval.seeds import NEAREST
from core.retrieval.selection.model import SUFFIX, SelectionModel, load_model
from core.retrieval.selection.selector import Pools, Selector
from core.text.escape_controls import choose
from core.text.translation import mark, tr

_ALL_FACTS = 1_000  # that a reranker ranked


def name_key(name: str) -> str:
    """A name made comparable: normalised, without "(1945 film)"."""
    return without_disambiguation(normalise(name))


def pools(parts: RetrievalParts) -> Pools:
    """What the second stage chooses from."""
    return Pools(parts.corpus, parts.embedder, parts.wording, parts.names, normalise, name_key)


def second_stage(parts: RetrievalParts, model: SelectionModel | None) -> SecondStage | None:
    """Of the trained `model`, where nothing else is configured. Raises ModelUnavailable for a file that is no model."""
    if parts.config.reranker.endswith(SUFFIX):
        return Selector(pools(parts), load_model(Path(parts.config.reranker).expanduser()))
    if parts.config.reranker:
        return CrossEncoderStage(Path(parts.config.reranker), parts.texts)
    return None if model is None else Selector(pools(parts), model)


def fact_chooser(parts: RetrievalParts, language_model: Callable[[str], LanguageModel]) -> FactChooser | None:
    """As configured; `language_model(name)` gives one. Raises BadInput for a reranker that there is none of."""
    name, config = parts.config.fact_reranker, parts.config
    vectors = FactVectors(parts.facts, parts.tell, parts.embedder) if config.fact_vectors else None
    if not name:
        if vectors is None:
            return None
        most = config.top_facts
        return FactChooser(parts.corpus, parts.facts, parts.tell, AsNear(), most, vectors)
    kind, _, which = name.partition(":")
    make = choose(mark("reranker of facts"), kind, FACT_RERANKERS)
    if not which:
        raise BadInput(
            tr("The reranker {name} is not complete.", name=repr(name)),
            tr("Set ollama:MODEL or cross-encoder:FOLDER."),
        )
    reranker = make(name, language_model)
    return FactChooser(parts.corpus, parts.facts, parts.tell, reranker, config.fact_candidates, vectors)


def _model_facts(name: str, language_model: Callable[[str], LanguageModel]) -> FactReranker:
    return ModelFactReranker(name, partial(language_model, name))


def _cross_encoder_facts(name: str, _: Callable[[str], LanguageModel]) -> FactReranker:
    folder = Path(name.partition(":")[2]).expanduser()
    return CrossEncoderFactReranker(name, partial(pair_logits, folder))


# By what stands before the colon of the setting retrieval.fact_reranker.
FACT_RERANKERS: dict[str, Callable[[str, Callable[[str], LanguageModel]], FactReranker]] = {
    "ollama": _model_facts,
    "cross-encoder": _cross_encoder_facts,
}


def open_ranking_session(
    question: str,
    route: str,
    parts: RetrievalParts,
    weigh_under: Callable[[RoutingConfig], Weigher],
    context: TaskContext,
) -> RankingSession:
    """A question of which the ranking is to be seen under other settings. Raises BadInput for a route without any."""
    if route not in (AUTO, FUSION, *LISTS):
        raise BadInput(
            tr("A ranking by this route cannot be laid open."),
            tr("Ask by the graph, by words, by meaning, or let Clew choose the route."),
        )
    vector = parts.embedder.embed_question(question)
    chooser, facts = parts.chooser(parts), None
    if chooser is not None:
        near = parts.corpus.sentence_vectors.nearest(vector, chooser.wide)
        facts = chooser.choose(question, near, _ALL_FACTS, context)[0]
    wide = max(DEPTH, parts.config.candidates)
    makers = {"lexical": "words" if route == "lexical" else "document-words", "dense": "meaning"}
    lists = {
        name: RANKERS[ranker](parts).retrieve(question, wide, context).hits for name, ranker in makers.items()
    }

    def weigh(config: RoutingConfig) -> Weigh:
        weigher = weigh_under(config)
        return weigher.sparing if route == AUTO else weigher

    ranking_parts = RankingParts(
        parts.corpus, normalise, weigh, parts.documents, parts.second_stage(parts), parts.walker
    )
    early = graph_retriever(parts).run_early_stages(question, max(wide, NEAREST), context)
    return RankingSession(question, route, ranking_parts, vector, lists, early, facts)
