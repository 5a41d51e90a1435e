"""What people said of answers: judgements, and questions pinned with what is expected of them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core import __version__
from core.errors import BadInput
from core.store.database import Tables
from core.store.faults import stored_json
from core.text.translation import tr
from core.types import (
    Answer,
    Citation,
    Evidence,
    JudgedAnswer,
    JudgedExplanation,
    JudgedPlace,
    Pin,
    PinResult,
    PinRun,
    Sentence,
)
from core.types.kinds import stable_id

_ANSWER_VERDICTS = ("right", "wrong")


class JudgedAnswers(Tables):
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
        rows = self._select(
            "SELECT id, question, answer, verdict = 'right', probability, route, forced, version, made, right_answer"
            f" FROM judged_answers WHERE {where} ORDER BY made, id",
            values,
        )
        return [self._record(*row) for row in rows.fetchall()]

    def _record(self, id: str, question: str, answer: str, right: int, *rest: Any) -> JudgedAnswer:
        probability, route, forced, *more = rest
        places = self._select(
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


class JudgedExplanations(Tables):
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
        rows = self._select(
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


# ------------------------------------------------------------ pinned questions


class Pins(Tables):
    # ------------------------------------------------------------ what is pinned

    def put(
        self,
        question: str,
        right_answer: str,
        places: Sequence[JudgedPlace],
        route: str = "auto",
        created: str = "",
    ) -> str:
        """Pin a question, in place of what was expected of it before; its id. One quote counts once."""
        id = stable_id("pinned question", question_key(question))
        row = (id, question, route, right_answer.strip(), created or _now())
        unique_places = dict.fromkeys((p.document, p.sha256, p.start, p.end, p.quote) for p in places)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO pinned_questions (id, question, route, right_answer, made) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET question = excluded.question, route = excluded.route,"
                " right_answer = excluded.right_answer",
                row,
            )
            connection.execute("DELETE FROM pinned_places WHERE pin_id = ?", (id,))
            connection.executemany(
                "INSERT INTO pinned_places VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(id, number, *place) for number, place in enumerate(unique_places)],
            )
        return id

    def remove(self, ids: Iterable[str]) -> None:
        """Runs keep what they gave."""
        self._write_each("DELETE FROM pinned_questions WHERE id = ?", [(id,) for id in ids])

    def all(self) -> list[Pin]:
        """The oldest first."""
        rows = self._select(
            "SELECT id, question, right_answer, route, made FROM pinned_questions ORDER BY made, id"
        ).fetchall()
        return [Pin(id, question, right, self._places(id), *how) for id, question, right, *how in rows]

    def _places(self, id: str) -> tuple[JudgedPlace, ...]:
        rows = self._select(
            'SELECT p.path, p.sha256, p.start, p."end", p.quote, CASE'
            " WHEN p.path = '' OR d.sha256 = p.sha256 THEN 'same'"
            " WHEN EXISTS (SELECT 1 FROM documents o WHERE o.sha256 = p.sha256) THEN 'moved'"
            " WHEN d.path IS NOT NULL THEN 'changed' ELSE 'gone' END"
            " FROM pinned_places p LEFT JOIN documents d ON d.path = p.path WHERE p.pin_id = ? ORDER BY p.number",
            (id,),
        )
        return tuple(JudgedPlace(*row) for row in rows.fetchall())

    # ------------------------------------------------------------ where places are now

    def cited(self, citations: Iterable[Citation]) -> list[JudgedPlace]:
        """The places of citations, by content."""
        found = []
        for cited in citations:
            row = self._select_one("SELECT path, sha256 FROM documents WHERE id = ?", (cited.document_id,))
            if row:
                path, sha256 = row
                found.append(JudgedPlace(path, sha256, cited.start, cited.end, cited.quote))
        return found

    def located(self, place: JudgedPlace) -> tuple[JudgedPlace, frozenset[str]]:
        """The place as it is in the documents of now, and the ids of the passages that hold it; none where it is gone.

        Offsets hold where they still bound the quote; else its words are looked for, however they are broken to lines.
        One of no document is wherever its quote stands.
        """
        words = r"\s+".join(map(re.escape, place.quote.split()))
        if not words:  # the document was taken out
            return place, frozenset()
        documents = self._select(
            "SELECT d.key, d.path, d.sha256, t.text FROM documents d JOIN document_texts t ON t.document_key = d.key"
            " WHERE d.sha256 = ?1 OR d.path = ?2 OR (?2 = '' AND instr(t.text, ?3))"
            " ORDER BY d.path <> ?2, d.sha256 <> ?1, d.path",
            (place.sha256, place.document, place.quote),
        )
        anywhere: set[str] = set()
        for key, path, sha256, text in documents.fetchall():
            start, end = place.start, place.end
            if text[start:end] != place.quote:
                if (found := re.search(words, text)) is None:
                    continue
                start, end = found.span()
            passage_rows = self._select(
                'SELECT id FROM passages WHERE document_key = ? AND start < ? AND "end" > ?',
                (key, end, start),
            )
            ids = frozenset(row[0] for row in passage_rows.fetchall())
            if place.document:
                return replace(place, document=path, sha256=sha256, start=start, end=end), ids
            anywhere |= ids
        return place, frozenset(anywhere)

    # ------------------------------------------------------------ what answers rest on

    def set_evidence(self, pin_id: str, passage_ids: Iterable[str]) -> None:
        """What the last answer rests on, in place of what the one before did."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM pin_evidence WHERE pin_id = ?", (pin_id,))
            connection.executemany(
                "INSERT OR IGNORE INTO pin_evidence SELECT id, ? FROM pinned_questions WHERE id = ?",
                [(passage, pin_id) for passage in passage_ids],
            )

    def evidence_ids(self, pin_id: str) -> list[str]:
        """Return the ids of the passages that the last answer rests on, also of those that are gone since."""
        rows = self._select("SELECT passage_id FROM pin_evidence WHERE pin_id = ?", (pin_id,))
        return [row[0] for row in rows]

    def evidence(self, pin_id: str) -> list[str]:
        """Ids of the passages that the last answer rests on and that are still there, in reading order."""
        rows = self._select(
            "SELECT p.id FROM pin_evidence e JOIN passages p ON p.id = e.passage_id WHERE e.pin_id = ?"
            " ORDER BY p.document_key, p.ordinal",
            (pin_id,),
        )
        return [row[0] for row in rows.fetchall()]

    def affected(self, entity_ids: Iterable[str], fact_ids: Iterable[str]) -> list[str]:
        """Ids of pins whose last answer rests on passages that name one of the entities or hold one of the facts."""
        rows = self._select(
            "WITH heads (key) AS (SELECT e.key FROM json_each(?1) j CROSS JOIN entities e ON e.id = j.value),"
            " names (key) AS (SELECT key FROM heads UNION"
            " SELECT n.key FROM heads h CROSS JOIN entities n ON n.head_key = h.key),"
            " told (key) AS (SELECT f.key FROM json_each(?2) j CROSS JOIN candidate_facts f ON f.id = j.value)"
            " SELECT DISTINCT e.pin_id FROM pin_evidence e CROSS JOIN passages p ON p.id = e.passage_id"
            " WHERE EXISTS (SELECT 1 FROM mentions m WHERE m.passage_key = p.key AND m.entity_key IN names)"
            " OR EXISTS (SELECT 1 FROM triples t WHERE t.passage_key = p.key AND t.fact_key IN told)"
            " ORDER BY e.pin_id",
            (json.dumps(list(entity_ids)), json.dumps(list(fact_ids))),
        )
        return [row[0] for row in rows.fetchall()]

    # ------------------------------------------------------------ runs

    def add_run(self, revision: int, settings: Sequence[str], results: Sequence[PinResult]) -> PinRun:
        with self._database.transaction() as connection:
            created_at = _now()
            number = connection.execute(
                "INSERT INTO pin_runs (made, revision, settings) VALUES (?, ?, ?)",
                (created_at, revision, "\n".join(settings)),
            ).lastrowid
            assert number is not None
            connection.executemany(
                "INSERT INTO pin_results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (number, r.pin_id, r.question, r.route, r.score, json.dumps(r.ranks), r.answer, r.kind,
                     r.confidence, r.correct, r.rests_on)
                    for r in results
                ],
            )  # fmt: skip
        return PinRun(number, created_at, revision, tuple(settings), tuple(results))

    def runs(self) -> list[PinRun]:
        """The newest first, without their results."""
        rows = self._select("SELECT key, made, revision, settings FROM pin_runs ORDER BY key DESC")
        return [_run(*row) for row in rows.fetchall()]

    def run(self, number: int) -> PinRun | None:
        """With its results; None where there is none of this number."""
        row = self._select_one("SELECT key, made, revision, settings FROM pin_runs WHERE key = ?", (number,))
        if row is None:
            return None
        rows = self._select(
            "SELECT r.pin_id, r.question, r.route, r.score, r.ranks, r.answer, r.kind, r.confidence, r.correct,"
            " r.rests_on FROM pin_results r LEFT JOIN pinned_questions p ON p.id = r.pin_id WHERE r.run_key = ?"
            " ORDER BY p.made IS NULL, p.made, r.pin_id",
            (number,),
        )
        results = (_result(*each) for each in rows.fetchall())
        return replace(_run(*row), results=tuple(results))


def _result(pin_id: str, question: str, route: str, score: float, ranks: str, *rest: Any) -> PinResult:
    return PinResult(pin_id, question, route, score, tuple(stored_json(ranks)), *rest)


def _run(number: int, created: str, revision: int, settings: str) -> PinRun:
    return PinRun(number, created, revision, tuple(settings.splitlines()))


def _now() -> str:
    return datetime.now(UTC).isoformat("T", "microseconds")
