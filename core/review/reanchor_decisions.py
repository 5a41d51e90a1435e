"""Keeps the triples of facts that people stated in step with the log, and with the documents as they are now."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import BadInput
from core.extraction.names import LONGEST_NAME, normalise
from core.review.weighing import fact_state
from core.store.facts import NewTriple, identify_fact, predicate_key
from core.store.statements import Source
from core.store.store import Store
from core.text.translation import tr
from core.types import StatedFact, Triple
from core.types.kinds import stable_id
from core.types.review import ANSWER

# Confidence of a triple that a person stated, or an answer led to: six of nine were right on the sample.
_SURE, _LIKELY = 1.0, 0.6
_LONGEST_PREDICATE = 200  # characters


@dataclass(frozen=True, slots=True)
class Ends:
    """Normal forms of both ends as a document means them, and the fact between them."""

    subject: str
    object: str
    fact_id: str


def restate(store: Store, fact_ids: Iterable[str]) -> None:
    """Have triples stand for the statements of these facts that hold, and for no others."""
    ids = list(fact_ids)
    with store.database.transaction():
        wanted = store.statements.wanted(ids)
        existing = {one.pair: one.triple_key for one in store.statements.triples_of(ids)}
        for pair in [pair for pair in existing if pair not in wanted]:
            store.statements.drop(pair)
            if (triple := existing[pair]) is not None:
                store.statements.clear(triple)
        for pair, statement in wanted.items():
            if pair not in existing:
                store.statements.put(pair, _place(store, pair[0], statement))


def reanchor_decisions(store: Store) -> None:
    """Give statements a triple again whose passages were extracted anew, were moved, or mean other people now."""
    for one in store.statements.misplaced():
        store.statements.put(one.pair, None)
        assert one.triple_key is not None
        store.statements.clear(one.triple_key)
    lost = store.statements.unplaced()
    wanted = store.statements.wanted({one.fact_id for one in lost})
    for one in lost:
        if one.pair in wanted:
            store.statements.put(one.pair, _place(store, one.fact_id, wanted[one.pair]))


def find(text: str, quote: str, near: int) -> tuple[int, int] | None:
    """Where the quote stands, the place nearest to `near`, however its words are parted now; None where it does not."""
    pattern = r"\s+".join(map(re.escape, quote.split()))
    places = [match.span() for match in re.finditer(pattern, text)] if pattern else []
    return min(places, key=lambda place: abs(place[0] - near), default=None)


def ends_in(store: Store, document_key: int, statement: StatedFact) -> Ends:
    """Raises BadInput where the statement makes no fact."""
    ends = [normalise(end) for end in (statement.subject, statement.object)]
    predicate = predicate_key(statement.predicate)
    if not all(ends) or max(map(len, ends)) > LONGEST_NAME:
        raise BadInput(
            tr("A fact needs a name at both ends."),
            tr("Write names of at most {count} characters.", count=LONGEST_NAME),
        )
    if not predicate or len(predicate) > _LONGEST_PREDICATE:
        raise BadInput(
            tr("A fact needs words between its names."), tr("Write what the one has to do with the other.")
        )
    if ends[0] == ends[1]:
        raise BadInput(tr("Both ends are one name."), tr("Write two different names."))
    subject, object_ = (store.statements.meant(document_key, end) for end in ends)
    ids = stable_id("entity", subject), stable_id("entity", object_)
    return Ends(subject, object_, identify_fact(ids[0], predicate, ids[1]))


def _place(store: Store, fact_id: str, statement: StatedFact) -> int | None:
    """Key of a triple of the fact in the passage that holds the quote; None where none does."""
    for source in store.statements.sources(statement.path, statement.sha256, statement.quote):
        spot = find(source.text, statement.quote, statement.start)
        if spot is None:
            continue
        try:
            ends = ends_in(store, source.key, statement)
        except BadInput:  # a log of another hand may say anything
            return None
        # Where the document means another bearer of a name, it says another fact.
        if ends.fact_id == fact_id and (triple := _put(store, source, spot, statement, ends)) is not None:
            return triple
    return None


def _put(store: Store, source: Source, spot: tuple[int, int], fact: StatedFact, ends: Ends) -> int | None:
    found = store.statements.passage_at(source.key, *spot)
    if found is None:
        return None
    passage, begin, text = found
    if (
        fact.proposer == ANSWER
        and fact_state(store, ends.fact_id) != "approved"
        and (
            # Before somebody approves it, it brings no name along and makes no fact stronger.
            store.statements.is_read(ends.fact_id)
            or not {ends.subject, ends.object} <= store.statements.named_in(passage).keys()
        )
    ):
        return None
    start, end = spot[0] - begin, min(spot[1] - begin, len(text))
    if (same := store.statements.same(passage, ends.fact_id, start, end)) is not None:
        return same
    with store.database.transaction() as connection:
        sides = (
            (ends.subject, fact.subject, fact.subject_label),
            (ends.object, fact.object, fact.object_label),
        )
        rows = store.entities.ensure(connection, sides)
        for normal, surface, label in sides:
            at = text.find(surface, start)
            at = text.find(surface) if at < 0 else at
            place = (at, at + len(surface)) if at >= 0 else (0, 0)
            store.statements.mention(passage, rows[normal].key, *place, label, surface)
        sure = _LIKELY if fact.proposer == ANSWER else _SURE
        words = Triple(fact.subject, fact.predicate, fact.object, "", start, end, sure)
        new = NewTriple(passage, ends.subject, ends.object, words)
        (triple,) = store.facts.add(connection, [new], rows, fact.proposer)
        if fact.proposer != ANSWER:
            store.statements.be_sure(ends.fact_id)
        return triple
