"""Random graphs of any size, and a workspace whose sentences state the edges of one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.progress import TaskContext
from core.store.entities import NewMention
from core.store.facts import NewTriple
from core.store.settings import MINILM
from core.store.store import Store
from core.types import Document, Passage, Sentence, State, Triple
from core.types.kinds import stable_id

EDGES_AN_ENTITY = 5
DIMENSION = 384
MODEL = MINILM.model  # a model that can encode questions, though the vectors are random
_SENTENCES = 8  # sentences a passage, and passages a document: as in the sample
_PASSAGES = 10
_WORDS = tuple(
    "harbour ledger winter cargo letter office market engine river census signal garden bridge copper"
    " archive ferry journal timber beacon valley court mission salt quarry".split()
)
_VERBS = ("met", "hired", "paid", "visited", "sold ships to", "wrote to", "owned a share of", "married")
_AT_ONCE = 10_000  # passages a transaction
# Ids are hashes: each batch touches all index pages. After a crash the store is generated again.
_PRAGMAS = (
    "PRAGMA cache_size = -2000000",
    "PRAGMA synchronous = OFF",
    "PRAGMA wal_autocheckpoint = 50000",
)
_TOPICS = 5_000  # topics of the vectors

Ends = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence in its passage: `subject` at its start, `object` at `at`; "" for no fact."""

    text: str
    start: int
    subject: str
    verb: str
    object: str = ""
    at: int = 0

    def mentions(self, passage: int) -> list[NewMention]:
        places = [(self.subject, self.start)] + [(self.object, self.at)] * bool(self.object)
        return [NewMention(passage, name.lower(), name, "PERSON", at, at + len(name)) for name, at in places]

    def triple(self, passage: int, passage_id: str) -> NewTriple:
        end = self.at + len(self.object)
        triple = Triple(self.subject, self.verb, self.object, passage_id, self.start, end, 1.0)
        return NewTriple(passage, self.subject.lower(), self.object.lower(), triple)


def generate_workspace(
    folder: Path,
    entities: int,
    context: TaskContext,
    seed: int = 7,
    facts: int | None = None,
    passages: int = _PASSAGES,
) -> Store:
    """Create a store, open, of `entities` entities and five facts for each, or `facts`.

    One sentence a fact, with two mentions, one triple and one random unit vector; `passages` a document. No
    communities or positions, see `core.research.synthetic.library`. Raises Cancelled.
    """
    store = Store(folder, MODEL, DIMENSION, create=True)
    for pragma in _PRAGMAS:
        store.database.connection().execute(pragma)
    ends = planted_graph(entities, facts or EDGES_AN_ENTITY * entities, seed, mixed=False)
    # Entities without an edge are mentioned as well: an entity needs a mention.
    lonely = np.setdiff1d(np.arange(entities), ends)
    ends = np.concatenate([ends, np.stack([lonely, lonely], axis=1)])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    parts = [ends[first : first + _SENTENCES] for first in range(0, len(ends), _SENTENCES)]
    rng = np.random.default_rng(seed)
    for first in range(0, len(parts), _AT_ONCE):
        context.report("made passages", first, len(parts))
        _put(store, parts[first : first + _AT_ONCE], first, passages, rng)
    context.report("made passages", len(parts), len(parts))
    store.marks.clear()
    return store


def _put(store: Store, parts: Sequence[Ends], first: int, each: int, rng: np.random.Generator) -> None:
    """Store documents of `each` passages, a passage each part; `first` is the number of the first part."""
    by_passage: list[list[_Sentence]] = []
    passages: list[Passage] = []
    for at in range(0, len(parts), each):
        group = [_sentences(part) for part in parts[at : at + each]]
        passages += _put_document(store, (first + at) // each, group)
        by_passage += group
    sentences = [(key, passage.id, one) for key, (passage, group) in
                 enumerate(zip(passages, by_passage, strict=True), first + 1) for one in group]  # fmt: skip
    mentions = [mention for key, _, one in sentences for mention in one.mentions(key)]
    triples = [one.triple(key, id) for key, id, one in sentences if one.object]
    names = [(mention.normal, mention.surface, mention.label) for mention in mentions]
    with store.database.transaction() as connection:
        rows = store.entities.ensure(connection, names)
        store.entities.add_mentions(connection, mentions, rows)
        store.facts.add(connection, triples, rows)
        vectors = [(key, _units(rng, len(group))) for key, group in enumerate(by_passage, first + 1)]
        store.embeddings.put(connection, "sentence", vectors)
        means = ((key, _unit(own.mean(axis=0, keepdims=True))) for key, own in vectors)
        store.embeddings.put(connection, "passage", means)


def _put_document(store: Store, number: int, groups: Sequence[Sequence[_Sentence]]) -> list[Passage]:
    """Store a document of these passages. In a new store the keys of passages count from 1."""
    path, title = f"made/{number:06}.txt", f"Made document {number}"
    id = stable_id("document", path)
    passages: list[Passage] = []
    start = 0
    for ordinal, sentences in enumerate(groups):
        text = "".join(one.text for one in sentences)
        own = stable_id("passage", id, str(start), text)
        places = tuple(Sentence(one.start, one.start + len(one.text)) for one in sentences)
        passages.append(Passage(own, id, ordinal, title, text, start, start + len(text), sentences=places))
        start += len(text)
    full_text = "".join(passage.text for passage in passages)
    document = Document(id, path, stable_id(full_text), len(full_text), title, "text/plain", state=State.DONE)
    store.documents.put_read(document, full_text, (), passages)
    return passages


def _sentences(ends: Ends) -> list[_Sentence]:
    """Return the sentences of these edges in their passage; that of a loop states no fact."""
    found: list[_Sentence] = []
    start = 0
    for subject, object_ in ends.tolist():
        mixed = subject * 31 + object_ * 17
        verb, one, other = _VERBS[mixed % len(_VERBS)], name_of(subject), name_of(object_)
        filler = " ".join(_WORDS[(mixed // step) % len(_WORDS)] for step in (1, 3, 7, 11))
        at = start + len(one) + len(verb) + 2
        if subject == object_:
            sentence = _Sentence(f"{one} is named in the {filler}. ", start, one, "")
        else:
            sentence = _Sentence(f"{one} {verb} {other} near the {filler}. ", start, one, verb, other, at)
        found.append(sentence)
        start += len(sentence.text)
    return found


def name_of(entity: int) -> str:
    """Return a unique name for the entity: two words and a number."""
    word, rest = entity % len(_WORDS), entity // len(_WORDS)
    return f"{_WORDS[word].title()} {_WORDS[rest % len(_WORDS)].title()}son {rest}"


@cache
def _topics() -> NDArray[np.float32]:
    """Return the directions of topics, (topics, d), with more variance along some axes than others."""
    drawn = np.random.default_rng(1).standard_normal((_TOPICS, DIMENSION), dtype=np.float32)
    return drawn * np.linspace(1.8, 0.2, DIMENSION, dtype=np.float32)


def number_of(name: str) -> int:
    """Return the number of the entity with this name. Raises ValueError for a name that `name_of` does not return."""
    first, _, rest = name.split()
    return int(rest) * len(_WORDS) + _WORDS.index(first.lower())


def _units(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Return vectors of the sentences of one passage: near one topic, each with its own offset."""
    own = rng.standard_normal((count, DIMENSION), dtype=np.float32)
    return _unit(_topics()[rng.integers(_TOPICS)] + own * np.linspace(1.6, 0.4, DIMENSION, dtype=np.float32))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found


BLOCK = 1_000  # nodes that share their local edges, like the names of one document
POWER = 3.0  # ends are drawn as n u^3: degrees fall off with the exponent 2.5
DRAWN = 1.25  # planted edges drawn for each wanted one: parallel ones are merged
# Share of planted edges within blocks of so many nodes: the names of a document, of its subject, of its field.
PLANTED = ((0.5, 25), (0.25, 150), (0.125, 1_000))


def generate_graph(n_nodes: int, n_edges: int, seed: int = 7) -> sparse.csr_matrix:
    """Return a symmetric CSR adjacency, (n, n) float32 of ones, with nearly `n_edges` edges.

    Node numbers are independent of degrees. Loops are dropped and parallel edges merged. Chung and Lu 2002, with
    weights i^(-2/3).
    """
    rng = np.random.default_rng(seed)
    names = rng.permutation(n_nodes).astype(np.int32)
    left, right = (names[_skewed(rng, n_nodes, n_edges)] for _ in range(2))
    near = n_edges // 2
    first = left[:near] // BLOCK * BLOCK
    right[:near] = np.minimum(first + (BLOCK * rng.random(near) ** 2).astype(np.int32), n_nodes - 1)
    proper = left != right
    left, right = left[proper], right[proper]
    half = sparse.coo_matrix(
        (np.ones(len(left), np.float32), (left, right)), shape=(n_nodes, n_nodes)
    ).tocsr()
    adjacency = half + half.T
    adjacency.data[:] = 1.0
    return adjacency


def sample_seeds(
    adjacency: sparse.csr_matrix, queries: int, seeds: int = 5, seed: int = 7
) -> list[NDArray[np.int64]]:
    """Draw sets of seeds with 5 to 20 edges each, so that queries on graphs of different size are comparable."""
    rng = np.random.default_rng(seed)
    degrees = np.diff(adjacency.indptr)
    fit = np.flatnonzero((degrees >= 5) & (degrees <= 20))
    return [rng.choice(fit, seeds, replace=False) for _ in range(queries)]


def _skewed(rng: np.random.Generator, n: int, count: int) -> NDArray[np.int64]:
    return np.minimum((n * rng.random(count) ** POWER).astype(np.int64), n - 1)


def planted_graph(n_nodes: int, n_edges: int, seed: int = 7, mixed: bool = True) -> NDArray[np.int64]:
    """Return edges (m, 2) with planted communities, nearly `n_edges`, each once, the smaller node first; sorted.

    Half of the edges lie within a document's names, a quarter within its subject's, an eighth within its field's,
    the others anywhere; degrees are skewed as in `generate_graph`. Node numbers are random unless not `mixed`: then
    blocks are of consecutive nodes.
    """
    names = np.random.default_rng(n_nodes).permutation(n_nodes) if mixed else np.arange(n_nodes)
    rng = np.random.default_rng(seed)
    drawn = int(n_edges * DRAWN)
    left = np.random.default_rng(n_nodes + 1).permutation(n_nodes)[_skewed(rng, n_nodes, drawn)]
    right = rng.integers(0, n_nodes, drawn)
    first = 0
    for share, block in PLANTED:
        part = slice(first, first + int(share * drawn))
        begin = left[part] // block * block
        right[part] = begin + rng.integers(0, np.minimum(block, n_nodes - begin))
        first = part.stop
    ends = np.sort(names[np.stack([left, right], axis=1)], axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    rows = rng.permutation(len(ends))[:n_edges]
    return ends[np.sort(rows)]


def edge_blocks(
    n_nodes: int, n_edges: int, seed: int = 7, at_once: int = 1 << 22
) -> Iterator[NDArray[np.int32]]:
    """Yield edges like those of `generate_graph`, (m, 2), in blocks, never all in memory; parallel ones stay.

    Local edges join nodes with distant numbers: a permutation by multiplication, which needs no table.
    """
    step = _coprime(n_nodes)
    for first in range(0, n_edges, at_once):
        rng = np.random.default_rng((seed, first))
        count = min(at_once, n_edges - first)
        left, right = _skewed(rng, n_nodes, count), _skewed(rng, n_nodes, count)
        near = count // 2
        block = left[:near] // BLOCK * BLOCK
        right[:near] = np.minimum(block + (BLOCK * rng.random(near) ** 2).astype(np.int64), n_nodes - 1)
        proper = left != right
        ends = np.stack([left[proper], right[proper]], axis=1)
        yield (ends * step % n_nodes).astype(np.int32)


def _coprime(n: int) -> int:
    """Return a number near the golden section of n that has no common divisor with it."""
    step = max(1, int(n * 0.618))
    while math.gcd(step, n) > 1:
        step += 1
    return step
