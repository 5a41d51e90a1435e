"""Keeps the senses of names in step with the documents: only those that changed, and names they share a sign of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.extraction.bearers import Bearing, Use, bearings
from core.extraction.senses import DocumentFact, DocumentName, Sign, senses, signs
from core.graph.synonymy import UNLINKED
from core.progress import TaskContext
from core.store.store import Store
from core.types.identity import with_sense, without_sense
from core.types.kinds import NOUN

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
