"""What the map draws: which names and terms are its nodes, and which of them stand together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.extraction.name_judge import (
    FEATURES,
    KINDS,
    MOST_LOWER,
    NONE,
    SPEAKER,
    NameUse,
    is_judged,
    label_of,
    measure,
    shipped_judge,
)
from core.extraction.names import normalise
from core.extraction.speakers import readable_name
from core.extraction.terms import choose_terms, runs
from core.graph.association import associate
from core.progress import TaskContext
from core.store.name_uses import NameMentions
from core.store.noun_phrases import Place
from core.store.settings import MINILM
from core.store.store import Store
from core.text.stems import parts_of
from core.types.kinds import NOUN, VALUES

_AT_ONCE = 512  # names a transaction
NODE = 0.5  # probability of being a thing from which a name is a node
_USES = 2_000  # of terms, whose passages are read together
_PART = re.compile(r"\S+")
_TITLES = frozenset({NOUN, "WORK"})  # labels of titles of documents


class Embed(Protocol):
    """Vectors of short texts."""

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]: ...


def judge_names(store: Store, embedder: Callable[[], Embed], context: TaskContext) -> None:
    """Set of touched names, and of names with a touched word, whether they are nodes.

    `embedder` gives vectors of the shipped encoder. What a person states is a node; dates, sums, measures and titles
    that stand above a text alone are none.
    """
    keys = sorted({*store.marks.entities().tolist(), *store.entities.with_touched_words(MOST_LOWER)})
    speakers = speaker_keys(store)
    for first in range(0, len(keys), _AT_ONCE):
        context.report("judging", first, len(keys))
        names = store.name_uses.read(keys[first : first + _AT_ONCE])
        # A name whose form says what it is: an account number is a thing, an amount is none.
        nodes = {name.key: name.label not in VALUES for name in names}
        kinds = dict.fromkeys(nodes, "")
        doubtful = [name for name in names if is_judged(name.label)]
        if doubtful:
            vectors = _vectors(store, doubtful, embedder, context)
            shares = shipped_judge().probabilities(measure_names(store, doubtful, speakers), vectors)
            is_thing = 1 - shares[:, KINDS.index(NONE)] > NODE
            for name, one, own in zip(doubtful, is_thing.tolist(), shares, strict=True):
                nodes[name.key] = one and (name.written > name.headings or name.label not in _TITLES)
                is_handle = " " not in name.name and _letters(name.name) in speakers
                kinds[name.key] = SPEAKER if is_handle else label_of(name.name, own) if one else ""
        nodes |= {name.key: name.label not in VALUES for name in names if name.is_stated}
        store.map_edges.set_nodes(nodes)
        store.entities.set_judged(kinds)
    store.entities.forget_touched_words()
    context.report("judging", len(keys), len(keys))


def _vectors(
    store: Store, names: Sequence[NameMentions], embedder: Callable[[], Embed], context: TaskContext
) -> NDArray[np.float32]:
    """Return the vectors of these names by the shipped encoder, (n, d), of which the store may have some."""
    is_shipped = store.embeddings.encoder.choice == MINILM.choice
    # What a person calls an entity says nothing about the documents.
    own = [name.key for name in names if name.display.startswith(name.name)]
    known = store.embeddings.get("entity", own) if is_shipped else {}
    missing = [name.name for name in names if name.key not in known]
    others = iter(embedder().embed(missing, context)) if missing else iter(())
    return np.array([known[name.key].ravel() if name.key in known else next(others) for name in names])


def measure_names(
    store: Store, names: Sequence[NameMentions], speakers: frozenset[str]
) -> NDArray[np.float64]:
    """Return the features of names by their mentions, (n, FEATURES); `speakers` as `speaker_keys` gives them."""
    words = {word for name in names for word in parts_of(name.name)}
    lower = store.entities.lower_counts(words | {name.normal for name in names})
    rows = [
        measure(
            NameUse(
                name.name,
                name.labels,
                name.passages,
                {word: lower.get(word, 0) for word in parts_of(name.name)},
                lower.get(name.normal, 0),
                name.headings / max(1, name.written),
                name.rows / max(1, name.written),
                _letters(name.name) in speakers,
                name.has_fact,
            )
        )
        for name in names
    ]
    return np.array(rows).reshape(len(rows), FEATURES)


def speaker_keys(store: Store) -> frozenset[str]:
    """Return who speaks or writes in the documents, by letters and figures alone."""
    return frozenset(
        key for written in store.name_uses.speakers() if (key := _letters(readable_name(written)))
    )


def _letters(name: str) -> str:
    return "".join(parts_of(name))


def update_ties(store: Store) -> NDArray[np.int64]:
    """Derive the ties of all mentions outside of lists of references; return the pairs that changed, (k, 2).

    How often two names stand together by chance depends on how many passages there are: counted in powers of two, so
    that a few more change the ties of what they name alone.
    """
    rows = store.map_edges.mentions()
    rows = rows[~store.reference_lists.inside(rows[:, 0], rows[:, 2])]
    # Numbers in the order of ids: the same documents give the same ties, in whatever order they came.
    keys = store.map_edges.nodes(by_id=True)
    number = np.empty(int(keys.max(initial=0)) + 1, dtype=np.int64)
    number[keys] = np.arange(len(keys))
    total = 1 << store.census.passages().bit_length()
    ties = associate(number[rows[:, 1]], rows[:, 0], _sentences(store, rows), total)
    ends = np.sort(keys[ties.ends].reshape(-1, 2), axis=1)
    return store.map_edges.replace_ties(ends, ties.passages, ties.strengths)


def _sentences(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the sentence in which each mention, a row (passage key, entity key, start), begins, (k,)."""
    starts = store.passages.sentence_starts()
    width = int(max(rows[:, 2].max(initial=0), starts[:, 1].max(initial=0))) + 1
    begins = starts[:, 0] * width + starts[:, 1]
    before = np.searchsorted(begins, rows[:, 0] * width + rows[:, 2], side="right")
    # With the passage: what stands above its first sentence is in none of the passage before.
    return np.unique(np.stack([rows[:, 0], before], axis=1), axis=0, return_inverse=True)[1].ravel()


# ------------------------------------------------------------ terms


def update_terms(store: Store, context: TaskContext) -> None:
    """Choose the terms by all passages anew, and bring their mentions in step: only what changed is written."""
    context.report("terms", 0, 1)
    phrases, uses = store.noun_phrases.read()
    chosen = choose_terms(phrases, ((number, place[0]) for number, place in uses))
    found: dict[str, list[tuple[Place, str]]] = defaultdict(list)
    for term, place, surface in _term_uses(store, phrases, uses, chosen):
        found[term].append((place, surface))
    by_normal = {_normal_form(term, [surface for _, surface in own]): own for term, own in found.items()}
    names, turns = store.noun_phrases.count_names(by_normal), Counter[str]()
    for written, count in store.name_uses.speakers().items():
        turns[_letters(readable_name(written))] += count
    store.noun_phrases.replace_mentions(
        [
            (normal, surface, place)
            for normal, own in by_normal.items()
            # "Mark" who is named more often than a mark is spoken of stays himself; who writes in a chat is no term.
            if (
                len(own) > 2 * max(turns[word] for word in normal.split())
                if " " in normal
                else len(own) > names.get(normal, 0) and not turns[normal]
            )
            for place, surface in own
        ]
    )
    context.report("terms", 1, 1)


def _term_uses(
    store: Store, phrases: Sequence[str], uses: Sequence[tuple[int, Place]], terms: Mapping[str, float]
) -> Iterator[tuple[str, Place, str]]:
    """Yield each use of a term, its place and what is written there, without the capital of a sentence's first word."""
    parts = [_terms_within(phrase.split(" "), terms) for phrase in phrases]
    rows = [row for row in uses if parts[row[0]]]
    for first in range(0, len(rows), _USES):
        part = rows[first : first + _USES]
        texts = store.noun_phrases.texts({key for _, (key, _, _) in part})
        for number, (key, start, end) in part:
            words = list(_PART.finditer(texts[key], start, end))
            for at, size, term in parts[number] if len(words) == phrases[number].count(" ") + 1 else ():
                begin, stop = words[at].start(), words[at + size - 1].end()
                is_abbreviation = not words[at][0][1:].islower()
                surface = texts[key][begin:stop]
                yield (
                    term,
                    (key, begin, stop),
                    surface if is_abbreviation else surface[0].lower() + surface[1:],
                )


def _terms_within(words: Sequence[str], terms: Mapping[str, float]) -> list[tuple[int, int, str]]:
    """Return (first word, words, term) of the terms in a phrase, the longest first; none overlaps another."""
    found: list[tuple[int, int, str]] = []
    for at, run in runs(words):
        apart = all(at + len(run) <= first or first + size <= at for first, size, _ in found)
        if apart and (term := " ".join(run)) in terms:
            found.append((at, len(run), term))
    return found


def _normal_form(term: str, surfaces: Sequence[str]) -> str:
    """Return the key of a term: its singular, unless it is only written in the plural ("personal data")."""
    written = Counter(map(normalise, surfaces))
    return term if term in written else min(written, key=lambda one: (-written[one], one))
