"""How sure a fact is, and how much there is to gain by deciding on it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.store.candidate_facts import FactFigures
from core.store.review_log import fact_subject
from core.store.store import Store


def take_in(store: Store) -> None:
    """Weigh the facts whose triples changed, and have them count by what was decided, before anything rests on them."""
    figures = weigh(store)
    keys = [one.key for one in figures]
    ids = store.candidates.ids_of(keys)
    known = store.review_log.known(fact_subject(id) for id in ids)
    store.candidates.set_states({id: fact_state(store, id) for id in ids if fact_subject(id) in known})
    store.candidates.count_again(keys)


def weigh(store: Store, keys: Iterable[int] | None = None) -> list[FactFigures]:
    """Give these facts, or those whose triples changed, their probability and priority."""
    figures = store.candidates.figures(keys)
    rows = [(one.key, one.confidence, priority(one.confidence, one.reach, one.uses)) for one in figures]
    store.candidates.put_weights(rows)
    return figures


def priority(probability: float, reach: int, uses: int) -> float:
    """The doubt, by the entropy of being right in bits, times what hangs on the fact: its reach and its use in answers.

    No doubt leaves a tenth, so that a fact on which many rest comes before one that nobody asks for.
    """
    p = min(max(probability, 1e-6), 1 - 1e-6)
    doubt = -(p * math.log2(p) + (1 - p) * math.log2(1 - p))
    return (0.1 + doubt) * (1 + math.log1p(reach)) * (1 + math.log1p(uses))


def fact_state(store: Store, fact_id: str) -> str:
    """What holds of a fact: open, approved, rejected or disputed."""
    outcome = store.review_log.outcome(fact_subject(fact_id))
    return "disputed" if outcome is None else outcome or "open"
