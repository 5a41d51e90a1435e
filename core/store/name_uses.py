"""How names are used, by which it is judged whether they are nodes of the map."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from core.store.database import Tables
from core.types.kinds import without_sense


@dataclass(frozen=True, slots=True)
class NameMentions:
    """A name and its mentions: how many carry which label, in how many passages, and which shares of them lie in
    headings and in tables. `is_stated`: a person states it."""

    key: int
    normal: str
    name: str
    label: str
    labels: dict[str, int]
    passages: int
    written: int  # mentions in the text itself: a title stands over all passages of its document
    headings: float
    rows: float
    has_fact: bool
    is_stated: bool


class NameUses(Tables):
    def of(self, keys: Iterable[int]) -> list[NameMentions]:
        """Return how these names are used, by key; of a title that stands over a passage only its label is told."""
        rows = self._select(
            'SELECT e.key, e.normal, e.name, e.label, m.label, sum(m.start < m."end"), count(*),'
            " count(DISTINCT m.passage_key), max(m.stated),"
            ' sum(m.start < m."end" AND EXISTS (SELECT 1 FROM blocks b WHERE b.document_key = p.document_key'
            " AND b.kind = 'heading' AND b.start <= p.start + m.start AND b.\"end\" > p.start + m.start)),"
            ' sum(m.start < m."end" AND EXISTS (SELECT 1 FROM tables t WHERE t.document_key = p.document_key'
            ' AND t.start <= p.start + m.start AND t."end" > p.start + m.start)),'
            " EXISTS (SELECT 1 FROM facts f WHERE f.subject_key = e.key)"
            " OR EXISTS (SELECT 1 FROM facts f WHERE f.object_key = e.key)"
            " FROM json_each(?) j CROSS JOIN entities e ON e.key = j.value CROSS JOIN mentions m"
            " ON m.entity_key = e.key CROSS JOIN passages p ON p.key = m.passage_key"
            " GROUP BY e.key, m.label ORDER BY e.key, m.label",
            (json.dumps([int(key) for key in keys]),),
        )
        by_key: dict[int, list[tuple[object, ...]]] = {}
        for row in rows:
            by_key.setdefault(row[0], []).append(row)
        return [_summed(own) for own in by_key.values()]

    def speakers(self) -> list[str]:
        """Return who speaks or writes in the documents, as written, each once."""
        rows = self._select("SELECT DISTINCT speaker FROM blocks WHERE speaker <> '' ORDER BY 1")
        return [str(row[0]) for row in rows]


def _summed(rows: list[tuple[object, ...]]) -> NameMentions:
    """Return the rows of one name, one for each label of its mentions, as one."""
    key, normal, name, label = rows[0][:4]
    written = sum(int(str(row[5])) for row in rows)
    every = {str(row[4]): int(str(row[6 if not written else 5])) for row in rows}
    shares = (sum(int(str(row[at])) for row in rows) / max(1, written) for at in (9, 10))
    headings, in_rows = shares
    return NameMentions(
        int(str(key)), without_sense(str(normal)), str(name), str(label),
        {own: count for own, count in every.items() if count},
        max(int(str(row[7])) for row in rows), written, headings, in_rows,
        any(bool(row[11]) for row in rows), any(bool(row[8]) for row in rows),
    )  # fmt: skip
