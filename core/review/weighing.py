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
from core.text.translation import tr
from core.types import Answer, Policy

Writing = Callable[[], AbstractContextManager[None]]
_AT_ONCE = 500  # facts: a transaction of about 15 ms
_SEEDS = 3  # entities of a question whose facts it uses


def take_in(store: Store) -> None:
    """Weigh the facts whose triples changed, and have them count by what was decided, before anything rests on them."""
    ids = store.candidates.ids_of([one.key for one in weigh(store)])
    known = store.review_log.known(fact_subject(id) for id in ids)
    store.candidates.set_states({id: fact_state(store, id) for id in ids if fact_subject(id) in known})


def weigh_again(store: Store, keys: Sequence[int]) -> None:
    """Give these facts their probability and priority, and have them count by it."""
    store.candidates.put_weights(_weights(store, store.candidates.figures(keys), kept_filter(store)))


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


def note_use(store: Store, answer: Answer) -> None:
    """Have the facts that an answer rests on come earlier from now on."""
    passages = {one.passage.id for one in answer.evidence} | {cited.passage_id for cited in answer.citations}
    seeds = sorted(answer.trace.seeds, key=lambda seed: -seed.weight)[:_SEEDS]
    if passages:
        keys = store.candidates.note_use(passages | {seed.entity_id for seed in seeds})
        policy, learned = store.candidates.policy(), kept_filter(store) is not None
        store.candidates.put_weights(
            [
                (one.key, one.probability, priority(one, one.probability, policy, learned))
                for one in store.candidates.figures(keys)
            ]
        )


def _weights(store: Store, figures: Sequence[FactFigures], learned: LearnedFilter | None) -> list[Weights]:
    """By the filter where there is one, else by the surest triple."""
    sure = learned.probabilities(store, [one.key for one in figures]) if learned else {}
    policy = store.candidates.policy()
    probabilities = [(one, sure.get(one.key, one.confidence)) for one in figures]
    return [(one.key, p, priority(one, p, policy, learned is not None)) for one, p in probabilities]


def priority(figures: FactFigures, probability: float, policy: Policy, learned: bool) -> float:
    """The doubt, times what hangs on the fact and a number drawn for it.

    The doubt is whether it counts rightly: the entropy, in bits, of the probability against the bar of the policy, with
    .5 where that has none. It is cubed, so that it tells the near from the far, and no doubt leaves a tenth. Before a
    filter has learned anything all are in doubt alike. The draw, from the fact's id, has all kinds of facts come up: a
    filter that learned from the most doubtful ones alone would know nothing of the others.
    """
    bar = min(max(policy.bar, 0.01), 0.99) if policy.counts == "sure" else 0.5
    p = min(max(probability, 1e-6), 1 - 1e-6)
    p = p * (1 - bar) / (p * (1 - bar) + (1 - p) * bar)
    doubt = -(p * math.log2(p) + (1 - p) * math.log2(1 - p)) if learned else 1.0
    doubt = doubt if figures.plain else 0.0  # what is denied, say, never counts
    hanging = (1 + 0.02 * math.log1p(figures.reach)) * (1 + math.log1p(figures.uses))
    drawn = (zlib.crc32(figures.id.encode()) + 1) / (1 << 32)
    return (0.1 + doubt**3) * hanging * drawn


def fact_state(store: Store, fact_id: str) -> str:
    """What holds of a fact: open, approved, rejected or disputed."""
    outcome = store.review_log.outcome(fact_subject(fact_id))
    return "disputed" if outcome is None else outcome or "open"
