"""The nearest names of each entity, and the grid over the names' vectors that finds them: derived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from core.store.columns import weighted_numbers
from core.store.database import Database

Keys = NDArray[np.int64]
Near = tuple[int, float]  # entity, cosine


class Synonyms:
    def __init__(self, database: Database) -> None:
        self._database = database

    def edges(self) -> tuple[Keys, NDArray[np.float64]]:
        """Every pair of entities once, spares left out: (n, 2) keys, the smaller first, ascending; cosines (n,)."""
        rows = self._database.connection().execute(
            "SELECT min(a, b), max(a, b), max(cosine) FROM (SELECT coalesce(e.head_key, e.key) AS a,"
            " coalesce(o.head_key, o.key) AS b, cosine FROM synonyms s JOIN entities e ON e.key = s.entity_key"
            " JOIN entities o ON o.key = s.other_key WHERE NOT spare) WHERE a <> b GROUP BY 1, 2 ORDER BY 1, 2"
        )
        return weighted_numbers(rows, 2)

    def replace(self, near: Mapping[int, Sequence[Near]], wanted: int, more: Set[int]) -> None:
        """Give entities these names, the nearest first, in place of those they had; behind the first `wanted`
        are spares. Of those in `more` not all that are near are kept.
        """
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM synonyms WHERE entity_key = ?", [(key,) for key in near])
            connection.executemany(
                "INSERT INTO synonyms VALUES (?, ?, ?, ?)",
                [(key, *name, at >= wanted) for key, names in near.items() for at, name in enumerate(names)],
            )
            connection.executemany(
                "UPDATE name_cells SET more = ?1 WHERE entity_key = ?2 AND more <> ?1",
                [(key in more, key) for key in near],
            )

    def waiting(self) -> dict[int, bool]:
        """Names whose nearest must be looked for, and whether their vector is new or gone; some may be gone."""
        rows = self._database.connection().execute("SELECT entity_key, moved FROM names_to_link")
        return {int(key): bool(moved) for key, moved in rows}

    def of(self, keys: Iterable[int]) -> dict[int, list[Near]]:
        """What each entity has, spares included, the nearest first."""
        connection = self._database.connection()
        sql = "SELECT other_key, cosine FROM synonyms WHERE entity_key = ? ORDER BY cosine DESC, other_key"
        return {key: [(int(o), float(c)) for o, c in connection.execute(sql, (key,))] for key in keys}

    def having_more(self, keys: Iterable[int]) -> set[int]:
        """Those of which not all that are near are kept."""
        return self._others("SELECT entity_key FROM name_cells WHERE entity_key = ? AND more", keys)

    def cells(self, keys: Iterable[int]) -> dict[int, int]:
        """The cell of each entity that lies in one."""
        connection = self._database.connection()
        sql = "SELECT cell FROM name_cells WHERE entity_key = ?"
        found = ((key, connection.execute(sql, (key,)).fetchone()) for key in keys)
        return {key: int(row[0]) for key, row in found if row}

    def unlink(self, keys: Iterable[int]) -> None:
        """Take entities out: they have no synonyms and are no one's."""
        rows = [(key,) for key in keys]
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM synonyms WHERE entity_key = ?1 OR other_key = ?1", rows)
            connection.executemany("DELETE FROM name_cells WHERE entity_key = ?", rows)

    # ------------------------------------------------------------ the grid

    def grid(self, dimension: int) -> NDArray[np.float32]:
        """Centres of the cells, (n_cells, dimension)."""
        rows = self._database.connection().execute("SELECT centre FROM name_grid ORDER BY cell").fetchall()
        return np.frombuffer(b"".join(row[0] for row in rows), dtype="<f4").reshape(-1, dimension)

    def set_grid(self, centres: NDArray[np.float32]) -> None:
        """Begin anew with these cells, all empty."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM name_grid")
            connection.execute("DELETE FROM name_cells")
            connection.executemany(
                "INSERT INTO name_grid VALUES (?, ?)",
                [(at, np.ascontiguousarray(row, "<f4").tobytes()) for at, row in enumerate(centres)],
            )

    def place(self, keys: Keys, cells: NDArray[np.int64]) -> None:
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO name_cells (entity_key, cell) VALUES (?, ?)",
                zip(keys.tolist(), cells.tolist(), strict=True),
            )

    def placed(self) -> int:
        """How many entities lie in the grid."""
        return int(self._database.connection().execute("SELECT count(*) FROM name_cells").fetchone()[0])

    def members(self, cell: int) -> list[int]:
        """Keys of the entities in a cell, ascending."""
        rows = self._database.connection().execute(
            "SELECT entity_key FROM name_cells WHERE cell = ? ORDER BY entity_key", (int(cell),)
        )
        return [row[0] for row in rows]

    def _others(self, sql: str, keys: Iterable[int]) -> set[int]:
        connection = self._database.connection()
        return {row[0] for key in keys for row in connection.execute(sql, (int(key),))}
