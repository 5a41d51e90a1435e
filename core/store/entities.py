"""Entities and their mentions. An entity lives as long as a mention or a fact holds it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.store.columns import in_clause, integer_rows, number_rows, text_columns
from core.store.database import Tables
from core.text.stems import parts_of
from core.text.translation import tr
from core.types import Entity, ExtractedMention, Mention
from core.types.kinds import NOUN, VALUES, sense_of, stable_id, without_sense

# Names of one entity are told as their head, and counted together.
_SELECT = (
    "SELECT e.id, e.name, e.label,"
    " (SELECT count(DISTINCT m.passage_key) FROM mentions m JOIN entities n ON n.key = m.entity_key"
    " WHERE n.key = e.key OR n.head_key = e.key),"
    " coalesce(l.community, -1) FROM entities e LEFT JOIN layout l ON l.entity_key = e.key"
)
_VALUES = ", ".join(f"'{label}'" for label in sorted(VALUES))
_WEIGHED = 100  # names that begin with what is searched for and are put in order, the most mentioned
_HOLDING = 500  # names that hold it elsewhere and are put in order
_AT_ONCE = 1 << 14  # entities read together
_COUNTED = 4_000  # names that begin with it whose mentions are counted; one letter may begin far more
_BEGINNING = (
    "SELECT head, really FROM (SELECT coalesce(head_key, key) AS head, name, name LIKE ?2 ESCAPE '\\' AS really,"
    " (SELECT count(*) FROM mentions m WHERE m.entity_key = entities.key) AS mentions FROM entities"
    " WHERE normal > ?1 AND normal < ?1 || char(1114111) ORDER BY normal LIMIT ?3)"
    " ORDER BY really DESC, mentions DESC, length(name), name LIMIT ?4"
)
_HEAD = "JOIN entities n ON n.key = m.entity_key JOIN entities e ON e.key = coalesce(n.head_key, n.key)"


EntityFields = tuple[int, str, str, str, str]  # those of `EntityRow`


@dataclass(frozen=True, slots=True)
class NewMention:
    """A mention whose entity is told by its normalised name."""

    passage_key: int
    normal: str
    surface: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntityRow:
    """An entity with its row key, as graph building needs it."""

    key: int
    id: str
    normal: str
    name: str
    label: str


@dataclass(frozen=True, slots=True)
class EntityTable:
    """All entities by key, without names of others; `passages` (n,) tells in how many each is mentioned."""

    keys: NDArray[np.int64]
    ids: list[str]
    names: list[str]
    labels: list[str]
    passages: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Votes:
    """An entity by its row key and name without sense, its label, and how many mentions carry which label.

    `stated`: the label that a person's statement gives it, `judged` that of the judge of names; "" where none does.
    """

    key: int
    normal: str
    label: str
    labels: dict[str, int]
    stated: str = ""
    sense: str = ""
    judged: str = ""


def counted(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of rows (passage key, entity key, start) those that `Entities.occurrences` gives."""
    width = int(places[:, 0].max(initial=0)) + 1
    pairs, counts = np.unique(places[:, 1] * width + places[:, 0], return_counts=True)
    found = np.empty((len(pairs), 3), np.int64)
    found[:, 0], found[:, 1] = np.divmod(pairs, width)
    found[:, 2] = counts
    return found


class Entities(Tables):
    def ensure(
        self, connection: sqlite3.Connection, names: Iterable[tuple[str, str, str]]
    ) -> dict[str, EntityRow]:
        """Rows by normal form for (normal, name, label); missing ones are made, inside the transaction."""
        wanted: dict[str, tuple[str, str]] = {}
        for normal, name, label in names:  # keys follow the order of reading, whatever the batches
            wanted.setdefault(normal, (name, label))
        connection.executemany(
            "INSERT OR IGNORE INTO entities (id, normal, name, label) VALUES (?, ?, ?, ?)",
            [(stable_id("entity", normal), normal, *rest) for normal, rest in wanted.items()],
        )
        found: dict[str, EntityRow] = {}
        for normal in wanted:
            row = connection.execute(
                "SELECT key, id, normal, name, label FROM entities WHERE normal = ?", (normal,)
            ).fetchone()
            found[normal] = EntityRow(*row)
        return found

    def add_mentions(
        self, connection: sqlite3.Connection, mentions: Sequence[NewMention], keys: dict[str, EntityRow]
    ) -> None:
        connection.executemany(
            "INSERT OR IGNORE INTO mentions VALUES (?, ?, ?, ?, ?, ?, 0)",
            [(m.passage_key, keys[m.normal].key, m.start, m.end, m.label, m.surface) for m in mentions],
        )

    def rename(self) -> None:
        """Give touched entities the name that somebody gave them, else that most of their mentions carry.

        Ties by alphabet, capitals throughout last. A sense that is no other name stands in brackets behind the name.

        Independent of the order in which passages were read, so that interrupted runs agree.
        """
        value = (
            "ranked.value || CASE WHEN instr(normal, char(31)) = 0 OR instr(normal, char(31) || '=') > 0 THEN ''"
            " ELSE ' (' || substr(normal, instr(normal, char(31)) + 1) || ')' END"
        )
        with self._database.transaction() as connection:
            connection.execute(
                "WITH counted AS (SELECT entity_key, surface AS value, count(*) AS n FROM mentions"
                " WHERE entity_key IN (SELECT entity_key FROM touched_entities)"
                " GROUP BY entity_key, surface), ranked AS (SELECT entity_key, value, row_number()"
                " OVER (PARTITION BY entity_key ORDER BY n DESC, value = upper(value), value) AS place FROM counted)"
                f" UPDATE entities SET name = {value} FROM ranked"
                f" WHERE ranked.entity_key = entities.key AND ranked.place = 1 AND entities.name <> {value}"
                " AND NOT EXISTS (SELECT 1 FROM entity_overrides o WHERE o.normal = entities.normal AND field = 'name')"
            )
            connection.execute(
                "UPDATE entities SET name = o.value FROM entity_overrides o WHERE o.normal = entities.normal"
                " AND o.field = 'name' AND entities.name <> o.value"
                " AND entities.key IN (SELECT entity_key FROM touched_entities)"
            )

    def touch_words(self) -> None:
        """Let names that are one word, of which more or fewer passages are written in lower case, be labelled again."""
        with self._database.transaction() as connection:
            for meets in (
                "e.normal = w.word",
                "e.normal > w.word || char(31) AND e.normal < w.word || char(32)",
            ):
                connection.execute(
                    "INSERT OR IGNORE INTO touched_entities"
                    f" SELECT e.key FROM touched_words w CROSS JOIN entities e ON {meets}"
                )

    def with_touched_words(self, most: int) -> list[int]:
        """Return the keys of names with a word that more or fewer passages write in lower case, unless more than `most`
        did so before, too."""
        rows = self._select(
            "SELECT w.word FROM touched_words w LEFT JOIN lower_counts c ON c.word = w.word"
            " WHERE coalesce(c.passages, 0) <= ? + (SELECT count(*) FROM touched_documents t"
            " CROSS JOIN passages p ON p.document_key = t.document_key)",
            (most,),
        )
        words = {row[0] for row in rows}
        if not words:
            return []
        names = self._select("SELECT key, normal FROM entities ORDER BY key")
        return [key for key, normal in names if not words.isdisjoint(parts_of(without_sense(normal)))]

    def forget_touched_words(self) -> None:
        self._write("DELETE FROM touched_words")

    def votes(self) -> list[Votes]:
        """How the mentions of each touched entity are labelled, by key."""
        rows = self._select(
            "SELECT e.key, e.normal, e.label, e.judged, m.label, count(*), max(m.stated) FROM touched_entities t"
            " CROSS JOIN entities e ON e.key = t.entity_key CROSS JOIN mentions m ON m.entity_key = e.key"
            " GROUP BY e.key, m.label ORDER BY e.key, m.label"
        )
        found: dict[int, Votes] = {}
        for key, normal, label, judged, voted, count, stated in rows:
            own = found.get(key, Votes(key, without_sense(normal), label, {}, "", sense_of(normal), judged))
            own.labels[voted] = count
            found[key] = replace(own, stated=own.stated or (voted if stated else ""))
        return list(found.values())

    def lower_counts(self, words: Iterable[str]) -> dict[str, int]:
        """In how many passages each of the words stands in lower case; words that do not are left out."""
        return dict(
            self._select(
                "SELECT c.word, c.passages FROM json_each(?) j CROSS JOIN lower_counts c ON c.word = j.value",
                (json.dumps(sorted(words)),),
            )
        )

    def set_judged(self, labels: Mapping[int, str]) -> None:
        """Set the labels that the judge gives to names; mark those as touched that had another."""
        rows = self._select(
            "SELECT e.key, e.judged FROM json_each(?) j CROSS JOIN entities e ON e.key = j.value",
            (json.dumps(list(labels)),),
        )
        others = [(labels[key], key) for key, judged in rows if labels[key] != judged]
        with self._database.transaction() as connection:
            connection.executemany("UPDATE entities SET judged = ? WHERE key = ?", others)
            connection.executemany(
                "INSERT OR IGNORE INTO touched_entities VALUES (?)", [(key,) for _, key in others]
            )

    def set_labels(self, labels: Mapping[int, str]) -> None:
        self._write_each(
            "UPDATE entities SET label = ? WHERE key = ?", [(label, key) for key, label in labels.items()]
        )

    def labels(self, keys: Iterable[int]) -> dict[int, str]:
        """Label by key, of those that are there."""
        rows = (
            self._select_one("SELECT key, label FROM entities WHERE key = ?", (int(key),)) for key in keys
        )
        return {int(row[0]): str(row[1]) for row in rows if row}

    def rows(self, keys: Iterable[int] | None = None) -> list[EntityRow]:
        """Every entity, or those of these keys, by key; names that are part of another's entity are left out."""
        of, listed = in_clause("key", keys)
        rows = self._select(
            f"SELECT key, id, normal, name, label FROM entities WHERE head_key IS NULL{of} ORDER BY key",
            listed,
        )
        return [EntityRow(*row) for row in rows]

    def parts(self) -> Iterator[list[EntityFields]]:
        """What `rows` gives of every entity, some thousands at a time."""
        rows = self._select(
            "SELECT key, id, normal, name, label FROM entities WHERE head_key IS NULL ORDER BY key"
        )
        while part := rows.fetchmany(_AT_ONCE):
            yield part

    def table(self) -> EntityTable:
        """Every entity, read without holding up other threads."""
        connection = self._database.connection()
        (most,) = connection.execute("SELECT coalesce(max(key), 0) FROM entities").fetchone()
        sql = "FROM entities WHERE key >= ?1 AND key < ?2 AND head_key IS NULL ORDER BY key"
        keys = number_rows(connection, f"SELECT key {sql}", most, ("key",), ())[:, 0].astype(np.int64)
        ids, names, labels = text_columns(
            connection, f"SELECT id, name, label {sql}", most, ("id", "name", "label")
        )
        # By the index alone; of names that are one entity a passage counts once.
        counted = "SELECT entity_key, count(DISTINCT passage_key) AS n FROM mentions"
        counted += " WHERE entity_key >= ?1 AND entity_key < ?2 GROUP BY entity_key"
        rows = number_rows(connection, counted, most, ("entity_key", "n"), ()).astype(np.int64)
        together = connection.execute(
            "WITH heads (key) AS (SELECT DISTINCT head_key FROM entities WHERE head_key IS NOT NULL)"
            " SELECT h.key, (SELECT count(DISTINCT m.passage_key) FROM mentions m WHERE m.entity_key IN"
            " (SELECT h.key UNION SELECT n.key FROM entities n WHERE n.head_key = h.key)) FROM heads h"
        ).fetchall()
        passages = np.zeros(len(keys), dtype=np.int64)
        for counts in (rows, np.array(together, dtype=np.int64).reshape(-1, 2)):
            own = np.isin(counts[:, 0], keys, kind="sort")
            passages[np.searchsorted(keys, counts[own, 0])] = counts[own, 1]
        return EntityTable(keys, ids, names, labels, passages)

    def keys_of(self, ids: Iterable[str]) -> list[int]:
        """Keys of the names with these ids, of those that are there."""
        rows = self._select(
            "SELECT e.key FROM json_each(?) j CROSS JOIN entities e ON e.id = j.value",
            (json.dumps(list(ids)),),
        )
        return [int(row[0]) for row in rows]

    def heads(self, keys: Iterable[int]) -> dict[int, int]:
        """Key of the entity that each name belongs to, of those that are there."""
        rows = (
            self._select_one("SELECT key, coalesce(head_key, key) FROM entities WHERE key = ?", (int(key),))
            for key in keys
        )
        return {int(row[0]): int(row[1]) for row in rows if row}

    def heads_among(self, ids: Iterable[str], labels: Set[str], most: int) -> list[tuple[str, int, str]]:
        """(id, key, name) of the first `most` of these that are there, of a label, and no name of another's."""
        found: list[tuple[str, int, str]] = []
        for id in ids:
            row = self._select_one(
                "SELECT id, key, name, label FROM entities WHERE id = ? AND head_key IS NULL", (id,)
            )
            if row is not None and row[3] in labels:
                found.append((str(row[0]), int(row[1]), str(row[2])))
            if len(found) == most:
                break
        return found

    def ids_by_name(self) -> dict[str, str]:
        """Id of the entity that every name, by its normal form, belongs to.

        A name that has no entity without a sense is told by its most mentioned sense.
        """
        rows = self._select(
            "SELECT n.normal, e.id FROM entities n JOIN entities e ON e.key = coalesce(n.head_key, n.key)"
            " ORDER BY (SELECT count(*) FROM mentions m WHERE m.entity_key = n.key), n.normal DESC"
        )
        found: dict[str, str] = dict(rows)
        resolved: set[str] = set()
        for normal, id in list(found.items()):
            bare = without_sense(normal)
            if bare not in found or bare in resolved:
                found[bare] = id
                resolved.add(bare)
        return found

    def aliases(self) -> list[tuple[str, int]]:
        """(normal form, key of the entity) of every name of another's entity, sorted; also those in no document."""
        return list(
            self._select(
                "SELECT normal, head_key FROM entities WHERE head_key IS NOT NULL UNION ALL"
                " SELECT normal, entity_key FROM unwritten_names ORDER BY 1, 2"
            )
        )

    def ids_by_alias(self, normal: str) -> list[str]:
        """Ids of entities that go by a name that no document holds."""
        rows = self._select(
            "SELECT e.id FROM unwritten_names u JOIN entities e ON e.key = u.entity_key WHERE u.normal = ? ORDER BY 1",
            (normal,),
        )
        return [str(row[0]) for row in rows]

    def unwritten_names(self, entity_id: str) -> list[str]:
        """Names that no document holds by which an entity goes."""
        rows = self._select(
            "SELECT normal FROM unwritten_names WHERE entity_key ="
            " (SELECT coalesce(head_key, key) FROM entities WHERE id = ?) ORDER BY 1",
            (entity_id,),
        )
        return [str(row[0]) for row in rows]

    def places(self) -> NDArray[np.int64]:
        """Rows (passage key, entity key, start), shape (n, 3), by passage and name."""
        rows = self._select(
            "SELECT m.passage_key, coalesce(n.head_key, n.key), m.start FROM mentions m"
            " JOIN entities n ON n.key = m.entity_key ORDER BY m.passage_key, m.entity_key, m.start"
        )
        return integer_rows(rows, 3)

    def get(self, entity_id: str) -> Entity:
        """The entity that has this name. Raises BadInput when there is no such entity."""
        row = self._select_one(
            f"{_SELECT} WHERE e.key = (SELECT coalesce(head_key, key) FROM entities WHERE id = ?)",
            (entity_id,),
        )
        if row is None:
            raise BadInput(tr("This entity is no longer in the workspace."), tr("Choose another one."))
        return Entity(*row)

    def normal(self, entity_id: str) -> str:
        """Normal form of the very name with this id. Raises BadInput when there is none."""
        row = self._select_one("SELECT normal FROM entities WHERE id = ?", (entity_id,))
        if row is None:
            raise BadInput(tr("This name is no longer in the workspace."), tr("Choose another one."))
        return str(row[0])

    def all(self, limit: int = 0) -> list[Entity]:
        """Names first, then dates and amounts, then words that name nothing; of each the most mentioned.

        `limit` 0 means all.
        """
        rows = self._select(
            f"{_SELECT} WHERE e.head_key IS NULL"
            f" ORDER BY e.label = '{NOUN}', e.label IN ({_VALUES}), 4 DESC, e.name LIMIT ?",
            (limit or -1,),
        )
        return [Entity(*row) for row in rows]

    def search(self, text: str, normal: str, limit: int) -> list[Entity]:
        """Entities one of whose names holds `text`, `normal` being its normal form: those of this very name
        first, then names that begin with it, then those of which a word does, then the most mentioned.

        Of names that thousands share a part with, the most mentioned that begin with it are weighed and some others.
        """
        clean = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        same = self._select(
            "SELECT coalesce(head_key, key) FROM entities WHERE normal = ?1"
            " UNION SELECT entity_key FROM unwritten_names WHERE normal >= ?1 AND normal < ?1 || char(1114111)",
            (normal or None,),
        )
        named = {int(row[0]) for row in same}
        # Where the normal form leaves a word out, few that begin with it begin with the text as well.
        counted = _COUNTED if normal == text.casefold() else _HOLDING
        begins = self._select(_BEGINNING, (normal or None, f"{clean}%", counted, max(limit, _WEIGHED)))
        found = [(int(key), bool(really)) for key, really in begins]
        keys = named | {key for key, _ in found}
        # Names that only hold it come after all that begin with it, and to find them every name is read.
        if len(named | {key for key, really in found if really}) < limit:
            holding = "SELECT coalesce(head_key, key) FROM entities WHERE name LIKE ? ESCAPE '\\' LIMIT ?"
            keys |= {int(row[0]) for row in self._select(holding, (f"%{clean}%", _HOLDING))}
        rows = self._select(
            f"{_SELECT} WHERE e.key IN (SELECT value FROM json_each(?1)) ORDER BY"
            " e.key IN (SELECT value FROM json_each(?2)) DESC, e.name LIKE ?3 ESCAPE '\\' DESC,"
            " e.name LIKE ?4 ESCAPE '\\' DESC, 4 DESC, length(e.name), e.name LIMIT ?5",
            (json.dumps(sorted(keys)), json.dumps(sorted(named)), f"{clean}%", f"% {clean}%", limit),
        )
        return [Entity(*row) for row in rows]

    def passage_keys(self, entity_id: str, limit: int) -> list[int]:
        rows = self._select(
            f"SELECT m.passage_key FROM mentions m {_HEAD} WHERE e.id = ?"
            " GROUP BY m.passage_key ORDER BY count(*) DESC, m.passage_key LIMIT ?",
            (entity_id, limit),
        )
        return [row[0] for row in rows]

    def mentions_of_passage(self, passage_key: int) -> list[ExtractedMention]:
        rows = self._select(
            'SELECT surface, label, start, "end" FROM mentions WHERE passage_key = ? ORDER BY start, "end"',
            (passage_key,),
        )
        return [ExtractedMention(*row) for row in rows]

    def mentions_of_document(self, document_id: str) -> list[Mention]:
        """Offsets in the document's text, by place; each place once though passages overlap."""
        rows = self._select(
            'SELECT DISTINCT e.id, p.id, p.start + m.start, p.start + m."end" FROM mentions m'
            " JOIN passages p ON p.key = m.passage_key JOIN documents d ON d.key = p.document_key"
            f" {_HEAD}"
            ' WHERE d.id = ? AND m."end" > m.start ORDER BY 3, 4',
            (document_id,),
        )
        by_place: dict[tuple[str, int, int], Mention] = {}
        for row in rows:
            by_place.setdefault((row[0], row[2], row[3]), Mention(*row))
        return list(by_place.values())

    def in_order(self, keys: Iterable[int]) -> list[int]:
        """The keys, ordered by id: no two runs differ."""
        sql = "SELECT id, key FROM entities WHERE key = ?"
        rows = (self._select_one(sql, (int(key),)) for key in keys)
        return [int(row[1]) for row in sorted(row for row in rows if row)]

    def in_reading_order(self, keys: Iterable[int]) -> list[int]:
        """The keys by path, passage and place where each is named first, those that are not before them."""
        sql = (
            "SELECT d.path, p.ordinal, m.start FROM mentions m JOIN passages p ON p.key = m.passage_key"
            " JOIN documents d ON d.key = p.document_key WHERE m.entity_key IN"
            " (SELECT key FROM entities WHERE key = ?1 OR head_key = ?1) ORDER BY 1, 2, 3 LIMIT 1"
        )
        place = {key: self._select_one(sql, (key,)) or ("", 0, 0) for key in self.in_order(keys)}
        return sorted(place, key=place.__getitem__)

    def sweep(self) -> None:
        """Delete touched entities that neither a mention nor a fact holds."""
        self._write(
            "DELETE FROM entities WHERE key IN (SELECT entity_key FROM touched_entities)"
            " AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_key = entities.key)"
            " AND NOT EXISTS (SELECT 1 FROM candidate_facts f WHERE f.subject_key = entities.key"
            " OR f.object_key = entities.key)"
        )
