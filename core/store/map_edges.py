"""What ties the nodes of the map: the facts between them, and that they stand together more often than chance."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.columns import integer_rows, weighted_numbers
from core.store.database import Database, Tables
from core.store.facts import Facts
from core.types import CommonPlace
from core.types.kinds import NOUN

WEIGHT = 0.5  # of the strongest tie, beside a fact that one sure triple supports
_HEAD = "coalesce(n.head_key, n.key)"

Keys = NDArray[np.int64]
Edge = tuple[int, int, float]  # one, other, weight


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """Facts and ties between nodes, (n,) of each: `ends` (n, 2), `facts` their keys and -1 for a tie, `passages` how
    many name both ends of a tie, 0 for a fact."""

    ends: Keys
    weights: NDArray[np.float64]
    facts: Keys
    passages: Keys

    def at(self, rows: NDArray[np.bool_]) -> EdgeColumns:
        """Return the columns of these rows."""
        return EdgeColumns(self.ends[rows], self.weights[rows], self.facts[rows], self.passages[rows])


class MapEdges(Tables):
    """Facts and ties between entities that are nodes."""

    def __init__(self, database: Database, facts: Facts) -> None:
        super().__init__(database)
        self._facts = facts

    def nodes(self) -> Keys:
        """Return the keys of the entities that the map may draw, ascending, (n,)."""
        rows = self._select("SELECT key FROM entities WHERE head_key IS NULL AND node ORDER BY key")
        return integer_rows(rows, 1)[:, 0]

    def nodes_by_id(self) -> Keys:
        """Return the same keys in the order of the ids, (n,)."""
        rows = self._select("SELECT key FROM entities WHERE head_key IS NULL AND node ORDER BY id")
        return integer_rows(rows, 1)[:, 0]

    def set_nodes(self, nodes: dict[int, bool]) -> None:
        """Say of names whether they are nodes."""
        self._write_each(
            "UPDATE entities SET node = ?1 WHERE key = ?2 AND node <> ?1",
            [(int(is_node), key) for key, is_node in nodes.items()],
        )

    def mentions(self) -> Keys:
        """Return rows (passage key, node, start), (k, 3), of all mentions of nodes, by passage and place.

        Without titles of documents, which stand over every passage; so does who wrote a message, and has to do with it.
        """
        rows = self._select(
            f"SELECT m.passage_key, {_HEAD} AS head, m.start FROM mentions m JOIN entities n ON n.key = m.entity_key"
            f" JOIN entities h ON h.key = {_HEAD} AND h.node"
            f" WHERE m.start < m.\"end\" OR h.label NOT IN ('WORK', '{NOUN}') ORDER BY 1, 3"
        )
        return integer_rows(rows, 3)

    def replace(self, ends: Keys, passages: Keys, strengths: NDArray[np.float64]) -> Keys:
        """Store ties, `ends` (m, 2), in the place of all; return the keys of those whose ties are others now, (n,)."""
        before = {(one, other): rest for one, other, *rest in self._select("SELECT * FROM ties")}
        now = dict(
            zip(
                map(tuple, ends.tolist()),
                zip(passages.tolist(), strengths.tolist(), strict=True),
                strict=True,
            )
        )
        gone = [pair for pair, rest in before.items() if now.get(pair) != tuple(rest)]
        new = [(*pair, *rest) for pair, rest in now.items() if tuple(before.get(pair, ())) != rest]
        with self._database.transaction() as connection:
            connection.executemany("DELETE FROM ties WHERE one_key = ? AND other_key = ?", gone)
            connection.executemany("INSERT INTO ties VALUES (?, ?, ?, ?)", new)
        return np.unique(np.array([*gone, *(row[:2] for row in new)], dtype=np.int64))

    def misplaced(self) -> Keys:
        """Return the keys of nodes that the map has as tied and nothing ties any more, or the other way round, (n,)."""
        nodes, tied = self.nodes(), np.unique(self.edges().ends)
        rows = integer_rows(self._select("SELECT entity_key, community >= 0 FROM layout ORDER BY 1"), 2)
        placed = rows[rows[:, 1] > 0, 0]
        return np.setxor1d(np.intersect1d(placed, nodes), tied)

    # ------------------------------------------------------------ edges

    def edges(self) -> EdgeColumns:
        """Return every fact between two nodes by key, then every tie; read without holding up other threads."""
        facts, ends, weights = self._facts.edges()
        proper = np.isin(ends, self.nodes()).all(axis=1) & (ends[:, 0] != ends[:, 1])
        tied, tie_weights, passages = self._ties()
        return EdgeColumns(
            np.concatenate([ends[proper], tied]),
            np.concatenate([weights[proper], tie_weights]),
            np.concatenate([facts[proper], np.full(len(tied), -1)]),
            np.concatenate([np.zeros(int(proper.sum()), np.int64), passages]),
        )

    def columns_touching(self, keys: Iterable[int], *, outside_lists: bool = False) -> EdgeColumns:
        """Return each fact and tie between two nodes of which one is among these.

        `outside_lists`: without facts that only lists of references say.
        """
        keys = [int(key) for key in keys]
        rows = self._facts.touching(keys, outside_lists=outside_lists)
        nodes = self.among_nodes({end for _, one, other, _ in rows for end in (one, other)})
        rows = [row for row in rows if row[1] in nodes and row[2] in nodes and row[1] != row[2]]
        table = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        tied, tie_weights, passages = self._ties(keys)
        return EdgeColumns(
            np.concatenate([table[:, 1:], tied]),
            np.concatenate([[row[3] for row in rows], tie_weights]),
            np.concatenate([table[:, 0], np.full(len(tied), -1)]),
            np.concatenate([np.zeros(len(rows), np.int64), passages]),
        )

    def touching(self, keys: Iterable[int], *, outside_lists: bool = False) -> list[Edge]:
        """Return what `columns_touching` does, in rows."""
        found = self.columns_touching(keys, outside_lists=outside_lists)
        return list(zip(*found.ends.T.tolist(), found.weights.tolist(), strict=True))

    def tied(self, keys: Iterable[int]) -> set[int]:
        """Return those of the entities that a fact or a tie joins to another node."""
        wanted = set(map(int, keys))
        return wanted & set(self.columns_touching(wanted).ends.ravel().tolist())

    def places_together(self, one: str, other: str, limit: int) -> list[CommonPlace]:
        """Return the places at which two entities (ids) stand together, of each passage the one where they are nearest,
        in the order of the documents."""
        rows = self._select(
            "WITH own (key, side) AS (SELECT n.key, h.id = ?1 FROM entities h JOIN entities n"
            " ON n.key = h.key OR n.head_key = h.key WHERE h.id IN (?1, ?2)),"
            ' named AS (SELECT m.passage_key, o.side, m.start, m."end" FROM own o'
            " CROSS JOIN mentions m ON m.entity_key = o.key)"
            ' SELECT p.id, p.title, min(a.start, b.start), max(a."end", b."end"), min(abs(a.start - b.start))'
            " FROM named a JOIN named b ON b.passage_key = a.passage_key AND a.side AND NOT b.side"
            " JOIN passages p ON p.key = a.passage_key JOIN documents d ON d.key = p.document_key"
            " GROUP BY p.key ORDER BY d.path, p.ordinal LIMIT ?3",
            (one, other, limit),
        )
        return [CommonPlace(*row[:4]) for row in rows]

    def _ties(self, around: Iterable[int] | None = None) -> tuple[Keys, NDArray[np.float64], Keys]:
        """Return ends, weights and passages of all ties, or of those that touch one of `around`."""
        among = "ties"
        if around is not None:
            listed = "(SELECT value FROM json_each(?1))"
            among = (
                f"(SELECT * FROM ties WHERE one_key IN {listed}"
                f" UNION SELECT * FROM ties WHERE other_key IN {listed})"
            )
        rows = self._select(
            f"SELECT t.one_key, t.other_key, t.passages, t.strength FROM {among} t"
            " JOIN entities a ON a.key = t.one_key AND a.head_key IS NULL AND a.node"
            " JOIN entities b ON b.key = t.other_key AND b.head_key IS NULL AND b.node ORDER BY 1, 2",
            () if around is None else (_listed(around),),
        )
        table, strengths = weighted_numbers(rows, 3)
        return table[:, :2], WEIGHT * strengths, table[:, 2]

    def among_nodes(self, keys: Iterable[int]) -> set[int]:
        """Return those of the entities that are nodes."""
        rows = self._select(
            "SELECT e.key FROM json_each(?) j CROSS JOIN entities e ON e.key = j.value WHERE e.node",
            (_listed(keys),),
        )
        return {int(row[0]) for row in rows}


def _listed(keys: Iterable[int]) -> str:
    return json.dumps([int(key) for key in keys])
