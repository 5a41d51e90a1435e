"""Which two names are one entity. Triple-layer GraphRAG 4.3.1, step 3: normalised name, edit distance; and context.

Every rule is a function of the two names and of what stands beside them in the documents, so that the same
documents give the same entities in whatever order they were read. Precision comes first: two entities under
one name mislead, one entity under two names only costs recall.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from rapidfuzz.distance import Levenshtein

from core.extraction.name_blocks import (
    COUNTRIES,
    may_hold_typo,
)
from core.extraction.names import (
    EMAIL,
    GENERATIONS,
    LITTLE_WORDS,
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
)
from core.extraction.short_forms import (
    Context,
    Merge,
    is_surname,
    match_address,
    match_first_letters,
    match_handle,
    match_initials,
    match_introduction,
    match_surname,
    share_document,
)
from core.extraction.terms import word_ranks
from core.extraction.titles import (
    FORENAMES,
    alike_titled,
    at_odds,
    has_rank,
    rival,
    sex_of_words,
    titles_of,
    untitled,
)
from core.text.translation import tr
from core.types.kinds import without_sense

_SHORTEST_WORD = 5  # letters of the word that holds it
# Deep GraphRAG 2.1.1 asks a cosine above .95 of descriptions, and a language model to confirm it.
_ALIKE = 0.9
# Rules that say what may be one entity, for a person to decide; they merge nothing.
PROPOSALS = frozenset({"homonym", "stem", "slip", "abbreviation"})
_NUMBER = re.compile(r"\d+")
_ARTICLES = frozenset("la el los las le les il lo gli der die das den het de een un une de du".split())


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
    alone = (match_introduction, _firm, match_address, _inverted, _qualified)
    for rule_ in (*alone, match_surname, match_initials, match_handle, match_first_letters, _typo):
        if (found := rule_(one, other, here, there)) is not None:
            return found
    if _with_article(one, other) and share_document(here, there):
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
        if begins and stem != stem_ and short.label == long.label == "ORG" and share_document(here, there):
            return Merge("firm", tr("the first words of the firm's name, in one document"), 0.85)
    if stem != stem_ or not (form or form_) or {one.kind, other.kind} & {PERSON, PLACE}:
        return None
    if form == form_:
        return Merge("form", tr("the same but for a title or legal form"), 0.95)
    if form and form_:
        return Merge("stem", tr("the same name with another legal form"), 0.6)
    leads = form + form_ in {one.words[:1], other.words[:1]}  # "SAS Corvel"; "SAS Institute" is no institute
    if (
        one.label == other.label == "ORG"
        and share_document(here, there)
        and not (leads and stem in word_ranks())
    ):
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


def _inverted(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """ "Jones, Mary" and "Mary Jones"."""
    for turned, plain in ((one, other), (other, one)):
        if plain.kind == PERSON and turned.inverted and natural_words(turned.normal) == plain.words:
            return Merge("inverted", tr("the same name, surname first"), 0.95)
    return None


def _typo(one: NamedEntity, other: NamedEntity, here: Context, there: Context) -> Merge | None:
    """Return that a letter is doubled in one of two names, or else may be wrong, in a long word, in one company."""
    if one.kind != other.kind or not may_hold_typo(one.letters) or not may_hold_typo(other.letters):
        return None
    if Levenshtein.distance(one.letters, other.letters, score_cutoff=1) != 1:
        return None
    if here.passages & there.passages or not share_document(here, there):
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
    return other.bare == other.normal and len(weighty(one)) >= 2 and share_document(here, there)


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
    if short == long[-len(short) :] and is_surname(short, long):
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
