"""Records what a writer changes: temporary triggers of its own connection, so nothing is missed or told twice."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator

from core.store.database import Database
from core.types import Changed
from core.types.identity import stable_id

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
    ],
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
def recorded(database: Database, tell: Callable[[Changed], None]) -> Iterator[None]:
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
                tell(changed)
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
