"""Where the entities are drawn, which is derived so that the graph opens at once, and the views that people name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.files.safe_files import parse_json
from core.store.columns import number_rows
from core.store.database import Tables
from core.store.settings import Settings
from core.types import GraphFilter, GraphShape, SavedView, Spot
from core.types.edges import EDGE_KINDS
from core.types.graph_shape import NAMED, NUMBERED


@dataclass(frozen=True, slots=True)
class Placed:
    """Community, (n,), and position, (n, 2), of the entities in `keys`, (n,), by key."""

    keys: NDArray[np.int64]
    communities: NDArray[np.int32]
    positions: NDArray[np.float32]


class Layout(Tables):
    def replace(self, rows: Iterable[tuple[int, int, float, float]]) -> None:
        """Rows (entity key, community, x, y)."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM layout")
            connection.executemany("INSERT INTO layout VALUES (?, ?, ?, ?)", rows)

    def of(self, keys: Iterable[int]) -> dict[int, Spot]:
        """Where these entities are drawn; those without a place are left out."""
        rows = (self._select_one("SELECT * FROM layout WHERE entity_key = ?", (int(key),)) for key in keys)
        return {int(row[0]): Spot(*row[1:]) for row in rows if row}

    def put(self, spots: Mapping[int, Spot]) -> None:
        """Give these entities new places; the others keep theirs."""
        self._write_each(
            "INSERT OR REPLACE INTO layout VALUES (?, ?, ?, ?)",
            [(key, spot.community, spot.x, spot.y) for key, spot in spots.items()],
        )

    def recolour(self, keys: Iterable[int]) -> None:
        """Give placed entities, where facts or ties join them, the number of their top community."""
        self._write_each(
            "UPDATE layout SET community = (WITH RECURSIVE up(key, parent, number) AS ("
            " SELECT c.key, c.parent_key, c.number FROM community_members m"
            " JOIN communities c ON c.key = m.community_key WHERE m.entity_key = ?1"
            " UNION SELECT c.key, c.parent_key, c.number FROM up JOIN communities c ON c.key = up.parent)"
            " SELECT number FROM up WHERE parent IS NULL) WHERE entity_key = ?1 AND community >= 0",
            [(int(key),) for key in keys],
        )

    def drop(self, keys: Iterable[int]) -> None:
        """Take names off the map that are no entity of their own any more."""
        self._write_each("DELETE FROM layout WHERE entity_key = ?", [(int(key),) for key in keys])

    def extent(self) -> tuple[int, float]:
        """The next free community number, and how far from the middle the map reaches."""
        row = self._select_one(
            # One look into an index each; asked for together, all places would be read.
            "SELECT (SELECT max(community) FROM layout), (SELECT max(x) FROM layout),"
            " (SELECT -min(x) FROM layout), (SELECT max(y) FROM layout), (SELECT -min(y) FROM layout)"
        )
        return (0, 0.0) if row[0] is None else (int(row[0]) + 1, float(max(row[1:])))

    def all(self, keys: Iterable[int] | None = None) -> Placed:
        """Every entity that is placed, or those of these keys."""
        sql, connection = "SELECT entity_key, community, x, y FROM layout", self._database.connection()
        if keys is None:
            (most,) = connection.execute("SELECT coalesce(max(entity_key), 0) FROM layout").fetchone()
            sql += " WHERE entity_key >= ?1 AND entity_key < ?2 ORDER BY entity_key"
            table = number_rows(connection, sql, most, ("entity_key", "community"), ("x", "y"))
        else:
            wanted = json.dumps([int(key) for key in keys])
            found = connection.execute(
                f"{sql} WHERE entity_key IN (SELECT value FROM json_each(?)) ORDER BY entity_key", (wanted,)
            )
            table = np.array(found.fetchall(), dtype=np.float64).reshape(-1, 4)
        return Placed(
            table[:, 0].astype(np.int64), table[:, 1].astype(np.int32), table[:, 2:].astype(np.float32)
        )


_VIEWS = "graph.views"


class GraphViews:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def all(self) -> list[SavedView]:
        """As they were kept; what this version cannot read is left out."""
        try:
            rows = parse_json(self._settings.get(_VIEWS, "[]"))
        except ValueError:
            return []
        found = [_read(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return [view for view in found if view is not None]

    def set(self, views: Iterable[SavedView]) -> None:
        rows = [asdict(view) for view in views]
        for row in rows:
            row["shape"]["hidden"] = sorted(row["shape"]["hidden"])
        self._settings.set(_VIEWS, json.dumps(rows, ensure_ascii=False))


def _read(row: dict[str, Any]) -> SavedView | None:
    """One view of a file that may come from anywhere; None where it is none."""
    try:
        shape, wanted = row["shape"], row["shape"]["filter"]
        passes = GraphFilter(
            _strings(wanted["labels"]), _integers(wanted["communities"]), int(wanted["degree"]),
            str(wanted["since"]), str(wanted["until"]), float(wanted["probability"]),
            _strings(wanted["documents"]), _strings(wanted["states"]),
            tuple(kind for kind in _strings(wanted.get("edges", ())) if kind in EDGE_KINDS),
            wanted.get("facts_only", False) is True,
        )  # fmt: skip
        pinned = tuple((str(id), float(x), float(y)) for id, x, y in shape["pinned"])
        colour, size = str(shape["colour"]), str(shape["size"])
        if colour not in NAMED + NUMBERED or size not in NUMBERED:
            return None
        camera = tuple(map(float, row["camera"])) if row["camera"] is not None else None
        if camera is not None and len(camera) != 3:
            return None
        folds = bool(row["folds"]) if row["folds"] is not None else None
        graph_shape = GraphShape(passes, frozenset(_strings(shape["hidden"])), pinned, colour, size)
        return SavedView(str(row["name"]), graph_shape, folds, _integers(row["opened"]), camera)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _strings(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, values))


def _integers(values: Iterable[Any]) -> tuple[int, ...]:
    return tuple(map(int, values))
