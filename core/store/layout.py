"""Communities and places of the entities: derived, kept so that the graph opens at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database
from core.store.number_rows import number_rows
from core.types import Spot


@dataclass(frozen=True, slots=True)
class Placed:
    """Community, (n,), and position, (n, 2), of the entities in `keys`, (n,), by key."""

    keys: NDArray[np.int64]
    communities: NDArray[np.int32]
    positions: NDArray[np.float32]


class Layout:
    def __init__(self, database: Database) -> None:
        self._database = database

    def replace(self, rows: Iterable[tuple[int, int, float, float]]) -> None:
        """Rows (entity key, community, x, y)."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM layout")
            connection.executemany("INSERT INTO layout VALUES (?, ?, ?, ?)", rows)

    def of(self, keys: Iterable[int]) -> dict[int, Spot]:
        """Where these entities are drawn; those without a place are left out."""
        connection = self._database.connection()
        rows = (
            connection.execute("SELECT * FROM layout WHERE entity_key = ?", (int(key),)).fetchone()
            for key in keys
        )
        return {int(row[0]): Spot(*row[1:]) for row in rows if row}

    def put(self, spots: Mapping[int, Spot]) -> None:
        """Give these entities new places; the others keep theirs."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO layout VALUES (?, ?, ?, ?)",
                [(key, spot.community, spot.x, spot.y) for key, spot in spots.items()],
            )

    def recolour(self, keys: Iterable[int]) -> None:
        """Give placed entities, where they have facts, the number of the top community they are in now."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE layout SET community = (WITH RECURSIVE up(key, parent, number) AS ("
                " SELECT c.key, c.parent_key, c.number FROM community_members m"
                " JOIN communities c ON c.key = m.community_key WHERE m.entity_key = ?1"
                " UNION SELECT c.key, c.parent_key, c.number FROM up JOIN communities c ON c.key = up.parent)"
                " SELECT number FROM up WHERE parent IS NULL) WHERE entity_key = ?1 AND community >= 0",
                [(int(key),) for key in keys],
            )

    def drop(self, keys: Iterable[int]) -> None:
        """Take names off the map that are no entity of their own any more."""
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM layout WHERE entity_key = ?", [(int(key),) for key in keys])

    def extent(self) -> tuple[int, float]:
        """The next free community number, and how far from the middle the map reaches."""
        row = (
            self._database.connection()
            .execute(
                # One look into an index each; asked for together, all places would be read.
                "SELECT (SELECT max(community) FROM layout), (SELECT max(x) FROM layout),"
                " (SELECT -min(x) FROM layout), (SELECT max(y) FROM layout), (SELECT -min(y) FROM layout)"
            )
            .fetchone()
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
