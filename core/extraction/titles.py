"""Titles, offices and forms of address before a name, and the sex that they and forenames imply."""

from __future__ import annotations

import re
from functools import lru_cache

from core.files import RESOURCES

Words = tuple[str, ...]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Titles that everybody has, by sex, and those of rank.
_SIR = _words(
    "mr mister messrs sir master monsieur herr hr signor signore senor senhor don meneer dhr brother"
)
_SEVERAL = _words("messrs misses mesdames")
_MADAM = _words(
    "mrs ms miss misses mesdames missus madam madame mme mademoiselle mlle frau fraulein signora signorina senora"
    " senhora senorita sra srta dona mevrouw mevr fru froken mistress sister widow"
)
_MALE = _SIR | _words("lord father king prince duke earl baron count")
_FEMALE = _MADAM | _words("dame lady mother queen princess duchess countess baroness")
HONORIFICS = (
    _MALE
    | _FEMALE
    | _words(
        "dr doctor doktor prof professor captain capt colonel col major general gen lieutenant lt sergeant sgt"
        " president chancellor senator sen governor gov judge justice inspector detective reverend rev saint"
        " ambassador minister admiral commander commissioner chairman chairwoman mayor bishop archdeacon"
        " archbishop rabbi hon honourable cardinal pope abbot abbess imam corporal brigadier commodore marshal"
        " viscount marquess sheriff"
    )
)
# Offices that a name may be called by as by a title, with the words that qualify them.
OFFICES = _words(
    "director curator treasurer secretary warden vicar curate deacon dean canon rector chaplain precentor pastor"
    " provost squire nurse constable officer"
    " superintendent attorney premier manager coordinator chairperson headmaster lecturer deputy prime chief site"
    " assistant acting former"
)
# Forms of address and epithets.
SALUTATIONS = _words(
    "my dear poor attn hi hello hey thanks bye sehr geehrter geehrte lieber liebe cher chere"
    " estimado estimada querido querida caro cara gentile egregio beste geachte kjaere kaere baste"
)
TITLES = HONORIFICS | OFFICES
_PREFIXES = TITLES | SALUTATIONS | {f"{office}s" for office in OFFICES}  # "Coordinators Holm"
_SPELLED = {
    "mister": "mr", "missus": "mrs", "doctor": "dr", "doktor": "dr", "professor": "prof", "reverend": "rev",
    "captain": "capt", "colonel": "col", "general": "gen", "lieutenant": "lt", "sergeant": "sgt", "senator": "sen",
    "governor": "gov", "mme": "madame", "mlle": "mademoiselle", "sra": "senora", "srta": "senorita", "hr": "herr",
    "signore": "signor", "hon": "honourable", "mevr": "mevrouw", "dhr": "meneer",
}  # fmt: skip
# Languages' words for a woman who is married, or is none.
_WIFE = _words("mrs madame frau signora senora senhora mevrouw fru widow")
_MAID = _words("miss mademoiselle fraulein signorina senorita froken")
_PERSONAL = _words(
    "mr mrs ms miss messrs dr prof professor rev reverend herr frau monsieur madame signor signora senor"
)
_MARKS = re.compile(r"[/:+*&@#|\d]| - ")
POSTNOMINALS = _words("qc kc ao am obe mbe cbe kbe dbe phd md esq mp mep frs")
# Endings of forenames that the lists lack.
_OF_WOMEN = re.compile(r"..(?:a|ette|elle|gard|hild|trud|trude|lind|linde)$")
_OF_MEN = re.compile(r"..(?:fred|bert|ald|old|ard|win|mund|iah|ias|[ln]us|rick|helm|mir|slav)$")


def _read_forenames() -> dict[str, frozenset[str]]:
    """Return forenames by their kind: those that nearly all who bear them have of one sex, wherever they live."""
    text = (RESOURCES / "forenames.txt").read_text(encoding="utf-8")
    return {
        kind: _words(names) for kind, names in re.findall(r"^(\w+):\n((?:[\w ]+\n)+)", text, re.MULTILINE)
    }


_BY_KIND = _read_forenames()
_MEN, _WOMEN = _BY_KIND["men"], _BY_KIND["women"]
FORENAMES, NICKNAMES = _MEN | _WOMEN | _BY_KIND["either"], _BY_KIND["short"]
KNOWN_FORENAMES = FORENAMES | NICKNAMES
# Words that no personal name holds.
_IMPERSONAL = _words("of the and for in on to at with und et young old little")


@lru_cache(maxsize=65_536)
def untitled(words: Words) -> Words:
    """Return the words of a person's name without what is called before and behind it; one is always left."""
    start, end = 0, len(words)
    for at in range(1, end - 1):
        if words[at] in _PERSONAL:  # "Hereupon Mrs Bold"
            start = at
    while start < end - 1 and words[start] in _PREFIXES:
        if words[start] in KNOWN_FORENAMES and end - start == 2:  # "Don Tarrow"
            break
        start += 1
    while end > start + 1 and words[end - 1] in POSTNOMINALS:
        end -= 1
    return words[start:end]


def is_title(word: str) -> bool:
    """Return whether a word is called before names, as a title, an office or a word that qualifies one."""
    return word in TITLES


def is_person_title(word: str) -> bool:
    """Return whether a word before a name says that it is a person's, whatever the name is taken for."""
    return word in _PERSONAL


@lru_cache(maxsize=65_536)
def may_be_personal(normal: str, words: Words) -> bool:
    """Return whether nothing in a name's writing speaks against a person's: "Berg/Holm", "Berg - fire", "Room 4"."""
    return not (_MARKS.search(normal) or normal.count(",") > 1 or _IMPERSONAL & set(words))


@lru_cache(maxsize=65_536)
def titles_of(words: Words) -> frozenset[str]:
    """Return the honorifics before a name, each in one spelling."""
    before = words[: len(words) - len(untitled(words))]
    return frozenset(_SPELLED.get(word, word) for word in before if word in HONORIFICS)


@lru_cache(maxsize=65_536)
def sex_of_words(words: Words) -> str:
    """Return "he" or "she" where an honorific, else the forename of a name in several words, says so, else ""."""
    titles = titles_of(words) or frozenset(words[:1])
    if titles & (_MALE | _FEMALE):
        return "" if titles & _MALE and titles & _FEMALE else "he" if titles & _MALE else "she"
    bare = untitled(words)
    if len(bare) < 2:
        return ""
    if bare[0] in KNOWN_FORENAMES:
        return "he" if bare[0] in _MEN else "she" if bare[0] in _WOMEN else ""
    return "she" if _OF_WOMEN.search(bare[0]) else "he" if _OF_MEN.search(bare[0]) else ""


def at_odds(one: Words, other: Words) -> bool:
    """Return whether titles and forenames say that two are meant: Signor and Signora, Mrs and Miss, Paul and Mrs.

    A wife may go by her husband's full name, so with hers only her own is the same.
    """
    mine, yours = titles_of(one), titles_of(other)
    if bool(mine & _SEVERAL) != bool(yours & _SEVERAL):
        return True
    sexes = {sex_of_words(one), sex_of_words(other)}
    if {"he", "she"} <= sexes or (mine & _WIFE and yours & _MAID) or (mine & _MAID and yours & _WIFE):
        return True
    long = len(untitled(one)) > 1 and len(untitled(other)) > 1
    if bool(mine & _WIFE) != bool(yours & _WIFE) and ((mine and yours) or long):
        husband = other if mine & _WIFE else one
        return sex_of_words(husband) != "she"
    return False


def alike_titled(one: Words, other: Words) -> bool:
    """Return whether both have titles, and one has all of the other's, or theirs are what everybody is called."""
    mine, yours = titles_of(one), titles_of(other)
    common = _SIR | _MADAM
    return bool(mine and yours) and (mine <= yours or yours <= mine or mine | yours <= common)


def has_rank(titles: frozenset[str]) -> bool:
    """Return whether one of the titles is of an office or degree, not what everybody is called."""
    return bool(titles - _SIR - _MADAM)


def rival(one: Words, other: Words) -> bool:
    """Return whether titles of rank differ, so that two who bear one surname are rather two."""
    mine, yours = (titles_of(words) - _SIR - _MADAM for words in (one, other))
    return bool(mine and yours) and not (mine <= yours or yours <= mine)
