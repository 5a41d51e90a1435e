"""Routes that are compositions of parts: lab:NAME."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.catalog.asking import RETRIEVERS, RetrievalParts, second_stage
from core.catalog.choice import choose
from core.catalog.reading import LANGUAGE_MODELS
from core.config import Config, with_settings
from core.extraction.names import normalise
from core.protocols import Retriever
from core.retrieval.agentic.facts import FactReader
from core.retrieval.composed import ComposedRetriever, ComposingParts
from core.retrieval.compositions import SETTLED, Composition, shipped_compositions
from core.translation import mark

LAB = "lab:"


def composition(name: str, more: Mapping[str, Composition] | None = None) -> Composition:
    """One that Clew comes with, or of `more`. Raises BadInput that names what there is."""
    return choose(mark("composition"), name, {**shipped_compositions(), **(more or {})})


def check_route(route: str, *besides: str) -> None:
    """Raises BadInput for a route that is no retriever, none of `besides` and no composition."""
    if route.startswith(LAB):
        composition(route.removeprefix(LAB))
    else:
        choose(mark("route"), route, dict.fromkeys((*besides, *RETRIEVERS)))


def retriever(route: str, parts: RetrievalParts) -> Retriever:
    """By the name of a route. Raises BadInput where there is none of that name, or where a composition needs a model
    and none is named."""
    if route.startswith(LAB):
        return ComposedRetriever(composing(parts), composition(route.removeprefix(LAB)))
    return choose(mark("route"), route, RETRIEVERS)(parts)


def composing(parts: RetrievalParts) -> ComposingParts:
    """What compositions are made of: make it once for all that are compared, with one `Memo` for all of them."""
    (provider,) = LANGUAGE_MODELS  # alone it names the model that is configured
    return ComposingParts(
        corpus=parts.corpus,
        graph=parts.facts,
        embedder=parts.embedder,
        config=parts.config,
        normalise=normalise,
        reader=FactReader(parts.tell, parts.language.stems),
        relevance=parts.relevance,
        model=(lambda: parts.language_model(provider)) if parts.has_model else None,
        second=second_stage(parts),
        ranking=lambda route, settings: _ranking(route, settings, parts),
    )


def _ranking(route: str, settings: Sequence[str], parts: RetrievalParts) -> Retriever:
    """A route of Clew under other settings. Raises BadInput."""
    make = choose(mark("route"), route, RETRIEVERS)
    config = Config(retrieval=parts.config, agentic=parts.agentic, hierarchy=parts.hierarchy)
    config = with_settings(config, settings, SETTLED)
    changed = replace(parts, config=config.retrieval, agentic=config.agentic, hierarchy=config.hierarchy)
    return make(changed)
