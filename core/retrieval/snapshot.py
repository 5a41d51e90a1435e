"""Reads a workspace into the arrays that retrieval works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.index.quantising import vector_table
from core.index.runs import found_in
from core.index.texts import Coded, Ids, NameTable, Texts
from core.index.vector_table import VectorTable
from core.retrieval.corpus import Corpus, sentence_entities
from core.retrieval.fact_graph import fact_graph
from core.retrieval.gate import Summaries
from core.retrieval.snapshot_file import Recipe, Snapshot, snapshot_of
from core.store.entities import EntityFields, EntityRow, counted
from core.store.facts import FactColumns
from core.store.store import Store
from core.types.kinds import without_sense

Tables = tuple[VectorTable, VectorTable]  # of passages and of sentences


@dataclass(frozen=True, slots=True)
class EntityColumns:
    """Entities by ascending key, a column each of what `EntityRow` tells."""

    keys: NDArray[np.int64]  # (n,)
    ids: Texts
    normals: Texts
    names: Texts
    labels: Coded

    @classmethod
    def of(cls, parts: Iterable[Sequence[EntityFields]]) -> EntityColumns:
        keys, codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        texts: tuple[list[Texts], ...] = ([], [], [])
        words: dict[str, int] = {}
        for part in parts:
            own, *columns, labels = zip(*part, strict=True)
            keys.append(np.array(own, np.int64))
            for chunks, column in zip(texts, columns, strict=True):
                chunks.append(Texts.of(column))
            codes.append(
                np.fromiter((words.setdefault(label, len(words)) for label in labels), np.int32, len(part))
            )
        coded = Coded(np.concatenate(codes), tuple(words))
        ids, normals, names = map(Texts.joined, texts)
        return cls(np.concatenate(keys), ids, normals, names, coded)

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[EntityRow]:
        return map(EntityRow, self.keys.tolist(), self.ids, self.normals, self.names, self.labels)

    def take(self, rows: NDArray[np.int64]) -> EntityColumns:
        """These rows, ascending, alone."""
        ids, normals, names = (column.take(rows) for column in (self.ids, self.normals, self.names))
        labels = Coded(self.labels.codes[rows], self.labels.words)
        return EntityColumns(self.keys[rows], ids, normals, names, labels)


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction gave, as the store holds it. Keys refer to rows of the store."""

    entities: EntityColumns
    aliases: tuple[tuple[str, int], ...]  # (normal form, key of the entity)
    occurrences: NDArray[np.int64]  # (n, 3): entity key, passage key, count
    places: NDArray[np.int64]  # (n, 3): passage key, entity key, start
    facts: FactColumns
    synonyms: Edges  # between entity keys


def read_extracted(store: Store, synonymy: bool = True) -> Extracted:
    """All of it; without the synonyms where they are not wanted."""
    none = Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    places = store.entities.places()
    return Extracted(
        entities=EntityColumns.of(store.entities.parts()),
        aliases=tuple(store.entities.aliases()),
        occurrences=counted(places),
        places=places,
        facts=store.facts.columns(),
        synonyms=Edges(*store.synonyms.edges()) if synonymy else none,
    )


def read_corpus(
    store: Store,
    extracted: Extracted,
    exact_up_to: int,
    tables: Tables | None = None,
    scratch: Path | None = None,
) -> tuple[Corpus, NDArray[np.int64]]:
    """The corpus as it stands, over what was extracted, without passages that have no vector yet or may not be found;
    and the keys of the passages' documents, (n_passages,).

    `tables` of the vectors of just these passages and sentences, where they are at hand. `scratch`: a folder in which
    large ones may lie while they are made.
    """
    found = store.candidates.passages()
    keys, sentence_keys = store.embeddings.owner_keys("passage"), store.embeddings.owner_keys("sentence")
    if found is not None:
        keys, sentence_keys = keys[np.isin(keys, found)], sentence_keys[np.isin(sentence_keys, found)]
    if tables is None:
        dimension = store.embeddings.dimension
        read = partial(store.embeddings.blocks, only=found)
        tables = (
            vector_table(len(keys), dimension, partial(read, "passage"), True, exact_up_to, scratch),
            vector_table(
                len(sentence_keys), dimension, partial(read, "sentence"), False, exact_up_to, scratch
            ),
        )
    entities = extracted.entities
    occurrences = _known(extracted.occurrences, keys)
    graph = _graph(extracted, keys, occurrences)
    sentence_passages = np.searchsorted(keys, sentence_keys)
    mentions = _rows(extracted.places, graph)
    sentences = _rows(store.passages.sentence_starts(), graph, entities=False)
    starts, named = sentence_entities(mentions, sentences, sentence_passages)
    counts = np.bincount(
        np.searchsorted(graph.entity_keys, occurrences[:, 0]), minlength=len(entities)
    ).astype(np.int64)
    ids, documents = _passages(store, keys)
    corpus = Corpus(
        passage_ids=ids,
        passage_vectors=tables[0],
        sentence_vectors=tables[1],
        sentence_passages=sentence_passages,
        sentence_starts=np.searchsorted(sentence_passages, np.arange(len(keys) + 1)).astype(np.int64),
        entity_ids=Ids(entities.ids.starts, entities.ids.blob),
        entity_names=entities.names,
        entity_labels=entities.labels,
        entity_rows=_named(extracted, counts),
        entity_passages=counts,
        named_starts=starts,
        named_entities=named,
        graph=graph,
    )
    return corpus, documents


def read_snapshot(
    store: Store,
    recipe: Recipe,
    extracted: Extracted,
    tables: Tables | None = None,
    scratch: Path | None = None,
    summarise: Callable[[Corpus, NDArray[np.int64]], Summaries] | None = None,
) -> Snapshot:
    """All of it, read as a whole. `extracted` is what was read of the store, or a changed copy of that; `tables` and
    `scratch` as in `read_corpus`; `summarise` gives the summaries of the documents where most are at hand."""
    corpus, documents = read_corpus(store, extracted, recipe.exact_up_to, tables, scratch)
    facts = fact_graph(corpus.graph, extracted.facts, corpus.entity_labels)
    found = summarise(corpus, documents) if summarise else None
    return snapshot_of(corpus, facts, documents, recipe.exact_up_to, found)


def _passages(store: Store, keys: NDArray[np.int64]) -> tuple[Ids, NDArray[np.int64]]:
    """Ids, and the keys of the documents, of the passages of these keys, (n,) ascending."""
    every, ids, documents = [np.zeros(0, np.int64)], list[Texts](), [np.zeros(0, np.int64)]
    for part in store.passages.parts():
        own, names, of = zip(*part, strict=True)
        every.append(np.array(own, np.int64))
        ids.append(Texts.of(names))
        documents.append(np.array(of, np.int64))
    rows = np.searchsorted(np.concatenate(every), keys)
    id_texts = Texts.joined(ids).take(rows)
    return Ids(id_texts.starts, id_texts.blob), np.concatenate(documents)[rows]


def _named(extracted: Extracted, counts: NDArray[np.int64]) -> NameTable:
    """Rows by every normal form that an entity goes by, in whatever sense, the most mentioned first."""
    entities = extracted.entities
    heads = np.fromiter((head for _, head in extracted.aliases), np.int64, len(extracted.aliases))
    at, there = found_in(entities.keys, heads)
    aliases = (extracted.aliases[place][0] for place in there.tolist())
    names = Texts.of(without_sense(normal) for normal in chain(aliases, entities.normals))
    ranks = np.empty(len(entities), np.int64)
    ranks[np.argsort(-counts, kind="stable")] = np.arange(len(entities))
    rows = np.concatenate([at, np.arange(len(entities))])
    return NameTable.of_pairs(names, rows, ranks[rows])


def _graph(
    extracted: Extracted, passages: NDArray[np.int64], occurrences: NDArray[np.int64]
) -> KnowledgeGraph:
    columns = extracted.facts
    facts = Edges(np.stack([columns.subjects, columns.objects], axis=1), columns.strengths)
    mentions = Edges(occurrences[:, :2], np.ones(len(occurrences)))
    return build_graph(extracted.entities.keys, passages, facts, mentions, extracted.synonyms)


def _known(rows: NDArray[np.int64], passages: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows (entity, passage, ...) whose passage has a vector."""
    return rows[np.isin(rows[:, 1], passages)]


def _rows(table: NDArray[np.int64], graph: KnowledgeGraph, entities: bool = True) -> NDArray[np.int64]:
    """Keys to row numbers: first column passages, second entities when `entities`."""
    table = table[np.isin(table[:, 0], graph.passage_keys)]
    table[:, 0] = np.searchsorted(graph.passage_keys, table[:, 0])
    if entities:
        table[:, 1] = np.searchsorted(graph.entity_keys, table[:, 1])
    return table
