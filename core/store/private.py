"""Marks of private documents, which documents are private by them, and how copies of these are found."""

from __future__ import annotations

import json
import re
import sqlite3
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from core.store.database import Tables
from core.types.trust import PrivateDocument, PrivateReason

_COVERED = (
    "INSERT OR IGNORE INTO private_places SELECT v.mark_key, d.path, d.sha256, d.inside"
    " FROM private_by_place v JOIN document_places d ON d.document_key = v.document_key"
)
_PUBLIC = (
    "SELECT key FROM documents WHERE key NOT IN (SELECT document_key FROM private_documents)"
    " AND (key NOT IN (SELECT document_key FROM private_unchecked) OR NOT EXISTS (SELECT 1 FROM private_marks))"
)
# Of what lies at a path or below it.
_AT = "(?1 = '' OR path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/')"


class Private(Tables):
    """What a mark covers is private: a document by its path, or a folder with all that lies in it; "" is everything."""

    # ------------------------------------------------------------ documents

    @property
    def is_any(self) -> bool:
        """Whether anything is marked, also where nothing lies there yet."""
        found = self._select_one("SELECT 1 FROM private_marks LIMIT 1")
        return found is not None

    def public_keys(self) -> list[int]:
        """Return the keys, ascending, of the documents that are not private and were compared with what is."""
        return [int(row[0]) for row in self._select(f"{_PUBLIC} ORDER BY key")]

    def are_public(self, passage_ids: Iterable[str]) -> bool:
        """Return whether these passages are there, and all of public documents."""
        found = self._select(
            "SELECT count(*) FROM json_each(?) j LEFT JOIN passages p ON p.id = j.value"
            f" WHERE p.key IS NULL OR p.document_key NOT IN ({_PUBLIC})",
            (json.dumps(list(passage_ids)),),
        )
        return not found.fetchone()[0]

    def documents(self) -> list[PrivateDocument]:
        """Return each private document by its path, with one reason: its own mark before that of a folder."""
        rows = self._select(
            "SELECT d.id, d.path, v.reason, v.source FROM private_documents v"
            " JOIN documents d ON d.key = v.document_key"
        )
        order = list(PrivateReason)
        found: dict[str, PrivateDocument] = {}
        for id, path, reason, source in rows:
            document = PrivateDocument(id, path, PrivateReason(reason), source)
            before = found.get(path)
            if before is None or order.index(document.reason) < order.index(before.reason):
                found[path] = document
        return [found[path] for path in sorted(found)]

    @property
    def is_compared(self) -> bool:
        """Whether every document was compared with what is private."""
        found = self._select_one("SELECT 1 FROM private_unchecked LIMIT 1")
        return found is None

    def compare(self) -> None:
        """Compare what was indexed since with what is private, so that copies of it are private, too."""
        if self.is_compared:
            return
        with self._database.transaction() as connection:
            compare_unchecked(connection)

    # ------------------------------------------------------------ marks

    def marks(self) -> list[str]:
        """Return the marked paths, in their order."""
        rows = self._select("SELECT DISTINCT path FROM private_marks ORDER BY path")
        return [row[0] for row in rows]

    def mark(self, paths: Sequence[str]) -> None:
        """Make what lies there private from now on, wherever it is moved."""
        with self._database.transaction() as connection:
            for path in paths:
                connection.execute(
                    "INSERT INTO private_marks (path) SELECT ?1"
                    " WHERE NOT EXISTS (SELECT 1 FROM private_marks WHERE path = ?1)",
                    (path,),
                )
                connection.execute(f"DELETE FROM private_releases WHERE {_AT}", (path,))
            _follow(connection)

    def withdraw(self, paths: Iterable[str]) -> None:
        """Take marks back as if they had never been made; what other marks cover, or remember, stays private."""
        self._write_each("DELETE FROM private_marks WHERE path = ?", [(path,) for path in paths])

    def unmark(self, paths: Iterable[str]) -> None:
        """Make what lies at these paths private no longer, unless it lies in a folder that is."""
        with self._database.transaction() as connection:
            for path in paths:
                connection.execute(f"DELETE FROM private_marks WHERE {_AT}", (path,))
                # Also what is remembered of its documents by other marks, by place or by content.
                connection.execute(
                    f"DELETE FROM private_places WHERE {_AT} OR (sha256, inside) IN"
                    f" (SELECT sha256, inside FROM document_places WHERE sha256 <> '' AND {_AT})",
                    (path,),
                )
                # What is private there by other marks, as a copy or by what stood there, is so no longer.
                connection.execute(
                    "INSERT OR IGNORE INTO private_releases SELECT d.path, m.key FROM documents d, private_marks m"
                    f" WHERE {_AT.replace('path', 'd.path')} AND m.path <> d.path",
                    (path,),
                )
                connection.execute(f"DELETE FROM private_contents WHERE {_AT}", (path,))
            _follow(connection)


def _follow(connection: sqlite3.Connection) -> None:
    """Remember what the marks cover, and compare all documents with it."""
    connection.execute(_COVERED)
    connection.execute(
        "INSERT OR IGNORE INTO private_unchecked SELECT key FROM documents WHERE EXISTS (SELECT 1 FROM private_marks)"
    )
    compare_unchecked(connection)


# A text is compared by the prints of its pieces, lines and sentences with their letter case, spaces and Unicode form
# evened out. Time is linear in the text that was not compared yet.
_PIECES = re.compile(r"[.!?]\s+|[\n\r\f。！？]+")
_LEAST_SHARED = 60  # characters in common below which texts are not alike, unless they are the same
_LEAST_SAME = 12  # characters of a text of which a copy is recognised
_COMMON = 5  # other texts with a piece from which on it is a form's or a footer's
_TEXTS = "SELECT d.key, d.path, t.text FROM document_texts t JOIN documents d ON d.key = t.document_key WHERE d.key IN"


@dataclass(frozen=True, slots=True)
class TextPrints:
    """A text as numbers: the characters of each piece by its print, and one digest of all pieces in order."""

    weights: Mapping[int, int]
    digest: str


@dataclass(frozen=True, slots=True)
class _Match:
    """A document that shares pieces with private texts: characters in all, and the shared prints by text."""

    path: str
    prints: TextPrints
    shared: Mapping[int, frozenset[int]]


def text_prints(text: str) -> TextPrints:
    weights: dict[int, int] = {}
    digest = blake2b(digest_size=16)
    for piece in _PIECES.split(text):
        plain = " ".join(unicodedata.normalize("NFKC", piece).casefold().split())
        if not plain:
            continue
        found = blake2b(plain.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        weights[int.from_bytes(found, signed=True)] = len(plain)
        digest.update(found)
    return TextPrints(weights, digest.hexdigest())


def compare_unchecked(connection: sqlite3.Connection) -> None:
    """Find the copies of private texts among the documents that were not compared yet; within a transaction."""
    if connection.execute("SELECT 1 FROM private_unchecked LIMIT 1").fetchone() is None:
        return
    if _remember_texts(connection):  # what was compared before may be a copy of these
        connection.execute("INSERT OR IGNORE INTO private_unchecked SELECT key FROM documents")
    sources: dict[int, tuple[int, str, str]] = {
        key: (mark, path, digest)
        for key, mark, path, digest in connection.execute(
            "SELECT key, mark_key, path, digest FROM private_texts"
        )
    }
    if sources:
        _record_copies(connection, sources)
    connection.execute("DELETE FROM private_unchecked")


def _remember_texts(connection: sqlite3.Connection) -> bool:
    """Note what private documents say now; whether any of it is new. Who keeps all private has no copies outside."""
    places = defaultdict(set)
    for key, mark in connection.execute(
        "SELECT u.document_key, v.mark_key FROM private_unchecked u CROSS JOIN private_by_place v"
        " ON v.document_key = u.document_key JOIN private_marks m ON m.key = v.mark_key WHERE m.path <> ''"
    ):
        places[int(key)].add(int(mark))
    new = False
    for key, path, text in _texts(connection, places):
        prints = text_prints(text)
        for mark in places[key]:
            rows = connection.execute(
                "INSERT INTO private_texts (mark_key, path, digest) SELECT ?1, ?2, ?3 WHERE NOT EXISTS ("
                "SELECT 1 FROM private_texts WHERE mark_key = ?1 AND path = ?2 AND digest = ?3) RETURNING key",
                (mark, path, prints.digest),
            ).fetchall()
            for (text_key,) in rows:
                new = True
                connection.executemany(
                    "INSERT INTO private_prints (print, text_key, weight) VALUES (?, ?, ?)",
                    [(found, text_key, weight) for found, weight in prints.weights.items()],
                )
    return new


def _record_copies(connection: sqlite3.Connection, sources: Mapping[int, tuple[int, str, str]]) -> None:
    private: defaultdict[int, list[int]] = defaultdict(list)
    totals: Counter[int] = Counter()
    weights: dict[int, int] = {}
    for found, text_key, weight in connection.execute("SELECT print, text_key, weight FROM private_prints"):
        private[found].append(text_key)
        totals[text_key] += weight
        weights[found] = weight
    unchecked = [int(row[0]) for row in connection.execute("SELECT document_key FROM private_unchecked")]
    matches = list(_matches(_texts(connection, unchecked), private))
    spread = Counter(
        found
        for digest in _by_digest(matches, {digest for _, _, digest in sources.values()})
        for found in digest
    )
    common = {found: weights[found] for found, count in spread.items() if count > _COMMON}
    usual: Counter[int] = Counter()  # characters of such pieces, by private text
    for found, weight in common.items():
        usual.update(dict.fromkeys(private[found], weight))
    settled: set[tuple[str, int]] = set(  # with nothing to find: private without it, or released
        connection.execute(
            "SELECT d.path, v.mark_key FROM private_by_place v JOIN documents d ON d.key = v.document_key"
            " UNION SELECT path, mark_key FROM private_releases"
        )
    )
    copies: dict[tuple[str, int], str] = {}
    for match in matches:
        own = sum(weight for found, weight in match.prints.weights.items() if found not in common)
        for text_key, shared in match.shared.items():
            mark, source, digest = sources[text_key]
            size = sum(weights[found] for found in shared if found not in common)
            least = min(own, totals[text_key] - usual[text_key])
            same = digest == match.prints.digest and totals[text_key] >= _LEAST_SAME
            place = match.path, mark
            if place not in settled and (same or (size >= _LEAST_SHARED and 2 * size > least)):
                copies.setdefault(place, source)
    connection.executemany(
        "INSERT OR IGNORE INTO private_contents VALUES (?, ?, ?)",
        [(*place, source) for place, source in copies.items()],
    )


def _matches(texts: Iterable[tuple[int, str, str]], private: Mapping[int, list[int]]) -> Iterator[_Match]:
    for _, path, text in texts:
        prints = text_prints(text)
        shared: defaultdict[int, set[int]] = defaultdict(set)
        for found in prints.weights.keys() & private.keys():
            for text_key in private[found]:
                shared[text_key].add(found)
        if shared:
            yield _Match(path, prints, {key: frozenset(found) for key, found in shared.items()})


def _by_digest(matches: Iterable[_Match], known: set[str]) -> list[set[int]]:
    """Return the shared prints of each text that is not itself a private one, of copies once."""
    found = {
        match.prints.digest: set().union(*match.shared.values())
        for match in matches
        if match.prints.digest not in known
    }
    return list(found.values())


def _texts(connection: sqlite3.Connection, keys: Iterable[int]) -> Iterator[tuple[int, str, str]]:
    for key in keys:
        yield from connection.execute(f"{_TEXTS} (?)", (key,))
