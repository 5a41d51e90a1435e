"""Terms as entities: which noun phrases of all documents are terms, and where they stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from core.extraction.names import normalise
from core.extraction.termhood import choose_terms, runs
from core.progress import TaskContext
from core.store.noun_phrases import PhraseTable, Place
from core.store.store import Store

_AT_ONCE = 2_000  # uses whose passages are read together
_WORD = re.compile(r"\S+")
_Part = tuple[int, int, str]  # first word, number of words, term


def update_terms(store: Store, context: TaskContext) -> None:
    """Choose the terms by all passages anew, and bring their mentions in step: only what changed is written."""
    context.report("terms", 0, 1)
    table = store.noun_phrases.read()
    chosen = choose_terms(table.phrases, table.uses[:, 1], table.uses[:, 0])
    places: dict[str, list[tuple[Place, str]]] = defaultdict(list)
    for term, place, surface in _uses(store, table, chosen):
        places[term].append((place, surface))
    by_normal = {_normal_form(term, [surface for _, surface in uses]): uses for term, uses in places.items()}
    names = store.noun_phrases.count_names(by_normal)
    store.noun_phrases.replace_mentions(
        [
            (normal, surface, place)
            for normal, uses in by_normal.items()
            # "Mark" who is named more often than a mark is spoken of stays himself.
            if len(uses) > names.get(normal, 0)
            for place, surface in uses
        ]
    )
    context.report("terms", 1, 1)


def _uses(store: Store, table: PhraseTable, terms: Mapping[str, float]) -> Iterator[tuple[str, Place, str]]:
    """Yield each use of a term, its place and what is written there, in the order of the passages."""
    parts = [_terms_within(phrase.split(" "), terms) for phrase in table.phrases]
    rows = [row for row in table.uses.tolist() if parts[row[1]]]
    for first in range(0, len(rows), _AT_ONCE):
        part = rows[first : first + _AT_ONCE]
        texts = store.noun_phrases.texts({row[0] for row in part})
        for key, number, start, end in part:
            words = list(_WORD.finditer(texts[key], start, end))
            for at, size, term in parts[number]:
                if len(words) == len(table.phrases[number].split(" ")):
                    begin, stop = words[at].start(), words[at + size - 1].end()
                    yield term, (key, begin, stop), _within_a_sentence(texts[key][begin:stop])


def _within_a_sentence(surface: str) -> str:
    """Return the words without the capital that they have at the beginning of a sentence."""
    first = surface.partition(" ")[0]
    return surface[:1].lower() + surface[1:] if first[1:].islower() else surface


def _terms_within(words: Sequence[str], terms: Mapping[str, float]) -> list[_Part]:
    """Return the terms in a phrase, the longest first, none of which overlaps another."""
    found: list[_Part] = []
    for at, run in runs(words):
        apart = all(at + len(run) <= first or first + size <= at for first, size, _ in found)
        if apart and (term := " ".join(run)) in terms:
            found.append((at, len(run), term))
    return found


def _normal_form(term: str, surfaces: Sequence[str]) -> str:
    """Return the key of a term: its singular, unless it is only written in the plural ("personal data")."""
    written = Counter(map(normalise, surfaces))
    return term if term in written else min(written, key=lambda one: (-written[one], one))
