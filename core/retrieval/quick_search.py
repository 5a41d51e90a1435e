"""The one box of the window: entities, documents, communities, facts and passages that match what is typed,
by its letters and, of communities and entities, by its meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import BadInput
from core.extraction.names import normalise
from core.index.lexical import STOP_WORDS, match_all, match_query
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.search_words import words_of
from core.text.translation import tr, trn
from core.types import SearchResult, kind_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.retrieval.hierarchy.nearest import Nearest

KINDS = ("entity", "document", "community", "fact", "passage")  # in the order in which they are listed
# Of what is shown, the part that each kind has where all of them find enough; passages fill what is left.
_SHARES = {"entity": 3, "document": 5, "community": 5, "fact": 4}
_MOST = 10_000  # results looked through for those that are told of
_LETTERS = 200  # of what is typed
_NAMED = 3  # entities whose facts are looked at
_EACH = 100  # facts looked at of each of these, at either end
_READ = 20  # passages whose facts are looked at
_WEIGHED = 30  # facts that hold the words, ordered by strength
_NEAR = 0.35  # cosine from which two things are near: chosen looking at the sample
_NEAREST = 2  # communities that are near in meaning, and as many entities


def search(store: Store, text: str, limit: int, kinds: Collection[str] = KINDS) -> list[SearchResult]:
    """What matches, of these kinds, at most `limit` in all: names that are the very text before all others.

    Nothing is scanned but names and titles: facts are found by the entities and by the passages that match.
    Of what thousands match, so many are put in order that a person need not wait.
    """
    clean = " ".join(text.split())[:_LETTERS]
    if not clean or limit < 1:
        return []
    match = match_query(clean)
    visible = _visible_ids(store)
    most = max(limit, _READ) if visible is None else _MOST
    keys = store.passages.search_some(match, match_all(clean), most) if match else []
    if visible is not None:
        keys = [key for key in keys if key in visible.passages]
    found = {
        "entity": _entities(store, clean, limit, visible) if {"entity", "fact"} & set(kinds) else [],
        "document": _documents(store, clean, limit) if "document" in kinds else [],
        "community": _communities(store, clean, limit, visible) if "community" in kinds else [],
        "passage": _passages(store, keys[:limit]) if "passage" in kinds else [],
    }
    if "fact" in kinds:
        named = [result.id for result in found["entity"][:_NAMED]]
        found["fact"] = _facts(store, clean, named, keys[:_READ], limit)
    listed = _shared([found.get(kind, []) if kind in kinds else [] for kind in KINDS], limit)
    # Stable: within what is called exactly so, and within the rest, the order of the kinds stays.
    return sorted(listed, key=lambda result: normalise(result.title) != normalise(clean))


@dataclass(frozen=True, slots=True)
class _Visible:
    """What is found where only approved facts count: ids of entities, keys of communities and passages."""

    entities: frozenset[str]
    communities: frozenset[int]
    passages: frozenset[int]


def _visible_ids(store: Store) -> _Visible | None:
    """None where all is found."""
    passages, entities = store.candidates.passages(), store.candidates.entities()
    if passages is None or entities is None:
        return None
    return _Visible(
        frozenset(row.id for row in store.entities.rows(entities)),
        frozenset(store.communities.holding(entities)),
        frozenset(passages.tolist()),
    )


def _shared(found: Sequence[list[SearchResult]], limit: int) -> list[SearchResult]:
    """Each kind's share of the lines; what some leave free goes to the others, in order."""
    shares = [max(1, limit // _SHARES[kind]) if kind in _SHARES else 0 for kind in KINDS]
    taken = [min(share, len(results)) for share, results in zip(shares, found, strict=True)]
    while sum(taken) > limit:  # fewer lines than kinds: the first kinds have them
        taken[max(at for at, count in enumerate(taken) if count)] -= 1
    for at in (KINDS.index("passage"), *range(len(KINDS) - 1)):
        taken[at] += min(limit - sum(taken), len(found[at]) - taken[at])
    return [result for count, results in zip(taken, found, strict=True) for result in results[:count]]


def _entities(store: Store, clean: str, limit: int, visible: _Visible | None) -> list[SearchResult]:
    found = store.entities.search(clean, normalise(clean), limit if visible is None else _MOST)
    return [
        SearchResult(
            "entity",
            e.id,
            e.name,
            trn(
                "{kind}, in {count} passage",
                "{kind}, in {count} passages",
                e.passages,
                kind=kind_words(e.label),
            ),
        )
        for e in found
        if visible is None or e.id in visible.entities
    ][:limit]


def _documents(store: Store, clean: str, limit: int) -> list[SearchResult]:
    return [SearchResult("document", d.id, d.title, d.path) for d in store.documents.search(clean, limit)]


def _communities(store: Store, clean: str, limit: int, visible: _Visible | None) -> list[SearchResult]:
    """Those whose report's title holds all the words."""
    levels = store.communities.levels()
    return [
        SearchResult("community", str(key), title, _place_of(level, levels))
        for key, level, title in store.reports.titled(clean.split(), limit if visible is None else _MOST)
        if visible is None or key in visible.communities
    ][:limit]


def _place_of(level: int, levels: int) -> str:
    return tr("top level") if level == levels else tr("level {level} of {levels}", level=level, levels=levels)


def _facts(
    store: Store, clean: str, named: Sequence[str], passages: Sequence[int], limit: int
) -> list[SearchResult]:
    """Facts of the entities that are called so, and facts of matching passages that hold all the words."""
    words = [word.casefold() for word in words_of(clean)]
    words = [word for word in words if word not in STOP_WORDS] or words
    of_named = store.facts.around(named, _EACH)
    fact_words = store.facts.by_keys([*of_named, *store.facts.read_from(passages)])
    hits = {key: _count_matches(words, " ".join(parts)) for key, parts in fact_words.items()}
    own = frozenset(of_named)
    candidates = [key for key, count in hits.items() if count == len(words) or key in own]
    candidates.sort(key=lambda key: (-hits[key], key))
    facts = store.facts.with_triples(candidates[:_WEIGHED])
    best = sorted(facts, key=lambda key: (-hits[key], -facts[key].strength, key))[:limit]
    found = []
    for key in best:
        fact = facts[key]
        place = _title_of(store, fact.triples[0].passage_id) if fact.triples else ""
        found.append(SearchResult("fact", fact.id, " ".join(fact_words[key]), place))
    return found


def _count_matches(words: Sequence[str], text: str) -> int:
    """How many of the words begin one of the text's: the last one may still be being typed."""
    inside = [word.casefold() for word in words_of(text)]
    return sum(any(token.startswith(word) for token in inside) for word in words)


def _title_of(store: Store, passage_id: str) -> str:
    try:
        return store.passages.get(passage_id).passage.title
    except BadInput:  # taken out a moment ago
        return ""


def _passages(store: Store, keys: Sequence[int]) -> list[SearchResult]:
    return [_passage(stored) for stored in store.passages.by_keys(keys)]


def _passage(stored: StoredPassage) -> SearchResult:
    """Its document's title, and how it begins; the title is not said twice."""
    passage = stored.passage
    title, text = " ".join(passage.title.split()), " ".join(passage.text[:400].split())
    begins = text.removeprefix(title).strip() or text
    return SearchResult("passage", passage.id, passage.title, begins[:160])


def near_in_meaning(
    store: Store, nearest: Nearest, vector: NDArray[np.float32], kinds: Collection[str]
) -> list[SearchResult]:
    """At most two of each kind, the nearest first; `vector` (d,) is that of the text."""
    found: list[SearchResult] = []
    visible = _visible_ids(store)
    if "community" in kinds:
        keys = [key for key, cosine in nearest.communities(vector, _NEAREST) if cosine >= _NEAR]
        keys = [key for key in keys if visible is None or key in visible.communities]
        titles = store.reports.titles(keys)
        found += [
            SearchResult("community", str(k), titles[k], tr("near in meaning")) for k in keys if k in titles
        ]
    if "entity" in kinds:
        ids = [id for id, cosine in nearest.entities(vector, _NEAREST) if cosine >= _NEAR]
        ids = [id for id in ids if visible is None or id in visible.entities]
        found += [entity for id in ids if (entity := _near_entity(store, id))]
    return found


def append_near(
    listed: Sequence[SearchResult], near: Sequence[SearchResult], limit: int
) -> list[SearchResult]:
    """What holds the letters, then what is near; passages, which stand last, give way."""
    known = {(result.kind, result.id) for result in listed}
    fresh = [result for result in near if (result.kind, result.id) not in known][: max(0, limit)]
    return [*listed[: limit - len(fresh)], *fresh] if fresh else list(listed)


def _near_entity(store: Store, entity_id: str) -> SearchResult | None:
    try:
        entity = store.entities.get(entity_id)
    except BadInput:  # taken out a moment ago
        return None
    return SearchResult(
        "entity", entity.id, entity.name, tr("{kind}, near in meaning", kind=kind_words(entity.label))
    )
