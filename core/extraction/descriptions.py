"""Triples from nouns: apposition, possession, nationality, and the prepositions that hang on a noun."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.extraction.assertion import description_of
from core.extraction.clause_takers import PLAIN
from core.extraction.clauses import (
    COMMON_OBJECT,
    INDEFINITE,
    PLACES,
    SURE,
    Complement,
    Found,
    join,
    tells_kind,
)
from core.extraction.names import Name
from core.extraction.owners import Owners
from core.extraction.phrases import Endpoint, Phrases
from core.text.predicates import family_of
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Confidence by pattern.
NATIONALITY = 0.9  # "an American film of 1972": also the year
NOUN_PREPOSITION = 0.85  # "the director of X", of whom it is said
APPOSITION = 0.75  # "Anna, a lawyer"
POSSESSION = 0.75  # "X's director", "her marriage to X"
ROLE = 0.7  # "film director Anna Berg"
PLACED = 0.65  # "Boston, Massachusetts"
NAME_PREPOSITION = 0.6  # "Boston in Massachusetts"


_WITHIN = frozenset({"in", "of", "near"})
_PLACED = PLACES | frozenset({"ORG", "EVENT"})


def description_triples(doc: Doc, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    """Yield, in one pass over the nouns, what each says of the name that it describes."""
    for noun in doc:
        name = phrases.name(noun)
        if name is None and not phrases.common(noun):
            continue
        if name is not None and name.first <= noun.head.i <= name.last and noun.head.i != noun.i:
            continue  # inside a name; its head speaks for it
        if name is not None and (name.label in VALUES or name.label == "NORP"):
            continue
        described = list(_described(noun, name, phrases, owners))
        assertion = description_of(noun) if described else PLAIN
        for found in described:
            yield found if assertion.plain else replace(found, assertion=assertion)


def _described(noun: Token, name: Name | None, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    own = owners.of(noun)
    for owner in own:
        yield from _of_noun(noun, owner, phrases, owners)
    if not own and phrases.common(noun):
        yield from _of_holder(noun, phrases, owners)
    if name is None and noun.dep_ != "attr":
        for owner in owners.apposed(noun):  # "the film director Peter Jones"
            determined = any(child.dep_ == "det" for child in noun.children)
            if owner.certainty == 1 and determined and tells_kind(noun, INDEFINITE | {"the"}):
                yield _found(owner, "is", Endpoint(phrases.noun_phrase(noun), None), noun, ROLE)
    if name is not None and own:
        yield from _extract_adjuncts(noun, own[0], phrases)


def _of_noun(noun: Token, owner: Endpoint, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    """Yield adjectives, possessors and prepositions of a noun, said of its owner."""
    common = phrases.common(noun)
    name = phrases.name(noun)
    for child in noun.children:
        if name is not None and name.first <= child.i <= name.last:
            continue
        far = child.lower_ == "from" and any(other.dep_ == "nummod" for other in noun.children)
        if (
            child.dep_ == "prep" and not far and (common or _within(child, owner, phrases))
        ):  # "nine miles from"
            word = f"{noun.lower_} {child.lower_}" if common else child.lower_
            confidence = NOUN_PREPOSITION if common else NAME_PREPOSITION
            for target in child.children:
                if target.dep_ == "pobj":
                    yield from join(
                        owner, "", Complement(word, target, confidence), 1.0, phrases, owners, noun.i
                    )
        elif child.dep_ == "poss" and (holder := phrases.named(child)) is not None:
            # "his Juno" is no name's; "Slope and her daughters" are not one.
            if (name is not None and holder.certainty < SURE) or noun.dep_ == "conj":
                continue
            word = f"{noun.lower_} of" if common else _possessed(noun, phrases)
            yield _found(owner, word, holder, noun, POSSESSION)
    if common:
        yield from _before(noun, owner, phrases)


def _within(preposition: Token, owner: Endpoint, phrases: Phrases) -> bool:
    """ "the port of Antwerp", "Sorbonne University in Paris": what lies in a place; else names join nothing so."""
    if preposition.lower_ not in _WITHIN or owner.label not in _PLACED:
        return False
    return any(
        (point := phrases.named(child)) is not None and point.label in PLACES
        for child in preposition.children
    )


def _of_holder(noun: Token, phrases: Phrases, owners: Owners) -> Iterator[Found]:
    """ "her marriage to Ian": what someone's thing leads to, said of that person."""
    holders = [child for child in noun.children if child.dep_ == "poss"]
    holder = phrases.named(holders[0]) if holders else None
    if holder is None:
        return
    for child in noun.children:
        for target in child.children if child.dep_ == "prep" else ():
            if target.dep_ == "pobj" and phrases.named(target) is not None and family_of(noun.lower_):
                complement = Complement(f"{noun.lower_} {child.lower_}", target, POSSESSION)
                yield from join(holder, "", complement, 1.0, phrases, owners, noun.i)


def _before(noun: Token, owner: Endpoint, phrases: Phrases) -> Iterator[Found]:
    """Yield the names among a noun's modifiers: "a 1972 British film", "a Sony executive"."""
    at = noun.left_edge.i
    while at < noun.i:
        token = noun.doc[at]
        point = phrases.endpoint(token)
        if point is None or point.name is None:
            at += 1
            continue
        at = point.name.last + 1 if point.name.last > at else at + 1
        if point.name.label in {"NORP", "LANGUAGE"}:
            if noun.tag_ == "NN" and point.text[0].isupper():
                yield _found(owner, "is", point, noun, NATIONALITY)
        elif point.name.label == "DATE" and owner.label != "PERSON":
            yield _found(owner, "dated", point, noun, NATIONALITY)
        elif (
            owner.label == "PERSON"
            and point.name.label in {"ORG", "GPE"}
            and noun.tag_ == "NN"
            and token.dep_ in {"compound", "nmod"}
            and token.head.i == noun.i
        ):
            yield _found(owner, f"{noun.lower_} of", point, noun, APPOSITION)


def _possessed(noun: Token, phrases: Phrases) -> str:
    """ "Lil Jon's album Crunk": album of; "Lil Jon's Crunk": of."""
    role = _role(noun, phrases)
    return f"{role.split()[-1]} of" if role else "of"


def _role(noun: Token, phrases: Phrases) -> str:
    """Return the common nouns directly before a name: "film director" in "film director Anna Berg"."""
    name = phrases.name(noun)
    first = name.first if name is not None else noun.i
    words: list[str] = []
    at = first - 1
    while at >= 0 and len(words) < 4:
        token = noun.doc[at]
        if not phrases.common(token) or token.dep_ not in {"compound", "nmod"} or token.tag_ == "NNS":
            break
        words.insert(0, token.text)
        at -= 1
    return " ".join(words)


def _extract_adjuncts(noun: Token, owner: Endpoint, phrases: Phrases) -> Iterator[Found]:
    """Yield what stands beside a name: its role before it, its apposition and its place after it."""
    if owner.label == "PERSON" and (role := _role(noun, phrases)):
        yield _found(owner, "is", Endpoint(role, None), noun, ROLE)
    for child in noun.children:
        if child.dep_ != "appos":
            continue
        point = phrases.endpoint(child)
        if point is None or point.value or point.text == owner.text:
            continue
        if point.name is not None and point.name.label in PLACES:
            yield _found(owner, "in", point, noun, PLACED)
        elif not point.named and tells_kind(child) and owner.certainty == 1:
            yield _found(owner, "is", point, noun, APPOSITION)


def _found(owner: Endpoint, predicate: str, target: Endpoint, noun: Token, confidence: float) -> Found:
    confidence *= owner.certainty * target.certainty
    if not target.named:
        confidence = min(confidence, COMMON_OBJECT)
    return Found(owner, predicate, target, noun.i, confidence)
