"""What language models said of passages, by (passage, step, model, prompt version)."""

from __future__ import annotations

from dataclasses import dataclass

from core.store.database import Tables
from core.types import Usage

LAST_STEP = "triples"


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply that was of use, what it cost, and how much of it the passage does not hold."""

    reply: str
    usage: Usage
    rejected: int = 0


class Replies(Tables):
    """Written from several threads; each reply is committed by itself, so that none is lost."""

    def get(self, passage_id: str, step: str, model: str, prompt: str) -> StoredReply | None:
        row = self._select_one(
            "SELECT reply, calls, tokens_in, tokens_out, seconds, rejected FROM replies"
            " WHERE passage_key = (SELECT key FROM passages WHERE id = ?)"
            " AND step = ? AND model = ? AND prompt = ?",
            (passage_id, step, model, prompt),
        )
        return StoredReply(row[0], Usage(*row[1:5]), row[5]) if row else None

    def of_passage(self, passage_id: str) -> list[tuple[str, str, str, str]]:
        """(step, model, version of the prompt, reply) of all that is kept of a passage, names before triples."""
        return list(
            self._select(
                "SELECT step, model, prompt, reply FROM replies"
                " WHERE passage_key = (SELECT key FROM passages WHERE id = ?) ORDER BY model, prompt, step",
                (passage_id,),
            )
        )

    def put(self, passage_id: str, step: str, model: str, prompt: str, stored: StoredReply) -> None:
        """Keep a reply; of a passage that is gone nothing is kept."""
        usage = stored.usage
        self._write(
            "INSERT OR REPLACE INTO replies SELECT key, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM passages WHERE id = ?",
            (
                step,
                model,
                prompt,
                stored.reply,
                usage.calls,
                usage.tokens_in,
                usage.tokens_out,
                usage.seconds,
                stored.rejected,
                passage_id,
            ),
        )

    def count_unread(self, model: str, prompt: str) -> int:
        """Passages that wait for extraction and that a model has not read to the end."""
        row = self._select_one(
            "SELECT count(*) FROM stages s WHERE s.stage = 'extract' AND s.state = 'pending' AND NOT EXISTS"
            " (SELECT 1 FROM replies r WHERE r.passage_key = s.passage_key AND r.step = ? AND r.model = ?"
            " AND r.prompt = ?)",
            (LAST_STEP, model, prompt),
        )
        return int(row[0])

    def usage(self, model: str, prompt: str) -> tuple[int, Usage, int]:
        """Passages that a model has read to the end, what that cost in all, and how much was rejected."""
        row = self._select_one(
            "SELECT count(DISTINCT CASE step WHEN ? THEN passage_key END), coalesce(sum(calls), 0),"
            " coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(seconds), 0.0),"
            " coalesce(sum(rejected), 0) FROM replies WHERE model = ? AND prompt = ?",
            (LAST_STEP, model, prompt),
        )
        return int(row[0]), Usage(*row[1:5]), int(row[5])
