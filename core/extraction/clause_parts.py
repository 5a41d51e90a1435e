"""Parts of a clause, as a parse has them: its verb, its subject, and who speaks in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.extraction.topic import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token


NOBODY = frozenset({"nobody", "none", "nothing", "neither", "noone", "nowhere"})


def clause_of(token: Token) -> Token:
    """The verb of a clause for one of its auxiliaries."""
    while token.dep_ in {"aux", "auxpass"} and token.head.i != token.i:
        token = token.head
    return token


def governing(token: Token) -> Token:
    """The verb in whose clause a token stands; the token itself where there is none."""
    while token.tag_[:2] not in {"VB", "MD"} and token.head.i != token.i:
        token = token.head
    return clause_of(token)


def subject_of(verb: Token) -> Token | None:
    return next((child for child in verb.children if child.dep_ in SUBJECTS), None)


def speaker_of(verb: Token) -> str:
    """Who says it: the subject of a verb, of a passive its agent; "" where nobody is named."""
    for _ in range(3):
        subject = subject_of(verb)
        if subject is not None:
            return _agent(verb) if subject.dep_ == "nsubjpass" else noun_words(subject)
        if verb.dep_ not in {"conj", "xcomp", "advcl"}:
            return ""
        verb = verb.head
    return ""


def _agent(verb: Token) -> str:
    for child in verb.children:
        if child.dep_ == "agent" or child.dep_ == "prep" and child.lower_ == "by":
            return next((noun_words(target) for target in child.children if target.dep_ == "pobj"), "")
    return ""


def holder_of(noun: Token) -> str:
    """ "Anna's claim", "the claim by Anna"."""
    for child in noun.children:
        if child.dep_ == "poss":
            return noun_words(child)
        if child.dep_ in {"agent", "prep"} and child.lower_ in {"by", "of"}:
            return next((noun_words(target) for target in child.children if target.dep_ == "pobj"), "")
    if noun.dep_ == "dobj" and noun.head.tag_[:2] == "VB":
        return speaker_of(noun.head)
    return ""


def named_by(preposition: Token) -> str:
    for child in preposition.children:
        if child.dep_ == "pobj":
            return noun_words(child)
        if found := named_by(child):
            return found
    return ""


def noun_words(noun: Token) -> str:
    """A noun phrase without what describes it behind; "" for a pronoun that names nobody."""
    if noun.tag_ in {"EX", "PRP", "DT", "WP", "WDT"} or noun.lower_ in NOBODY | {"one"}:
        return ""
    last = max([noun.i, *(c.i for c in noun.children if c.dep_ in {"flat", "compound"})])
    return noun.doc[noun.left_edge.i : last + 1].text.strip()


def is_name(token: Token) -> bool:
    """A word with a capital within a sentence: a name, whatever the parser takes it for."""
    return token.is_title and token.i > token.sent.start and token.nbor(-1).is_alpha
