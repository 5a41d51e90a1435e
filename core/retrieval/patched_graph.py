"""The graph of a snapshot, brought from one state to the next: only the nodes at which something changed are joined
anew, all others' edges are copied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, KnowledgeGraph
from core.graph.push import weighted_degrees
from core.index.splicing import Keyed, Splice, found_in, run_entries, run_of
from core.retrieval.fact_graph import FactGraph
from core.retrieval.kept_snapshot import Linked

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
Weights = NDArray[np.floating[Any]]


class OutOfStep(Exception):
    """What was read does not fit what was there: all is to be made anew."""


@dataclass(frozen=True, slots=True)
class Occurring:
    """Whom passages mention: those that did it and those that do now, by row."""

    before: Rows  # (m,) old passage rows whose mentions are of no use any more
    now: Rows  # (k,) passage rows, ascending, whose mentions are all among the pairs
    pairs: Rows  # (n, 2) entity row, passage row


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of entities between which facts or synonyms changed."""

    before: Rows  # (m, 2) old entity rows
    now: Rows  # (n, 2) entity rows


def renewed_links(
    old: Linked, entities: Keyed, old_keys: Rows, gone: Rows, came: Edges
) -> tuple[Linked, Pairs]:
    """The synonyms without those at an end of which one of the keys `gone` stands, and with those that `came`."""
    of_gone = np.zeros(len(old_keys), np.bool_)
    of_gone[found_in(old_keys, gone)[0]] = True
    goes = of_gone[old.ends].any(axis=1)
    remaining = entities.moved[old.ends[~goes]]
    ends = np.searchsorted(entities.keys, came.ends)
    if len(remaining) and remaining.min() < 0 or not np.isin(came.ends, entities.keys).all():
        raise OutOfStep
    n = max(1, len(entities.keys))
    at = np.searchsorted(remaining[:, 0] * n + remaining[:, 1], ends[:, 0] * n + ends[:, 1])
    joined = np.insert(remaining, at, ends, axis=0).astype(np.int32)
    weights = np.insert(old.weights[~goes], at, came.weights.astype(np.float32))
    return Linked(joined, weights), Pairs(old.ends[goes].astype(np.int64), ends)


def changed_facts(old: FactGraph, gone: Rows, now: FactGraph, came: Rows) -> Pairs:
    """Ends of facts by keys that went and that came."""
    return Pairs(_ends(old, gone), _ends(now, came))


def patched_graph(
    old: KnowledgeGraph,
    entities: Keyed,
    passages: Keyed,
    occurring: Occurring,
    changed: tuple[Pairs, Pairs],
    facts: FactGraph,
    linked: Linked,
) -> KnowledgeGraph:
    """`changed` are the pairs of entities that `facts` and `linked`, as they are now, join otherwise than before."""
    from scipy import sparse  # slow to import, and needed for asking only

    n_old, n_entities, n = old.n_entities, len(entities.keys), len(entities.keys) + len(passages.keys)
    arrived = np.where(passages.moved >= 0, n_entities + passages.moved, -1)
    moved = np.concatenate([entities.moved, arrived]).astype(np.int32)
    sources = np.concatenate(
        [entities.sources, np.where(passages.sources >= 0, n_old + passages.sources, -1)]
    )
    pairs = _affected(entities, changed)
    codes, weights = _joined(pairs, n_entities, facts, linked)
    old_mentions = old.adjacency.indices[run_entries(old.adjacency.indptr, n_old + occurring.before)[0]]
    nodes = occurring.pairs + np.array([0, n_entities])
    remade = np.zeros(n, np.bool_)
    # Passages that mention nobody any more, too.
    for rows in (n_entities + occurring.now, _there(moved[n_old + occurring.before])):
        remade[rows] = True
    touched = remade | (sources < 0)
    for rows in (pairs.ravel(), nodes.ravel(), _there(moved[old_mentions])):
        touched[rows] = True
    dirty = np.flatnonzero(touched)
    was = np.concatenate([entities.was, np.where(passages.was >= 0, n_old + passages.was, -1)])
    stays = _staying(old, dirty, was, moved, remade, codes, n_entities)
    one, other = codes // max(1, n_entities), codes % max(1, n_entities)
    met = np.ones(len(nodes))
    own, others, data = _rows_of(
        dirty,
        np.concatenate([stays[0], one, nodes[:, 0], nodes[:, 1]]),
        np.concatenate([stays[1], other, nodes[:, 1], nodes[:, 0]]),
        np.concatenate([stays[2], weights, met, met]),
    )
    sources[dirty] = -1
    copied = Splice.of(sources)
    starts, entries = copied.runs(old.adjacency.indptr, own)
    indices = entries.rows(moved[old.adjacency.indices], others)
    if len(indices) and indices.min() < 0:
        raise OutOfStep
    shape = (n, n)
    adjacency = sparse.csr_matrix(
        (entries.rows(old.adjacency.data, data), indices, starts.astype(old.adjacency.indptr.dtype)),
        shape=shape,
    )
    few = sparse.csr_matrix((data, others, own), shape=(len(dirty), n))
    counts = {
        "fact": len(facts.keys) // 2,
        "occurrence": old.counts["occurrence"] - len(old_mentions) + len(nodes),
        "synonymy": len(linked.weights),
    }
    degrees = copied.rows(old.degrees, weighted_degrees(few))
    return KnowledgeGraph(entities.keys, passages.keys, adjacency, degrees, counts)


def _staying(
    old: KnowledgeGraph,
    anew: Rows,
    was: Rows,
    moved: NDArray[np.int32],
    remade: Mask,
    codes: Rows,
    n_entities: int,
) -> tuple[Rows, Rows, Weights]:
    """Entries (row, column, weight) of the rows `anew` that are as they were: not of passages that are `remade`, nor of
    pairs of entities with these `codes`."""
    had = anew[was[anew] >= 0]
    places, owners = run_entries(old.adjacency.indptr, was[had])
    rows, others = had[owners], moved[old.adjacency.indices[places]].astype(np.int64)
    stays = (others >= 0) & ~remade[rows] & ~remade[others]
    between = np.flatnonzero(stays & (rows < n_entities) & (others < n_entities))
    stays[between] = ~np.isin(rows[between] * n_entities + others[between], codes)
    return rows[stays], others[stays], old.adjacency.data[places[stays]]


def _rows_of(anew: Rows, rows: Rows, others: Rows, weights: Weights) -> tuple[Rows, Rows, Weights]:
    """CSR offsets, columns and weights of the rows `anew`, of entries in any order."""
    there = weights > 0
    rows, others, weights = rows[there], others[there], weights[there].astype(np.float32)
    order = np.lexsort((others, rows))
    own = np.searchsorted(rows[order], np.append(anew, np.iinfo(np.int64).max)).astype(np.int64)
    return own, others[order], weights[order]


def _affected(entities: Keyed, changed: tuple[Pairs, Pairs]) -> Rows:
    """Pairs, (m, 2), both ways and each once, of entities that are there."""
    before = entities.moved[np.concatenate([pairs.before for pairs in changed])]
    # Who lost a neighbour that is gone is joined anew as well: a pair with itself stands for it.
    before = np.where(before < 0, before[:, ::-1], before)
    pairs = np.concatenate([before[(before >= 0).all(axis=1)], *(pairs.now for pairs in changed)])
    return np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)


def _joined(
    pairs: Rows, n_entities: int, facts: FactGraph, linked: Linked
) -> tuple[Rows, NDArray[np.float64]]:
    """Codes of the pairs, first * n_entities + second, ascending, and what facts and synonyms between them weigh."""
    codes = pairs[:, 0] * n_entities + pairs[:, 1]
    weights = np.zeros(len(codes))
    if not len(codes):
        return codes, weights
    touched = np.zeros(n_entities, np.bool_)
    touched[pairs.ravel()] = True
    rows = np.flatnonzero(touched)
    places, owners = run_entries(facts.starts, rows)
    _add(weights, codes, rows[owners] * n_entities + facts.others[places], facts.told[places])
    own = np.flatnonzero(touched[linked.ends].all(axis=1))
    ends = linked.ends[own].astype(np.int64)
    for one, other in ((0, 1), (1, 0)):
        _add(weights, codes, ends[:, one] * n_entities + ends[:, other], linked.weights[own])
    return codes, weights


def _add(weights: NDArray[np.float64], codes: Rows, own: Rows, values: NDArray[np.float32]) -> None:
    at = np.minimum(np.searchsorted(codes, own), len(codes) - 1)
    hit = codes[at] == own
    np.add.at(weights, at[hit], values[hit])


def _ends(facts: FactGraph, keys: Rows) -> Rows:
    places = np.flatnonzero(np.isin(facts.keys, keys))
    return np.stack([run_of(facts.starts, places), facts.others[places].astype(np.int64)], axis=1)


def _there(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    return rows[rows >= 0]
