"""The schema as its scripts make it, and whether a file has just that: no table, view or trigger of others."""

from __future__ import annotations

import contextlib
import functools
import importlib.resources
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from core.errors import WorkspaceError
from core.text.predicates import in_family
from core.text.search_words import searchable
from core.text.translation import tr

_OURS = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
FIRST = 27  # the oldest schema that is brought up to date
_LONGEST = 20_000  # characters of a statement; ours have some hundred
_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\w+|[^\w\s]""")


@functools.cache
def migrations() -> tuple[str, ...]:
    """Return the scripts in order: all tables as of version `FIRST`, then a change for each version after it."""
    folder = importlib.resources.files("core.store") / "migrations"
    return tuple(
        item.read_text(encoding="utf-8")
        for item in sorted(folder.iterdir(), key=lambda item: item.name)
        if item.name.endswith(".sql")
    )


def latest() -> int:
    """Return the version that this Clew writes."""
    return FIRST + len(migrations()) - 1


def migrate(connection: sqlite3.Connection, version: int = 0, until: int | None = None) -> None:
    """Run the scripts that follow `version`, up to `until`, within the caller's transaction; 0 has no tables yet."""
    add_functions(connection)
    scripts = dict(enumerate(migrations(), start=FIRST))
    for number in range(max(version + 1, FIRST), (latest() if until is None else until) + 1):
        script = scripts[number]
        for statement in _statements(script):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number:d}")


def add_functions(connection: sqlite3.Connection) -> None:
    """What the triggers call."""
    connection.create_function("searchable", 1, searchable, deterministic=True)
    connection.create_function("in_family", 2, in_family, deterministic=True)


def check_schema(connection: sqlite3.Connection, version: int, path: Path) -> None:
    """Raises WorkspaceError for a database of another program, of a newer Clew, or changed by another hand.

    A view or trigger would run with our rights, and a table of another shape holds what no code expects.
    """
    if connection.execute(f"SELECT count(*) FROM sqlite_master WHERE length(sql) > {_LONGEST:d}").fetchone()[
        0
    ]:
        raise _changed(path, tr("a statement of unusual length"))
    found = _read(connection)
    if found and ("table", "settings", "settings") not in found:
        raise WorkspaceError(
            tr("{path} is a database of another program.", path=path),
            tr("Choose another folder for the workspace."),
        )
    if 0 < version < FIRST:
        raise WorkspaceError(
            tr(
                "The workspace {parent} is too old for this Clew (schema {version}; it opens {first} and later).",
                parent=path.parent,
                version=version,
                first=FIRST,
            ),
            tr("Index its folder into a new workspace."),
        )
    if version > latest():
        raise WorkspaceError(
            tr(
                "The workspace {parent} was made by a newer Clew (schema {version}, this one knows {count}).",
                parent=path.parent,
                version=version,
                count=latest(),
            ),
            tr("Update Clew; the workspace was not touched."),
        )
    expected = _expected(version)
    for kind, name, table in sorted({*found, *expected}, key=str):
        if found.get((kind, name, table)) != expected.get((kind, name, table)):
            raise _changed(path, tr("the {kind} {name}", kind=kind, name=name))


def _changed(path: Path, what: str) -> WorkspaceError:
    return WorkspaceError(
        tr(
            "{path} is damaged or was changed by another program: {what} is not as Clew makes it.",
            path=path,
            what=what,
        ),
        tr("Restore a copy, or index into a new workspace."),
    )


@functools.cache
def _expected(version: int) -> dict[tuple[str, str, str], str]:
    """What stands in the schema of that version."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, until=version)
        return _read(connection)


def _read(connection: sqlite3.Connection) -> dict[tuple[str, str, str], str]:
    """Statement by kind, name and table; comments and blanks may differ between versions of a migration."""
    return {
        (kind, name, table): " ".join(part for part in _TOKEN.findall(sql or "") if not part.startswith("--"))
        for kind, name, table, sql in connection.execute(_OURS)
    }


def _statements(script: str) -> Iterator[str]:
    """Whole statements; executescript would commit the transaction that holds them."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
