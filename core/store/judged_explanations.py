"""What people said of explanations, kept beside what they said of answers. Triple-layer GraphRAG 7.1.3."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from core import __version__
from core.store.database import Database
from core.store.judged_answers import check_verdict, question_key
from core.types import Answer, Evidence, JudgedExplanation, JudgedPlace, Sentence

VERDICTS = {"yes": 1, "no": 0}  # whether it supports the answer


class JudgedExplanations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def judge(self, answer: Answer, evidence: Evidence, verdict: str, why: str = "") -> None:
        """Keep "yes" or "no" in place of what was said before of this passage of this answer; "" takes it back.

        Raises BadInput for another verdict.
        """
        check_verdict(verdict, VERDICTS)
        passage, question = evidence.passage, answer.trace.question
        sentence = evidence.sentence or Sentence(0, len(passage.text))
        start, end = passage.start + sentence.start, passage.start + sentence.end
        of = (question_key(question), answer.text, passage.document_id, start, end)
        with self._database.transaction() as connection:
            connection.execute(
                'DELETE FROM judged_explanations WHERE (question_key, answer, path, start, "end") ='
                " (?, ?, (SELECT path FROM documents WHERE id = ?), ?, ?)",
                of,
            )
            if not verdict:
                return
            facts = len(evidence.why.path) if evidence.why else 0
            created_at = datetime.now(UTC).isoformat("T", "seconds")
            connection.execute(
                "INSERT INTO judged_explanations SELECT ?, ?, ?, path, sha256, ?, ?, ?, ?, ?, ?, ?, ?, ?"
                " FROM documents WHERE id = ?",
                (
                    *(of[0], question, answer.text, start, end, passage.text[sentence.start : sentence.end]),
                    *(
                        facts,
                        VERDICTS[verdict],
                        why.strip(),
                        answer.trace.route.name,
                        __version__,
                        created_at,
                    ),
                    passage.document_id,
                ),
            )

    def all(self) -> list[JudgedExplanation]:
        """Of every question, the oldest first."""
        return self._read("TRUE")

    def of(self, question: str) -> list[JudgedExplanation]:
        """Of this question, whatever its case and blanks."""
        return self._read("question_key = ?", question_key(question))

    def _read(self, where: str, *values: str) -> list[JudgedExplanation]:
        rows = self._database.connection().execute(
            'SELECT question, answer, path, sha256, start, "end", quote, facts, supports, why, route, version, made'
            f" FROM judged_explanations WHERE {where} ORDER BY made, question_key, answer, path, start",
            values,
        )
        return [_record(*row) for row in rows.fetchall()]


def _record(question: str, answer: str, *rest: Any) -> JudgedExplanation:
    *place, facts, supports, why, route, version, created_at = rest
    return JudgedExplanation(
        question, answer, JudgedPlace(*place), facts, bool(supports), why, route, version, created_at
    )
