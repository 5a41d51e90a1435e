"""Vectors, one for each passage, sentence and name, and the full-text index: every word of every passage."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from core.store.checks.rule import AGAIN, REPAIR, Found, Ground, Rule, encode_again, finding, touch_entities
from core.text.translation import markn, tr, trn

Owner = tuple[str, int]  # kind, key
_VECTORS = 4096  # blobs looked at together
_TOLERANCE = 1e-3  # of a norm; what float32 and the encoder's own rounding leave is 1e-6
# As the trigger passages_added has it.
_PASSAGES = "SELECT key, searchable(title || char(10) || headings), searchable(text) FROM passages"
_WORDS = 20_000  # occurrences compared at a time


def _vectors(ground: Ground) -> Found:
    """Owners with more vectors, or fewer, than they should have, or with others than of the model and unit length."""
    found, bad = _counts(ground)
    waiting = set(ground.keys("SELECT entity_key FROM touched_entities"))
    encoded = ground.keys("SELECT passage_key FROM stages WHERE stage = 'embed' AND state = 'done'")
    sentences = dict(ground.rows("SELECT passage_key, count(*) FROM sentences GROUP BY passage_key"))
    for key in encoded:
        if found.get(("passage", key)) != 1 or found.get(("sentence", key), 0) != sentences.get(key, 0):
            bad.add(("passage", key))
    entities = dict(ground.rows("SELECT key, label FROM entities"))
    for key, label in entities.items():
        if found.get(("entity", key), 0) != int(label not in ground.unnamed) and key not in waiting:
            bad.add(("entity", key))
    owners = {"entity": entities.keys(), "passage": set(ground.keys("SELECT key FROM passages"))}
    owners["sentence"] = owners["passage"]
    bad |= {owner for owner in found if owner[1] not in owners.get(owner[0], ())}
    return finding(
        sorted(bad),
        trn(
            "{count} vector of {model}, of {dimension} dimensions",
            "{count} vectors of {model}, of {dimension} dimensions",
            sum(found.values()),
            model=ground.model,
            dimension=ground.dimension,
        ),
        markn(
            "{count} passage or name has not the vectors that it should have",
            "{count} passages or names have not the vectors that they should have",
        ),
    )


def _counts(ground: Ground) -> tuple[dict[Owner, int], set[Owner]]:
    """How many vectors each owner has, and owners of such that are none. Noise in the file shows here."""
    size = 4 * ground.dimension
    found: dict[Owner, int] = {}
    bad: set[Owner] = set()
    cursor = ground.connection.execute("SELECT kind, owner_key, model, vectors FROM embeddings")
    while rows := cursor.fetchmany(_VECTORS):
        bad |= {row[:2] for row in rows if row[2] != ground.model or len(row[3]) % size}
        sound = [row for row in rows if row[2] == ground.model and len(row[3]) % size == 0]
        matrix = np.frombuffer(b"".join(row[3] for row in sound), np.float32).reshape(-1, ground.dimension)
        with np.errstate(all="ignore"):
            norms = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
        off = ~(np.abs(norms - 1.0) < 2 * _TOLERANCE)  # so that NaN is off, too
        counts = [len(row[3]) // size for row in sound]
        found |= {row[:2]: count for row, count in zip(sound, counts, strict=True)}
        bad |= {sound[at][:2] for at in np.unique(np.repeat(np.arange(len(sound)), counts)[off])}
    return found, bad


def _encode_again(ground: Ground, owners: Sequence[Owner]) -> None:
    """Drop what they have; who is there gets new ones."""
    ground.connection.executemany("DELETE FROM embeddings WHERE kind = ? AND owner_key = ?", owners)
    passages = set(ground.keys("SELECT key FROM passages"))
    encode_again(ground, sorted(passages & {key for kind, key in owners if kind != "entity"}))
    touch_entities(ground, [key for kind, key in owners if kind == "entity"])


def _words(ground: Ground) -> Found:
    """Each occurrence of each word, against an index that is made anew in memory.

    FTS5's own check must write. Both list their words in the same order, so no more than a part of
    each is held at a time.
    """
    connection = ground.connection
    declared = ground.rows("SELECT sql FROM sqlite_master WHERE name = 'passages_text'")[0][0]
    tokenizer = declared[declared.rindex("tokenize") :].rstrip(" )\n")
    connection.execute(f"CREATE VIRTUAL TABLE temp.anew USING fts5 (title, text, content = '', {tokenizer})")
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab (main, passages_text, instance)")
        connection.execute("CREATE VIRTUAL TABLE temp.meant USING fts5vocab (temp, anew, instance)")
        connection.execute(f"INSERT INTO temp.anew (rowid, title, text) {_PASSAGES}")
        return _compared(ground)
    finally:
        for table in ("held", "meant", "anew"):
            connection.execute(f"DROP TABLE IF EXISTS temp.{table}")


def _compared(ground: Ground) -> Found:
    actual = ground.connection.execute("SELECT term, doc, col, offset FROM temp.held")
    meant = ground.connection.execute("SELECT term, doc, col, offset FROM temp.meant")
    total = 0
    while True:
        left, right = actual.fetchmany(_WORDS), meant.fetchmany(_WORDS)
        if left != right:
            pairs = zip_longest(left, right)
            first = next(mine or other for mine, other in pairs if mine != other)
            bad = sorted(set(left) ^ set(right))
            return Found(
                bad,
                tr(
                    "the full-text index differs from the passages, first at the word {word}",
                    word=repr(first[0]),
                ),
            )
        if not left:
            return Found((), trn("{count} word", "{count} words", total))
        total += len(left)


def _rebuild(ground: Ground, _: Sequence[object]) -> None:
    ground.connection.execute("INSERT INTO passages_text (passages_text) VALUES ('delete-all')")
    ground.connection.execute(f"INSERT INTO passages_text (rowid, title, text) {_PASSAGES}")


RULES = (
    Rule(tr("vectors"), _vectors, AGAIN, _encode_again),
    Rule(tr("words of the full-text index"), _words, REPAIR, _rebuild),
)
