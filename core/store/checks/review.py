"""What people decided: the log can be read, and all that follows from it does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from core.store.candidate_facts import counted
from core.store.checks.again import unsettle
from core.store.checks.rule import AGAIN, REPAIR, RESTORE, Found, Ground, Rule, finding
from core.store.review_log import UNDO, decision_of, fact_of, kind_of, outcome_of
from core.store.statements import statement_of
from core.text.translation import markn, tr, trn

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


def _is_time(made: str) -> bool:
    try:
        return datetime.fromisoformat(made) is not None
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


def _wrong_states(ground: Ground) -> list[tuple[int, str]]:
    """(key, state as it should be) of facts that are in another one."""
    logged = {fact_of(subject): outcome for subject, outcome in outcomes(ground, "fact")}
    bad = []
    for key, id, state in ground.connection.execute(
        f"SELECT key, id, state FROM candidate_facts WHERE key NOT IN ({_LATER})"
    ):
        outcome = logged.get(id, "")
        right = "disputed" if outcome is None else outcome or "open"
        if state != right:
            bad.append((int(key), right))
    return bad


def _states(ground: Ground) -> Found:
    decided = ground.count("SELECT count(*) FROM candidate_facts WHERE state <> 'open'")
    wrong = _wrong_states(ground)
    return finding(
        wrong,
        trn("{count} fact decided on", "{count} facts decided on", decided),
        markn(
            "{count} fact is in a state that the log contradicts",
            "{count} facts are in a state that the log contradicts",
        ),
    )


def _put_states(ground: Ground, wrong: Sequence[tuple[int, str]]) -> None:
    ground.connection.executemany("UPDATE candidate_facts SET state = ?2 WHERE key = ?1", wrong)
    _count_again(ground, _miscounted(ground))


def _miscounted(ground: Ground) -> list[int]:
    settings = dict(ground.rows("SELECT name, value FROM settings WHERE name LIKE 'review.%'"))
    sql, values = counted(settings)
    return [
        row[0]
        for row in ground.connection.execute(
            f"SELECT key FROM candidate_facts f WHERE counts <> {sql} AND key NOT IN ({_LATER})", values
        )
    ]


def _counts(ground: Ground) -> Found:
    total = ground.count("SELECT count(*) FROM candidate_facts WHERE counts")
    return finding(
        _miscounted(ground),
        trn("{count} fact counts", "{count} facts count", total),
        markn(
            "{count} fact counts, or does not, against the policy",
            "{count} facts count, or do not, against the policy",
        ),
    )


def _count_again(ground: Ground, keys: Sequence[int]) -> None:
    """Triggers note what that changes."""
    ground.change("UPDATE candidate_facts SET counts = 1 - counts WHERE key = ?", keys)
    if keys:
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


RULES = (
    Rule(tr("log of decisions"), _log, RESTORE),
    Rule(tr("acts that are undone"), _undone, REPAIR, _undo_again),
    Rule(tr("states of facts"), _states, AGAIN, _put_states),
    Rule(tr("facts that count"), _counts, AGAIN, _count_again),
    Rule(tr("statements of people"), _stated, AGAIN, _state_again),
)
