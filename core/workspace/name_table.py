"""The names of a workspace as a table: what is counted of each, and its rows as a person wants to see them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import date

import numpy as np

from core.graph.overview import visible_edges
from core.progress import TaskContext
from core.retrieval.timeline import entity_days, timeline_of
from core.store.store import Store
from core.text.dates import stated_date
from core.types import NameRow, kind_words
from core.types.graph_shape import REVIEWED
from core.workspace.graph_columns import count_mentions, located, review_states

NAME_COLUMNS = ("name", "kind", "mentions", "documents", "facts", "ties", "first", "last", "review", "on_map")
_SORTED_BY = 32  # characters of a name


def read_name_table(store: Store, context: TaskContext) -> list[NameRow]:
    """Return all names that are no other name's, by the alphabet. Raises Cancelled."""
    table = store.entities.table()
    keys, n = table.keys, len(table.keys)
    context.check()
    mentions, documents = count_mentions(store, keys, np.arange(n), n)
    context.check()
    facts = store.columns.fact_states()
    ends = located(facts[:, 1:3].astype(np.int64), keys)
    ends[ends[:, 0] == ends[:, 1], 1] = -1  # a fact of one entity alone counts once
    count = np.bincount(ends[ends >= 0], minlength=n)
    states = review_states(n + 1, np.where(ends < 0, n, ends), facts[:, 3].astype(np.int32))[:n]
    review = np.where(count > 0, np.array(REVIEWED)[states], "")
    context.check()
    edges = visible_edges(store, store.map_edges.edges())
    ties = np.bincount(np.searchsorted(keys, edges.ends[edges.facts < 0].ravel()), minlength=n)
    nodes = store.map_edges.nodes()
    if (among := store.candidates.entities()) is not None:  # only approved facts count
        nodes = np.intersect1d(nodes, np.fromiter(among, np.int64))
    on_map = np.where(np.isin(keys, edges.ends), "drawn", np.where(np.isin(keys, nodes), "alone", "none"))
    context.check()
    words = {label: kind_words(label) for label in set(table.labels)}
    dates = _dates(store, table.ids)
    counts = (column.tolist() for column in (mentions, documents, count, ties))
    places = (column.tolist() for column in (review, on_map))
    rows = map(
        NameRow, table.ids, table.names, map(words.__getitem__, table.labels), *counts, *dates, *places
    )
    # Of a fixed length, so that numpy sorts them: Python's sort lets no other thread go on meanwhile.
    shortened = np.array([_fold(name)[:_SORTED_BY] for name in table.names], f"U{_SORTED_BY}")
    return list(map(list(rows).__getitem__, np.argsort(shortened, kind="stable").tolist()))


def _dates(store: Store, ids: list[str]) -> tuple[list[str], list[str]]:
    """Return the earliest and the latest date of these entities."""
    timeline = timeline_of(store)
    row_of = {id: row for row, id in enumerate(timeline.entity_ids)}
    days = np.concatenate([entity_days(timeline), np.zeros((1, 2, 2), np.int64)])
    days = days[[row_of.get(id, -1) for id in ids]]
    known: dict[tuple[int, int, int], str] = {}
    found: tuple[list[str], list[str]] = ([], [])
    for end, dates in enumerate(found):
        for span in days[:, end].tolist():
            if (key := (*span, end)) not in known:
                bound = span[end] and date.fromordinal(span[end]).isoformat()
                known[key] = (stated_date(*span) or bound) if bound else ""
            dates.append(known[key])
    return found


def arrange_names(
    rows: Sequence[NameRow], text: str = "", kind: str = "", on_map: str = "", by: str = "mentions",
    descending: bool = True,
) -> list[NameRow]:  # fmt: skip
    """Return those whose name holds a text, whatever its case and accents, of a kind and a place on the map, "" for
    any, in the order of one of NAME_COLUMNS; equal ones as they come, and those without a value last."""
    wanted = _fold(text.strip())
    some = [
        row
        for row in rows
        if (not kind or row.kind == kind)
        and (not on_map or row.on_map == on_map)
        and (not wanted or wanted in _fold(row.name))
    ]
    if by == "name":
        return some[::-1] if descending else some
    values = [getattr(row, by) for row in some]
    ranks = np.unique(values, return_inverse=True)[1]
    order = np.lexsort((-ranks if descending else ranks, [value == "" for value in values]))
    return list(map(some.__getitem__, order.tolist()))


def _fold(name: str) -> str:
    """Return a name without capitals and accents."""
    if name.isascii():
        return name.casefold()
    signs = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in signs if not unicodedata.combining(sign))
