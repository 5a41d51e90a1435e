"""What people decided: the log can be read, and what the store holds of it follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby

from core.store.candidate_facts import counted
from core.store.checks.rule import (
    AGAIN,
    REPAIR,
    RESTORE,
    Found,
    Ground,
    Rule,
    finding,
    touch_entities,
    unsettle,
)
from core.store.review_log import (
    LEAVE,
    UNDO,
    decision_of,
    fact_of,
    kind_of,
    mention_of,
    names_of,
    outcome_of,
    override_of,
)
from core.store.senses import OF_NAME, text_hash
from core.store.statements import statement_of
from core.text.translation import markn, tr, trn

Row = tuple[str, ...]  # a table, then the key of a row in it
# What is kept of decisions on names: the table with its columns, kinds of subjects, the key that a subject is of.
_SNAPSHOT_TABLES: tuple[tuple[str, str, tuple[str, ...], Callable[[str], tuple[str, str] | None]], ...] = (
    ("decisions", "one, other, verdict", ("names",), names_of),
    ("entity_overrides", "normal, field, value", ("entity-name", "entity-type"), override_of),
    ("split_mentions", "normal, passage, sense", ("mention",), mention_of),
)
# Acts that do not hold: the last that was said of each is that it is undone.
_UNDONE = (
    "SELECT key FROM (SELECT a.key, b.verb, row_number() OVER (PARTITION BY a.key ORDER BY b.made DESC, b.id DESC)"
    f" AS last FROM review_acts b JOIN review_acts a ON a.id = b.about WHERE b.about <> '') WHERE last = 1"
    f" AND verb = '{UNDO}'"
)
_STRANGE = (
    "SELECT act_key FROM undone_acts WHERE act_key NOT IN ({0}) UNION SELECT * FROM ({0}) WHERE key NOT IN"
)
_STRANGE += " (SELECT act_key FROM undone_acts)"
# Facts whose support changed since are looked at when the unfinished run ends.
_LATER = "SELECT fact_key FROM touched_facts"


def _log(ground: Ground) -> Found:
    """What is in it can be read. It is the truth, so there is nothing to make it from."""
    bad = [subject for subject, detail in _items(ground) if not _is_item(subject, detail)]
    bad += [id for id, stamp in ground.rows("SELECT id, made FROM review_acts") if not _is_time(stamp)]
    total = ground.count("SELECT count(*) FROM review_acts")
    return finding(
        bad,
        trn("{count} act", "{count} acts", total),
        markn("{count} entry of the log cannot be read", "{count} entries of the log cannot be read"),
    )


def _items(ground: Ground) -> list[tuple[str, str]]:
    return ground.rows("SELECT subject, detail FROM review_items")


def _is_item(subject: str, detail: str) -> bool:
    try:
        statement_of(dict(json.loads(detail)))
        return _is_subject(subject)
    except (ValueError, TypeError, RecursionError):
        return False


def _is_subject(subject: str) -> bool:
    try:
        return bool(kind_of(subject))
    except (ValueError, TypeError, RecursionError):
        return False


def _is_time(timestamp: str) -> bool:
    try:
        return datetime.fromisoformat(timestamp) is not None
    except ValueError:
        return False


def _undone(ground: Ground) -> Found:
    bad = ground.keys(_STRANGE.format(_UNDONE))
    total = ground.count("SELECT count(*) FROM undone_acts")
    return finding(
        bad,
        trn("{count} act undone", "{count} acts undone", total),
        markn(
            "{count} act is undone, or not, against the log",
            "{count} acts are undone, or not, against the log",
        ),
    )


def _undo_again(ground: Ground, _: Sequence[int]) -> None:
    ground.connection.execute("DELETE FROM undone_acts")
    ground.connection.execute(f"INSERT INTO undone_acts {_UNDONE}")


def outcomes(ground: Ground, kind: str) -> Iterator[tuple[str, str | None]]:
    """What holds of every subject that begins with `kind` and can be read."""
    rows = ground.connection.execute(
        "SELECT i.subject, a.id, a.person, a.made, i.outcome, i.saw, u.act_key IS NOT NULL FROM review_items i"
        " JOIN review_acts a ON a.key = i.act_key LEFT JOIN undone_acts u ON u.act_key = a.key"
        " WHERE i.subject LIKE ? || ' %' ORDER BY i.subject, a.made, a.id",
        (kind,),
    )
    for subject, group in groupby(rows, key=lambda row: str(row[0])):
        if _is_subject(subject):
            yield subject, outcome_of([decision_of(*row[1:]) for row in group])


def _states(ground: Ground) -> Found:
    """Keys of facts that are in another state than the log has them in, or count against the policy."""
    decided = ground.count("SELECT count(*) FROM candidate_facts WHERE state <> 'open'")
    return finding(
        sorted({*_wrong_states(ground), *_miscounted(ground)}),
        trn("{count} fact decided on", "{count} facts decided on", decided),
        markn(
            "{count} fact is in a state, or counts, against the log or the policy",
            "{count} facts are in a state, or count, against the log or the policy",
        ),
    )


def _wrong_states(ground: Ground) -> dict[int, str]:
    """The state as it should be, by key, of facts that are in another one."""
    logged = {fact_of(subject): outcome for subject, outcome in outcomes(ground, "fact")}
    bad = {}
    for key, id, state in ground.rows(
        f"SELECT key, id, state FROM candidate_facts WHERE key NOT IN ({_LATER})"
    ):
        outcome = logged.get(id, "")
        right = "disputed" if outcome is None else outcome or "open"
        if state != right:
            bad[int(key)] = right
    return bad


def _miscounted(ground: Ground) -> list[int]:
    settings = dict(ground.rows("SELECT name, value FROM settings WHERE name LIKE 'review.%'"))
    sql, values = counted(settings)
    rows = ground.connection.execute(
        f"SELECT key FROM candidate_facts f WHERE counts <> {sql} AND key NOT IN ({_LATER})", values
    )
    return [row[0] for row in rows]


def _put_states(ground: Ground, _: Sequence[int]) -> None:
    """Triggers note what that changes."""
    right = [(state, key) for key, state in _wrong_states(ground).items()]
    ground.connection.executemany("UPDATE candidate_facts SET state = ? WHERE key = ?", right)
    ground.change("UPDATE candidate_facts SET counts = 1 - counts WHERE key = ?", _miscounted(ground))
    unsettle(ground)


def _stated(ground: Ground) -> Found:
    """There is a row for each statement that holds, and a triple that a statement was put for stands for one."""
    stored = {(row[0], row[1]) for row in ground.rows("SELECT fact_id, act_key FROM stated_triples")}
    bad = sorted(stored ^ set(_statements(ground)))
    if ground.settled:
        bad += ground.rows(
            "SELECT s.fact_id, s.act_key FROM stated_triples s JOIN triples t ON t.key = s.triple_key"
            " JOIN candidate_facts f ON f.key = t.fact_key WHERE f.id <> s.fact_id"
        )
    return finding(
        bad,
        trn("{count} fact stated", "{count} facts stated", len(stored)),
        markn(
            "{count} fact that somebody stated is not as the log has it",
            "{count} facts that people stated are not as the log has them",
        ),
    )


def _statements(ground: Ground) -> list[tuple[str, int]]:
    """(fact id, act) of every statement that holds."""
    return ground.rows(
        "SELECT substr(i.subject, 6), i.act_key FROM review_items i WHERE i.subject LIKE 'fact %'"
        " AND json_valid(i.detail) AND json_type(i.detail, '$.quote') IS NOT NULL"
        " AND i.act_key NOT IN (SELECT act_key FROM undone_acts)"
    )


def _state_again(ground: Ground, pairs: Sequence[tuple[str, int]]) -> None:
    """Without a triple; the next run looks for its place."""
    wanted = set(_statements(ground))
    for pair in pairs:
        of = "FROM stated_triples WHERE fact_id = ? AND act_key = ?"
        ground.connection.execute(f"DELETE FROM triples WHERE key IN (SELECT triple_key {of})", pair)
        ground.connection.execute(f"DELETE {of}", pair)
        if pair in wanted:
            ground.connection.execute("INSERT INTO stated_triples VALUES (?, ?, NULL)", pair)
    unsettle(ground)


def _logged(ground: Ground) -> dict[Row, str]:
    """What holds of every name, and of every mention that was split off, by where it is kept."""
    return {
        (table, *key): outcome
        for table, _, kinds, key_of in _SNAPSHOT_TABLES
        for kind in kinds
        for subject, outcome in outcomes(ground, kind)
        if (key := key_of(subject)) is not None and outcome and (table != "decisions" or outcome != LEAVE)
    }


def _names(ground: Ground) -> Found:
    """Which names are one, what they are called and are, whom mentions mean: as the log has it, and so applied."""
    stored = {
        (table, *row[:2]): row[2]
        for table, columns, *_ in _SNAPSHOT_TABLES
        for row in ground.rows(f"SELECT {columns} FROM {table}")
    }
    logged = _logged(ground)
    bad = {row for row in stored.keys() | logged.keys() if stored.get(row) != logged.get(row)}
    if ground.settled:
        bad |= set(
            ground.rows(
                "SELECT 'entity_overrides', o.normal, o.field FROM entity_overrides o JOIN entities e"
                " ON e.normal = o.normal WHERE o.value <> CASE o.field WHEN 'name' THEN e.name ELSE e.label END"
            )
        )
        bad |= _misplaced(
            ground, {row[1:]: sense for row, sense in stored.items() if row[0] == "split_mentions"}
        )
    return finding(
        sorted(bad),
        trn("{count} decision on names", "{count} decisions on names", len(stored)),
        markn(
            "{count} decision on names is not as the log has it",
            "{count} decisions on names are not as the log has them",
        ),
    )


def _misplaced(ground: Ground, stored: dict[Row, str]) -> set[Row]:
    """Names and passages, told by their texts, where somebody is meant and not kept so, or the other way round."""
    wanted = {
        (passage, *key, stored[key])
        for normal in {normal for normal, _ in stored}
        for passage, text in ground.rows(
            f"SELECT DISTINCT p.key, p.text FROM ({OF_NAME}) h JOIN passages p ON p.key = h.passage_key",
            normal,
        )
        if (key := (normal, text_hash(text))) in stored
    }
    placed = {
        (passage, normal, text_hash(text), sense)
        for passage, normal, text, sense in ground.rows(
            "SELECT p.key, x.normal, p.text, x.sense FROM passage_senses x JOIN passages p ON p.key = x.passage_key"
        )
    }
    return {("split_mentions", normal, passage) for _, normal, passage, _ in placed ^ wanted}


def _name_again(ground: Ground, rows: Sequence[Row]) -> None:
    logged = _logged(ground)
    columns = {table: tuple(names.split(", ")) for table, names, *_ in _SNAPSHOT_TABLES}
    for table, *key in rows:
        one, other, _ = columns[table]
        ground.connection.execute(f"DELETE FROM {table} WHERE {one} = ? AND {other} = ?", key)
        if (outcome := logged.get((table, *key))) is not None:
            moment = ", strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now')" if table == "decisions" else ""
            ground.connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?{moment})", (*key, outcome))
        touch_entities(ground, ground.keys("SELECT key FROM entities WHERE normal IN (?, ?)", *key))
        ground.connection.execute(
            "INSERT OR IGNORE INTO touched_documents SELECT p.document_key FROM passages p WHERE p.key IN"
            f" (SELECT passage_key FROM passage_senses WHERE normal = ?1 UNION SELECT passage_key FROM ({OF_NAME}))",
            key[:1],
        )


RULES = (
    Rule(tr("log of decisions"), _log, RESTORE),
    Rule(tr("acts that are undone"), _undone, REPAIR, _undo_again),
    Rule(tr("states of facts"), _states, AGAIN, _put_states),
    Rule(tr("statements of people"), _stated, AGAIN, _state_again),
    Rule(tr("decisions on names"), _names, AGAIN, _name_again),
)
