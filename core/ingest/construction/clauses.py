"""Clauses from which no triple was built, and why: found by the same tests that building them makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.extraction.clauses import Complement, clause_subjects, complements
from core.extraction.phrases import Endpoint
from core.extraction.topic import SUBJECTS
from core.extraction.triples import Analysis
from core.text.translation import mark

if TYPE_CHECKING:
    from spacy.tokens import Token

_STEPS = 4  # clauses up to that of the subject
PRONOUNS = frozenset({"PRP", "PRP$"})

SUBJECT_PRONOUN = mark("its subject is a pronoun that stands for no name here")
SUBJECT_COMMON = mark("its subject is no name")
NO_SUBJECT = mark("its subject is missing")
OBJECT_PRONOUN = mark("its object is a pronoun that stands for no name here")
OBJECT_GENERIC = mark("its object says nothing by itself")
OBJECT_COMMON = mark("its object is no name")
NO_OBJECT = mark("nothing follows the verb that it could be joined to")


def refused_clauses(window: Analysis, anchors: set[int]) -> Iterator[tuple[Token, str, str]]:
    """(verb, clause in words, reason) of each verb that is no token of `anchors`, from which triples were built."""
    for verb in window.doc:
        if verb.tag_[:2] != "VB" or verb.i in anchors or verb.dep_ in {"aux", "auxpass"}:
            continue
        subject, found = _subject(verb), list(complements(verb))
        points, _ = clause_subjects(verb, window.phrases, window.owners)
        if not points:
            yield verb, _words(window, verb, subject, found[:1]), _why_no_subject(subject)
        elif not found:
            yield verb, _words(window, verb, subject, []), NO_OBJECT
        else:
            for complement in found:
                reason = _why_no_object(window, complement.token)
                yield verb, _words(window, verb, subject, [complement], points[0][0]), reason


def _subject(verb: Token) -> Token | None:
    for _ in range(_STEPS):
        own = [child for child in verb.children if child.dep_ in SUBJECTS]
        if own:
            return own[0]
        verb = verb.head
    return None


def _why_no_subject(subject: Token | None) -> str:
    if subject is None:
        return NO_SUBJECT
    return SUBJECT_PRONOUN if subject.tag_ in PRONOUNS else SUBJECT_COMMON


def _why_no_object(window: Analysis, token: Token) -> str:
    if token.tag_ in PRONOUNS:
        return OBJECT_PRONOUN
    return OBJECT_COMMON if window.phrases.endpoint(token) is not None else OBJECT_GENERIC


def _words(
    window: Analysis,
    verb: Token,
    subject: Token | None,
    found: list[Complement],
    point: Endpoint | None = None,
) -> str:
    """Subject, predicate and object as far as the clause has them."""

    def phrase(token: Token) -> str:
        own = window.phrases.endpoint(token)
        return own.text if own is not None else window.phrases.noun_phrase(token)

    first = point.text if point is not None else phrase(subject) if subject is not None else "?"
    predicate = found[0].predicate if found else verb.lower_
    return " / ".join([first, predicate, *(phrase(each.token) for each in found)])
