"""Vectors as float32 BLOBs, keyed by kind, owner and model; models are never mixed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.store.columns import in_clause, integer_rows
from core.store.database import Database, Tables
from core.store.settings import EncoderRecord, Settings, read_encoder

Vectors = NDArray[np.float32]
_AT_ONCE = 2_048  # owners read at a time


class Embeddings(Tables):
    def __init__(self, database: Database, settings: Settings, default: EncoderRecord) -> None:
        """`default` is the encoder of a workspace that names none."""
        super().__init__(database)
        self._settings = settings
        self._default = default

    @property
    def encoder(self) -> EncoderRecord:
        """Read each time: another process may index with another one what holds no vectors yet."""
        return read_encoder(self._settings, self._default)

    @property
    def dimension(self) -> int:
        return self.encoder.dimension

    def put(self, connection: sqlite3.Connection, kind: str, rows: Iterable[tuple[int, Vectors]]) -> None:
        """Store (owner key, vectors of shape (n, dimension) or (dimension,)), inside a transaction."""
        model = self.encoder.model
        connection.executemany(
            "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)",
            [
                (kind, int(key), model, np.ascontiguousarray(vectors, np.float32).tobytes())
                for key, vectors in rows
            ],
        )

    def copy(self, connection: sqlite3.Connection, kind: str, copies: Mapping[int, int]) -> None:
        """Give owners, by key, the vectors of others, inside a transaction."""
        model = self.encoder.model
        connection.executemany(
            "INSERT OR REPLACE INTO embeddings SELECT kind, ?, model, vectors FROM embeddings"
            " WHERE kind = ? AND owner_key = ? AND model = ?",
            [(copy, kind, first, model) for copy, first in copies.items()],
        )

    def get(self, kind: str, keys: Sequence[int]) -> dict[int, Vectors]:
        """Matrices of shape (n, dimension) by owner key."""
        marks = ",".join("?" * len(keys))
        rows = self._select(
            f"SELECT owner_key, vectors FROM embeddings WHERE kind = ? AND model = ?"
            f" AND owner_key IN ({marks})",
            [kind, (encoder := self.encoder).model, *keys],
        )
        return {int(key): _matrix(blob, encoder.dimension) for key, blob in rows}

    def matrix(self, kind: str, keys: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        """Those of `keys` that have a vector, ascending, (n,), and the vectors, (n, dimension); one an owner."""
        marks = ",".join("?" * len(keys))
        encoder = self.encoder
        rows = self._select(
            "SELECT owner_key, vectors FROM embeddings WHERE kind = ? AND model = ?"
            f" AND owner_key IN ({marks}) ORDER BY owner_key",
            [kind, encoder.model, *keys],
        ).fetchall()
        own = np.array([key for key, _ in rows], dtype=np.int64)
        return own, _matrix(b"".join(blob for _, blob in rows), encoder.dimension)

    def entities_but(self, without: Iterable[str]) -> NDArray[np.int64]:
        """Keys of the entities that have a vector and none of these labels, ascending."""
        labels = list(without)
        marks = ",".join("?" * len(labels))
        rows = self._select(
            "SELECT v.owner_key FROM embeddings v JOIN entities e ON e.key = v.owner_key"
            f" WHERE v.kind = 'entity' AND v.model = ? AND e.label NOT IN ({marks}) ORDER BY v.owner_key",
            [self.encoder.model, *labels],
        )
        return np.fromiter((key for (key,) in rows), dtype=np.int64)

    def owners(self, kind: str, keys: Sequence[int]) -> set[int]:
        """Those of `keys` that have vectors."""
        marks = ",".join("?" * len(keys))
        rows = self._select(
            f"SELECT owner_key FROM embeddings WHERE kind = ? AND model = ? AND owner_key IN ({marks})",
            [kind, self.encoder.model, *keys],
        )
        return {int(key) for (key,) in rows}

    def owner_keys(self, kind: str) -> NDArray[np.int64]:
        """Owner keys of all vectors, (n,), ascending: of one with m vectors m times."""
        encoder = self.encoder
        rows = self._select(
            "SELECT owner_key, length(vectors) FROM embeddings WHERE kind = ? AND model = ? ORDER BY owner_key",
            (kind, encoder.model),
        )
        keys = integer_rows(rows, 2)
        return np.repeat(keys[:, 0], keys[:, 1] // (4 * encoder.dimension))

    def blocks(self, kind: str, only: NDArray[np.int64] | None = None) -> Iterator[Vectors]:
        """All vectors in the order of `owner_keys`, some thousands at a time, (m, dimension); of the owners `only`."""
        encoder = self.encoder
        wanted = None if only is None else frozenset(only.tolist())
        rows = self._select(
            "SELECT owner_key, vectors FROM embeddings WHERE kind = ? AND model = ? ORDER BY owner_key",
            (kind, encoder.model),
        )
        while part := rows.fetchmany(_AT_ONCE):
            blobs = [blob for key, blob in part if wanted is None or key in wanted]
            if blobs:
                yield _matrix(b"".join(blobs), encoder.dimension)

    def all(self, kind: str, of: Iterable[int] | None = None) -> tuple[NDArray[np.int64], Vectors]:
        """Owner keys, (n,), and the matrix, (n, dimension), by key; an owner with m vectors has m rows.

        Or those `of` these owners.
        """
        encoder = self.encoder
        own, listed = in_clause("owner_key", of, 3)
        keys: list[int] = []
        blobs: list[bytes] = []
        for key, blob in self._select(
            f"SELECT owner_key, vectors FROM embeddings WHERE kind = ? AND model = ?{own} ORDER BY owner_key",
            (kind, encoder.model, *listed),
        ):
            keys.extend([key] * (len(blob) // (4 * encoder.dimension)))
            blobs.append(blob)
        return np.array(keys, dtype=np.int64), _matrix(b"".join(blobs), encoder.dimension)

    def missing_entities(self, without: Iterable[str]) -> list[tuple[int, str]]:
        """(key, name) of the touched entities without a vector of this model; not of labels `without`."""
        labels = list(without)
        marks = ",".join("?" * len(labels))
        return list(
            self._select(
                # CROSS: a look for each touched one, not for each entity.
                "SELECT e.key, e.name FROM touched_entities t CROSS JOIN entities e ON e.key = t.entity_key"
                f" WHERE e.label NOT IN ({marks}) AND NOT EXISTS (SELECT 1 FROM embeddings v"
                " WHERE v.kind = 'entity' AND v.owner_key = e.key AND v.model = ?) ORDER BY e.key",
                [*labels, self.encoder.model],
            )
        )

    def drop(self, kind: str, keys: Iterable[int]) -> None:
        """Delete the vectors of these owners."""
        self._write_each(
            "DELETE FROM embeddings WHERE kind = ? AND owner_key = ?", [(kind, int(key)) for key in keys]
        )

    def other_models(self) -> list[str]:
        """Names of other models whose vectors are in this workspace."""
        rows = self._select(
            # Of the passages only: whoever encodes encodes them, and names are many times as many.
            "SELECT DISTINCT model FROM embeddings WHERE kind = 'passage' AND model <> ?",
            (self.encoder.model,),
        )
        return [str(row[0]) for row in rows]

    def any(self) -> bool:
        """Whether there are vectors, of whatever model."""
        row = self._select_one("SELECT EXISTS (SELECT 1 FROM embeddings)")
        return bool(row[0])


def _matrix(blob: bytes, dimension: int) -> Vectors:
    return np.frombuffer(blob, dtype=np.float32).reshape(-1, dimension)
