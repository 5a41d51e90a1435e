"""The log of what people decided. It only grows; what holds on a subject follows from it.

A subject's acts form a graph: each saw those that held before it. Those that no other act saw hold now; where two logs
are joined there may be two of them, and where they differ their subject is disputed until somebody saw both.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from itertools import islice
from typing import Any

from core.files.safe_files import parse_json
from core.store.database import Tables
from core.store.faults import stored_json
from core.store.senses import texts_with
from core.types import Decision, ReviewAct
from core.types.kinds import without_sense

UNDO, REDO = "undo", "redo"
LEAVE = "leave"  # two names to the rules
NOTED = "noted"
# A fact that an answer led to: what people decide on it holds, whether they saw that or not.
PROPOSE, PROPOSED = "propose", "proposed"
_FACT, _NAMES, _NOTE = "fact ", "names ", "note "
# Subjects of decisions on what an entity is called ("entity-name NORMAL") or is ("entity-type NORMAL"), and on whom
# mentions mean ('mention ["NORMAL","HASH"]', by the text of their passage).
NAME, LABEL, _MENTION = "entity-name ", "entity-type ", "mention "
_FIELDS = {NAME: "name", LABEL: "label"}
_NOTED_ON = ("fact ", "entity ")
# Of what is decided one after the other, the undoing of which is one.
_RUN = "CAST(json_extract(i.detail, '$.run') AS TEXT)"
_OF_RUNS = f"SELECT a.id FROM review_acts a JOIN review_items i ON i.act_key = a.key WHERE {_RUN}"
_READ = (
    "SELECT a.id, a.made, a.person, a.verb, a.why, a.about,"
    " EXISTS (SELECT 1 FROM undone_acts u WHERE u.act_key = a.key),"
    # The columns beside a lone min() are of the row that it is from: of an edit, what was made of the fact.
    " count(i.subject), min(i.outcome), i.subject, coalesce(i.detail, '{}'), coalesce(b.verb, '')"
    " FROM review_acts a LEFT JOIN review_acts b ON a.about <> '' AND b.id = a.about"
    " LEFT JOIN review_items i ON i.act_key = coalesce(b.key, a.key)"
)

_UNPLACED = (
    "EXISTS (SELECT 1 FROM stated_triples s WHERE s.act_key = i.act_key AND 'fact ' || s.fact_id = i.subject"
    " AND s.triple_key IS NULL)"
)
_NAMED = "EXISTS (SELECT 1 FROM entities WHERE normal = json_extract(substr(i.subject, 7), '$[{}]'))"
_ORPHANS = (
    f"SELECT a.id, i.subject, i.detail, {_UNPLACED} FROM review_items i JOIN review_acts a ON a.key = i.act_key"
    " WHERE NOT EXISTS (SELECT 1 FROM undone_acts u WHERE u.act_key = a.key)"
    f" AND i.outcome <> '{PROPOSED}' AND CASE"
    f" WHEN i.subject LIKE 'fact %' THEN {_UNPLACED}"
    " OR NOT EXISTS (SELECT 1 FROM candidate_facts WHERE id = substr(i.subject, 6))"
    " WHEN i.subject LIKE 'note fact %' THEN"
    " NOT EXISTS (SELECT 1 FROM candidate_facts WHERE id = substr(i.subject, 11))"
    " WHEN i.subject LIKE 'note entity %' THEN NOT EXISTS (SELECT 1 FROM entities WHERE id = substr(i.subject, 13))"
    " WHEN i.subject LIKE 'entity-%' THEN NOT EXISTS (SELECT 1 FROM entities WHERE normal = substr(i.subject, 13))"
    # A further name may stand in no document. What else was renamed or split is told by the name, or its mentions.
    f" WHEN i.subject LIKE 'names %' AND a.verb = 'alias' THEN NOT ({_NAMED.format(0)} OR {_NAMED.format(1)})"
    " WHEN i.subject LIKE 'names %' AND a.verb NOT IN ('rename', 'split')"
    f" THEN NOT ({_NAMED.format(0)} AND {_NAMED.format(1)})"
    " ELSE i.subject LIKE 'mention %' END"
)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One subject of an act. `detail`: the subject in words under "words", and what is made of it."""

    subject: str
    outcome: str
    detail: Mapping[str, object] = field(default_factory=dict)


def fact_subject(fact_id: str) -> str:
    return f"{_FACT}{fact_id}"


def names_subject(one: str, other: str) -> str:
    """Of two normal forms, in whatever order."""
    return _NAMES + json.dumps(sorted((one, other)), ensure_ascii=False, separators=(",", ":"))


def fact_of(subject: str) -> str:
    """Id of the fact that is decided on; "" where it is something else."""
    return subject.removeprefix(_FACT) if subject.startswith(_FACT) else ""


def names_of(subject: str) -> tuple[str, str] | None:
    """The two names that are decided on; None where it is something else. Raises ValueError for no two names."""
    if not subject.startswith(_NAMES):
        return None
    try:
        names: Any = parse_json(subject.removeprefix(_NAMES))
        one, other = names
    except TypeError as error:
        raise ValueError(f"{subject[:80]!r} names nothing") from error
    return str(one), str(other)


def mention_subject(normal: str, passage: str) -> str:
    """Of the mentions of a name in passages of this text, by its hash."""
    return _MENTION + json.dumps([normal, passage], ensure_ascii=False, separators=(",", ":"))


def override_of(subject: str) -> tuple[str, str] | None:
    """Name and field that are decided on; None where it is something else."""
    for prefix, name in _FIELDS.items():
        if subject.startswith(prefix) and subject != prefix:
            return subject.removeprefix(prefix), name
    return None


def mention_of(subject: str) -> tuple[str, str] | None:
    """Name and hash of the passage; None where it is something else. Raises ValueError for no mention."""
    if not subject.startswith(_MENTION):
        return None
    try:
        names: Any = parse_json(subject.removeprefix(_MENTION))
        normal, passage = names
    except TypeError as error:
        raise ValueError(f"{subject[:80]!r} names nothing") from error
    if mention_subject(str(normal), str(passage)) != subject:
        raise ValueError(f"{subject[:80]!r} is no mention")
    return str(normal), str(passage)


def kind_of(subject: str) -> str:
    """fact, names, note, name, label or mention.

    Raises ValueError for what is no subject, or could be written in another way.
    """
    if fact_of(subject):
        return "fact"
    if is_note(subject):
        return "note"
    if override := override_of(subject):
        return override[1]
    if mention_of(subject):
        return "mention"
    pair = names_of(subject)
    if pair is None or pair[0] == pair[1] or names_subject(*pair) != subject:
        raise ValueError(f"{subject[:80]!r} is no subject of a decision")
    return "names"


def concerned(subject: str) -> set[str]:
    """The names, by their normal forms and without senses, that are decided on; none where it is something else."""
    pair, override, mention = names_of(subject), override_of(subject), mention_of(subject)
    return {without_sense(name) for name in (*(pair or ()), *(override or ())[:1], *(mention or ())[:1])}


def note_subject(kind: str, id: str) -> str:
    """Of notes on a "fact" or an "entity"."""
    return f"{_NOTE}{kind} {id}"


def is_note(subject: str) -> bool:
    return subject.startswith(tuple(f"{_NOTE}{kind}" for kind in _NOTED_ON))


def decision_of(act_id: str, person: str, created_at: str, outcome: str, saw: str, undone: int) -> Decision:
    return Decision(act_id, person, created_at, outcome, frozenset(saw.split()), bool(undone))


def decisions_in_force(decisions: Sequence[Decision]) -> list[Decision]:
    """Of all decisions on a subject, those that hold, none of which was made in view of another one that does."""
    before = {decision.act_id: decision.saw for decision in decisions}
    superseded: set[str] = set()
    waiting = [id for decision in decisions if not decision.undone for id in decision.saw]
    while waiting:
        id = waiting.pop()
        if id not in superseded:
            superseded.add(id)
            waiting.extend(before.get(id, ()))
    return [decision for decision in decisions if not decision.undone and decision.act_id not in superseded]


def outcome_of(decisions: Sequence[Decision]) -> str | None:
    """What holds of a subject; "" where nothing does, None where people disagree."""
    outcomes = {decision.outcome for decision in decisions_in_force(decisions)} - {PROPOSED}
    return None if len(outcomes) > 1 else next(iter(outcomes), "")


class ReviewLog(Tables):
    # ------------------------------------------------------------ writing

    def add(self, verb: str, items: Sequence[ReviewItem], person: str, why: str = "") -> str:
        """Id of the new act."""
        id, created_at = uuid.uuid4().hex, datetime.now(UTC).isoformat(timespec="microseconds")
        with self._database.transaction() as connection:
            saw = {item.subject: " ".join(d.act_id for d in self.in_force(item.subject)) for item in items}
            key = _put_act(connection, (id, created_at, person, verb, why, ""))
            connection.executemany(
                "INSERT INTO review_items VALUES (?, ?, ?, ?, ?)",
                [
                    (i.subject, key, i.outcome, saw[i.subject], json.dumps(i.detail, ensure_ascii=False))
                    for i in items
                ],
            )
        return id

    def turn(self, verb: str, act_ids: Sequence[str], person: str) -> None:
        """Undo these acts or do them again, at one moment: see `undone_with`."""
        with self._database.transaction() as connection:
            moment = max(_now(connection, about) for about in act_ids).isoformat(timespec="microseconds")
            for about in act_ids:
                _put_act(connection, (uuid.uuid4().hex, moment, person, verb, "", about))
                self._mark(connection, about)

    def _mark(self, connection: sqlite3.Connection, act_id: str) -> None:
        """Note whether the act holds: the last that was said of it decides."""
        last = connection.execute(
            "SELECT verb FROM review_acts WHERE about = ? ORDER BY made DESC, id DESC LIMIT 1", (act_id,)
        ).fetchone()
        key = "(SELECT key FROM review_acts WHERE id = ?)"
        if last and last[0] == UNDO:
            connection.execute(
                "INSERT OR IGNORE INTO undone_acts SELECT key FROM review_acts WHERE id = ?", (act_id,)
            )
        else:
            connection.execute(f"DELETE FROM undone_acts WHERE act_key = {key}", (act_id,))

    # ------------------------------------------------------------ what holds

    def decisions(self, subject: str) -> list[Decision]:
        """Every decision on a subject, the oldest first; also those that do not hold any more."""
        rows = self._select(
            "SELECT a.id, a.person, a.made, i.outcome, i.saw, u.act_key IS NOT NULL FROM review_items i"
            " JOIN review_acts a ON a.key = i.act_key LEFT JOIN undone_acts u ON u.act_key = a.key"
            " WHERE i.subject = ? ORDER BY a.made, a.id",
            (subject,),
        )
        return [decision_of(*row) for row in rows]

    def in_force(self, subject: str) -> list[Decision]:
        """Decisions that hold, none of which was made in view of another one that does."""
        return decisions_in_force(self.decisions(subject))

    def outcome(self, subject: str) -> str | None:
        """What holds; "" where nothing does, None where people disagree."""
        return outcome_of(self.decisions(subject))

    def on_names(self, names: Collection[str]) -> list[tuple[ReviewAct, str, str]]:
        """(act, subject in words, outcome) of what holds on any of these names, senses aside, the oldest first."""
        rows = self._select(
            "SELECT DISTINCT subject FROM review_items WHERE subject LIKE 'names %' OR subject LIKE 'entity-%'"
            " OR subject LIKE 'mention %'"
        )
        subjects = [subject for (subject,) in rows if not concerned(subject).isdisjoint(names)]
        found = []
        for subject in subjects:
            for decision in self.in_force(subject):
                (detail,) = self._select_one(
                    "SELECT i.detail FROM review_items i JOIN review_acts a ON a.key = i.act_key"
                    " WHERE i.subject = ? AND a.id = ?",
                    (subject, decision.act_id))  # fmt: skip
                act = self.act(decision.act_id)
                if act is not None and decision.outcome != LEAVE:
                    words = _words(detail) or " / ".join(sorted(concerned(subject)))
                    found.append((act, words, decision.outcome))
        return sorted(found, key=lambda each: (each[0].created, each[0].id, each[1]))

    def subjects(self, act_id: str) -> list[str]:
        rows = self._select(
            "SELECT i.subject FROM review_acts a JOIN review_items i ON i.act_key = a.key WHERE a.id = ? ORDER BY 1",
            (act_id,),
        )
        return [str(row[0]) for row in rows]

    def known(self, subjects: Iterable[str]) -> set[str]:
        """Those that somebody decided on."""
        rows = self._select(
            "SELECT j.value FROM json_each(?) j WHERE EXISTS (SELECT 1 FROM review_items i WHERE i.subject = j.value)",
            (json.dumps(list(subjects)),),
        )
        return {str(row[0]) for row in rows}

    # ------------------------------------------------------------ undoing

    def last(self) -> str:
        """Id of the act that is undone next; "" where there is none."""
        return self._id(
            f"SELECT id FROM review_acts a WHERE about = '' AND verb <> '{PROPOSE}' AND NOT EXISTS"
            " (SELECT 1 FROM undone_acts u WHERE u.act_key = a.key) ORDER BY key DESC LIMIT 1"
        )

    def next(self) -> str:
        """Id of the act that is done again next: of those undone since the last decision, the one undone last."""
        return self._id(
            "SELECT a.id FROM review_acts a JOIN undone_acts u ON u.act_key = a.key"
            " WHERE a.about = '' AND EXISTS (SELECT 1 FROM review_acts b WHERE b.about = a.id AND b.verb = 'undo'"
            f" AND b.key > (SELECT max(key) FROM review_acts WHERE about = '' AND verb <> '{PROPOSE}'))"
            " ORDER BY (SELECT max(key) FROM review_acts b WHERE b.about = a.id AND b.verb = 'undo') DESC LIMIT 1"
        )

    def of_run(self, run: str) -> list[str]:
        """Ids of the acts of a run, in which somebody decides on one thing after the other; the oldest first."""
        return self._ids(f"{_OF_RUNS} = ? ORDER BY a.key", run)

    def run_of(self, act_id: str) -> list[str]:
        """Ids of the acts of the run that an act is of, the oldest first; itself where it is of none."""
        run = self._ids(
            f"SELECT {_RUN} FROM review_items i JOIN review_acts a ON a.key = i.act_key WHERE a.id = ?"
            f" AND {_RUN} IS NOT NULL LIMIT 1",
            act_id,
        )
        return self.of_run(run[0]) if run else [act_id]

    def newest(self) -> int:
        """Return the key of the last act, 0 for none."""
        row = self._select_one("SELECT coalesce(max(key), 0) FROM review_acts")
        return int(row[0])

    def undone_with(self, act_id: str) -> list[str]:
        """Ids of the acts that were undone at one moment with an act, with its own; the oldest first."""
        return self._ids(
            "SELECT a.id FROM review_acts a JOIN review_acts u ON u.about = a.id AND u.verb = 'undo' WHERE u.made ="
            " (SELECT max(made) FROM review_acts WHERE about = ? AND verb = 'undo') ORDER BY a.key",
            act_id,
        )

    def outcomes_of(self, run: str) -> dict[str, int]:
        """How many acts of a run came to which outcome."""
        rows = self._select(
            f"SELECT i.outcome, count(*) FROM review_items i WHERE {_RUN} = ? GROUP BY i.outcome", (run,)
        )
        return {str(outcome): int(count) for outcome, count in rows}

    def _ids(self, sql: str, value: str) -> list[str]:
        return [str(id) for (id,) in self._select(sql, (value,))]

    def _id(self, sql: str) -> str:
        row = self._select_one(sql)
        return str(row[0]) if row else ""

    # ------------------------------------------------------------ reading

    def acts(self, limit: int = 100, skip: int = 0, person: str = "", subject: str = "") -> list[ReviewAct]:
        """The newest first; of a person, or on a subject."""
        rows = self._select(
            f"{_READ} WHERE (?1 = '' OR a.person = ?1) AND (?2 = '' OR a.key IN"
            " (SELECT act_key FROM review_items WHERE subject = ?2)) GROUP BY a.key ORDER BY a.key DESC"
            " LIMIT ?3 OFFSET ?4",
            (person, subject, limit, skip),
        )
        return [_act(*row) for row in rows]

    def act(self, act_id: str) -> ReviewAct | None:
        rows = self._select(f"{_READ} WHERE a.id = ? GROUP BY a.key", (act_id,))
        row = rows.fetchone()
        return _act(*row) if row and row[0] else None

    def without_subject(self, limit: int = 1000) -> list[tuple[ReviewAct, str]]:
        """Acts that hold on what is not in the workspace any more, with its words: a fact that nothing says, a quote
        that no document holds, a name that none writes, a passage that was split off."""
        return list(islice(self._without_subject(), limit))

    def _without_subject(self) -> Iterator[tuple[ReviewAct, str]]:
        connection = self._database.connection()
        texts = cache(partial(texts_with, connection))
        for id, subject, detail, unplaced in connection.execute(f"{_ORPHANS} ORDER BY a.key DESC").fetchall():
            if (mention := mention_of(subject)) and mention[1] in texts(mention[0]):
                continue
            holds = unplaced or is_note(subject) or any(d.act_id == id for d in self.in_force(subject))
            act = self.act(id) if holds else None
            if act is not None:
                yield act, _words(detail)

    # ------------------------------------------------------------ copies

    def export(self) -> list[tuple[dict[str, str], list[dict[str, Any]]]]:
        """Every act with its items, in order, by the names of their columns."""
        rows = self._select("SELECT key, id, made, person, verb, why, about FROM review_acts ORDER BY key")
        return [
            (
                dict(zip(("id", "made", "person", "verb", "why", "about"), row, strict=True)),
                [
                    {
                        "subject": subject,
                        "outcome": outcome,
                        "saw": saw.split(),
                        "detail": stored_json(detail),
                    }
                    for subject, outcome, saw, detail in self._select(
                        "SELECT subject, outcome, saw, detail FROM review_items WHERE act_key = ? ORDER BY subject",
                        (key,),
                    )
                ],
            )
            for key, *row in rows.fetchall()
        ]

    def join(self, acts: Iterable[tuple[tuple[str, ...], Sequence[tuple[str, str, str, str]]]]) -> list[str]:
        """Add the acts (their columns, items) that are not known yet; the subjects on which anything new was said."""
        found: dict[str, None] = {}
        with self._database.transaction() as connection:
            for columns, items in acts:
                if self.act(columns[0]) is not None:
                    continue
                key = _put_act(connection, columns)
                connection.executemany(
                    "INSERT OR IGNORE INTO review_items VALUES (?, ?, ?, ?, ?)",
                    [(subject, key, outcome, saw, detail) for subject, outcome, saw, detail in items],
                )
                found.update((item[0], None) for item in items)
                if columns[5]:
                    self._mark(connection, columns[5])
                    found.update((subject, None) for subject in self.subjects(columns[5]))
                self._mark(connection, columns[0])  # what undoes it may have come before it
        return list(found)


def _now(connection: sqlite3.Connection, about: str) -> datetime:
    """The time of an act that undoes another or does it again: after whatever was said of that before."""
    (last,) = connection.execute("SELECT max(made) FROM review_acts WHERE about = ?", (about,)).fetchone()
    now = datetime.now(UTC)
    return max(now, datetime.fromisoformat(last) + timedelta(microseconds=1)) if last else now


def _put_act(connection: sqlite3.Connection, columns: Sequence[str]) -> int:
    marks = ", ".join("?" * len(columns))
    sql = f"INSERT INTO review_acts (id, made, person, verb, why, about) VALUES ({marks})"
    return int(connection.execute(sql, columns).lastrowid or 0)


def _act(id: str, created_at: str, person: str, verb: str, why: str, about: str, undone: int, items: int,
         _: str | None, subject: str | None, detail: str, about_verb: str) -> ReviewAct:  # fmt: skip
    words = _words(detail) or (subject or "")
    return ReviewAct(id, created_at, person, verb, why, about, bool(undone), items, words, about_verb)


def _words(detail: str) -> str:
    return str(stored_json(detail).get("words", ""))
