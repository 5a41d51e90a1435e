"""Short forms of names: surnames, forenames, initials, handles, addresses, first letters, and whose they may be.

Each rule says that one of two names may be short for the other; who alone can be meant is seen where all such pairs
are looked at together (`name_clusters.py`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Protocol

from core.extraction.name_blocks import SHORTEST_SURNAME, handle_keys, handles, is_short, local_words, spells
from core.extraction.names import EMAIL, NAME_PARTICLES, PERSON, PLACE, NamedEntity, fits, words_of
from core.extraction.titles import (
    FORENAMES,
    KNOWN_FORENAMES,
    at_odds,
    may_be_personal,
    sex_of_words,
    titles_of,
    untitled,
)
from core.text.sentences import without_form
from core.text.translation import tr
from core.types.kinds import CONCEPT

_LONGEST_PERSON = 4  # words
_SHARED = 0.05  # of the documents of a person's forename: least that must hold the longer name, too
_SHARED_WORD = 0.1  # the same for a word of another label
_LONGEST_INITIALS = 3  # letters
# Rules by which a short form is one of whoever alone may be meant by it.
SHORTENINGS = frozenset({"acronym", "surname", "forename", "initials", "handle", "address", "firm"})
SINGLE_WORDS = frozenset({"surname", "forename"})  # those of words alone, which mean the most people
APART = 0.75  # score of a shortening whose names share no document


class Context(Protocol):
    """Where a name stands: keys of documents and passages. Asked only where words alone do not decide."""

    @property
    def documents(self) -> Set[int]: ...

    @property
    def passages(self) -> Set[int]: ...

    @property
    def defines(self) -> Set[int]:
        """Names in brackets behind it: "Maritime Fraud Unit (MFU)"."""
        ...


@dataclass(frozen=True, slots=True)
class Merge:
    """Two names of one entity, and why. `score` is how sure the rule is, 0..1."""

    rule: str
    reason: str
    score: float


def match_surname(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Match a surname or forename with its full name: "Tervaert" or "Joost" with "Joost Tervaert".

    A forename needs a document in common; a surname does where nothing says that it is a person's.
    """
    for full, short, wide, narrow in ((one, other, here, there), (other, one, there, here)):
        words, last, titles = untitled(full.natural), untitled(short.natural), titles_of(short.words)
        fuller = len(words) > 1 or (len(full.words) > 1 == len(short.words) and bool(titles_of(full.words)))
        personal = full.personal or (titles and short.personal and may_be_personal(full.normal, full.words))
        if not personal or not fuller or len("".join(last)) < SHORTEST_SURNAME or len(words[-1]) == 1:
            continue
        sexes = (sex_of_words(short.words), sex_of_words(full.words))
        if at_odds(full.words, short.words):
            continue
        if last == words[-len(last) :] and is_surname(last, words):
            if share_document(here, there):
                if short.kind == PERSON or _may_be_person(short, narrow, wide):
                    return Merge("surname", tr("the same surname, in one document"), 0.85)
            elif is_short(short) and len(words) > 1 and not (sexes == ("she", "") or full.kind == PLACE):
                return Merge("surname", tr("the same surname"), APART)
        elif len(last) == 1 and last[0] == full.nickname:
            return Merge("acronym", tr("the nickname in the name"), 0.95)
        elif (len(last) == 1 or short.hyphenated) and len(last) < len(words) and last == words[: len(last)]:
            # "Joost", "Sir Joost"; not "Nurse Joost"
            called = titles == titles_of(full.words) if titles else len(last) == len(short.words)
            called = called and (short.label not in {"NORP", "LANGUAGE"} or short.normal in FORENAMES)
            if called and _may_be_person(short, narrow, wide):
                return Merge("forename", tr("a forename of the name, in one document"), 0.82)
    return None


def is_surname(last: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Return whether the last words of a person's name are a surname: "Krag", "von der Leyen", "García Márquez"."""
    double = (
        len(last) == 2 and len(words) > 2 and {words[0]} <= KNOWN_FORENAMES and last[0] not in KNOWN_FORENAMES
    )
    return len(last) == 1 or (len(last) < len(words) and (double or {*last[:-1]} <= NAME_PARTICLES))


def _may_be_person(short: NamedEntity, narrow: Context, wide: Context) -> bool:
    """Return whether a single word stands for a person whose longer name shares its documents.

    Its label may be anything, so it must be a forename, or stand in no document without the longer name; a thing by
    its form in two with it.
    """
    shared = len(narrow.documents & wide.documents)
    if not shared:
        return False
    if short.normal in KNOWN_FORENAMES or (narrow.documents <= wide.documents and short.kind != PLACE):
        return True
    least = _SHARED if short.label == "PERSON" else _SHARED_WORD
    return short.label in {"PERSON", "OTHER", "WORK"} and shared > max(1, least * len(narrow.documents))


def match_handle(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Match a handle with the name that it is made of: "mkrag", "mary_krag" or "MaryK" with "Mary Krag"."""
    for handle, person in ((one, other), (other, one)):
        words = untitled(person.natural)
        if (
            not person.personal
            or len(words) < 2
            or person.hyphenated
            or handle.kind == PLACE
            or handle.label == CONCEPT
        ):
            continue
        found = handle_keys(handle) & handles(words)
        if handle.letters.rstrip("0123456789") in found or words[0][0] + words[-1] in found:
            if share_document(here, there):
                return Merge("handle", tr("a handle made of the name, in one document"), 0.8)
            return Merge("handle", tr("a handle made of the name"), APART)
    return None


def match_address(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Match an address with the name that it is made of, in one document: "m.krag@acme.com" with "Mary Krag"."""
    for email, person in ((one, other), (other, one)):
        if email.label == EMAIL and person.kind == PERSON and person.core and share_document(here, there):
            words, letters = local_words(email.normal), person.core
            glued = "".join(words) in ({person.letters} if len(letters) == 1 else handles(letters))
            domain = words_of(email.normal.partition("@")[2])
            homely = len(letters) > 1 and words == letters[:1] and letters[-1] in domain
            if glued or homely or (len(letters) > 1 and fits(words, letters)):
                return Merge("address", tr("an address made of the name, in one document"), 0.85)
    return None


def match_introduction(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Match a short form that a document introduces: "Maritime Fraud Unit (MFU)", "Mary Krag <mary@corvel.com>"."""
    # Documents are asked last: reading what stands behind a name takes the longest.
    for long, short, context, own in ((one, other, here, there), (other, one, there, here)):
        if short.label == EMAIL != long.label and short.key in context.defines:
            return Merge("acronym", tr("the address behind the name"), 0.95)
        # A person's initials hold for their document, where a sense says so.
        if long.kind != PERSON or len(short.letters) > _LONGEST_INITIALS:
            shortened = abbreviates(short.words, long.words) or short.words == long.words[: len(short.words)]
            if shortened and short.key in context.defines:
                return Merge("acronym", tr("introduced as its short form"), 0.95)
        echoed = long.kind == PERSON and short.glued and _echoes(short.letters, long.natural)
        if echoed and long.key in own.defines:
            return Merge("acronym", tr("the speaker says so"), 0.95)
    return None


def _echoes(handle: str, words: tuple[str, ...]) -> bool:
    """Return whether a handle has a word of the name, or begins with its first letter and has that of its last."""
    if len(words) < 2 or not handle:
        return False
    if any(len(word) >= SHORTEST_SURNAME and word in handle for word in words):
        return True
    rest = iter("".join(words)[1:])
    return handle[0] == words[0][0] and (
        words[-1][0] in handle[1:] or all(letter in rest for letter in handle[1:])
    )


def abbreviates(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """Return whether each word of `short` is one of `long` or the first letters of several, in order from the first:
    "CoC Committee" of the Code of Conduct Committee."""
    if not short or len("".join(short)) >= len("".join(long)):
        return False
    at = 0
    for word in short:
        if at < len(long) and word == long[at]:
            at += 1
            continue
        end = next((e for e in range(at + 2, len(long) + 1) if spells(long[at:e], word, 2)), 0)
        if not end:
            return False
        at = end
    return at == len(long)


def match_first_letters(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Match first letters with the name of the same document: "MFU", "SF Chronicle".

    Letters that may be a person's, or a word, are only proposed.
    """
    for long, short in ((one, other), (other, one)):
        if long.kind == PERSON or not share_document(here, there):
            continue
        if len(short.words) == 1 and spells(without_form(long.words)[0], short.letters):
            sure = not {short.label, long.label} & {"PERSON", "NOUN", CONCEPT}
            return Merge(
                "acronym" if sure else "abbreviation",
                tr("the first letters of the name, in one document"),
                0.85 if sure else 0.6,
            )
        if (
            len(short.words) > 1
            and short.words[-1] == long.words[-1]
            and abbreviates(short.words, long.words)
        ):
            return Merge("acronym", tr("the first letters of the name, in one document"), 0.85)
    return None


def match_initials(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Match initials and short forenames with the full ones: "J. R. Smith" or "Tom Smith" with "Thomas R. Smith".

    Names that differ by a whole forename need a document in common.
    """
    if one.core == other.core or at_odds(one.words, other.words):
        return None
    if not (one.personal or other.personal) or not fits(one.core, other.core):
        return None
    if not all(
        may_be_personal(name.normal, name.words) and len(name.core) <= _LONGEST_PERSON
        for name in (one, other)
    ):
        return None
    if share_document(here, there):
        return Merge("initials", tr("the same surname, and first names that fit, in one document"), 0.85)
    # In two documents, "John Smith" may be John R. Smith, or Jack, but hardly John Bell Smith.
    more = (set(one.core) ^ set(other.core)) - {one.nickname, other.nickname}
    alike = len(one.core) == len(other.core) or all(len(word) == 1 for word in more)
    if is_short(one) or is_short(other) or alike:
        return Merge("initials", tr("the same surname, and first names that fit"), APART)
    return None


def share_document(here: Context, there: Context) -> bool:
    """Return whether two names stand in one document."""
    return not here.documents.isdisjoint(there.documents)
