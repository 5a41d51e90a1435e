"""Threads of questions with their answers."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime

from core.store.database import Tables
from core.store.faults import stored_json, unreadable_record
from core.types.threads import Thread, Turn

_LARGEST = 64_000_000  # bytes of an answer with its trace


class Threads(Tables):
    def all(self) -> list[Thread]:
        """The one that was continued last comes first."""
        rows = self._select(
            "SELECT t.key, t.name, t.created, count(*) FROM threads t JOIN turns u ON u.thread_key = t.key"
            " GROUP BY t.key ORDER BY max(u.created) DESC, t.key DESC"
        )
        return [Thread(*row) for row in rows.fetchall()]

    def turns(self, thread: int) -> tuple[Turn, ...]:
        """Return the turns in order; none where there is no such thread."""
        rows = self._select(
            "SELECT original, question, answer, words, passages, number, created FROM turns WHERE thread_key = ?"
            " ORDER BY number",
            (thread,),
        )
        return tuple(
            Turn(original, question, answer, tuple((str(a), str(b)) for a, b in stored_json(words)),
                 tuple(map(str, stored_json(passages))), number, created)
            for original, question, answer, words, passages, number, created in rows.fetchall()
        )  # fmt: skip

    def put(self, thread: int, turn: Turn, record: str) -> int:
        """Store a turn in place of the one of its number and all behind it; return its thread, a new one for 0."""
        created = datetime.now(UTC).isoformat()
        with self._database.transaction() as connection:
            if not connection.execute("SELECT 1 FROM threads WHERE key = ?", (thread,)).fetchone():
                thread = connection.execute(
                    "INSERT INTO threads (name, created) VALUES (?, ?) RETURNING key",
                    (turn.original, created),
                ).fetchone()[0]
            connection.execute(
                "DELETE FROM turns WHERE thread_key = ? AND number >= ?", (thread, turn.number)
            )
            row = (
                turn.original,
                turn.question,
                turn.answer,
                json.dumps(turn.words),
                json.dumps(turn.passages),
            )
            connection.execute(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (thread, turn.number, *row, created, zlib.compress(record.encode("utf-8", "surrogatepass"))),
            )
            connection.execute(
                "INSERT INTO turn_documents SELECT DISTINCT ?, ?, d.path FROM json_each(?) j"
                " JOIN passages p ON p.id = j.value JOIN documents d ON d.key = p.document_key",
                (thread, turn.number, json.dumps(turn.passages)),
            )
        return thread

    def record(self, thread: int, number: int) -> str:
        """Return the stored answer of a turn; "" where it is gone."""
        row = self._select_one(
            "SELECT record FROM turns WHERE thread_key = ? AND number = ?", (thread, number)
        )
        if row is None or not row[0]:
            return ""
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(row[0], _LARGEST)
            if not unpacking.eof:
                raise unreadable_record("the answer of a turn is cut or too large")
            return data.decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError) as error:
            raise unreadable_record(str(error)) from error

    def rename(self, thread: int, name: str) -> None:
        self._write("UPDATE threads SET name = ? WHERE key = ?", (name, thread))
