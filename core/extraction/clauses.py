"""Triples from the clauses of a parsed text: who did what to whom, where and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.extraction.phrases import Endpoint, Phrases

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

ACTIVE, PASSIVE, PREPOSITIONAL = 0.9, 0.9, 0.8
SUBJECTS = frozenset({"nsubj", "nsubjpass"})
OBJECTS = frozenset({"dobj", "attr", "oprd", "dative"})


@dataclass(frozen=True, slots=True)
class Found:
    """A triple before its offsets are known: `anchor` is a token index of its evidence."""

    subject: Endpoint
    predicate: str
    object: Endpoint
    anchor: int
    confidence: float


def clause_triples(doc: Doc, phrases: Phrases) -> Iterator[Found]:
    """One pass over the verbs; each gives its subjects joined to its objects and prepositional objects."""
    for verb in doc:
        if verb.tag_[:2] != "VB":
            continue
        subjects = _subjects(verb, phrases)
        if not subjects:
            continue
        for predicate, token, confidence in _complements(verb):
            for part in conjuncts(token):
                target = phrases.endpoint(part)
                if target is None:
                    continue
                for subject in subjects:
                    yield Found(subject, predicate, target, verb.i, confidence)


def conjuncts(token: Token) -> list[Token]:
    """The token and what is joined to it by "and" or commas."""
    found = [token]
    for child in token.children:
        if child.dep_ == "conj" and len(found) < 12:
            found.extend(conjuncts(child))
    return found


def _subjects(verb: Token, phrases: Phrases) -> list[Endpoint]:
    """The verb's own subjects, else those of the verb that it is joined to."""
    for _ in range(4):
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if own:
            parts = [part for token in own for part in conjuncts(token)]
            return [point for part in parts if (point := phrases.endpoint(part)) is not None and point.named]
        if verb.dep_ not in {"conj", "xcomp"}:
            return []
        verb = verb.head
    return []


def _complements(verb: Token) -> Iterator[tuple[str, Token, float]]:
    """Predicate, object token and confidence of each object, agent and prepositional object."""
    word = verb.lower_
    for child in verb.children:
        if child.dep_ in OBJECTS:
            yield word, child, ACTIVE
        elif child.dep_ in {"prep", "agent"}:
            confidence = PASSIVE if child.dep_ == "agent" else PREPOSITIONAL
            for target in child.children:
                if target.dep_ == "pobj":
                    yield f"{word} {child.lower_}", target, confidence
