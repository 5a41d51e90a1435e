"""Ways to have work done again by the next indexing: reading, encoding, extraction, what follows from them."""

from __future__ import annotations

from collections.abc import Iterable

from core.store.checks.rule import Ground


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
    _pending(ground, "extract", list(passages))


def encode_again(ground: Ground, passages: Iterable[int]) -> None:
    """Drop the vectors of these passages and have them made again."""
    keys = list(passages)
    ground.change("DELETE FROM embeddings WHERE kind IN ('passage', 'sentence') AND owner_key = ?", keys)
    _pending(ground, "embed", keys)


def touch_entities(ground: Ground, entities: Iterable[int]) -> None:
    """Have names, synonyms and places of these entities looked at again."""
    wanted = list(entities)
    ground.change("INSERT OR IGNORE INTO touched_entities VALUES (?)", wanted)
    ground.change("INSERT OR REPLACE INTO names_to_link VALUES (?, 1)", wanted)


def group_again(ground: Ground) -> None:
    """Drop all communities with their reports; the next indexing makes them anew."""
    for table in ("community_members", "communities", "community_reports", "communities_to_tell"):
        ground.connection.execute(f"DELETE FROM {table}")
    unsettle(ground)


def _pending(ground: Ground, stage: str, passages: list[int]) -> None:
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
