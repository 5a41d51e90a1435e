"""Which documents say what a private one says: copies that were renamed and edited, packed, attached or taken out.

A text is compared by the prints of its pieces, lines and sentences with their letter case, spaces and Unicode form
evened out. Time is linear in the text that was not compared yet.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

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
