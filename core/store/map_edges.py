"""What ties the nodes of the map: the facts between them, and that they stand together more often than chance."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.store.columns import IN_TEXT, integer_rows, weighted_numbers
from core.store.database import Database, Tables
from core.store.facts import Facts
from core.types import CommonPlace

WEIGHT = 0.5  # of the strongest tie, beside a fact that one sure triple supports
STALE_TIES = "ties.stale"  # the setting: nodes came or went since

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

    def nodes(self, *, by_id: bool = False) -> Keys:
        """Return the keys of the entities that the map may draw, (n,), ascending or in the order of their ids."""
        return integer_rows(self._select(f"SELECT key FROM nodes ORDER BY {'id' if by_id else 'key'}"), 1)[
            :, 0
        ]

    def count_nodes(self) -> int:
        return int(self._select_one("SELECT count(*) FROM nodes")[0])

    def among_nodes(self, keys: Iterable[int]) -> set[int]:
        """Return those of the entities that are nodes."""
        sql = "SELECT n.key FROM json_each(?) j CROSS JOIN nodes n ON n.key = j.value"
        return {int(row[0]) for row in self._select(sql, (_listed(keys),))}

    def set_nodes(self, nodes: Mapping[int, bool]) -> None:
        """Set whether names are nodes; mark as touched those that were not so before, and whom facts join to them."""
        rows = self._select(
            "SELECT e.key FROM json_each(?) j CROSS JOIN entities e ON e.key = j.value WHERE e.node",
            (_listed(nodes),),
        )
        before = {int(row[0]) for row in rows}
        others = [key for key, is_node in nodes.items() if is_node != (key in before)]
        if not others:
            return
        listed = "(SELECT value FROM json_each(?1))"
        with self._database.transaction() as connection:
            connection.execute(
                f"UPDATE entities SET node = NOT node WHERE key IN {listed}", (_listed(others),)
            )
            connection.execute(
                f"INSERT OR IGNORE INTO touched_entities SELECT key FROM entities WHERE key IN {listed}"
                f" UNION SELECT object_key FROM candidate_facts WHERE subject_key IN {listed}"
                f" UNION SELECT subject_key FROM candidate_facts WHERE object_key IN {listed}",
                (_listed(others),),
            )
            connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES (?, '1')", (STALE_TIES,))

    # ------------------------------------------------------------ ties

    def are_ties_stale(self) -> bool:
        """Whether nodes came or went since the ties were stored."""
        return bool(
            self._select_one("SELECT EXISTS (SELECT 1 FROM settings WHERE name = ?)", (STALE_TIES,))[0]
        )

    def count_ties(self) -> int:
        return int(self._select_one("SELECT count(*) FROM ties")[0])

    def mentions(self) -> Keys:
        """Return rows (passage key, node, start), (k, 3), of all mentions of nodes, by passage and place.

        Without titles of documents, which stand over every passage; so does who wrote a message, and has to do with it.
        """
        rows = self._select(
            "SELECT m.passage_key, n.key, m.start FROM mentions m JOIN entities e ON e.key = m.entity_key"
            f" JOIN nodes n ON n.key = coalesce(e.head_key, e.key) WHERE {IN_TEXT} ORDER BY 1, 3"
        )
        return integer_rows(rows, 3)

    def replace_ties(self, ends: Keys, passages: Keys, strengths: NDArray[np.float64]) -> Keys:
        """Store ties, `ends` (m, 2) sorted, in the place of all; return the pairs that are others now, (k, 2)."""
        query = "SELECT one_key, other_key, passages, strength FROM ties ORDER BY 1, 2"
        table, weights = weighted_numbers(self._select(query), 3)
        before, now = _sorted(table[:, :2], table[:, 2], weights), _sorted(ends, passages, strengths)
        gone, new = ~_is_among(before, now), ~_is_among(now, before)
        with self._database.transaction() as connection:
            connection.executemany(
                "DELETE FROM ties WHERE one_key = ? AND other_key = ?", before.ends[gone].tolist()
            )
            rows = zip(
                *now.ends[new].T.tolist(), now.passages[new].tolist(), now.weights[new].tolist(), strict=True
            )
            connection.executemany("INSERT INTO ties VALUES (?, ?, ?, ?)", rows)
            connection.execute("DELETE FROM settings WHERE name = ?", (STALE_TIES,))
        return np.unique(np.concatenate([before.ends[gone], now.ends[new]]), axis=0)

    def common_places(self, one: str, other: str, limit: int) -> list[CommonPlace]:
        """Return the places that name both entities (ids), of each passage the one where they are nearest, in the order
        of the documents."""
        rows = self._select(
            "WITH own (key, side) AS (SELECT n.key, h.id = ?1 FROM entities h JOIN entities n"
            " ON n.key = h.key OR n.head_key = h.key WHERE h.id IN (?1, ?2)),"
            ' named AS (SELECT m.passage_key, o.side, m.start, m."end" FROM own o'
            f" CROSS JOIN mentions m ON m.entity_key = o.key WHERE {IN_TEXT})"
            ' SELECT p.id, p.title, min(a.start, b.start), max(a."end", b."end"), min(abs(a.start - b.start))'
            " FROM named a JOIN named b ON b.passage_key = a.passage_key AND a.side AND NOT b.side"
            " JOIN passages p ON p.key = a.passage_key JOIN documents d ON d.key = p.document_key"
            " GROUP BY p.key ORDER BY d.path, p.ordinal LIMIT ?3",
            (one, other, limit),
        )
        return [CommonPlace(*row[:4]) for row in rows]

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
            " JOIN nodes a ON a.key = t.one_key JOIN nodes b ON b.key = t.other_key ORDER BY 1, 2",
            () if around is None else (_listed(around),),
        )
        table, strengths = weighted_numbers(rows, 3)
        return table[:, :2], WEIGHT * strengths, table[:, 2]


def _sorted(ends: Keys, passages: Keys, strengths: NDArray[np.float64]) -> EdgeColumns:
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    return EdgeColumns(ends[order], strengths[order], np.full(len(ends), -1), passages[order])


def _is_among(some: EdgeColumns, others: EdgeColumns) -> NDArray[np.bool_]:
    """Return which of `some` ties, (n,), are among others with the same passages and strength; both in order."""
    width = 1 + int(max(some.ends.max(initial=0), others.ends.max(initial=0)))
    codes, known = (each.ends[:, 0] * width + each.ends[:, 1] for each in (some, others))
    at = np.minimum(np.searchsorted(known, codes), max(0, len(known) - 1))
    if not len(known):
        return np.zeros(len(codes), dtype=np.bool_)
    same = known[at] == codes
    return np.asarray(same & (others.passages[at] == some.passages) & (others.weights[at] == some.weights))


def _listed(keys: Iterable[int]) -> str:
    return json.dumps([int(key) for key in keys])
