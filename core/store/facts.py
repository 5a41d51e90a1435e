"""Facts that count, their words, and the triples that support them. A fact lives as long as one triple says it."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.store.columns import in_clause, number_rows, weighted_numbers
from core.store.database import Tables
from core.store.entities import EntityRow
from core.store.text_forms import INSIDE
from core.text.predicates import active_form
from core.text.statements import is_statement
from core.text.translation import tr
from core.types import Fact, Triple
from core.types.kinds import NOUN, stable_id

POLICY = "review.policy"  # the setting: which facts count, core.types.Policy
_LONGEST = 400  # characters of a description
# Facts are kept between names and told between entities.
_ENDS = (
    " FROM facts f JOIN entities sn ON sn.key = f.subject_key JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
    " JOIN entities o_ ON o_.key = f.object_key JOIN entities o ON o.key = coalesce(o_.head_key, o_.key)"
)
# A fact of which an end names nothing ("X is a man"), or whose ends are one entity, counts for the walk alone.
VISIBLE = f" AND s.label <> '{NOUN}' AND o.label <> '{NOUN}' AND s.key <> o.key"
# Facts `f` that are said outside of lists of references.
_OUTSIDE_LISTS = (
    " WHERE NOT EXISTS (SELECT 1 FROM reference_lists) OR EXISTS (SELECT 1 FROM triples m JOIN passages p"
    f" ON p.key = m.passage_key WHERE m.fact_key = f.key AND NOT {INSIDE})"
)
# Names of the entities ?1.
_NAMED = (
    "WITH names (name) AS (SELECT value FROM json_each(?1) UNION"
    " SELECT n.key FROM json_each(?1) j CROSS JOIN entities n ON n.head_key = j.value)"
)


@dataclass(frozen=True, slots=True)
class NewTriple:
    """A triple with its passage's key and the normalised names of its ends."""

    passage_key: int
    subject_normal: str
    object_normal: str
    triple: Triple


@dataclass(frozen=True, slots=True)
class FactColumns:
    """All facts as columns of one length, by fact key; keys refer to rows of the store."""

    keys: NDArray[np.int64]
    subjects: NDArray[np.int64]
    objects: NDArray[np.int64]
    strengths: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FactText:
    """A fact in words. `clauses` are (passage id, the words it was read from), the surest first."""

    key: int
    subject: str
    predicate: str
    object: str
    clauses: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FactWeight:
    """What speaks for a fact beside its confidence. `rarity` of its predicate: 1 of a unique one, 0 of that of all."""

    documents: int  # that say so
    rarity: float
    is_approved: bool


def predicate_key(predicate: str) -> str:
    """The predicate as facts are told apart by it."""
    return " ".join(predicate.lower().split())


def identify_fact(subject: str, predicate: str, object_: str, assertion: str = "", source: str = "") -> str:
    """Id of the fact between two entities (ids); one that is denied, say, is another than the plain one."""
    return stable_id("fact", subject, predicate, object_, *((assertion, source) if assertion else ()))


def propose(
    connection: sqlite3.Connection,
    subject: tuple[str, int],
    predicate: str,
    object_: tuple[str, int],
    assertion: str = "",
    source: str = "",
) -> int:
    """Key of the fact between two names (id, key), new where nobody proposed it before.

    Where not all facts count, a new one waits until it is weighed. One with an `assertion` never counts.
    """
    id = identify_fact(subject[0], predicate, object_[0], assertion, source)
    connection.execute(
        "INSERT OR IGNORE INTO candidate_facts (id, subject_key, predicate, object_key, assertion, source, counts)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
        " ?5 = '' AND coalesce((SELECT value = 'all' FROM settings WHERE name = ?7), 1))",
        (id, subject[1], predicate, object_[1], assertion, source, POLICY),
    )
    return int(connection.execute("SELECT key FROM candidate_facts WHERE id = ?", (id,)).fetchone()[0])


class Facts(Tables):
    def add(
        self,
        connection: sqlite3.Connection,
        triples: Sequence[NewTriple],
        entities: dict[str, EntityRow],
        proposer: str = "rules",
    ) -> list[int]:
        """Store triples under their facts, inside the caller's transaction; their keys.

        `proposer`: who extracted them.
        """
        keys = []
        for new in triples:
            subject, object_ = entities[new.subject_normal], entities[new.object_normal]
            predicate = predicate_key(new.triple.predicate)
            ends = (subject.id, subject.key), predicate, (object_.id, object_.key)
            fact = propose(connection, *ends, new.triple.assertion, new.triple.source)
            cursor = connection.execute(
                'INSERT INTO triples (passage_key, fact_key, subject, predicate, object, start, "end", confidence,'
                " proposer, description) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    new.passage_key, fact, new.triple.subject, new.triple.predicate, new.triple.object,
                    new.triple.start, new.triple.end, new.triple.confidence, proposer,
                    new.triple.description,
                ),
            )  # fmt: skip
            keys.append(int(cursor.lastrowid or 0))
        return keys

    def sweep(self) -> None:
        """Delete touched facts that no triple supports any more."""
        self._write(
            "DELETE FROM candidate_facts WHERE key IN (SELECT fact_key FROM touched_facts)"
            " AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.fact_key = candidate_facts.key)"
        )

    def join_voices(self) -> None:
        """Put what is said in the passive under the touched fact that says it in the active: "Gull acquired by Vest".

        What nothing says in the active any more goes back, so that the facts are those of a fresh index.
        """
        of_texts = "key NOT IN (SELECT triple_key FROM stated_triples WHERE triple_key IS NOT NULL)"
        with self._database.transaction() as connection:
            alone = connection.execute(
                "SELECT t.key, t.predicate, s.id, s.key, o.id, o.key, f.assertion, f.source FROM touched_facts x"
                " CROSS JOIN candidate_facts f ON f.key = x.fact_key CROSS JOIN triples t ON t.fact_key = f.key"
                " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
                " WHERE t.predicate LIKE '% by' AND f.predicate NOT LIKE '% by' AND NOT EXISTS"
                " (SELECT 1 FROM triples u WHERE u.fact_key = f.key AND u.predicate NOT LIKE '% by')"
            ).fetchall()
            for key, predicate, *ends in alone:
                subject, object_, put = (ends[0], ends[1]), (ends[2], ends[3]), ends[4:]
                fact = propose(connection, object_, predicate_key(predicate), subject, *put)
                connection.execute("UPDATE triples SET fact_key = ? WHERE key = ?", (fact, key))
            twins = connection.execute(
                "SELECT f.key, f.predicate, g.key, g.predicate FROM touched_facts x"
                " CROSS JOIN candidate_facts f ON f.key = x.fact_key CROSS JOIN candidate_facts g"
                " ON g.subject_key = f.object_key AND g.object_key = f.subject_key"
                " AND g.assertion = f.assertion AND g.source = f.source ORDER BY f.key, g.key"
            ).fetchall()
            for one, words, other, other_words in twins:
                for active, passive in ((one, other), (other, one)):
                    voices = (words, other_words) if active == one else (other_words, words)
                    if active_form(voices[1]) == voices[0]:
                        connection.execute(
                            f"UPDATE triples SET fact_key = ?1 WHERE fact_key = ?2 AND {of_texts}"
                            " AND EXISTS (SELECT 1 FROM triples u WHERE u.fact_key = ?1)",
                            (active, passive),
                        )

    def other_voices(self, keys: Iterable[int] | None = None) -> dict[str, str]:
        """Return, by the id of each of these facts that a text puts in the passive, the id of it in the other voice.

        Of all facts without `keys`.
        """
        chosen = "" if keys is None else " AND f.key IN (SELECT value FROM json_each(?))"
        rows = self._select(
            "SELECT f.id, o.id, f.predicate, t.predicate, s.id, f.assertion, f.source FROM triples t"
            " CROSS JOIN candidate_facts f ON f.key = t.fact_key"
            " JOIN entities s ON s.key = f.subject_key JOIN entities o ON o.key = f.object_key"
            f" WHERE t.predicate LIKE '% by'{chosen} ORDER BY t.key",
            () if keys is None else (json.dumps(list(keys)),),
        )
        found = {}
        for id, one, own, passive, *rest in rows:
            words = active_form(own) or passive
            if words != own:
                found[id] = identify_fact(one, predicate_key(words), *rest)
        return found

    def count(self) -> int:
        return int(self._select_one("SELECT count(*) FROM facts")[0])

    def touching(
        self, entity_keys: Iterable[int], *, outside_lists: bool = False
    ) -> list[tuple[int, int, int, float]]:
        """(key, subject key, object key, strength) of each fact at an end of which one of the entities stands.

        `outside_lists`: without facts that only lists of references say.
        """
        rows = self._select(
            f"{_NAMED}, own (key) AS (SELECT f.key FROM names n CROSS JOIN facts f ON f.subject_key = n.name"
            " UNION SELECT f.key FROM names n CROSS JOIN facts f ON f.object_key = n.name)"
            " SELECT f.key, coalesce(s.head_key, s.key), coalesce(o.head_key, o.key),"
            " (SELECT sum(confidence) FROM triples t WHERE t.fact_key = f.key)"
            " FROM own CROSS JOIN facts f ON f.key = own.key"
            " CROSS JOIN entities s ON s.key = f.subject_key CROSS JOIN entities o ON o.key = f.object_key"
            f"{_OUTSIDE_LISTS if outside_lists else ''} ORDER BY f.key",
            (json.dumps([int(key) for key in entity_keys]),),
        )
        return [(int(row[0]), int(row[1]), int(row[2]), float(row[3] or 0.0)) for row in rows]

    def busy(self, entity_keys: Iterable[int], most: int) -> set[int]:
        """Those of the entities that stand at an end of more than `most` facts."""
        rows = self._select(
            "SELECT j.value FROM json_each(?1) j WHERE (SELECT count(*) FROM (SELECT 1 FROM facts"
            " WHERE subject_key IN (SELECT key FROM entities WHERE key = j.value OR head_key = j.value)"
            " UNION ALL SELECT 1 FROM facts"
            " WHERE object_key IN (SELECT key FROM entities WHERE key = j.value OR head_key = j.value)"
            " LIMIT ?2)) >= ?2",
            (json.dumps([int(key) for key in entity_keys]), most + 1),
        )
        return {int(row[0]) for row in rows}

    def columns(self, keys: Iterable[int] | None = None) -> FactColumns:
        """Of all facts that count, or of those of these keys."""
        of, listed = in_clause("f.key", keys)
        rows = self._select(
            f"SELECT f.key, s.key, o.key, sum(t.confidence){_ENDS}"
            f" JOIN triples t ON t.fact_key = f.key WHERE 1{of} GROUP BY f.key ORDER BY f.key",
            listed,
        )
        ends, strengths = weighted_numbers(rows, 3)
        return FactColumns(ends[:, 0], ends[:, 1], ends[:, 2], strengths)

    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Keys of each fact, (n,), of its subject and object, (n, 2), and its strength, (n,), for pictures.

        Read without holding up other threads, but not to the last bit.
        """
        sql = f"SELECT f.key AS fact, s.key AS subject, o.key AS object, sum(t.confidence) AS strength{_ENDS}"
        sql += " JOIN triples t ON t.fact_key = f.key WHERE f.key >= ?1 AND f.key < ?2 GROUP BY f.key ORDER BY f.key"
        connection = self._database.connection()
        (most,) = connection.execute("SELECT coalesce(max(key), 0) FROM facts").fetchone()
        table = number_rows(connection, sql, most, ("fact", "subject", "object"), ("strength",))
        return table[:, 0].astype(np.int64), table[:, 1:3].astype(np.int64), table[:, 3]

    def of_entity(self, entity_id: str, limit: int) -> list[Fact]:
        """Facts at either end of which the entity stands, strongest first, with their triples."""
        rows = self._select(
            "SELECT f.key, f.id, s.id, f.predicate, o.id, sum(t.confidence) AS strength, s.name, o.name"
            f"{_ENDS} JOIN triples t ON t.fact_key = f.key"
            " WHERE (f.subject_key IN (SELECT key FROM entities WHERE key = ?1 OR head_key = ?1)"
            f" OR f.object_key IN (SELECT key FROM entities WHERE key = ?1 OR head_key = ?1)){VISIBLE}"
            " GROUP BY f.key ORDER BY strength DESC, f.predicate, o.name LIMIT ?2",
            (self._key(entity_id), limit),
        ).fetchall()
        return [self.complete(row[0], Fact(*row[1:])) for row in rows]

    def ties(self, entity_id: str, limit: int) -> list[tuple[str, bool, str]]:
        """(predicate, whether the entity is its subject, id of the other end) of each fact that ties it to another
        entity, strongest first."""
        rows = self._select(
            f"SELECT f.predicate, s.key = ?1, iif(s.key = ?1, o.id, s.id){_ENDS}"
            " JOIN triples t ON t.fact_key = f.key"
            " WHERE (f.subject_key IN (SELECT key FROM entities WHERE key = ?1 OR head_key = ?1)"
            " OR f.object_key IN (SELECT key FROM entities WHERE key = ?1 OR head_key = ?1)) AND s.key <> o.key"
            " GROUP BY f.key ORDER BY sum(t.confidence) DESC, f.key LIMIT ?2",
            (self._key(entity_id), limit),
        )
        return [(str(row[0]), bool(row[1]), str(row[2])) for row in rows]

    def between(self, one_id: str, other_id: str, limit: int) -> list[Fact]:
        """Facts that tie two entities, either way, strongest first, with their triples."""
        names = "(SELECT key FROM entities WHERE key = ?{0} OR head_key = ?{0})"
        one, other = names.format(1), names.format(2)
        rows = self._select(
            "SELECT f.key, f.id, s.id, f.predicate, o.id, sum(t.confidence) AS strength, s.name, o.name"
            f"{_ENDS} JOIN triples t ON t.fact_key = f.key"
            f" WHERE f.subject_key IN {one} AND f.object_key IN {other}"
            f" OR f.subject_key IN {other} AND f.object_key IN {one}"
            " GROUP BY f.key ORDER BY strength DESC, f.key LIMIT ?3",
            (self._key(one_id), self._key(other_id), limit),
        ).fetchall()
        return [self.complete(row[0], Fact(*row[1:])) for row in rows]

    def weights(self, fact_ids: Sequence[str]) -> dict[str, FactWeight]:
        """Return what speaks for the given facts, by id; ids that are gone are left out."""
        counts = dict(self._select("SELECT predicate, count(*) FROM facts GROUP BY predicate").fetchall())
        most = math.log(max(2, sum(counts.values())))
        rows = self._select(
            "SELECT f.id, f.predicate, f.state = 'approved', count(DISTINCT p.document_key)"
            " FROM json_each(?1) j JOIN candidate_facts f ON f.id = j.value"
            " JOIN triples t ON t.fact_key = f.key JOIN passages p ON p.key = t.passage_key GROUP BY f.key",
            (json.dumps(sorted(set(fact_ids))),),
        )
        return {
            id: FactWeight(
                documents, 1.0 - math.log(max(1, counts.get(predicate, 1))) / most, bool(is_approved)
            )
            for id, predicate, is_approved, documents in rows
        }

    def get(self, fact_id: str) -> Fact:
        """With the triples that support it, the surest first. Raises BadInput when there is no such fact."""
        row = self._select_one("SELECT key FROM facts WHERE id = ?", (fact_id,))
        found = self.with_triples([int(row[0])]) if row else {}
        if not found:
            raise BadInput(tr("This fact is no longer in the workspace."), tr("Choose another one."))
        return found[int(row[0])]

    def around(self, entity_ids: Sequence[str], most: int) -> list[int]:
        """Keys of facts that touch these entities: of each name, at most `most` at either end."""
        found: dict[int, None] = {}
        for entity_id in entity_ids:
            names = self._select(
                "SELECT key FROM entities WHERE key = ?1 OR head_key = ?1", (self._key(entity_id),)
            ).fetchall()
            for (name,) in names:
                for end in ("subject_key", "object_key"):
                    sql = f"SELECT key FROM facts WHERE {end} = ? ORDER BY key LIMIT ?"
                    found.update((int(row[0]), None) for row in self._select(sql, (name, most)))
        return list(found)

    def read_from(self, passage_keys: Sequence[int]) -> list[int]:
        """Keys of facts that one of these passages states."""
        marks = ",".join("?" * len(passage_keys))
        rows = self._select(
            f"SELECT DISTINCT fact_key FROM triples WHERE passage_key IN ({marks}) ORDER BY 1",
            list(passage_keys),
        )
        return [int(row[0]) for row in rows]

    def by_keys(self, keys: Sequence[int]) -> dict[int, tuple[str, str, str]]:
        """(subject, predicate, object) names of the given facts."""
        marks = ",".join("?" * len(keys))
        rows = self._select(
            f"SELECT f.key, s.name, f.predicate, o.name{_ENDS} WHERE f.key IN ({marks}){VISIBLE}", list(keys)
        )
        return {int(row[0]): (row[1], row[2], row[3]) for row in rows}

    def texts(self, keys: Sequence[int]) -> dict[int, FactText]:
        """The given facts in words, by key; keys that are gone are left out."""
        facts = self.by_keys(keys)
        marks = ",".join("?" * len(keys))
        clauses: dict[int, list[tuple[str, str]]] = {}
        for key, passage, clause in self._select(
            'SELECT t.fact_key, p.id, substr(p.text, t.start + 1, t."end" - t.start) FROM triples t'
            f" JOIN passages p ON p.key = t.passage_key WHERE t.fact_key IN ({marks})"
            " ORDER BY t.confidence DESC, t.key",
            list(keys),
        ):
            clauses.setdefault(int(key), []).append((str(passage), str(clause)))
        return {key: FactText(key, *words, tuple(clauses.get(key, ()))) for key, words in facts.items()}

    def with_triples(self, keys: Sequence[int]) -> dict[int, Fact]:
        """The given facts by key, each with the triples that support it; keys that are gone are left out."""
        marks = ",".join("?" * len(keys))
        rows = self._select(
            f"SELECT f.key, f.id, s.id, f.predicate, o.id, sum(t.confidence), s.name, o.name{_ENDS}"
            f" JOIN triples t ON t.fact_key = f.key WHERE f.key IN ({marks}) GROUP BY f.key",
            list(keys),
        ).fetchall()
        return {int(row[0]): self.complete(row[0], Fact(*row[1:])) for row in rows}

    def complete(self, key: int, fact: Fact) -> Fact:
        """A fact, by its key, with its triples, the surest first, and its description."""
        rows = self._select(
            'SELECT t.subject, t.predicate, t.object, p.id, t.start, t."end", t.confidence, t.description,'
            ' substr(p.text, t.start + 1, t."end" - t.start)'
            " FROM triples t JOIN passages p ON p.key = t.passage_key WHERE t.fact_key = ?"
            " ORDER BY t.confidence DESC, t.key",
            (key,),
        )
        quoted_triples = [(_in_voice(Triple(*row), fact.predicate), str(words)) for *row, words in rows]
        text = describe_fact(
            Evidence(words, one.confidence, one.description) for one, words in quoted_triples
        )
        return replace(fact, triples=tuple(one for one, _ in quoted_triples), description=text)

    def _key(self, entity_id: str) -> int:
        row = self._select_one("SELECT coalesce(head_key, key) FROM entities WHERE id = ?", (entity_id,))
        return int(row[0]) if row else -1


def _in_voice(triple: Triple, predicate: str) -> Triple:
    """Return a triple with the ends of its fact, where it says it in the passive."""
    words = predicate_key(triple.predicate)
    if words == predicate or active_form(words) != predicate:
        return triple
    return replace(triple, subject=triple.object, predicate=predicate, object=triple.subject)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Words that a fact was read from, and what a language model made of them; "" for none."""

    words: str
    confidence: float  # 0 to 1
    model_words: str = ""


def describe_fact(found: Iterable[Evidence]) -> str:
    """In this order: what a model said, whole sentences, the surest, the shortest; "" where there is no evidence.

    It does not depend on the order in which they come.
    """
    best = min(((_rank(one), _text(one)) for one in found), default=((), ""))
    return best[1]


def _rank(one: Evidence) -> tuple[bool, bool, float, int]:
    text = _text(one)
    return not one.model_words, not (one.model_words or is_statement(text)), -one.confidence, len(text)


def _text(one: Evidence) -> str:
    text = " ".join((one.model_words or one.words).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
