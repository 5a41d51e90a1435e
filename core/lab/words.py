"""A composition described in words: what each of its modules does, and which settings were changed."""

from __future__ import annotations

from dataclasses import fields

from core.retrieval.compositions import (
    ADAPTER,
    PATHS,
    RANKERS,
    WEIGHED,
    Composition,
    MappingPart,
    PathsPart,
    PruningPart,
    SubgraphPart,
)
from core.text.translation import mark, tr, trn
from core.types import LabComposition, LabPart

SCORERS = {
    "words": mark("words"),
    "meaning": mark("meaning"),
    "reading": mark("the reader"),
    "model": mark("a language model"),
}
# The stage in the trace and the description of each ranker except paths.
_RANKERS = {
    "words": (mark("lexical"), mark("BM25 of passages")),
    "document-words": (mark("lexical"), mark("BM25, with the document's words")),
    "meaning": (mark("dense"), mark("nearest vectors")),
    "walk": (mark("graph"), mark("personalised PageRank")),
    "strength": (mark("hybrid"), mark("strongest paths beside nearness")),
    "stages": (mark("stages"), mark("local, bridge, global")),
    "tree": (mark("tree"), mark("communities from the top")),
    "thoughts": (mark("thoughts"), mark("words, and a language model's thoughts")),
}
_SUBGRAPH = {
    "none": mark("the whole graph"),
    "walk": mark("random walks"),
    "hops": mark("what lies around"),
    "importance": mark("personalised PageRank"),
}
_PRUNING = {
    "nodes": mark("entities by {scorer}"),
    "edges": mark("facts by {scorer}"),
    "triples": mark("triples by {scorer}"),
}
_PATHS = {
    "enumerated": mark("all paths"),
    "shortest": mark("shortest paths"),
    "one-way": mark("best paths by {scorer}"),
    "beam": mark("beam search by {scorer}"),
}
_JOINS = {
    WEIGHED: mark("lists weighed for the question"),
    ADAPTER: mark("by the question: one list or both"),
    "reciprocal": mark("all lists count alike"),
}
_CHOSEN = {"kind", "scorer"}  # already part of the description


def described(name: str, composition: Composition, own: bool) -> LabComposition:
    """Describe a composition; `own`: it is saved in the workspace."""
    return LabComposition(
        name,
        composition.group,
        composition.source,
        composition.differs,
        parts_of(composition),
        composition.needs_model,
        own,
    )


def parts_of(composition: Composition) -> tuple[LabPart, ...]:
    """Return the parts in the order in which a question passes through them."""
    found: list[LabPart] = []
    settings = composition.settings
    for name in composition.rank:
        if name == PATHS:
            found += _by_paths(composition)
        else:
            found.append(_ranker(name, settings))
        settings = ()  # they apply to all parts, and are listed once
    if len(composition.rank) > 1:
        found.append(LabPart(mark("join"), tr(_JOINS[composition.join])))
    second = LabPart(mark("second stage"), tr("each for what it adds") if composition.second_stage else "")
    # Where lists are joined, one of them may have its own second stage.
    return (*found, second) if second.kind or len(composition.rank) == 1 else tuple(found)


def _ranker(name: str, settings: tuple[str, ...]) -> LabPart:
    if name not in RANKERS:
        return LabPart(
            mark("graph") if name == "graph" else name, tr("as composition {name}", name=name), settings
        )
    module, words = _RANKERS[name]
    return LabPart(module, tr(words), settings)


def _by_paths(composition: Composition) -> tuple[LabPart, ...]:
    paths, pruning, seeds = composition.paths, composition.pruning, composition.seeds
    pruned = tr(_PRUNING[pruning.kind], scorer=_scorer(pruning.scorer)) if pruning.kind != "none" else ""
    named = trn("{count} entity", "up to {count} entities", seeds)
    subgraph = tr(_SUBGRAPH[composition.subgraph.kind])
    return (
        LabPart(mark("seeds"), named, composition.settings),
        LabPart(mark("subgraph"), subgraph, _changed(composition.subgraph)),
        LabPart(mark("pruning"), pruned, _changed(pruning) if pruned else ()),
        LabPart(mark("paths"), tr(_PATHS[paths.kind], scorer=_scorer(paths.scorer)), _changed(paths)),
        LabPart(mark("passages"), tr("facts, names, nearness"), _changed(composition.mapping)),
    )


def _scorer(name: str) -> str:
    return tr(SCORERS[name])


def _changed(part: SubgraphPart | PruningPart | PathsPart | MappingPart) -> tuple[str, ...]:
    """Return the settings that differ from the defaults."""
    like = type(part)()
    found = []
    for item in fields(part):
        value = getattr(part, item.name)
        if value != getattr(like, item.name) and item.name not in _CHOSEN:
            text = _scorer(value) if value in SCORERS else f"{value:,}" if type(value) is int else value
            found.append(tr("{words}: {value}", words=tr(item.metadata["words"]), value=text))
    return tuple(found)
