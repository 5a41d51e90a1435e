"""Counts of a workspace, and digests of its content and of what follows from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from hashlib import blake2b

from core.store.changes import DirtyFlags
from core.store.database import Tables
from core.types import Status

# Ids and content only: row keys and times differ between runs that read the same folder.
_CONTENT = (
    "SELECT name, value FROM settings WHERE name = 'precision' AND EXISTS (SELECT 1 FROM embeddings)",
    "SELECT id, path, sha256, title, state FROM documents ORDER BY id",
    'SELECT id, ordinal, start, "end", page FROM passages ORDER BY id',
    'SELECT p.id, e.id, m.start, m."end", m.label FROM mentions m JOIN passages p ON p.key = m.passage_key'
    " JOIN entities e ON e.key = m.entity_key ORDER BY 1, 2, 3, 4",
    "SELECT e.id, e.name, e.label, h.id FROM entities e LEFT JOIN entities h ON h.key = e.head_key ORDER BY e.id",
    "SELECT one, other, verdict FROM decisions ORDER BY 1, 2",
    'SELECT p.id, f.id, t.subject, t.predicate, t.object, t.start, t."end", t.confidence FROM triples t'
    " JOIN passages p ON p.key = t.passage_key JOIN candidate_facts f ON f.key = t.fact_key"
    " ORDER BY 1, 2, 6, 7, 3, 4, 5",
    "SELECT id, counts, state FROM candidate_facts WHERE counts = 0 OR state <> 'open' ORDER BY id",
    "SELECT p.id, s.stage, s.state FROM stages s JOIN passages p ON p.key = s.passage_key ORDER BY 1, 2",
)


class Census(Tables):
    def status(self, *, digest: bool) -> Status:
        """Counts; the digests read everything, so they are made only when asked for."""
        parts = derived_digests(self._database.connection()) if digest else {}
        unfinished = DirtyFlags(self._database).unfinished()
        return Status(
            documents=self._count("SELECT count(*) FROM documents WHERE state <> 'failed'"),
            passages=self.passages(),
            entities=self._count("SELECT count(*) FROM entities WHERE head_key IS NULL"),
            facts=self._count("SELECT count(*) FROM facts"),
            triples=self._count("SELECT count(*) FROM triples"),
            communities=self._count("SELECT count(*) FROM communities"),
            failed=self._count("SELECT count(*) FROM documents WHERE state = 'failed'")
            + self._count("SELECT count(DISTINCT passage_key) FROM stages WHERE state = 'failed'"),
            pending=self._count("SELECT count(DISTINCT passage_key) FROM stages WHERE state = 'pending'")
            + unfinished,
            digest=self.digest() if digest else "",
            derived_digest=joint_digest(parts) if parts else "",
            derived=parts,
            unfinished=unfinished,
        )

    def passages(self) -> int:
        return self._count("SELECT count(*) FROM passages")

    def state(self) -> tuple[int, dict[str, int]]:
        """The revision, and numbers that tell one state of what questions are asked over from another; quick."""
        names = ("revision", "passages", "entities", "facts", "triples")
        row = self._select_one(
            "SELECT coalesce((SELECT value FROM settings WHERE name = 'revision'), '0'),"
            " (SELECT count(*) FROM embeddings WHERE kind = 'passage'),"
            " (SELECT coalesce(max(key), 0) FROM entities), (SELECT coalesce(max(key), 0) FROM candidate_facts),"
            " (SELECT coalesce(max(key), 0) FROM triples)"
        )
        found = dict(zip(names, map(int, row), strict=True))
        return found.pop("revision"), found

    def digest(self) -> str:
        """Hash of precision, documents, passages, mentions, entities, decisions, triples and states, 32 digits."""
        total = blake2b(digest_size=16)
        for row in self._rows():
            total.update(row)
        return total.hexdigest()

    def _rows(self) -> Iterator[bytes]:
        for sql in _CONTENT:
            for row in self._select(sql):
                yield (
                    "\x1f".join("" if value is None else str(value) for value in row).encode(
                        "utf-8", "surrogatepass"
                    )
                    + b"\x1e"
                )

    def _count(self, sql: str) -> int:
        return int(self._select_one(sql)[0])


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
    "ties": (
        "SELECT a.id, b.id, t.passages, t.strength FROM ties t JOIN entities a ON a.key = t.one_key"
        " JOIN entities b ON b.key = t.other_key",
        "SELECT id FROM entities WHERE node",
    ),
    "map": ("SELECT e.id, l.community, l.x, l.y FROM layout l JOIN entities e ON e.key = l.entity_key",),
}


def derived_digests(connection: sqlite3.Connection) -> dict[str, str]:
    """Digest of each part, 32 digits; all zeros for one that is empty."""
    return {part: _summed(connection, queries) for part, queries in _PARTS.items()}


def joint_digest(parts: Mapping[str, str]) -> str:
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
