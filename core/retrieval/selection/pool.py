"""The candidates of one question, with all that is known of them before any is chosen, and given those that were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.retrieval.corpus import Corpus
from core.retrieval.query import Query
from core.retrieval.selection.wording import Wording, content_words
from core.types import Hit

Matrix = NDArray[np.float64]

# What each candidate shows by itself, in the order of `Pool.alone`.
ALONE = (
    "place",  # 1 / rank of the first stage
    "cosine",  # of passage and question
    "cosine_share",  # of the best candidate's
    "cosine_place",
    "sentence",  # cosine of its best sentence
    "sentence_share",
    "second_sentence",
    "words",  # share of the question's words it holds, weighted by rarity among the candidates
    "name_words",
    "other_words",
    "names",  # share of the question's names it holds
    "title_is_name",
    "title_words",  # share of its title that the question holds
    "title_in_question",
)
# What one candidate says of another, the bridge from a chosen passage to the next one, in the order of `Pool.links`.
LINKS = (
    "bridge",  # names an entity of the other, in a sentence near the question; rare names count more
    "question_name",  # both hold a name of the question
    "shared",  # rare names that both hold
    "names_title",  # names what the other is about, by nearness of the naming sentence
    "named_title",  # 1 when it does
    "title_named",  # 1 when the other names what this one is about
    "title_nearness",
    "likeness",  # cosine of the two
)
_STEPS = 3  # passages that are told apart by number: none, one, two, more
NEWS = ("new_words", "words_left", "new_name", "new_title", "title_again")
SIGNALS = (*ALONE, *LINKS, *NEWS, *(f"step_{step}" for step in range(_STEPS + 1)))


@dataclass(frozen=True, slots=True)
class Pool:
    """Rows correspond. `words` (n, w) and `names`, `titles` (n, m) are 0 or 1; `rarity` (w,)."""

    alone: Matrix  # (n, len(ALONE))
    links: Matrix  # (n, n, len(LINKS)): what choosing row i says of row j
    words: Matrix
    rarity: Matrix
    names: Matrix
    titles: Matrix

    def __len__(self) -> int:
        return len(self.alone)


def make_pool(query: Query, hits: Sequence[Hit], wording: Wording, corpus: Corpus) -> Pool:
    """Return the signals of the candidates, rows in the order of `hits`, all of which are in the corpus."""
    ids = [hit.passage_id for hit in hits]
    rows, words = [corpus.passage_ids.rows[id] for id in ids], wording.of(ids)
    at = np.asarray(rows, dtype=np.int64)
    cosines = corpus.passage_vectors.of(at, query.vector).astype(np.float64)
    near = _sentence_cosines(query, rows, corpus)
    terms = content_words(query.text)
    has_term = _matrix([[term in item.words for term in terms] for item in words], len(terms))
    counts = has_term.sum(0)
    rarity = np.log(1.0 + (len(rows) - counts + 0.5) / (counts + 0.5))
    names = _matrix([[name in item.text for name in query.names] for item in words], len(query.names))
    titles = _matrix([[name == item.key for name in query.names] for item in words], len(query.names))
    best = np.array([sentences.max() for sentences in near])
    top = max(float(best.max(initial=0.0)), 1e-6)
    of_names = frozenset(word for name in query.names for word in content_words(name))
    in_name = np.array([float(term in of_names) for term in terms])
    question, asked_words = query.text.lower(), frozenset(terms)
    alone = np.stack(
        [
            1.0 / np.arange(1, len(rows) + 1),
            cosines,
            cosines / max(float(cosines.max(initial=0.0)), 1e-6),
            1.0 / (1.0 + np.argsort(np.argsort(-cosines, kind="stable"), kind="stable")),
            best,
            best / top,
            np.array([np.sort(s)[-2] if len(s) > 1 else s[-1] for s in near]) / top,
            _covered(has_term, rarity),
            _covered(has_term, rarity * in_name),
            _covered(has_term, rarity * (1.0 - in_name)),
            names.mean(1) if query.names else np.zeros(len(rows)),
            titles.max(1, initial=0.0),
            np.array([len(i.title_words & asked_words) / max(1, len(i.title_words)) for i in words]),
            np.array([float(len(i.key) > 3 and i.key in question) for i in words]),
        ],
        axis=1,
    )
    heads = [corpus.entity_rows.get(item.key, (-1,))[0] for item in words]
    links = links_between(rows, heads, near, frozenset(query.entities), corpus)
    return Pool(alone, links, has_term, rarity, names, titles)


def _sentence_cosines(query: Query, rows: Sequence[int], corpus: Corpus) -> list[Matrix]:
    """Cosines of each passage's sentences to the question; one 0 for a passage without any."""
    spans = [(int(corpus.sentence_starts[row]), int(corpus.sentence_starts[row + 1])) for row in rows]
    if not spans:
        return []
    every = np.concatenate([np.arange(a, b) for a, b in spans])
    cosines = corpus.sentence_vectors.of(every, query.vector).astype(np.float64)
    cuts = np.cumsum([b - a for a, b in spans])[:-1]
    return [own if len(own) else np.zeros(1) for own in np.split(cosines, cuts)]


def _covered(present: Matrix, weights: Matrix) -> Matrix:
    total = weights.sum()
    return (present * weights).sum(1) / total if total > 0 else np.zeros(len(present))


def _matrix(rows: list[list[bool]], width: int) -> Matrix:
    return np.array(rows, dtype=np.float64).reshape(len(rows), width)


def signals(pool: Pool, chosen: Sequence[int]) -> NDArray[np.float64]:
    """(n, len(SIGNALS)): alone, the strongest link from any chosen passage, and what would be new."""
    n, picked = len(pool), list(chosen)
    links = pool.links[picked].max(0) if picked else np.zeros((n, len(LINKS)))
    picked_words, picked_names, picked_titles = (
        table[picked].max(0, initial=0.0) for table in (pool.words, pool.names, pool.titles)
    )
    total = max(float(pool.rarity.sum()), 1e-9)
    left = pool.rarity * (1.0 - picked_words)
    news = np.stack(
        [
            (pool.words * left).sum(1) / total,
            np.full(n, left.sum() / total),
            (pool.names * (1.0 - picked_names)).max(1, initial=0.0),
            (pool.titles * (1.0 - picked_titles)).max(1, initial=0.0),
            (pool.titles * picked_titles).max(1, initial=0.0),
        ],
        axis=1,
    )
    step = np.zeros((n, _STEPS + 1))
    step[:, min(len(picked), _STEPS)] = 1.0
    return np.concatenate([pool.alone, links, news, step], axis=1)


def links_between(
    rows: Sequence[int],
    heads: Sequence[int],
    near: Sequence[Matrix],
    asked: frozenset[int],
    corpus: Corpus,
) -> Matrix:
    """(n, n, len(LINKS)); [i, j] is what choosing passage i says of passage j.

    `heads` are the entity rows that the passages' titles name, -1 for none; `near` the cosines of
    each passage's sentences to the question; `asked` the entity rows that the question names.
    """
    n = len(rows)
    vectors = corpus.passage_vectors[np.asarray(rows, dtype=np.int64)]
    found = np.zeros((n, n, len(LINKS)))
    found[:, :, 7] = vectors @ vectors.T
    top = max((float(s.max()) for s in near), default=0.0)
    entities, nearness = _nearness(rows, near, corpus, max(top, 1e-6))
    shared = (nearness > 0).sum(0) > 1
    if shared.any():
        shared_near = nearness[:, shared]
        holds = (shared_near > 0).astype(np.float64)
        rare = 1.0 / np.sqrt(np.maximum(1, corpus.entity_passages[entities[shared]]))
        named = np.isin(entities[shared], list(asked)).astype(np.float64)
        weight = rare * (1.0 - named)
        found[:, :, 0] = _best_product(shared_near * weight, holds)
        found[:, :, 1] = (holds * named) @ holds.T > 0
        found[:, :, 2] = np.minimum((holds * weight) @ holds.T, 3.0)
    _title_links(found, heads, entities, nearness)
    return found


def _nearness(
    rows: Sequence[int], near: Sequence[Matrix], corpus: Corpus, top: float
) -> tuple[NDArray[np.int64], Matrix]:
    """The entities that the candidates name, (e,) ascending, and of each candidate and entity the cosine of its best
    sentence that names it, as a share of `top`, (n, e): 0 where none does, and above that where one does."""
    starts = corpus.sentence_starts
    spans = [np.arange(starts[row], starts[row + 1]) for row in rows]
    sentences = np.concatenate([np.zeros(0, np.int64), *spans])
    owners = np.repeat(np.arange(len(rows)), [len(span) for span in spans])
    cosines = np.concatenate(
        [np.zeros(0), *(own[: len(span)] for own, span in zip(near, spans, strict=True))]
    )
    first = corpus.named_starts[sentences]
    counts = corpus.named_starts[sentences + 1] - first
    # Places in `named_entities`: each sentence's run, one after another.
    places = np.arange(counts.sum()) + np.repeat(first - np.cumsum(counts) + counts, counts)
    entities, columns = np.unique(corpus.named_entities[places], return_inverse=True)
    found = np.zeros((len(rows), len(entities)))
    np.maximum.at(
        found, (np.repeat(owners, counts), columns), np.maximum(np.repeat(cosines, counts) / top, 1e-9)
    )
    return entities, found


def _best_product(left: Matrix, right: Matrix) -> Matrix:
    """[i, j] = max over columns of left[i] * right[j], of which none is below 0."""
    best: Matrix = np.stack([(row * right).max(1) for row in left])
    return best


def _title_links(found: Matrix, heads: Sequence[int], entities: NDArray[np.int64], nearness: Matrix) -> None:
    of_heads = np.asarray(heads, dtype=np.int64)
    columns = np.searchsorted(entities, of_heads)
    for j in np.flatnonzero(np.isin(of_heads, entities)).tolist():
        own = nearness[:, columns[j]].copy()
        own[j] = 0.0
        naming = own > 0
        found[naming, j, 3] = own[naming]
        found[naming, j, 4] = 1.0
        found[j, naming, 5] = 1.0
        found[j, naming, 6] = own[naming]
