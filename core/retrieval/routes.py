"""Routes by their names: each is a composition, those of a person's own as lab:NAME."""

from __future__ import annotations

from core.extraction.question import ParsedQuestion
from core.retrieval.compositions import Composition, read_compositions, shipped_compositions
from core.text.escape_controls import choose
from core.text.translation import mark, tr
from core.types import Feature, Route, Stage
from core.types.stages import MOST, QuestionRead, Word

LAB = "lab:"
ROUTES = ("dense", "lexical", "graph", "fusion")
AUTO = "auto"  # asks the graph where words and meaning are not enough
FUSION = "fusion"  # asks it always; what a question's way is called before anything is found
GLOBAL = "global"  # the way of questions about all documents: no retriever, but the reports of communities


def compositions(own: str = "") -> dict[str, Composition]:
    """Those that Clew comes with, and those of the text that a workspace keeps. Raises BadInput."""
    return {**shipped_compositions(), **read_compositions(own, tr("The workspace's compositions"))}


def check_route(route: str, *besides: str, own: str | None = None) -> None:
    """Raises BadInput for a route that is none, none of `besides` and no composition.

    `own` is the text of compositions that the workspace keeps; before it is open any lab:NAME passes.
    """
    if not route.startswith(LAB):
        choose(mark("route"), route, dict.fromkeys((*besides, *ROUTES)))
    elif own is not None:
        composition_of(route, own)


def composition_of(route: str, own: str = "") -> Composition:
    """By its route, lab:NAME or one of Clew's. Raises BadInput that names what there is."""
    return choose(mark("composition"), route.removeprefix(LAB), compositions(own))


def route_stage(way: Route, seconds: float, parsed: ParsedQuestion) -> Stage:
    """Return the stage that says which route was taken, with the question as it was read."""
    share = f"{way.complexity.score:.2f}"
    words = tr("{route}, share of the graph {share}", route=way.name, share=share)
    if way.name.startswith(LAB) and not way.forced:
        words = tr("{route}, this workspace's own; share of the graph {share}", route=way.name, share=share)
    if not way.is_ranked and way.reason:
        words = tr("no lists are ranked: the question {reason}", reason=way.reason)
    return Stage(
        mark("route"),
        seconds,
        words,
        _as_read(parsed, way.complexity.features),
    )


def _as_read(parsed: ParsedQuestion, features: tuple[Feature, ...]) -> QuestionRead:
    """For the trace: the words of the question with their grammar."""
    named = {at for name in parsed.names for at in range(name.first, name.last)}
    words = (Word(t.text, t.lemma, t.pos, at in named) for at, t in enumerate(parsed.tokens[:MOST]))
    names = tuple(name.text for name in parsed.names[:MOST])
    return QuestionRead(tuple(words), names, parsed.type.value, parsed.focus, features)
