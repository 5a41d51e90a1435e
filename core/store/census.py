"""Counts of a workspace and the digests of its content."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from core.store.database import Database
from core.store.derived import derived, joined
from core.store.dirty_flags import DirtyFlags
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


class Census:
    def __init__(self, database: Database) -> None:
        self._database = database

    def status(self, *, digest: bool) -> Status:
        """Counts; the digests read everything, so they are made only when asked for."""
        parts = derived(self._database.connection()) if digest else {}
        unfinished = DirtyFlags(self._database).unfinished()
        return Status(
            documents=self._count("SELECT count(*) FROM documents WHERE state <> 'failed'"),
            passages=self._count("SELECT count(*) FROM passages"),
            entities=self._count("SELECT count(*) FROM entities WHERE head_key IS NULL"),
            facts=self._count("SELECT count(*) FROM facts"),
            triples=self._count("SELECT count(*) FROM triples"),
            communities=self._count("SELECT count(*) FROM communities"),
            failed=self._count("SELECT count(*) FROM documents WHERE state = 'failed'")
            + self._count("SELECT count(DISTINCT passage_key) FROM stages WHERE state = 'failed'"),
            pending=self._count("SELECT count(DISTINCT passage_key) FROM stages WHERE state = 'pending'")
            + unfinished,
            digest=self.digest() if digest else "",
            derived_digest=joined(parts) if parts else "",
            derived=parts,
            unfinished=unfinished,
        )

    def state(self) -> tuple[int, dict[str, int]]:
        """The revision, and numbers that tell one state of what questions are asked over from another; quick."""
        names = ("revision", "passages", "entities", "facts", "triples")
        row = (
            self._database.connection()
            .execute(
                "SELECT coalesce((SELECT value FROM settings WHERE name = 'revision'), '0'),"
                " (SELECT count(*) FROM embeddings WHERE kind = 'passage'),"
                " (SELECT coalesce(max(key), 0) FROM entities), (SELECT coalesce(max(key), 0) FROM candidate_facts),"
                " (SELECT coalesce(max(key), 0) FROM triples)"
            )
            .fetchone()
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
            for row in self._database.connection().execute(sql):
                yield (
                    "\x1f".join("" if value is None else str(value) for value in row).encode(
                        "utf-8", "surrogatepass"
                    )
                    + b"\x1e"
                )

    def _count(self, sql: str) -> int:
        return int(self._database.connection().execute(sql).fetchone()[0])
