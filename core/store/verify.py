"""Runs every rule over a workspace as it stands at one moment, and mends what can be made again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core.errors import ModelFault, ModelUnavailable, WorkspaceError
from core.progress import TaskContext
from core.store.changes import BEHIND, Changes
from core.store.checks import decisions, derived, documents
from core.store.checks.rule import RESTORE, Encoding, Ground, Rule, ground
from core.store.database import Database
from core.store.faults import explained
from core.text.translation import tr
from core.types import Check

RULES: tuple[Rule, ...] = (*documents.RULES, *derived.INDEX_RULES, *decisions.RULES, *derived.RULES)


def verify(database: Database, encoding: Encoding, context: TaskContext) -> list[Check]:
    """Look at everything in one read transaction; writers go on meanwhile. Changes nothing."""
    connection = database.connection()
    connection.execute("BEGIN")
    try:
        snapshot = ground(connection, encoding)
        found: list[Check] = []
        for number, rule in enumerate(RULES):
            context.report("check", number, len(RULES), rule.name)
            found.append(_checked(rule, snapshot, damaged=bool(found) and not found[0].ok))
        context.report("check", len(RULES), len(RULES))
        now = tr("finished") if snapshot.settled else tr("not finished: index the folder again to go on")
        return [*found, Check(tr("indexing"), True, 0, now)]
    finally:
        connection.rollback()


def repair(
    database: Database, encoding: Encoding, context: TaskContext, refresh: Callable[[TaskContext], None]
) -> list[Check]:
    """Mend what the rules find broken, each rule in a transaction of its own; what was broken is marked as repaired.

    Sound rows are not touched. `refresh` then builds again what is derived, unless files or passages must be read
    first: that is left for the next indexing. Raises Cancelled.
    """
    before = verify(database, encoding, context)
    broken = {check.name for check in before if not check.ok}
    if not broken:
        return before
    settled = ground(database.connection(), encoding).settled
    for rule in RULES:
        if rule.name in broken and rule.mend is not None:
            _mend(rule, rule.mend, database, encoding, settled)
    # Rows may have been hidden from who read them, and no trigger tells that they are seen again.
    with contextlib.suppress(WorkspaceError):
        Changes(database).stop()
    after = verify(database, encoding, context)
    if all(check.ok for check in after) and _is_only_derived_behind(database):
        with contextlib.suppress(ModelUnavailable, ModelFault):  # no encoder: the next indexing tells why
            refresh(context)
        after = verify(database, encoding, context)
    return [
        Check(c.name, c.ok, c.count, c.detail, c.remedy, repaired=c.ok and c.name in broken) for c in after
    ]


def _is_only_derived_behind(database: Database) -> bool:
    """Return whether derived layers are behind, and no file or passage is to be read again before."""
    sql = (
        f"SELECT {BEHIND} AND NOT EXISTS (SELECT 1 FROM stages WHERE state = 'pending')"
        " AND NOT EXISTS (SELECT 1 FROM files WHERE reader = '')"
    )
    return bool(database.connection().execute(sql).fetchone()[0])


def clean(database: Database) -> str:
    """Take what was deleted out of the file: words in unused corners of it. What was gained, in words.

    SQLite needs room for a second file meanwhile. In proportion to the whole workspace.
    """
    before = database.path.stat().st_size
    with database.transaction() as connection:
        connection.execute("INSERT INTO passages_text (passages_text) VALUES ('optimize')")
    with explained(database.path):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    gained = before - database.path.stat().st_size
    return tr(
        "{size} MB given back, nothing of what was deleted is left in the file",
        size=f"{max(0, gained) / 1e6:,.1f}",
    )


def stamped(database: Database, model: str) -> tuple[int, int]:
    """Revision of the content and number of its passages' vectors: what derived files are stamped with."""
    row = (
        database.connection()
        .execute(
            "SELECT coalesce((SELECT value FROM settings WHERE name = 'revision'), '0'), count(*)"
            " FROM embeddings WHERE kind = 'passage' AND model = ?",
            (model,),
        )
        .fetchone()
    )
    return int(row[0]), int(row[1])


def _mend(
    rule: Rule,
    mend: Callable[[Ground, Sequence[Any]], None],
    database: Database,
    encoding: Encoding,
    settled: bool,
) -> None:
    """What a damaged page keeps from being mended stays broken, and the next look says so.

    `settled` is as it was before the first rule mended its rows: that unsettles the workspace, and who then looks only
    at what is in step would take the damage for work that is still to do.
    """
    with contextlib.suppress(WorkspaceError), database.transaction() as connection:
        snapshot = replace(ground(connection, encoding), settled=settled)
        found = rule.look(snapshot)
        if found.bad:
            mend(snapshot, found.bad)


def _checked(rule: Rule, view: Ground, damaged: bool) -> Check:
    try:
        found = rule.look(view)
    except WorkspaceError as error:
        return Check(rule.name, False, 1, error.message, RESTORE)
    except (TypeError, ValueError, AttributeError) as error:
        if not damaged:
            raise
        return Check(
            rule.name, False, 1, tr("not to be read in a damaged database ({error})", error=error), RESTORE
        )
    if not found.bad:
        return Check(rule.name, True, 0, found.detail)
    return Check(rule.name, False, len(found.bad), found.detail, rule.remedy)
