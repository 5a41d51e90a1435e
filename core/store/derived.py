"""Digests of what follows from the documents, part by part: two workspaces that differ say in what."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from hashlib import blake2b

_SIZE = 16  # bytes
# Ids and content only, as for the digest of the documents. Communities go by level and number, which are
# theirs as long as they live.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "vectors": (
        "SELECT v.kind, p.id, v.model, v.vectors FROM embeddings v JOIN passages p ON p.key = v.owner_key"
        " WHERE v.kind <> 'entity'",
        "SELECT v.kind, e.id, v.model, v.vectors FROM embeddings v JOIN entities e ON e.key = v.owner_key"
        " WHERE v.kind = 'entity'",
    ),
    "merges": (
        "SELECT min(a.id, b.id), max(a.id, b.id), m.rule, m.reason, m.score FROM merges m"
        " JOIN entities a ON a.key = m.one_key JOIN entities b ON b.key = m.other_key",
    ),
    "senses": (
        "SELECT d.id, s.normal, s.kind, s.value, s.sense FROM signs s JOIN documents d ON d.key = s.document_key",
    ),
    "synonyms": (
        "SELECT e.id, o.id, s.cosine, s.spare FROM synonyms s JOIN entities e ON e.key = s.entity_key"
        " JOIN entities o ON o.key = s.other_key",
        "SELECT e.id, c.cell, c.more FROM name_cells c JOIN entities e ON e.key = c.entity_key",
        "SELECT cell, centre FROM name_grid",
    ),
    "communities": (
        "SELECT c.level, c.number, p.number FROM communities c LEFT JOIN communities p ON p.key = c.parent_key",
        "SELECT e.id, c.level, c.number FROM community_members m JOIN entities e ON e.key = m.entity_key"
        " JOIN communities c ON c.key = m.community_key",
        # How much changed since they were made: it decides when they are made anew.
        "SELECT name, value FROM settings WHERE name IN ('facts_changed', 'hierarchy')",
    ),
    "reports": (
        "SELECT c.level, c.number, r.source, r.written_by, r.report FROM community_reports r"
        " JOIN communities c ON c.key = r.community_key",
        "SELECT c.level, c.number, t.changed, t.checked FROM communities_to_tell t"
        " JOIN communities c ON c.key = t.community_key",
    ),
    "forms": (
        'SELECT d.id, r.start, r."end" FROM reference_lists r JOIN documents d ON d.key = r.document_key',
        "SELECT d.id, f.rules, f.sentences FROM text_forms f JOIN documents d ON d.key = f.document_key",
    ),
    "map": ("SELECT e.id, l.community, l.x, l.y FROM layout l JOIN entities e ON e.key = l.entity_key",),
}


def derived(connection: sqlite3.Connection) -> dict[str, str]:
    """Digest of each part, 32 digits; all zeros for one that is empty."""
    return {part: _summed(connection, queries) for part, queries in _PARTS.items()}


def joined(parts: Mapping[str, str]) -> str:
    """One digest of all parts, 32 digits."""
    return blake2b("".join(parts[part] for part in _PARTS).encode(), digest_size=_SIZE).hexdigest()


def _summed(connection: sqlite3.Connection, queries: tuple[str, ...]) -> str:
    """The hashes of all rows summed, in whatever order these lie: sorted, all vectors would be held in memory."""
    total = 0
    for number, sql in enumerate(queries):
        for row in connection.execute(sql):
            cells = (
                cell if isinstance(cell, bytes) else str(cell).encode("utf-8", "surrogatepass")
                for cell in row
            )
            one = blake2b(b"\x1f".join(cells), digest_size=_SIZE, salt=bytes([number]))
            total += int.from_bytes(one.digest())
    return f"{total % (1 << 8 * _SIZE):0{2 * _SIZE}x}"
