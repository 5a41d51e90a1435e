"""How names are used, by which it is judged whether they are nodes of the map."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.store.columns import integer_rows
from core.store.database import Tables
from core.types.kinds import without_sense


@dataclass(slots=True)
class NameMentions:
    """A name, as most of its mentions write it, and these: how many carry which label, `written` those in the text
    itself (a title stands over all passages of its document), `headings` and `rows` those of these in headings and in
    tables. `display` is what the entity is called."""

    key: int
    normal: str
    display: str
    label: str
    has_fact: bool
    name: str = ""
    labels: Counter[str] = field(default_factory=Counter)
    passages: int = 0
    written: int = 0
    headings: int = 0
    rows: int = 0
    is_stated: bool = False


def most_written(surfaces: Mapping[str, int]) -> str:
    """Return the form that most mentions have, ties by alphabet, capitals throughout last; "" of none."""
    return min(surfaces, key=lambda one: (-surfaces[one], one == one.upper(), one), default="")


class NameUses(Tables):
    def read(self, keys: Iterable[int]) -> list[NameMentions]:
        """Return how these names are used, by key; labels of a title that no text names are those of the title."""
        listed = (json.dumps([int(key) for key in keys]),)
        rows = self._select(
            "SELECT e.key, e.normal, e.name, e.label,"
            " EXISTS (SELECT 1 FROM candidate_facts f WHERE f.subject_key = e.key)"
            " OR EXISTS (SELECT 1 FROM candidate_facts f WHERE f.object_key = e.key)"
            " FROM json_each(?) j CROSS JOIN entities e ON e.key = j.value ORDER BY e.key",
            listed,
        )
        found = {
            key: NameMentions(key, without_sense(normal), name, label, bool(has_fact))
            for key, normal, name, label, has_fact in rows
        }
        titles: dict[int, Counter[str]] = {key: Counter() for key in found}
        surfaces: dict[int, Counter[str]] = {key: Counter() for key in found}
        passages: dict[int, set[int]] = {key: set() for key in found}
        places = []
        for key, label, surface, passage, document, place, is_written, is_stated in self._select(
            'SELECT e.key, m.label, m.surface, p.key, p.document_key, p.start + m.start, m.start < m."end", m.stated'
            " FROM json_each(?) j CROSS JOIN entities e ON e.key = j.value CROSS JOIN mentions m"
            " ON m.entity_key = e.key CROSS JOIN passages p ON p.key = m.passage_key",
            listed,
        ):
            own = found[key]
            surfaces[key][surface] += 1
            passages[key].add(passage)
            own.is_stated |= bool(is_stated)
            (own.labels if is_written else titles[key])[label] += 1
            if is_written:
                own.written += 1
                places.append((document, place, key))
        table = np.array(sorted(places), dtype=np.int64).reshape(-1, 3)
        headings = self._inside(table, "blocks", " AND kind = 'heading'")
        rows_of_tables = self._inside(table, "tables", "")
        for key, in_heading, in_table in zip(table[:, 2].tolist(), headings, rows_of_tables, strict=True):
            found[key].headings += in_heading
            found[key].rows += in_table
        for key, own in found.items():
            own.passages, own.labels = len(passages[key]), own.labels or titles[key]
            own.name = most_written(surfaces[key]) or own.display
        return [own for key, own in found.items() if passages[key]]

    def speakers(self) -> dict[str, int]:
        """Return who speaks or writes in the documents, as written, and how many turns."""
        return dict(
            self._select("SELECT speaker, count(*) FROM blocks WHERE speaker <> '' GROUP BY 1 ORDER BY 1")
        )

    def _inside(self, places: NDArray[np.int64], table: str, condition: str) -> list[bool]:
        """Return whether each place, a row (document key, offset, ...) in order, lies in a span of a table."""
        listed = (json.dumps(np.unique(places[:, 0]).tolist()),)
        spans = integer_rows(
            self._select(
                f'SELECT document_key, start, "end" FROM {table}'
                f" WHERE document_key IN (SELECT value FROM json_each(?)){condition} ORDER BY 1, 2",
                listed,
            ),
            3,
        )
        if not len(spans):
            return [False] * len(places)
        width = 1 + int(max(places[:, 1].max(initial=0), spans[:, 1:].max()))
        at = (
            np.searchsorted(
                spans[:, 0] * width + spans[:, 1], places[:, 0] * width + places[:, 1], side="right"
            )
            - 1
        )
        is_own = (at >= 0) & (spans[at, 0] == places[:, 0])
        return [bool(one) for one in is_own & (spans[at, 2] > places[:, 1])]
