"""The whole graph with its communities as one looks at it: read once, at hand until the content changes, and kept
beside the database as one file of arrays, so that a large workspace opens at once.

It is derived: stamped with what it was made of, deleted without harm, made again where it is not of this state.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, undirected
from core.graph.folding import put_upon
from core.graph.hierarchy import coverage, modularity
from core.index.array_file import Arrays, open_arrays, write_arrays
from core.index.texts import Coded
from core.index.vector import IndexFolder
from core.store.communities import CommunityRow
from core.store.entities import EntityTable
from core.store.store import Store
from core.types import Community, CommunityQuality, Foldable, GraphView

FILE = "picture.arrays"
LAYOUT = 1  # another number for whatever changes in what the arrays mean
LEAST = 2_000  # entities: smaller graphs are read as quickly as a file
# Arrays of which a wrong byte could do no more than show something wrongly.
LARGE = ("ids", "names", "labels", "view_positions", "view_weights", "positions", "radii", "outlines")
_LABEL_NAMES = 3
_OWN = ("home", "drawn", "positions", "radii", "outlines", "parent")  # arrays of a Foldable
_OF_VIEW = ("degree", "community", "positions", "edges", "weights")  # and of its view

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Picture:
    """`whole` has all communities, from the top down, the largest first within a level; `quality` is of each level."""

    whole: Foldable
    quality: tuple[CommunityQuality, ...]


_kept: WeakKeyDictionary[Store, tuple[dict[str, Any], Picture]] = WeakKeyDictionary()
_reading = threading.Lock()


def picture_of(store: Store, folder: IndexFolder) -> Picture:
    """The picture of the workspace as it stands. Where neither memory nor `folder` has it the store is read: some
    seconds for half a million names, so not on a window's thread.
    """
    with _reading:
        stamp = _stamp(store)
        known = _kept.get(store)
        if known is None or known[0] != stamp:
            picture = _opened(folder, stamp)
            if picture is None:
                picture = store.database.steadily(lambda: _read(store))
                _keep(picture, stamp, folder)
            known = _kept[store] = (stamp, picture)
        return known[1]


def picture_at_hand(store: Store, folder: IndexFolder) -> tuple[Picture, bool] | None:
    """The last one that was made, and whether nothing changed since; None where there is none. Quick."""
    with _reading:
        stamp = _stamp(store)
        known = _kept.get(store)
        if known is None and (picture := _opened(folder, stamp)) is not None:
            known = _kept[store] = (stamp, picture)
        if known is not None:
            return known[1], known[0] == stamp
        older = _opened(folder, stamp, of_any_state=True)
        return (older, False) if older is not None else None


def _stamp(store: Store) -> dict[str, Any]:
    """What tells one state of the picture from another; quick."""
    revision, counts = store.census.state()
    return {
        "layout": LAYOUT,
        "revision": revision,
        "counts": counts,
        "facts that count": store.candidates.policy().counts,
        "titles": store.reports.titles_stamp(),
    }


# ---------------------------------------------------------------- the file


def forget_picture(folder: Path) -> None:
    """Delete the file, which holds names of what may be gone. Raises OSError."""
    (folder / FILE).unlink(missing_ok=True)


def _keep(picture: Picture, stamp: Mapping[str, Any], folder: IndexFolder) -> None:
    """Write it for the next process. Where the folder is closed or full there is none."""
    whole = picture.whole
    if folder.read_only or len(whole.view.ids) < LEAST:
        return
    view, communities = whole.view, whole.communities
    known = dict.fromkeys(view.ids)
    for community in communities:
        known.update(dict.fromkeys(community.entity_ids))
    row = {id: at for at, id in enumerate(known)}
    held = [np.fromiter(map(row.__getitem__, each.entity_ids), np.int32) for each in communities]
    codes = Coded.of(view.labels)
    columns = [
        (
            each.id,
            each.level,
            -1 if each.parent_id is None else each.parent_id,
            each.colour,
            len(each.entity_ids),
        )
        for each in communities
    ]
    arrays: Arrays = {
        "ids": _texts(known),
        "names": _texts(view.names),
        "labels": _texts(each.label for each in communities),
        "codes": codes.codes,
        "held": np.concatenate([*held, np.zeros(0, np.int32)]),
        "communities": np.array(columns, np.int64).reshape(-1, 5),
        **{f"view_{name}": getattr(view, name) for name in _OF_VIEW},
        **{name: getattr(whole, name) for name in _OWN},
    }
    said = {"labels": codes.words, "quality": [astuple(each) for each in picture.quality]}
    with contextlib.suppress(OSError):
        write_arrays(folder.path / FILE, stamp, said, arrays)


def _opened(folder: IndexFolder, stamp: Mapping[str, Any], of_any_state: bool = False) -> Picture | None:
    """The one that was kept of this very state, or of any in which the same facts counted; None: there is none."""
    file = open_arrays(folder.path / FILE, None if of_any_state else stamp, LARGE)
    if file is None or any(file.stamp.get(name) != stamp[name] for name in ("layout", "facts that count")):
        return None
    held, said = file.arrays, file.said
    # Built a few at a time: what takes one step of the interpreter holds up every other thread.
    ids, names, labels = (_read_texts(held[name]) for name in ("ids", "names", "labels"))
    columns, members = held["communities"], held["held"]
    ends = np.cumsum(columns[:, 4])
    communities = tuple(
        Community(
            key,
            level,
            parent if parent >= 0 else None,
            tuple([ids[at] for at in members[end - count : end].tolist()]),
            label,
            colour,
        )
        for (key, level, parent, colour, count), end, label in zip(
            columns.tolist(), ends.tolist(), labels, strict=True
        )
    )
    words = said["labels"]
    view = GraphView(
        tuple(ids[: len(names)]),
        tuple(names),
        tuple([words[code] for code in held["codes"].tolist()]),
        **{name: held[f"view_{name}"] for name in _OF_VIEW},
    )
    whole = Foldable(view, communities, **{name: held[name] for name in _OWN})
    return Picture(whole, tuple(CommunityQuality(*each) for each in said["quality"]))


def _texts(texts: Iterable[str]) -> NDArray[np.uint8]:
    """One behind the other with a NUL between, which no text has that SQLite put together."""
    return np.frombuffer("\0".join(texts).encode(), np.uint8)


def _read_texts(blob: NDArray[np.uint8]) -> list[str]:
    return blob.tobytes().decode().split("\0") if len(blob) else []


# ---------------------------------------------------------------- from the store


def _read(store: Store) -> Picture:
    table = store.entities.table()
    rows = {row.key: row for row in store.communities.rows()}
    ends, strengths = store.facts.edges()
    view = _view(store, table, ends, strengths)
    members = _Members(store, table, rows)
    communities = members.communities(store.reports.titles())
    place = {community.id: at for at, community in enumerate(communities)}
    home = np.full(len(table.keys), -1, np.int32)
    home[members.entities] = np.array([place[key] for key in members.homes.tolist()], np.int32)
    drawn = np.searchsorted(table.keys, view[1])
    quality = _quality(members.keys, members.all_homes, rows, ends, strengths)
    return Picture(put_upon(view[0], communities, home[drawn]), tuple(quality))


def _view(
    store: Store, table: EntityTable, ends: Ints, strengths: NDArray[np.float64]
) -> tuple[GraphView, Ints]:
    """The entities with facts and the edges between them; and the keys of these entities."""
    proper = ends[:, 0] != ends[:, 1]
    edges = undirected(np.searchsorted(table.keys, ends[proper]), strengths[proper])
    degree = np.bincount(edges.ends.ravel(), minlength=len(table.keys))
    drawn = np.flatnonzero(degree)
    placed = store.layout.all()
    at = np.minimum(np.searchsorted(placed.keys, table.keys[drawn]), max(len(placed.keys) - 1, 0))
    found = placed.keys[at] == table.keys[drawn] if len(placed.keys) else np.zeros(len(drawn), dtype=bool)
    community = np.full(len(drawn), -1, dtype=np.int32)
    positions = np.zeros((len(drawn), 2), dtype=np.float32)
    community[found], positions[found] = placed.communities[at[found]], placed.positions[at[found]]
    chosen = drawn.tolist()
    view = GraphView(
        ids=tuple(map(table.ids.__getitem__, chosen)),
        names=tuple(map(table.names.__getitem__, chosen)),
        labels=tuple(map(table.labels.__getitem__, chosen)),
        degree=degree[drawn].astype(np.int32),
        community=community,
        positions=positions,
        edges=np.searchsorted(drawn, edges.ends).reshape(-1, 2).astype(np.int32),
        weights=edges.weights.astype(np.float32),
    )
    return view, table.keys[drawn]


class _Members:
    """Whose each entity is: `entities` (k,) are rows of the table, `homes` (k,) keys of their finest communities."""

    def __init__(self, store: Store, table: EntityTable, rows: Mapping[int, CommunityRow]) -> None:
        self._table, self._rows = table, rows
        self.keys, self.all_homes = keys, homes = store.communities.members()
        known = np.isin(homes, np.array(list(rows), dtype=np.int64)) & np.isin(keys, table.keys)
        among = store.candidates.entities()
        if among is not None:  # only approved facts count
            known &= np.isin(keys, np.fromiter(among, np.int64, len(among)))
        self.entities, self.homes = np.searchsorted(table.keys, keys[known]), homes[known]

    def communities(self, titles: Mapping[int, str]) -> tuple[Community, ...]:
        """All that hold an entity, the most mentioned first in each."""
        parents = {key: -1 if row.parent is None else row.parent for key, row in self._rows.items()}
        levels = [self.homes]
        while (above := _mapped(levels[-1], parents)).max(initial=-1) >= 0:
            levels.append(above)
        tops = _tops(levels)
        order = self._by_mentions(tops)
        colours = dict(zip(self.homes.tolist(), tops.tolist(), strict=True))
        for key in [*colours]:
            top = colours[key]
            while (key := parents[key]) >= 0:
                colours[key] = top
        found = [
            Community(
                key,
                self._rows[key].level,
                self._rows[key].parent,
                tuple(map(self._table.ids.__getitem__, held)),
                titles.get(key) or ", ".join(map(self._table.names.__getitem__, held[:_LABEL_NAMES])),
                self._rows[colours[key]].number,
            )
            for level in levels
            for key, held in self._held(level, order)
        ]
        return tuple(sorted(found, key=lambda each: (-each.level, -len(each.entity_ids), each.id)))

    def _by_mentions(self, tops: Ints) -> Ints:
        """An order of `entities`: those of a top community together, the most mentioned first, ties by name."""
        mentions = self._table.passages[self.entities]
        order = np.lexsort((-mentions, tops))
        # Ties only, and few at a time: no other thread waits for one sort of half a million names.
        changes = np.flatnonzero((np.diff(tops[order]) != 0) | (np.diff(mentions[order]) != 0)) + 1
        names, ids, rows = self._table.names, self._table.ids, self.entities.tolist()
        for part in np.split(order, changes):
            if len(part) > 1:
                part[:] = sorted(part.tolist(), key=lambda at: (names[rows[at]], ids[rows[at]]))
        return order

    def _held(self, level: Ints, order: Ints) -> list[tuple[int, list[int]]]:
        """(community, rows of its entities in that order) of a level; -1: none."""
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        together = np.lexsort((rank, level))
        together = together[np.searchsorted(level[together], 0) :]
        keys, starts = np.unique(level[together], return_index=True)
        rows = self.entities[together].tolist()
        cuts = [*starts.tolist(), len(rows)]
        return [(key, rows[cuts[at] : cuts[at + 1]]) for at, key in enumerate(keys.tolist())]


def _tops(levels: Sequence[Ints]) -> Ints:
    """The topmost community of each entity."""
    tops = levels[0]
    for level in levels[1:]:
        tops = np.where(level >= 0, level, tops)
    return tops


def _mapped(keys: Ints, table: Mapping[int, int]) -> Ints:
    """What the table says of each key; -1 of -1."""
    named, at = np.unique(keys, return_inverse=True)
    return np.array([table.get(key, -1) for key in named.tolist()], dtype=np.int64)[at]


def _quality(
    keys: Ints, homes: Ints, rows: Mapping[int, CommunityRow], ends: Ints, strengths: NDArray[np.float64]
) -> list[CommunityQuality]:
    """How good the partition of each level is, the top level first."""
    known = np.isin(homes, np.array(list(rows), dtype=np.int64))  # but those founded a moment ago
    keys, homes = keys[known], homes[known]
    if not len(homes):
        return []
    inside = np.isin(ends, keys).all(axis=1) & (ends[:, 0] != ends[:, 1])
    edges = undirected(np.searchsorted(keys, ends[inside]), strengths[inside])
    parents = {key: -1 if row.parent is None else row.parent for key, row in rows.items()}
    found = []
    for level in range(1, max(row.level for row in rows.values()) + 1):
        found.append(_quality_of(level, homes, edges))
        homes = _mapped(homes, parents)
    return found[::-1]


def _quality_of(level: int, homes: Ints, edges: Edges) -> CommunityQuality:
    names, labels = np.unique(homes, return_inverse=True)
    sizes, own = np.bincount(labels), labels.astype(np.int32)
    said = (modularity(own, edges.ends, edges.weights), coverage(own, edges.ends, edges.weights))
    return CommunityQuality(
        level, len(names), int(sizes.min()), int(np.median(sizes)), int(sizes.max()), *said
    )
