"""Is all well with a workspace: every rule over its database, and the files that are derived from it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from core.errors import CoreError, WorkspaceError
from core.files.faults import explained
from core.graph.overview_cache import FILE as PICTURE
from core.graph.overview_cache import forget_overview
from core.graph.synonymy import UNLINKED
from core.index.array_file import fault
from core.index.vector import NAMES, Stamp, file_of, index_fault, may_hold_gone
from core.progress import TaskContext
from core.retrieval.snapshot_file import FILE as SNAPSHOT
from core.retrieval.snapshot_file import forget_snapshot
from core.store.changes import Changes
from core.store.checks.rule import REPAIR, Encoding
from core.store.database import Database
from core.store.faults import damaged
from core.store.settings import Settings, read_encoder
from core.store.store import FILE
from core.store.verify import clean, repair, stamped, verify
from core.store.workspace_files import WriterLock
from core.text.translation import both, mark, tr
from core.types import Check


def check_workspace(database: Database, derived: Path, context: TaskContext) -> list[Check]:
    """Look and change nothing. `derived` is the folder of derived files."""
    return [
        *database.retry_read(lambda: verify(database, _encoding(database), context)),
        _index_file(database, derived),
    ]


def mend_workspace(
    database: Database, derived: Path, context: TaskContext, refresh: Callable[[TaskContext], None]
) -> list[Check]:
    """Mend what can be made again, and take what was deleted out of the file. Sound rows stay as they are.

    `refresh` brings what is derived in step. Raises Cancelled.
    Raises WorkspaceError when the workspace is read-only or another process writes.
    """
    if database.read_only:
        raise WorkspaceError(
            tr(
                "The workspace {parent} is read-only, so nothing can be repaired.",
                parent=database.path.parent,
            ),
            tr("Copy it to a folder where you may write, or change its permissions."),
        )
    with WriterLock(database.path.parent, mark("repaired")):
        checks = repair(database, _encoding(database), context, refresh)
        if checks[0].ok:
            context.report("clean", 0, 1)
            checks.append(_cleaned(database))
        index = _index_file(database, derived)
        if not index.ok or _gone_in(derived, _stamp(database)):
            _drop_indexes(derived)
        with explained(derived):
            forget_snapshot(derived)  # it may hold names and vectors of what is gone
            forget_overview(derived)
            words = tr("removed; the next question makes it anew")
            index = Check(index.name, True, 0, words, repaired=not index.ok)
    return [*checks, index]


def damage_behind(error: BaseException, folder: Path) -> WorkspaceError | None:
    """What is told in place of a fault that nobody foresaw: the first rule that the workspace breaks.

    None where the workspace is sound, so that it is a bug, and for faults that are told in words as they are.
    """
    if not isinstance(error, Exception) or isinstance(error, CoreError | OSError):
        return None
    path = folder / FILE
    try:
        with contextlib.closing(Database(path, read_only=True, any_version=True)) as database:
            checks = verify(database, _encoding(database), TaskContext()) if database.is_current else []
    except WorkspaceError as error:
        return error
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
        return damaged(path)  # sound rows are never too much for the rules
    bad = next((check for check in checks if not check.ok), None)
    if bad is None:
        return None
    return WorkspaceError(
        tr("{path} is damaged ({name}: {detail}).", path=path, name=bad.name, detail=bad.detail), bad.remedy
    )


def _index_file(database: Database, derived: Path) -> Check:
    """A file that is older than the database is no fault: the next question brings it up to date."""
    name = tr("vector index on disk")
    try:
        stamp = _stamp(database)
    except (WorkspaceError, ValueError) as error:
        return Check(name, False, 1, tr("nothing to compare it with ({error})", error=error), REPAIR)
    faults = {name: index_fault(derived, stamp, name) for name in NAMES} | {
        file: fault(derived / file) for file in (SNAPSHOT, PICTURE)
    }
    if all(fault is None for fault in faults.values()):
        return Check(name, True, 0, tr("none; small workspaces need none"))
    if bad := [f"{index}: {fault}" for index, fault in faults.items() if fault]:
        return Check(name, False, len(bad), "; ".join(bad), REPAIR)
    if gone := _gone_in(derived, stamp):
        words = tr("sound; may hold vectors of {gone} that are gone, marked as such", gone=both(gone))
        return Check(name, True, 0, words)
    # A base is brought up to date in memory: until it is merged its names of before are in the file.
    if faults[SNAPSHOT] is not None and Changes(database).noted():
        words = tr(
            "sound; may hold names and vectors of what changed since; clew verify --repair removes them"
        )
        return Check(name, True, 0, words)
    of = both([name for name, found in faults.items() if found is not None])
    return Check(name, True, 0, tr("of {names}", names=of))


def _gone_in(derived: Path, stamp: Stamp) -> list[str]:
    return [name for name in NAMES if may_hold_gone(derived, stamp, name)]


def _stamp(database: Database) -> Stamp:
    encoding = _encoding(database)
    revision, count = stamped(database, encoding.model)
    return Stamp(encoding.model, encoding.dimension, "ip", revision, count)


def _encoding(database: Database) -> Encoding:
    encoder = read_encoder(Settings(database))
    return Encoding(encoder.model, encoder.dimension, UNLINKED)


def _cleaned(database: Database) -> Check:
    name = tr("unused space")
    try:
        return Check(name, True, 0, clean(database))
    except WorkspaceError as error:  # it takes room for a second file
        return Check(name, True, 0, tr("not given back: {message}", message=error.message))


def _drop_indexes(derived: Path) -> None:
    with explained(derived):
        for name in NAMES:
            for file in (file_of(name), f"{file_of(name)}.json"):
                (derived / file).unlink(missing_ok=True)
