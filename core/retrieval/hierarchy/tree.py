"""The hierarchy of communities with its vectors, over one snapshot. Deep GraphRAG 2.1.1, eq. 1."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.retrieval.corpus import Corpus
from core.store.store import Store

_AT_ONCE = 1 << 14  # sentences whose vectors are held at a time

Numbers = NDArray[np.int64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Level:
    """Communities of one level; rows of the arrays correspond.

    `inside` lists the rows of the level below (of entities, for the finest) of each, in CSR form.
    """

    keys: Numbers  # (n,) as in the store
    vectors: Vectors  # (n, d) unit, zero where nothing is known of a community
    starts: Numbers  # (n + 1,)
    inside: Numbers
    home: Numbers  # the row here that holds each row of the level below, -1 for none

    def below(self, row: int) -> Numbers:
        return self.inside[self.starts[row] : self.starts[row + 1]]


@dataclass(frozen=True, slots=True)
class Tree:
    """Levels from the finest to the top. `sentences` lists the rows of the sentences that name each entity."""

    levels: tuple[Level, ...]
    sentence_starts: Numbers  # (n_entities + 1,)
    sentences: Numbers
    naming: tuple[
        Numbers, ...
    ]  # by level: rows of the sentences that name a member of each community, see `naming_starts`
    naming_starts: tuple[Numbers, ...]

    def above(self, entities: Set[int]) -> list[dict[int, float]]:
        """By level, the rows of the communities that hold some of the entities, and which share of them."""
        share: dict[int, float] = {row: 1.0 / len(entities) for row in entities}
        found: list[dict[int, float]] = []
        for level in self.levels:
            own: dict[int, float] = {}
            for row, part in share.items():
                community = int(level.home[row])
                if community >= 0:
                    own[community] = own.get(community, 0.0) + part
            found.append(own)
            share = own
        return found

    def entity_sentences(self, row: int) -> Numbers:
        return self.sentences[self.sentence_starts[row] : self.sentence_starts[row + 1]]


@dataclass(frozen=True, slots=True)
class Homes:
    """As the store holds the hierarchy: keys, levels and parents (-1) of the communities, homes of entities."""

    keys: Numbers  # (n,) ascending
    levels: Numbers  # (n,)
    parents: Numbers  # (n,)
    entities: Numbers  # (m,) keys, ascending
    homes: Numbers  # (m,) keys of finest communities


def build_tree(corpus: Corpus, homes: Homes) -> Tree:
    """The tree of what is in the corpus: entities that are not in it, and communities without any, are left out.

    An entity is described by the sentences that name it; the vector of a finest community is the mean of
    its entities' vectors, that of one above the mean of those of the communities in it (eq. 1).
    """
    starts, sentences = _by_entity(corpus)
    home = _homes_in(corpus, homes)
    levels: list[Level] = []
    below_vectors: Vectors | None = None
    member_of = home
    for _ in range(1, int(homes.levels.max(initial=0)) + 1):
        keys = np.unique(member_of[member_of >= 0])
        if not len(keys):  # all of them were founded after the corpus was read
            break
        rows = np.where(member_of >= 0, np.searchsorted(keys, np.maximum(member_of, 0)), -1)
        order = np.argsort(rows, kind="stable")[int((rows < 0).sum()) :]
        cuts = np.searchsorted(rows[order], np.arange(len(keys) + 1))
        if below_vectors is None:
            vectors = described(corpus, starts, sentences, rows, len(keys))
        else:
            vectors = _unit(_summed(below_vectors, rows, len(keys)))
        levels.append(Level(keys, vectors, cuts, order, rows))
        below_vectors = vectors
        at = np.searchsorted(homes.keys, keys)
        member_of = homes.parents[at]
    return Tree(tuple(levels), starts, sentences, *_naming(corpus, levels))


def _homes_in(corpus: Corpus, homes: Homes) -> Numbers:
    """Key of the finest community of each entity of the corpus, -1 for none."""
    keys = corpus.graph.entity_keys
    found = np.full(len(keys), -1, dtype=np.int64)
    at = np.searchsorted(homes.entities, keys)
    there = at < len(homes.entities)
    there[there] = homes.entities[at[there]] == keys[there]
    found[there] = homes.homes[at[there]]
    # Communities were read first: another process may have put entities into new ones since.
    found[~np.isin(found, homes.keys)] = -1
    return found


def _by_entity(corpus: Corpus) -> tuple[Numbers, Numbers]:
    """Sentences that name each entity, in CSR form."""
    sentence = np.repeat(np.arange(len(corpus.named_starts) - 1), np.diff(corpus.named_starts))
    order = np.argsort(corpus.named_entities, kind="stable")
    starts = np.searchsorted(corpus.named_entities[order], np.arange(len(corpus.entity_ids) + 1))
    return starts.astype(np.int64), sentence[order].astype(np.int64)


def described(corpus: Corpus, starts: Numbers, sentences: Numbers, rows: Numbers, n: int) -> Vectors:
    """Means of the descriptions of entities, each the mean of its sentences: unit vectors, (n, d).

    `starts` (m + 1,) and `sentences` list those of m entities; `rows` (m,) tells which mean each belongs to, -1 for
    none.
    """
    from scipy import sparse

    counts = np.diff(starts)
    entity = np.repeat(np.arange(len(counts)), counts)
    assigned = rows[entity] >= 0
    used, columns = np.unique(sentences[assigned], return_inverse=True)
    share = (1.0 / counts[entity[assigned]]).astype(np.float32)
    # One sparse product: an entity's own vector is never held for all.
    weights = sparse.csc_matrix((share, (rows[entity[assigned]], columns)), shape=(n, len(used)))
    found = np.zeros((n, corpus.sentence_vectors[:1].shape[1]), np.float32)
    for first in range(0, len(used), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        inside = weights[:, part].tocsr()
        filled = np.flatnonzero(np.diff(inside.indptr))
        found[filled] += inside[filled] @ corpus.sentence_vectors[used[part]]
    return _unit(found)


def joined(corpus: Corpus, tree: Tree, rows: Numbers) -> Vectors:
    """D(v) of entities, (m, d): half the sum of what is said of each and of its community's vector.

    An inner product with a question's vector is then the mean of both cosines, which is the cosine of the
    concatenation with the question's vector twice (Deep GraphRAG 2.1.1). `rows` (m,) are in communities.
    """
    starts, counts = tree.sentence_starts[rows], np.diff(tree.sentence_starts)[rows]
    cuts = np.concatenate([[0], np.cumsum(counts)])
    sentences = tree.sentences[np.repeat(starts - cuts[:-1], counts) + np.arange(cuts[-1])]
    own = described(corpus, cuts, sentences, np.arange(len(rows)), len(rows))
    finest = tree.levels[0]
    found: Vectors = ((own + finest.vectors[finest.home[rows]]) / 2).astype(np.float32)
    return found


def _summed(vectors: Vectors, rows: Numbers, n: int) -> Vectors:
    found = np.zeros((n, vectors.shape[1]), dtype=np.float32)
    known = rows >= 0
    np.add.at(found, rows[known], vectors[known])
    return found


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 1e-9)
    return found


def _naming(corpus: Corpus, levels: Sequence[Level]) -> tuple[tuple[Numbers, ...], tuple[Numbers, ...]]:
    """Rows of the sentences that name a member of each community, in CSR form, by level."""
    starts, sentences = _by_entity(corpus)
    found: list[Numbers] = []
    cuts: list[Numbers] = []
    row_of = np.full(len(corpus.entity_ids), -1, dtype=np.int64)
    for level in levels:
        below = np.repeat(np.arange(len(level.keys)), np.diff(level.starts))
        into = np.full(int(level.inside.max(initial=-1)) + 1, -1, dtype=np.int64)
        into[level.inside] = below
        if level is levels[0]:
            row_of[: len(into)] = into
        else:
            row_of = np.where(row_of >= 0, into[np.maximum(row_of, 0)], -1)
        entity = np.repeat(np.arange(len(corpus.entity_ids)), np.diff(starts))
        assigned = row_of[entity] >= 0
        code = np.unique(row_of[entity[assigned]] * (len(corpus.sentence_vectors) + 1) + sentences[assigned])
        community, sentence = np.divmod(code, len(corpus.sentence_vectors) + 1)
        found.append(sentence)
        cuts.append(np.searchsorted(community, np.arange(len(level.keys) + 1)))
    return tuple(found), tuple(cuts)


def tree_over(corpus: Corpus, store: Store) -> Callable[[], Tree]:
    """Gives the tree; built when it is asked for first, by one thread."""
    lock = threading.Lock()
    built: list[Tree] = []

    def tree() -> Tree:
        with lock:
            if not built:
                built.append(build_tree(corpus, read_homes(store)))
            return built[0]

    return tree


def read_homes(store: Store) -> Homes:
    rows = store.communities.rows()
    entities, homes = store.communities.members()
    return Homes(
        np.array([row.key for row in rows], dtype=np.int64),
        np.array([row.level for row in rows], dtype=np.int64),
        np.array([-1 if row.parent is None else row.parent for row in rows], dtype=np.int64),
        entities,
        homes,
    )
