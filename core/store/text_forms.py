"""Parts of texts that are not their author's sentences: lists of references, and lines that repeat across documents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from core.store.database import Tables

_FAR = 1 << 32  # more than any offset
# Of a mention or a triple `m` in a passage `p`. Lists do not overlap: only the last that begins before it can hold it,
# and a volume of papers has hundreds.
INSIDE = (
    'coalesce(p.start + m.start < (SELECT r."end" FROM reference_lists r WHERE r.document_key = p.document_key'
    " AND r.start <= p.start + m.start ORDER BY r.start DESC LIMIT 1), 0)"
)
# Triples in lists, from the lists: few texts have one.
_LISTED = (
    " FROM reference_lists r CROSS JOIN passages p ON p.document_key = r.document_key"
    ' AND p.start < r."end" AND p."end" > r.start CROSS JOIN triples m ON m.passage_key = p.key'
    ' AND p.start + m.start >= r.start AND p.start + m.start < r."end"'
)


class ReferenceLists(Tables):
    def any(self) -> bool:
        """Whether a document has one; all that follows costs nothing where none has."""
        row = self._select_one("SELECT EXISTS (SELECT 1 FROM reference_lists)")
        return bool(row[0])

    def unread(self, rules: str) -> Iterator[tuple[int, str]]:
        """(document key, text) of documents that were not looked through by these rules, one at a time."""
        keys = self._select(
            "SELECT t.document_key FROM document_texts t LEFT JOIN text_forms r USING (document_key)"
            " WHERE r.rules IS NOT ? ORDER BY 1",
            (rules,),
        ).fetchall()
        for (key,) in keys:
            sql = "SELECT text FROM document_texts WHERE document_key = ?"
            yield int(key), str(self._select_one(sql, (key,))[0])

    def differ(self, rows: Iterable[tuple[int, Sequence[tuple[int, int]]]]) -> bool:
        """Whether any of these lists, (document key, spans), is other than what is known."""
        sql = 'SELECT start, "end" FROM reference_lists WHERE document_key = ? ORDER BY 1'
        return any(self._select(sql, (key,)).fetchall() != list(spans) for key, spans in rows)

    def put(self, rows: Iterable[tuple[int, Sequence[tuple[int, int]], bool]], rules: str) -> None:
        """Keep what was found: (document key, spans of lists, whether it tells in sentences)."""
        with self._database.transaction() as connection:
            for key, spans, sentences in rows:
                connection.execute("DELETE FROM reference_lists WHERE document_key = ?", (key,))
                connection.executemany(
                    "INSERT INTO reference_lists VALUES (?, ?, ?)",
                    [(key, start, end) for start, end in spans],
                )
                connection.execute(
                    "INSERT OR REPLACE INTO text_forms VALUES (?, ?, ?)", (key, rules, sentences)
                )

    def inside(self, passages: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each offset of a passage (row keys) stands in a list, (n,)."""
        found = np.zeros(len(passages), dtype=bool)
        if not self.any() or not len(passages):
            return found
        rows = self._select(
            'SELECT p.key, max(r.start - p.start, 0), r."end" - p.start FROM json_each(?) j'
            " CROSS JOIN passages p ON p.key = j.value CROSS JOIN reference_lists r"
            ' ON r.document_key = p.document_key AND p.start < r."end" AND p."end" > r.start ORDER BY 1, 2',
            (json.dumps(np.unique(passages).tolist()),),
        )
        table = np.array(rows.fetchall(), dtype=np.int64).reshape(-1, 3)
        if not len(table):
            return found
        places = passages * _FAR + starts
        at = np.searchsorted(table[:, 0] * _FAR + table[:, 1], places, side="right") - 1
        return np.asarray((at >= 0) & (places < (table[:, 0] * _FAR + table[:, 2])[np.maximum(at, 0)]))

    def facts(self) -> set[int]:
        """Keys of the facts that nothing outside of lists says."""
        if not self.any():
            return set()
        rows = self._select(
            f"SELECT m.fact_key, count(*){_LISTED} GROUP BY m.fact_key"
            " HAVING count(*) = (SELECT count(*) FROM triples t WHERE t.fact_key = m.fact_key)"
        )
        return {int(row[0]) for row in rows}

    def entities(self, keys: Iterable[int]) -> set[int]:
        """Those of these entities that are named in lists, and nowhere else."""
        if not self.any():
            return set()
        names = "SELECT j.value UNION ALL SELECT n.key FROM entities n WHERE n.head_key = j.value"
        mentions = f"SELECT 1 FROM mentions m JOIN passages p ON p.key = m.passage_key WHERE m.entity_key IN ({names})"
        rows = self._select(
            f"SELECT j.value FROM json_each(?) j WHERE EXISTS ({mentions})"
            f" AND NOT EXISTS ({mentions} AND NOT {INSIDE})",
            (json.dumps([int(key) for key in keys]),),
        )
        return {int(row[0]) for row in rows}


class Lines(Tables):
    def refresh(self, often: int) -> list[str]:
        """Tell anew which lines stand in documents of `often` authors, as far as documents changed since.

        A document that names no author has one of its own. Ids of the documents that this may concern, by path; each
        is told until it is `settled`.
        """
        with self._database.transaction() as connection:
            flipped = json.dumps(
                [
                    hash
                    for hash, repeats, did in connection.execute(
                        "SELECT t.hash, (SELECT count(DISTINCT coalesce(d.author, d.id)) FROM lines l"
                        " JOIN documents d ON d.key = l.document_key WHERE l.hash = t.hash) >= ?,"
                        " EXISTS (SELECT 1 FROM repeated_lines r WHERE r.hash = t.hash)"
                        " FROM (SELECT DISTINCT hash FROM touched_lines) t",
                        (often,),
                    )
                    if repeats != did
                ]
            )
            connection.execute(
                "INSERT OR IGNORE INTO touched_lines SELECT document_key, hash FROM lines"
                " WHERE hash IN (SELECT value FROM json_each(?))",
                (flipped,),
            )
            gone = connection.execute(
                "DELETE FROM repeated_lines WHERE hash IN (SELECT value FROM json_each(?)) RETURNING hash",
                (flipped,),
            ).fetchall()
            new = set(json.loads(flipped)) - {hash for (hash,) in gone}
            connection.executemany("INSERT INTO repeated_lines VALUES (?)", [(hash,) for hash in new])
            connection.execute(
                "DELETE FROM touched_lines WHERE document_key NOT IN (SELECT key FROM documents)"
            )
            rows = connection.execute(
                "SELECT id FROM documents WHERE key IN (SELECT document_key FROM touched_lines) ORDER BY path"
            )
            return [id for (id,) in rows]

    def repeated(self, document_id: str) -> Set[int]:
        """Hashes of the document's lines that repeat."""
        rows = self._select(
            "SELECT l.hash FROM documents d JOIN lines l ON l.document_key = d.key"
            " JOIN repeated_lines r ON r.hash = l.hash WHERE d.id = ?",
            (document_id,),
        )
        return {hash for (hash,) in rows}

    def settled(self, connection: sqlite3.Connection, document_id: str) -> None:
        """What repeats in the document is known, inside the caller's transaction."""
        connection.execute(
            "DELETE FROM touched_lines WHERE document_key = (SELECT key FROM documents WHERE id = ?)",
            (document_id,),
        )
