"""A snapshot brought from the state that it is of to the present one, in arrays: what did not change is copied in long
pieces, and only what did is read and joined.

What comes is what would be made whole: rows ascending by key, nothing of what is gone. So a kept file need not be
written again after every change: the log of the changes, in the database, is what is to be added to it
(`core/store/changes.py`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.index.splicing import Keyed, Splice, found_in, offsets
from core.index.vector_table import Quantised, VectorTable
from core.retrieval.changed_rows import Anew
from core.retrieval.corpus import Corpus, sentence_entities
from core.retrieval.fact_graph import named
from core.retrieval.gate import Summaries, summary
from core.retrieval.kept_snapshot import Snapshot
from core.retrieval.patched_graph import (
    Occurring,
    OutOfStep,
    changed_facts,
    patched_graph,
    renewed_links,
)
from core.retrieval.patched_names import patched_names

Rows = NDArray[np.int64]
MOST = 0.1  # of a table's rows: where more are others than when it was made, all is made anew


def patched(old: Snapshot, anew: Anew, exact_up_to: int) -> Snapshot | None:
    """The snapshot of now, `anew` being all that changed since `old` was made.

    None where so much changed that it is to be made whole, or where its tables of vectors would be of another kind:
    beyond `exact_up_to` vectors they are quantised.
    """
    if not len(old.corpus.sentence_vectors) or not len(old.summaries.vectors):
        return None
    try:
        result = _patched(old, anew)
    except OutOfStep:
        return None
    tables = (result.corpus.passage_vectors, result.corpus.sentence_vectors, result.summaries.vectors)
    return result if all(_still_good(table, exact_up_to) for table in tables) else None


def _still_good(table: VectorTable, exact_up_to: int) -> bool:
    if isinstance(table, Quantised):
        return len(table) > exact_up_to and table.share_changed <= MOST
    return 0 < len(table) <= exact_up_to


def _patched(old: Snapshot, anew: Anew) -> Snapshot:
    corpus, graph = old.corpus, old.corpus.graph
    entity_keys = np.array([row.key for row in anew.entities.rows], dtype=np.int64)
    entities = Keyed.of(graph.entity_keys, anew.entities.keys, entity_keys)
    passages = Keyed.of(graph.passage_keys, anew.encoded.keys, anew.encoded.rows.passages)
    occurring = _occurring(graph.passage_keys, entities, passages, anew)
    labels = Splice.of(entities.sources).coded(
        corpus.entity_labels, [row.label for row in anew.entities.rows]
    )
    facts = old.facts.renewed(entities, anew.facts.keys, anew.facts.rows, named(labels))
    if facts.others.min(initial=0) < 0:
        raise OutOfStep
    linked, changed = renewed_links(
        old.linked, entities, graph.entity_keys, anew.synonyms.keys, anew.synonyms.rows
    )
    fact_pairs = changed_facts(old.facts, anew.facts.keys, facts, anew.facts.keys)
    now = patched_graph(graph, entities, passages, occurring, (fact_pairs, changed), facts, linked)
    counts = _counts(corpus, entities, occurring)
    names = patched_names(
        corpus.entity_rows, graph.entity_keys, entities, anew, corpus.entity_passages, counts
    )
    copied, rows = Splice.of(entities.sources), anew.entities.rows
    new_corpus = replace(
        _with_sentences(corpus, entities, passages, anew),
        entity_ids=copied.ids(corpus.entity_ids, [row.id for row in rows]),
        entity_names=copied.texts(corpus.entity_names, [row.name for row in rows]),
        entity_labels=labels,
        entity_rows=names,
        entity_passages=counts,
        graph=now,
    )
    owners = {key: document for key, _, document in anew.passages.rows}
    of = np.array([owners[key] for key in anew.encoded.rows.passages.tolist()], dtype=np.int64)
    documents = Splice.of(passages.sources).rows(old.documents, of)
    gone = old.documents[found_in(graph.passage_keys, anew.encoded.keys)[0]]
    doc_summaries = _summaries(old.summaries, new_corpus, documents, np.union1d(gone, of))
    return Snapshot(new_corpus, facts, documents, doc_summaries, linked)


def _occurring(old_keys: Rows, entities: Keyed, passages: Keyed, anew: Anew) -> Occurring:
    before, _ = found_in(old_keys, anew.mentions.keys)
    now, _ = found_in(passages.keys, anew.mentions.keys)
    pairs = anew.mentions.rows.occurrences
    pairs = pairs[np.isin(pairs[:, 1], passages.keys)]  # of those that have a vector
    found = np.stack([rows_of(entities.keys, pairs[:, 0]), rows_of(passages.keys, pairs[:, 1])], axis=1)
    return Occurring(before, now, found)


def _counts(corpus: Corpus, entities: Keyed, occurring: Occurring) -> Rows:
    """Passages that mention each entity, (n_entities,)."""
    graph, n = corpus.graph, len(entities.keys)
    found = np.zeros(n, np.int64)
    there = entities.moved >= 0
    found[entities.moved[there]] = corpus.entity_passages[there]
    starts = graph.adjacency.indptr
    old_mentions = [
        graph.adjacency.indices[starts[at] : starts[at + 1]] for at in (graph.n_entities + occurring.before)
    ]
    lost = entities.moved[np.concatenate([*old_mentions, np.zeros(0, np.int32)]).astype(np.int64)]
    found -= np.bincount(lost[lost >= 0], minlength=n)
    return found + np.bincount(occurring.pairs[:, 0], minlength=n)


def _with_sentences(corpus: Corpus, entities: Keyed, passages: Keyed, anew: Anew) -> Corpus:
    """With the passages and sentences as they are now, and whom each of these names."""
    encoded, by_passage = anew.encoded.rows, Splice.of(passages.sources)
    own = offsets(rows_of(encoded.passages, encoded.sentences), len(encoded.passages))
    starts, by_sentence = by_passage.runs(corpus.sentence_starts, own)
    sources = by_sentence.sources()
    owners = np.repeat(np.arange(len(passages.keys)), np.diff(starts))
    mentioning, named_starts, named_rows = _named(starts, entities, passages, anew)
    naming = sources.copy()
    naming[mentioning] = -1
    named, entries = Splice.of(naming).runs(corpus.named_starts, named_starts)
    rows = entries.rows(entities.moved[corpus.named_entities], named_rows)
    if len(rows) and rows.min() < 0:
        raise OutOfStep
    ids = {key: id for key, id, _ in anew.passages.rows}
    return replace(
        corpus,
        passage_ids=by_passage.ids(corpus.passage_ids, [ids[key] for key in encoded.passages.tolist()]),
        passage_vectors=corpus.passage_vectors.changed(passages.sources, encoded.vectors),
        sentence_vectors=corpus.sentence_vectors.changed(sources, encoded.sentence_vectors),
        sentence_passages=owners,
        sentence_starts=starts,
        named_starts=named,
        named_entities=rows,
    )


def _named(starts: Rows, entities: Keyed, passages: Keyed, anew: Anew) -> tuple[Rows, Rows, Rows]:
    """Sentences of the passages that mention others, and CSR lists of the entities that each of them names."""
    mentions = anew.mentions.rows
    rows, _ = found_in(passages.keys, anew.mentions.keys)
    keys = passages.keys[rows]
    places = mentions.places[np.isin(mentions.places[:, 0], keys)]
    sentences = mentions.sentences[np.isin(mentions.sentences[:, 0], keys)]
    counts = np.diff(starts)[rows]
    own = np.searchsorted(keys, sentences[:, 0])
    if not np.array_equal(np.bincount(own, minlength=len(keys)), counts):
        raise OutOfStep
    local = np.stack(
        [np.searchsorted(keys, places[:, 0]), rows_of(entities.keys, places[:, 1]), places[:, 2]], axis=1
    )
    found = sentence_entities(local, np.stack([own, sentences[:, 1]], axis=1), own)
    first = np.repeat(starts[rows] - (np.cumsum(counts) - counts), counts)
    return first + np.arange(len(own)), *found


def _summaries(old: Summaries, corpus: Corpus, documents: Rows, touched: Rows) -> Summaries:
    """Those of the documents `touched` made anew."""
    unchanged = np.flatnonzero(~np.isin(old.owners, touched))
    blocks, owners = [np.zeros((0, old.vectors[np.zeros(1, np.int64)].shape[1]), np.float32)], []
    inside = np.flatnonzero(np.isin(documents, touched))
    for document in np.unique(documents[inside]).tolist():
        own = inside[documents[inside] == document]
        runs = [np.arange(corpus.sentence_starts[at], corpus.sentence_starts[at + 1]) for at in own]
        sentences = np.concatenate(runs)
        if len(sentences):
            blocks.append(summary(corpus.sentence_vectors[sentences]))
            owners += [document] * len(blocks[-1])
    at = np.searchsorted(old.owners[unchanged], np.array(owners, np.int64))
    sources = np.insert(unchanged, at, -1)
    table = old.vectors.changed(sources, np.concatenate(blocks))
    return Summaries(table, np.insert(old.owners[unchanged], at, np.array(owners, np.int64)))


def rows_of(keys: Rows, wanted: Rows) -> Rows:
    """Rows of these keys, (n,), in any order. Raises OutOfStep where one is missing."""
    at = np.searchsorted(keys, wanted)
    if len(wanted) and (not len(keys) or (keys[np.minimum(at, len(keys) - 1)] != wanted).any()):
        raise OutOfStep
    return at
