"""The parts of a snapshot alone, generated as arrays: their cost at sizes for which no workspace fits.

Each function runs in a process of its own (`separate_process`): one writes the file, another opens and queries it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.graph.push import PushGraph, forward_push
from core.graph.push_kernel import loops
from core.index.array_file import Arrays, open_arrays, write_arrays
from core.index.quantising import vector_table
from core.index.texts import NameTable, Texts
from core.index.vector_table import Codes, Floats, Quantised
from core.lab.metrics import percentile
from core.research.benches.harness import timed, timed_each
from core.research.benches.vectors import nearest_exactly, noisy, recall
from core.research.synthetic.workspace import DIMENSION, edge_blocks, name_of

ENTITIES = 1.6  # a passage
EDGES = 24  # a passage: 8 facts, and 16 times that a passage mentions an entity
SEEDS = 15  # of a walk: as many entities as a question restarts from
DAMPING, EPSILON = 0.6, 2e-7
QUERIES = 50
NEAREST = 100
_STAMP = {"made": 1}
_AT_ONCE = 1 << 14  # vectors a block
_FIELDS = 1_000  # number of fields
_TOPIC, _DOCUMENT = 160, 10  # mean vectors of a topic, of a document
# Share of the variance between fields, topics and documents; the rest is each vector's own.
_SHARES = (0.15, 0.15, 0.20)
_NAMES = 1 << 20  # names a table
_LARGE = (*(each.name for each in fields(Codes)), "weights", "table_blob")


@dataclass(frozen=True, slots=True)
class BuildCost:
    """Seconds of generating and of writing the arrays, bytes of the file, and the `count` of its items."""

    count: int
    making: float
    writing: float
    size: int


@dataclass(frozen=True, slots=True)
class QueryCost:
    """Seconds of opening the file, of preparation, and of the questions; their quality, -1 where nothing is
    compared.
    """

    opening: float
    preparing: float
    questions: list[float]
    quality: float = -1.0

    @property
    def median(self) -> float:
        return percentile(self.questions, 0.5)


# ------------------------------------------------------------ vectors


def make_vectors(file: Path, count: int) -> BuildCost:
    """Write quantised vectors without finer codes; float32 exists only a block at a time."""
    table, making = timed(
        lambda: vector_table(
            count, DIMENSION, lambda: vector_blocks(count), exact_up_to=0, scratch=file.parent
        )
    )
    assert isinstance(table, Quantised)
    arrays: Arrays = {each.name: getattr(table.codes, each.name) for each in fields(Codes)}
    return _written(file, count, making, arrays | {"places": table.places, "rows": table.rows})


def search_vectors(file: Path, count: int) -> QueryCost:
    """Search for generated vectors; quality is recall@10 against an exhaustive comparison."""
    begin = time.perf_counter()
    arrays = _opened(file)
    codes = Codes(*(arrays[each.name] for each in fields(Codes)))
    table = Quantised(codes, arrays["places"], arrays["rows"], np.zeros((0, DIMENSION), np.float32))
    opening = time.perf_counter() - begin
    asked = noisy(table[np.linspace(0, count - 1, QUERIES).astype(np.int64)])
    _, seconds = timed_each(asked, lambda vector: table.nearest(vector, NEAREST))
    exact = nearest_exactly(vector_blocks(count), asked, min(10, count))
    return QueryCost(opening, 0.0, seconds, recall(table, asked, exact))


def vector_blocks(count: int, seed: int = 7) -> Iterator[Floats]:
    """Yield unit vectors in fields, topics and documents, (m, DIMENSION) a block; the same each time."""
    fall = ((1.0 + np.arange(DIMENSION)) ** -0.3).astype(np.float32)
    of_fields = np.random.default_rng(seed).standard_normal((_FIELDS, DIMENSION), dtype=np.float32)
    for first in range(0, count, _AT_ONCE):
        rng = np.random.default_rng((seed, first))
        size = min(_AT_ONCE, count - first)
        found = rng.standard_normal((size, DIMENSION), dtype=np.float32)
        found *= np.float32(np.sqrt(1.0 - sum(_SHARES)))
        at = np.arange(size)
        for share, each in zip(_SHARES[1:], (_TOPIC, _DOCUMENT), strict=True):
            centres = rng.standard_normal((-(-size // each), DIMENSION), dtype=np.float32)
            found += np.float32(np.sqrt(share)) * centres[at // each]
        chosen = rng.integers(0, _FIELDS, -(-size // _TOPIC))
        found += np.float32(np.sqrt(_SHARES[0])) * of_fields[chosen[at // _TOPIC]]
        found *= fall
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        yield found


# ------------------------------------------------------------ the graph


def make_graph(file: Path, passages: int) -> BuildCost:
    """Write one CSR with the entities, passages and edges of a workspace, filled block by block."""
    begin = time.perf_counter()
    nodes, edges = _nodes(passages), EDGES * passages
    degrees = np.zeros(nodes, np.int64)
    for ends in edge_blocks(nodes, edges):
        degrees += np.bincount(ends.ravel(), minlength=nodes)
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    indices, filled = np.empty(indptr[-1], np.int32), indptr[:-1].copy()
    for ends in edge_blocks(nodes, edges):
        for own, others in ((ends[:, 0], ends[:, 1]), (ends[:, 1], ends[:, 0])):
            order = np.argsort(own, kind="stable")
            sources, first, counts = np.unique(own[order], return_index=True, return_counts=True)
            places = np.repeat(filled[sources] - first, counts) + np.arange(len(own))
            indices[places] = others[order]
            filled[sources] += counts
    making = time.perf_counter() - begin
    weights = np.ones(len(indices), np.float32)
    arrays: Arrays = {
        "indptr": indptr,
        "indices": indices,
        "weights": weights,
        "degrees": degrees.astype(float),
    }
    return _written(file, len(indices), making, arrays)


def walk_graph(file: Path, passages: int) -> QueryCost:
    """Run personalised PageRank from the usual number of restart nodes."""
    from scipy import sparse

    loops()
    arrays, opening = timed(lambda: _opened(file))
    begin, nodes = time.perf_counter(), _nodes(passages)
    adjacency = sparse.csr_matrix(
        (arrays["weights"], arrays["indices"], arrays["indptr"]), shape=(nodes, nodes), copy=False
    )
    graph = PushGraph(adjacency, arrays["degrees"])
    rng = np.random.default_rng(5)
    usual = np.flatnonzero((arrays["degrees"] >= 5) & (arrays["degrees"] <= 50))
    starts = [rng.choice(usual, SEEDS, replace=False) for _ in range(QUERIES + 1)]
    # The first walk allocates the working memory, 40 bytes a node.
    _walk(graph, starts[0])
    preparing = time.perf_counter() - begin
    return QueryCost(opening, preparing, timed_each(starts[1:], lambda seeds: _walk(graph, seeds))[1])


def _walk(graph: PushGraph, seeds: NDArray[np.int64]) -> object:
    return forward_push(graph, seeds, np.ones(len(seeds)), DAMPING, EPSILON).top(NEAREST)


def _nodes(passages: int) -> int:
    return passages + int(passages * ENTITIES)


# ------------------------------------------------------------ names


def make_names(file: Path, passages: int) -> BuildCost:
    """Write a table of names, merged from smaller ones: a dictionary of all would not fit into memory."""
    begin, count = time.perf_counter(), int(passages * ENTITIES)
    parts, rows = list[NameTable](), list[NDArray[np.int64]]()
    for first in range(0, count, _NAMES):
        names = {name_of(at).lower(): (at,) for at in range(first, min(first + _NAMES, count))}
        parts.append(NameTable.of(names))
        rows.append(parts[-1].rows)
    hashes = np.concatenate([part.hashes for part in parts])
    order = np.argsort(hashes, kind="stable")
    names_ = Texts.joined([part.names for part in parts]).take(order)
    making = time.perf_counter() - begin
    arrays: Arrays = {"hashes": hashes[order], "rows": np.concatenate(rows)[order]}
    arrays |= {"starts": np.arange(count + 1), "table_starts": names_.starts, "table_blob": names_.blob}
    return _written(file, count, making, arrays)


def look_up_names(file: Path, passages: int) -> QueryCost:
    """Look up existing names; quality is the share found with the right row."""
    begin = time.perf_counter()
    arrays = _opened(file)
    names = Texts(arrays["table_starts"], arrays["table_blob"])
    table = NameTable(arrays["hashes"], names, arrays["starts"], arrays["rows"])
    opening = time.perf_counter() - begin
    wanted = np.random.default_rng(5).integers(0, int(passages * ENTITIES), 20 * QUERIES).tolist()
    asked = [name_of(at).lower() for at in wanted]
    _, seconds = timed_each(asked, table.__getitem__)
    right = [table[name] == (at,) for name, at in zip(asked, wanted, strict=True)]
    return QueryCost(opening, 0.0, seconds, sum(right) / len(right))


# ------------------------------------------------------------ files


def _written(file: Path, count: int, making: float, arrays: Arrays) -> BuildCost:
    _, writing = timed(lambda: write_arrays(file, _STAMP, {}, arrays))
    return BuildCost(count, making, writing, file.stat().st_size)


def _opened(file: Path) -> Arrays:
    found = open_arrays(file, _STAMP, _LARGE)
    if found is None:
        raise ValueError(f"{file} is not as it was written.")
    return found.arrays
