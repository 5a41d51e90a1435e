"""Why a passage was missed, from the mark of a person to the stage that lost it; and what a change does to pins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.answering.ask import Asker
from core.answering.misses.diagnosis import furthest, look, passage_ranks, place_in, words_at
from core.answering.misses.judging import judged, verdict_words
from core.answering.misses.marking import Marked, marked, short
from core.config import Config
from core.errors import NothingIndexed
from core.progress import TaskContext
from core.retrieval.scope import ScopedPassages, restrict_to_scope
from core.review.attach_support import attach_support
from core.review.pins import ASKED, PinAnswer, affected, evidence_of, result_of
from core.store.store import Store
from core.text.translation import tr
from core.types import (
    EVERYTHING,
    Miss,
    MissMark,
    MissPins,
    MissStage,
    MissStep,
    PassageRanks,
    Pin,
    Scope,
    StepState,
)


def why_missed(
    store: Store,
    asker: Callable[[], Asker],
    config: Config,
    question: str,
    mark: MissMark,
    context: TaskContext,
    route: str = "auto",
    k: int = 5,
    generator: str = "extractive",
    scope: Scope = EVERYTHING,
) -> Miss:
    """Raises BadInput for a mark that means nothing, and as `Asker.ask`."""
    try:
        over = asker()
    except NothingIndexed:
        over = None
    found = marked(store, over.view.corpus if over is not None else None, mark)
    if not found.passages or over is None:
        return _unsearched(question, mark, found, route, k, generator)
    if not scope.all:
        selection = restrict_to_scope(store, scope, over.view.corpus.graph.passage_keys)
        inside = store.passages.by_keys(selection.keys.tolist())
        passages = {stored.passage.id for stored in inside} & {passage.id for passage in found.passages}
        step = _scope_step(selection, bool(passages))
        found = replace(found, steps=(*found.steps, step))
        if not passages:
            missed = _unsearched(question, mark, found, route, k, generator)
            return replace(missed, passage_id=found.passages[0].id, scope=scope)
        over = over.restrict_to(scope)
        found = replace(found, passages=tuple(each for each in found.passages if each.id in passages))
    diagnosis = look(over, question, context, route, k, generator)
    passage = furthest(diagnosis, found.passages)
    at = passage_ranks(store, over, diagnosis, passage, context)
    place = place_in(passage, found.places, diagnosis.answer)
    words = words_at(store, passage, place)
    lost, why, steps = judged(diagnosis, at, passage.id, config, words)
    return Miss(
        question,
        route,
        k,
        generator,
        mark,
        lost,
        why,
        (*found.steps, *steps),
        passage.id,
        found.document,
        found.quote if words is None else short(words.text),
        at,
        attach_support(store, diagnosis.answer),
        scope=scope,
        place=place,
    )


def _scope_step(kept: ScopedPassages, inside: bool) -> MissStep:
    words = tr("Only this was looked in: {scope}.", scope=kept.found.words)
    figure = f"{kept.found.taken:,}/{kept.found.count:,}"
    return MissStep(MissStage.SCOPE, StepState.PASSED if inside else StepState.LOST, figure, words)


def _unsearched(question: str, mark: MissMark, found: Marked, route: str, k: int, generator: str) -> Miss:
    last = found.steps[-1]
    return Miss(
        question,
        route,
        k,
        generator,
        mark,
        last.stage,
        verdict_words(last.stage),
        found.steps,
        "",
        found.document,
        found.quote,
        PassageRanks(),
        None,
        found.again,
    )


def effect_on_pins(store: Store, before: Asker, now: Asker, route: str, context: TaskContext) -> MissPins:
    """All pinned questions asked of both; `route` "" leaves each its own, else it is forced where none is."""
    pins = store.pins.all()
    total = 2 * len(pins)
    was = _asked(store, pins, before, "", 0, total, context)
    return MissPins(len(pins), affected(was, _asked(store, pins, now, route, len(pins), total, context)))


def _asked(
    store: Store, pins: list[Pin], asker: Asker, route: str, first: int, total: int, context: TaskContext
) -> dict[str, PinAnswer]:
    found = {}
    for at, pin in enumerate(pins, start=first):
        context.report("questions", at, total)
        way = route if route and pin.route == "auto" else pin.route
        answer = attach_support(store, asker.ask(pin.question, context, way, ASKED))
        found[pin.id] = result_of(store, pin, answer), evidence_of(answer)
    context.report("questions", first + len(pins), total)
    return found
