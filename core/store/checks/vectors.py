"""Vectors: one for each passage, sentence and name, of one model, of unit length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.store.checks.again import encode_again, touch_entities, unsettle
from core.store.checks.rule import AGAIN, Found, Ground, Rule, finding
from core.text.translation import markn, tr, trn

_ROWS = 4096  # blobs looked at together
_TOLERANCE = 1e-3  # of a norm; what float32 and the encoder's own rounding leave is 1e-6


def _models(ground: Ground) -> Found:
    bad = ground.rows("SELECT DISTINCT kind, owner_key FROM embeddings WHERE model <> ?", ground.model)
    return finding(
        bad,
        ground.model,
        markn("{count} vector is not of {model}", "{count} vectors are not of {model}"),
        model=ground.model,
    )


def _drop_strangers(ground: Ground, owners: Sequence[tuple[str, int]]) -> None:
    """Vectors of models that cannot be compared; their owners get new ones."""
    encode_again(ground, sorted({key for kind, key in owners if kind != "entity"}))
    touch_entities(ground, [key for kind, key in owners if kind == "entity"])
    ground.connection.execute("DELETE FROM embeddings WHERE model <> ?", (ground.model,))


def _passages(ground: Ground) -> Found:
    """Every passage that was encoded has its vector, and one for each sentence."""
    encoded = ground.keys("SELECT passage_key FROM stages WHERE stage = 'embed' AND state = 'done'")
    sentences = dict(ground.rows("SELECT passage_key, count(*) FROM sentences GROUP BY passage_key"))
    sizes, parts = _sizes(ground, "passage"), _sizes(ground, "sentence")
    size = 4 * ground.dimension
    bad = [key for key in encoded if sizes.get(key) != size or parts.get(key) != size * sentences.get(key, 0)]
    return finding(
        bad,
        trn(
            "{count} passage of {dimension} dimensions",
            "{count} passages of {dimension} dimensions",
            len(sizes),
            dimension=ground.dimension,
        ),
        markn("{count} passage lacks vectors", "{count} passages lack vectors"),
    )


def _names(ground: Ground) -> Found:
    """Entities have the vector of their name, but for those still to be encoded and labels that need none."""
    sizes = _sizes(ground, "entity")
    waiting = set(ground.keys("SELECT entity_key FROM touched_entities"))
    wanted = {False: 4 * ground.dimension, True: None}
    bad = [
        key
        for key, label in ground.rows("SELECT key, label FROM entities")
        if sizes.get(key) != wanted[label in ground.unnamed] and key not in waiting
    ]
    total = trn(
        "{count} name of {dimension} dimensions",
        "{count} names of {dimension} dimensions",
        len(sizes),
        dimension=ground.dimension,
    )
    return finding(
        bad,
        total,
        markn(
            "{count} entity lacks the vector of its name, or has one that nobody looks for",
            "{count} entities lack the vector of their name, or have one that nobody looks for",
        ),
    )


def _sizes(ground: Ground, kind: str) -> dict[int, int]:
    """Bytes by owner; one scan is quicker than a look for each."""
    return dict(
        ground.rows(
            "SELECT owner_key, length(vectors) FROM embeddings WHERE kind = ? AND model = ?",
            kind,
            ground.model,
        )
    )


def _name_again(ground: Ground, entities: Sequence[int]) -> None:
    ground.change("DELETE FROM embeddings WHERE kind = 'entity' AND owner_key = ?", entities)
    touch_entities(ground, entities)
    unsettle(ground)


def _lengths(ground: Ground) -> Found:
    """Noise in the file shows here: nothing else looks at the numbers."""
    bad: list[tuple[str, int]] = []
    total = 0
    cursor = ground.connection.execute(
        "SELECT kind, owner_key, vectors FROM embeddings WHERE model = ? AND length(vectors) % ? = 0",
        (ground.model, 4 * ground.dimension),
    )
    while rows := cursor.fetchmany(_ROWS):
        matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float32).reshape(
            -1, ground.dimension
        )
        counts = [len(row[2]) // (4 * ground.dimension) for row in rows]
        with np.errstate(all="ignore"):
            norms = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
        off = ~(np.abs(norms - 1.0) < 2 * _TOLERANCE)  # so that NaN is off, too
        owners = np.repeat(np.arange(len(rows)), counts)
        bad += [(rows[at][0], rows[at][1]) for at in np.unique(owners[off])]
        total += len(matrix)
    return finding(
        bad,
        trn("{count} vector", "{count} vectors", total),
        markn("{count} vector is not of unit length", "{count} vectors are not of unit length"),
    )


def _make_again(ground: Ground, owners: Sequence[tuple[str, int]]) -> None:
    encode_again(ground, sorted({key for kind, key in owners if kind != "entity"}))
    _name_again(ground, [key for kind, key in owners if kind == "entity"])


RULES = (
    Rule(tr("model of vectors"), _models, AGAIN, _drop_strangers),
    Rule(tr("vectors of passages"), _passages, AGAIN, encode_again),
    Rule(tr("vectors of names"), _names, AGAIN, _name_again),
    Rule(tr("length of vectors"), _lengths, AGAIN, _make_again),
)
