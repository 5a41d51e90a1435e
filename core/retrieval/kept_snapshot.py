"""The snapshot that questions are asked over, kept beside the database as one file of arrays.

It is derived: stamped with what it was made of, deleted without harm, and made again where it is not of this state of
the workspace.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.index.array_file import ArrayFile, Arrays, open_arrays, write_arrays
from core.index.texts import Coded, NameTable, Texts
from core.index.vector import IndexFolder
from core.index.vector_table import Codes, Exact, Quantised, VectorTable
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.retrieval.gate import Summaries, summaries

FILE = "snapshot.arrays"
_BEFORE = "passages.hnsw*"  # where earlier versions kept the passages' vectors
LAYOUT = 3  # another number for whatever changes in what the arrays mean
_TABLES = ("passages", "sentences", "summaries")
_OF_VECTORS = ("vectors", "centroids", "turned", "heads", "tails", "scales", "fine", "sample")
# Arrays of which a wrong byte could do no more than rank wrongly.
LARGE = tuple(f"{table}_{part}" for table in _TABLES for part in _OF_VECTORS)
# Of the corpus, as they are.
_COLUMNS = ("sentence_passages", "sentence_starts", "entity_passages", "named_starts", "named_entities")

# Of a snapshot, records of nothing but arrays.
_PARTS: dict[str, type[Any]] = {"facts": FactGraph}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a workspace in arrays; `documents` (n_passages,) are the keys of the passages' documents."""

    corpus: Corpus
    facts: FactGraph
    documents: NDArray[np.int64]
    summaries: Summaries


def snapshot_of(corpus: Corpus, facts: FactGraph, documents: NDArray[np.int64], exact_up_to: int) -> Snapshot:
    """With the summaries of its documents."""
    told = summaries(corpus.sentence_vectors, corpus.sentence_passages, documents, exact_up_to)
    return Snapshot(corpus, facts, documents, told)


def keep_snapshot(snapshot: Snapshot, stamp: Mapping[str, Any], folder: IndexFolder) -> None:
    """Write it for the next process that asks. Where the folder is closed or full there is none."""
    if folder.read_only:
        return
    said, arrays = _taken_apart(snapshot)
    with contextlib.suppress(OSError):
        write_arrays(folder.path / FILE, {**stamp, "layout": LAYOUT}, said, arrays)
        for left in folder.path.glob(_BEFORE):
            left.unlink(missing_ok=True)


def kept_snapshot(stamp: Mapping[str, Any], folder: IndexFolder) -> Snapshot | None:
    """The one that was kept of this very state; None where there is none."""
    file = open_arrays(folder.path / FILE, {**stamp, "layout": LAYOUT}, LARGE)
    return None if file is None else _put_together(file)


def forget_snapshot(folder: Path) -> None:
    """Delete the file, which holds names and vectors of what may be gone. Raises OSError."""
    (folder / FILE).unlink(missing_ok=True)


def _taken_apart(snapshot: Snapshot) -> tuple[dict[str, Any], Arrays]:
    corpus, graph = snapshot.corpus, snapshot.corpus.graph
    arrays: Arrays = {name: getattr(corpus, name) for name in _COLUMNS}
    arrays |= _texts("passage_ids", Texts.of(corpus.passage_ids))
    arrays |= _texts("entity_ids", Texts.of(corpus.entity_ids))
    arrays |= _texts("entity_names", Texts.of(corpus.entity_names))
    labels, table = Coded.of(corpus.entity_labels), NameTable.of(corpus.entity_rows)
    arrays |= {"label_codes": labels.codes, "table_hashes": table.hashes, "table_starts": table.starts}
    arrays |= {"table_rows": table.rows, **_texts("table_names", table.names)}
    arrays |= {"entity_keys": graph.entity_keys, "passage_keys": graph.passage_keys}
    adjacency = graph.adjacency
    arrays |= {"indptr": adjacency.indptr, "indices": adjacency.indices, "weights": adjacency.data}
    arrays |= {"degrees": graph.degrees}
    for part, made in _PARTS.items():
        arrays |= {
            f"{part}_{each.name}": getattr(getattr(snapshot, part), each.name) for each in fields(made)
        }
    arrays |= {"documents": snapshot.documents, "summaries_owners": snapshot.summaries.owners}
    arrays |= _table("passages", corpus.passage_vectors) | _table("sentences", corpus.sentence_vectors)
    arrays |= _table("summaries", snapshot.summaries.vectors)
    return {"labels": labels.words, "counts": graph.counts}, arrays


def _put_together(file: ArrayFile) -> Snapshot:
    from scipy import sparse  # slow to import, and needed for asking only

    held, said = file.arrays, file.said
    entity_keys, passage_keys = held["entity_keys"], held["passage_keys"]
    n = len(entity_keys) + len(passage_keys)
    adjacency = sparse.csr_matrix(
        (held["weights"], held["indices"], held["indptr"]), shape=(n, n), copy=False
    )
    graph = KnowledgeGraph(entity_keys, passage_keys, adjacency, held["degrees"], dict(said["counts"]))
    table = NameTable(
        held["table_hashes"], _read_texts(held, "table_names"), held["table_starts"], held["table_rows"]
    )
    corpus = Corpus(
        passage_ids=_read_texts(held, "passage_ids"),
        passage_vectors=_read_table(held, "passages"),
        sentence_vectors=_read_table(held, "sentences"),
        entity_ids=_read_texts(held, "entity_ids"),
        entity_names=_read_texts(held, "entity_names"),
        entity_labels=Coded(held["label_codes"], said["labels"]),
        entity_rows=table,
        graph=graph,
        **{name: held[name] for name in _COLUMNS},
    )
    parts: dict[str, Any] = {
        part: made(*(held[f"{part}_{each.name}"] for each in fields(made))) for part, made in _PARTS.items()
    }
    told = Summaries(_read_table(held, "summaries"), held["summaries_owners"])
    return Snapshot(corpus, documents=held["documents"], summaries=told, **parts)


def _table(name: str, table: VectorTable) -> Arrays:
    """Raises ValueError for one that was changed since it was made: the whole is written, or nothing."""
    if isinstance(table, Exact):
        return {f"{name}_vectors": table.vectors}
    if not isinstance(table, Quantised) or len(table.added):
        raise ValueError("Only a table that was made as a whole is kept.")
    arrays = {each.name: getattr(table.codes, each.name) for each in fields(Codes)}
    arrays |= {"places": table.places, "rows": table.rows}
    return {f"{name}_{part}": array for part, array in arrays.items()}


def _read_table(arrays: Arrays, name: str) -> VectorTable:
    if f"{name}_vectors" in arrays:
        return Exact(arrays[f"{name}_vectors"])
    codes = Codes(*(arrays[f"{name}_{each.name}"] for each in fields(Codes)))
    none = np.zeros((0, codes.centroids.shape[1]), np.float32)
    return Quantised(codes, arrays[f"{name}_places"], arrays[f"{name}_rows"], none)


def _texts(name: str, texts: Texts) -> Arrays:
    return {f"{name}_starts": texts.starts, f"{name}_blob": texts.blob}


def _read_texts(arrays: Arrays, name: str) -> Texts:
    return Texts(arrays[f"{name}_starts"], arrays[f"{name}_blob"])
