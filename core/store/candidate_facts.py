"""Facts that were proposed, whether they count or not; those that do are the view `facts`, which all else reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.store.database import Database, Tables
from core.store.facts import POLICY, VISIBLE, Facts
from core.store.faults import stored_json
from core.store.review_log import PROPOSED
from core.text.predicates import count_families
from core.text.translation import tr
from core.types import CandidateFact, Fact, FactFilter, Policy
from core.types.review import ANSWER

BAR = "review.bar"
_RECENT = 50  # answers
# Facts of what answers rested on, `{0}` (answer, id): said in a passage, or with an entity at an end.
_USED = (
    "SELECT r.answer, t.fact_key FROM {0} r JOIN passages p ON p.id = r.id JOIN triples t ON t.passage_key = p.key"
    + "".join(
        f" UNION SELECT r.answer, f.key FROM {{0}} r JOIN entities h ON h.id = r.id JOIN entities e ON e.{of} = h.key"
        f" JOIN candidate_facts f ON f.{end} = e.key"
        for of in ("key", "head_key")
        for end in ("subject_key", "object_key")
    )
)
# CROSS: from facts to names, never from the names of all facts.
_ENDS = (
    " FROM candidate_facts f CROSS JOIN entities sn ON sn.key = f.subject_key"
    " CROSS JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
    " CROSS JOIN entities o_ ON o_.key = f.object_key"
    " CROSS JOIN entities o ON o.key = coalesce(o_.head_key, o_.key)"
)
# By what a fact that nobody decided on counts.
_COUNTED = {"all": "1", "sure": "f.probability >= :bar", "approved": "0"}
# Nothing but answers led to the fact `f`. Those are statements, of which there are few.
_FROM_ANSWERS = (
    "(EXISTS (SELECT 1 FROM stated_triples s WHERE s.fact_id = f.id)"
    f" AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.fact_key = f.key AND t.proposer <> '{ANSWER}'))"
)


Weights = tuple[int, float, float]  # key of a fact, its probability, its priority


def counted(settings: Mapping[str, str]) -> tuple[str, dict[str, float]]:
    """Whether a fact `f` counts by the policy among these settings: an expression of SQL and its values."""
    return _counted(_policy(settings))


def _counted(policy: Policy) -> tuple[str, dict[str, float]]:
    other = _COUNTED.get(policy.counts, "1")
    sql = (
        "CASE WHEN f.assertion <> '' THEN 0 WHEN f.state = 'approved' THEN 1 WHEN f.state = 'rejected' THEN 0"
        f" ELSE {other} AND NOT {_FROM_ANSWERS} END"
    )
    return sql, {"bar": policy.bar}


def _policy(settings: Mapping[str, str]) -> Policy:
    default = Policy()
    return Policy(settings.get(POLICY, default.counts), float(settings.get(BAR, default.bar)))


@dataclass(frozen=True, slots=True)
class FactFigures:
    """What the weight of a fact is made of."""

    key: int
    confidence: float  # of its surest triple, 0 to 1
    reach: int  # facts at the names of its ends
    uses: int  # recent answers that rested on it, or on an entity at its ends
    plain: bool = True  # put as so by the documents


class CandidateFacts(Tables):
    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._facts = Facts(database)

    # ------------------------------------------------------------ policy

    def policy(self) -> Policy:
        rows = self._select("SELECT name, value FROM settings WHERE name IN (?, ?)", (POLICY, BAR))
        return _policy(dict(rows.fetchall()))

    def set_policy(self, policy: Policy) -> None:
        """From now on these facts count; all are counted again."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
                [(POLICY, policy.counts), (BAR, str(policy.bar))],
            )
            self.count_again(None)

    def count_again(self, keys: Iterable[int] | None) -> int:
        """Have these facts, or all, count by their state and the policy; how many changed."""
        counts, values = _counted(self.policy())
        of = "" if keys is None else " AND key IN (SELECT value FROM json_each(:keys))"
        with self._database.transaction() as connection:
            return connection.execute(
                f"UPDATE candidate_facts AS f SET counts = {counts} WHERE counts <> {counts}{of}",
                {**values, "keys": "" if keys is None else json.dumps(list(keys))},
            ).rowcount

    # ------------------------------------------------------------ weights and states

    def changed(self) -> list[int]:
        """Keys of facts whose triples changed or that were never weighed."""
        rows = self._select(
            "SELECT fact_key FROM touched_facts UNION SELECT key FROM candidate_facts WHERE priority = 0"
        )
        return [int(row[0]) for row in rows]

    def figures(self, keys: Iterable[int]) -> list[FactFigures]:
        """Of these facts, without those that are gone or rest on no triple."""
        rows = self._select(
            # A name that many facts share is counted once.
            "WITH wanted (key) AS MATERIALIZED (SELECT value FROM json_each(?)), names (key) AS ("
            "SELECT f.subject_key FROM wanted w CROSS JOIN candidate_facts f ON f.key = w.key"
            " UNION SELECT f.object_key FROM wanted w CROSS JOIN candidate_facts f ON f.key = w.key),"
            " degrees (key, facts) AS MATERIALIZED (SELECT key,"
            " (SELECT count(*) FROM candidate_facts f WHERE f.subject_key = n.key)"
            " + (SELECT count(*) FROM candidate_facts f WHERE f.object_key = n.key) FROM names n),"
            f" uses (key, answers) AS MATERIALIZED (SELECT fact_key, count(*) FROM ({_USED.format('recent_evidence')})"
            " GROUP BY 1)"
            " SELECT f.key, max(t.confidence), s.facts + o.facts, coalesce(u.answers, 0), f.assertion = ''"
            " FROM wanted w CROSS JOIN candidate_facts f ON f.key = w.key CROSS JOIN triples t ON t.fact_key = f.key"
            " CROSS JOIN degrees s ON s.key = f.subject_key CROSS JOIN degrees o ON o.key = f.object_key"
            " LEFT JOIN uses u ON u.key = f.key GROUP BY f.key",
            (json.dumps(list(keys)),),
        )
        return [FactFigures(*row) for row in rows]

    def note_use(self, ids: Iterable[str]) -> list[int]:
        """Keep what an answer rested on and forget the oldest; keys of the facts whose uses are others now."""
        with self._database.transaction() as connection:
            (last,) = connection.execute("SELECT coalesce(max(answer), 0) FROM recent_evidence").fetchone()
            rows = [(last + 1, id) for id in set(ids)]
            connection.executemany("INSERT INTO recent_evidence VALUES (?, ?)", rows)
            changed = "(SELECT * FROM recent_evidence WHERE answer IN (?1, ?2))"
            keys = connection.execute(
                f"SELECT DISTINCT fact_key FROM ({_USED.format(changed)})", (last + 1, last + 1 - _RECENT)
            ).fetchall()
            connection.execute("DELETE FROM recent_evidence WHERE answer <= ?", (last + 1 - _RECENT,))
        return [int(row[0]) for row in keys]

    def put_weights(self, rows: Sequence[Weights]) -> int:
        """How many facts count now that did not, or the other way round."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE candidate_facts SET probability = ?2, priority = ?3 WHERE key = ?1", rows
            )
            return self.count_again(row[0] for row in rows)

    def set_states(self, states: dict[str, str]) -> None:
        """State by fact id, of those that are there."""
        self._write_each(
            "UPDATE candidate_facts SET state = ?2 WHERE id = ?1 AND state <> ?2", list(states.items())
        )
        self.count_again(self.keys_of(states))

    def ids_of(self, keys: Iterable[int]) -> list[str]:
        rows = self._select(
            "SELECT f.id FROM json_each(?) j JOIN candidate_facts f ON f.key = j.value",
            (json.dumps(list(keys)),),
        )
        return [str(row[0]) for row in rows]

    def words_of(self, ids: Sequence[str]) -> dict[str, str]:
        """Each fact in words by its id, of those that are there."""
        rows = self._select(
            f"SELECT f.id, s.name || ' ' || f.predicate || ' ' || o.name{_ENDS}"
            " WHERE f.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {str(id): str(words) for id, words in rows}

    def keys_of(self, ids: Iterable[str]) -> list[int]:
        """Keys of those that are there."""
        rows = self._select(
            "SELECT f.key FROM json_each(?) j JOIN candidate_facts f ON f.id = j.value",
            (json.dumps(list(ids)),),
        )
        return [int(row[0]) for row in rows]

    # ------------------------------------------------------------ reading

    def matching(self, wanted: FactFilter, limit: int, skip: int = 0) -> list[int]:
        """Keys by priority."""
        where, values = _where(wanted)
        rows = self._select(
            f"SELECT f.key{_ENDS} WHERE {where}{VISIBLE} ORDER BY f.priority DESC, f.key LIMIT ? OFFSET ?",
            (*values, limit, skip),
        )
        return [int(row[0]) for row in rows]

    def unasserted(self, entity_id: str, limit: int) -> list[Fact]:
        """Facts at an end of which the entity stands that the documents deny, suppose, plan or report."""
        where, values = _where(FactFilter(state="", entity_id=entity_id))
        rows = self._select(
            f"SELECT f.key{_ENDS} WHERE {where}{VISIBLE} AND f.assertion <> '' AND f.state <> 'rejected'"
            " ORDER BY f.probability DESC, f.key LIMIT ?",
            (*values, limit),
        )
        return [candidate.fact for candidate in self.read([int(row[0]) for row in rows])]

    def count(self, wanted: FactFilter) -> int:
        return sum(number for _, number in self._tally("''", wanted))

    def ids(self, wanted: FactFilter) -> list[str]:
        """All that match, by priority."""
        where, values = _where(wanted)
        rows = self._select(
            f"SELECT f.id{_ENDS} WHERE {where}{VISIBLE} ORDER BY f.priority DESC, f.key", values
        )
        return [str(row[0]) for row in rows]

    def read(self, keys: Sequence[int]) -> list[CandidateFact]:
        """In the order of the keys, without those that are gone."""
        rows = self._select(
            "SELECT f.key, f.id, s.id, f.predicate, o.id,"
            " (SELECT coalesce(sum(confidence), 0) FROM triples t WHERE t.fact_key = f.key), s.name, o.name,"
            " f.assertion, f.source, f.state, f.counts, f.probability, f.priority,"
            " (SELECT json_group_array(DISTINCT proposer) FROM triples t WHERE t.fact_key = f.key),"
            f" {_others('s')}, {_others('o')},"
            " (SELECT json_group_array(a.why) FROM review_items i JOIN review_acts a ON a.key = i.act_key"
            f" WHERE i.subject = 'fact ' || f.id AND i.outcome = '{PROPOSED}')"
            f"{_ENDS} WHERE f.key IN (SELECT value FROM json_each(?))",
            (json.dumps(list(keys)),),
        )
        found = {int(row[0]): self._record(row) for row in rows.fetchall()}
        return [found[key] for key in keys if key in found]

    def get(self, fact_id: str) -> CandidateFact:
        """Raises BadInput when there is none."""
        found = self.read(self.keys_of([fact_id]))
        if not found:
            raise BadInput(tr("This fact is no longer in the workspace."), tr("Choose another one."))
        return found[0]

    def states(self, wanted: FactFilter) -> dict[str, int]:
        """How many facts match in each state."""
        return dict(self._tally("+f.state", replace(wanted, state="")))

    def predicates(self, wanted: FactFilter, limit: int = 200) -> list[tuple[str, int]]:
        """How many facts match with each predicate, the most frequent first."""
        return self._tally("f.predicate", replace(wanted, predicate=""), limit)

    def families(self, wanted: FactFilter) -> list[tuple[str, int]]:
        """How many facts match in each family of predicates, the largest first."""
        return count_families(self._tally("f.predicate", replace(wanted, predicate="", family="")))

    def proposers(self, wanted: FactFilter) -> list[tuple[str, int]]:
        """How many facts match of each proposer, the busiest first."""
        one = "SELECT DISTINCT fact_key, proposer FROM triples"
        return self._tally(
            "p.proposer", replace(wanted, proposer=""), 50, f" JOIN ({one}) p ON p.fact_key = f.key"
        )

    def states_at(self, document_id: str, start: int, end: int) -> set[str]:
        """States of the facts that were read from a place of a document's text."""
        rows = self._select(
            "SELECT DISTINCT f.state FROM documents d JOIN passages p ON p.document_key = d.key"
            " JOIN triples t ON t.passage_key = p.key JOIN candidate_facts f ON f.key = t.fact_key"
            ' WHERE d.id = ?1 AND p.start < ?3 AND p."end" > ?2 AND p.start + t.start < ?3 AND p.start + t."end" > ?2'
            " AND (f.state <> 'open' OR t.proposer <> ?4)",
            (document_id, start, end, ANSWER),
        )
        return {str(row[0]) for row in rows}

    def passages(self) -> NDArray[np.int64] | None:
        """Keys of passages that may be found: where only approved facts count, those with one; else None, all."""
        if self.policy().counts != "approved":
            return None
        rows = self._select(
            "SELECT DISTINCT t.passage_key FROM facts f JOIN triples t ON t.fact_key = f.key ORDER BY 1"
        )
        return np.array([row[0] for row in rows], dtype=np.int64)

    def entities(self) -> set[int] | None:
        """Keys of entities that may be told of: where only approved facts count, those with one; else None, all."""
        if self.policy().counts != "approved":
            return None
        rows = self._select(
            "SELECT coalesce(e.head_key, e.key) FROM facts f JOIN entities e ON e.key = f.subject_key"
            " UNION SELECT coalesce(e.head_key, e.key) FROM facts f JOIN entities e ON e.key = f.object_key"
        )
        return {int(row[0]) for row in rows}

    def _tally(self, what: str, wanted: FactFilter, limit: int = -1, more: str = "") -> list[tuple[str, int]]:
        """How many of the facts that `matching` lists share a value."""
        where, values = _where(wanted, state="+f.state")
        rows = self._select(
            f"SELECT {what}, count(*){_ENDS}{more} WHERE {where}{VISIBLE} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            (*values, limit),
        )
        return [(str(name), int(count)) for name, count in rows]

    def _record(self, row: Sequence[object]) -> CandidateFact:
        key, *fact = row[:8]
        (
            assertion,
            source,
            state,
            counts,
            probability,
            priority,
            proposers,
            subject_facts,
            object_facts,
            questions,
        ) = row[8:]
        assert isinstance(key, int)
        base_fact = replace(Fact(*fact), assertion=str(assertion), source=str(source))  # type: ignore[arg-type]
        full_fact = self._facts.complete(key, base_fact)
        return CandidateFact(
            full_fact, str(state), bool(counts), float(probability), float(priority),  # type: ignore[arg-type]
            tuple(sorted(stored_json(str(proposers)))),
            max(0, int(subject_facts) - bool(counts)), max(0, int(object_facts) - bool(counts)),  # type: ignore[call-overload]
            tuple(stored_json(str(questions))),
        )  # fmt: skip


def _others(end: str) -> str:
    """Facts that count at an end of `f`, a few at most."""
    sides = " UNION ALL ".join(
        f"SELECT 1 FROM entities n CROSS JOIN candidate_facts c ON c.{side} = n.key"
        f" WHERE (n.key = {end}.key OR n.head_key = {end}.key) AND c.counts"
        for side in ("subject_key", "object_key")
    )
    return f"(SELECT count(*) FROM ({sides} LIMIT 100))"


def _where(wanted: FactFilter, state: str = "f.state") -> tuple[str, list[str]]:
    """`state` is "+f.state" where the order does not matter: most facts are in one, and its index leads all over."""
    parts: list[str] = ["1"]
    values: list[str] = []
    own = "SELECT key FROM entities WHERE key = {0} OR head_key = {0}".format(
        "(SELECT coalesce(head_key, key) FROM entities WHERE id = ?)"
    )
    for value, sql, count in (
        (wanted.state, f"{state} = ?", 1),
        (
            wanted.document_id,
            "f.key IN (SELECT t.fact_key FROM documents d JOIN passages p ON p.document_key = d.key"
            " JOIN triples t ON t.passage_key = p.key WHERE d.id = ?)",
            1,
        ),
        (wanted.entity_id, f"(f.subject_key IN ({own}) OR f.object_key IN ({own}))", 4),
        (wanted.predicate, "f.predicate = ?", 1),
        (wanted.family, "in_family(f.predicate, ?)", 1),
        (wanted.proposer, "EXISTS (SELECT 1 FROM triples t WHERE t.fact_key = f.key AND t.proposer = ?)", 1),
    ):
        if value:
            parts.append(sql)
            values.extend([value] * count)
    for word in wanted.words.split():
        parts.append("instr(lower(s.name || ' ' || f.predicate || ' ' || o.name), lower(?))")
        values.append(word)
    return " AND ".join(parts), values
