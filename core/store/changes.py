"""What changed, noted by triggers: for the derived layers, for snapshots, and for who watches a writer."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database, Tables
from core.types import Changed
from core.types.kinds import stable_id

# Settings that are there while the reports are behind, and while the full-text index holds words of what was taken out.
UNTOLD, UNFORGOTTEN = "untold", "unforgotten"
BEHIND = (  # whether the derived layers are
    "(EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled') OR EXISTS (SELECT 1 FROM touched_entities)"
    " OR EXISTS (SELECT 1 FROM touched_facts) OR EXISTS (SELECT 1 FROM names_to_link))"
)


class DirtyFlags(Tables):
    def any(self) -> bool:
        """Whether the derived layers are behind."""
        return bool(self._select_one(f"SELECT {BEHIND}")[0])

    def unfinished(self) -> bool:
        """Whether anything that follows from the documents is behind: derived layers, reports, or words to forget.

        From none nothing follows, though a new workspace is marked.
        """
        behind, empty = self._select_one(
            "SELECT EXISTS (SELECT 1 FROM settings WHERE name IN (?, ?)),"
            " NOT EXISTS (SELECT 1 FROM documents) AND NOT EXISTS (SELECT 1 FROM entities)",
            (UNTOLD, UNFORGOTTEN),
        )
        return bool(behind) or not empty and self.any()

    def unforgotten(self) -> bool:
        """Whether the full-text index may hold words of what was taken out."""
        sql = "SELECT EXISTS (SELECT 1 FROM settings WHERE name = ?)"
        return bool(self._select_one(sql, (UNFORGOTTEN,))[0])

    def documents(self) -> bool:
        """Whether documents came, went or were read anew since; not where people decided something alone."""
        sql = (
            "SELECT EXISTS (SELECT 1 FROM touched_documents) OR EXISTS (SELECT 1 FROM touched_names)"
            " OR EXISTS (SELECT 1 FROM settings WHERE name = 'unsettled')"
        )
        return bool(self._select_one(sql)[0])

    def entities(self) -> NDArray[np.int64]:
        """Keys, ascending, of entities whose mentions or facts changed; some may be gone."""
        return self._keys("SELECT entity_key FROM touched_entities ORDER BY entity_key")

    def facts(self) -> int:
        """How many facts gained or lost a triple."""
        return int(self._select_one("SELECT count(*) FROM touched_facts")[0])

    def unsettle(self, facts: int) -> None:
        """Have the next derivation take so many facts for changed."""
        self._write_each(
            "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
            [("unsettled", "1"), ("facts_changed", str(facts))],
        )

    def clear(self) -> None:
        """All layers are in step; what is told of them is not yet."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM touched_entities")
            connection.execute("DELETE FROM touched_facts")
            connection.execute("DELETE FROM names_to_link")
            connection.execute("DELETE FROM touched_communities")
            connection.execute("DELETE FROM settings WHERE name = 'unsettled'")
            connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, '1')", (UNTOLD,))

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        """Around what changes nothing that is derived, in the caller's transaction: no more is marked than before."""
        connection = self._database.connection()
        marks = {"touched_entities": "entity_key", "touched_facts": "fact_key"}
        for table in marks:
            connection.execute(f"CREATE TEMP TABLE before_{table} AS SELECT * FROM main.{table}")
        yield
        for table, key in marks.items():
            connection.execute(
                f"DELETE FROM main.{table} WHERE {key} NOT IN (SELECT {key} FROM temp.before_{table})"
            )
            connection.execute(f"DROP TABLE temp.before_{table}")

    def reports_settled(self) -> None:
        """The reports are in step, too."""
        self._write("DELETE FROM settings WHERE name = ?", (UNTOLD,))

    def _keys(self, sql: str) -> NDArray[np.int64]:
        rows = self._select(sql).fetchall()
        return np.array([row[0] for row in rows], dtype=np.int64)


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


class Changes(Tables):
    """A reader that takes the point, then reads, lacks no more than what `since` tells of that point."""

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
        row = self._select_one(f"SELECT revision, id FROM snapshot_points WHERE revision = {_REVISION}")
        return Point(*row) if row else None

    def since(self, point: Point) -> ChangedKeys | None:
        """What changed since a reader took this point; None where that is not known any more, or never was."""
        rows = self._select(
            # One statement: nobody forgets anything between its parts.
            "SELECT c.kind, c.key FROM snapshot_points p LEFT JOIN snapshot_changes c"
            " ON c.revision >= p.revision WHERE p.revision = ? AND p.id = ? ORDER BY 1, 2",
            (point.revision, point.id),
        ).fetchall()
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
        row = self._select_one("SELECT EXISTS (SELECT 1 FROM snapshot_changes)")
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


# Temporary triggers of the connection that writes: nothing is missed or told twice.
_ENTITY = "SELECT 'entities', id FROM main.entities WHERE key IN ({})"
_ENDS = _ENTITY.format("{0}.subject_key, {0}.object_key")
_FACT = "SELECT 'facts', id FROM main.candidate_facts WHERE key = {0}.fact_key"
_TRIPLE_ENDS = _ENTITY.format(
    "(SELECT subject_key FROM main.candidate_facts WHERE key = {0}.fact_key),"
    " (SELECT object_key FROM main.candidate_facts WHERE key = {0}.fact_key)"
)
_NAME = "SELECT 'names', {0}.id UNION ALL SELECT 'entities', {0}.id"
_MENTION = _ENTITY.format("{0}.entity_key")
_COMMUNITY = "SELECT 'communities', {0}.key UNION ALL SELECT 'communities', {0}.parent_key"
_MEMBER = f"SELECT 'communities', {{0}}.community_key UNION ALL {_MENTION}"
# What is noted of a row by table: (event, condition, what), where {0} is the row as it is, or was.
_NOTED = {
    "documents": [("INSERT UPDATE DELETE", "", "SELECT 'documents', {0}.id")],
    "excluded": [("INSERT DELETE", "", "SELECT 'excluded', {0}.path")],
    "entities": [
        ("INSERT DELETE", "", _NAME),
        ("UPDATE", "old.name <> new.name OR old.label <> new.label", _NAME),
        (
            "UPDATE",
            "old.head_key IS NOT new.head_key",
            f"{_NAME} UNION ALL {_ENTITY.format('{0}.head_key')}",
        ),
        ("UPDATE", "old.node <> new.node", "SELECT 'entities', {0}.id"),
    ],
    "ties": [("INSERT DELETE", "", _ENTITY.format("{0}.one_key, {0}.other_key"))],
    "mentions": [("INSERT UPDATE DELETE", "", _MENTION)],
    "merges": [("INSERT DELETE", "", _ENTITY.format("{0}.one_key, {0}.other_key"))],
    "candidate_facts": [
        ("INSERT DELETE", "", f"SELECT 'facts', {{0}}.id UNION ALL {_ENDS}"),
        ("UPDATE", "old.counts <> new.counts", f"SELECT 'facts', {{0}}.id UNION ALL {_ENDS}"),
        ("UPDATE", "old.state <> new.state", "SELECT 'facts', {0}.id"),
    ],
    "triples": [("INSERT UPDATE DELETE", "", f"{_FACT} UNION ALL {_TRIPLE_ENDS}")],
    "layout": [
        ("INSERT DELETE", "", _MENTION),
        ("UPDATE", "old.community <> new.community OR old.x <> new.x OR old.y <> new.y", _MENTION),
    ],
    "community_members": [
        # One that replaces another row takes it away without a word.
        ("BEFORE INSERT", "", "SELECT 'communities', community_key FROM main.community_members"
         " WHERE entity_key = new.entity_key"),
        ("INSERT UPDATE DELETE", "", _MEMBER),
    ],
    "communities": [
        ("INSERT DELETE", "", _COMMUNITY),
        (
            "UPDATE",
            "old.level <> new.level OR old.parent_key IS NOT new.parent_key OR old.number <> new.number",
            _COMMUNITY,
        ),
    ],
    "community_reports": [("INSERT UPDATE DELETE", "", "SELECT 'reports', {0}.community_key")],
}  # fmt: skip
# What is noted already and ids that are missing are passed by. Not by OR IGNORE: an upsert that fires the trigger
# would have its own way with conflicts instead.
_NOTE = (
    "INSERT INTO changed SELECT DISTINCT what, id FROM (SELECT '' AS what, NULL AS id UNION ALL {}) n"
    " WHERE id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM changed c WHERE c.what = n.what AND c.id = n.id)"
)
# Who goes by another name, or belongs to another entity, takes the facts along; so do the names of that entity.
_FACTS_OF_NAMES = (
    "WITH own (key) AS (SELECT e.key FROM changed c CROSS JOIN main.entities e ON e.id = c.id WHERE c.what = 'names'),"
    " names (key) AS (SELECT key FROM own UNION SELECT e.key FROM own CROSS JOIN main.entities e"
    " ON e.head_key = own.key) SELECT f.id FROM names n CROSS JOIN main.candidate_facts f ON f.subject_key = n.key"
    " UNION SELECT f.id FROM names n CROSS JOIN main.candidate_facts f ON f.object_key = n.key"
)
_HEADS = (
    "SELECT DISTINCT h.id FROM changed c CROSS JOIN main.entities e ON e.id = c.id"
    " CROSS JOIN main.entities h ON h.key = e.head_key WHERE c.what = 'entities'"
)
_ABOVE = (
    "WITH RECURSIVE up (key) AS (SELECT id FROM changed WHERE what = 'communities'"
    " UNION SELECT c.parent_key FROM up JOIN main.communities c ON c.key = up.key WHERE c.parent_key IS NOT NULL)"
    " SELECT key FROM up WHERE key IS NOT NULL"
)


@contextlib.contextmanager
def record_changes(database: Database, notify: Callable[[Changed], None]) -> Iterator[None]:
    """Tell what this thread changed meanwhile, if anything, also where it was stopped: what it committed stays."""
    connection = database.connection()
    triggers = list(_triggers())
    connection.execute("CREATE TEMP TABLE changed (what TEXT, id, PRIMARY KEY (what, id)) WITHOUT ROWID")
    try:
        for name, statement in triggers:
            connection.execute(f"CREATE TEMP TRIGGER {name} {statement}")
        try:
            yield
        finally:
            if changed := _read(connection):
                notify(changed)
    finally:
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER IF EXISTS temp.{name}")
        connection.execute("DROP TABLE temp.changed")


def _triggers() -> Iterator[tuple[str, str]]:
    """Each trigger's name and what follows it."""
    for table, noted in _NOTED.items():
        for at, (events, condition, what) in enumerate(noted):
            when = "BEFORE" if events.startswith("BEFORE") else "AFTER"
            for event in events.removeprefix("BEFORE ").split():
                rows = {"INSERT": ("new",), "UPDATE": ("old", "new"), "DELETE": ("old",)}[event]
                notes = " ".join(f"{_NOTE.format(what.format(row))};" for row in rows)
                yield (
                    f"changed_{table}_{event.lower()}_{at}",
                    f"{when} {event} ON main.{table}{f' WHEN {condition}' if condition else ''} BEGIN {notes} END",
                )


def _read(connection: sqlite3.Connection) -> Changed:
    found: dict[str, set[str]] = {}
    numbers: dict[str, set[int]] = {}
    for what, id in connection.execute("SELECT what, id FROM changed"):
        (numbers if what in ("communities", "reports") else found).setdefault(what, set()).add(id)
    facts = {str(row[0]) for row in connection.execute(_FACTS_OF_NAMES)}
    heads = {str(row[0]) for row in connection.execute(_HEADS)}
    paths = found.get("excluded", ())
    return Changed(
        documents=frozenset(
            found.get("documents", set()).union(stable_id("document", path) for path in paths)
        ),
        entities=frozenset(found.get("entities", set()) | heads),
        names=frozenset(found.get("names", ())),
        facts=frozenset(found.get("facts", set()) | facts),
        communities=frozenset(int(row[0]) for row in connection.execute(_ABOVE)),
        reports=frozenset(numbers.get("reports", ())),
    )
