"""The events of building in order, read off what the store keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.construction import ConstructionRows
from core.store.review_log import names_subject
from core.store.store import Store
from core.types import Construction, Event, ReviewAct

_PERSON = "person"  # the rule of a merge that somebody asked for
_ALL = 1 << 40
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Moments:
    """When something came: the passages by their rows, then all merges, then all synonyms, then acts one by one."""

    passages: Ints  # keys, ascending
    acts: Ints  # keys, ascending

    @property
    def merging(self) -> int:
        return len(self.passages)

    @property
    def end(self) -> int:
        return self.merging + 2 + len(self.acts)

    def of_passages(self, keys: Ints) -> Ints:
        return np.searchsorted(self.passages, keys)

    def of_acts(self, keys: Ints) -> Ints:
        return np.asarray(self.merging + 2 + np.searchsorted(self.acts, keys))

    def passage_rows(self, moments: Ints) -> NDArray[np.int32]:
        return np.where(moments < self.merging, moments, -1).astype(np.int32)


def construction(store: Store) -> Construction:
    """Reads all names, facts, merges and acts at one state of the workspace."""
    return store.database.retry_read(lambda: _construction(store.construction, store))


def _construction(rows: ConstructionRows, store: Store) -> Construction:
    passages = rows.passages()
    acts: tuple[ReviewAct, ...] = tuple(reversed(store.review_log.acts(limit=_ALL)))
    act_keys = rows.act_keys()
    moments = _Moments(
        np.array([key for key, _, _ in passages], np.int64),
        np.array([act_keys[act.id] for act in acts], np.int64),
    )
    triples, names, facts = rows.triples(), rows.names(), rows.facts()
    facts, fact_moments = _facts(facts, triples, moments)
    keys = np.array([row[0] for row in names], np.int64)
    ends = np.searchsorted(keys, np.array([(row[2], row[4]) for row in facts], np.int64).reshape(-1, 2))
    name_moments = _names(keys, rows.first_passages(), ends, fact_moments, moments)
    order = np.lexsort((keys, name_moments))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    name_moments = name_moments[order]
    heads = rank[np.searchsorted(keys, np.array([row[3] for row in names], np.int64))][order]
    merges, reasons, merge_moments = _merges(rows, names, keys, rank, heads, moments)
    pairs, cosines = store.synonyms.edges()
    nearest = np.argsort(-cosines, kind="stable")
    synonyms = rank[np.searchsorted(keys, pairs[nearest])]
    when = (
        np.arange(len(passages)),
        name_moments,
        fact_moments,
        merge_moments,
        np.full(len(synonyms), moments.merging + 1),
        moments.of_acts(moments.acts),
    )
    kinds, event_rows, places = _in_order(when)
    return Construction(
        kinds=kinds,
        rows=event_rows,
        places=places,
        passage_ids=tuple(row[1] for row in passages),
        passage_titles=tuple(row[2] for row in passages),
        name_ids=tuple(names[at][1] for at in order.tolist()),
        names=tuple(names[at][2] for at in order.tolist()),
        heads=heads.astype(np.int32),
        name_passages=moments.passage_rows(name_moments),
        fact_ids=tuple(row[1] for row in facts),
        predicates=tuple(row[3] for row in facts),
        ends=rank[ends].astype(np.int32).reshape(-1, 2),
        fact_passages=moments.passage_rows(fact_moments),
        merges=merges,
        merge_reasons=reasons,
        synonyms=synonyms.astype(np.int32).reshape(-1, 2),
        cosines=cosines[nearest].astype(np.float32),
        acts=acts,
        extracted_again=_again(triples),
        rows_of={row[1]: at for at, row in enumerate(passages)},
    )


def _facts(
    facts: list[tuple[int, str, int, str, int]], triples: Ints, moments: _Moments
) -> tuple[list[tuple[int, str, int, str, int]], Ints]:
    """The facts in the order in which they came, and when each did: with the first triple that says it."""
    keys = np.array([row[0] for row in facts], np.int64)
    at = np.searchsorted(keys, triples[:, 0])
    known = at < len(keys)
    known[known] = keys[at[known]] == triples[known, 0]  # others do not count
    at, fact_triples = at[known], triples[known]
    stated = fact_triples[:, 3] > 0
    when = np.where(stated, moments.of_acts(fact_triples[:, 3]), moments.of_passages(fact_triples[:, 1]))
    first = np.full(len(keys), moments.end)
    written = np.full(len(keys), _ALL)
    np.minimum.at(first, at, when)
    np.minimum.at(written, at, np.where(when == first[at], fact_triples[:, 2], _ALL))
    order = np.lexsort((written, first))
    return [facts[row] for row in order.tolist()], first[order]


def _names(keys: Ints, first: Ints, ends: Ints, fact_moments: Ints, moments: _Moments) -> Ints:
    """When each name came: with the first passage that holds it, else with the first fact stated of it."""
    found = np.full(len(keys), moments.end)
    np.minimum.at(found, ends[:, 0], fact_moments)
    np.minimum.at(found, ends[:, 1], fact_moments)
    at = np.searchsorted(keys, first[:, 0])
    found[at] = np.minimum(moments.of_passages(first[:, 1]), moments.merging - 1) if len(first) else found[at]
    return found


def _merges(
    rows: ConstructionRows,
    names: list[tuple[int, str, str, int, str]],
    keys: Ints,
    rank: Ints,
    heads: Ints,
    moments: _Moments,
) -> tuple[NDArray[np.int32], tuple[str, ...], Ints]:
    """(name, head) of each name that was merged, why, and when; by the later name, a person's with their act."""
    merged = np.flatnonzero(heads != np.arange(len(heads)))
    pairs = np.stack([merged, heads[merged]], axis=1)
    decisions, why = rows.said_the_same(), {}
    for one, other, rule, reason, _ in rows.merges():  # the surest first
        a, b = (int(at) for at in np.searchsorted(keys, (one, other)))
        act = decisions.get(names_subject(names[a][4], names[b][4]), 0) if rule == _PERSON else 0
        for name, partner in ((rank[a], rank[b]), (rank[b], rank[a])):
            if heads[name] == partner:
                why[int(name)] = (reason, act)
            else:
                why.setdefault(int(name), (reason, act))
    reasons = [why.get(int(name), ("", 0)) for name in merged]
    acts = np.array([act for _, act in reasons], np.int64)
    when = np.where(acts > 0, moments.of_acts(acts), moments.merging)
    order = np.lexsort((pairs.max(axis=1), when)) if len(pairs) else np.zeros(0, np.int64)
    return pairs[order].astype(np.int32), tuple(reasons[at][0] for at in order.tolist()), when[order]


def _again(triples: Ints) -> int:
    """Passages whose first triple was written after one of a passage behind them."""
    read = triples[triples[:, 3] == 0]
    if not len(read):
        return 0
    passages, first = np.unique(read[:, 1], return_index=True)
    later = np.minimum.accumulate(first[::-1])[::-1]  # the first triple of this passage or one behind it
    return int((first > later).sum()) if len(passages) else 0


def _in_order(
    when: tuple[Ints, ...],
) -> tuple[NDArray[np.uint8], NDArray[np.int32], tuple[NDArray[np.int32], ...]]:
    """Kinds, rows and places of all events; at one moment the passage or the act first, then what it brought."""
    kinds = np.repeat(np.arange(len(when)), [len(each) for each in when])
    rows = np.concatenate([np.arange(len(each)) for each in when])
    rank = np.array([0, 2, 3, 4, 5, 1])[kinds]
    order = np.lexsort((rows, rank, np.concatenate(when)))
    came = kinds[order].astype(np.uint8)
    places = tuple(np.flatnonzero(came == kind).astype(np.int32) for kind in Event)
    return came, rows[order].astype(np.int32), places
