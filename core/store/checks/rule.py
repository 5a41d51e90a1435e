"""The shape of a rule, what rules see of a workspace, and how they have the next indexing do work again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.store.changes import BEHIND
from core.text.translation import tr, trn

AGAIN = tr("Mend it with: clew verify WORKSPACE --repair; then index the folder again.")
REPAIR = tr("Mend it with: clew verify WORKSPACE --repair")
RESTORE = tr("Restore a backup, or index into a new workspace.")


@dataclass(frozen=True, slots=True)
class Ground:
    """One connection and its transaction. `settled`: no run is unfinished, all that follows is in step."""

    connection: sqlite3.Connection
    model: str
    dimension: int
    unnamed: frozenset[str]  # labels of entities whose names have no vector
    settled: bool

    def rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql, parameters).fetchall()

    def keys(self, sql: str, *parameters: object) -> list[int]:
        """The first column of what is found."""
        return [row[0] for row in self.rows(sql, *parameters)]

    def count(self, sql: str, *parameters: object) -> int:
        return int(self.rows(sql, *parameters)[0][0])

    def change(self, sql: str, keys: Iterable[object]) -> None:
        """One statement for each key."""
        self.connection.executemany(sql, [(key,) for key in keys])


@dataclass(frozen=True, slots=True)
class Found:
    """`bad`: what breaks the rule, mostly row keys. `detail`: what was looked at, or what is wrong."""

    bad: Sequence[Any]
    detail: str


@dataclass(frozen=True, slots=True)
class Rule:
    """`look` only reads; `mend` is given what it found bad, inside a transaction that writes."""

    name: str
    look: Callable[[Ground], Found]
    remedy: str = REPAIR
    mend: Callable[[Ground, Sequence[Any]], None] | None = None


@dataclass(frozen=True, slots=True)
class Encoding:
    """What vectors should be: of which model, how long, and which labels' names have none."""

    model: str
    dimension: int
    unnamed: frozenset[str] = frozenset()


def ground(connection: sqlite3.Connection, encoding: Encoding) -> Ground:
    """What the rules see through this connection."""
    behind = connection.execute(
        f"SELECT {BEHIND} OR EXISTS (SELECT 1 FROM stages WHERE state = 'pending')"
    ).fetchone()
    return Ground(connection, encoding.model, encoding.dimension, encoding.unnamed, not behind[0])


def finding(bad: Sequence[Any], sound: str, wrong: tuple[str, str], **values: object) -> Found:
    """`wrong` says what one or many bad ones do: "{count} fact rests on no triple", and the values of its places."""
    return Found(bad, trn(*wrong, len(bad), **values) if bad else sound)


def unsettle(ground: Ground) -> None:
    """Let the next indexing bring what follows in step."""
    ground.connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1')")


def read_again(ground: Ground, documents: Iterable[int]) -> None:
    """Have the files of these documents read again; passages whose content is the same keep their work."""
    ground.change(
        "UPDATE files SET reader = '', signature = '' WHERE key = (SELECT file_key FROM documents WHERE key = ?)",
        documents,
    )
    unsettle(ground)


def extract_again(ground: Ground, passages: Iterable[int]) -> None:
    """Have names and triples of these passages looked for again; what they have now goes then."""
    _reopen(ground, "extract", list(passages))


def encode_again(ground: Ground, passages: Iterable[int]) -> None:
    """Drop the vectors of these passages and have them made again."""
    keys = list(passages)
    ground.change("DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = ?", keys)
    _reopen(ground, "embed", keys)


def touch_entities(ground: Ground, entities: Iterable[int]) -> None:
    """Have names, synonyms and places of these entities looked at again."""
    wanted = list(entities)
    ground.change("INSERT OR IGNORE INTO touched_entities VALUES (?)", wanted)
    ground.change("INSERT OR REPLACE INTO names_to_link VALUES (?, 1)", wanted)
    unsettle(ground)


def _reopen(ground: Ground, stage: str, passages: list[int]) -> None:
    ground.connection.executemany(
        "INSERT INTO stages (passage_key, stage, state) VALUES (?, ?, 'pending')"
        " ON CONFLICT (passage_key, stage) DO UPDATE SET state = 'pending', reason = '', raw = ''",
        [(key, stage) for key in passages],
    )
    ground.change(
        "UPDATE documents SET state = 'pending'"
        " WHERE state = 'done' AND key = (SELECT document_key FROM passages WHERE key = ?)",
        passages,
    )
    unsettle(ground)
