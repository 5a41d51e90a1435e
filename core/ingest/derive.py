"""Derive what follows from texts and facts, after each run: forms of texts, names, synonyms, communities, places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.config import GraphConfig
from core.extraction.bibliography import RULES as REFERENCES
from core.extraction.bibliography import reference_lists
from core.extraction.name_judge import SPEAKER, agree, is_judged
from core.extraction.names import EMAIL, PERSON, PLACE, kind_of, vote_label
from core.extraction.senses import (
    THING,
    Bearing,
    DocumentFact,
    DocumentName,
    Sign,
    Use,
    bearings,
    senses,
    signs,
)
from core.extraction.terms import word_ranks
from core.graph.build import undirected
from core.graph.layout import force_layout, place_new_nodes
from core.graph.synonymy import UNLINKED
from core.ingest.grouping import group_all, regroup_touched
from core.ingest.linking import SEED, Linker
from core.ingest.map_content import Embed, update_terms, update_ties
from core.ingest.resolving import Resolver
from core.progress import TaskContext
from core.review.reanchor_decisions import reanchor_decisions
from core.review.weighing import take_in
from core.store.entities import Votes
from core.store.settings import CHANGED
from core.store.store import Store
from core.text.sentences import sentences
from core.text.statements import RULES as SENTENCES
from core.text.statements import is_statement
from core.types.kinds import NOUN, OTHER, with_sense, without_sense

_RULES = f"{REFERENCES} {SENTENCES}"
_READ_BY = "forms"  # the setting: by which rules all texts were looked through
_DOCUMENTS_AT_ONCE = 64  # documents a transaction
_TELLING = 0.2  # share of its letters that a document which tells in sentences has in them


def note_forms(store: Store, context: TaskContext) -> None:
    """Look through the texts that are new, or were looked through by other rules.

    Where a workspace is looked through by other rules than before, communities are made anew by the next derivation:
    they may rest on what is in a list. Raises Cancelled; what was looked through stays so.
    """
    due = store.settings.get(_READ_BY) != _RULES and store.communities.levels() > 0
    for part in _parts(store.reference_lists.unread(_RULES)):
        context.check()
        rows = [(key, reference_lists(text), in_sentences(text)) for key, text in part]
        # First: a run that ends in between looks at these texts again.
        if due and store.reference_lists.differ((key, spans) for key, spans, _ in rows):
            store.marks.unsettle(store.facts.count() + store.map_edges.count_ties() + 1)
            due = False
        store.reference_lists.put(rows, _RULES)
    store.settings.set(_READ_BY, _RULES)


def in_sentences(text: str) -> bool:
    """Whether a text tells in sentences; else it is a register, a table, an agenda: a list of rows and points."""
    wanted = _TELLING * len(text.strip())
    length = 0
    for sentence in sentences(text):
        length += sentence.end - sentence.start if is_statement(text[sentence.start : sentence.end]) else 0
        if length > wanted:  # hardly ever is all of it read
            return True
    return False


def _parts(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    rest = iter(texts)
    while part := list(islice(rest, _DOCUMENTS_AT_ONCE)):
        yield part


# ------------------------------------------------------------ names, graph and map


_AT_ONCE = 200  # documents a transaction


def disambiguate(store: Store, context: TaskContext) -> None:
    """Point mentions and triples to the bearer of their name whom their document means.

    Interrupted, it leaves its marks, and the next run does it again.
    """
    touched = store.senses.touched()
    for first in range(0, len(touched), _AT_ONCE):
        context.report("homonyms", first, len(touched))
        part = touched[first : first + _AT_ONCE]
        store.senses.put({document: _signs(store, document) for document in part})
    for document, names in _wanted(store, touched).items():
        context.check()
        _point(store, document, names, complete=document in touched)
        store.name_changes.point(document)
    store.senses.clear()


def _signs(store: Store, document: int) -> dict[str, tuple[str, str]]:
    """(kind, value) by name, from the whole document, whatever senses its names have been given."""
    passages = [
        (text, [Use(without_sense(normal), label, start, end) for normal, label, start, end in uses])
        for text, uses in store.senses.uses(document)
    ]
    bearing = bearings(passages)
    labels: dict[str, str] = {}
    for row in store.senses.names(document):
        normal = without_sense(row.normal)
        if row.label not in UNLINKED or (row.label == NOUN and normal in bearing and bearing[normal].kinds):
            labels.setdefault(normal, row.label)
    names = [
        DocumentName(normal, label, bearing.get(normal, Bearing()))
        for normal, label in sorted(labels.items())
    ]
    facts = [
        DocumentFact(without_sense(t.subject), t.predicate, without_sense(t.object))
        for t in store.senses.triples(document, stated=False)
        if not t.assertion  # what is denied of somebody is no sign of who it is
    ]
    return {normal: (sign.kind, sign.value) for normal, sign in signs(names, facts).items()}


def _wanted(store: Store, touched: Sequence[int]) -> dict[int, dict[str, str]]:
    """Sense by name in each document that is to be looked at, the touched ones whole."""
    found: dict[int, dict[str, str]] = {document: {} for document in touched}
    names = set(store.senses.touched_names())
    for document in touched:
        names.update(store.senses.signed(document))
    for normal in sorted(names):
        stored = store.senses.signs_of(normal)
        meant = senses({document: Sign(kind, value) for document, (kind, value, _) in stored.items()})
        for document, sense in meant.items():
            if document in found or sense != stored[document][2]:
                found.setdefault(document, {})[normal] = sense
    return found


def _point(store: Store, document: int, wanted: Mapping[str, str], complete: bool) -> None:
    """Move what points elsewhere; `complete`: names that are not in `wanted` have no sense here."""
    targets: dict[int, tuple[str, str, str]] = {}
    for row in store.senses.names(document):
        normal = without_sense(row.normal)
        if not complete and normal not in wanted:
            continue
        target = with_sense(normal, wanted.get(normal, ""))
        if target != row.normal:
            targets[row.key] = (target, normal, row.label)
    if targets:
        store.senses.move(document, targets)
    store.senses.settle(document, wanted)


# ------------------------------------------------------------ names, graph and map


_NAMES = 512  # names a transaction
_NOT_THINGS = frozenset({"PERSON", "GPE", "LOC", "FAC", "ORG", "OTHER", "NORP"})
REDRAW = 0.1  # share of facts and ties that may change before communities and map are made anew (triple-layer 7.1.3)


def update_names(store: Store, context: TaskContext) -> None:
    """Name and label entities by their mentions; delete facts and entities without support, in one transaction.

    The marks of what changed stay until `build_graph` clears them, so a run that is interrupted in between leaves them
    to the next one.
    """
    with store.database.transaction():
        changed = store.marks.documents()
        if changed:
            update_terms(store, context)
        disambiguate(store, context)
        if changed:
            reanchor_decisions(store)
        store.facts.join_voices()
        store.facts.sweep()
        take_in(store)
        store.entities.sweep()
        label_names(store)
        store.documents.finish()


def embed_names(store: Store, embedder: Callable[[], Embed], context: TaskContext) -> None:
    """Encode the names that have no vector; `embedder` is called only if there are any. Each batch is committed."""
    missing = store.embeddings.missing_entities(UNLINKED)
    for first in range(0, len(missing), _NAMES):
        context.report("names", first, len(missing))
        part = missing[first : first + _NAMES]
        vectors = embedder().embed([name for _, name in part], context)
        with store.database.transaction() as connection:
            store.embeddings.put(
                connection, "entity", [(key, vectors[at]) for at, (key, _) in enumerate(part)]
            )
    context.report("names", len(missing), len(missing))


def build_graph(store: Store, config: GraphConfig, context: TaskContext) -> None:
    """Resolve marked names, link them, group entities and place them: no more than what changed.

    All of it is one transaction: what is regrouped rests on what was there before, so a run that is interrupted must
    leave that, or all of it.
    """
    with store.database.transaction():
        touched = store.marks.entities()
        before = store.entities.heads(touched)
        Resolver(store).resolve(touched, context)
        is_due = store.marks.documents() or store.map_edges.are_ties_stale()
        pairs = np.zeros((0, 2), dtype=np.int64)
        if is_due or store.entities.heads(touched) != before:
            pairs = update_ties(store)
        touched = store.marks.entities()
        Linker(store, config).link(touched, context)
        context.report("communities", 0, 1)
        edges = store.facts.count() + store.map_edges.count_ties()
        changed = int(store.settings.get(CHANGED, "0")) + store.marks.facts() + len(pairs)
        needs_redraw = changed > REDRAW * max(1, edges) or not store.communities.levels()
        if needs_redraw:
            _place(store, context)
        else:
            moved = np.union1d(touched, pairs)
            _settle(store, moved.tolist())
            store.layout.recolour(regroup_touched(store, moved.tolist(), SEED))
        store.settings.set(CHANGED, "0" if needs_redraw else str(changed))
        store.settings.touch()
        store.marks.clear()


def _settle(store: Store, touched: Sequence[int]) -> None:
    """Give touched entities their places; all others stay where they are."""
    heads = store.entities.heads(touched)
    present = store.map_edges.among_nodes(heads.values())
    store.layout.drop(key for key in heads if key not in present)
    tied = store.map_edges.tied(present)
    placed = store.layout.of(present)
    # Placed already and still joined: it stays. Who lost every fact and tie, or gained its first, moves.
    wanted = {key for key in present if key not in placed or (key in tied) != (placed[key].community >= 0)}
    if not wanted:
        return
    edges = store.map_edges.touching(wanted)
    near = store.layout.of({end for left, right, _ in edges for end in (left, right)} - wanted)
    staying = {key: spot for key, spot in near.items() if spot.community >= 0}
    free, radius = store.layout.extent()
    store.layout.put(place_new_nodes(sorted(wanted), edges, staying, free, radius))


def _place(store: Store, context: TaskContext) -> None:
    """Communities and places over facts and ties; nodes with neither stand outside."""
    rows = store.entities.rows(store.map_edges.nodes())
    keys = np.array([row.key for row in rows], dtype=np.int64)
    # By id, not by row: an interrupted run must draw the same picture.
    order = np.argsort(np.array([row.id for row in rows])) if rows else np.zeros(0, dtype=np.int64)
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows))
    map_edges = store.map_edges.edges()
    ends = rank[np.searchsorted(keys, map_edges.ends)].reshape(-1, 2)
    edges = undirected(ends, map_edges.weights)
    in_order = np.array([rows[at].key for at in order], dtype=np.int64)
    telling = ~np.isin(map_edges.facts, list(store.reference_lists.facts()))
    content_edges = undirected(ends[telling], map_edges.weights[telling])
    communities = group_all(store, in_order, content_edges, SEED, context).astype(np.int32)
    context.report("layout", 0, 1)
    before = _stood(store, in_order)
    positions = force_layout(len(rows), edges.ends, edges.weights, communities, SEED, before)
    linked = np.zeros(len(rows), dtype=bool)
    linked[edges.ends.ravel()] = True
    communities = np.where(linked, communities, -1)
    store.layout.replace(
        (int(keys[at]), int(communities[place]), float(positions[place, 0]), float(positions[place, 1]))
        for at, place in enumerate(rank)
    )
    context.report("layout", 1, 1)


def _stood(store: Store, keys: NDArray[np.int64]) -> NDArray[np.float32]:
    """Where the entities with these keys stand on the map, (n, 2); NaN for those that nothing joins, or new."""
    placed = store.layout.all()
    found = np.full((len(keys), 2), np.nan, dtype=np.float32)
    if len(placed.keys):
        at = np.minimum(np.searchsorted(placed.keys, keys), len(placed.keys) - 1)
        known = (placed.keys[at] == keys) & (placed.communities[at] >= 0)
        found[known] = placed.positions[at[known]]
    return found


def _judged_label(label: str, own: Votes) -> str:
    """Return what the judge of names says against the recogniser's label; "" where it says nothing else.

    What a person states stands. Of single words that are no name to the recogniser only a handle that speaks is more.
    """
    if own.stated or not own.judged:
        return ""
    if own.judged == SPEAKER:
        return "PERSON" if label in {OTHER, NOUN} and own.normal not in word_ranks() else ""
    is_word = label == NOUN and " " not in own.normal
    is_open = is_judged(label) and label != EMAIL and not is_word and not agree(label, own.judged)
    return own.judged if is_open else ""


def _labels_by_sense(store: Store, votes: Sequence[Votes], labels: Mapping[int, str]) -> dict[int, str]:
    """What the bearers of a name are that were told apart by their kind, whatever the recogniser took them for."""
    places = store.senses.places_apart(own.normal for own in votes if not own.sense)
    found = {own.key: "PERSON" for own in votes if own.sense == PERSON}
    found |= {own.key: "PRODUCT" for own in votes if own.sense == THING and labels[own.key] in _NOT_THINGS}
    return found | {
        own.key: "GPE"
        for own in votes
        if not own.sense and own.normal in places and kind_of(labels[own.key]) != PLACE
    }


def label_names(store: Store) -> None:
    """Name and label what was touched, and names of a word that more, or fewer, passages write in lower case."""
    store.entities.touch_words()
    store.entities.rename()
    votes = store.entities.votes()
    lower = store.entities.lower_counts({own.normal for own in votes})
    labels = {own.key: vote_label(own.normal, own.labels, lower.get(own.normal, 0)) for own in votes}
    labels |= {own.key: label for own in votes if (label := _judged_label(labels[own.key], own))}
    # What a person states a fact of is no mere word.
    labels |= {own.key: own.stated for own in votes if own.stated and labels[own.key] == NOUN}
    labels |= _labels_by_sense(store, votes, labels)
    labels |= store.name_changes.labels()
    store.entities.set_labels({own.key: labels[own.key] for own in votes if labels[own.key] != own.label})
