"""What people said of answers and of their explanations: it grows with use, and outlives every indexing."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from core import __version__
from core.errors import BadInput
from core.store.database import Database
from core.text.translation import tr
from core.types import Answer, Evidence, JudgedAnswer, JudgedExplanation, JudgedPlace, Sentence
from core.types.kinds import stable_id

_ANSWER_VERDICTS = ("right", "wrong")


class JudgedAnswers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def judge(self, answer: Answer, verdict: str, right_answer: str = "") -> None:
        """Keep "right" or "wrong" in place of what was said of this answer before; "" takes it back.

        Raises BadInput for another verdict.
        """
        check_verdict(verdict, _ANSWER_VERDICTS)
        trace, key = answer.trace, question_key(answer.trace.question)
        id = stable_id("judged answer", key, answer.text)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM judged_answers WHERE id = ?", (id,))
            if not verdict:
                return
            judgement = (verdict, right_answer.strip() if verdict == "wrong" else "", answer.confidence)
            how = (
                trace.route.name,
                trace.route.forced,
                __version__,
                datetime.now(UTC).isoformat("T", "seconds"),
            )
            row = (id, key, trace.question, answer.text, *judgement, *how)
            connection.execute(f"INSERT INTO judged_answers VALUES ({', '.join('?' * len(row))})", row)
            connection.executemany(
                "INSERT INTO judged_places SELECT ?, ?, path, sha256, ?, ?, ? FROM documents WHERE id = ?",
                [
                    (id, number, cited.start, cited.end, cited.quote, cited.document_id)
                    for number, cited in enumerate(answer.citations)
                ],
            )

    def all(self) -> list[JudgedAnswer]:
        """Of every question, the oldest first."""
        return self._read("TRUE")

    def of(self, question: str) -> list[JudgedAnswer]:
        """Of this question, whatever its case and blanks."""
        return self._read("question_key = ?", question_key(question))

    def _read(self, where: str, *values: str) -> list[JudgedAnswer]:
        rows = self._database.connection().execute(
            "SELECT id, question, answer, verdict = 'right', probability, route, forced, version, made, right_answer"
            f" FROM judged_answers WHERE {where} ORDER BY made, id",
            values,
        )
        return [self._record(*row) for row in rows.fetchall()]

    def _record(self, id: str, question: str, answer: str, right: int, *rest: Any) -> JudgedAnswer:
        probability, route, forced, *more = rest
        places = self._database.connection().execute(
            'SELECT p.path, p.sha256, p.start, p."end", p.quote, CASE'
            " WHEN d.sha256 = p.sha256 THEN 'same'"
            " WHEN EXISTS (SELECT 1 FROM documents o WHERE o.sha256 = p.sha256) THEN 'moved'"
            " WHEN d.path IS NOT NULL THEN 'changed' ELSE 'gone' END"
            " FROM judged_places p LEFT JOIN documents d ON d.path = p.path WHERE p.answer_id = ? ORDER BY p.number",
            (id,),
        )
        found = tuple(JudgedPlace(*place) for place in places.fetchall())
        return JudgedAnswer(question, answer, bool(right), found, probability, route, bool(forced), *more)


def question_key(question: str) -> str:
    """The same whatever its case and blanks."""
    return " ".join(question.split()).casefold()


def check_verdict(verdict: str, known: Collection[str]) -> None:
    """Raises BadInput for one that is neither "" nor known."""
    if verdict and verdict not in known:
        raise BadInput(
            tr("There is no verdict {verdict}.", verdict=repr(verdict)),
            tr("Choose one of: {verdicts}.", verdicts=", ".join(known)),
        )


_EXPLANATION_VERDICTS = {"yes": 1, "no": 0}  # whether it supports the answer


class JudgedExplanations:
    def __init__(self, database: Database) -> None:
        self._database = database

    def judge(self, answer: Answer, evidence: Evidence, verdict: str, why: str = "") -> None:
        """Keep "yes" or "no" in place of what was said before of this passage of this answer; "" takes it back.

        Raises BadInput for another verdict.
        """
        check_verdict(verdict, _EXPLANATION_VERDICTS)
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
                        _EXPLANATION_VERDICTS[verdict],
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
        return [_explanation(*row) for row in rows.fetchall()]


def _explanation(question: str, answer: str, *rest: Any) -> JudgedExplanation:
    *place, facts, supports, why, route, version, created_at = rest
    return JudgedExplanation(
        question, answer, JudgedPlace(*place), facts, bool(supports), why, route, version, created_at
    )
