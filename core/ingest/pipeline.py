"""Takes every pending passage through its stages; each batch is committed whole."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelFault
from core.extraction.names import LONGEST_NAME, lower_words, normalise
from core.extraction.records import DocumentRecords, with_records
from core.extraction.speakers import with_speakers
from core.graph.communities import leiden
from core.graph.synonymy import UNLINKED
from core.ingest.executors import (
    EncodingExecutor,
    EncodingFault,
    Executor,
    NodeExecutor,
    encode_each,
    passage_spans,
)
from core.ingest.extraction_input import Duplicates, Faults, extraction_input, plain_passage, put_back
from core.models.minilm import Vectors
from core.progress import NodeShare, Progress, TaskContext
from core.protocols import Encoder
from core.store.entities import EntityRow, NewMention
from core.store.facts import NewTriple
from core.store.passages import StoredPassage
from core.store.store import Store
from core.types import ExtractedMention, Extraction, Growth, Passage, State

FIRST_BATCH = 8  # passages: something is seen soon
ENCODED_AHEAD = 2  # of these have their vectors already: a process that extracts is slow to begin


@dataclass(slots=True)
class _Batch:
    """Passages on their way, `copies` as `Duplicates` tells them; `vectors`, by key, None until they are encoded."""

    passages: list[StoredPassage]
    copies: dict[int, int]
    vectors: dict[int, tuple[Vectors, Vectors]] | None = None
    faults: Faults = field(default_factory=dict)

    @property
    def firsts(self) -> list[StoredPassage]:
        """Those that are no copies."""
        return [stored for stored in self.passages if stored.key not in self.copies]


_REGROUP_AT = 4 / 3  # of the entities at the last grouping
_FEWEST_ENTITIES = 60  # before communities are worth computing
_MOST_ENTITIES = 50_000  # more are not shown while they come, and Leiden takes minutes on ten times as many


class GraphGrowth:
    """Collects nodes and edges; `take` hands over what is new since the last time."""

    def __init__(self) -> None:
        self.passages = 0
        self._rows: dict[str, int] = {}
        self._edges: dict[tuple[int, int], float] = {}
        self._new_nodes: list[tuple[str, str, str]] = []
        self._new_edges: list[tuple[str, str]] = []
        self._settled = 0

    def add(self, nodes: list[tuple[str, str, str]], edges: list[tuple[str, str]]) -> None:
        for node in nodes:
            if node[0] not in self._rows:
                self._rows[node[0]] = len(self._rows)
                self._new_nodes.append(node)
        for left, right in edges:
            pair = (self._rows[left], self._rows[right])
            if pair not in self._edges:
                self._new_edges.append((left, right))
            self._edges[pair] = self._edges.get(pair, 0.0) + 1.0

    def grown_enough(self) -> bool:
        return self.is_displayable and len(self._rows) >= max(_FEWEST_ENTITIES, self._settled * _REGROUP_AT)

    @property
    def is_displayable(self) -> bool:
        """Whether it is small enough for communities while it grows."""
        return len(self._rows) <= _MOST_ENTITIES

    def arrays(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64]]:
        """Ids, edges (m, 2) and weights (m,) of all that was collected."""
        self._settled = len(self._rows)
        ends = np.array(list(self._edges), dtype=np.int64).reshape(-1, 2)
        return list(self._rows), ends, np.array(list(self._edges.values()))

    def take(self, communities: dict[str, int]) -> Growth:
        growth = Growth(
            nodes=tuple(self._new_nodes),
            edges=tuple(self._new_edges),
            documents=0,
            passages=self.passages,
            entities=len(self._rows),
            facts=len(self._edges),
            communities=communities,
        )
        self._new_nodes, self._new_edges = [], []
        return growth


class Pipeline:
    """Embeds and extracts what is pending; both at once where the executor is another process."""

    def __init__(
        self,
        store: Store,
        encoder: Encoder,
        executor: Executor,
        on_growth: Callable[[Growth], None] | None = None,
        proposer: str = "rules",
    ) -> None:
        """`proposer`: who extracts."""
        self._store = store
        self._encoder = encoder
        self._executor = executor
        self._on_growth = on_growth
        self._proposer = proposer
        self._graph = GraphGrowth()
        self._documents = 0
        self._judged = ("", DocumentRecords((), ""))
        self._new_names: list[tuple[int, str]] = []  # key and name, of the batch before

    def run(self, context: TaskContext) -> int:
        """Number of passages done. Raises Cancelled; what was committed stays."""
        total = self._store.passages.count_pending()
        if not total:
            return 0
        self._documents = self._store.census.status(digest=False).documents
        done = 0
        context.report("index", 0, total)
        rules = self._proposer == "rules"  # who asks a model keeps its replies by passage
        duplicates = Duplicates(self._store.passages.repeated_texts() if rules else ())
        batches = self._submitted(duplicates)
        ahead = list(itertools.islice(batches, self._executor.ahead))
        # One that encodes gives the vectors of the next batch alone, and works ahead by itself.
        reach = 1 if isinstance(self._executor, EncodingExecutor) else 1 + ENCODED_AHEAD
        while ahead:
            within = _within(context, done, total)
            for batch in ahead[:reach]:
                if batch.vectors is None:
                    batch.vectors, batch.faults = self._encoded(batch.firsts, within)
            batch = ahead.pop(0)
            self._finish(batch, duplicates, within)
            done += len(batch.passages)
            context.report("index", done, total, _reading(batch.passages[-1]), self._shares())
            ahead += itertools.islice(batches, 1)
        self._notify(self._graph.take(self._communities(force=True)), "")
        return done

    def _submitted(self, duplicates: Duplicates) -> Iterator[_Batch]:
        """Batches, each handed to extraction as it is asked for."""
        for passages in self._batches():
            batch = _Batch(passages, duplicates.copies(passages))
            if batch.firsts:
                self._submit(batch.firsts)
            yield batch

    def _batches(self) -> Iterator[list[StoredPassage]]:
        """Pending passages by key; a passage of which one stage is done goes through both again."""
        most = self._executor.batch
        after, size = 0, min(FIRST_BATCH, most)
        while batch := self._store.passages.unfinished(after, size):
            after, size = batch[-1].key, min(most, 2 * size)
            yield batch

    def _finish(self, work: _Batch, duplicates: Duplicates, context: TaskContext) -> None:
        """Wait for what was extracted from an encoded batch, then commit both in one transaction."""
        batch, vectors = work.passages, work.vectors or {}
        # Names of the batch before: they fill the time until those of this one are there.
        named = self._encoded_names(context)
        found = self._executor.next_result(context) if work.firsts else []
        duplicates.keep(work.firsts, found, work.faults)
        extractions, faults = duplicates.filled(batch, work.copies, found, work.faults)
        keys = [stored.key for stored in batch]
        entries = [
            _resolved(stored, extraction, self._records(stored.passage))
            for stored, extraction in zip(batch, extractions, strict=True)
        ]
        with self._store.database.transaction() as connection:
            names = [name for entry in entries for name in entry.names]
            rows = self._store.entities.ensure(connection, names)
            for entry in entries:
                self._store.passages.clear(connection, entry.key)
                self._store.entities.add_mentions(connection, entry.mentions, rows)
                self._store.facts.add(connection, entry.triples, rows, self._proposer)
            self._store.passages.put_words(
                connection, {stored.key: lower_words(stored.passage.text) for stored in batch}
            )
            self._store.noun_phrases.put(connection, {entry.key: entry.phrases for entry in entries})
            for kind, at in (("passage", 0), ("sentence", 1)):
                self._store.embeddings.put(connection, kind, [(k, v[at]) for k, v in vectors.items()])
                self._store.embeddings.copy(connection, kind, work.copies)
            self._store.embeddings.put(connection, "entity", named)
            self._mark(connection, "embed", keys, faults)
            self._mark(connection, "extract", keys, _faults(keys, extractions))
        self._new_names = self._without_vector(rows.values())
        nodes = {
            normal: row for normal, row in rows.items() if row.label not in UNLINKED
        }  # judged once all is read
        for entry in entries:
            self._graph.add(
                [
                    (row.id, row.name, row.label)
                    for normal, _, _ in entry.names
                    if (row := nodes.get(normal)) is not None
                ],
                [
                    (nodes[t.subject_normal].id, nodes[t.object_normal].id)
                    for t in entry.triples
                    if t.subject_normal in nodes and t.object_normal in nodes
                ],
            )
        self._graph.passages += len(batch)
        self._notify(self._graph.take(self._communities()), _reading(batch[-1]))

    def _shares(self) -> tuple[NodeShare, ...]:
        return self._executor.shares() if isinstance(self._executor, NodeExecutor) else ()

    def _records(self, passage: Passage) -> DocumentRecords:
        """The tables of the passage's document, which are judged once."""
        if self._judged[0] != passage.document_id:
            tables = [table for _, table in self._store.documents.tables([passage.document_id])]
            text = self._store.documents.text(passage.document_id) if tables else ""
            self._judged = (passage.document_id, DocumentRecords(tables, text))
        return self._judged[1]

    def _submit(self, batch: Sequence[StoredPassage]) -> None:
        plain = [plain_passage(extraction_input(stored)).passage for stored in batch]
        if isinstance(self._executor, EncodingExecutor):
            self._executor.submit_texts(plain, [passage_spans(stored.passage) for stored in batch])
        else:
            self._executor.submit(plain)

    def _encoded(
        self, batch: Sequence[StoredPassage], context: TaskContext
    ) -> tuple[dict[int, tuple[Vectors, Vectors]], Faults]:
        """Vectors of passage and sentences by key; what the encoder stumbles over is told by key instead."""
        if not batch:
            return {}, {}
        if isinstance(self._executor, EncodingExecutor):
            found = self._executor.next_vectors(context)
        else:
            found = encode_each(self._encoder, [passage_spans(stored.passage) for stored in batch], context)
        vectors: dict[int, tuple[Vectors, Vectors]] = {}
        faults: Faults = {}
        for stored, encoded in zip(batch, found, strict=True):
            if isinstance(encoded, EncodingFault):
                faults[stored.key] = (encoded.reason, encoded.raw)
            else:
                vectors[stored.key] = encoded
        return vectors, faults

    def _without_vector(self, rows: Iterable[EntityRow]) -> list[tuple[int, str]]:
        """Key and name of those that will want a vector, as far as their labels tell by now."""
        linked = {row.key: row.name for row in rows if row.label not in UNLINKED}
        known = self._store.embeddings.owners("entity", list(linked))
        return [(key, name) for key, name in linked.items() if key not in known]

    def _encoded_names(self, context: TaskContext) -> list[tuple[int, Vectors]]:
        """Vectors of the names that the batch before brought, by key.

        What is not encoded here (the names of the last batch, those that are called or labelled otherwise in the
        end, those that the encoder stumbles over) is so after the run.
        """
        if not self._new_names:
            return []
        try:
            vectors = self._encoder.embed([name for _, name in self._new_names], context)
        except ModelFault:
            return []
        return [(key, vector) for (key, _), vector in zip(self._new_names, vectors, strict=True)]

    def _mark(self, connection: sqlite3.Connection, stage: str, keys: Sequence[int], faults: Faults) -> None:
        done = [key for key in keys if key not in faults]
        self._store.passages.mark(connection, stage, done, State.DONE)
        for key, (reason, raw) in faults.items():
            self._store.passages.mark(connection, stage, [key], State.FAILED, reason, raw)

    def _communities(self, force: bool = False) -> dict[str, int]:
        """Recomputed when the live graph has grown by a third, so that the cost stays in step."""
        wanted = self._graph.is_displayable if force else self._graph.grown_enough()
        if self._on_growth is None or not wanted:
            return {}
        ids, ends, weights = self._graph.arrays()
        found = leiden(len(ids), ends, weights)
        return dict(zip(ids, found.tolist(), strict=True))

    def _notify(self, growth: Growth, reading: str) -> None:
        if self._on_growth is not None:
            self._on_growth(replace(growth, reading=reading, documents=self._documents))


def _within(context: TaskContext, done: int, total: int) -> TaskContext:
    """Progress within a batch told as progress of the run, of which `done` of `total` passages are through."""

    def report_total(progress: Progress) -> None:
        context.report("index", done + progress.done, total, progress.detail, progress.nodes)

    def stopped() -> bool:
        context.check()
        return False

    return TaskContext(report_total, stopped)


@dataclass(frozen=True, slots=True)
class _Entry:
    """What one passage brings: names as (normal, name, label), mentions and triples under them."""

    key: int
    names: list[tuple[str, str, str]]
    mentions: list[NewMention]
    triples: list[NewTriple]
    phrases: Sequence[ExtractedMention]


def _faults(keys: Sequence[int], extractions: Sequence[Extraction]) -> Faults:
    return {
        key: (extraction.failure, extraction.raw)
        for key, extraction in zip(keys, extractions, strict=True)
        if extraction.failure
    }


def _resolved(stored: StoredPassage, extraction: Extraction, tables: DocumentRecords) -> _Entry:
    """Resolve by normalised name; ends of triples that are no mention become mentions of their own."""
    read = plain_passage(extraction_input(stored))
    extraction = put_back(with_speakers(read.passage, extraction), read)
    extraction = with_records(stored.passage, extraction, tables)
    names: dict[str, tuple[str, str, str]] = {}
    mentions: list[NewMention] = []

    def take(mention: ExtractedMention) -> str:
        normal = normalise(mention.text)
        if not normal or len(normal) > LONGEST_NAME:
            return ""
        names.setdefault(normal, (normal, mention.text, mention.label))
        mentions.append(
            NewMention(stored.key, normal, mention.text, mention.label, mention.start, mention.end)
        )
        return normal

    for mention in extraction.mentions:
        take(mention)
    triples: list[NewTriple] = []
    for triple in extraction.triples:
        ends = []
        for text in (triple.subject, triple.object):
            normal = normalise(text)
            ends.append(normal if normal in names else take(_found(text, stored.passage.text, triple.start)))
        subject, object_ = ends
        if subject and object_ and subject != object_:
            triples.append(NewTriple(stored.key, subject, object_, triple))
    return _Entry(stored.key, list(names.values()), mentions, triples, extraction.phrases)


def _found(text: str, passage: str, near: int) -> ExtractedMention:
    """The end of a triple as a mention where it stands near its evidence, else without a place."""
    at = passage.find(text, near)
    if at < 0:
        at = passage.find(text)
    if at < 0:
        return ExtractedMention(text, "NOUN", 0, 0)
    return ExtractedMention(text, "NOUN", at, at + len(text))


def _reading(stored: StoredPassage) -> str:
    begin = " ".join(stored.passage.text[:90].split())
    return f"{stored.passage.title}: {begin}"
