"""How sure a fact is, and how much hangs on it: the order of the review queue."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from core.store.candidate_facts import FactFigures
from core.store.review_log import fact_subject
from core.store.store import Store
from core.types import Answer

_AT_ONCE = 500  # facts: a transaction of about 15 ms
_SEEDS = 3  # entities of a question whose facts it uses
_LEAST = 0.1  # doubt of a fact that is certain: what hangs on it still orders the queue


def take_in(store: Store) -> None:
    """Weigh the facts whose triples changed, and have them count by what was decided, before anything rests on them."""
    keys = store.candidates.changed()
    for first in range(0, len(keys), _AT_ONCE):
        weigh(store, keys[first : first + _AT_ONCE])
    ids = store.candidates.ids_of(keys)
    set_states(store, ids, store.facts.other_voices(keys))


def set_states(store: Store, ids: Iterable[str], voices: Mapping[str, str]) -> None:
    """Have facts count by what was decided on them, else on them in the other voice; others stay as they are."""
    ids = list(ids)
    known = store.review_log.known(fact_subject(id) for id in (*ids, *voices.values()))
    decided = {id: id if fact_subject(id) in known else voices.get(id, id) for id in ids}
    store.candidates.set_states(
        {id: fact_state(store, by) for id, by in decided.items() if fact_subject(by) in known}
    )


def weigh(store: Store, keys: Sequence[int]) -> None:
    """Give these facts their probability, that of the surest triple, and their priority; have them count by it."""
    figures = store.candidates.figures(keys)
    store.candidates.put_weights([(one.key, one.confidence, priority(one)) for one in figures])


def note_use(store: Store, answer: Answer) -> None:
    """Have the facts that an answer rests on come earlier from now on."""
    passages = {one.passage.id for one in answer.evidence} | {cited.passage_id for cited in answer.citations}
    seeds = sorted(answer.trace.seeds, key=lambda seed: -seed.weight)[:_SEEDS]
    if passages:
        weigh(store, store.candidates.note_use(passages | {seed.entity_id for seed in seeds}))


def priority(figures: FactFigures) -> float:
    """Return doubt times reach: the entropy of the fact's probability, in bits, times what hangs on it.

    What hangs on a fact are the facts at its ends and the recent answers that rested on it. No decision changes it, so
    the queue keeps its order while a person decides.
    """
    p = min(max(figures.confidence, 1e-6), 1 - 1e-6)
    doubt = (
        -(p * math.log2(p) + (1 - p) * math.log2(1 - p)) if figures.plain else 0.0
    )  # what is denied never counts
    return (_LEAST + doubt) * (1 + 0.02 * math.log1p(figures.reach)) * (1 + math.log1p(figures.uses))


def fact_state(store: Store, fact_id: str) -> str:
    """Return what holds of a fact: open, approved, rejected or disputed."""
    outcome = store.review_log.outcome(fact_subject(fact_id))
    return "disputed" if outcome is None else outcome or "open"
