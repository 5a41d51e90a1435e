"""What documents are about: groups of passages, each with a name and a sentence that tells of it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.answering.overview.terms import Counts, Term, name_terms, phrases
from core.answering.reports.material import Places
from core.answering.reports.naming import LONGEST
from core.graph.communities import leiden
from core.retrieval.corpus import Corpus
from core.store.communities import CommunityRow
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.dates import ENGLISH_DAYS, ENGLISH_MONTHS
from core.text.statements import FINITE
from core.types import BlockKind, Citation, Passage, Sentence

_LEAST_NEAR = 1e-3  # nearness of what is not near at all: what covers most comes first among those


def by_coverage(
    groups: Sequence[NDArray[np.int64]], owners: NDArray[np.int64], near: NDArray[np.float32]
) -> list[int]:
    """The groups in the order in which they are best told.

    `groups` hold numbers of passages, `owners` (n,) the number of each passage's document, `near` (groups,) the cosine
    of each group to the question. A document is covered by the root of the sum, over the groups that are told, of the
    share of its passages that is of the group times the group's nearness: a second group of a document adds less than
    the first. Each next one is the one that adds most. However many are told, they cover at least 1 - 1/e of what any
    others of that number could (Nemhauser, Wolsey and Fisher 1978).
    """
    if not groups:
        return []
    sizes = np.bincount(owners).astype(np.float64)
    shares = np.stack([np.bincount(owners[group], minlength=len(sizes)) / sizes for group in groups])
    # Coarsely: the last bits of a cosine differ from run to run.
    weighed = np.maximum(np.round(near, 4), _LEAST_NEAR)[:, None] * shares
    covered = np.zeros(len(sizes))
    left, order = list(range(len(groups))), []
    while left:
        gains = (np.sqrt(covered + weighed[left]) - np.sqrt(covered)).sum(axis=1)
        order.append(left.pop(int(np.argmax(np.round(gains, 9)))))
        covered += weighed[order[-1]]
    return order


_READ = 4_000  # passages that are grouped; of more they are taken evenly
_FEWEST = 3  # passages of a theme
_LEAST = 0.005  # share of the passages
_TERMS = 3  # in a name
_LETTERS = 40  # of a passage that says something
_NEAREST = 80  # passages of a theme among which its sentence is looked for
_READ_OF_THEME = 5  # sentences that a language model reads of a theme
_WORDS = (8, 45)  # of such a sentence
_FIELDS = 3  # "Port: Vaduz; Country: ..." that make a row
_TERM_BONUS = 0.1  # that each term in it counts, beside the cosine
_TIED = (4, 10)  # nearest ones that each passage is tied to: half the root of their number, within these
_BLOCK = 1024  # rows of cosines that are held at a time
_UNREAD = {BlockKind.EVENT, BlockKind.BOILERPLATE, BlockKind.CODE, BlockKind.NOTE}
_NO_SENTENCES = _UNREAD | {BlockKind.TABLE, BlockKind.HEADING, BlockKind.CAPTION}
_LETTER = re.compile(r"[^\W\d_]+")
_DATES = frozenset(word.casefold() for word in (*ENGLISH_MONTHS, *ENGLISH_DAYS))

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Theme:
    """`passages` are rows of the corpus; `share` is that of all passages which are among them and hold a term of the
    name, 0 to 1. `sentences` are those that tell most of it, the first most, each of another passage."""

    name: str
    passages: Rows
    share: float
    sentences: tuple[Citation, ...]
    cosine: float  # of the first sentence to what was looked for

    @property
    def sentence(self) -> Citation:
        return self.sentences[0]


@dataclass(frozen=True, slots=True)
class Texts:
    """Passages that are read for themes, with their texts without what nobody says, and `rows` in the corpus."""

    rows: Rows
    stored: tuple[StoredPassage, ...]
    texts: tuple[str, ...]
    stops: frozenset[str]  # names of who speaks
    looked_at: int  # passages, with those that say nothing

    def some(self, at: Rows) -> Texts:
        """Those with these numbers."""
        stored, texts = ([column[i] for i in at] for column in (self.stored, self.texts))
        return Texts(self.rows[at], tuple(stored), tuple(texts), self.stops, self.looked_at)


def read_texts(store: Store, corpus: Corpus) -> Texts:
    """Passages that say something, at most `_READ` of them, evenly taken; none of a list of references."""
    n = len(corpus.passage_ids)
    rows = np.unique(np.linspace(0, n - 1, min(n, _READ)).astype(np.int64)) if n else np.zeros(0, np.int64)
    keys = corpus.graph.passage_keys[rows]
    found = {each.key: each for each in store.passages.by_keys(keys.tolist())}
    listed = store.reference_lists.inside(keys, np.zeros(len(keys), dtype=np.int64))
    taken, stored, texts = [], [], []
    speakers: set[str] = set()
    for row, key, cited in zip(rows.tolist(), keys.tolist(), listed.tolist(), strict=True):
        if cited or key not in found:
            continue
        passage = found[key].passage
        for block in passage.blocks:
            speakers.update(_LETTER.findall(f"{block.speaker} {block.addressee}".casefold()))
        text = _read(found[key])
        if sum(map(len, _LETTER.findall(text))) >= _LETTERS:
            taken.append(row)
            stored.append(found[key])
            texts.append(text)
    return Texts(np.array(taken, dtype=np.int64), tuple(stored), tuple(texts), frozenset(speakers), len(rows))


def themes(
    store: Store,
    corpus: Corpus,
    texts: Texts,
    toward: NDArray[np.float32] | None = None,
) -> list[Theme]:
    """The largest first; `toward` (d,) a question, those whose sentence is nearest to it."""
    groups = clusters(corpus.passage_vectors[texts.rows])
    members = [np.flatnonzero(groups == group) for group in range(int(groups.max(initial=-1)) + 1)]
    least = max(min(_FEWEST, len(texts.rows)), _LEAST * len(texts.rows))
    found = named_groups(store, corpus, texts, members, toward)
    large = [theme for theme in found if theme is not None and len(theme.passages) >= least]
    return sorted(large, key=lambda theme: -theme.cosine if toward is not None else -theme.share)


def rank_themes(
    corpus: Corpus, texts: Texts, found: Sequence[Theme], question: NDArray[np.float32]
) -> list[Theme]:
    """Themes of these texts in the order in which they tell of all documents best, for a question (d,)."""
    number: dict[str, int] = {}
    owners = [number.setdefault(each.passage.document_id, len(number)) for each in texts.stored]
    means = [corpus.passage_vectors[theme.passages].mean(axis=0) for theme in found]
    near = [float(mean @ question) / max(float(np.linalg.norm(mean)), 1e-9) for mean in means]
    groups = [np.searchsorted(texts.rows, np.sort(theme.passages)) for theme in found]
    order = by_coverage(groups, np.array(owners, dtype=np.int64), np.array(near, dtype=np.float32))
    return [found[at] for at in order]


def named_groups(
    store: Store,
    corpus: Corpus,
    texts: Texts,
    groups: Sequence[Rows],
    toward: NDArray[np.float32] | None = None,
) -> list[Theme | None]:
    """Each of these groups of texts as a theme; None for one that has no distinctive terms, or no sentence with one."""
    counts = Counts(len(groups))
    for number, group in enumerate(groups):
        headings: dict[tuple[str, str], frozenset[str]] = {}
        for at in group.tolist():
            passage = texts.stored[at].passage
            stops = texts.stops | _stops(passage.language)
            counts.add(number, phrases(texts.texts[at], stops))
            for heading in (passage.title, *passage.headings):
                headings[passage.document_id, heading] = stops
        for (_, heading), stops in headings.items():
            counts.add(number, phrases(heading, stops))
    persons = _person_stems(corpus)
    found: list[Theme | None] = []
    used_quotes: set[str] = set()
    for group, own, terms in zip(groups, counts.by_group, counts.best(), strict=True):
        named = name_terms(terms, own, persons, _TERMS)
        while len(named) > 1 and len(_joined(named)) > LONGEST:
            named.pop()
        rows = texts.rows[group]
        sentences: list[tuple[Citation, float]] = []
        if named and not all(persons.issuperset(term.key) for term in named):
            sentences = _sentences(store, corpus, texts, group, named, toward, used_quotes)
        used_quotes.update(citation.quote for citation, _ in sentences[:1])
        share = sum(_holds(texts.texts[at], named) for at in group.tolist()) / max(1, texts.looked_at)
        quotes = tuple(citation for citation, _ in sentences)
        found.append(Theme(_joined(named), rows, share, quotes, sentences[0][1]) if sentences else None)
    return found


def _holds(text: str, terms: Sequence[Term]) -> bool:
    low = text.casefold()
    return any(all(part in low for part in term.key) for term in terms)


def _joined(terms: Sequence[Term]) -> str:
    return ", ".join(term.words for term in terms)


def _sentences(
    store: Store,
    corpus: Corpus,
    texts: Texts,
    group: Rows,
    terms: Sequence[Term],
    toward: NDArray[np.float32] | None,
    quoted: Set[str],
) -> list[tuple[Citation, float]]:
    """Of the sentences that state something and hold a term those nearest to the mean of the passages, one of each
    passage; or the nearest to what is looked for; with their cosines."""
    rows = texts.rows[group]
    mean = corpus.passage_vectors[rows].mean(axis=0) if toward is None else toward
    mean = mean / max(float(np.linalg.norm(mean)), 1e-9)
    # Coarsely: the last bits of a cosine differ from run to run.
    cosines = np.round(corpus.passage_vectors.of(rows, mean), 4)
    able: list[tuple[float, float, int, int]] = []
    for at in group[np.argsort(-cosines, kind="stable")[:_NEAREST]].tolist():
        passage, key = texts.stored[at].passage, texts.stored[at].key
        first = int(corpus.sentence_starts[texts.rows[at]])
        own = np.arange(first, first + len(passage.sentences))
        near = np.round(corpus.sentence_vectors.of(own, mean), 4)
        for sentence, cosine in zip(passage.sentences, near.tolist(), strict=True):
            quote = passage.text[sentence.start : sentence.end].strip()
            if quote not in quoted and _is_quotable(passage, sentence, quote):
                keys = {key for key, _ in phrases(quote, texts.stops)}
                term_count = sum(term.key in keys for term in terms)
                if term_count or toward is not None:
                    able.append((cosine + _TERM_BONUS * term_count, cosine, key, sentence.start))
    places = Places(store.contents, {key for _, _, key, _ in able})
    found: dict[int, tuple[Citation, float]] = {}
    for _, cosine, key, start in sorted(able, reverse=True):
        (place,) = places.at(np.array([key]), np.array([start])).tolist()
        if key not in found and place >= 0 and places.is_statement(place):
            found[key] = places.spoken(place, 0.0).citation, cosine
        if len(found) == _READ_OF_THEME:
            break
    return list(found.values())


def _is_quotable(passage: Passage, sentence: Sentence, quote: str) -> bool:
    """Whether it is no question, no heading or row, no title told again ("Subject: ..."), neither short nor endless."""
    if "?" in quote[-3:] or not _WORDS[0] <= len(quote.split()) <= _WORDS[1]:
        return False
    if (passage.title in quote and len(quote) < 2 * len(passage.title)) or quote.count(": ") >= _FIELDS:
        return False
    inside = (b.kind for b in passage.blocks if b.start < sentence.end and sentence.start < b.end)
    return _NO_SENTENCES.isdisjoint(inside)


def _read(stored: StoredPassage) -> str:
    """A passage's text without code, menus, and what a program tells of a conversation."""
    text = stored.passage.text
    for block in stored.passage.blocks:
        if block.kind in _UNREAD:
            text = f"{text[: block.start]}{chr(10) * (block.end - block.start)}{text[block.end :]}"
    return text


def _person_stems(corpus: Corpus) -> frozenset[str]:
    names = (
        name
        for name, label in zip(corpus.entity_names, corpus.entity_labels, strict=True)
        if label == "PERSON"
    )
    return frozenset(word for name in names for key, _ in phrases(name, frozenset()) for word in key)


@lru_cache(maxsize=64)
def _stops(language: str) -> frozenset[str]:
    """Words that say nothing, in a language (ISO 639-1), English verbs that stand in every story, and dates."""
    try:
        words = importlib.import_module(f"spacy.lang.{language or 'en'}.stop_words").STOP_WORDS
    except (ImportError, AttributeError):
        words = frozenset()
    return frozenset(words) | FINITE | _DATES


def clusters(vectors: NDArray[np.float32], resolution: float = 1.0) -> NDArray[np.int32]:
    """Group of each of these unit vectors (n, d), (n,), numbered by falling size; of the same always the same."""
    n = len(vectors)
    k = min(max(_TIED[0], min(_TIED[1], int(n**0.5 / 2))), n - 1)
    if k < 1:
        return np.zeros(n, dtype=np.int32)
    near = np.empty((n, k), dtype=np.int64)
    weights = np.empty((n, k))
    for start in range(0, n, _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors.T
        rows = np.arange(len(cosines))
        cosines[rows, start + rows] = -1.0
        near[start : start + _BLOCK] = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        weights[start : start + _BLOCK] = np.take_along_axis(cosines, near[start : start + _BLOCK], axis=1)
    pairs = np.sort(np.stack([np.repeat(np.arange(n), k), near.ravel()], axis=1), axis=1)
    positive = weights.ravel() > 0
    edges, first = np.unique(pairs[positive], axis=0, return_index=True)
    # Coarsely: the last bits of a cosine differ from run to run.
    return leiden(n, edges, np.round(weights.ravel()[positive][first], 2) + 0.01, resolution)


def homes(store: Store, corpus: Corpus, groups: Sequence[NDArray[np.int64]]) -> list[CommunityRow | None]:
    """Another community for each group of rows, of the highest level that has as many; None where there is none.

    Of all ways to give them away the one in which most mentions are at home, each counted by the square root of how
    often its community is named: a large one is named everywhere.
    """
    from scipy.optimize import linear_sum_assignment

    rows = {row.key: row for row in store.communities.rows()}
    if not rows or not groups:
        return [None] * len(groups)
    entities, home = store.communities.members()
    keys = np.unique(home)
    for _ in range(store.communities.levels() - 1):
        above = np.array([rows[int(key)].parent or int(key) for key in home.tolist()], dtype=np.int64)
        if len(np.unique(above)) < len(groups):
            break
        home = above
    keys, numbers = np.unique(home, return_inverse=True)
    own = np.full(len(corpus.entity_ids), -1)
    at = np.searchsorted(corpus.graph.entity_keys, entities)
    there = (at < len(own)) & (corpus.graph.entity_keys[np.minimum(at, len(own) - 1)] == entities)
    own[at[there]] = numbers[there]
    passages = np.repeat(corpus.sentence_passages, np.diff(corpus.named_starts))
    group = np.full(len(corpus.passage_ids), -1)
    for number, members in enumerate(groups):
        group[members] = number
    named = own[corpus.named_entities]
    inside = (named >= 0) & (group[passages] >= 0)
    counts = np.zeros((len(groups), len(keys)))
    np.add.at(counts, (group[passages][inside], named[inside]), 1.0)
    counts /= np.sqrt(np.maximum(np.bincount(named[named >= 0], minlength=len(keys)), 1))
    found: list[CommunityRow | None] = [None] * len(groups)
    for number, key in zip(*linear_sum_assignment(counts, maximize=True), strict=True):
        found[number] = rows[int(keys[key])]
    return found
