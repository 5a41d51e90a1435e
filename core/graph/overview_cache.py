"""The picture of a workspace, at hand until the content changes, and kept beside the database as one file of arrays, so
that a large workspace opens at once.

It is derived: stamped with what it was made of, deleted without harm, made again where it is not of this state.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.graph.overview import Overview, read_overview
from core.index.array_file import ArrayFile, Arrays, open_arrays, write_arrays
from core.index.texts import Coded
from core.index.vector import IndexFolder
from core.store.store import Store
from core.types import Community, CommunityQuality, Foldable, GraphView

FILE = "picture.arrays"
LAYOUT = 2  # another number for whatever changes in what the arrays mean
LEAST = 2_000  # entities: smaller graphs are read as quickly as a file
# Arrays of which a wrong byte could do no more than show something wrongly.
LARGE = ("ids", "names", "labels", "view_positions", "view_weights", "positions", "radii", "outlines")
_OWN = ("home", "drawn", "positions", "radii", "outlines", "parent")  # arrays of a Foldable
_OF_VIEW = ("degree", "community", "positions", "edges", "weights", "common_passages")  # and of its view

Stamp = dict[str, Any]


class OverviewCache:
    """Of one workspace. Safe from every thread; one of them reads, and nobody who only looks waits for it."""

    def __init__(self, store: Store, folder: IndexFolder) -> None:
        self._store, self._folder = store, folder
        self._last: tuple[Stamp, Overview] | None = None
        self._reading = threading.Lock()

    def now(self) -> Overview:
        """As the workspace stands. Where neither memory nor the file has it the store is read."""
        with self._reading:
            stamp = self._stamp()
            if (known := self._known(stamp)) is not None:
                return known
            picture = self._read(stamp)
            _keep(picture, stamp, self._folder)
            return picture

    def keep(self) -> None:
        """Have one lie beside the database, so that a window shows it at once; an older one is enough for that."""
        with self._reading:
            stamp = self._stamp()
            small = stamp["counts"]["entities"] < LEAST
            if not small and _file(self._folder, stamp, of_any_state=True) is None:
                last = self._last
                _keep(last[1] if last and last[0] == stamp else self._read(stamp), stamp, self._folder)

    def _read(self, stamp: Stamp) -> Overview:
        picture = self._store.database.retry_read(lambda: read_overview(self._store))
        self._last = stamp, picture
        return picture

    def at_hand(self) -> tuple[Overview, bool] | None:
        """The last one that was made, and whether nothing changed since; None where there is none. Quick."""
        stamp = self._stamp()
        if (known := self._known(stamp)) is not None:
            return known, True
        if self._last is not None:
            return self._last[1], False
        older = _opened(self._folder, stamp, of_any_state=True)
        return (older, False) if older is not None else None

    def _known(self, stamp: Stamp) -> Overview | None:
        if self._last is None or self._last[0] != stamp:
            if (picture := _opened(self._folder, stamp)) is None:
                return None
            self._last = stamp, picture
        return self._last[1]

    def _stamp(self) -> Stamp:
        """What tells one state of the picture from another; quick."""
        store = self._store
        revision, counts = store.census.state()
        return {
            "layout": LAYOUT,
            "revision": revision,
            "counts": counts,
            "facts that count": store.candidates.policy().counts,
            "titles": store.reports.titles_stamp(),
        }


def forget_overview(folder: Path) -> None:
    """Delete the file, which holds names of what may be gone. Raises OSError."""
    (folder / FILE).unlink(missing_ok=True)


def _keep(picture: Overview, stamp: Mapping[str, Any], folder: IndexFolder) -> None:
    """Write it for the next process. Where the folder is closed or full there is none."""
    foldable = picture.foldable
    if folder.read_only or len(foldable.view.ids) < LEAST:
        return
    view, communities = foldable.view, foldable.communities
    known = dict.fromkeys(view.ids)
    for community in communities:
        known.update(dict.fromkeys(community.entity_ids))
    row = {id: at for at, id in enumerate(known)}
    members = [np.fromiter(map(row.__getitem__, each.entity_ids), np.int32) for each in communities]
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
        "held": np.concatenate([*members, np.zeros(0, np.int32)]),
        "communities": np.array(columns, np.int64).reshape(-1, 5),
        **{f"view_{name}": getattr(view, name) for name in _OF_VIEW},
        **{name: getattr(foldable, name) for name in _OWN},
    }
    metadata = {"labels": codes.words, "quality": [astuple(each) for each in picture.quality]}
    with contextlib.suppress(OSError):
        write_arrays(folder.path / FILE, stamp, metadata, arrays)


def _file(folder: IndexFolder, stamp: Mapping[str, Any], of_any_state: bool) -> ArrayFile | None:
    """What was kept of this very state, or of any in which the same facts counted; None: there is none."""
    file = open_arrays(folder.path / FILE, None if of_any_state else stamp, LARGE)
    if file is None or any(file.stamp.get(name) != stamp[name] for name in ("layout", "facts that count")):
        return None
    return file


def _opened(folder: IndexFolder, stamp: Mapping[str, Any], of_any_state: bool = False) -> Overview | None:
    if (file := _file(folder, stamp, of_any_state)) is None:
        return None
    arrays, metadata = file.arrays, file.metadata
    # Built a few at a time: what takes one step of the interpreter holds up every other thread.
    ids, names, labels = (_read_texts(arrays[name]) for name in ("ids", "names", "labels"))
    columns, members = arrays["communities"], arrays["held"]
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
        for key, level, parent, colour, count, end, label in zip(
            *columns.T.tolist(), ends.tolist(), labels, strict=True
        )
    )
    words = metadata["labels"]
    view = GraphView(
        tuple(ids[: len(names)]),
        tuple(names),
        tuple([words[code] for code in arrays["codes"].tolist()]),
        **{name: arrays[f"view_{name}"] for name in _OF_VIEW},
    )
    foldable = Foldable(view, communities, **{name: arrays[name] for name in _OWN})
    return Overview(foldable, tuple(CommunityQuality(*each) for each in metadata["quality"]))


def _texts(texts: Iterable[str]) -> NDArray[np.uint8]:
    """One behind the other with a NUL between, which no text has that SQLite put together."""
    return np.frombuffer("\0".join(texts).encode(), np.uint8)


def _read_texts(blob: NDArray[np.uint8]) -> list[str]:
    return blob.tobytes().decode().split("\0") if len(blob) else []
