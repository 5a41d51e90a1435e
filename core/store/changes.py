"""What changed of that which snapshots are made of, by the revision it changed at: told by triggers, never missed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database

Keys = NDArray[np.int64]
# Rows that are noted at most, by passages: about what a tenth of them makes when it is read. Beyond that a snapshot is
# made anew in little more time.
_A_PASSAGE, _LEAST = 2, 20_000
_REVISION = "coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'revision'), 0)"


@dataclass(frozen=True, slots=True)
class ChangedKeys:
    """Keys, each (n,) and ascending, of what is to be read again; what a key meant may be gone, or another by now."""

    passages: Keys  # with another id or document
    vectors: Keys  # passages with other sentences or vectors
    mentions: Keys  # passages that mention others
    entities: Keys  # names with another row
    names: Keys  # entities that a name came to or left
    heads: Keys  # names that belong to another entity
    synonyms: Keys  # names with other nearest ones
    facts: Keys

    def any(self) -> bool:
        return any(len(getattr(self, each.name)) for each in fields(self))


@dataclass(frozen=True, slots=True)
class Point:
    """A revision of this very workspace since which changes are known; a copy that went another way has other ids."""

    revision: int
    id: int


class Changes:
    """A reader that takes the point, then reads, lacks no more than what `since` tells of that point."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self) -> bool:
        """Have changes noted from now on, where they are not; before the point is taken.

        False where the workspace is read-only: whether they are is for others to say.
        """
        if self._database.read_only:
            return False
        if self.point() is not None:
            return True
        with self._database.transaction() as connection:
            # Another process may have begun meanwhile.
            if self.point() is None:
                self.stop()
                connection.execute("INSERT INTO snapshot_log VALUES (1, 0)")
                connection.execute(f"INSERT INTO snapshot_points VALUES ({_REVISION}, random())")
                self._make_room()
        return True

    def point(self) -> Point | None:
        """The present one; None where changes are not noted."""
        row = (
            self._database.connection()
            .execute(f"SELECT revision, id FROM snapshot_points WHERE revision = {_REVISION}")
            .fetchone()
        )
        return Point(*row) if row else None

    def since(self, point: Point) -> ChangedKeys | None:
        """What changed since a reader took this point; None where that is not known any more, or never was."""
        rows = (
            self._database.connection()
            .execute(
                # One statement: nobody forgets anything between its parts.
                "SELECT c.kind, c.key FROM snapshot_points p LEFT JOIN snapshot_changes c"
                " ON c.revision >= p.revision WHERE p.revision = ? AND p.id = ? ORDER BY 1, 2",
                (point.revision, point.id),
            )
            .fetchall()
        )
        if not rows:
            return None
        found: dict[str, list[int]] = defaultdict(list)
        for kind, key in rows:
            found[kind].append(key)
        return ChangedKeys(
            **{each.name: np.array(found[each.name], dtype=np.int64) for each in fields(ChangedKeys)}
        )

    def noted(self) -> bool:
        """Whether anything changed since what is the oldest snapshot."""
        row = self._database.connection().execute("SELECT EXISTS (SELECT 1 FROM snapshot_changes)").fetchone()
        return bool(row[0])

    def forget(self, point: Point) -> None:
        """What changed before this point is asked for no more: there is a snapshot of it."""
        with self._database.transaction() as connection:
            for table in ("snapshot_changes", "snapshot_points"):
                connection.execute(f"DELETE FROM {table} WHERE revision < ?", (point.revision,))
            self._make_room()

    def stop(self) -> None:
        """Note nothing any more, and forget what was."""
        with self._database.transaction() as connection:
            for table in ("snapshot_log", "snapshot_points", "snapshot_changes"):
                connection.execute(f"DELETE FROM {table}")

    def _make_room(self) -> None:
        """As much as the workspace is large."""
        self._database.connection().execute(
            "UPDATE snapshot_log SET room = max(?1 * (SELECT count(*) FROM passages), ?2)"
            " - (SELECT count(*) FROM snapshot_changes)",
            (_A_PASSAGE, _LEAST),
        )
