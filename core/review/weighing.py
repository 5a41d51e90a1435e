"""How sure a fact is, and how much there is to gain by deciding on it."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from core.progress import TaskContext
from core.review.learning import LearnedFilter, keep_filter, kept_filter, outdated, train
from core.store.candidate_facts import FactFigures, Weights
from core.store.review_log import fact_subject
from core.store.store import Store
from core.translation import tr
from core.types import Policy

Writing = Callable[[], AbstractContextManager[None]]
_AT_ONCE = 500  # facts: a transaction of about 15 ms


def take_in(store: Store) -> None:
    """Weigh the facts whose triples changed, and have them count by what was decided, before anything rests on them."""
    ids = store.candidates.ids_of([one.key for one in weigh(store)])
    known = store.review_log.known(fact_subject(id) for id in ids)
    store.candidates.set_states({id: fact_state(store, id) for id in ids if fact_subject(id) in known})


def weigh(store: Store) -> list[FactFigures]:
    """Give the facts whose triples changed their probability and priority, and have them count by it."""
    figures = store.candidates.figures()
    learned = kept_filter(store)
    for first in range(0, len(figures), _AT_ONCE):
        store.candidates.put_weights(_weights(store, figures[first : first + _AT_ONCE], learned))
    return figures


def relearn(store: Store, context: TaskContext, writing: Writing) -> None:
    """Train the filter and weigh all facts anew, where enough was decided since the last time.

    Raises as `weigh_all`. The filter is kept last: what was cut off before is begun again by whoever comes next.
    """
    if outdated(store.candidates.decisions(), kept_filter(store)):
        learned = train(store)
        weigh_all(store, learned, context, writing)
        with writing():
            keep_filter(store, learned)


def weigh_all(store: Store, learned: LearnedFilter | None, context: TaskContext, writing: Writing) -> None:
    """Give all facts their probability and priority, and have them count by it.

    `writing` is entered around each part that is written, so that a decision made meanwhile waits for one of them at
    most. Each part fits together by itself. Raises what `writing` raises, and Cancelled.
    """
    keys = store.candidates.keys()
    for first in range(0, len(keys), _AT_ONCE):
        context.report(tr("facts weighed"), first, len(keys))
        rows = _weights(store, store.candidates.figures(keys[first : first + _AT_ONCE]), learned)
        if changed := store.candidates.other_weights(rows):
            with writing(), store.database.transaction():
                if store.candidates.put_weights(changed):
                    store.settings.touch()
    context.report(tr("facts weighed"), len(keys), len(keys))


def _weights(store: Store, figures: Sequence[FactFigures], learned: LearnedFilter | None) -> list[Weights]:
    """By the filter where there is one, else by the surest triple."""
    sure = learned.probabilities(store, [one.key for one in figures]) if learned else {}
    policy = store.candidates.policy()
    probabilities = [(one, sure.get(one.key, one.confidence)) for one in figures]
    return [(one.key, p, priority(one, p, policy)) for one, p in probabilities]


def priority(figures: FactFigures, probability: float, policy: Policy) -> float:
    """The doubt, by the entropy of being right in bits, times what hangs on the fact and a number drawn for it.

    What counts before anybody looked at it comes first: if it is wrong, it does harm now. No doubt leaves a tenth. The
    draw, from the fact's id, has facts come up in proportion to the rest: a filter that learned from the most doubtful
    ones alone would know nothing of the others.
    """
    p = min(max(probability, 1e-6), 1 - 1e-6)
    doubt = -(p * math.log2(p) + (1 - p) * math.log2(1 - p))
    counts = policy.counts == "all" or (policy.counts == "sure" and probability >= policy.bar)
    hanging = (1 + 0.1 * math.log1p(figures.reach)) * (1 + math.log1p(figures.uses)) * (1 if counts else 0.25)
    drawn = (zlib.crc32(figures.id.encode()) + 1) / (1 << 32)
    return (0.1 + doubt) * hanging * drawn


def fact_state(store: Store, fact_id: str) -> str:
    """What holds of a fact: open, approved, rejected or disputed."""
    outcome = store.review_log.outcome(fact_subject(fact_id))
    return "disputed" if outcome is None else outcome or "open"
