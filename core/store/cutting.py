"""Some documents of a workspace as a workspace of their own, which never held the others.

What is copied is named here, table by table; whatever else a workspace holds, and whatever will be added to it, is left
out. What follows from the documents is not copied but made anew of those that are there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from core.store.candidate_facts import BAR
from core.store.database import Database
from core.store.facts import POLICY
from core.store.settings import ASKING, CHOSEN, COMPOSITIONS, OWN_ROUTE

_PASSAGES = "passage_key IN (SELECT key FROM passages WHERE document_key IN (SELECT key FROM seen))"
_DOCUMENTS = "document_key IN (SELECT key FROM seen)"
# What a person stated, or an answer led to, is theirs and rests on more than a passage.
_READ = "key NOT IN (SELECT triple_key FROM stated_triples WHERE triple_key IS NOT NULL)"
_TRIPLES = f"SELECT * FROM triples WHERE {_PASSAGES} AND {_READ}"
_FACTS = f"SELECT fact_key FROM ({_TRIPLES})"
_MENTIONS = f"SELECT * FROM mentions WHERE {_PASSAGES} AND NOT stated"
_ENTITIES = (
    f"SELECT entity_key FROM ({_MENTIONS}) UNION SELECT subject_key FROM candidate_facts WHERE key IN ({_FACTS})"
    f" UNION SELECT object_key FROM candidate_facts WHERE key IN ({_FACTS})"
)
# Rows to copy by table, each after those that it points at. `seen` are the keys of the documents.
_COPIED = {
    "files": "SELECT * FROM files WHERE key IN (SELECT file_key FROM documents WHERE key IN (SELECT key FROM seen))",
    "documents": "SELECT * FROM documents WHERE key IN (SELECT key FROM seen)",
    **{
        table: f"SELECT * FROM {table} WHERE {_DOCUMENTS}"
        for table in (
            "document_texts", "pages", "regions", "boxes", "metadata", "reference_lists", "text_forms", "blocks",
            "tables", "notices", "passages",
        )
    },
    **{table: f"SELECT * FROM {table} WHERE {_PASSAGES}" for table in ("sentences", "stages", "lower_words")},
    # A name belongs to another, and is called something, by what all documents say: that is told anew.
    "entities": f"SELECT key, id, normal, name, label, NULL FROM entities WHERE key IN ({_ENTITIES})",
    "candidate_facts": "SELECT key, id, subject_key, predicate, object_key, assertion = '', 'open', 0.5, 0, assertion,"
    " source FROM candidate_facts"
    f" WHERE key IN ({_FACTS})",
    "mentions": _MENTIONS,
    "triples": _TRIPLES,
    "embeddings": "SELECT * FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key IN (SELECT key"
    " FROM passages WHERE document_key IN (SELECT key FROM seen))"
    f" UNION ALL SELECT * FROM embeddings WHERE kind = 'entity' AND owner_key IN ({_ENTITIES})",
}  # fmt: skip
COPIED = frozenset(_COPIED)
# Settings that say how a workspace was read and is asked; none of them holds words of a document.
SETTINGS = (
    "extractor", "encoder", "precision", "forms", CHOSEN, ASKING, COMPOSITIONS, OWN_ROUTE,
    POLICY, BAR,
)  # fmt: skip
# Where the files of its documents lie. Under another name than the folder's: who looks there for a file by its name,
# whether it was indexed or not, finds none.
FILES_IN = "files_in"
_AT_ONCE = 1000  # rows


def cut(source: Database, target: Database, documents: Sequence[int]) -> None:
    """Copy the documents with these keys, what was read of them, and SETTINGS into a workspace without any.

    What follows from them is yet to be made. The caller sees to it that all is read of one moment.
    """
    connection = source.connection()
    connection.execute("CREATE TEMP TABLE seen (key INTEGER PRIMARY KEY)")
    try:
        connection.executemany("INSERT INTO seen VALUES (?)", [(key,) for key in documents])
        with target.transaction() as writing:
            for table, query in _COPIED.items():
                for rows in _some(connection, query):
                    marks = ", ".join("?" * len(rows[0]))
                    writing.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            rows = connection.execute(
                "SELECT name, value FROM settings WHERE name IN (SELECT value FROM json_each(?))",
                (json.dumps(SETTINGS),),
            ).fetchall()
            writing.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", rows)
            folder = connection.execute("SELECT value FROM settings WHERE name = 'folder'").fetchall()
            writing.executemany("INSERT INTO settings VALUES (?, ?)", [(FILES_IN, *row) for row in folder])
    finally:
        connection.execute("DROP TABLE seen")


def known(database: Database) -> tuple[frozenset[str], frozenset[str]]:
    """Ids of the facts, and normal forms of the names, that stand there."""
    connection = database.connection()
    facts, names = ("SELECT id FROM candidate_facts", "SELECT normal FROM entities")
    return frozenset(row[0] for row in connection.execute(facts)), frozenset(
        row[0] for row in connection.execute(names)
    )


def _some(connection: sqlite3.Connection, query: str) -> Iterator[list[tuple[object, ...]]]:
    cursor = connection.execute(query)
    while rows := cursor.fetchmany(_AT_ONCE):
        yield rows
