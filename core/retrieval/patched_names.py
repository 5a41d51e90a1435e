"""The table of names of a snapshot, of which only the names are made anew that another entity has now, or that are
told by the number of passages in another order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.index.splicing import Keyed, Splice, found_in, run_of
from core.index.texts import NameTable
from core.retrieval.changed_rows import Anew
from core.types.identity import without_sense

Rows = NDArray[np.int64]


def patched_names(
    old: Mapping[str, tuple[int, ...]],
    old_keys: Rows,
    entities: Keyed,
    anew: Anew,
    before: Rows,
    counts: Rows,
) -> NameTable:
    """`old_keys` (n_old,) are those of the entities whose rows stand in `old`, `before` (n_old,) and `counts` (n,) the
    passages that mention each entity."""
    table = old if isinstance(old, NameTable) else NameTable.of(old)
    renamed = np.zeros(len(old_keys), np.bool_)
    renamed[found_in(old_keys, anew.entities.keys)[0]] = True
    found = _read_again(entities, anew)
    stale = _stale(table, renamed, entities, before, counts)
    at_hand = [table.place(name) for name in found]
    stale = np.union1d(stale, np.array([at for at in at_hand if at >= 0], dtype=np.int64))
    for at in stale.tolist():
        rows = table.rows[table.starts[at] : table.starts[at + 1]]
        moved = entities.moved[rows[~renamed[rows]]]
        found[table.names[at]].update(moved[moved >= 0].tolist())
    name_rows = {
        name: tuple(sorted(rows, key=lambda row: (-counts[row], row))) for name, rows in found.items() if rows
    }
    fresh = NameTable.of(name_rows)
    is_current = np.ones(len(table), np.bool_)
    is_current[stale] = False
    stays = np.flatnonzero(is_current)
    sources = np.insert(stays, np.searchsorted(table.hashes[stays], fresh.hashes), -1)
    copied = Splice.of(sources)
    starts, entries = copied.runs(table.starts, fresh.starts)
    text_starts, letters = copied.runs(table.names.starts, fresh.names.starts)
    names = type(table.names)(text_starts, letters.rows(table.names.blob, fresh.names.blob))
    return NameTable(
        copied.rows(table.hashes, fresh.hashes),
        names,
        starts,
        entries.rows(entities.moved[table.rows], fresh.rows),
    )


def _read_again(entities: Keyed, anew: Anew) -> defaultdict[str, set[int]]:
    """Rows of the entities that were read anew, by name."""
    rows = {row.key: at for row, at in zip(anew.entities.rows, entities.came.tolist(), strict=True)}
    names = [(row.normal, row.key) for row in anew.entities.rows]
    found: defaultdict[str, set[int]] = defaultdict(set)
    for normal, key in [*names, *anew.aliases.rows]:
        if key in rows:
            found[without_sense(normal)].add(rows[key])
    return found


def _stale(table: NameTable, renamed: NDArray[np.bool_], entities: Keyed, before: Rows, counts: Rows) -> Rows:
    """Places in the table of names that an entity bore which was read anew, and of those that several bear one of which
    is mentioned otherwise."""
    recounted = np.zeros(len(before), np.bool_)
    there = entities.moved >= 0
    recounted[there] = counts[entities.moved[there]] != before[there]
    recounted[~there] = True
    lost = run_of(table.starts, np.flatnonzero((renamed | ~there)[table.rows]))
    order = run_of(table.starts, np.flatnonzero(recounted[table.rows]))
    several = order[np.diff(table.starts)[order] > 1] if len(order) else order
    return np.union1d(lost, several)
