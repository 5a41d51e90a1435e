"""From a scope to the passages in it, with what each part of it adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.retrieval.timeline import passages_between, undated_documents
from core.store.facts import FactText
from core.store.passages import ScopeKeys
from core.store.store import Store
from core.text.translation import mark, tr, trn
from core.types import Answer, Scope, ScopeCoverage, ScopePart, Stage
from core.types.stages import MOST

Keys = NDArray[np.int64]


class NothingInScope(BadInput):
    """No passage is in scope; `selection` says why, part by part."""

    def __init__(self, selection: ScopedPassages) -> None:
        super().__init__(
            tr("No passage is in the scope: {parts}.", parts=selection.found.names),
            tr("Take something out of the scope, or clear it, and ask again."),
        )
        self.selection = selection


@dataclass(frozen=True, slots=True)
class ScopedPassages:
    """A scope over one snapshot: what it holds, and the keys of its passages, ascending."""

    scope: Scope
    found: ScopeCoverage
    keys: Keys

    def of(self, answer: Answer, seconds: float) -> Answer:
        """An answer that was looked for in it, which says so; `seconds` were spent before."""
        trace = answer.trace
        stage = Stage(mark("scope"), seconds, self.found.words, self.found)
        trace = replace(
            trace, scope=self.scope, stages=(stage, *trace.stages), seconds=trace.seconds + seconds
        )
        missing = answer.missing
        if answer.abstained and self.found.taken:
            only = trn(
                "It was looked for only in the scope: {count} of {all} passages.",
                "It was looked for only in the scope: {count} of {all} passages.",
                self.found.taken,
                all=f"{self.found.count:,}",
            )
            missing = f"{missing} {only}".strip()
        return replace(answer, trace=trace, missing=missing)


def restrict_to_scope(store: Store, scope: Scope, passages: Keys) -> ScopedPassages:
    """What of `passages`, keys in ascending order, is in scope."""
    parts, chosen = [], []
    for part, keys in _chosen(store, scope):
        inside = np.intersect1d(keys, passages, assume_unique=True)
        parts.append(replace(part, passages=len(inside)))
        chosen.append(inside)
    taken = np.unique(np.concatenate(chosen)) if chosen else passages
    if scope.dated:
        dated = passages_between(store, scope.since, scope.until)
        words = dates_in_words(scope)
        if undated := undated_documents(store, taken):
            words = trn(
                "{dates}, without {count} document that has no date",
                "{dates}, without {count} documents that have no date",
                undated,
                dates=words,
            )
        parts.append(ScopePart("dates", "", words, int(np.isin(dated, passages).sum())))
        taken = taken[np.isin(taken, dated)]
    return ScopedPassages(scope, ScopeCoverage(tuple(parts[:MOST]), len(taken), len(passages)), taken)


def _chosen(store: Store, scope: Scope) -> Iterator[tuple[ScopePart, Keys]]:
    """Each entity, document and community with the keys of its passages."""
    scopes = store.scopes
    for kind, ids, by_id in (
        ("entity", scope.entities, scopes.entities(scope.entities)),
        ("document", scope.documents, scopes.documents(scope.documents)),
        ("community", map(str, scope.communities), scopes.communities(scope.communities)),
    ):
        yield from _parts(kind, tuple(dict.fromkeys(ids)), by_id)


def _parts(kind: str, ids: tuple[str, ...], by_id: ScopeKeys) -> Iterator[tuple[ScopePart, Keys]]:
    for id in ids:
        name, keys = by_id.get(id, ("", []))
        gone = "" if id in by_id else tr("no longer in the workspace")
        if kind == "community":
            name = name or tr("Community {id}", id=id)
        yield ScopePart(kind, id, name or id, 0, gone), np.array(keys, dtype=np.int64)


def scoped_fact_texts(store: Store, passages: Set[str], keys: Sequence[int]) -> dict[int, FactText]:
    """Return what these facts say in `passages`, by key; without those that say nothing there."""
    found = {}
    for key, fact in store.facts.texts(keys).items():
        if clauses := tuple(clause for clause in fact.clauses if clause[0] in passages):
            found[key] = replace(fact, clauses=clauses)
    return found


def dates_in_words(scope: Scope) -> str:
    if scope.since and scope.until:
        return tr("{since} to {until}", since=scope.since, until=scope.until)
    return tr("since {since}", since=scope.since) if scope.since else tr("until {until}", until=scope.until)
