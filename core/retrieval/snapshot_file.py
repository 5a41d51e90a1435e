"""The snapshot that questions are asked over, saved next to the database as one file of arrays.

It is derived: it says of which state of the workspace it is, and is deleted without harm. From one of an older state
whoever asks takes the vectors that did not change (`core/retrieval/load_snapshot.py`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.graph.build import KnowledgeGraph
from core.index.array_file import ArrayFile, Arrays, open_arrays, read_head, write_arrays
from core.index.texts import Coded, Ids, NameTable, Texts
from core.index.vector import IndexFolder
from core.index.vector_table import Codes, Exact, Quantised, VectorTable
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.retrieval.gate import Summaries, summaries
from core.store.changes import Point

FILE = "snapshot.arrays"
_BEFORE = "passages.hnsw*"  # where earlier versions kept the passages' vectors
LAYOUT = 7  # another number for whatever changes in what the arrays mean
_TABLES = ("passages", "sentences", "summaries")
_OF_VECTORS = ("vectors", "centroids", "turned", "heads", "tails", "scales", "fine", "sample")
# Arrays of which a wrong byte could do no more than rank wrongly.
LARGE = tuple(f"{table}_{part}" for table in _TABLES for part in _OF_VECTORS)
# Of these a question reads some rows here and there.
_BY_ROWS = tuple(f"{table}_{part}" for table in _TABLES for part in ("tails", "fine"))
# Of the facts, in the order of the fields of `FactGraph`.
_FACT_ARRAYS = (
    "starts",
    "others",
    "keys",
    "told",
    "strengths",
    "importance",
    "shown_importance",
    "reach",
    "shown_reach",
)
# Of the corpus, as they are.
_COLUMNS = ("sentence_passages", "sentence_starts", "entity_passages", "named_starts", "named_entities")


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a snapshot is made: of which encoder's vectors, with synonyms or without, exact up to how many vectors."""

    model: str
    synonymy: bool
    exact_up_to: int


@dataclass(frozen=True, slots=True)
class State:
    """What tells one state of a workspace from another."""

    revision: int
    counts: Mapping[str, int]  # of `Census.state`
    point: Point | None  # where changes are noted


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a workspace in arrays; `documents` (n_passages,) are the keys of the passages' documents.

    `recipe` and `state` are of one that was read as a whole or brought up to date, not of a part or of a changed copy.
    """

    corpus: Corpus
    facts: FactGraph
    documents: NDArray[np.int64]
    summaries: Summaries
    recipe: Recipe | None = None
    state: State | None = None


def snapshot_of(
    corpus: Corpus,
    facts: FactGraph,
    documents: NDArray[np.int64],
    exact_up_to: int,
    doc_summaries: Summaries | None = None,
) -> Snapshot:
    """With the summaries of its documents, made where they are not given."""
    if doc_summaries is None:
        doc_summaries = summaries(corpus.sentence_vectors, corpus.sentence_passages, documents, exact_up_to)
    return Snapshot(corpus, facts, documents, doc_summaries)


def save_snapshot(snapshot: Snapshot, folder: IndexFolder) -> bool:
    """Write it, made as a whole, for the next process that asks; False where the folder is closed or full, which leaves
    the one before."""
    if folder.read_only or snapshot.recipe is None or snapshot.state is None:
        return False
    meta, arrays = _taken_apart(snapshot)
    try:
        write_arrays(
            folder.path / FILE, _stamp(snapshot.recipe), {**meta, **_state_fields(snapshot.state)}, arrays
        )
    except OSError:
        return False
    with contextlib.suppress(OSError):
        for left in folder.path.glob(_BEFORE):
            left.unlink(missing_ok=True)
    return True


def read_snapshot_file(recipe: Recipe, folder: IndexFolder) -> Snapshot | None:
    """The one that was kept, of whatever state; None where there is none that was made so."""
    file = open_arrays(folder.path / FILE, _stamp(recipe), LARGE, _BY_ROWS)
    return None if file is None else replace(_put_together(file), recipe=recipe, state=_state(file.metadata))


def saved_state(recipe: Recipe, folder: IndexFolder) -> State | None:
    """Of which state the kept one is, without a look at its arrays."""
    if (head := read_head(folder.path / FILE)) is None or head[0] != _stamp(recipe):
        return None
    return _state(head[1])


def _stamp(recipe: Recipe) -> dict[str, Any]:
    return {**asdict(recipe), "layout": LAYOUT}


def _state_fields(state: State) -> dict[str, Any]:
    return {"state": asdict(state)}


def _state(metadata: Mapping[str, Any]) -> State:
    found = metadata["state"]
    point = found["point"]
    return State(found["revision"], dict(found["counts"]), Point(**point) if point else None)


def forget_snapshot(folder: Path) -> None:
    """Delete the file, which holds names and vectors of what may be gone. Raises OSError."""
    (folder / FILE).unlink(missing_ok=True)


def _taken_apart(snapshot: Snapshot) -> tuple[dict[str, Any], Arrays]:
    corpus, graph = snapshot.corpus, snapshot.corpus.graph
    arrays: Arrays = {name: getattr(corpus, name) for name in _COLUMNS}
    arrays |= _ids("passage_ids", corpus.passage_ids) | _ids("entity_ids", corpus.entity_ids)
    arrays |= _texts("entity_names", _as_texts(corpus.entity_names))
    labels, table = corpus.entity_labels, corpus.entity_rows
    labels = labels if isinstance(labels, Coded) else Coded.of(labels)
    table = table if isinstance(table, NameTable) else NameTable.of(table)
    arrays |= {"label_codes": labels.codes, "table_hashes": table.hashes, "table_starts": table.starts}
    arrays |= {"table_rows": table.rows, **_texts("table_names", table.names)}
    arrays |= {"entity_keys": graph.entity_keys, "passage_keys": graph.passage_keys}
    adjacency = graph.adjacency
    arrays |= {"indptr": adjacency.indptr, "indices": adjacency.indices, "weights": adjacency.data}
    arrays |= {"degrees": graph.degrees}
    arrays |= {
        f"facts_{name}": getattr(snapshot.facts, each.name)
        for name, each in zip(_FACT_ARRAYS, fields(FactGraph), strict=True)
    }
    arrays |= {"documents": snapshot.documents, "summaries_owners": snapshot.summaries.owners}
    arrays |= _table("passages", corpus.passage_vectors) | _table("sentences", corpus.sentence_vectors)
    arrays |= _table("summaries", snapshot.summaries.vectors)
    return {"labels": labels.words, "counts": graph.counts}, arrays


def _put_together(file: ArrayFile) -> Snapshot:
    from scipy import sparse  # slow to import, and needed for asking only

    arrays, meta = file.arrays, file.metadata
    entity_keys, passage_keys = arrays["entity_keys"], arrays["passage_keys"]
    n = len(entity_keys) + len(passage_keys)
    adjacency = sparse.csr_matrix(
        (arrays["weights"], arrays["indices"], arrays["indptr"]), shape=(n, n), copy=False
    )
    graph = KnowledgeGraph(entity_keys, passage_keys, adjacency, arrays["degrees"], dict(meta["counts"]))
    table = NameTable(
        arrays["table_hashes"],
        _read_texts(arrays, "table_names"),
        arrays["table_starts"],
        arrays["table_rows"],
    )
    corpus = Corpus(
        passage_ids=_read_ids(arrays, "passage_ids"),
        passage_vectors=_read_table(file, "passages"),
        sentence_vectors=_read_table(file, "sentences"),
        entity_ids=_read_ids(arrays, "entity_ids"),
        entity_names=_read_texts(arrays, "entity_names"),
        entity_labels=Coded(arrays["label_codes"], meta["labels"]),
        entity_rows=table,
        graph=graph,
        **{name: arrays[name] for name in _COLUMNS},
    )
    facts = FactGraph(*(arrays[f"facts_{name}"] for name in _FACT_ARRAYS))
    doc_summaries = Summaries(_read_table(file, "summaries"), arrays["summaries_owners"])
    return Snapshot(corpus, facts, arrays["documents"], doc_summaries)


def _table(name: str, table: VectorTable) -> Arrays:
    """Raises ValueError for one that was changed since it was made: the whole is written, or nothing."""
    if isinstance(table, Exact):
        return {f"{name}_vectors": table.vectors}
    if not isinstance(table, Quantised) or len(table.added):
        raise ValueError("Only a table that was made as a whole is kept.")
    arrays = {each.name: getattr(table.codes, each.name) for each in fields(Codes)}
    arrays |= {"places": table.places, "rows": table.rows}
    return {f"{name}_{part}": array for part, array in arrays.items()}


def _read_table(file: ArrayFile, name: str) -> VectorTable:
    arrays = file.arrays
    if f"{name}_vectors" in arrays:
        return Exact(arrays[f"{name}_vectors"])
    all_arrays: Mapping[str, Any] = {**arrays, **file.rows}
    codes = Codes(*(all_arrays[f"{name}_{each.name}"] for each in fields(Codes)))
    none = np.zeros((0, codes.centroids.shape[1]), np.float32)
    return Quantised(codes, arrays[f"{name}_places"], arrays[f"{name}_rows"], none)


def _as_texts(texts: Sequence[str]) -> Texts:
    return texts if isinstance(texts, Texts) else Texts.of(texts)


def _texts(name: str, texts: Texts) -> Arrays:
    return {f"{name}_starts": texts.starts, f"{name}_blob": texts.blob}


def _read_texts(arrays: Arrays, name: str) -> Texts:
    return Texts(arrays[f"{name}_starts"], arrays[f"{name}_blob"])


def _ids(name: str, ids: Ids) -> Arrays:
    return {**_texts(name, ids), f"{name}_hashes": ids.hashes, f"{name}_places": ids.places}


def _read_ids(arrays: Arrays, name: str) -> Ids:
    return Ids(*(arrays[f"{name}_{part}"] for part in ("starts", "blob", "hashes", "places")))
