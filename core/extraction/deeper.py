"""Triples that are too unsure to be facts before a person looked at them: with names deep below a verb."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.extraction.assertion import assertion_of
from core.extraction.clauses import Found, clause_subjects, complements
from core.extraction.owners import Owners
from core.extraction.phrases import Endpoint, Phrases, conjuncts

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

DEEP = 0.4  # confidence
_STEPS = 3  # nouns between the verb and the name
_MOST_WORDS = 7  # of a predicate; a longer one is no relation but the sentence


def deep_triples(doc: Doc, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    """The words on the way through the tree from a verb's subject to a name below its complements:
    "wrote report on collapse of"."""
    for verb in doc:
        if verb.tag_[:2] != "VB":
            continue
        subjects, _ = clause_subjects(verb, phrases, owners)
        if subjects and not assertion_of(verb).plain:
            continue
        for complement in complements(verb) if subjects else ():
            for predicate, point in _below(complement.token, complement.predicate, phrases, _STEPS):
                # A date or an amount that deep says something of its noun, not of the subject.
                if len(predicate.split()) <= _MOST_WORDS and not point.value:
                    for subject, prefix in subjects:
                        yield Found(subject, prefix + predicate, point, verb.i, DEEP)


def _below(token: Token, words: str, phrases: Phrases, steps: int) -> Iterator[tuple[str, Endpoint]]:
    """(predicate, name) of each name in the phrase of a noun that is none itself."""
    for noun in conjuncts(token):
        if (point := phrases.endpoint(noun)) is not None and point.named:
            yield words, point
        elif steps and phrases.common(noun):
            so_far = f"{words} {noun.lower_}"
            for child in noun.children:
                if child.dep_ == "poss":
                    yield from _below(child, f"{so_far} of", phrases, 0)
                elif child.dep_ == "prep":
                    for target in child.children:
                        if target.dep_ == "pobj":
                            yield from _below(target, f"{so_far} {child.lower_}", phrases, steps - 1)
                elif child.dep_ == "acl" and child.tag_ in {"VBN", "VBG"}:
                    for inner in complements(child):
                        yield from _below(inner.token, f"{so_far} {inner.predicate}", phrases, steps - 1)
