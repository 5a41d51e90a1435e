"""Which two names are one entity. Triple-layer GraphRAG 4.3.1, step 3: normalised name, edit distance; and context.

Every rule is a function of the two names and of what stands beside them in the documents, so that the same
documents give the same entities in whatever order they were read. Precision comes first: two entities under
one name mislead, one entity under two names only costs recall.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz.distance import Levenshtein

from core.extraction.names import (
    LITTLE_WORDS,
    PERSON,
    PLACE,
    ROMAN,
    SHORT_FORMS,
    NamedEntity,
    at_odds,
    fits,
    natural_words,
    qualified,
    tail,
    untitled,
    weighty,
    words_of,
)
from core.text.translation import tr
from core.types.kinds import without_sense

_LONGEST_ACRONYM = 8
_SHORTEST_TYPO = 8  # letters of a name in which one letter may be wrong
_SHORTEST_WORD = 5  # letters of the word that holds it
SHORTEST_SURNAME = 3  # letters
# Deep GraphRAG 2.1.1 asks a cosine above .95 of descriptions, and a language model to confirm it.
_ALIKE = 0.9
EMAIL = "EMAIL"  # label
# Rules that say what may be one entity, for a person to decide; they merge nothing.
PROPOSALS = frozenset({"homonym", "stem"})


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


def blocks(name: NamedEntity) -> set[str]:
    """Return the blocks of a name; names that share none are never compared."""
    if name.sense:
        return {f"s {name.anchor or name.sense}", f"h {without_sense(name.normal)}"}
    if name.label == EMAIL:
        words = local_words(name.normal)
        return {f"= {name.letters}", f"@ {''.join(words)}"} | (
            {f"@ {words[0][0]} {words[-1]}"} if len(words) > 1 else set()
        )
    letters, core = name.letters, name.core
    found = {f"= {letters}", f"~ {' '.join(core)}"}
    if name.firm[1]:
        found.add(f"f {name.firm[0]}")
    if name.kind == PERSON and (words := untitled(name.natural)):
        found.add(f"{'n' if len(words) > 1 else 'm'} {words[-1]}")
        if len(words) > 1:
            initial, last = words[0][0], words[-1]
            found |= {
                f"@ {initial} {last}",
                f"@ {initial}{last}",
                f"@ {''.join(words)}",
                f", {' '.join(words)}",
            }
    if ", " in name.normal:
        found |= {f", {' '.join(untitled(natural_words(name.normal)))}", f"~ {' '.join(words_of(name.bare))}"}
    if len(carrying := weighty(name)) >= 2:
        found.add(f"w {' '.join(carrying)}")
    if len(core) >= 2:
        firsts = {core[0], *SHORT_FORMS.get(core[0], ())}
        found.update(f"p {first[0]} {core[-1]}" for first in firsts)
    if len(name.words) == 1 and 3 <= len(letters) <= _LONGEST_ACRONYM:
        found.add(f"a {letters}")
    found.update(f"a {short}" for short in initials(name.words))
    if _may_hold_typo(letters):
        half = len(letters) // 2
        found.update((f"< {len(letters)} {letters[:half]}", f"> {len(letters)} {letters[-half:]}"))
    return found


def looked_into(name: NamedEntity) -> set[str]:
    """Return blocks in which partners of this name lie: its own, and those of names a letter longer or shorter."""
    found = blocks(name)
    if name.sense:
        return found | {f"= {name.meant.letters}"}
    stem, form = name.firm
    found |= {f"s {name.normal}", f"h {name.normal}", f"= {stem}" if form else f"f {stem}"}
    if name.kind == PERSON and (words := untitled(name.natural)):
        found.add(f"{'m' if len(words) > 1 else 'n'} {words[-1]}")
    letters = name.letters
    if _may_hold_typo(letters):
        for length in (len(letters) - 1, len(letters) + 1):
            half = length // 2
            found.update((f"< {length} {letters[:half]}", f"> {length} {letters[-half:]}"))
    return found


def needs_company(block: str) -> bool:
    """Return whether names of a block are one entity only where they share a document."""
    return block[0] not in "=~s,fh"


def decide(
    one: NamedEntity,
    other: NamedEntity,
    here: Context,
    there: Context,
    cosine: Callable[[], float] = lambda: 0.0,
) -> Merge | None:
    """Return whether both are one entity, or may be (PROPOSALS); None where nothing says so. Their order does not
    matter.

    `cosine` gives that of their vectors; it is asked only where words alone do not decide.
    """
    if one.sense or other.sense:
        return _anchored(one, other) or _homonym(one, other)
    for rule in (_same_letters, _same_core, _firm):
        if (found := rule(one, other)) is not None:
            return found
    for rule_ in (_address, _inverted, _qualified, _surname, _acronym, _initials, _typo):
        if (found := rule_(one, other, here, there)) is not None:
            return found
    if weighty(one) == weighty(other) and _turned(one, other, here, there) and cosine() >= _ALIKE:
        return Merge("words", tr("the same words in another order, near in meaning, in one document"), 0.8)
    return None


def _same_letters(one: NamedEntity, other: NamedEntity) -> Merge | None:
    if one.letters != other.letters or not one.letters or {one.kind, other.kind} == {PERSON, PLACE}:
        return None
    return Merge("letters", tr("the same letters"), 1.0)


def _same_core(one: NamedEntity, other: NamedEntity) -> Merge | None:
    """Return whether one of them carries a legal form or an honorific, the other none."""
    if one.bare != one.normal or other.bare != other.normal or {one.kind, other.kind} == {PERSON, PLACE}:
        return None
    if one.core != other.core or at_odds(one.words, other.words):
        return None
    if one.words == other.words or not (set(one.words) ^ set(other.words)) - set(one.core):
        return None
    if PERSON in {one.kind, other.kind} and one.firm[1] != other.firm[1]:
        return Merge("stem", tr("the same but for a legal form"), 0.6)  # a person and their firm
    return Merge("form", tr("the same but for a title or legal form"), 0.95)


def _firm(one: NamedEntity, other: NamedEntity) -> Merge | None:
    """ "3DL Ltd" and "3-D-L Limited"; "Acme" and "Acme Ltd" are for a person to decide: a single word is much else."""
    (stem, form), (stem_, form_) = one.firm, other.firm
    if stem != stem_ or not (form or form_) or {one.kind, other.kind} & {PERSON, PLACE}:
        return None
    if form == form_:
        return Merge("form", tr("the same but for a title or legal form"), 0.95)
    if form and form_:
        return Merge("stem", tr("the same name with another legal form"), 0.6)
    return Merge("stem", tr("the same but for a legal form"), 0.6)


def _anchored(one: NamedEntity, other: NamedEntity) -> Merge | None:
    """ "Titanic" where its documents mean "Titanic (film)", "Tervaert" where they mean Joost Tervaert."""
    for short, full in ((one, other), (other, one)):
        if short.anchor and short.anchor == full.normal:
            bare = without_sense(short.normal)
            rule = "qualifier" if qualified(full.normal)[0] == bare else "surname"
            return Merge(rule, tr("no other of that name in its documents"), 0.9)
    return None


def _homonym(one: NamedEntity, other: NamedEntity) -> Merge | None:
    """Return the decision on one name that documents give to several bearers: kept apart, and shown with what they
    differ in."""
    if without_sense(one.normal) != without_sense(other.normal) or one.anchor or other.anchor:
        return None
    first, *second = sorted(sense for sense in (one.sense, other.sense) if sense)
    if second:
        words = tr(
            "{first} in some documents, {second} in others", first=_bearer(first), second=_bearer(second[0])
        )
        return Merge("homonym", words, 0.55)
    return Merge("homonym", tr("{first} in some documents, not so in others", first=_bearer(first)), 0.5)


def _bearer(sense: str) -> str:
    words = {PERSON: tr("a person"), "thing": tr("a thing"), "he": tr("a man"), "she": tr("a woman")}
    return words.get(sense, sense)


def _qualified(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "Titanic (film)" and "Titanic", which stands in no document but the film's."""
    for full, short, wide, narrow in ((one, other, here, there), (other, one, there, here)):
        if full.bare == short.normal != full.normal and narrow.documents <= wide.documents:
            return Merge("qualifier", tr("no other of that name in its documents"), 0.9)
    return None


def _surname(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "Joost Tervaert" and "Tervaert", "Mr. Slope" and "Slope", who share a document.

    That nobody else of that surname can be meant is seen where all such pairs are looked at together.
    """
    if one.kind != PERSON or other.kind != PERSON or at_odds(one.words, other.words):
        return None
    for full, short in ((one, other), (other, one)):
        words, last = untitled(full.natural), untitled(short.words)
        fuller = len(words) > 1 or (len(full.words) > 1 == len(short.words))
        if not fuller or last != words[-1:] or len(last[0]) < SHORTEST_SURNAME:
            continue
        if _together(here, there):
            return Merge("surname", tr("nobody else of that surname can be meant"), 0.85)
    return None


def _address(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "m.jones@acme.com" and "Mary Jones", who share a document."""
    for email, person in ((one, other), (other, one)):
        if email.label == EMAIL and person.kind == PERSON and person.core and _together(here, there):
            words = local_words(email.normal)
            glued = "".join(words) in {person.core[0][0] + person.core[-1], "".join(person.core)}
            if len(person.core) > 1 and (fits(words, person.core) or glued):
                return Merge("address", tr("an address made of the name, in one document"), 0.85)
    return None


def _inverted(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "Jones, Mary" and "Mary Jones"."""
    for turned, plain in ((one, other), (other, one)):
        if plain.kind == PERSON and turned.inverted and natural_words(turned.normal) == plain.words:
            return Merge("inverted", tr("the same name, surname first"), 0.95)
    return None


def local_words(address: str) -> tuple[str, ...]:
    """Return words of an e-mail address before the @."""
    return words_of(address.partition("@")[0].replace("_", " "))


def _acronym(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    for long, short, context in ((one, other, here), (other, one, there)):
        if short.key in context.defines and len(short.words) == 1 and spells(long.words, short.letters):
            return Merge("acronym", tr("introduced as its short form"), 0.95)
    return None


def spells(words: tuple[str, ...], short: str) -> bool:
    """Return whether `short` is made of the first letters of `words`, little words left out or not."""
    return short in initials(words)


def initials(words: tuple[str, ...]) -> set[str]:
    """Return short forms, of three letters at least, that the words may go by: "boe" of the Bank of England."""
    if len(words) < 2:
        return set()
    every = "".join(word[0] for word in words)
    weighty = "".join(word[0] for word in words if word not in LITTLE_WORDS)
    return {short for short in (every, weighty) if 3 <= len(short) <= _LONGEST_ACRONYM}


def _initials(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "J. R. Smith" and "John Robert Smith", "Tom Smith" and "Thomas R. Smith", who share a document."""
    if PERSON not in (one.kind, other.kind) or one.core == other.core:
        return None
    if not fits(one.core, other.core) or not _together(here, there):
        return None
    return Merge("initials", tr("the same surname, and first names that fit, in one document"), 0.85)


def _typo(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Return whether one letter is wrong, missing or too many, in a long word, and the same company."""
    if one.kind != other.kind or not _may_hold_typo(one.letters) or not _may_hold_typo(other.letters):
        return None
    if Levenshtein.distance(one.letters, other.letters, score_cutoff=1) != 1:
        return None
    if not _one_word_differs(one.words, other.words) or here.passages & there.passages:
        return None
    if not _together(here, there):
        return None
    return Merge("spelling", tr("one letter apart, in one document"), 0.8)


def _turned(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> bool:
    """ "University of Cambridge" and "Cambridge University"; never people, nor numbers, nor two qualifiers."""
    if PERSON in (one.kind, other.kind) or one.kind != other.kind or one.bare != one.normal:
        return False
    return other.bare == other.normal and len(weighty(one)) >= 2 and _together(here, there)


def _may_hold_typo(letters: str) -> bool:
    return len(letters) >= _SHORTEST_TYPO and letters.isalpha()


def _one_word_differs(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether exactly one word differs, long, inside of it, and it is no number."""
    if len(one) != len(other):
        return False
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(pairs) != 1:
        return False
    a, b = pairs[0]
    if min(len(a), len(b)) < _SHORTEST_WORD or ROMAN.fullmatch(a) or ROMAN.fullmatch(b):
        return False
    # Endings tell sex, number and language: Mario and Maria, Novak and Novaka, Gannet and Gannets.
    return a[0] == b[0] and a[-2:] == b[-2:]


def _together(here: Context, there: Context) -> bool:
    return not here.documents.isdisjoint(there.documents)


def conflict(one: NamedEntity, other: NamedEntity) -> bool:
    """Return whether two names contradict each other: numbers, qualifiers, or first names to one surname that do
    not fit."""
    one, other = one.meant, other.meant
    mine, yours = qualified(one.normal), qualified(other.normal)
    people = one.kind == other.kind == PERSON
    if (
        not (people and one.inverted and other.inverted)
        and mine[0] == yours[0]
        and mine[1]
        and yours[1]
        and mine[1] != yours[1]
    ):
        return True
    if one.firm[0] == other.firm[0] and (one.firm[1] or other.firm[1]):
        return False
    if tail(one.core) != tail(other.core):
        return True
    if not people or one.letters == other.letters or one.normal == other.bare or other.normal == one.bare:
        return False
    if at_odds(one.words, other.words):
        return True
    first, second = untitled(one.core), untitled(other.core)
    return first[-1] == second[-1] and len(first) > 1 and len(second) > 1 and not fits(first, second)
