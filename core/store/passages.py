"""Passages, their sentences and stages; searching them; and which are of a document, an entity or a community."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.store.changes import UNFORGOTTEN
from core.store.columns import number_rows
from core.store.database import Tables
from core.text.translation import tr
from core.types import Block, BlockKind, Passage, Sentence, State, context_line
from core.types.kinds import stable_id

STAGES = ("embed", "extract")
_AT_ONCE = 1 << 14  # passages read together
_RANKED = 20_000  # matches of a search that are put in order
_MANY = 10_000  # passages that hold a word, from which on it may be left aside

_SELECT = (
    'SELECT p.key, p.id, d.id, p.ordinal, p.title, p.text, p.start, p."end", p.page, p.headings, p.language,'
    " d.path, d.file_key IS NOT NULL"
    " FROM passages p JOIN documents d ON d.key = p.document_key"
)

_Row = tuple[int, str, str, int, str, str, int, int, int | None, str, str, str, int]


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage with its row key, its document's path, and whether that came from a file."""

    key: int
    path: str
    passage: Passage
    in_file: bool = False


class PassageFilter:
    """A condition on `rowid` with one value: the `keys` of these passages."""

    # The plus keeps FTS5 from looking each key up: it ranks its matches once, and these are taken from them.
    where = " AND +rowid IN (SELECT value FROM json_each(?))"

    def __init__(self, keys: NDArray[np.int64]) -> None:
        self.listed = json.dumps(keys.tolist())


class Passages(Tables):
    def keys(self) -> list[int]:
        """Every passage's row key, ascending."""
        return [row[0] for row in self._select("SELECT key FROM passages ORDER BY key")]

    def ids(self) -> list[tuple[int, str]]:
        """(key, id) of every passage, by key."""
        return list(self._select("SELECT key, id FROM passages ORDER BY key"))

    def parts(self) -> Iterator[list[tuple[int, str, int]]]:
        """(key, id, key of the document) of every passage, by key, some thousands at a time."""
        rows = self._select("SELECT key, id, document_key FROM passages ORDER BY key")
        while part := rows.fetchmany(_AT_ONCE):
            yield part

    def sentence_starts(self) -> NDArray[np.int64]:
        """Rows (passage key, start), shape (n_sentences, 2), by passage and place."""
        connection = self._database.connection()
        (most,) = connection.execute("SELECT coalesce(max(key), 0) FROM passages").fetchone()
        sql = "SELECT passage_key, start FROM sentences WHERE passage_key >= ?1 AND passage_key < ?2"
        sql += " ORDER BY passage_key, ordinal"
        return number_rows(connection, sql, most, ("passage_key", "start"), ()).astype(np.int64)

    def first_of(self, entities: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where each entity stands first, (n,): the place of its passage in the order of documents' paths."""
        rows = self._select(
            "WITH placed AS (SELECT p.key, row_number() OVER (ORDER BY d.path, p.ordinal) AS place"
            " FROM passages p JOIN documents d ON d.key = p.document_key)"
            " SELECT coalesce(n.head_key, n.key), min(placed.place) FROM mentions m"
            " JOIN entities n ON n.key = m.entity_key JOIN placed ON placed.key = m.passage_key GROUP BY 1"
        )
        first = dict(rows)
        return np.array([first.get(int(key), 0) for key in entities], dtype=np.int64)

    def get(self, passage_id: str) -> StoredPassage:
        """Raises BadInput when there is no such passage."""
        rows = list(self._select(f"{_SELECT} WHERE p.id = ?", (passage_id,)))
        if not rows:
            raise BadInput(tr("This passage is no longer in the workspace."), tr("Ask again."))
        return _records(self._database.connection(), rows)[0]

    def by_keys(self, keys: Sequence[int]) -> list[StoredPassage]:
        """In the order of `keys`; keys that are gone are left out."""
        marks = ",".join("?" * len(keys))
        rows = self._select(f"{_SELECT} WHERE p.key IN ({marks})", list(keys))
        found = {stored.key: stored for stored in _records(self._database.connection(), list(rows))}
        return [found[key] for key in keys if key in found]

    def by_ids(self, ids: Sequence[str]) -> list[StoredPassage]:
        """Those that are still there, in no order."""
        connection = self._database.connection()
        wanted = f"{_SELECT} WHERE p.id IN (SELECT value FROM json_each(?))"
        return _records(connection, list(connection.execute(wanted, (json.dumps(list(ids)),))))

    def texts(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Title with headings, and text, by id, in the order of `ids`; two empty strings for one that is gone."""
        marks = ",".join("?" * len(ids))
        rows = self._select(
            f"SELECT id, title, headings, text FROM passages WHERE id IN ({marks})", list(ids)
        )
        found = {id: (context_line(title, headings.split("\n")), text) for id, title, headings, text in rows}
        return [found.get(passage_id, ("", "")) for passage_id in ids]

    def of_document(self, document_id: str) -> list[StoredPassage]:
        rows = self._select(f"{_SELECT} WHERE d.id = ? ORDER BY p.ordinal", (document_id,))
        return _records(self._database.connection(), list(rows))

    def unfinished(self, after: int, limit: int) -> list[StoredPassage]:
        """The next passages, by key above `after`, of which some stage is pending."""
        rows = self._select(
            f"{_SELECT} WHERE p.key > ? AND EXISTS (SELECT 1 FROM stages s WHERE s.passage_key = p.key"
            " AND s.state = 'pending') ORDER BY p.key LIMIT ?",
            (after, limit),
        )
        return _records(self._database.connection(), list(rows))

    def counts(self, document_ids: Iterable[str]) -> dict[str, int]:
        """Number of passages of these documents, by id; those without any are left out."""
        return dict(
            self._select(
                "SELECT d.id, count(*) FROM json_each(?) j CROSS JOIN documents d ON d.id = j.value"
                " CROSS JOIN passages p ON p.document_key = d.key GROUP BY d.id",
                (json.dumps(list(document_ids)),),
            )
        )

    def lengths(self) -> list[tuple[int, int]]:
        """(key, characters) of every passage, by key."""
        return list(self._select("SELECT key, length(text) FROM passages ORDER BY key"))

    def count_with_few_triples(self, below: int) -> int:
        """Passages of which fewer than `below` triples were extracted."""
        return self._count(
            "SELECT count(*) FROM passages p"
            f" WHERE (SELECT count(*) FROM triples t WHERE t.passage_key = p.key) < {below:d}"
        )

    def count_pending(self) -> int:
        """Passages of which some stage is pending."""
        return self._count("SELECT count(DISTINCT passage_key) FROM stages WHERE state = 'pending'")

    def repeated_texts(self) -> Iterator[str]:
        """Each text that more than one passage has of which some stage is pending."""
        rows = self._select(
            "SELECT p.text FROM (SELECT DISTINCT passage_key FROM stages WHERE state = 'pending') s"
            " CROSS JOIN passages p ON p.key = s.passage_key GROUP BY p.text HAVING count(*) > 1"
        )
        return (str(text) for (text,) in rows)

    def count_failed(self) -> int:
        """Passages of which some stage failed."""
        return self._count("SELECT count(DISTINCT passage_key) FROM stages WHERE state = 'failed'")

    def mark(
        self,
        connection: sqlite3.Connection,
        stage: str,
        keys: Iterable[int],
        state: State,
        reason: str = "",
        raw: str = "",
    ) -> None:
        """Set the state of a stage of these passages, inside a transaction."""
        connection.executemany(
            "UPDATE stages SET state = ?, reason = ?, raw = ? WHERE passage_key = ? AND stage = ?",
            [(state.value, reason, raw, key, stage) for key in keys],
        )
        connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES ('unsettled', '1')")

    def clear(self, connection: sqlite3.Connection, key: int) -> None:
        """Drop what was extracted from a passage before, inside a transaction."""
        connection.execute("DELETE FROM mentions WHERE passage_key = ?", (key,))
        connection.execute("DELETE FROM triples WHERE passage_key = ?", (key,))
        connection.execute("DELETE FROM lower_words WHERE passage_key = ?", (key,))

    def put_words(self, connection: sqlite3.Connection, words: Mapping[int, Sequence[str]]) -> None:
        """Keep what words each passage writes in lower case, inside a transaction."""
        connection.executemany(
            "INSERT INTO lower_words VALUES (?, ?)",
            [(key, json.dumps(own, ensure_ascii=False)) for key, own in words.items()],
        )

    def reset(self, stage: str) -> None:
        """Make a stage pending for every passage: its settings changed."""
        self._write("UPDATE stages SET state = 'pending' WHERE stage = ?", (stage,))

    def forget_words(self) -> None:
        """Take the words of deleted passages out of the full-text index, which only marks them as gone.

        In proportion to the whole index: some 20 ms for 3,000 passages.
        """
        with self._database.transaction() as connection:
            connection.execute("INSERT INTO passages_text (passages_text) VALUES ('optimize')")
            connection.execute("DELETE FROM settings WHERE name = ?", (UNFORGOTTEN,))

    def search(self, query: str, limit: int, inside: PassageFilter | None = None) -> list[tuple[int, float]]:
        """(key, BM25 score) of the passages that match an FTS5 query, best first; higher is better.

        Only those `inside` are found, and scored as they are among all.
        """
        where, values = ("", ()) if inside is None else (inside.where, (inside.listed,))
        rows = self._select(
            # By `rank`, not bm25(): FTS5 sorts by itself then, and scores each match once.
            f"SELECT rowid, -rank FROM passages_text WHERE passages_text MATCH ?{where} ORDER BY rank LIMIT ?",
            (query, *values, limit),
        )
        return [(int(key), float(score)) for key, score in rows]

    def holding(
        self, queries: Sequence[str], inside: PassageFilter | None = None, most: int = _RANKED
    ) -> list[int]:
        """How many passages match each FTS5 query; more than `most` are counted as so many."""
        where, values = ("", ()) if inside is None else (inside.where, (inside.listed,))
        sql = f"SELECT count(*) FROM (SELECT 1 FROM passages_text WHERE passages_text MATCH ?{where} LIMIT ?)"
        return [int(self._select_one(sql, (query, *values, most))[0]) for query in queries]

    def holders(self, queries: Sequence[str]) -> list[NDArray[np.int64]]:
        """Keys of the passages that match each FTS5 query; none where as many as `_RANKED` do."""
        # As one text: a row of Python for each of twenty thousand takes ten times as long.
        sql = (
            "SELECT group_concat(rowid, ' ') FROM"
            " (SELECT rowid FROM passages_text WHERE passages_text MATCH ? LIMIT ?)"
        )
        texts = [self._select_one(sql, (query, _RANKED))[0] for query in queries]
        found = [np.fromstring(keys, np.int64, sep=" ") if keys else np.zeros(0, np.int64) for keys in texts]
        return [keys if len(keys) < _RANKED else keys[:0] for keys in found]

    def many(self) -> int:
        """What very many passages are, and more than a tenth of all."""
        return max(_MANY, self._count("SELECT count(*) FROM passages") // 10)

    def search_some(self, any_word: str, all_words: str, limit: int) -> list[int]:
        """Keys of passages that match the FTS5 query `any_word`, best first.

        Where very many do, those that match `all_words` come first, and of either only those that were stored
        first are ranked: words that stand nearly everywhere tell little, and to rank all takes long.
        """
        last, count = self._first_matches(any_word)
        if count < _RANKED:
            return self._ranked(any_word, last, limit)
        found = self._ranked(all_words, self._first_matches(all_words)[0], limit)
        if len(found) < limit:
            found = list(dict.fromkeys([*found, *self._ranked(any_word, last, limit)]))
        return found[:limit]

    def _first_matches(self, query: str) -> tuple[int, int]:
        """Key of the last of the first `_RANKED` matches, and how many there are, at most so many."""
        row = self._select_one(
            "SELECT coalesce(max(rowid), 0), count(*) FROM"
            " (SELECT rowid FROM passages_text WHERE passages_text MATCH ? ORDER BY rowid LIMIT ?)",
            (query, _RANKED),
        )
        return int(row[0]), int(row[1])

    def _ranked(self, query: str, last: int, limit: int) -> list[int]:
        """The best of the matches up to the key `last`."""
        rows = self._select(
            "SELECT rowid FROM passages_text WHERE passages_text MATCH ? AND rowid <= ?"
            " ORDER BY bm25(passages_text, 1.0, 1.0), rowid LIMIT ?",
            (query, last, limit),
        )
        return [int(row[0]) for row in rows]

    def _count(self, sql: str) -> int:
        return int(self._select_one(sql)[0])


class Reusable:
    """Row keys of stored passages by their content; each can be taken once."""

    def __init__(self, *pools: Reusable, keys: dict[str, list[int]] | None = None) -> None:
        """Joined from `pools`, which share what is taken; the first pools are taken from first."""
        own = [keys] if keys else []
        self._keys: list[dict[str, list[int]]] = own + [keys for pool in pools for keys in pool._keys]

    def take(self, content: str) -> int | None:
        """A passage of this content, no longer to be had afterwards; None when there is none."""
        for keys in self._keys:
            if found := keys.get(content):
                return found.pop()
        return None


def reusable(connection: sqlite3.Connection, document_keys: Sequence[int]) -> Reusable:
    """The passages of these documents, by content."""
    keys: dict[str, list[int]] = {}
    for document in document_keys:
        # Last ones first: they are taken from the end.
        rows = connection.execute(f"{_SELECT} WHERE p.document_key = ? ORDER BY p.ordinal DESC", (document,))
        for stored in _records(connection, rows.fetchall()):
            keys.setdefault(content_of(stored.passage), []).append(stored.key)
    return Reusable(keys=keys)


def content_of(passage: Passage) -> str:
    """Hash of all that encoding and extraction see of a passage."""
    parts = [f"{s.start}-{s.end}" for s in passage.sentences]
    parts += [
        f"{b.kind} {b.start}-{b.end} {b.level}\x1f{b.speaker}\x1f{b.addressee}\x1f{b.time}"
        for b in passage.blocks
    ]
    headings = "\n".join(passage.headings)
    return stable_id("content", passage.title, headings, passage.language, passage.text, *parts)


def _records(connection: sqlite3.Connection, rows: Sequence[_Row]) -> list[StoredPassage]:
    """Rows of `_SELECT` with what hangs on them, in their order."""
    keys = [row[0] for row in rows]
    listed = json.dumps(keys)  # however many there are
    spans: dict[int, list[Sentence]] = {key: [] for key in keys}
    for key, start, end in connection.execute(
        'SELECT s.passage_key, s.start, s."end" FROM json_each(?) j CROSS JOIN sentences s'
        " ON s.passage_key = j.value ORDER BY s.passage_key, s.ordinal",
        (listed,),
    ):
        spans[key].append(Sentence(start, end))
    blocks: dict[int, list[Block]] = {key: [] for key in keys}
    for key, first, length, kind, start, end, *rest in connection.execute(
        'SELECT p.key, p.start, p."end" - p.start, b.kind, b.start, b."end", b.level, b.speaker, b.addressee, b.time'
        " FROM json_each(?) j CROSS JOIN passages p ON p.key = j.value CROSS JOIN blocks b"
        ' ON b.document_key = p.document_key AND b.start < p."end" AND b."end" > p.start ORDER BY p.key, b.ordinal',
        (listed,),
    ):
        blocks[key].append(Block(BlockKind(kind), max(0, start - first), min(length, end - first), *rest))
    return [
        StoredPassage(
            row[0],
            row[11],
            Passage(
                *row[1:9],
                tuple(spans[row[0]]),
                tuple(row[9].split("\n")) if row[9] else (),
                tuple(blocks[row[0]]),
                row[10],
            ),
            bool(row[12]),
        )
        for row in rows
    ]


def keep_passages(
    connection: sqlite3.Connection, document_key: int, passages: Sequence[Passage], pool: Reusable
) -> None:
    """Make `passages` those of the document, inside the caller's transaction.

    Rows of the same content in `pool` are moved here with all that hangs on them; other passages are
    new, with every stage pending; what the document had besides goes.
    """
    # Ids and ordinals of nobody first: they may change places.
    connection.execute(
        "UPDATE passages SET id = '~' || key, ordinal = -1 - key WHERE document_key = ?", (document_key,)
    )
    for passage in passages:
        reused_key = pool.take(content_of(passage))
        place = (passage.id, document_key, passage.ordinal, passage.start, passage.end, passage.page)
        if reused_key is None:
            _insert(connection, passage, place)
        else:
            connection.execute(
                'UPDATE passages SET id = ?, document_key = ?, ordinal = ?, start = ?, "end" = ?, page = ?'
                " WHERE key = ?",
                (*place, reused_key),
            )
    connection.execute("DELETE FROM passages WHERE document_key = ? AND ordinal < 0", (document_key,))


def _insert(
    connection: sqlite3.Connection, passage: Passage, place: tuple[str, int, int, int, int, int | None]
) -> None:
    key = connection.execute(
        'INSERT INTO passages (id, document_key, ordinal, start, "end", page, title, headings, language, text)'
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*place, passage.title, "\n".join(passage.headings), passage.language, passage.text),
    ).lastrowid
    connection.executemany(
        "INSERT INTO sentences VALUES (?, ?, ?, ?)",
        [(key, i, s.start, s.end) for i, s in enumerate(passage.sentences)],
    )
    connection.executemany(
        "INSERT INTO stages (passage_key, stage, state) VALUES (?, ?, 'pending')",
        [(key, stage) for stage in STAGES],
    )


ScopeKeys = dict[str, tuple[str, list[int]]]  # name and passage keys, ascending, by id

# An id may be that of a name that was merged into another: its entity is meant.
_OF_ENTITIES = (
    "WITH wanted (id, head) AS (SELECT e.id, coalesce(e.head_key, e.key) FROM json_each(?1) j"
    " CROSS JOIN entities e ON e.id = j.value)"
)
_OF_COMMUNITIES = (
    "WITH RECURSIVE below (root, key) AS (SELECT c.key, c.key FROM json_each(?1) j CROSS JOIN communities c"
    " ON c.key = j.value UNION SELECT b.root, c.key FROM below b JOIN communities c ON c.parent_key = b.key),"
    " wanted (id, head) AS (SELECT b.root, m.entity_key FROM below b CROSS JOIN community_members m"
    " ON m.community_key = b.key)"
)
_PASSAGES = (
    " SELECT DISTINCT w.id, m.passage_key FROM (SELECT w.id, w.head AS name FROM wanted w UNION"
    " SELECT w.id, n.key FROM wanted w CROSS JOIN entities n ON n.head_key = w.head) w"
    " CROSS JOIN mentions m ON m.entity_key = w.name ORDER BY 2"
)


class Scopes(Tables):
    """Changes nothing. What there is not is left out."""

    def entities(self, ids: Iterable[str]) -> ScopeKeys:
        """Passages that name each of these entities, by any of its names."""
        wanted = json.dumps(list(ids))
        names = f"{_OF_ENTITIES} SELECT w.id, e.name FROM wanted w CROSS JOIN entities e ON e.key = w.head"
        return self._read_scopes(names, _OF_ENTITIES + _PASSAGES, wanted)

    def documents(self, ids: Iterable[str]) -> ScopeKeys:
        names = "SELECT d.id, d.path FROM json_each(?1) j CROSS JOIN documents d ON d.id = j.value"
        passages = (
            "SELECT d.id, p.key FROM json_each(?1) j CROSS JOIN documents d ON d.id = j.value"
            " CROSS JOIN passages p ON p.document_key = d.key ORDER BY p.key"
        )
        return self._read_scopes(names, passages, json.dumps(list(ids)))

    def communities(self, keys: Iterable[int]) -> ScopeKeys:
        """Passages that name an entity of each of these communities, of whatever level."""
        names = (
            "SELECT c.key, coalesce(json_extract(r.report, '$.title'), '') FROM json_each(?1) j"
            " CROSS JOIN communities c ON c.key = j.value LEFT JOIN community_reports r ON r.community_key = c.key"
        )
        return self._read_scopes(names, _OF_COMMUNITIES + _PASSAGES, json.dumps(list(keys)))

    def evidence(self, passages: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the keys, ascending, of the facts with evidence in these passages, and the sums of its confidences."""
        rows = self._select(
            "SELECT t.fact_key, sum(t.confidence) FROM json_each(?1) j CROSS JOIN triples t"
            " ON t.passage_key = j.value GROUP BY 1 ORDER BY 1",
            (json.dumps(list(passages)),),
        )
        found = rows.fetchall()
        keys = np.array([key for key, _ in found], dtype=np.int64)
        return keys, np.array([total for _, total in found], dtype=np.float64)

    def _read_scopes(self, names: str, passages: str, wanted: str) -> ScopeKeys:
        keys: dict[str, list[int]] = defaultdict(list)
        for id, key in self._select(passages, (wanted,)):
            keys[str(id)].append(int(key))
        return {str(id): (str(name), keys[str(id)]) for id, name in self._select(names, (wanted,))}
