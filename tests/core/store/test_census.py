"""The digest of what is derived: it sees every part of it, and nothing that differs between two like runs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.store.census import derived_digests, joint_digest

# One thing changed, and the parts that tell of it.
CHANGES = {
    "a vector's last bit": (
        "UPDATE embeddings SET vectors = CAST(x'01' || substr(vectors, 2) AS BLOB) WHERE rowid ="
        " (SELECT rowid FROM embeddings WHERE substr(vectors, 1, 1) <> x'01' LIMIT 1)",
        {"vectors"},
    ),
    "why names were merged": ("UPDATE merges SET reason = 'another'", {"merges"}),
    "how near two names are": (
        "UPDATE synonyms SET cosine = cosine + 1e-12 WHERE (entity_key, other_key) ="
        " (SELECT entity_key, other_key FROM synonyms LIMIT 1)",
        {"synonyms"},
    ),
    "who is in a community": (
        "UPDATE community_members SET community_key = (SELECT max(key) FROM communities WHERE level = 1 AND key <>"
        " (SELECT community_key FROM community_members ORDER BY 1 LIMIT 1))"
        " WHERE entity_key = (SELECT entity_key FROM community_members ORDER BY community_key LIMIT 1)",
        {"communities"},
    ),
    "a word of a report": (
        "UPDATE community_reports SET report = json_set(report, '$.title', 'Another') WHERE community_key ="
        " (SELECT min(community_key) FROM community_reports)",
        {"reports"},
    ),
    "a place on the map": ("UPDATE layout SET x = x + 1 WHERE entity_key = 1", {"map"}),
    "a row key": (
        "UPDATE communities SET key = key + 1000, parent_key = parent_key + 1000;"
        " UPDATE community_members SET community_key = community_key + 1000;"
        " UPDATE community_reports SET community_key = community_key + 1000",
        set(),
    ),
    "when it was last changed": ("UPDATE settings SET value = '99' WHERE name = 'revision'", set()),
}


@pytest.mark.parametrize("what", CHANGES)
def test_each_part_is_reported_by_its_own_digest(what: str, sample_path: Path) -> None:
    sql, parts = CHANGES[what]
    with closing(sqlite3.connect(f"file:{sample_path}/clew.db?immutable=1", uri=True)) as sample:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        sample.backup(connection)
    with closing(connection):
        before = derived_digests(connection)
        connection.executescript(f"PRAGMA foreign_keys = OFF; {sql}")
        assert connection.total_changes
        after = derived_digests(connection)
        assert {part for part in before if before[part] != after[part]} == parts
        assert (joint_digest(before) == joint_digest(after)) == (not parts)
