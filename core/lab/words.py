"""A composition in words: what each of its modules does, and what was changed of it."""

from __future__ import annotations

from dataclasses import fields

from core.retrieval.compositions import (
    Composition,
    MappingPart,
    PathsPart,
    PruningPart,
    SubgraphPart,
)
from core.translation import mark, tr, trn
from core.types import LabComposition, LabPart

SCORERS = {
    "words": mark("words"),
    "meaning": mark("meaning"),
    "reading": mark("the reader"),
    "model": mark("a language model"),
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
_CHOSEN = {"kind", "scorer"}  # which the words of the part tell already


def described(name: str, composition: Composition, own: bool) -> LabComposition:
    """`own`: kept by the workspace."""
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
    """In the order in which a question goes through them."""
    if composition.ranking:
        words = tr("the route {name} of Clew", name=composition.ranking)
        return (LabPart(mark("ranking"), words, composition.settings),)
    paths, pruning, seeds = composition.paths, composition.pruning, composition.seeds
    pruned = tr(_PRUNING[pruning.kind], scorer=_scorer(pruning.scorer)) if pruning.kind != "none" else ""
    second = tr("each for what it adds") if composition.second_stage else ""
    return (
        LabPart(
            mark("seeds"),
            trn("{count} entity", "up to {count} entities", seeds),
        ),
        LabPart(mark("subgraph"), tr(_SUBGRAPH[composition.subgraph.kind]), _changed(composition.subgraph)),
        LabPart(mark("pruning"), pruned, _changed(pruning) if pruned else ()),
        LabPart(mark("paths"), tr(_PATHS[paths.kind], scorer=_scorer(paths.scorer)), _changed(paths)),
        LabPart(mark("passages"), tr("facts, names, nearness"), _changed(composition.mapping)),
        LabPart(mark("second stage"), second),
    )


def _scorer(name: str) -> str:
    return tr(SCORERS[name])


def _changed(part: SubgraphPart | PruningPart | PathsPart | MappingPart) -> tuple[str, ...]:
    """The settings that are not as by default, but for those that another kind reads."""
    like = type(part)()
    found = []
    for item in fields(part):
        value = getattr(part, item.name)
        if value != getattr(like, item.name) and item.name not in _CHOSEN:
            told = _scorer(value) if value in SCORERS else f"{value:,}" if type(value) is int else value
            found.append(tr("{words}: {value}", words=tr(item.metadata["words"]), value=told))
    return tuple(found)
