"""A workspace of any size for the benches: made documents whose sentences say the edges of a made graph."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.evaluation.made_graph import planted_graph
from core.identity import stable_id
from core.progress import TaskContext
from core.store.store import Store

EDGES_AN_ENTITY = 5
DIMENSION = 384
MODEL = "made"
_SENTENCES = 8  # a passage, and passages a document: as in the sample
_PASSAGES = 10
_WORDS = tuple(
    "harbour ledger winter cargo letter office market engine river census signal garden bridge copper"
    " archive ferry journal timber beacon valley court mission salt quarry".split()
)
_VERBS = ("met", "hired", "paid", "visited", "sold ships to", "wrote to", "owned a share of", "married")
_DOCUMENT_ROWS = 50  # a transaction

Row = tuple[object, ...]

_INSERTS = {
    "documents": "INSERT INTO documents (key, id, path, title, sha256, size, modified_ns, media_type, pages, state)"
    " VALUES (?, ?, ?, ?, '', 0, 0, 'text/plain', 1, 'done')",
    "passages": 'INSERT INTO passages (key, id, document_key, ordinal, title, text, start, "end")'
    " VALUES (?, ?, ?, ?, '', ?, ?, ?)",
    "sentences": "INSERT INTO sentences VALUES (?, ?, ?, ?)",
    "mentions": 'INSERT INTO mentions (passage_key, entity_key, start, "end", surface, label)'
    " VALUES (?, ?, ?, ?, ?, 'PERSON')",
    "facts": "INSERT INTO facts (key, id, subject_key, predicate, object_key) VALUES (?, ?, ?, ?, ?)",
    "triples": 'INSERT INTO triples (passage_key, fact_key, subject, predicate, object, start, "end", confidence)'
    " VALUES (?, ?, ?, ?, ?, ?, ?, 1.0)",
}


def made_workspace(folder: Path, entities: int, context: TaskContext, seed: int = 7) -> Store:
    """A new store, open, of `entities` entities and five facts for each: one sentence, with two mentions,
    one triple and one random unit vector a fact. Neither communities nor places. Raises Cancelled.
    """
    store = Store(folder, MODEL, DIMENSION, create=True)
    ends = planted_graph(entities, EDGES_AN_ENTITY * entities, seed, mixed=False)
    lonely = np.setdiff1d(np.arange(entities), ends)
    with store.database.transaction() as connection:
        connection.executemany(
            "INSERT INTO entities (key, id, normal, name, label) VALUES (?, ?, ?, ?, 'PERSON')",
            [
                (key + 1, stable_id("entity", name.lower()), name.lower(), name)
                for key, name in enumerate(map(_name, range(entities)))
            ],
        )
    # Who has no edge is named, too: an entity without a mention is none.
    said = np.concatenate([ends, np.stack([lonely, lonely], axis=1)])
    said = said[np.argsort(said[:, 0], kind="stable")]
    rng = np.random.default_rng(seed)
    step = _DOCUMENT_ROWS * _PASSAGES * _SENTENCES
    for first in range(0, len(said), step):
        context.report("made sentences", first, len(said))
        _put_documents(store, said[first : first + step], first, rng)
    context.report("made sentences", len(said), len(said))
    store.marks.clear()
    return store


def _name(entity: int) -> str:
    """Two words and a number, another one for each entity."""
    word, rest = entity % len(_WORDS), entity // len(_WORDS)
    return f"{_WORDS[word].title()} {_WORDS[rest % len(_WORDS)].title()}son {rest}"


@dataclass(slots=True)
class _Rows:
    """Rows of every table that a batch of documents fills, in the order of `_INSERTS`."""

    documents: list[Row] = field(default_factory=list)
    passages: list[Row] = field(default_factory=list)
    sentences: list[Row] = field(default_factory=list)
    mentions: list[Row] = field(default_factory=list)
    facts: list[Row] = field(default_factory=list)
    triples: list[Row] = field(default_factory=list)

    def put(self, connection: sqlite3.Connection) -> None:
        for table, sql in _INSERTS.items():
            connection.executemany(sql, getattr(self, table))

    def say(self, number: int, passage: int, begin: int, subject: int, object_: int) -> str:
        """The sentence of an edge, at `begin` of its passage; of a loop one that tells no fact."""
        verb, one, other = _VERBS[number % len(_VERBS)], _name(subject), _name(object_)
        filler = " ".join(_WORDS[(number * step) % len(_WORDS)] for step in (3, 5, 7, 11))
        if subject == object_:
            self.mentions.append((passage, subject + 1, begin, begin + len(one), one))
            return f"{one} is named in the {filler}. "
        at = begin + len(one) + len(verb) + 2
        end = at + len(other)
        self.mentions.append((passage, subject + 1, begin, begin + len(one), one))
        self.mentions.append((passage, object_ + 1, at, end, other))
        id = stable_id("fact", str(subject), verb, str(object_))
        self.facts.append((number, id, subject + 1, verb, object_ + 1))
        self.triples.append((passage, number, one, verb, other, begin, end))
        return f"{one} {verb} {other} near the {filler}. "


def _put_documents(store: Store, said: NDArray[np.int64], first: int, rng: np.random.Generator) -> None:
    """Documents of these edges; `first` is the number of the first edge, and keys follow from it."""
    rows = _Rows()
    vectors: list[tuple[int, NDArray[np.float32]]] = []
    path, start = "", 0
    for begin in range(0, len(said), _SENTENCES):
        passage = (first + begin) // _SENTENCES + 1
        document, ordinal = (passage - 1) // _PASSAGES + 1, (passage - 1) % _PASSAGES
        if not ordinal:
            path, start = f"made/{document:06}.txt", 0
            rows.documents.append((document, stable_id("document", path), path, f"Made document {document}"))
        text = ""
        pairs = said[begin : begin + _SENTENCES].tolist()
        for at, (subject, object_) in enumerate(pairs):
            told = rows.say(first + begin + at + 1, passage, len(text), subject, object_)
            rows.sentences.append((passage, at, len(text), len(text) + len(told)))
            text += told
        id = stable_id("passage", path, str(start), text)
        rows.passages.append((passage, id, document, ordinal, text, start, start + len(text)))
        start += len(text)
        made = rng.standard_normal((len(pairs), DIMENSION), dtype=np.float32)
        vectors.append((passage, made / np.linalg.norm(made, axis=1, keepdims=True)))
    with store.database.transaction() as connection:
        rows.put(connection)
        store.embeddings.put(connection, "sentence", vectors)
