"""What stands in communities, read for many of them at once: entities, facts, evidence, passages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.store.database import Tables
from core.store.facts import VISIBLE
from core.store.text_forms import INSIDE

# Names of the entities ?1, each with the entity that it belongs to.
_NAMES = (
    "WITH names (entity, name) AS (SELECT value, value FROM json_each(?1) UNION ALL"
    " SELECT n.head_key, n.key FROM json_each(?1) j CROSS JOIN entities n ON n.head_key = j.value)"
)


class CommunityRow(NamedTuple):
    """A community with its row key, how many entities stand in it, and the top community that holds it."""

    key: int
    level: int
    entities: int
    top: int


class MemberRow(NamedTuple):
    """An entity of a community of the level that was asked for."""

    community: int
    key: int
    id: str
    name: str
    label: str


class FactRow(NamedTuple):
    """A fact between two names, by their row keys."""

    key: int
    id: str
    subject: int
    predicate: str
    object: int


class PassageRow(NamedTuple):
    """A passage with its row keys; `start` lies in the document's text."""

    key: int
    id: str
    document: int
    start: int
    page: int | None
    title: str
    text: str


class DocumentRow(NamedTuple):
    key: int
    id: str
    path: str
    title: str
    sentences: int  # whether it tells in sentences; else it is a list of rows and points


class Contents(Tables):
    """All queries take row keys, any number of them, and leave out those that are gone."""

    def communities(self, level: int | None = None, only: Iterable[int] | None = None) -> list[CommunityRow]:
        """Communities that hold an entity, of one level or of all, or `only` of these, by level and key."""
        if only is not None:
            return self._rows(
                CommunityRow,
                "SELECT c.key, c.level, (WITH RECURSIVE below(key) AS (SELECT c.key UNION"
                " SELECT d.key FROM communities d JOIN below b ON d.parent_key = b.key) SELECT count(*)"
                " FROM below JOIN community_members m ON m.community_key = below.key) AS n,"
                " (WITH RECURSIVE up(key, parent) AS (SELECT c.key, c.parent_key UNION SELECT d.key, d.parent_key"
                " FROM up JOIN communities d ON d.key = up.parent) SELECT key FROM up WHERE parent IS NULL)"
                " FROM json_each(?1) j CROSS JOIN communities c ON c.key = j.value WHERE n > 0"
                + (f" AND c.level = {level:d}" if level is not None else "")
                + " ORDER BY c.level, c.key",
                only,
            )
        rows = self._select("SELECT key, level, parent_key FROM communities ORDER BY level, key").fetchall()
        sizes: dict[int, int] = dict(
            self._select("SELECT community_key, count(*) FROM community_members GROUP BY community_key")
        )
        for key, _, parent in rows:  # from the finest up, so that children are counted before
            if parent is not None:
                sizes[parent] = sizes.get(parent, 0) + sizes.get(key, 0)
        tops: dict[int, int] = {}
        for key, _, parent in reversed(rows):
            tops[key] = key if parent is None else tops.get(parent, parent)
        return [
            CommunityRow(key, at, sizes[key], tops[key])
            for key, at, _ in rows
            if sizes.get(key) and (level is None or at == level)
        ]

    def members(self, communities: Iterable[int]) -> list[MemberRow]:
        """Entities of communities of one level, through all levels below it; by community and id."""
        return self._rows(
            MemberRow,
            "WITH RECURSIVE below (root, key) AS (SELECT value, value FROM json_each(?1) UNION"
            " SELECT b.root, c.key FROM below b JOIN communities c ON c.parent_key = b.key)"
            " SELECT b.root, e.key, e.id, e.name, e.label FROM below b"
            " CROSS JOIN community_members m ON m.community_key = b.key"
            " CROSS JOIN entities e ON e.key = m.entity_key ORDER BY b.root, e.id",
            communities,
        )

    def names(self, entities: Iterable[int]) -> dict[int, int]:
        """Key of the entity by the key of each of its names, its own among them."""
        return dict(self._fetched(f"{_NAMES} SELECT name, entity FROM names", entities))

    def dates_among(self, names: Iterable[int]) -> dict[int, str]:
        """Those of these names that are dates, by key."""
        return dict(
            self._fetched(
                "SELECT e.key, e.name FROM json_each(?1) j CROSS JOIN entities e ON e.key = j.value"
                " WHERE e.label = 'DATE'",
                names,
            )
        )

    def dates(self) -> dict[int, str]:
        """Every name that is a date, by key."""
        return dict(self._select("SELECT key, name FROM entities WHERE label = 'DATE'").fetchall())

    def facts(self, subjects: Iterable[int]) -> list[FactRow]:
        """Facts of which one of these names is the subject, of those that are shown."""
        return self._rows(
            FactRow,
            "SELECT f.key, f.id, f.subject_key, f.predicate, f.object_key FROM json_each(?1) j"
            " CROSS JOIN facts f ON f.subject_key = j.value CROSS JOIN entities sn ON sn.key = f.subject_key"
            " CROSS JOIN entities s ON s.key = coalesce(sn.head_key, sn.key)"
            " CROSS JOIN entities o_ ON o_.key = f.object_key"
            f" CROSS JOIN entities o ON o.key = coalesce(o_.head_key, o_.key) WHERE 1{VISIBLE}",
            subjects,
        )

    def evidence(self, facts: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows (fact key, passage key, start, end), shape (n, 4), by fact key, and confidences, (n,).

        Offsets in the passage's text.
        """
        rows = self._fetched(
            'SELECT t.fact_key, t.passage_key, t.start, t."end", t.confidence FROM json_each(?1) j'
            " CROSS JOIN triples t ON t.fact_key = j.value ORDER BY t.fact_key, t.key",
            facts,
        )
        table = np.array(rows, dtype=np.float64).reshape(-1, 5)
        return table[:, :4].astype(np.int64), table[:, 4]

    def mentions(
        self, entities: Iterable[int], most: int, passages: Iterable[int] | None = None
    ) -> NDArray[np.int64]:
        """Rows (entity key, passage key, start, end), shape (n, 4): in the first `most` passages of each name.

        Where `passages` are given, of these.
        """
        only = "" if passages is None else " AND passage_key IN (SELECT value FROM json_each(?2))"
        found = self._select(
            f'{_NAMES} SELECT n.entity, m.passage_key, m.start, m."end" FROM names n CROSS JOIN mentions m'
            f" ON m.entity_key = n.name AND m.passage_key IN (SELECT passage_key FROM mentions"
            f" WHERE entity_key = n.name{only} ORDER BY passage_key LIMIT {most:d}) ORDER BY 1, 2, 3",
            [json.dumps(list(each)) for each in (entities, passages) if each is not None],
        )
        return np.array(found.fetchall(), dtype=np.int64).reshape(-1, 4)

    def mention_counts(self, entities: Iterable[int]) -> dict[int, int]:
        """Return how often texts name each entity, under all of its names, outside of lists of references; those that
        only titles and such lists name are left out."""
        named = (
            f"{_NAMES} SELECT n.entity, count(*) FROM names n CROSS JOIN mentions m ON m.entity_key = n.name"
        )
        if self._select_one("SELECT EXISTS (SELECT 1 FROM reference_lists)")[0]:
            named += f" CROSS JOIN passages p ON p.key = m.passage_key AND NOT {INSIDE}"
        return dict(self._fetched(f'{named} WHERE m.start < m."end" GROUP BY n.entity', entities))

    def passages(self, keys: Iterable[int]) -> list[PassageRow]:
        """By key."""
        return self._rows(
            PassageRow,
            "SELECT p.key, p.id, p.document_key, p.start, p.page, p.title, p.text FROM json_each(?1) j"
            " CROSS JOIN passages p ON p.key = j.value ORDER BY p.key",
            keys,
        )

    def sentences(self, passages: Iterable[int]) -> NDArray[np.int64]:
        """Rows (passage key, ordinal, start, end), shape (n, 4), by passage key and ordinal."""
        rows = self._fetched(
            'SELECT s.passage_key, s.ordinal, s.start, s."end" FROM json_each(?1) j'
            " CROSS JOIN sentences s ON s.passage_key = j.value ORDER BY s.passage_key, s.ordinal",
            passages,
        )
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def documents(self, keys: Iterable[int]) -> list[DocumentRow]:
        return self._rows(
            DocumentRow,
            "SELECT d.key, d.id, d.path, d.title, coalesce(f.sentences, 1) FROM json_each(?1) j CROSS JOIN documents d"
            " ON d.key = j.value LEFT JOIN text_forms f ON f.document_key = d.key ORDER BY d.key",
            keys,
        )

    def pages(self, documents: Iterable[int]) -> NDArray[np.int64]:
        """Rows (document key, start, end, number), shape (n, 4), by document key and start."""
        rows = self._fetched(
            'SELECT p.document_key, p.start, p."end", p.number FROM json_each(?1) j'
            " CROSS JOIN pages p ON p.document_key = j.value ORDER BY p.document_key, p.start",
            documents,
        )
        return np.array(rows, dtype=np.int64).reshape(-1, 4)

    def _fetched(self, sql: str, keys: Iterable[int]) -> list[Any]:
        # As one JSON list: SQLite bounds how many parameters a statement may have.
        listed = json.dumps([int(key) for key in keys])
        return list(self._select(sql, (listed,)).fetchall())

    def _rows(self, row: Any, sql: str, keys: Iterable[int]) -> list[Any]:
        return list(map(row._make, self._fetched(sql, keys)))
