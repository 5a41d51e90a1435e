"""Which two names are one entity. Triple-layer GraphRAG 4.3.1, step 3: normalised name, edit distance; and context.

Every rule is a function of the two names and of what stands beside them in the documents, so that the same
documents give the same entities in whatever order they were read. Precision comes first: two entities under
one name mislead, one entity under two names only costs recall.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz.distance import Levenshtein

from core.extraction.name_blocks import (
    COUNTRIES,
    SHORTEST_SURNAME,
    handle_keys,
    handles,
    is_short,
    local_words,
    may_hold_typo,
    spells,
)
from core.extraction.names import (
    EMAIL,
    GENERATIONS,
    LITTLE_WORDS,
    NAME_PARTICLES,
    PERSON,
    PLACE,
    ROMAN,
    NamedEntity,
    fits,
    natural_words,
    qualified,
    single,
    tail,
    weighty,
    words_of,
)
from core.extraction.terms import word_ranks
from core.extraction.titles import (
    FORENAMES,
    KNOWN_FORENAMES,
    alike_titled,
    at_odds,
    has_rank,
    may_be_personal,
    rival,
    sex_of_words,
    titles_of,
    untitled,
)
from core.text.sentences import without_form
from core.text.translation import tr
from core.types.kinds import CONCEPT, without_sense

_SHORTEST_WORD = 5  # letters of the word that holds it
_LONGEST_PERSON = 4  # words
_SHARED = 0.05  # of the documents of a person's forename: least that must hold the longer name, too
_SHARED_WORD = 0.1  # the same for a word of another label
_LONGEST_INITIALS = 3  # letters
# Deep GraphRAG 2.1.1 asks a cosine above .95 of descriptions, and a language model to confirm it.
_ALIKE = 0.9
# Rules that say what may be one entity, for a person to decide; they merge nothing.
PROPOSALS = frozenset({"homonym", "stem", "slip", "abbreviation"})
# Rules by which a short form is one of whoever alone may be meant by it.
SHORTENINGS = frozenset({"acronym", "surname", "forename", "initials", "handle", "address", "firm"})
SINGLE_WORDS = frozenset({"surname", "forename"})  # those of words alone, which mean the most people
APART = 0.75  # score of a shortening whose names share no document
_NUMBER = re.compile(r"\d+")
_ARTICLES = frozenset("la el los las le les il lo gli der die das den het de een un une de du".split())


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
    for rule in (_same_letters, _same_country, _same_core):
        if (found := rule(one, other)) is not None:
            return found
    alone = (_introduced, _firm, _address, _inverted, _qualified)
    for rule_ in (*alone, _surname, _initials, _handle, _abbreviation, _typo):
        if (found := rule_(one, other, here, there)) is not None:
            return found
    if _with_article(one, other) and _together(here, there):
        return Merge("words", tr("the same but for an article, in one document"), 0.9)
    if weighty(one) == weighty(other) and _turned(one, other, here, there) and cosine() >= _ALIKE:
        return Merge("words", tr("the same words in another order, near in meaning, in one document"), 0.8)
    return None


def _same_letters(one: NamedEntity, other: NamedEntity) -> Merge | None:
    if one.folded != other.folded or not one.letters or _contracted(one) != _contracted(other):
        return None
    if GENERATIONS & {*one.words} != GENERATIONS & {*other.words}:  # "Smith Jr.", "Smith, J. R."
        return None
    if {one.kind, other.kind} == {PERSON, PLACE} and (" " in one.normal) == (" " in other.normal):
        return None
    if one.letters != other.letters:
        return Merge("letters", tr("the same letters but for accents"), 0.95)
    return Merge("letters", tr("the same letters"), 1.0)


def _same_country(one: NamedEntity, other: NamedEntity) -> Merge | None:
    """ "U.S." and "United States"."""
    alike = COUNTRIES.get(one.letters, 0) == COUNTRIES.get(other.letters, 1)
    if alike and one.core != other.core and {one.label, other.label} & {"GPE", "LOC", "ORG"}:
        return Merge("acronym", tr("short forms that everybody knows"), 0.95)
    return None


def _contracted(name: NamedEntity) -> bool:
    """ "I'd" is no "ID"."""
    return name.normal[-2:-1] == "'" or name.normal.endswith(("'ll", "'ve", "'re"))


def _same_core(one: NamedEntity, other: NamedEntity) -> Merge | None:
    """Return whether one of them carries a legal form or an honorific, the other none."""
    if one.bare != one.normal or other.bare != other.normal or {one.kind, other.kind} == {PERSON, PLACE}:
        return None
    if at_odds(one.words, other.words):
        return None
    # "Dear Mr Krag", "Rev. Mr Krag"; "Mr Krag", "Herr Krag"
    if alike_titled(one.words, other.words) and untitled(one.natural) == untitled(other.natural):
        return Merge("form", tr("the same but for a title or legal form"), 0.95)
    if one.core != other.core:
        return None
    if one.words == other.words or not (set(one.words) ^ set(other.words)) - set(one.core):
        return None
    form, form_ = one.firm[1], other.firm[1]
    if form and form_ and form != form_:
        return Merge("stem", tr("the same name with another legal form"), 0.6)
    if PERSON in {one.kind, other.kind} and form != form_:
        return Merge("stem", tr("the same but for a legal form"), 0.6)  # a person and their firm
    return Merge("form", tr("the same but for a title or legal form"), 0.95)


def _firm(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "3DL Ltd" and "3-D-L Limited"; "Acme" and "Acme Ltd" are one only as firms of one document: a single word is
    much else."""
    (stem, form), (stem_, form_) = one.firm, other.firm
    for short, long in ((one, other), (other, one)):
        rest = long.words[len(short.words) :] if short.words == long.words[: len(short.words)] else ()
        begins = long.firm[0].startswith(short.letters) and rest and not LITTLE_WORDS & set(rest)
        begins = begins and long.firm[1] and not short.firm[1]
        if begins and stem != stem_ and short.label == long.label == "ORG" and _together(here, there):
            return Merge("firm", tr("the first words of the firm's name, in one document"), 0.85)
    if stem != stem_ or not (form or form_) or {one.kind, other.kind} & {PERSON, PLACE}:
        return None
    if form == form_:
        return Merge("form", tr("the same but for a title or legal form"), 0.95)
    if form and form_:
        return Merge("stem", tr("the same name with another legal form"), 0.6)
    leads = form + form_ in {one.words[:1], other.words[:1]}  # "SAS Corvel"; "SAS Institute" is no institute
    if one.label == other.label == "ORG" and _together(here, there) and not (leads and stem in word_ranks()):
        return Merge("firm", tr("the same but for a legal form, in one document"), 0.85)
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
    """ "Joost Tervaert" and "Tervaert", "Mr. Slope" and "Slope", "Joost", who share a document.

    A surname with a title is looked for in other documents, too. Who alone can be meant is seen where all such pairs
    are looked at together.
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
        if last == words[-len(last) :] and _is_surname(last, words):
            if _together(here, there):
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


def _is_surname(last: tuple[str, ...], words: tuple[str, ...]) -> bool:
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


def _handle(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "mkrag", "mary_krag", "MaryK" and "Mary Krag", who share a document."""
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
            if _together(here, there):
                return Merge("handle", tr("a handle made of the name, in one document"), 0.8)
            return Merge("handle", tr("a handle made of the name"), APART)
    return None


def _address(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "m.krag@acme.com" and "Mary Krag", who share a document."""
    for email, person in ((one, other), (other, one)):
        if email.label == EMAIL and person.kind == PERSON and person.core and _together(here, there):
            words, letters = local_words(email.normal), person.core
            glued = "".join(words) in ({person.letters} if len(letters) == 1 else handles(letters))
            domain = words_of(email.normal.partition("@")[2])
            homely = len(letters) > 1 and words == letters[:1] and letters[-1] in domain
            if glued or homely or (len(letters) > 1 and fits(words, letters)):
                return Merge("address", tr("an address made of the name, in one document"), 0.85)
    return None


def _inverted(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "Jones, Mary" and "Mary Jones"."""
    for turned, plain in ((one, other), (other, one)):
        if plain.kind == PERSON and turned.inverted and natural_words(turned.normal) == plain.words:
            return Merge("inverted", tr("the same name, surname first"), 0.95)
    return None


def _introduced(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "Maritime Fraud Unit (MFU)", "Corvel Ltd (“Corvel”)", "Mary Krag <mary@corvel.com>", "<mek> Mary Krag, Oslo"."""
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


def _abbreviation(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Return that first letters of a name in its documents may mean it, though no document introduces them; where
    other words of it stand beside them, they do: "SF Chronicle"."""
    for long, short in ((one, other), (other, one)):
        if long.kind == PERSON or not _together(here, there):
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


def _initials(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "J. R. Smith" and "John Robert Smith", "Tom Smith" and "Thomas R. Smith", who share a document; initials alone
    are looked for in others, too."""
    if one.core == other.core or at_odds(one.words, other.words):
        return None
    if not (one.personal or other.personal) or not fits(one.core, other.core):
        return None
    if not all(
        may_be_personal(name.normal, name.words) and len(name.core) <= _LONGEST_PERSON
        for name in (one, other)
    ):
        return None
    if _together(here, there):
        return Merge("initials", tr("the same surname, and first names that fit, in one document"), 0.85)
    # In two documents, "John Smith" may be John R. Smith, or Jack, but hardly John Bell Smith.
    more = (set(one.core) ^ set(other.core)) - {one.nickname, other.nickname}
    alike = len(one.core) == len(other.core) or all(len(word) == 1 for word in more)
    if is_short(one) or is_short(other) or alike:
        return Merge("initials", tr("the same surname, and first names that fit"), APART)
    return None


def _typo(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Return that a letter is doubled in one of two names, or else may be wrong, in a long word, in one company."""
    if one.kind != other.kind or not may_hold_typo(one.letters) or not may_hold_typo(other.letters):
        return None
    if Levenshtein.distance(one.letters, other.letters, score_cutoff=1) != 1:
        return None
    if here.passages & there.passages or not _together(here, there):
        return None
    if len(one.words) > 1 and [*map(single, one.words)] == [*map(single, other.words)]:
        return Merge("spelling", tr("a letter doubled or not, in one document"), 0.8)
    if not _one_word_differs(one.words, other.words):
        return None
    return Merge("slip", tr("one letter apart, in one document"), 0.6)


def _turned(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> bool:
    """ "University of Cambridge" and "Cambridge University"; never people, nor numbers, nor two qualifiers."""
    plural = [word.removesuffix("s") for word in one.words] == [
        word.removesuffix("s") for word in other.words
    ]
    plural = plural and not {"_", "%"} & set(one.normal + other.normal)
    named = one.words[0] in FORENAMES or one.kind != other.kind or PERSON in (one.kind, other.kind)
    if one.bare != one.normal or (named and not (plural and one.words[0] not in FORENAMES)):
        return False
    return other.bare == other.normal and len(weighty(one)) >= 2 and _together(here, there)


def _with_article(one: NamedEntity, other: NamedEntity) -> bool:
    """ "La Empresa" and "Empresa"; never places: "La Paz"."""
    short, long = sorted((one.words, other.words), key=len)
    before = long[: len(long) - len(short)]
    return (
        bool(before)
        and short == long[len(before) :]
        and set(before) <= _ARTICLES
        and PLACE not in (one.kind, other.kind)
    )


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
        return bool(one.firm[1] and other.firm[1] and one.firm[1] != other.firm[1])
    if tail(one.core) != tail(other.core):
        # "DS-323" and "DS323" have one number, "Section 1.3" and "Section 13" have not.
        return one.folded != other.folded or _NUMBER.findall(one.normal) != _NUMBER.findall(other.normal)
    if titles_of(one.words) and titles_of(other.words) and at_odds(one.words, other.words):
        return True
    if not people or one.folded == other.folded or one.normal == other.bare or other.normal == one.bare:
        return False
    if _with_article(one, other):
        return False
    if at_odds(one.words, other.words):
        return True
    first, second = untitled(one.core), untitled(other.core)
    if len(first) < 2 or len(second) < 2:
        return False
    short, long = sorted((first, second), key=len)
    if short == long[-len(short) :] and _is_surname(short, long):
        return False
    return first[-1] == second[-1] and not fits(first, second)


def is_settled(short: NamedEntity, names: Iterable[NamedEntity]) -> bool:
    """Return whether one of the names carries the title that stands before the short one."""
    title = titles_of(short.words)
    return bool(title) and any(
        title <= titles_of(name.words) for name in names if len(untitled(name.words)) > 1
    )


def claim_excludes(one: NamedEntity, other: NamedEntity, sex: str) -> bool:
    """Return whether two short forms cannot both be one person's, of this sex: "Mr" and "Mrs Bold", "Dr" and "Bishop
    Grove"; "Dr" and "Miss Grove" where nothing says that she is a woman."""
    if conflict(one, other) or rival(one.words, other.words):
        return True
    mine, yours = sex_of_words(one.words), sex_of_words(other.words)
    return not sex and mine != yours and has_rank(titles_of(one.words) | titles_of(other.words))


def level(name: NamedEntity) -> tuple[int, int]:
    """Return how much of its bearer a name says: words beyond initials; then initials or a title."""
    if name.label == EMAIL:
        return (0, 0)
    words = untitled(name.natural)
    full_words = sum(len(word) > 1 for word in words)
    return (full_words, len(words) - full_words + (len(words) < len(name.words)))
