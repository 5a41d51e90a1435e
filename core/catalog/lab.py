"""Routes that are compositions of parts: lab:NAME."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.catalog.asking import RETRIEVERS, RetrievalParts, second_stage
from core.catalog.choice import choose
from core.catalog.reading import LANGUAGE_MODELS
from core.config import Config, with_settings
from core.extraction.names import normalise
from core.protocols import Retriever
from core.retrieval.agentic.facts import FactReader
from core.retrieval.composed import ComposingParts
from core.retrieval.compositions import SETTLED, Composition, read_compositions, shipped_compositions
from core.translation import mark, tr

LAB = "lab:"


def compositions(own: str = "") -> dict[str, Composition]:
    """Those that Clew comes with, and those of the text that a workspace keeps. Raises BadInput."""
    return {**shipped_compositions(), **read_compositions(own, tr("The workspace's compositions"))}


def check_route(route: str, *besides: str, own: str | None = None) -> None:
    """Raises BadInput for a route that is no retriever, none of `besides` and no composition.

    `own` is the text of compositions that the workspace keeps; before it is open any lab:NAME passes.
    """
    if not route.startswith(LAB):
        choose(mark("route"), route, dict.fromkeys((*besides, *RETRIEVERS)))
    elif own is not None:
        composition_of(route, own)


def composition_of(route: str, own: str) -> Composition:
    """By its route, lab:NAME. Raises BadInput that names what there is."""
    return choose(mark("composition"), route.removeprefix(LAB), compositions(own))


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
