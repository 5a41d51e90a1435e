"""Which two names are one entity. Deep GraphRAG 2.1.1: normalised name, edit distance within a type, context.

Every rule is a function of the two names and of what stands beside them in the documents, so that the same
documents give the same entities in whatever order they were read. Precision comes first: two entities under
one name mislead, one entity under two names only costs recall.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

PERSON, PLACE, OTHER = "person", "place", "other"
_KINDS = {"PERSON": PERSON, "GPE": PLACE, "LOC": PLACE, "FAC": PLACE}

LEGAL_FORMS = frozenset(
    "ltd limited inc incorporated llc llp plc corp corporation co company gmbh ag kg sa sas sarl srl spa bv nv ab as"
    " oy pty pvt pte holdings holding kk".split()
)
HONORIFICS = frozenset(
    "mr mrs ms miss dr prof professor sir dame captain capt colonel col major general gen lieutenant lt sergeant"
    " president chancellor senator sen governor gov judge justice inspector detective reverend rev father sister"
    " ambassador minister admiral commander commissioner chairman chairwoman mayor don dona lady lord saint".split()
)
_ROMAN = re.compile(r"[ivxlcdm]+")
_BRACKETED = re.compile(r"(.+?)\s*\(([^()]+)\)")
POSTNOMINALS = frozenset("qc kc ao am obe mbe cbe kbe dbe phd md esq mp mep frs".split())
_GENERATIONS = frozenset({"jr", "sr", "junior", "senior"})
_WORD = re.compile(r"[^\W_]+")
_LONGEST_ACRONYM = 8
_SHORTEST_TYPO = 8  # letters of a name in which one letter may be wrong
_SHORTEST_WORD = 5  # letters of the word that holds it


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands in the graph. `normal` is its key, `label` what most of its mentions are."""

    key: int
    normal: str
    label: str

    @property
    def kind(self) -> str:
        return _KINDS.get(self.label, OTHER)

    @property
    def words(self) -> tuple[str, ...]:
        return _words(self.normal)

    @property
    def letters(self) -> str:
        return "".join(self.words)

    @property
    def bare(self) -> str:
        """The name without what tells it from others of that name: "(film)", ", Ohio"."""
        return qualified(self.normal)[0]

    @property
    def core(self) -> tuple[str, ...]:
        """The words without qualifier, legal form and honorific, where enough is left to tell who is meant."""
        return _core(_words(self.bare))


@dataclass(frozen=True, slots=True)
class Context:
    """Where a name stands: keys of documents and passages."""

    documents: Set[int]
    passages: Set[int]
    defines: Set[int] = frozenset()  # names in brackets behind it: "Maritime Fraud Unit (MFU)"


@dataclass(frozen=True, slots=True)
class Merge:
    """Two names of one entity, and why. `score` is how sure the rule is, 0..1."""

    rule: str
    reason: str
    score: float


def blocks(name: Name) -> set[str]:
    """Names that may be one entity share a block; those that share none are never compared."""
    letters, core = name.letters, name.core
    found = {f"= {letters}", f"~ {' '.join(core)}"}
    if len(core) >= 2:
        firsts = {core[0], *_SHORT_FORMS.get(core[0], ())}
        found.update(f"p {first[0]} {core[-1]}" for first in firsts)
    if len(name.words) == 1 and 3 <= len(letters) <= _LONGEST_ACRONYM:
        found.add(f"a {letters}")
    found.update(f"a {short}" for short in initials(name.words))
    if _may_hold_typo(letters):
        half = len(letters) // 2
        found.update((f"< {len(letters)} {letters[:half]}", f"> {len(letters)} {letters[-half:]}"))
    return found


def looked_into(name: Name) -> set[str]:
    """Blocks in which partners of this name lie: its own, and those of names a letter longer or shorter."""
    found = blocks(name)
    letters = name.letters
    if _may_hold_typo(letters):
        for length in (len(letters) - 1, len(letters) + 1):
            half = length // 2
            found.update((f"< {length} {letters[:half]}", f"> {length} {letters[-half:]}"))
    return found


def decide(one: Name, other: Name, here: Context, there: Context) -> Merge | None:
    """Whether both are one entity; None where nothing says so. The order of the two does not matter."""
    for rule in (_same_letters, _same_core):
        if (found := rule(one, other)) is not None:
            return found
    for rule_ in (_qualified, _acronym, _initials, _typo):
        if (found := rule_(one, other, here, there)) is not None:
            return found
    return None


def _same_letters(one: Name, other: Name) -> Merge | None:
    if one.letters != other.letters or not one.letters or {one.kind, other.kind} == {PERSON, PLACE}:
        return None
    return Merge("letters", "the same letters", 1.0)


def _same_core(one: Name, other: Name) -> Merge | None:
    """One of them carries a legal form or an honorific, the other none."""
    if one.bare != one.normal or other.bare != other.normal or {one.kind, other.kind} == {PERSON, PLACE}:
        return None
    if one.core != other.core or (one.core == one.words) == (other.core == other.words):
        return None
    dropped = [word for word in (*one.words, *other.words) if word not in one.core]
    return Merge("form", f"the same but for {' '.join(dropped)}", 0.95)


def _qualified(one: Name, other: Name, here: Context, there: Context) -> Merge | None:
    """ "Titanic (film)" and "Titanic", which stands in no document but the film's."""
    for full, short, wide, narrow in ((one, other, here, there), (other, one, there, here)):
        if full.bare == short.normal != full.normal and narrow.documents <= wide.documents:
            return Merge("qualifier", f"the only {short.normal} of its documents", 0.9)
    return None


def qualified(normal: str) -> tuple[str, str]:
    """(bare name, qualifier): "titanic (film)" -> ("titanic", "film"), "salem, ohio" -> ("salem", "ohio")."""
    if (match := _BRACKETED.fullmatch(normal)) is not None:
        return match.group(1), match.group(2)
    bare, comma, rest = normal.partition(", ")
    if comma and bare and not set(_words(rest)) & (LEGAL_FORMS | _GENERATIONS) and " and " not in rest:
        return bare, rest
    return normal, ""


def _acronym(one: Name, other: Name, here: Context, there: Context) -> Merge | None:
    for long, short, context in ((one, other, here), (other, one, there)):
        if short.key in context.defines and len(short.words) == 1 and spells(long.words, short.letters):
            return Merge("acronym", "introduced as its short form", 0.95)
    return None


def spells(words: tuple[str, ...], short: str) -> bool:
    """Whether `short` is made of the first letters of `words`, little words left out or not."""
    return short in initials(words)


def initials(words: tuple[str, ...]) -> set[str]:
    """Short forms, of three letters at least, that the words may go by: "boe" of the Bank of England."""
    if len(words) < 2:
        return set()
    every = "".join(word[0] for word in words)
    weighty = "".join(word[0] for word in words if word not in _LITTLE)
    return {short for short in (every, weighty) if 3 <= len(short) <= _LONGEST_ACRONYM}


_LITTLE = frozenset("of the and for in on to a an de la le du des der die das und et y e".split())


def _initials(one: Name, other: Name, here: Context, there: Context) -> Merge | None:
    """ "J. R. Smith" and "John Robert Smith", "Tom Smith" and "Thomas R. Smith", who share a document."""
    if PERSON not in (one.kind, other.kind) or one.core == other.core:
        return None
    if not fits(one.core, other.core) or not _together(here, there):
        return None
    return Merge("initials", "the same surname, and first names that fit, in one document", 0.85)


def fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one's first names, their initials or short forms are among the other's, in order, the first alike."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2 or short[-1] != long[-1] or len(short[-1]) < 2:
        return False
    if _tail(short) != _tail(long) or not _alike(short[0], long[0]):
        return False
    at = 0
    for word in short[:-1]:
        while at < len(long) - 1 and not _alike(word, long[at]):
            at += 1
        if at == len(long) - 1:
            return False
        at += 1
    return True


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if one == other or (len(short) == 1 and long.startswith(short)):
        return True
    return (len(short) >= 3 and long.startswith(short)) or long in _SHORT_FORMS.get(short, ())


_SHORT_FORMS = {
    "tom": ("thomas",), "bill": ("william",), "will": ("william",), "bob": ("robert",), "dick": ("richard",),
    "jim": ("james",), "jack": ("john",), "jake": ("jacob",), "mike": ("michael",), "dave": ("david",),
    "steve": ("stephen", "steven"), "joe": ("joseph",), "ted": ("edward", "theodore"), "ned": ("edward",),
    "harry": ("henry", "harold"), "charlie": ("charles",), "chuck": ("charles",), "tony": ("anthony", "antonio"),
    "liz": ("elizabeth",), "beth": ("elizabeth",), "kate": ("katherine", "catherine"), "peggy": ("margaret",),
    "meg": ("margaret",), "jenny": ("jennifer",), "betty": ("elizabeth",), "andy": ("andrew",),
    "larry": ("lawrence",), "rick": ("richard",), "kathy": ("katherine", "kathleen"), "nick": ("nicholas",),
}  # fmt: skip


def _tail(words: tuple[str, ...]) -> tuple[str, ...]:
    """Numbers and generations, which must be the same: "Henry IV", "John Smith Jr."."""
    # "D." in the middle is an initial, "V" at the end a number.
    return tuple(
        word
        for at, word in enumerate(words)
        if word in _GENERATIONS
        or word.isdigit()
        or (_ROMAN.fullmatch(word) and (len(word) > 1 or (at == len(words) - 1 and word in "ivx")))
    )


def _typo(one: Name, other: Name, here: Context, there: Context) -> Merge | None:
    """One letter wrong, missing or too many, in a long word, and the same company."""
    if one.kind != other.kind or not _may_hold_typo(one.letters) or not _may_hold_typo(other.letters):
        return None
    if Levenshtein.distance(one.letters, other.letters, score_cutoff=1) != 1:
        return None
    if not _one_word_differs(one.words, other.words) or here.passages & there.passages:
        return None
    if not _together(here, there):
        return None
    return Merge("spelling", "one letter apart, in one document", 0.8)


def _may_hold_typo(letters: str) -> bool:
    return len(letters) >= _SHORTEST_TYPO and letters.isalpha()


def _one_word_differs(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Exactly one word differs, long, inside of it, and it is no number."""
    if len(one) != len(other):
        return False
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(pairs) != 1:
        return False
    a, b = pairs[0]
    if min(len(a), len(b)) < _SHORTEST_WORD or _ROMAN.fullmatch(a) or _ROMAN.fullmatch(b):
        return False
    # Endings tell sex, number and language: Mario and Maria, Novak and Novaka, Gannet and Gannets.
    return a[0] == b[0] and a[-2:] == b[-2:]


def _together(here: Context, there: Context) -> bool:
    return not here.documents.isdisjoint(there.documents)


@lru_cache(maxsize=65_536)
def _words(normal: str) -> tuple[str, ...]:
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", normal) if not unicodedata.combining(letter)
    )
    # "J.R.R." are three words, "U.S.A." too; "&" is said as a word.
    return tuple(_WORD.findall(plain.replace("&", " and ").replace("'", "").casefold()))


@lru_cache(maxsize=65_536)
def _core(words: tuple[str, ...]) -> tuple[str, ...]:
    end = len(words)
    while end > 1 and words[end - 1] in LEGAL_FORMS | POSTNOMINALS:
        end -= 1
    start = 0
    while start < end and words[start] in HONORIFICS:
        start += 1
    left = words[start:end]
    return left if sum(len(word) > 1 for word in left) >= 2 else words


def conflict(one: Name, other: Name) -> bool:
    """Whether two names contradict each other: numbers, qualifiers, or first names to one surname that do not fit."""
    mine, yours = qualified(one.normal), qualified(other.normal)
    if mine[0] == yours[0] and mine[1] and yours[1] and mine[1] != yours[1]:
        return True
    if _tail(one.core) != _tail(other.core):
        return True
    if one.kind != PERSON or other.kind != PERSON or one.letters == other.letters:
        return False
    first, second = one.core, other.core
    return first[-1] == second[-1] and len(first) > 1 and len(second) > 1 and not fits(first, second)
