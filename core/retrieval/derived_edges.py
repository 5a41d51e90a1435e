"""Edges that follow from what is known, and that no document states as such (triple-layer 4.3.1).

edges = derived_edges(store)
edges.counts  # {"before": 812, "hierarchy": 40, "citation": 3}
describe_edges(store, edges, edges.rows("hierarchy")[:10])

Nothing of them is kept: they are made of the workspace as it stands, so that they go with what they follow from.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from datetime import date
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.extraction.bibliography import Work, Works, entries, years
from core.extraction.names import normalise
from core.extraction.organisation import RELATIONS, stands_below
from core.graph.temporal import DatedFacts, following
from core.retrieval.timeline import timeline_of
from core.store.passages import StoredPassage
from core.store.store import Store
from core.text.dates import stated_date
from core.text.stems import strip_ending
from core.text.translation import mark
from core.types import DerivedEdge, DerivedEdges, EdgeSource, Fact
from core.types.edges import BEFORE, CITATION, EDGE_KINDS, HIERARCHY
from core.types.kinds import NOUN, VALUES

Keys = NDArray[np.int64]
_LABELS = (mark("before"), *RELATIONS, mark("cites"))
_DAYS = 1 << 24  # more than any day
_DATE = "DATE"  # label of what is a date
# Predicates that tell no event: how names stand beside each other, and what things are.
_STATES = frozenset("of in at on from for with by to as and is are was were has had not".split())
_NO_NAMES = sorted(VALUES | {NOUN})
_NO_ACTORS = sorted({*_NO_NAMES, "NORP", "LANGUAGE"})  # nothing happens to "American"

_cache: WeakKeyDictionary[Store, tuple[int, DerivedEdges]] = WeakKeyDictionary()
_making = threading.Lock()


def derived_edges(store: Store, now: bool = True) -> DerivedEdges:
    """Those of the workspace as it stands; made once until its content changes. Without `now` those that were made
    last, if there are any: what is told of them leaves out what is gone.

    Reads what a `Timeline` does, so not on a window's thread.
    """
    with _making:
        revision = store.settings.revision()
        known = _cache.get(store)
        if known is None or (now and known[0] != revision):
            known = _cache[store] = (revision, store.database.retry_read(lambda: _derive(store)))
        return known[1]


def _derive(store: Store) -> DerivedEdges:
    keys, labels = store.columns.entity_labels()
    listed = np.fromiter(store.reference_lists.facts(), np.int64)
    labelled = keys, np.array(labels, np.str_)
    return _joined(_before(store, *labelled, listed), _hierarchy(store, *labelled, listed), _citations(store))


def _before(store: Store, entities: Keys, labels: NDArray[np.str_], listed: Keys) -> DerivedEdges:
    """`listed`: facts that only lists of references say."""
    timeline = timeline_of(store)
    days = timeline.fact_days
    columns = store.facts.columns(timeline.fact_keys[np.unique(days.rows)].tolist())
    rows, first, last = _agreed(days.rows.astype(np.int64), days.first, days.last)
    ends, keys = timeline.ends.astype(np.int64)[rows], timeline.fact_keys[rows]
    eligible = (labels[ends] != NOUN).all(axis=1) & ~np.isin(keys, listed) & np.isin(keys, columns.keys)
    eligible &= ~_claimed(store, ends, keys, np.stack([first, last], axis=1), labels)
    at = np.flatnonzero(eligible)[np.searchsorted(keys[eligible], store.columns.in_order(keys[eligible]))]
    ends, keys, first, last = ends[at], keys[at], first[at], last[at]
    # Rounded: sums of the same numbers in another order are as strong.
    strengths = columns.strengths[np.searchsorted(columns.keys, keys)].round(6)
    found = following(DatedFacts(ends, first, last, strengths), ~np.isin(labels, _NO_ACTORS))
    pairs = np.stack([found.earlier, found.later], axis=1)
    at_other = np.where(ends[pairs, 0] == found.subjects[:, None], ends[pairs, 1], ends[pairs, 0])
    return _columns(
        BEFORE,
        np.full(len(found.subjects), _LABELS.index("before")),
        entities[at_other].reshape(-1, 2),
        subjects=entities[found.subjects],
        facts=keys[pairs].reshape(-1, 2),
        days=np.stack([first[pairs], last[pairs]], axis=2).reshape(-1, 2, 2),
    )


def _claimed(store: Store, ends: Keys, keys: Keys, days: Keys, labels: NDArray[np.str_]) -> NDArray[np.bool_]:
    """Of facts that are dated by their sentence, whether that date is not theirs, (f,): what they say is no event, or
    another one of the sentence has it.

    "Kask, born in 1964, lives in Riga" dates the birth alone: "born in" leads to the date, and says it of Kask. What
    begins as that does is the same event: "founded", and "founded in".
    """
    row = {int(key): at for at, key in enumerate(keys)}
    leads = (labels[ends] == _DATE).any(axis=1)
    statements = [
        (row[key], _event(words), passage) for key, words, passage in store.columns.fact_passages(keys)
    ]
    claims: dict[tuple[int, ...], set[str]] = {}
    for at, word, passage in statements:
        if leads[at]:
            for end in ends[at].tolist():
                claims.setdefault((passage, end, *days[at].tolist()), set()).add(word)
    found = np.zeros(len(keys), np.bool_)
    for at, word, passage in statements:
        if not leads[at]:
            end_claims = [claims.get((passage, end, *days[at].tolist()), set()) for end in ends[at].tolist()]
            found[at] |= word in _STATES or any(end_claims) and not any(word in words for words in end_claims)
    return found


def _event(predicate: str) -> str:
    """The word that names what happened; "of" for what somebody is of something: "father of"."""
    first, *others = predicate.split(" ")
    return others[-1] if others and others[-1] == "of" else strip_ending(first)


def _agreed(rows: Keys, first: NDArray[np.int32], last: NDArray[np.int32]) -> tuple[Keys, Keys, Keys]:
    """Each fact once, with the days on which all of its dates agree: a year and a day of it are that day. A fact of
    which two dates exclude each other is of neither."""
    found, inverse = np.unique(rows, return_inverse=True)
    latest, earliest = np.zeros(len(found), np.int64), np.full(len(found), _DAYS, np.int64)
    np.maximum.at(latest, inverse, first)
    np.minimum.at(earliest, inverse, last)
    good = latest <= earliest
    return found[good], latest[good], earliest[good]


def _hierarchy(store: Store, entities: Keys, labels: NDArray[np.str_], listed: Keys) -> DerivedEdges:
    states = {
        predicate: state for predicate in store.columns.predicates() if (state := stands_below(predicate))
    }
    saying = store.columns.facts_with(list(states))
    ends, names = saying[:, 1:3], entities[~np.isin(labels, _NO_NAMES)]
    good = np.isin(ends, names).all(axis=1) & (ends[:, 0] != ends[:, 1]) & ~np.isin(saying[:, 0], listed)
    saying, ends = saying[good], ends[good]
    upward = np.array([up for _, up in states.values()], np.bool_)[saying[:, 3]]
    relations = np.array([_LABELS.index(relation) for relation, _ in states.values()], np.int64)[saying[:, 3]]
    ends = np.where(upward[:, None], ends, ends[:, ::-1])
    saying, relations, ends = (
        column[_strongest(store, saying[:, 0], relations, ends)] for column in (saying, relations, ends)
    )
    facts = np.stack([saying[:, 0], np.full(len(saying), -1)], axis=1)
    return _columns(HIERARCHY, relations, ends, facts=facts)


def _strongest(store: Store, facts: Keys, relations: Keys, ends: Keys) -> NDArray[np.intp]:
    """Rows of the strongest fact of each relation between each two, in the order of the facts."""
    columns, order = store.facts.columns(facts.tolist()), store.columns.in_order(facts)
    strengths = columns.strengths[np.searchsorted(columns.keys, facts)].round(6)
    rank = np.empty(len(facts), np.int64)
    rank[np.searchsorted(facts, order)] = np.arange(len(facts))
    by = np.lexsort((rank, -strengths))
    _, first = np.unique(np.column_stack([relations, ends])[by], axis=0, return_index=True)
    return np.sort(by[first])


def _citations(store: Store) -> DerivedEdges:
    known = store.columns.works()
    dates = years(date for *_, date in known)
    works = Works(
        [Work(title, author, year) for (_, title, author, _), year in zip(known, dates, strict=True)]
    )
    found: dict[
        tuple[int, int], tuple[int, int]
    ] = {}  # (citing, cited): the first entry, in the citing one's text
    for document, text, lists in store.columns.reference_lists():
        for span in lists:
            for start, end in entries(text, *span):
                row = works.cited(text[start:end])
                if row is not None and known[row][0] != document:
                    found.setdefault((document, known[row][0]), (start, end))
    documents = np.array(list(found), np.int64).reshape(-1, 2)
    titles = {key: normalise(title) for key, title, *_ in known}
    entities = store.columns.title_entities((key, titles[key]) for key in np.unique(documents).tolist())
    ends = np.array([[entities.get(key, -1) for key in pair] for pair in found], np.int64).reshape(-1, 2)
    places = _places(store, [(document, *span) for (document, _), span in found.items()])
    return _columns(
        CITATION, np.full(len(found), _LABELS.index("cites")), ends, documents=documents, places=places
    )


def _places(store: Store, spans: Sequence[tuple[int, int, int]]) -> Keys:
    """(passage, start, end in it) of spans (document, start, end)."""
    passages = store.columns.passages_at((document, start) for document, start, _ in spans)
    rows = [
        (key, start - begin, min(end, stop) - begin)
        for (_, start, end), (key, begin, stop) in zip(spans, passages, strict=True)
    ]
    return np.array(rows, np.int64).reshape(-1, 3)


def _columns(kind: str, relations: Keys, ends: Keys, **others: Keys) -> DerivedEdges:
    n = len(relations)
    widths = {"subjects": (), "facts": (2,), "days": (2, 2), "documents": (2,), "places": (3,)}
    columns = {name: others.get(name, np.full((n, *width), -1, np.int64)) for name, width in widths.items()}
    kinds = np.full(n, EDGE_KINDS.index(kind), np.int8)
    return DerivedEdges(kinds, relations.astype(np.int8), _LABELS, ends.astype(np.int64), **columns)


def _joined(*parts: DerivedEdges) -> DerivedEdges:
    names = ("kinds", "relations", "ends", "subjects", "facts", "days", "documents", "places")
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return DerivedEdges(labels=_LABELS, **columns)


def edges_around(edges: DerivedEdges, entity: int) -> NDArray[np.intp]:
    """Rows of the edges at an end of which an entity (its key) stands, or of whose facts they are."""
    found: NDArray[np.intp] = np.flatnonzero((edges.ends == entity).any(axis=1) | (edges.subjects == entity))
    return found


def describe_edges(store: Store, edges: DerivedEdges, rows: Iterable[int]) -> list[DerivedEdge]:
    """Edges in words, with the places that they follow from; without those whose sources are gone by now."""
    rows = list(rows)
    named = store.columns.entity_names({*edges.ends[rows].ravel().tolist(), *edges.subjects[rows].tolist()})
    titled = store.columns.document_titles(set(edges.documents[rows].ravel().tolist()))
    keys = sorted({*edges.facts[rows].ravel().tolist()} - {-1})
    facts = {key: fact for at in range(0, len(keys), 500) for key, fact in _facts(store, keys[at : at + 500])}
    found = []
    for row in rows:
        relation = edges.labels[edges.relations[row]]
        kind = EDGE_KINDS[edges.kinds[row]]
        pairs = zip(edges.ends[row].tolist(), edges.documents[row].tolist(), strict=True)
        ends = [named.get(end) or titled.get(document) for end, document in pairs]
        edge_facts = [facts[key] for key in edges.facts[row].tolist() if key in facts]
        if not all(ends) or len(edge_facts) < int((edges.facts[row] >= 0).sum()):
            continue
        days = edges.days[row].tolist()
        if kind == CITATION:
            sources = _entry(store, edges.places[row].tolist())
        else:
            sources = tuple(_source(store, fact, span) for fact, span in zip(edge_facts, days, strict=False))
        (source_id, source), (target_id, target) = (end for end in ends if end)
        of = named.get(int(edges.subjects[row]), ("", ""))
        dates = tuple(_date(*span) for span in days if span[0] >= 0)
        predicates = tuple(fact.predicate for fact in edge_facts)
        found.append(
            DerivedEdge(kind, relation, source_id, source, target_id, target, sources, *of, dates, predicates)
        )
    return found


def _facts(store: Store, keys: Sequence[int]) -> Iterable[tuple[int, Fact]]:
    return store.facts.with_triples(keys).items()


def _source(store: Store, fact: Fact, days: Sequence[int]) -> EdgeSource:
    """The surest place that tells a fact; of a dated one, the surest that names its year."""
    year = str(date.fromordinal(days[0]).year) if days[0] >= 0 else ""
    places = [(store.passages.get(triple.passage_id), triple) for triple in fact.triples]
    stored, triple = next(
        (each for each in places if year in each[0].passage.text[each[1].start : each[1].end]), places[0]
    )
    return edge_source(stored, triple.start, triple.end)


def _entry(store: Store, place: Sequence[int]) -> tuple[EdgeSource, ...]:
    key, start, end = place
    return tuple(edge_source(stored, start, end) for stored in store.passages.by_keys([key]))


def edge_source(stored: StoredPassage, start: int, end: int) -> EdgeSource:
    """Return a place of a passage with its words on one line."""
    passage = stored.passage
    words = " ".join(passage.text[start:end].split())
    return EdgeSource(passage.id, passage.document_id, stored.path, start, end, words)


def _date(first: int, last: int) -> str:
    """In ISO 8601; of a span that is no day, month or year: "1938/1940"."""
    return stated_date(first, last) or f"{date.fromordinal(first).year}/{date.fromordinal(last).year}"
