"""What changed of that which a snapshot is made of, by the revision it changed at; filled by triggers, so never missed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database

Keys = NDArray[np.int64]
# Rows that are noted at most, by passages: about what a tenth of them makes when it is read. Beyond that a snapshot is
# made anew in little more time.
_A_PASSAGE, _LEAST = 4, 20_000


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


class Changes:
    """A reader that takes the revision, then reads, lacks no more than what `since` tells of that revision."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self) -> bool:
        """Have changes noted from now on, where they are not; before that is read which `since` is to be asked of.

        False where the workspace is read-only: whether they are is for others to say.
        """
        if self._database.read_only:
            return False
        connection = self._database.connection()
        if connection.execute("SELECT EXISTS (SELECT 1 FROM snapshot_log)").fetchone()[0]:
            return True
        with self._database.transaction() as connection:
            # Another process may have begun meanwhile.
            if not connection.execute("SELECT EXISTS (SELECT 1 FROM snapshot_log)").fetchone()[0]:
                connection.execute("DELETE FROM snapshot_changes")
                connection.execute(
                    "INSERT INTO snapshot_log SELECT 1, coalesce((SELECT CAST(value AS INTEGER) FROM settings"
                    " WHERE name = 'revision'), 0), 0"
                )
                self._make_room()
        return True

    def since(self, revision: int) -> ChangedKeys | None:
        """What changed since a reader took this revision; None where that is not known any more, or never was."""
        rows = (
            self._database.connection()
            .execute(
                # One statement: nobody forgets anything between its parts.
                "SELECT c.kind, c.key FROM snapshot_log l LEFT JOIN snapshot_changes c ON c.revision >= ?1"
                " WHERE l.since <= ?1 ORDER BY 1, 2",
                (revision,),
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

    def forget(self, revision: int) -> None:
        """What changed before this revision is asked for no more: there is a snapshot of it."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM snapshot_changes WHERE revision < ?", (revision,))
            connection.execute("UPDATE snapshot_log SET since = ?1 WHERE since < ?1", (revision,))
            self._make_room()

    def stop(self) -> None:
        """Note nothing any more, and forget what was."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM snapshot_log")
            connection.execute("DELETE FROM snapshot_changes")

    def _make_room(self) -> None:
        """As much as the workspace is large."""
        self._database.connection().execute(
            "UPDATE snapshot_log SET room = max(?1 * (SELECT count(*) FROM passages), ?2)"
            " - (SELECT count(*) FROM snapshot_changes)",
            (_A_PASSAGE, _LEAST),
        )
