"""What is known of the entities and links of a drawn graph, as columns for filters, colours and sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, build_graph
from core.graph.pagerank import personalized_pagerank
from core.progress import TaskContext
from core.retrieval.derived_edges import derived_edges
from core.store.store import Store
from core.text.dates import day_range, iso
from core.types import GraphColumns, GraphView
from core.types.graph_shape import REVIEWED
from core.types.review import STATES

DAMPING = 0.85
_DATE = "DATE"  # label of entities that are dates
_NEVER = 9999_99_99

Ints = NDArray[np.int32]


@lru_cache(maxsize=100_000)
def _named(name: str) -> tuple[int, int]:
    return day_range(iso(name))


def graph_columns(store: Store, view: GraphView, context: TaskContext) -> GraphColumns:
    """Columns of a view of the whole graph. Raises Cancelled."""
    n = len(view.ids)
    row_of = {id: row for row, id in enumerate(view.ids)}
    entities = store.entities.rows()
    named = [(row.key, row_of[row.id]) for row in entities if row.id in row_of]
    keys, rows = np.array(named, np.int64).reshape(-1, 2).T
    dates = [(row.key, _named(row.name)[0]) for row in entities if row.label == _DATE]
    known = store.columns.documents()
    document_keys = np.array([row[0] for row in known], np.int64)
    spans = np.array([day_range(row[3]) for row in known], np.int32).reshape(-1, 2)
    context.check()
    mentions, documents = count_mentions(store, keys, rows, n)
    context.check()
    facts = store.columns.fact_states()
    first = _first_dates(facts[:, 1:3].astype(np.int64), dates, keys, rows, n)
    ends, edge = _edges_of(facts[:, 1:3].astype(np.int64), keys, rows, view)
    order = np.flatnonzero(edge >= 0)
    order = order[np.argsort(edge[order], kind="stable")]
    facts, ends, edge = facts[order], ends[order], edge[order]
    context.check()
    fact, source = _sources(store, facts[:, 0].astype(np.int64), document_keys)
    context.check()
    fact_dates = np.full(len(facts), _NEVER, np.int32)
    dated = spans[source, 0] > 0
    np.minimum.at(fact_dates, fact[dated], spans[source[dated], 0])
    for end in ends.T:
        np.minimum.at(first, end, fact_dates)
    state = facts[:, 3].astype(np.int32)
    return GraphColumns(
        mentions,
        documents,
        _importance(view, context),
        np.where(first == _NEVER, 0, first).astype(np.int32),
        review_states(n, ends, state),
        edge.astype(np.int32),
        facts[:, 0].astype(np.int64),
        facts[:, 4].astype(np.float32),
        state,
        fact,
        source,
        tuple(row[1] for row in known),
        tuple(row[2] for row in known),
        np.bincount(source, minlength=len(known)).astype(np.int32),
        *_derived(store, keys, rows),
    )


def _derived(
    store: Store, keys: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int8], Ints, NDArray[np.int64]]:
    """Kinds, rows of the ends and facts of the edges that follow from others, of those with both ends in the view."""
    edges = derived_edges(store)
    at = located(edges.ends, keys)
    in_view = (at >= 0).all(axis=1) & (edges.ends[:, 0] != edges.ends[:, 1])
    ends = rows[at[in_view]] if len(rows) else at[in_view]
    return edges.kinds[in_view], ends.reshape(-1, 2).astype(np.int32), edges.facts[in_view]


def located(wanted: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of keys among ascending ones; -1: not there."""
    if not len(keys):
        return np.full(wanted.shape, -1, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, at, -1)


def count_mentions(
    store: Store, keys: NDArray[np.int64], rows: NDArray[np.int64], n: int
) -> tuple[Ints, Ints]:
    """How often and in how many documents each entity is named, (n,) both."""
    found = store.columns.mention_counts()
    at = located(found[:, 0], keys)
    found, at = found[at >= 0], rows[at[at >= 0]]
    mentions = np.bincount(at, found[:, 2], minlength=n).astype(np.int32)
    pairs = np.unique(at << 32 | found[:, 1])
    return mentions, np.bincount(pairs >> 32, minlength=n).astype(np.int32)


def _edges_of(
    ends: NDArray[np.int64], keys: NDArray[np.int64], rows: NDArray[np.int64], view: GraphView
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ends of facts as rows of the view, (f, 2), and the edge on which each lies, (f,); -1: on none."""
    at = located(ends, keys)
    in_view: NDArray[np.bool_] = np.all(at >= 0, axis=1)
    placed = np.where(in_view[:, None], rows[at] if len(rows) else 0, 0)
    edge_keys = _pair_keys(view.edges.astype(np.int64))
    order = np.argsort(edge_keys)
    place = located(_pair_keys(placed), edge_keys[order])
    found = np.where(in_view & (place >= 0), order[place] if len(order) else -1, -1)
    return placed, found


def _pair_keys(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = pairs.min(axis=1, initial=1 << 31) << 32 | pairs.max(axis=1, initial=0)
    return keys


def _sources(
    store: Store, fact_keys: NDArray[np.int64], document_keys: NDArray[np.int64]
) -> tuple[Ints, Ints]:
    """Rows of facts, ascending, and rows of the documents that tell them, (k,) both."""
    found = store.columns.fact_documents()
    order = np.argsort(fact_keys)
    at = located(found[:, 0], fact_keys[order])
    found, at = found[at >= 0], at[at >= 0]
    fact, source = order[at] if len(order) else at, located(found[:, 1], document_keys)
    by = np.argsort(fact, kind="stable")
    return fact[by].astype(np.int32), source[by].astype(np.int32)


def _first_dates(
    ends: NDArray[np.int64],
    dates: Sequence[tuple[int, int]],
    keys: NDArray[np.int64],
    rows: NDArray[np.int64],
    n: int,
) -> Ints:
    """The earliest date that a fact joins to each entity, (n,); `_NEVER`: none. `dates` are keys with their day."""
    first = np.full(n, _NEVER, np.int32)
    date_keys, days = np.array([date for date in dates if date[1] > 0], np.int64).reshape(-1, 2).T
    for one, other in (ends.T, ends.T[::-1]):
        at, day = located(one, keys), located(other, date_keys)
        known = (at >= 0) & (day >= 0)
        np.minimum.at(first, rows[at[known]], days[day[known]].astype(np.int32))
    return first


def review_states(n: int, ends: NDArray[np.int64], state: Ints) -> Ints:
    """Of each entity by its facts, (n,): a row of REVIEWED."""

    def having(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(ends[mask].ravel(), minlength=n)

    approved, disputed = having(state == STATES.index("approved")), having(state == STATES.index("disputed"))
    some = np.where(approved == having(np.ones(len(state), np.bool_)), "approved", "partly")
    words = np.where(disputed > 0, "disputed", np.where(approved > 0, some, "open"))
    found = np.zeros(n, np.int32)
    for row, word in enumerate(REVIEWED):
        found[words == word] = row
    return found


def _importance(view: GraphView, context: TaskContext) -> NDArray[np.float32]:
    """PageRank over the drawn links by their strength, (n,). Page et al. 1999."""
    n, none = len(view.ids), Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    if not n:
        return np.zeros(0, np.float32)
    facts = Edges(view.edges.astype(np.int64), view.weights.astype(np.float64))
    graph = build_graph(np.arange(n), np.zeros(0, np.int64), facts, none, none)
    walk = personalized_pagerank(graph, np.full(n, 1.0 / n), DAMPING, context=context)
    return walk.scores.astype(np.float32)
